"""Conversation: a follow-up -> a question that stands alone. Rules, no model; an LLM may do the rewriting with these rules to fall back to.

What a question takes from earlier turns is written out in it: the name that "it" or "the second one" stands for, the question that "why?" or "and on
images?" goes on with. A question that can be understood by itself stays as it is, however much was said before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question as it was understood, and the papers that answered it, best first; none if it was not answered."""

    understood_as: str
    papers: tuple[Paper, ...] = ()


def stand_alone(question: str, turns: Sequence[Turn]) -> str:
    """The question with what it takes from the earlier turns written out; unchanged when it takes nothing.

    `turns`, oldest first, are looked at only as far as they are needed.

    >>> stand_alone("Which kind of regression does its extension use?", [Turn("What is DP-CATE?")])
    "Which kind of regression does DP-CATE's extension use?"
    >>> stand_alone("What about NetMoE?", [Turn("What is DP-CATE?")])
    'What is NetMoE?'
    >>> stand_alone("What is rank collapse?", [Turn("What is DP-CATE?")])
    'What is rank collapse?'
    """
    question = " ".join(question.split())
    asked = _FILLER.sub("", question)
    if new := _NEW_TOPIC.match(asked):
        return asked[new.end() :]
    if not turns or not asked:
        return asked or question
    for rule in (_others, _asks_the_same_of, _ordinal, _of_several, _goes_on):
        if understood := rule(asked, turns):
            return understood
    return _with_subject(asked, _turn_for(asked, turns)) if depends(asked) else asked


# ------------------------------------------------------------------------------------------------------------- small talk

_GREETING = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings)(?: there| all| everyone)?[\s!.,]*$", re.IGNORECASE)
_THANKS = re.compile(
    r"^(?:ok(?:ay)?,? )?(?:(?:many )?thanks?(?: you)?|thx|cheers|great|perfect|nice|good|cool|got it|bye|goodbye|well done)"
    r"(?:,? (?:so|very|a lot|much|again|thanks?|you|job|work|bye|to|for (?:your|the) \w+))*[\s!.,]*$",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^(?:ok(?:ay)?|yes|no|yep|nope|sure|alright|all right|fine|right|i see|understood|makes sense|hm+|interesting|wow)[\s!.,]*$", re.IGNORECASE
)


def small_talk(question: str) -> str | None:
    """A friendly line for a greeting, thanks or assent, which ask nothing of the papers.

    >>> small_talk("Hello!"), small_talk("Hello world models?")
    ('Hello! Ask me anything about the papers in this library.', None)
    """
    if _GREETING.match(question):
        return "Hello! Ask me anything about the papers in this library."
    if _THANKS.match(question):
        return "You are welcome. Ask on whenever you like."
    if _ASSENT.match(question):
        return "Ask on whenever you like."
    return None


# ------------------------------------------------------------------------------------------------- what points elsewhere

