"""A question about several things at once ("how do A and B differ in speed?") -> the same question about each of them alone. Rules, no model.

The sides are called by their names, or described ("the paper on tides and the one on moss"); they are what stands around "and", "versus" or "with"
where a question compares, or asks something of both or of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.answering.composing import papers_named
from rag_qa.answering.cues import FIELD_ACRONYMS
from rag_qa.answering.matching import terms_of
from rag_qa.answering.question import analyse
from rag_qa.papers import Paper, known_as
from rag_qa.retrieval.hits import Hit
from rag_qa.text import any_of, any_word

# ------------------------------------------------------------------------------------------------------------- word lists

_AUXILIARY = any_of("do|does|did|is|are|was|were|can|could|has|have|will|would|should")
_ENDS = r"(?=[:;,?.]|$)"
_SIDE = r"[^:;?]{3,90}?"
_PLACE = any_of("for|on|with|about|of|in|to")
# where a side ends: what is compared comes next
_SHARED = any_of(
    "both|each|differ|compare|relate|cope|deal|handle|perform|tackle|achieve|in terms|with respect|regarding",
    "go about|try|choose|define|measure|treat|solve|find|get",
)
_TWO_SIDES = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        # one on A, the other on B
        rf"\bone (?P<a>{_PLACE} {_SIDE})(?:,| and|, and) (?:the other|another|one)(?: one)? (?P<b>(?:{_PLACE} )?{_SIDE}){_ENDS}",
        # compare A with B
        rf"^(?:please )?(?:compare|contrast) (?:how )?(?P<a>{_SIDE}) (?:and|with|to|versus|vs\.?) (?P<b>{_SIDE})(?= {_SHARED}\b|[:;,?.]|$)",
        # A versus B
        rf"^(?P<a>{_SIDE}) (?:versus|vs\.?) (?P<b>{_SIDE}){_ENDS}",
        # how do A and B differ, what do A and B each achieve
        rf"\b{_AUXILIARY} (?:both )?(?P<a>{_SIDE}) and (?P<b>{_SIDE}) (?:both|each|differ|compare|relate)\b",
        # A and B both ...
        rf"^(?P<a>{_SIDE}) and (?P<b>{_SIDE}) both\b",
        rf"^both (?P<a>{_SIDE}) and (?P<b>{_SIDE}) (?:have|are|use|help|need|care|{_SHARED})\b",
        # A and B: ... each, they
        rf"^(?P<a>{_SIDE}) and (?P<b>{_SIDE}):(?=.*\b(?:each|they|both|respectively)\b)",
    )
)
_HOLDS = 0.5  # share of the words of a description that its paper holds
_MOST_HOLDERS = 2  # papers that speak of a name without being called so

_CAPITALISED = re.compile(r"(?<=[a-z,:] )[A-Z][\w-]+")  # within a sentence
_OF_BOTH = re.compile(r"\b(?:both|each|respectively)\b(?! \w+ly\b) ?", re.IGNORECASE)
_OF_EACH = re.compile(r"(?:(?<=\bdoes )|(?<=\bis )|(?<=\bof )|(?<=\bin )|(?<=\bfor ))each\b(?: one\b| of (?:them|these|the two)\b)?", re.IGNORECASE)
_IN_EACH_CASE = re.compile(r",? in (?:each|either|both) cases?\b", re.IGNORECASE)
_ASKING = re.compile(any_word("what|which|how|why|who|whose|where|when"), re.IGNORECASE)
_AND = r"(?:'s| \d{4})?(?:,? (?:and|versus|vs\.?|or)|,)(?: (?:of|in|on|from|for|with|by|the))* "
_WITH = rf"(?:{_AND}| (?:with|to|from|than|against) )"
_COMPARING = re.compile(r"^(?:please )?(?:compare|contrast)\s", re.IGNORECASE)
# words that ask for no aspect in particular
_ASKS_MORE = re.compile(r"\b(?:differ|different|differences?|compare|comparison|main|idea|does what|about|papers?|relate)\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:compare|contrast|differ|difference)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things that a question is about. `said`: in the words of the question. `alone`: the question as it is asked of this one."""

    said: str
    alone: str
    is_named: bool


def sides(question: str, names: Sequence[str] = ()) -> tuple[Side, ...]:
    """The sides of a question about several things; nothing for any other. `names`: names that it holds.

    >>> [side.alone for side in sides("How do SeedLM and RaNA save memory?", ["SeedLM", "RaNA"])]
    ['How do SeedLM save memory?', 'How do RaNA save memory?']
    >>> [side.said for side in sides("What do the paper on tides and the one on moss each measure?")]
    ['the paper on tides', 'the one on moss']
    """
    plain = " ".join(question.split())
    return tuple(_by_name(plain, names)) or tuple(_by_description(plain))


def _by_name(question: str, names: Sequence[str]) -> Iterator[Side]:
    """Names that stand side by side."""
    spans = sorted(span for name in dict.fromkeys(names) for span in _spans(question, name))
    joint = re.compile(_WITH if _COMPARES.search(question) else _AND, re.IGNORECASE)
    rows: list[list[tuple[int, int]]] = []
    for span in spans:
        if rows and joint.fullmatch(question[rows[-1][-1][1] : span[0]]):
            rows[-1].append(span)
        else:
            rows.append([span])
    row = max(rows, key=len, default=[])
    if len(row) < 2:
        return
    start, end = row[0][0], row[-1][1]
    for first, last in row:
        name = question[first:last]
        yield Side(name, _alone(question, start, name, end), is_named=True)


