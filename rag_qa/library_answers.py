"""Answers from what the index itself knows, and not from what an abstract says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_qa import chat, text
from rag_qa.answering import about_library, missing, record_data
from rag_qa.answering.about_library import Facts, OfLibrary
from rag_qa.answering.answer import Answer, Source
from rag_qa.answering.themes import shared_phrases
from rag_qa.papers import Paper
from rag_qa.parts import Parts
from rag_qa.retrieval import names
from rag_qa.retrieval.filters import LANGUAGES, Filters
from rag_qa.retrieval.foreign import language_of
from rag_qa.retrieval.record_questions import Field, RecordQuestion
from rag_qa.sources.fields import languages

_MOST_READ = 1000
"""Abstracts whose phrases are counted."""
_MOST_NAMES = 12
_EVERY = -1  # to SQLite no limit
_ANY_YEAR = -9999


class LibraryAnswers:
    """Answers for the parts of a program."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def about_program(self, asked: str, *, is_first: bool) -> Answer | None:
        """What there is to say to small talk, or of the program itself; None for any other question. It needs no index."""
        said = chat.small_talk(asked) or chat.about_program(asked, is_first=is_first)
        return Answer(asked, asked, abstained=said, is_aside=True) if said else None

    def about_library(self, asked: str, mended: str, *, is_first: bool) -> Answer | None:
        """The answer to a question for the library as a whole; None for any other. `mended`: the question without slips. Raises EmptyIndexError."""
        wanted = chat.about_library(asked, is_first=is_first) or chat.about_library(mended, is_first=is_first)
        return about_library.told(asked, wanted, self._facts(wanted)) if wanted else None

    def unclear(self, asked: str) -> Answer | None:
        """What to say to a question that only means something after another one, and is the first."""
        said = chat.unclear(asked)
        return Answer(asked, asked, abstained=said, is_aside=True) if said else None

    def unknown_authors(self, authors: Sequence[str]) -> str:
        """Why nothing is found by authors whom the library does not know, such as "by Smith"."""
        known = any(self._parts.store.knows("author", name) for phrase in authors for name in names.people(phrase))
        return about_library.nobody_called(authors, self._parts.store.holdings(1), are_known=known)

    def in_another_language(self, question: str, nearest: Paper) -> str:
        """What a refusal says if a question is in another language than the abstract that is nearest to it, and calls nothing by a name that stands
        there; "" for any other question.
        """
        asked = language_of(question)
        if asked is None or asked not in LANGUAGES or any(text.fold(name).text in text.fold(nearest.abstract).text for name in text.names(question)):
            return ""
        there = languages.detect(nearest.abstract)
        return "" if there == asked or there not in LANGUAGES else missing.in_another_language(LANGUAGES[asked], LANGUAGES[there])

    def of_record(self, asked: str, question: str, wanted: RecordQuestion, papers: Sequence[Paper]) -> Answer:
        """What the records of papers say of what is asked of them."""
        found = self._parts.store.holdings(1)
        nowhere = {Field.AUTHORS: not found.authors, Field.YEAR: found.years is None, Field.VENUE: not (found.venues or found.collections)}
        if nowhere.get(wanted.field):
            return Answer(asked, question, abstained=about_library.gives_no(f"{wanted.field.value.rstrip('s')}s"), related=_related(papers))
        return record_data.told(asked, question, wanted.field, papers)

    def _facts(self, wanted: OfLibrary) -> Facts:
        store = self._parts.store
        store.require_papers()
        found = store.holdings(_EVERY if wanted in about_library.COUNTS_NAMES else _MOST_NAMES)
        facts = Facts(len(store), 0, found)
        match wanted:
            case OfLibrary.YEARS:
                return replace(facts, dated=self._parts.retriever.count(Filters(year_from=_ANY_YEAR)))
            case OfLibrary.FILES:
                return replace(facts, files=tuple(store.sources()))
            case OfLibrary.BY_YEAR | OfLibrary.MOST_YEAR:
                return replace(facts, by_year=store.papers_by_year())
            case OfLibrary.BY_FILE:
                return replace(facts, by_file=store.papers_by_file())
            case OfLibrary.WITHOUT_ABSTRACT:
                return replace(facts, without_abstract=tuple(store.without_abstract()))
            case OfLibrary.SUBJECT if not found.keywords:
                some = store.some(_MOST_READ)
                return replace(facts, phrases=tuple(shared_phrases(some, _MOST_NAMES)), read=len(some))
        return facts


def _related(papers: Sequence[Paper]) -> tuple[Source, ...]:
    return tuple(Source(paper, 1.0) for paper in papers)