_OBJECT = (
    r"(?:method|approach|framework|model|algorithm|paper|abstract|study|system|technique|metric|benchmark|attack|policy|architecture"
    r"|tool|idea|dataset|task|"
    r"loss|optimi[sz]er|evaluation|module|network|design|scheme|strategy|procedure|concept|extension|analysis)"
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_AUTHORS = re.compile(r"\bthe authors\b(?! of\b)", re.IGNORECASE)
_REFERENCE = re.compile(
    rf"\b(?:this|that|these|those|the (?:same|said|proposed|above))(?: (?:new|proposed|same))? {_OBJECT}s?\b"
    # not "does that work"
    r"|(?<!does )(?<!do )(?<!did )(?<!can )(?<!could )(?<!will )(?<!would )\b(?:this|that|these|those) works?\b"
    r"|\bthe (?:paper|abstract)\b(?! (?:on|about|of|that|which|in)\b)"
    # "the method" by itself is the one just spoken of
    rf"|\bthe {_OBJECT}(?=\s*(?:$|[?.,!]|(?:use|uses|need|needs|work|works|do|does|solve|solves|achieve|achieves|propose|proposes|perform"
    rf"|performs|beat|beats|learn|learns)\b))",
    re.IGNORECASE,
)
_VERB = (
    r"(?:is|are|was|were|do|does|did|work|works|help|helps|compare|compares|mean|means|matter|matters|possible|better|worse|have|has|can"
    r"|could|will|would|so|also|really|true"
    r"|important|needed|useful|hold|holds|happen|happens|always|ever|differ|differs|different|enough|good|bad)"
)
_PRONOUN = re.compile(
    rf"\b(?:it|they|them|he|she|(?:this|that) one)\b|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.,!]|{_VERB}\b))",
    re.IGNORECASE,
)
# "does that size compare", "of those sparse approaches": a thing named before, not a subject to be put in its place
_DETERMINER = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could|with|of|to|by|for|in|on|from|about|behind) (?:this|that|these|those) [a-z]{3,}"
    r"|\b(?:these|those) (?!days\b|that\b|who\b|which\b|with\b)[a-z]{3,}",
    re.IGNORECASE,
)
# "is it possible to ...", "it takes long": the word refers to nothing
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|be|makes?|made|can|could|does|takes?|find) it\b.{0,25}\b(?:possible|worth|true|better|easy|hard|easier|harder|enough"
    r"|feasible|so|too|necessary|take|matter"
    r"|make sense|cheaper|useful|safe|sensible|to)\b"
    r"|\bit (?:is|was|'s|takes|would|seems|turns)\b.{0,25}\b(?:possible|that|to|worth|too|long|hard|easy)\b",
    re.IGNORECASE,
)
_ONLY_PRONOUN_BETWEEN = re.compile(
    r"^\W*(?:and |but |so )?(?:is|was) it (?:so|too|enough|better|true|safe|useful|worth it|possible|hard|easy)\W*$", re.IGNORECASE
)
_OPENS_LIKE_A_FOLLOW_UP = re.compile(
    r"^(?:and|but|so|also|then|or|ok(?:ay)?)\b[, ]|^(?:any|anything|what) (?:other|others|else|more)\b|\b(?:instead|as well|too|else)\s*\??$",
    re.IGNORECASE,
)
# "which dataset?", "on how many embodiments", "compared to what?": nobody says of what
_ELLIPSIS = re.compile(
    r"^(?:and |but |so )*(?:(?:(?:on|in|by|for|with|of|at|to|from|under|over|across|since|than|compared (?:to|with)|in terms of) )"
    r"(?:which|what|whom|how (?:many|much))|which|how (?:many|much)|what (?:kind|type|sort) of)(?: [\w-]+){0,2}\s*\??$",
    re.IGNORECASE,
)
# Words that every paper could be asked about: alone they make no question
_GENERIC = frozenset(
    """method methods approach approaches model models result results experiment experiments dataset datasets data benchmark benchmarks baseline
    baselines evaluation evaluated evaluate tested test tests performance improvement improvements gain gains better worse good well
    limitation limitations limits drawback drawbacks advantage advantages code metric metrics training trained train contribution
    contributions problem problems task tasks technique example examples detail details large big much fast long many work works outperform
    compare compared help helps size number speed cost idea goal purpose application applications component components step steps parts
    weaknesses strengths""".split()
)
_BACKWARD_DEFINITE = re.compile(
    r"\bthe \w+ (?:\w+ed|found|shown|made) (?:with|by|to|on|in|for|from)\b|\bthe (?:results?|experiments?|improvements?|gains?|speed-?ups?"
    r"|baselines?|limitations?|main \w+"
    r"|datasets?|benchmarks?|code|authors?|extension|evaluation|savings?|reduction|guarantees?|assumptions?|components?|modules?"
    r"|contributions?|ability)\b"
    r"(?! (?:of|in|from|for) (?:the )?[a-z$]*[A-Z])"
)


def depends(question: str) -> bool:
    """Can the question not be understood without what was said before?

    >>> depends("How does it scale?"), depends("Is it possible to prune a speech model?"), depends("What is DP-CATE?")
    (True, False, False)
    """
    without = question if _ONLY_PRONOUN_BETWEEN.match(question) else _EXPLETIVE.sub(" ", question)
    named = text.names(question)
    if _DETERMINER.search(without) and not named:
        return True
    if _first_reference(without):
        return not _refers_inside(without)
    if named:
        return False
    specific = [word for word in text.content_words(question) if word not in _GENERIC]
    if not specific or _OPENS_LIKE_A_FOLLOW_UP.search(question) or _ELLIPSIS.match(question):
        return True
    return len(specific) <= 2 and bool(_BACKWARD_DEFINITE.search(question))


