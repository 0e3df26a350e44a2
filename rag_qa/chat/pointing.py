"""What in a question points to something that was said before: pronouns, "this method", fragments."""

from __future__ import annotations

import re

from rag_qa import text
from rag_qa.retrieval.set_questions import asked_for_set

QUOTED = re.compile(r"[“\"][^“”\"]+[”\"]")


def masked(question: str) -> str:
    """The question with what stands in quotes made one name of the same length: its words point to nothing.

    >>> masked("Who wrote “How it grows”?")
    'Who wrote XXXXXXXXXXXXXX?'
    """
    return QUOTED.sub(lambda found: "X" * len(found.group()), question)


_OBJECT = (
    r"(?:method|approach|framework|model|algorithm|paper|abstract|study|system|technique|metric|benchmark|attack|policy|architecture"
    r"|tool|idea|dataset|task|"
    r"loss|optimi[sz]er|evaluation|module|network|design|scheme|strategy|procedure|concept|extension|analysis)"
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
_AUTHORS = re.compile(r"\bthe authors\b(?! of\b)", re.IGNORECASE)
_REFERENCE = re.compile(
    rf"\b(?:these|those|the (?:same|said|proposed|above))(?: (?:new|proposed|same))? {_OBJECT}s?\b"
    rf"|\b(?:this|that)(?: (?:new|proposed|same))? {_OBJECT}\b(?!s)"
    # not "does that work"
    r"|(?<!does )(?<!do )(?<!did )(?<!can )(?<!could )(?<!will )(?<!would )(?<!papers )(?<!methods )\b(?:this|that|these|those) works?\b"
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
    rf"\b(?:it|they|them|he|she|(?:this|that) one)\b|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.,!]|{_VERB}\b|or\b|versus\b|vs\b"
    r"|(?:by|in|on|with|without|at|from|to|again|too)\b))",
    re.IGNORECASE,
)
# "does that size compare", "of those sparse approaches": a thing named before, not a subject to be put in its place
_DETERMINER = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could|with|of|to|by|for|in|on|from|about|behind) (?:this|that|these|those) [a-z]{3,}"
    r"|^(?:and |but |so )*(?:this|that|these|those) [a-z-]{3,}(?=, )"
    r"|\b(?:these|those) (?!days\b|that\b|who\b|which\b|with\b)[a-z]{3,}",
    re.IGNORECASE,
)
# "the best ones", "theirs": of what, was said before
_ONES = re.compile(r"\btheirs\b|\bthe (?:[\w-]+ )?ones\b(?! (?:that|which|who|with|without|of|in|on|for|from|by)\b)", re.IGNORECASE)
# "is it possible to ...", "it takes long": the word refers to nothing
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|be|makes?|made|takes?|find|(?:can|could)(?= it be\b)"
    r"|(?:does|did)(?= it (?:take|make|help|matter|pay|cost|hold)\b)) it\b.{0,25}\b(?:possible|worth|true|better|easy|hard|easier|harder|enough"
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
GENERIC = frozenset(
    """method methods approach approaches model models result results experiment experiments dataset datasets data benchmark benchmarks baseline
    baselines evaluation evaluated evaluate tested test tests performance improvement improvements gain gains better worse good well
    limitation limitations limits drawback drawbacks advantage advantages code metric metrics training trained train contribution
    contributions problem problems task tasks technique example examples detail details large big much fast long many work works outperform
    compare compared help helps size number speed cost idea goal purpose application applications component components step steps parts
    weaknesses strengths""".split()
)
"""Words that every paper could be asked about: alone they make no question."""
_BACKWARD_DEFINITE = re.compile(
    r"\bthe \w+ (?:\w+ed|found|shown|made) (?:with|by|to|on|in|for|from)\b|\bthe (?:results?|experiments?|improvements?|gains?|speed-?ups?"
    r"|baselines?|limitations?|main \w+"
    r"|data ?sets?|benchmarks?|code|authors?|extension|evaluations?|savings?|reduction|guarantees?|assumptions?|components?|modules?"
    r"|contributions?|ability)\b"
    r"(?! (?:of|in|from|for) (?:the )?[a-z$]*[A-Z])"
)


