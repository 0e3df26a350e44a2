"""What a search gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from rag_qa.retrieval.filters import NOT_NARROWED, Narrowing
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.sets import PaperSet


@dataclass(frozen=True, slots=True)
class Search(Sequence[Hit]):
    """What a search found: its hits, best first.

    `question`: what was searched for, without the words that narrowed it. `nothing_passes`: why no paper could be found at all, if filters leave
    none. `paper_set`: which papers qualify, and why, where the question asks for all that do; the hits are these, and after them those beyond.
    """

    question: str
    hits: tuple[Hit, ...] = ()
    narrowing: Narrowing = NOT_NARROWED
    nothing_passes: str = ""
    paper_set: PaperSet | None = None

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]