def _first_reference(question: str) -> re.Match[str] | None:
    """The first word or phrase that stands for something else."""
    found = (pattern.search(question) for pattern in (_POSSESSIVE, _AUTHORS, _REFERENCE, _PRONOUN))
    return min((match for match in found if match), key=lambda match: match.start(), default=None)


_CLAUSE_IN_FRONT = re.compile(r"^(?:and |but |so )?(?:if|when|while|once|after|because|suppose|given|since|although)\b[^,]*,\s", re.IGNORECASE)
_SECOND_QUESTION = re.compile(r"\b(?:and|or|but) (?:why|how|what|when|where|which|who|does|do|is|are|can|could|has|have)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\b(?:an?|each|every) (?:[\w-]+ ){1,4}.*\b(?:when|if|that|and|whether|while|because|before|after|so|but|how|why|what|by|with)\b", re.IGNORECASE
)
# "how many GPUs did they use": what stands in front is no subject
_FRONTED = re.compile(
    r"^(?:and |but |so )*(?:(?:on|in|by|for|with|of|at|to|from) )?(?:which|what|how many|how much)(?: [\w-]+){1,4} (?:do|does|did|can|could"
    r"|will|would|have|has|are|were|is|was) $",
    re.IGNORECASE,
)
_NO_PLURAL = frozenset("does uses authors papers works shows this is was has its experiments results".split())


def _refers_inside(question: str) -> bool:
    """Does a pronoun refer to what the question itself names: "If I prune a speech model, does it still recognise speakers?"?"""
    match = _first_reference(question)
    if match is None:
        return False
    before = question[: match.start()]
    if _FRONTED.search(before):
        return False
    if text.names(before):
        return True
    content = [word for word in text.content_words(before) if word not in _GENERIC]
    if len(content) >= 4:
        return True
    if content and any(pattern.search(before) for pattern in (_CLAUSE_IN_FRONT, _SECOND_QUESTION)):
        return True
    if match.group().lower() in ("they", "them", "their"):
        plural = (word for word in text.content_words(before) if len(word) > 3 and word.endswith("s") and not word.endswith("ss"))
        return any(word not in _NO_PLURAL for word in plural)
    return match.group().lower() in ("it", "its") and bool(content) and bool(_SUBORDINATE.search(before))


# ----------------------------------------------------------------------------------------------------- what is spoken of


def _turn_for(question: str, turns: Sequence[Turn]) -> Turn:
    """The turn that a question goes on with: the last one, or, if that was not answered, an earlier one whose paper the question has to do with."""
    last = turns[-1]
    if last.papers or len(turns) == 1:
        return last
    wanted = {term for word in text.content_words(question) if word not in _GENERIC for term in text.word_terms(word)}
    for i in range(len(turns) - 2, -1, -1):
        if turns[i].papers and wanted & set(text.terms(turns[i].papers[0].abstract)):
            return turns[i]
    return last


def _subject(turn: Turn) -> tuple[str, bool]:
    """(what the turn was about, is that a name)."""
    several = _several(turn)
    if len(several) > 1:
        return _joined(several), True
    asked = text.names(turn.understood_as)
    labels = [name for paper in turn.papers[:1] if (name := paper.title or text.name_of(paper.abstract))]
    for name in asked:
        if any(name.casefold() in label.casefold() for label in labels):
            return name, True
    if labels and len(labels[0].split()) <= 6:
        return labels[0], True
    if asked:
        return asked[0], True
    return " ".join(text.content_words(turn.understood_as)[:10]), False


_LISTING = re.compile(
    r"\b(?:which|what|list|find|show|name|any|all)\b(?: \w+){0,3} (?:papers|works|studies|abstracts|articles|methods|approaches|frameworks"
    r"|techniques|benchmarks|algorithms|others)\b"
    r"|\b(?:compare|comparison|differences? between|versus|vs\.?)\b",
    re.IGNORECASE,
)