def depends(question: str) -> bool:
    """Can the question not be understood without what was said before?

    >>> depends("How does it scale?"), depends("Is it possible to prune a speech model?"), depends("What is DP-CATE?")
    (True, False, False)
    """
    question = masked(question)
    without = question if _ONLY_PRONOUN_BETWEEN.match(question) else _EXPLETIVE.sub(" ", question)
    named = text.names(question)
    specific = [word for word in text.content_words(question) if word not in GENERIC]
    if len(specific) >= _ENOUGH:
        return False
    if (thing := _DETERMINER.search(without)) and not named and not _CLAUSE_BEFORE.search(without[: thing.start()]):
        return True
    if (lean := _ONES.search(without)) and not named and len(text.content_words(without[: lean.start()])) <= 1:
        return True
    if reference := _first_reference(without):
        return not (refers_inside(without) or _are_the_authors(without, reference))
    if named or asked_for_set(question):
        return False
    if not specific or _OPENS_LIKE_A_FOLLOW_UP.search(question) or _ELLIPSIS.match(question):
        return True
    return len(specific) <= 2 and bool(_BACKWARD_DEFINITE.search(question))


def may_go_on(question: str) -> bool:
    """Can a question that does not say so still go on with the last one: short, without a name, and neither for a definition nor for papers?

    >>> may_go_on("How many people took part?"), may_go_on("What is rank collapse?"), may_go_on("How many people took part in PMR-2?")
    (True, False, False)
    """
    plain = masked(question)
    if text.names(plain) or asked_for_set(question) or _DEFINES.match(plain):
        return False
    return len([word for word in text.content_words(question) if word not in GENERIC]) <= _SHORT


_SHORT = 6
_DEFINES = re.compile(
    r"^(?:so |and )?(?:(?:what|who)(?: is| are|['’]s) (?!the\b|it\b)[\w\s-]+"
    r"|tell me .*|(?:please )?(?:explain|describe|define|summari[sz]e) .*)[\s?.!]*$",
    re.IGNORECASE,
)
_ENOUGH = 8
"""A question of so many words of its own can be searched for as it is."""

_DID = re.compile(r"\b(?:do|did) $", re.IGNORECASE)
_BESIDE_ANOTHER = re.compile(r"\b(?:than|over|against|versus|vs|to|with|from)\b", re.IGNORECASE)
_TELLS_WHICH = 5


def _are_the_authors(question: str, reference: re.Match[str]) -> bool:
    """ "They" of whom is said enough afterwards to know whose authors they are: "What rank do they set for HiRA?"."""
    before, after = question[: reference.start()], question[reference.end() :]
    if not (reference.group().lower() == "the authors" or (reference.group().lower() == "they" and _FRONTED.search(before) and _DID.search(before))):
        return False
    if text.names(after) and not _BESIDE_ANOTHER.search(after):
        return True
    return len([word for word in text.content_words(after) if word not in GENERIC]) >= _TELLS_WHICH


def is_one_name(phrase: str) -> bool:
    """Is a phrase nothing but a name, or something in quotes?

    >>> is_one_name("MOSS-2?"), is_one_name("“How it grows”"), is_one_name("Does MOSS-2 grow?")
    (True, True, False)
    """
    plain = masked(phrase).strip(" ?.!,")
    return text.names(plain) == [plain]


def opens_elsewhere(phrase: str) -> bool:
    """Does a phrase begin with a pronoun: "its limits", "that one"?"""
    return bool(_PRONOUN.match(phrase) or _POSSESSIVE.match(phrase))


def _first_reference(question: str) -> re.Match[str] | None:
    """The first word or phrase that stands for something else."""
    found = (match for pattern in (_POSSESSIVE, _AUTHORS, _REFERENCE, _PRONOUN) for match in pattern.finditer(question))
    return min((match for match in found if not _is_relative(match)), key=lambda match: match.start(), default=None)


