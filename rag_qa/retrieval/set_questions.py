"""Does a question ask for every paper that qualifies ("Which papers deal with differential privacy?"), and if so, for which? By rules, no model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_qa import text
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """`topic`: what the papers have to be about, in the words of the question. `counts`: how many there are is asked. `brings`: they have to bring it
    themselves, and not only use it ("which papers introduce a benchmark?"). `also`: other topics that each of them has to be about as well
    ("... deal with tides and use gauges").
    """

    topic: str
    counts: bool = False
    brings: bool = False
    also: tuple[str, ...] = ()


_PAPERS = any_of("papers|abstracts|works|studies|articles|publications|preprints", "pieces of (?:work|research)")
_MASS = any_of("work|research|literature")  # "any work on ...", never "which work ..."
_METHODS = any_of("methods|approaches|techniques|algorithms|frameworks|systems|models|benchmarks|data ?sets")
_POLITE = (
    r"(?:(?:hi|hello|hey|please|ok|okay|so|and|also|now|well|then)\b[,!.]? ?|(?:can|could|would) you (?:please )?"
    r"|i(?:'m| am) (?:looking|searching) for |i (?:need|want)(?: to (?:see|find|read|have))? |tell me |let me see )*"
)
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
    re.compile(rf"^{_POLITE}{form}", re.IGNORECASE)
    for form in (
        rf"(?:in |by )?(?:which|what)(?: of (?:the|these|your|our))? {_BEFORE}{_PAPERS}\b(?P<rest>.*)",
        rf"(?:which|what) {_BEFORE}{_METHODS} (?P<rest>{_BY_METHODS}\b.*)",
        rf"(?:{_LIST} )?(?:all|any|every)(?: (?:the|other|of the|of your))? (?:{_PAPERS}|{_MASS}|papers?)\b(?P<rest>.*)",
        rf"{_LIST} {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest> {_HOW_LINKED}\b.*)",
        rf"(?:are|is) there {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest>.*)",
        rf"(?:do|does) (?:you|we|i) (?:have|know(?: of)?) {_BEFORE}(?:{_PAPERS}|{_MASS})\b(?P<rest>.*)",
        rf"(?:do|does) any (?:of the |of these )?(?:{_PAPERS}|paper|abstract)\b(?P<rest>.*)",
        rf"(?:{_PAPERS}|{_MASS})(?P<rest> {_HOW_LINKED}\b.*)",
        rf"(?:{_LIST} {_BEFORE}|all (?:the )?)(?P<rest>(?:[\w-]+ ){{1,4}}){_PAPERS}[?.! ]*$",
    )
)
_HOW_MANY = re.compile(
    rf"^{_POLITE}(?:how many|the number of|what is the number of|count)(?: of (?:the|these|your|our))? {_BEFORE}{_PAPERS}\b"
    r"(?P<rest> (?!(?:does|did|do|was|were|has|had|have (?!to do)|is|can|should|will) )"
    r"(?!are (?!about|on|there|related|concerned|using|dealing|in)).*)",
    re.IGNORECASE,
)
_BRINGING = re.compile(r"^ (?:that |which )?(?:introduc|propos|present|releas|contribut|publish|creat|build|develop|provid)\w*\b", re.IGNORECASE)
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
    r"(?:[\s?.!,;:]+|\b(?:please|here|at all|are there|do you have|do we have|you have|(?:that )?(?:you|we) (?:know|have)(?: of)?"
    r"|(?:in|from|of) (?:this|the|your|our|my) (?:library|collection|corpus|index|pile|set|database|data ?base|archive))\b)+$",
    re.IGNORECASE,
)
_SECOND_QUESTION = re.compile(r"(?:,|;|\?)? and (?:what|how|why|when|who|which)\b.*$|[?;] .*$", re.IGNORECASE)


# "... and use gauges", and not "tides and gauges"
_AND_DO = re.compile(
    r",? and (?=(?:also )?(?:(?:that|which) )?(?:use|deal with|are (?:about|on)|have|need|require|study"
    r"|consider|address|mention|propose|introduce)\b)",
    re.IGNORECASE,
)


def asked_for_set(question: str) -> SetQuestion | None:
    """What set of papers a question asks for, or None: one paper, an overview, or a fact is asked for.

    >>> asked_for_set("Which papers deal with differential privacy?")
    SetQuestion(topic='differential privacy', counts=False, brings=False, also=())
    >>> asked_for_set("How many papers use reinforcement learning?")
    SetQuestion(topic='reinforcement learning', counts=True, brings=False, also=())
    >>> asked_for_set("Which paper introduces LoRA?"), asked_for_set("What do papers say about LoRA?")
    (None, None)
    """
    plain = " ".join(question.replace("’", "'").split())
    if counted := _HOW_MANY.match(plain):
        return _of_topic(counted["rest"], counts=True)
    if _SINGLE.search(plain):
        return None
    found = next((match for form in _FORMS if (match := form.match(plain))), None)
    return _of_topic(found["rest"]) if found else None


def _of_topic(rest: str, *, counts: bool = False) -> SetQuestion | None:
    topics = [topic for part in _AND_DO.split(rest) if text.words(text.fold(topic := _topic(part)).text)]
    return SetQuestion(topics[0], counts, bool(_BRINGING.match(rest)), tuple(topics[1:])) if topics else None


def _topic(rest: str) -> str:
    """What is left of what follows the papers.

    >>> _topic(" are there on graph neural networks?"), _topic(" that have to do with robots in this library")
    ('graph neural networks', 'robots')
    """
    words = _TRAILING.sub("", _SECOND_QUESTION.sub("", rest)).split()
    while words and words[0].lower().strip(",:") in _LEADING:
        words = words[1:]
    return " ".join(words)