def _several(turn: Turn) -> list[str]:
    """What a turn was about if it asked for several things: the names in its question, or what its papers are called."""
    asked = list(dict.fromkeys(text.names(turn.understood_as)))
    compared = re.search(r"\b(?:compare|comparison|differences? between|versus|vs\.?|differ|both|and|or)\b", turn.understood_as, re.IGNORECASE)
    called = {text.fold(paper.label).text for paper in turn.papers}
    if len(asked) > 1 and compared and (not called or sum(text.fold(name).text in called for name in asked) != 1):
        return asked
    if len(turn.papers) > 1 and _LISTING.search(turn.understood_as):
        return [paper.label.rstrip("…") for paper in turn.papers]
    return []


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _with_subject(question: str, turn: Turn) -> str:
    subject, is_name = _subject(turn)
    if not subject:
        return question
    if is_name and (replaced := _replaced(question, subject)):
        return replaced
    context = subject if is_name and not _is_elliptic(question) else _context(subject, turn)
    return f"{context}: {question}"


def _replaced(question: str, subject: str) -> str | None:
    """The question with the name in the place of the first word that stands for it; None where that would not read well."""
    expletive = None if _ONLY_PRONOUN_BETWEEN.match(question) else _EXPLETIVE.search(question)
    if _DETERMINER.search(question) and not _REFERENCE.search(question):
        return None
    replacements = ((_POSSESSIVE, f"{subject}'s"), (_AUTHORS, f"the authors of {subject}"), (_REFERENCE, subject), (_PRONOUN, subject))
    for pattern, replacement in replacements:
        for match in pattern.finditer(question):
            if expletive and expletive.start() <= match.start() < expletive.end():
                continue
            if match.group().lower() in ("they", "them", "their") and _IT.search(question, match.end()):
                continue  # "did they show it": they are the authors
            if pattern is _PRONOUN and (_is_elliptic(question) or match.group().lower() in ("this", "that", "these", "those")):
                return None
            return question[: match.start()] + replacement + question[match.end() :]
    return None


_IT = re.compile(r"\bits?\b", re.IGNORECASE)


def _is_elliptic(question: str) -> bool:
    """Does the question bring next to nothing of its own: "and how large was it?"."""
    return not [word for word in text.content_words(question) if word not in _GENERIC and not text.is_name(word)]


def _context(subject: str, turn: Turn) -> str:
    known = set(text.terms(subject))
    carried = [w for w in text.content_words(turn.understood_as) if not known.intersection(text.word_terms(w))]
    return " ".join(dict.fromkeys([subject, *carried[:8]]))


# ------------------------------------------------------------------------------------------------------------- the rules

