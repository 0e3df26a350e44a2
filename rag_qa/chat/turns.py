"""An earlier turn of a conversation, and what it was about: a thing, several things, or the papers of a set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.chat.again import asked_again
from rag_qa.chat.pointing import GENERIC, QUOTED
from rag_qa.papers import Paper
from rag_qa.retrieval import understanding
from rag_qa.retrieval.ordering import first_of, order_of
from rag_qa.retrieval.set_questions import asked_for_set
from rag_qa.text import any_of


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question as it was understood, and the papers that answered it, best first; none if it was not answered."""

    understood_as: str
    papers: tuple[Paper, ...] = ()


# --------------------------------------------------------------------------------------------------- the papers of a set

_NOUN = any_of("papers|works|studies|articles|abstracts|publications|preprints", "methods|approaches|techniques|algorithms|frameworks|benchmarks")
_SET = re.compile(rf"\b(?P<noun>{_NOUN})\b(?P<rest>.*?)[\s?.!]*$", re.IGNORECASE)
_NOT_SAID_OF_THEM = re.compile(r"^\s+(?:are there|exist|(?:do|did) (?:you|we|i) (?:have|know(?: of)?)|have you(?: got)?)\b", re.IGNORECASE)
_BEFORE_VERB = r"(?:(?:also|mainly|explicitly|actually|not) )?"
_VERBS = any_of(
    "deal|use|study|model|address|propose|introduce|present|apply|consider|discuss|treat|tackle|investigate|examine|explore|report|mention|focus",
    "concern|cover|involve|describe|develop|release|combine|train|learn|need|require|work|rely|make|test|show|evaluate|compare|handle|avoid|reduce",
    "improve|build|employ|look|have|are|were|can|could|do|don't|did|will|touch|contain|include|provide|offer|support|scale|generate|predict|run",
)
FINITE = re.compile(rf"\b(?P<relative>(?:that|which|who) )?{_BEFORE_VERB}\b{_VERBS}\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"^\s*(?:on|in|about|with|without|using|for|of|from|by|at|since|before|after|between|until|that|which|whose|where|regarding|concerning"
    r"|around|related|[a-z]+ing|[a-z]+ed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The papers that a question asked for: a noun, and what was said of them: " that", " since 2020 deal with tides", " on tides"."""

    noun: str
    rest: str

    @property
    def phrase(self) -> str:
        """As part of another question: "the papers that deal with tides"."""
        verb = self._verb()
        if verb is None:
            return f"the {self.noun}{self.rest}"
        return f"the {self.noun}{self.rest[:verb]}that {self.rest[verb:]}"

    def asked(self, opening: str, condition: str = "") -> str:
        """A question for them, or for those of them of which something else holds as well.

        >>> Asked("papers", " deal with tides").asked("Which", "use gauges")
        'Which papers deal with tides and use gauges?'
        >>> Asked("papers", " on tides").asked("How many", "use gauges")
        'How many papers on tides use gauges?'
        """
        joint = " " if self._verb() is None or not condition else " and "
        return f"{opening} {self.noun}{self.rest}{joint}{condition}".rstrip() + "?"

    def _verb(self) -> int | None:
        """Where what they do begins, if more is said of them than a phrase: "on tides |use gauges"."""
        found = next((match.start() for match in FINITE.finditer(self.rest) if not match["relative"]), None)
        if found is not None or _ATTRIBUTE.match(self.rest) or not self.rest:
            return found
        return 1


def any_name(field: str, _name: str) -> bool:
    """Whoever "by" names is taken for an author; whether the library knows a venue can't be told here."""
    return field == "author"


def _asks_for_nothing_else(question: str) -> bool:
    """Does a question ask for papers by what their records say alone: "papers by Smith"? Not for all of the library."""
    said = understanding.understood(question, any_name)
    return said.asks_nothing_else and not said.filters.is_empty


def asks_for_all(question: str) -> bool:
    """Does a question ask for all papers of the library?

    >>> asks_for_all("List all papers"), asks_for_all("papers by Smith")
    (True, False)
    """
    said = understanding.understood(question, any_name)
    return said.asks_nothing_else and said.filters.is_empty


def is_for_papers(question: str) -> bool:
    """Does a question ask for papers, and not for what they say?"""
    return papers_asked_for(question) is not None or asks_for_all(question)


def papers_asked_for(question: str) -> Asked | None:
    """The papers that a question asked for, if it asked for all that qualify.

    >>> papers_asked_for("Are there any papers on tides?"), papers_asked_for("Which papers since 2020 deal with tides?").phrase
    (Asked(noun='papers', rest=' on tides'), 'the papers since 2020 that deal with tides')
    >>> papers_asked_for("Show me papers by Smith")
    Asked(noun='papers', rest=' by Smith')
    """
    question = order_of(question)[1]
    if first := first_of(question):
        question = first.question
    found = _SET.search(question)
    wanted = asked_for_set(question)
    if wanted is None:
        return Asked(found["noun"].lower(), found["rest"].rstrip()) if found and _asks_for_nothing_else(question) else None
    if found is None or not found["rest"].strip():
        return Asked("papers", f" on {wanted.topic}")
    rest = _NOT_SAID_OF_THEM.sub("", found["rest"])
    return Asked(found["noun"].lower(), rest.rstrip() if rest.strip() else f" on {wanted.topic}")


# -------------------------------------------------------------------------------------------------- what is spoken of

LOOKED_BACK = 6
"""Turns back in which a list may stand that "the second one" or "which of them" means."""

LISTING = re.compile(
    r"\b(?:which|what|list|find|show|name|any|all)\b(?: \w+){0,3} (?:papers|works|studies|abstracts|articles|methods|approaches|frameworks"
    r"|techniques|benchmarks|algorithms|others)\b"
    r"|\b(?:compare|comparison|differences? between|versus|vs\.?)\b",
    re.IGNORECASE,
)
"""Asks for several papers, or for a comparison of them."""

_COMPARED = re.compile(r"\b(?:compare|comparison|differences? between|versus|vs\.?|differ|both|and|or)\b", re.IGNORECASE)
_FIELD = frozenset(
    """
    ai ml nlp rl rlhf marl ssl fl dp qa rag nas ood llm lm vlm mllm slm gpu cpu tpu
    cnn rnn gnn dnn mlp vit moe scm gan vae sde ode pde gp mdp
    """.split()
)
"""Short forms that name no work, but what many works are about."""
_PLURAL = re.compile(r"[A-Z]{2,}s")
_DEFINED = re.compile(
    r"^(?:so |and )?(?:what(?: is|['’]s| does)|who (?:introduced|proposed|made)|tell me (?:more )?about|explain|describe|define)"
    r" (?:the )?(?P<name>[^\s?]+)"
    r"(?: do| mean)?[\s?.!]*$"
    r"|^(?:(?:and|so|but) )*(?:(?:how|why|when|where) )?(?:is|are|was|does|did|can|could|has|will) (?P<of>[^\s?]+) \w",
    re.IGNORECASE,
)
_ASKED_ON = re.compile(
    r"^(?:(?:and|but|so) )*(?:why|how|where|who|when|really|in|tell me more|something|again|shorter|briefly|simpler)\b[^:?]{0,24}: ", re.IGNORECASE
)
_IN_FRONT = re.compile(r"^(?P<front>[^:?]{2,200}): (?=\S)")
_ONLY_COMPARED = re.compile(r"\b(?:versus|vs\.?|compared (?:to|with)|than)\b", re.IGNORECASE)
_MOST_NAMED = 4
_SHORT = 3  # words of a name that can be told in a row with others
_MOST_CARRIED = 8  # words that go on from question to question
_TITLE = 6  # words of a title that can stand for "it"


def called(paper: Paper) -> str:
    """What a paper is called in a question; a long label in quotes, so that its words are not taken for those of the question.

    >>> called(Paper("p1", "We present MOSS-2, a model.")), called(Paper("p2", "We ...", title="How it grows"))
    ('MOSS-2', '“How it grows”')
    """
    label = (paper.label if paper.title or not of_field(paper.label) else text.first_words(paper.abstract)).rstrip("…")
    return label if len(label.split()) == 1 else f"“{label.strip('“”')}”"


def several(turn: Turn) -> list[str]:
    """What a turn was about if it asked for several things: the names in its question, or what its papers are called."""
    asked = list(dict.fromkeys(text.names(turn.understood_as)))
    labels = {text.fold(paper.label).text for paper in turn.papers}
    if len(asked) > 1 and _COMPARED.search(turn.understood_as) and (not labels or sum(text.fold(name).text in labels for name in asked) != 1):
        return asked
    if len(asked) == 1 and not asked_for_set(turn.understood_as) and _ONLY_COMPARED.search(turn.understood_as) and text.fold(asked[0]).text in labels:
        return []  # "TIDE-7 versus other models"
    if len(turn.papers) > 1 and (LISTING.search(turn.understood_as) or asked_for_set(turn.understood_as)):
        return [called(paper) for paper in in_order(turn)]
    return []


def in_order(turn: Turn) -> tuple[Paper, ...]:
    """The papers of a turn: those that it named itself in that order ("compare A and B"), and the others as they were answered."""
    asked = text.fold(turn.understood_as).text
    if not _COMPARED.search(asked):
        return turn.papers
    return tuple(sorted(turn.papers, key=lambda paper: place if (place := _place(paper, asked)) >= 0 else len(asked)))


def _place(paper: Paper, folded: str) -> int:
    """Where a question names a paper, in short or in full; -1 where it doesn't."""
    short = text.fold(paper.label).text
    full = " ".join(text.acronyms(paper.abstract).get(short, ()))
    return max(folded.find(short), folded.find(full) if full else -1)


def joined(names: Sequence[str]) -> str:
    """Names in a row.

    >>> joined(["A", "B", "C"])
    'A, B and C'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def all_of_them(turn: Turn) -> str:
    """What "they" are after a turn that was about several things, "" if it was about one: a few names, or the papers as they were asked for."""
    names = several(turn)
    asked = papers_asked_for(turn.understood_as)
    if len(names) < 2:
        return asked.phrase if asked and not turn.papers else ""
    if asked and not (len(names) <= _MOST_NAMED and all(len(name.split()) <= _SHORT for name in names)):
        return asked.phrase
    return joined(names[:_MOST_NAMED])


def each_of_them(turn: Turn) -> str:
    """The same where "they" is said, and not "it": of a set that has one paper, too."""
    asked = papers_asked_for(turn.understood_as)
    return all_of_them(turn) or (asked.phrase if asked else "")


def of_field(name: str) -> bool:
    """Does a short form name what many works are about, and none of them?

    >>> of_field("LLMs"), of_field("GNN"), of_field("TIDE-7")
    (True, True, False)
    """
    return bool(_PLURAL.fullmatch(name)) or name.casefold() in _FIELD


def subject(turn: Turn) -> tuple[str, bool]:
    """(what the turn was about, is that a name)."""
    if they := all_of_them(turn):
        return they, True
    asked = [name for name in text.names(turn.understood_as) if not of_field(name)]
    labels = [name for paper in turn.papers[:1] if (name := paper.title or _own_name(paper))]
    if name := _defined(turn) or _named_in(asked, labels):
        return name, True
    if labels and len(labels[0].split()) <= _TITLE:
        return called(turn.papers[0]), True
    if quoted := _in_quotes(turn):
        return quoted, True
    if asked:
        return asked[0], True
    if front := put_in_front(turn.understood_as):
        return front, False
    return " ".join(list(dict.fromkeys(_topical(turn.understood_as)))[:10]), False


def _topical(question: str) -> list[str]:
    """The content words of a question, without those that ask who wrote a paper, and are no part of what it is about.

    >>> _topical("Who wrote the paper on leprosy?")
    ['leprosy']
    """
    words = text.content_words(question)
    return [word for word in words if word not in _WHO_WROTE] or words


def _in_quotes(turn: Turn) -> str:
    """The paper without a name that a turn asked about by its first words; whatever stands in quotes, if nothing answered."""
    found = QUOTED.search(turn.understood_as)
    quoted = found.group() if found else ""
    return quoted if not turn.papers or quoted == called(turn.papers[0]) else ""


def _own_name(paper: Paper) -> str:
    name = text.name_of(paper.abstract)
    return name if name and not of_field(name) else ""


def _named_in(asked: Sequence[str], labels: Sequence[str]) -> str:
    return next((name for name in asked if any(name.casefold() in label.casefold() for label in labels)), "")


def _defined(turn: Turn) -> str:
    """The name that a turn asked about by itself, and of which its paper speaks: "it" is that, whatever else the paper proposes."""
    found = _DEFINED.match(turn.understood_as)
    name = (found["name"] or found["of"]) if found else ""
    if not turn.papers or not text.is_name(name) or of_field(name):
        return ""
    return name if text.fold(name).text in text.fold(turn.papers[0].abstract).text else ""


def put_in_front(question: str) -> str:
    """What stands in front of a question as what it is about.

    >>> put_in_front("moss under snow: how many metres?"), put_in_front("why: What is TIDE-7?")
    ('moss under snow', '')
    """
    found = _IN_FRONT.match(_ASKED_ON.sub("", asked_again(question)[1]))
    return found["front"] if found else ""


def turn_for(question: str, turns: Sequence[Turn]) -> Turn:
    """The turn that a question goes on with: the last one, or, if that was not answered, an earlier one whose paper the question has to do with."""
    last = turns[-1]
    if last.papers or len(turns) == 1:
        return last
    wanted = {term for word in text.content_words(question) if word not in GENERIC for term in text.word_terms(word)}
    if says_nothing_new(last, turns):
        return next((turns[i] for i in range(len(turns) - 2, -1, -1) if turns[i].papers), last)
    for i in range(len(turns) - 2, -1, -1):
        if turns[i].papers and wanted & set(text.terms(turns[i].papers[0].abstract)):
            return turns[i]
    return last


_WHO_WROTE = frozenset("doi wrote write written author authors authored".split())
OF_RECORDS = frozenset("doi year years date author authors journal venue title abstract paper papers write wrote written publish published".split())
"""Words of questions on the record of a paper: none of them is what a talk is about."""


def says_nothing_new(refused: Turn, turns: Sequence[Turn]) -> bool:
    """Does a question that was not answered name nothing but what an answered one before it named, so that it changed no topic? "What is its doi?"

    >>> leprosy = Turn("Which paper is about leprosy?", (Paper("p1", "On leprosy."),))
    >>> says_nothing_new(Turn("leprosy: what is its doi?"), [leprosy]), says_nothing_new(Turn("What is the capital of France?"), [leprosy])
    (True, False)
    """
    answered = next((turns[i] for i in range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1) if turns[i].papers), None)
    if answered is None:
        return False
    known = set(text.terms(" ".join([answered.understood_as, *(called(paper) for paper in answered.papers[:1])])))
    words = [word for word in text.content_words(refused.understood_as) if word not in GENERIC | OF_RECORDS]
    return all(known.intersection(text.word_terms(word)) for word in words)


def context(about: str, turn: Turn) -> str:
    """What was spoken of, with the other words of the question that it was spoken of in."""
    known = set(text.terms(about))
    # what stood in front of it came from the turns before
    front = put_in_front(turn.understood_as)
    said = turn.understood_as.partition(f"{front}: ")[2] if front else turn.understood_as
    carried = [word for word in text.content_words(said) if word not in _WHO_WROTE and not known.intersection(text.word_terms(word))]
    most = max(0, _MOST_CARRIED - len(about.split())) if about == front else _MOST_CARRIED
    return " ".join(dict.fromkeys([about, *carried[:most]]))


def listed(turns: Sequence[Turn]) -> tuple[Paper, ...]:
    """The papers of the last list, which "the second one" points into."""
    back = range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1)
    lists = (turns[i] for i in back if len(turns[i].papers) > 1 and several(turns[i]))
    others = (turns[i] for i in back if len(turns[i].papers) > 1)
    found = next(lists, None) or next(others, None)
    return in_order(found) if found else turns[-1].papers


def phrases_of(question: str) -> tuple[str, ...]:
    """What a question says of the papers that may answer it: "since 2020", "by Smith"."""
    return understanding.understood(question, any_name).phrases