def _is_relative(match: re.Match[str]) -> bool:
    """Is "that" the one of "proteins that would fold"?"""
    before = match.string[: match.start()].split()[-1:]
    return match.group().lower() == "that" and bool(before) and len(before[0]) > 4 and before[0].lower().endswith("s")


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
# "k-means, how does it work?"
_CLAUSE_BEFORE = re.compile(
    r"\w(?:[,;:]| [-–])\s+(?:so |and |but )?(?:how|what|why|when|where|which|who|does|is|are|can) (?:[\w-]+ )?$", re.IGNORECASE
)
# "how a bridge carries its load", "a network that keeps all its vectors"
_OWNER = re.compile(
    r"\b(?:an?|each|every) (?:[\w-]+ ){1,4}(?!of|with|in|for|on|to|by|and|or)[\w-]+ $|\b(?:\w+ (?:that|who)|papers|methods) (?:[\w-]+ ){1,3}$",
    re.IGNORECASE,
)
# "what fixes them?": a verb, and no plural
_WHAT_DOES = re.compile(r"^(?:and |but |so )*(?:what|who|which) [a-z]+s $", re.IGNORECASE)
_NO_PLURAL = frozenset("does uses authors papers works shows this is was has its experiments results".split())


def refers_inside(question: str) -> bool:
    """Does a pronoun refer to what the question itself names: "If I prune a speech model, does it still recognise speakers?"?"""
    question = masked(question)
    match = _first_reference(question)
    if match is None:
        return False
    before = question[: match.start()]
    if _FRONTED.search(before):
        return False
    if text.names(before):
        return True
    content = [word for word in text.content_words(before) if word not in GENERIC]
    if len(content) >= 4:
        return True
    if content and any(pattern.search(before) for pattern in (_CLAUSE_IN_FRONT, _SECOND_QUESTION)):
        return True
    if (content and _CLAUSE_BEFORE.search(before)) or (match.re is _POSSESSIVE and _OWNER.search(before)):
        return True
    if match.group().lower() in ("they", "them", "their") and not _WHAT_DOES.match(before):
        plural = (word for word in text.content_words(before) if len(word) > 3 and word.endswith("s") and not word.endswith("ss"))
        return any(word not in _NO_PLURAL for word in plural)
    return match.group().lower() in ("it", "its") and bool(content) and bool(_SUBORDINATE.search(before))


def replaced(question: str, subject: str, *, also_elliptic: bool = False) -> str | None:
    """The question with the name in the place of the first word that stands for it; None where that would not read well, or would not say enough
    (see `is_elliptic`), unless that is known to be enough.
    """
    plain = masked(question)
    expletive = None if _ONLY_PRONOUN_BETWEEN.match(plain) else _EXPLETIVE.search(plain)
    if _DETERMINER.search(plain) and not _REFERENCE.search(plain):
        return None
    replacements = ((_POSSESSIVE, f"{subject}'s"), (_AUTHORS, f"the authors of {subject}"), (_REFERENCE, subject), (_PRONOUN, subject))
    for pattern, replacement in replacements:
        for match in pattern.finditer(plain):
            if expletive and expletive.start() <= match.start() < expletive.end():
                continue
            if match.group().lower() in ("they", "them", "their") and _IT.search(plain, match.end()):
                continue  # "did they show it": they are the authors
            if pattern is _PRONOUN and ((is_elliptic(question) and not also_elliptic) or _is_something_else(match.group(), subject)):
                return None
            return question[: match.start()] + replacement + question[match.end() :]
    return None


_IT = re.compile(r"\bits?\b", re.IGNORECASE)


def _is_something_else(pronoun: str, subject: str) -> bool:
    """May a pronoun stand for what was said, and not for the subject: "does that help?", "who does these?" of one thing?"""
    return pronoun.lower() in ("this", "that") or (pronoun.lower() in ("these", "those") and is_one_name(subject))


def is_elliptic(question: str) -> bool:
    """Does the question bring next to nothing of its own: "and how large was it?"."""
    return bool(_ELLIPSIS.match(question)) or not [word for word in text.content_words(question) if word not in GENERIC and not text.is_name(word)]
