"""Does a question ask for every paper that qualifies ("Which papers deal with differential privacy?"), and if so, for which? By rules, no model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_qa import text
from rag_qa.retrieval.phrases import POLITE, PUBLISHED
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """`topic`: what the papers have to be about, in the words of the question. `counts`: how many there are is asked. `brings`: they have to bring it
    themselves, and not only use it ("which papers introduce a benchmark?"). `also`: other topics that each of them has to be about as well
    ("... deal with tides and use gauges").

    `without`: what they must not have, in the words of the question. It is not told apart what that is: a subject ("... use gauges but not buoys":
    "buoys") or what no abstract says ("... not in Nature": "in Nature"). If nothing else is asked of them ("do not use gauges"), the topic says it,
    too ("not use gauges").
    """

    topic: str
    counts: bool = False
    brings: bool = False
    also: tuple[str, ...] = ()
    without: str = ""


_PAPERS = any_of("papers|abstracts|works|studies|articles|publications|preprints", "pieces of (?:work|research)")
_MASS = any_of("work|research|literature")  # "any work on ...", never "which work ..."
_METHODS = any_of("methods|approaches|techniques|algorithms|frameworks|systems|models|benchmarks|data ?sets")
_BEFORE = r"(?:(?:all|any|every|other|some|more|the|of|these|those|me|us|your|our|which|what|relevant|recent|new)\b ?)*"
_HOW_LINKED = any_of(
    "on|about|regarding|concerning|around|related to|relating to|dealing with|with|without|using|that|which|where|in which|whose|for|of",
    "addressing|studying|applying|tackling|covering|exploring|investigating|considering|discussing|mentioning|involving|proposing|introducing",
)
_LIST = r"(?:list|show|find|give|name|get|return|display|enumerate|search|search for|look for|collect|fetch|pull up)(?: out)?"
_BY_METHODS = any_of(
    "are there|exist|that|which|without|with|for|can|could|avoid|need|use|require|work|make|help|reduce|improve|handle|address|tackle|solve|rely",
    "learn|train|cope|deal|exploit|combine|apply|support|scale|save|speed|run|generate|predict|keep|try|let|allow|protect|detect|prevent|remove",
    "choose|select|(?:do|are|can) ?n[o']t|don't|aren't|can't|get along|get by|go without|assume|guarantee",
)
_DOES = any_of(
    "deal with|concern|cover|treat|use|apply|employ|study|look (?:at|into)|discuss|consider|mention|address|tackle|investigate|examine|explore",
    "focus on|handle|work (?:on|with)|introduce|propose|present|describe|develop|report(?: on)?|(?:are|is) (?:about|on|related to|concerned with)",
    "talk about|make use of|rely on|involve|compare|test|evaluate|analy[sz]e|measure|have to do with|try to",
)
_WHAT_ONES_DO = any_of(
    _DOES,
    "are (?:about|on|from)|have|give|link|point|release|share|publish|provide|offer|come with|make|need|build|train|contain|include|avoid",
    "(?:do|are|have) ?n[o']t",
)
_WHO_DOES = any_of(
    "uses?|applies|employs|studies|works on|deals with|looks (?:at|into)|discusses|considers",
    "tackles|addresses|investigates|examines|explores|builds|trains",
)
_DEALING = any_of("on|about|regarding|concerning|related to|relating to|dealing with|addressing|studying|covering|exploring|investigating|discussing")
_HERE = any_of(
    "here|there|this|it", "(?:this|the|your|our|my) (?:library|collection|corpus|index|pile|set|database|archive)", "(?:these|the|your|my) papers"
)
# A question about one thing of several papers, or about what stands in a paper: no set is asked for.
_SINGLE = re.compile(
    any_of(
        r"\b(?:highest|lowest|largest|smallest|fastest|best|worst|most|first|longest|shortest)\b(?! of\b)",
        rf"\b{_PAPERS} (?:say|says|agree|disagree|have in common|find|found|differ|conclude|argue)\b",
        rf"\b{_PAPERS} (?:do|does|did|was|were|has|had|is|can|could|should|will|would) (?!not\b)",
    ),
    re.IGNORECASE,
)
_FORMS = tuple(
    re.compile(rf"^{POLITE}{form}", re.IGNORECASE)
    for form in (
        rf"(?:in |by )?(?:which|what)(?: of (?:the|these|your|our))? {_BEFORE}{_PAPERS}\b(?P<rest>.*)",
        rf"(?:which|what) {_BEFORE}{_METHODS} (?P<rest>{_BY_METHODS}\b.*)",
        rf"(?:{_LIST} )?(?:all|any|every)(?: (?:the|other|of the|of your))? (?:{_PAPERS}|{_MASS}|papers?)\b(?P<rest>.*)",
        rf"{_LIST} {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest> {_HOW_LINKED}\b.*)",
        rf"(?:in |by )?(?:which|what) (?:ones|all|of (?:them|these|those))\b(?P<rest> {_WHAT_ONES_DO}\b.*)",
        rf"who (?:all |else )?(?P<rest>{_WHO_DOES} (?!(?:it|them|this|that|these|those)\b).*)",
        r"(?:what|is there (?:any|some)thing) (?:all )?(?:have (?:you|we|i)(?: got)?|do (?:you|we|i) have|(?:is|'s) (?:there|here))"
        rf"(?P<rest> {_DEALING}\b.*)",
        rf"(?:(?:have )?(?:you|we|i)(?:'ve)? )?got (?:any|some)thing(?P<rest> {_DEALING}\b.*)",
        rf"(?:are|is) there {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest>.*)",
        rf"(?:do|does) (?:you|we|i) (?:have|know(?: of)?) {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest>.*)",
        rf"(?:do|does) any (?:of the |of these )?(?:{_PAPERS}|paper|abstract)\b(?P<rest>.*)",
        rf"(?:{_PAPERS}|{_MASS})(?P<rest> (?:not )?{_HOW_LINKED}\b.*)",
        rf"(?:{_LIST} (?:me )?|(?:is|do|does) (?:there|you have|we have) )?(?<!tell me )(?:everything|anything)"
        r"(?: (?:(?:that )?(?:there is|you have|we have|you know|is known)|published|written))?(?P<rest> "
        rf"(?:on|about|regarding|concerning|related to|that (?:deals with|concerns|has to do with))\b.*)",
        rf"(?:{_PAPERS}|{_MASS})(?P<rest> (?:{PUBLISHED} )?(?:in|from|at|by) .+ (?:{_DEALING}|(?:that|which) {_DOES})\b.+)",
        rf"(?:{_LIST} {_BEFORE}|all (?:the )?)(?P<rest>(?:[\w-]+ ){{1,4}}){_PAPERS}[?.! ]*$",
        rf"(?:{_LIST} (?:me )?|is there )?anything(?P<rest> (?!(?:else|new|more|that|to)\b)[\w-]+(?: [\w-]+){{0,3}}) (?:in|among) {_HERE}",
        rf"(?P<rest>[^?:]{{3,}}): (?:which|what|any|all) {_PAPERS}[?.! ]*$",
        r"(?P<rest>[^?:,]{3,60})[:,] who (?:uses?|studies|studied|does|do|works? on|deals? with|mentions?) (?:it|them|that|this|these|those)[?.! ]*$",
    )
)
# "in which abstracts does GPT-4o appear": what is said of the papers stands behind the verb
_STANDS_IN = re.compile(
    rf"^{POLITE}(?:in )?(?:which|what) {_BEFORE}{_PAPERS} (?:do|does|is|are)(?P<rest> .+?) "
    r"(?:appear|occur|come up|show up|feature|play a (?:role|part)|mentioned|used|discussed|named)(?: in)?[?.! ]*$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^ (?:(?:that|which) )?(?:have|has|with|giv|link|point|host|post|releas|shar|publish|provid|offer|com(?:e|ing) with|ma[dk]e|open[- ]sourc)\w*\b"
    r"(?:[ \w-]*) (?:code|implementations?|github|repositor(?:y|ies))\b",
    re.IGNORECASE,
)
_CODE_IS_THERE = "code that is available"  # as abstracts say it
_HOW_MANY = re.compile(
    rf"^{POLITE}(?:how many|the number of|what is the number of|count)(?: of (?:the|these|your|our))? {_BEFORE}{_PAPERS}\b"
    r"(?P<rest> (?!(?:does|did|do|was|were|has|had|have (?!to do)|is|can|should|will) )"
    r"(?!are (?!about|on|there|related|concerned|using|dealing|in)).*)",
    re.IGNORECASE,
)
# Kinds of papers, where no record says of which kind a paper is: their titles and abstracts do.
_HOW_MANY_OF_KIND = re.compile(
    rf"^{POLITE}how many (?P<rest>(?:[a-z-]+ ){{0,3}}(?:reviews|surveys|meta-?analyses|trials|case (?:reports|studies)|editorials|preprints))"
    r" (?:are there|do (?:you|we) have|does (?:it|this library) (?:have|hold|contain)|are (?:here|in (?:here|this library|the library)))"
    r"(?: (?:here|in total|altogether|in (?:here|this library|the library)))?[\s?.!]*$",
    re.IGNORECASE,
)
# What was done to studies in a paper is told by its abstract: "how many studies on sleep were included?"
_DONE_IN_A_PAPER = re.compile(
    r"\b(?:were|was|are) (?:(?:finally|eventually|originally) )?(?:included|pooled|screened|analy[sz]ed|reviewed|retrieved|identified"
    r"|excluded|assessed|eligible|considered|examined|combined|selected|surveyed)\b(?! (?:here|there)\b)"
    r"|\bdid (?:they|the (?:authors?|paper|review|survey|study|meta-analysis)|it) \w+",
    re.IGNORECASE,
)
_BRINGING = re.compile(r"^ (?:that |which )?(?:introduc|propos|present|releas|contribut|publish|creat|build|develop|provid)\w*\b", re.IGNORECASE)
_PLACE = r"(?P<place>(?!(?:which|whom|whose|what|how|order|terms|favou?r|general|particular)\b)[^\s,]+(?: [^\s,]+){0,6}?)"
# "in humans deal with stroke", and "in China on restoration": the topic is behind the place.
_PLACED_AND_DO = re.compile(
    rf"^ (?:{PUBLISHED} )?(?P<how>in|from|at|by|for|within|among|during),? {_PLACE},? (?:(?:that|which) )?(?:also )?{_DOES}(?P<what> .+)$",
    re.IGNORECASE,
)
_PLACED_FIRST = re.compile(
    rf"^ (?:{PUBLISHED} )?(?P<how>in|from|at|by|within|among|during) {_PLACE}(?<! are)(?<! is),?"
    rf"(?P<what> (?:{_DEALING}|(?:that|which) {_DOES}) .+)$",
    re.IGNORECASE,
)
_ABOUT_AND_DO = re.compile(
    r"^ (?:on|about|regarding|concerning|with|using) (?P<about>(?!(?:how|what|why|whether|that)\b)\S+(?: \S+){0,6}?)"
    rf"(?<! that)(?<! which)(?<! who)(?<! to)(?<! and)(?<! or)(?<! can) {_DOES} (?P<what>.+)$",
    re.IGNORECASE,
)
_ASKS_WITH_VERB = re.compile(rf"^{POLITE}(?:(?:in |by )?(?:which|what)|(?:do|does) any)\b(?!.*\bare there\b)", re.IGNORECASE)

_DO_NOT = re.compile(
    r"^ (?:(?:that|which) )?(?:(?:do|does|did|are|is|have|has|can|could)(?: not|n't)|never|cannot"
    rf"|not(?= (?:{_DEALING}|using)\b)) (?P<what>.+)$",
    re.IGNORECASE,
)
_NOT_FIRST = re.compile(  # names have capitals: "not in Nature", and "not in the text" is no name
    r"^,? (?:(?:that|which) )?(?:(?:are|were|do|does)(?: not|n't)|not|excluding|except(?: for)?|other than|apart from|outside(?: of)?|without) "
    rf"(?:{PUBLISHED} |come )?(?:(?:those|the ones|papers) )?"
    r"(?P<what>(?:(?:in|by|from|at|since|before|after) )?(?:the )?[A-Z\d]\S*(?: \S+){0,5}?),?"
    rf"(?P<rest> (?:(?:that|which) )?(?:{_DOES}|{_DEALING}) .+)$"
)
_NOT_LAST = re.compile(
    rf"^(?P<rest> .+?)(?:,? (?:but )?not (?:{PUBLISHED} )?(?P<named>(?:in|by|from|at|since|before|after) (?:the )?[A-Z\d].*)"
    r"|(?:,? but (?:(?:do|does|are|is|have|has)(?: not|n't)|never)"
    r"|(?:,? (?:and|that|which)|(?<! who)(?<! they)(?<! it)(?<! what)(?<! that)(?<! which))"
    rf" (?:(?:do|does)(?: not|n't) {_DOES}|(?:are|is)(?: not|n't) {_DEALING})"
    r"|,? but (?:not(?! only)|no|without)(?!.* (?:deal with|are about) )|,? and not(?! only)"
    r"|,?(?: but)? (?:excluding|except(?: for)?|other than|apart from|leaving out)) (?P<what>.+))$"
)
_OF_A_NAME = re.compile(r"(?:in|by|from|at|since|before|after) (?:the )?[A-Z\d]")
_NAMED_AGAIN = re.compile(r"^(?:(?:any|all|the|those|these|ones|papers|articles|studies|works|abstracts)\b ?)+", re.IGNORECASE)
# What leads from the papers to the topic. One kind a line.
_LEADING = frozenset(
    """
    that which who where whose in of on about for to with at by as and into around from the a an any some their its
    is are be been do does have has had having there exist can could may try tries trying aim aims want
    deal deals dealing concern concerns concerned concerning regarding related relating relate relates treat treats cover covers covering touch
    use uses used using make makes making apply applies applying employ employs employing rely relies involve involves involving based
    study studies studying look looks looking discuss discusses discussing consider considers considering mention mentions mentioning
    address addresses addressing tackle tackles tackling investigate investigates investigating examine examines explore explores exploring
    focus focuses focused focusing handle handles work works working introduce introduces introducing propose proposes proposing present presents
    presenting
    describe describes describing develop develops release releases offer offers
    something anything topic topics subject subjects field area areas question
    you we me us please also mainly specifically say says talk talks speak speaks
    """.split()
)
_TRAILING = re.compile(
    r"(?:[\s?.!,;:]+|\b(?:please|here|at all|in total|altogether|overall|are there|do (?:you|we) have|you have"
    r"|(?:that )?(?:you|we) (?:know|have)(?: of)?"
    r"|(?:in|from|of) (?:this|the|your|our|my) (?:library|collection|corpus|index|pile|set|database|data ?base|archive))\b)+$",
    re.IGNORECASE,
)
_SECOND_QUESTION = re.compile(r"(?:,|;|\?)? and (?:what|how|why|when|who|which)\b.*$|[?;] .*$|,? (?:even (?:if|though)|if only) .*$", re.IGNORECASE)
# "study or build drones": what is done with them does not matter
_OR_DO = re.compile(
    rf"(?P<verb>\b{_DOES})(?:,? (?:or|and/or) (?:{_DOES}|build|train|create|design|extend|improve|learn|solve|optimi[sz]e))+(?= )", re.IGNORECASE
)
_ASIDE = re.compile(r",? be (?:it|they) .+$| ?\([^()]*\)| of (?:any|all|every|whatever) (?:sorts?|kinds?|types?)\b", re.IGNORECASE)
# What the list is for: "... for our reading group".
_PURPOSE = re.compile(
    r",? for (?:my|our|a|an|the|his|her|their) (?:[\w-]+ ){0,2}"
    r"(?:group|club|review|talk|class|course|thesis|meeting|seminar|project|survey|report|slides|students?|colleagues?|boss|team|essay|exam)\b.*$",
    re.IGNORECASE,
)


# "... and use gauges", and not "tides and gauges"
_AND_DO = re.compile(
    r",? and (?=(?:also )?(?:(?:that|which) )?(?:use|deal with|are (?!not\b)|have|need|require|study"
    r"|consider|address|mention|propose|introduce)\b)",
    re.IGNORECASE,
)


def asked_for_set(question: str) -> SetQuestion | None:
    """What set of papers a question asks for, or None: one paper, an overview, or a fact is asked for.

    >>> asked_for_set("Which papers deal with differential privacy?")
    SetQuestion(topic='differential privacy', counts=False, brings=False, also=(), without='')
    >>> asked_for_set("How many papers use reinforcement learning?")
    SetQuestion(topic='reinforcement learning', counts=True, brings=False, also=(), without='')
    >>> asked_for_set("Which paper introduces LoRA?"), asked_for_set("What do papers say about LoRA?")
    (None, None)
    """
    plain = " ".join(question.replace("’", "'").split())
    if (counted := _HOW_MANY.match(plain)) and not _DONE_IN_A_PAPER.search(counted["rest"]):
        return _of_topic(counted["rest"], counts=True)
    if of_kind := _HOW_MANY_OF_KIND.match(plain):
        return _of_topic(of_kind["rest"], counts=True)
    if stands_in := _STANDS_IN.match(plain):
        return _of_topic(stands_in["rest"])
    if _SINGLE.search(plain):
        return None
    found = next((match for form in _FORMS if (match := form.match(plain))), None)
    return _of_topic(found["rest"], has_verb=bool(_ASKS_WITH_VERB.match(plain))) if found else None


def _of_topic(rest: str, *, counts: bool = False, has_verb: bool = True) -> SetQuestion | None:
    if _CODE.match(rest):
        return SetQuestion(_CODE_IS_THERE, counts)
    kept, without = _parted(rest)
    topics = [topic for part in _AND_DO.split(kept) for topic in _topics(part, has_verb=has_verb) if text.words(text.fold(topic).text)]
    return SetQuestion(topics[0], counts, bool(_BRINGING.match(rest)), tuple(topics[1:]), without) if topics else None


def _parted(rest: str) -> tuple[str, str]:
    """What papers have to be about, and what they must not have.

    >>> _parted(" that use gauges but not buoys?"), _parted(" not in Nature deal with tides"), _parted(" do not use gauges")
    ((' that use gauges', 'buoys'), (' deal with tides', 'in Nature'), (' do not use gauges', 'gauges'))
    """
    if first := _NOT_FIRST.match(rest):
        return first["rest"], _left_out(first["what"])
    if nothing_else := _DO_NOT.match(rest):
        return rest, _topic(nothing_else["what"])
    if last := _NOT_LAST.match(rest):
        return last["rest"], last["named"].strip(" ,?.!") if last["named"] else _left_out(last["what"])
    return rest, ""


def _left_out(what: str) -> str:
    """
    >>> _left_out("papers by Volk?"), _left_out("those on gauges")
    ('by Volk', 'gauges')
    """
    bare = _NAMED_AGAIN.sub("", what)
    return bare.strip(" ,?.!") if _OF_A_NAME.match(bare) else _topic(bare)


def _topics(part: str, *, has_verb: bool) -> list[str]:
    """What the papers are about. `has_verb`: a verb says what they do, so that "use" behind a noun is one. No abstract says who wrote it, so an
    author who is no filter (see understanding.Understood.unread) is no part of the topic.

    >>> _topics(" in humans deal with stroke", has_verb=True), _topics(" on dogs deal with epilepsy", has_verb=True)
    (['stroke in humans'], ['dogs', 'epilepsy'])
    """
    placed = _PLACED_FIRST.match(part) or (_PLACED_AND_DO.match(part) if has_verb else None)
    if placed and (topics := _topics(placed["what"], has_verb=has_verb))[0]:
        is_author = placed["how"] == "by" and placed["place"][:1].isupper()
        return topics if is_author else [f"{topics[0]} {placed['how']} {placed['place']}", *topics[1:]]
    both = _ABOUT_AND_DO.match(part) if has_verb else None
    return [_topic(both["about"]), _topic(both["what"])] if both else [_topic(part)]


def _topic(rest: str) -> str:
    """What is left of what follows the papers.

    >>> _topic(" are there on graph neural networks?"), _topic(" that have to do with robots in this library"), _topic(" study or build drones")
    ('graph neural networks', 'robots', 'drones')
    """
    words = _TRAILING.sub("", _ASIDE.sub("", _PURPOSE.sub("", _SECOND_QUESTION.sub("", _OR_DO.sub(r"\g<verb>", rest))))).split()
    while words and words[0].lower().strip(",:") in _LEADING:
        words = words[1:]
    return " ".join(words)
