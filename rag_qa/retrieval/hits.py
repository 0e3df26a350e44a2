"""What a search finds, and what narrows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rag_qa import text
from rag_qa.chunking import Passage
from rag_qa.papers import Paper


@dataclass(frozen=True, slots=True)
class Asked:
    """A word of a question: in how many papers of the library it stands, and whether this one is among them."""

    word: str
    papers: int
    is_matched: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found, with its best passages (best first, a few at most).

    `score` in [0, 1] is fused from the single rankings: higher is better, comparable within one search only.
    `ranks` says at which place (from 1) each ranking that found the paper has it, `scores` with which score: "keyword" is BM25 (higher is
    better, no upper bound), "dense" the cosine similarity of the best passage. Besides, "sentence" is that of the best sentence, and "named" is
    above 0 where the question calls the paper by the name of its method. `matched` are words of the question that stand in the paper, `asked` all
    of them, of a library of so many papers; `also`: what was searched besides and stands in it, such as "moe" for mixture of experts.
    `copies`: papers that say the same in nearly the same words, and so have no place of their own.
    """

    paper: Paper
    passages: tuple[Passage, ...]
    score: float
    rank: int
    ranks: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    matched: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    also: tuple[str, ...] = ()
    library: int = 0
    copies: tuple[Paper, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a paper must be to be found at all; None or empty means anything. Years are inclusive; names are compared without regard to capitals.

    `author`: a part of the name of one of the authors, such as the family name. `type`, and `exclude_types`: of papers.TYPES. `language`: ISO 639-1.
    `keyword`: one of the paper's keywords.
    """

    year_from: int | None = None
    year_to: int | None = None
    venue: str | None = None
    collection: str | None = None
    author: str | None = None
    type: str | None = None
    exclude_types: tuple[str, ...] = ()
    language: str | None = None
    keyword: str | None = None
    without_retracted: bool = False

    def accepts(self, paper: Paper) -> bool:
        """Does a paper pass? A paper without a year passes no filter by year.

        >>> Filters(year_from=2024).accepts(Paper("p1", "We ...", year=2025))
        True
        """
        return all(holds for holds in self._conditions(paper))

    def _conditions(self, paper: Paper) -> Iterator[bool]:
        if self.year_from is not None:
            yield paper.year is not None and paper.year >= self.year_from
        if self.year_to is not None:
            yield paper.year is not None and paper.year <= self.year_to
        for wanted, value in (
            (self.venue, paper.venue),
            (self.collection, paper.collection),
            (self.type, paper.type),
            (self.language, paper.language),
        ):
            if wanted:
                yield _plain(wanted) == _plain(value or "")
        if self.author:
            yield any(_plain(self.author) in _plain(name) for name in paper.authors)
        if self.keyword:
            yield _plain(self.keyword) in {_plain(keyword) for keyword in paper.keywords}
        yield paper.type not in self.exclude_types
        yield not (self.without_retracted and paper.is_retracted)


def _plain(name: str) -> str:
    return " ".join(text.fold(name).text.split())