_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|many thanks|thanks|thank you|great|nice|cool|interesting|i see|got it|perfect|good|wow|hm+|right|sure|alright|fine"
    r"|understood|makes sense)"
    r"(?:[ ,]+(?:thanks|thank you|so much|then|again))?\s*[,.!…]+\s+)+(?=\S)",
    re.IGNORECASE,
)
_NEW_TOPIC = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|now|right|fine)[,.!]? )*(?:(?:something|a thing) (?:completely |entirely )?(?:else|different)(?: now)?"
    r"|(?:a |an? entirely |a completely )?(?:new|different|another|next|other) (?:topic|subject|question|thing)(?: now)?"
    r"|let(?:['’]|u)?s (?:leave|drop|forget|move on|change|switch|turn)[^.:;!?]{0,40}|on (?:another|a different|an unrelated) (?:note|topic"
    r"|subject)|moving on"
    r"|changing (?:the )?(?:topic|subject)|(?:an )?unrelated(?: question)?|by the way|btw)\s*[:;,.!–—-]+\s*(?=\S)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"^(?:and |but |so )*(?:(?:are|is) there |do you (?:have|know) |what about |how about )?(?:any|some|the)? ?(?:others?|more|other ones?"
    r"|more of (?:them|these|those)|anything else"
    r"|(?:other|further|more) (?:papers|works?|studies|abstracts|articles))(?: (?:like (?:this|that|these|those|it)|on (?:this|that|it)|too"
    r"|as well))*\s*\??$",
    re.IGNORECASE,
)
_OTHER_PAPERS = re.compile(
    r"\b(?:any|which|what|some|are there|is there)\b.{0,12}\bother (?:papers|works?|studies|abstracts|articles)\b|^others: ", re.IGNORECASE
)


def asks_for_others(understood: str) -> bool:
    """Does a question as it was understood ask for papers that were not named yet?

    >>> asks_for_others("Which other papers study privacy?"), asks_for_others("Which papers study privacy?")
    (True, False)
    """
    return bool(_OTHER_PAPERS.search(understood))


def is_settled_by_rules(question: str) -> bool:
    """Does a question say where to look ("the second one", "any others?"), so that words of a chat model could only be worse?"""
    asked = _FILLER.sub("", question)
    return any(pattern.search(asked) for pattern in (_NEW_TOPIC, _ORDINAL, _OF_SEVERAL, _OTHERS))


def _others(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Any others?" after a question for papers: that question, for other ones."""
    if not _OTHERS.match(question) or not _LISTING.search(turns[-1].understood_as):
        return None
    last = turns[-1].understood_as
    if _OTHER_PAPERS.search(last):
        return last
    again, changed = re.subn(
        r"\b(which|what|any|find|list|show|name)((?: me)?(?: all)?(?: \w+){0,2}?) (papers|works|studies|abstracts|articles|methods"
        r"|approaches|frameworks|techniques)\b",
        r"\1\2 other \3",
        last,
        count=1,
        flags=re.IGNORECASE,
    )
    return again if changed and _OTHER_PAPERS.search(again) else f"others: {last}"


_PREPOSITION = r"(?:in|for|with|on|at|of|by|to|from|about|against|over|under|without|between)"
_INSTEAD = re.compile(
    rf"^(?:and |but |ok(?:ay)?,? |so )*(?:what|how) about ({_PREPOSITION} )?((?:the )?.+?)\??$"
    rf"|^and ({_PREPOSITION} )?((?:the )?(?:[\w\u0370-\u03ff-]+ ?){{1,4}})\?$",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"^(?:why|how|what|which|who|where|when|is|are|does|do|did|can)\b", re.IGNORECASE)


def _asks_the_same_of(question: str, turns: Sequence[Turn]) -> str | None:
    """ "What about NetMoE?": the last question again, of another subject."""
    match = _INSTEAD.match(question)
    if not match:
        return None
    preposition, phrase = match.group(1) or match.group(3), (match.group(2) or match.group(4)).strip()
    other = re.sub(r"^the\s+", "", phrase, flags=re.IGNORECASE)
    if not other or _PRONOUN.match(other) or _POSSESSIVE.match(other) or _ORDINAL.search("the " + other) or _QUESTION_WORD.match(other):
        return None
    last = turns[-1]
    if preposition and (swapped := _swapped(last.understood_as, preposition.strip().lower(), phrase)):
        return swapped
    before = text.names(last.understood_as)
    if before and text.names(other) and not preposition:
        return last.understood_as.replace(before[0], other, 1)
    if text.names(other) and not preposition:
        return f"{other}: {last.understood_as}"
    subject, _ = _subject(last)
    return f"{_context(subject, last)}: {question}" if subject else None


def _swapped(question: str, preposition: str, other: str) -> str | None:
    """The last question with its final "on ..." replaced: "and on images?" after "How accurate is it on text?"."""
    match = re.search(rf"^(.+) {preposition} [^?]+\?*$", question, re.IGNORECASE)
    return f"{match.group(1)} {preposition} {other}?" if match else None


_PLACES = {"first": 0, "former": 0, "second": 1, "latter": 1, "other": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_NOUN = r"(?:one|paper|abstract|method|approach|work|study|result|source|framework|model|algorithm|system)"
_ORDINAL = re.compile(
    rf"\bthe (first|second|third|fourth|fifth|last|other) (?:{_NOUN}|of (?:them|these|those))\b(?! (?:to|that|which|on|about)\b)"
    rf"|\bthe (former|latter)(?: {_NOUN})?\b"
    r"|\bthe (first|second|third|fourth|fifth|last)(?=\s*(?:$|[?.,!]|(?:do|does|did|is|are|was|were|use|uses|propose|proposes|achieve"
    r"|achieves|say|says|differ|differs)\b))"
    r"|(?:\b(?:paper|source|number|no\.|reference) |#|\[)(\d)\b\]?",
    re.IGNORECASE,
)
_ORDINAL_OF = re.compile(r"\bthe (first|second|third|fourth|fifth|last) ([a-z]+)\b", re.IGNORECASE)


def _ordinal(question: str, turns: Sequence[Turn]) -> str | None:
    """ "The second one", "the latter", "paper 3": what stands at that place in the last list."""
    match = _ORDINAL.search(question)
    if match is None:
        match = _ORDINAL_OF.search(question)
        last = {text.stem(word) for word in text.content_words(turns[-1].understood_as)} if match else set()
        if match is None or text.stem(match.group(2).lower()) not in last or len(text.names(turns[-1].understood_as)) < 2:
            return None
    place = next(group for group in match.groups() if group)
    named = list(dict.fromkeys(text.names(turns[-1].understood_as)))
    listed = next((turns[i].papers for i in range(len(turns) - 1, -1, -1) if len(turns[i].papers) > 1), turns[-1].papers)
    labels = named if len(named) > 1 and not place.isdigit() else [paper.label.rstrip("…") for paper in listed]
    index = int(place) - 1 if place.isdigit() else _PLACES[place.lower()]
    if not -1 <= index < len(labels) or (index == -1 and (place == "0" or not labels)):
        return None
    return question[: match.start()] + labels[index] + question[match.end() :]


_OF_SEVERAL = re.compile(
    r"\b(?P<which>which|what|any|none|one|each|all|some|both|either|neither) of (?:them|these|those|the (?:(?:two|three|four|five)|(?:(?:two"
    r"|three|four|five) )?(?:papers|methods|approaches|works|models|frameworks|systems|algorithms|studies)))\b"
    r"|\bwhich one\b(?! of\b)|\b(?P<alone>both|either|neither)\b(?! (?:of|\w+ (?:and|or|nor))\b)",
    re.IGNORECASE,
)
_THEY = re.compile(r"\b(?:they|them|their|these|those)\b", re.IGNORECASE)


def _of_several(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Which of them ...?", "which one ...?", "do they ...?" after a question about several things: their names."""
    match = _OF_SEVERAL.search(question)
    if text.names(question) or not (match or _THEY.search(question)):
        return None
    several = next((names for i in range(len(turns) - 1, max(-1, len(turns) - 4), -1) if len(names := _several(turns[i])) > 1), [])
    if not several:
        return None
    if match:
        word = match["which"] or match["alone"] or "which"
        said = (
            f"{word} {_joined(several)}"
            if match["alone"]
            else f"{word if match['which'] else question[match.start() : match.start() + 5]} of {_joined(several)}"
        )
        return question[: match.start()] + said + question[match.end() :]
    return _replaced(question, _joined(several)) if len(_several(turns[-1])) > 1 and not _refers_inside(question) else None


_ONLY_QUESTION = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? )*(?:why|how|how so|why not|why is (?:that|this|it)(?: so)?|how come|really|are you sure|since when"
    r"|where|who|when)(?: exactly)?\s*\??$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:tell me more|more|more (?:details?|information|info)|details|go on|continue"
    r"|elaborate|expand|say more"
    r"|(?:give|show) me (?:more|(?:some )?(?:more )?details?)|explain(?: (?:that|it|this))?(?: (?:more|further|again|in (?:more )?detail))?"
    r"|keep going|what else|anything else)"
    r"(?: (?:about|on) (?:it|that|this|them))?(?: please)?[\s?.!]*$",
    re.IGNORECASE,
)
_SAID_ANEW = re.compile(
    r"^(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:(?:explain|say|put|summari[sz]e|describe|rephrase|repeat|write|give"
    r"|tell)(?: me)?)?\s*(?:it|that|this|them|the answer)?"
    r"(?: to me)?\s*(again|in (?:a few|one|two|three|simple|simpler|plain|other|short|fewer|more|\d+) \w+|shorter|briefly|more simply|simpler"
    r"|like i(?:['’]m| am) (?:five|5)|as (?:a list|bullet points))(?: please)?[\s?.!]*$",
    re.IGNORECASE,
)


def _goes_on(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Why?", "tell me more", "in one sentence?": the last question, asked on."""
    if _ONLY_QUESTION.match(question):
        return f"{question.rstrip('? ')}: {turns[-1].understood_as}"
    if _MORE.match(question):
        subject, is_name = _subject(_turn_for(question, turns))
        return f"tell me more about {subject}" if is_name else f"tell me more: {turns[-1].understood_as}"
    match = _SAID_ANEW.match(question)
    return f"{match.group(1)}: {turns[-1].understood_as}" if match else None