def _spans(question: str, name: str) -> list[tuple[int, int]]:
    """Where a name stands, as papers write it or as one types it: "α-SVRG", "alpha-svrg"."""
    forms = "|".join(map(re.escape, dict.fromkeys((name, text.fold(name).text))))
    return [(at.start(), at.end()) for at in re.finditer(rf"(?<![\w-])(?:{forms})(?![\w-])", question, re.IGNORECASE)]


def _by_description(question: str) -> Iterator[Side]:
    for rule in _TWO_SIDES:
        found = rule.search(question)
        if not found or any(_ASKING.search(found[side]) or not text.content_words(found[side]) for side in ("a", "b")):
            continue
        start, end = found.start("a"), found.end("b")
        for side in ("a", "b"):
            yield Side(found[side], _alone(question, start, found[side], end), is_named=False)
        return


def _alone(question: str, start: int, side: str, end: int) -> str:
    """The question about one side; where it asks for nothing in particular ("compare A and B"), what that is."""
    before, after = (_OF_BOTH.sub("", _OF_EACH.sub("it", _IN_EACH_CASE.sub("", part))) for part in (question[:start], question[end:]))
    before = _COMPARING.sub("", before)
    asks_more = _ASKS_MORE.sub(" ", f"{before} {after}")
    return f"{before}{side}{after}" if text.content_words(asks_more) else f"What is {side}?"


# ------------------------------------------------------------------------------------------------------------------ names


def names_in(question: str) -> list[str]:
    """Words of a question that may be names, as they are written there, and no short forms that all of the field uses.

    >>> names_in("What do Flexpert and KinPFN do for LLMs?")
    ['KinPFN', 'Flexpert']
    """
    return [name for name in dict.fromkeys([*text.names(question), *_CAPITALISED.findall(question)]) if _is_telling(name)]


def names_of_papers(question: str, hits: Sequence[Hit]) -> list[str]:
    """What the papers are called that a question names; the best one (the first of the hits) may be written in small letters."""
    named = sorted({*([0] if hits else []), *papers_named(analyse(question), hits)})
    called = [text.name_of(hits[i].paper.abstract) or hits[i].paper.title or "" for i in named]
    return [name for name in [*called, *_spoken_of_by_one(question, hits)] if name and _is_telling(name)]


def _spoken_of_by_one(question: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Names in a question of which one paper alone speaks, and more than once: as good as what it is called."""
    for name in text.names(question):
        spoken = [len(re.findall(rf"(?<![\w-]){re.escape(name)}(?:s|'s)?(?![\w-])", hit.paper.abstract)) for hit in hits]
        if sum(count > 0 for count in spoken) == 1 and max(spoken) > 1:
            yield name


def _is_telling(name: str) -> bool:
    return text.fold(name).text.removesuffix("s") not in FIELD_ACRONYMS


# ------------------------------------------------------------------------------------------------------------ their papers


def papers_of(asked: Sequence[Side], found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """For each side the paper that it is about, of what was found for it; nothing unless each has one of its own. What another side's paper speaks of
    as well, such as a method that it is measured against, has none.
    """
    chosen: list[Hit] = []
    for side, hits in zip(asked, found, strict=True):
        best = _paper_of(side, sorted(hits, key=lambda hit: (-hit.score, hit.paper.id)), chosen)
        if best is None:
            return []
        chosen.append(best)
    return [] if any(_is_spoken_of(side, hit.paper) for i, side in enumerate(asked) for j, hit in enumerate(chosen) if i != j) else chosen


def beside(question: str, names: Sequence[str], papers: Sequence[Paper]) -> tuple[str, ...]:
    """The named sides of a comparison of which none of some papers speaks.

    >>> beside("Compare MOSS-2 and TIDE-7", ["MOSS-2", "TIDE-7"], [Paper("p1", "We present MOSS-2.")])
    ('TIDE-7',)
    """
    if not _COMPARES.search(question):
        return ()
    return tuple(side.said for side in sides(question, names) if side.is_named and not any(_is_spoken_of(side, paper) for paper in papers))


def spoken_of_by_any(question: str, asked: Sequence[Side], found: Sequence[Sequence[Hit]]) -> list[bool]:
    """Which sides of a comparison of several named things any paper speaks of that was found for them; all, where fewer than two would be left, and
    for any other question.
    """
    known = [not side.is_named or any(_is_spoken_of(side, hit.paper) for hit in hits) for side, hits in zip(asked, found, strict=True)]
    return known if _COMPARES.search(question) and sum(known) > 1 else [True] * len(asked)


def _paper_of(side: Side, hits: Sequence[Hit], chosen: Sequence[Hit]) -> Hit | None:
    """The paper that is called so, or the best one that holds the words of the side."""
    taken = {hit.paper.id for hit in chosen}
    free = [hit for hit in hits if hit.paper.id not in taken]
    if side.is_named:
        holders = [hit for hit in free if _holds_name(side.said, hit.paper)]
        own = [hit for hit in holders if _is_called(side.said, hit.paper)]
        return own[0] if own else holders[0] if 0 < len(holders) <= _MOST_HOLDERS else None
    share = _share_held(side.said, free[0].paper) if free else 0.0
    return free[0] if share >= _HOLDS and all(share > _share_held(side.said, hit.paper) for hit in chosen) else None


def _is_spoken_of(side: Side, paper: Paper) -> bool:
    return side.is_named and _holds_name(side.said, paper)


def _is_called(name: str, paper: Paper) -> bool:
    return text.fold(name).text in known_as(paper)


def _holds_name(name: str, paper: Paper) -> bool:
    return text.word_terms(text.fold(name).text)[0] in terms_of(paper)


def _share_held(words: str, paper: Paper) -> float:
    """Share of the content words of a side that stand in a paper."""
    stems = [text.stem(word) for word in text.content_words(words)]
    held = terms_of(paper)
    return sum(stem in held for stem in stems) / len(stems) if stems else 0.0
