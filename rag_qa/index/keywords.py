"""BM25 over whole papers: an on-disk, incremental tantivy index. Only door to tantivy.

The engine is given terms that rag_qa.text made, joined by blanks, and splits at blanks only: a word is the same here as everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tantivy

from rag_qa import text
from rag_qa.errors import IndexBusyError, IndexingError
from rag_qa.index.conditions import NAMED, Conditions, folded, names, wanted_author, wanted_venue
from rag_qa.papers import Paper

_HEAP = 50_000_000
_ANALYZER = "rag_qa_blank"
_EVERY = "paper"  # a term that every document holds
_YEARS = (-9999, 9999)
_TITLE = 2  # how often a word of the title counts
_ASKED = 50  # papers that are asked what a short form means
_MEANS = "="
_TIES = 50  # looked at beyond what is asked for: of papers with one score, those are given that come first by id


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("paper", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("every", tokenizer_name="raw", index_option="basic")
    for name in NAMED:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("author", tokenizer_name=_ANALYZER, index_option="basic")
    builder.add_integer_field("year", indexed=True)
    builder.add_text_field("body", tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_text_field("form", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("explains", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


class KeywordIndex:
    """Keyword postings in a folder. One process writes at a time; every process can read.

    Every method raises IndexingError when the files are broken.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: tantivy.Index | None = None
        self._kept_writer: tantivy.IndexWriter | None = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep others from writing for as long as this lasts, so that many writes cost little more than one. Each is complete when it returns, and
        seen by this object at once. Raises IndexBusyError."""
        with self._new_writer() as self._kept_writer:
            try:
                yield
            finally:
                self._kept_writer = None

    def put(self, papers: Sequence[Paper]) -> None:
        """Add papers or replace them. Raises IndexBusyError."""
        with self._writer() as writer:
            for paper in papers:
                writer.delete_documents_by_term("paper", paper.id)
            for paper in papers:
                writer.add_document(_document(paper))

    def delete_papers(self, paper_ids: Sequence[str]) -> None:
        """Remove papers. Raises IndexBusyError."""
        with self._writer() as writer:
            for paper_id in paper_ids:
                writer.delete_documents_by_term("paper", paper_id)

    def replace_all(self, papers: Iterable[Paper]) -> None:
        """Hold exactly these papers, as if nothing else had ever been here. Readers see all or nothing of it. Raises IndexBusyError."""
        with self._writer() as writer:
            writer.delete_all_documents()
            for paper in papers:
                writer.add_document(_document(paper))

    def search(self, terms: Mapping[str, float], limit: int, conditions: Conditions | None = None) -> list[tuple[str, float]]:
        """(paper id, BM25) of the papers that hold any of the terms, best first (higher is better). `terms` maps a term to its weight."""
        index = self._index()
        most = min(limit, len(self))
        if not index or not terms or most < 1:
            return []
        with self._translated():
            any_of = [
                (tantivy.Occur.Should, tantivy.Query.boost_query(tantivy.Query.term_query(index.schema, "body", term, index_option="freq"), weight))
                for term, weight in sorted(terms.items())
            ]
            clauses = [(tantivy.Occur.Must, tantivy.Query.boolean_query(any_of)), *_filters(index.schema, conditions or {})]
            searcher = index.searcher()
            hits = searcher.search(tantivy.Query.boolean_query(clauses), limit=most + _TIES, count=False).hits
            found = [(str(searcher.doc(address)["paper"][0]), float(score)) for score, address in hits]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most]

    def count(self, conditions: Conditions) -> int:
        """How many papers meet all conditions."""
        index = self._index()
        if not index:
            return 0
        with self._translated():
            found: Any = index.searcher().search(_all_of(_filters(index.schema, conditions)), limit=1)
            return int(found.count)

    def meeting(self, conditions: Conditions, among: Sequence[str] | None = None) -> list[str]:
        """Ids of the papers that meet all conditions, of some papers or of all; in no order."""
        index = self._index()
        most = len(self) if among is None else len(among)
        if not index or most < 1:
            return []
        with self._translated():
            clauses = _filters(index.schema, conditions)
            if among is not None:
                clauses.append((tantivy.Occur.Must, tantivy.Query.term_set_query(index.schema, "paper", list(among))))
            searcher = index.searcher()
            return [str(searcher.doc(address)["paper"][0]) for _, address in searcher.search(_all_of(clauses), limit=most, count=False).hits]

    def knows(self, field: str, name: str) -> bool:
        """Is there a paper of this venue, collection, type, language or keyword, or by an author with all these words in the name?"""
        return bool(text.words(text.fold(name).text)) and self.count({field: name}) > 0

    def holding(self, term: str, among: Sequence[str]) -> set[str]:
        """Which of some papers hold a term."""
        index = self._index()
        if not index or not among:
            return set()
        with self._translated():
            clauses = [
                (tantivy.Occur.Must, tantivy.Query.term_query(index.schema, "body", term, index_option="basic")),
                (tantivy.Occur.Must, tantivy.Query.term_set_query(index.schema, "paper", list(among))),
            ]
            searcher = index.searcher()
            hits = searcher.search(tantivy.Query.boolean_query(clauses), limit=len(among), count=False).hits
            return {str(searcher.doc(address)["paper"][0]) for _, address in hits}

    def document_frequency(self, term: str) -> int:
        """In how many papers a term stands."""
        index = self._index()
        return int(index.searcher().doc_freq("body", term)) if index else 0

    def explained(self, form: str) -> dict[str, int]:
        """What a short form, as a term ("moe"), stands for in these papers, or which short forms there are for a long one (the terms of its words,
        without stop words: "mixtur expert"): form -> in how many papers it is explained so.
        """
        index = self._index()
        if not index:
            return {}
        with self._translated():
            searcher = index.searcher()
            if not searcher.doc_freq("form", form):
                return {}
            hits = searcher.search(tantivy.Query.term_query(index.schema, "form", form, index_option="basic"), limit=_ASKED, count=False).hits
            pairs = {str(pair) for _, address in hits for pair in searcher.doc(address)["explains"]}
            return {_other(pair, form): int(searcher.doc_freq("explains", pair)) for pair in pairs if form in pair.split(_MEANS)}

    @property
    def deleted(self) -> int:
        """How many removed papers still count in the statistics, and so in every BM25."""
        index = self._index()
        return int(index.searcher().doc_freq("every", _EVERY)) - len(self) if index else 0

    def __len__(self) -> int:
        index = self._index()
        return int(index.searcher().num_docs) if index else 0

    def close(self) -> None:
        """Let go of the files. The next use opens them again and sees what another process has written."""
        self._opened = None

    def _index(self, *, make: bool = False) -> tantivy.Index | None:
        """The index, made if it is to be; None if there is none."""
        if self._opened is None:
            with self._translated():
                if make:
                    self._path.mkdir(parents=True, exist_ok=True)
                elif not self._path.is_dir() or not tantivy.Index.exists(str(self._path)):
                    return None
                index = tantivy.Index(_schema(), path=str(self._path))
                index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
                self._opened = index
        return self._opened

    @contextmanager
    def _writer(self) -> Iterator[tantivy.IndexWriter]:
        """For one write, which is committed unless something goes wrong: then nothing of it has ever been."""
        if self._kept_writer is None:
            with self._new_writer() as writer:
                yield from self._one_write(writer)
            return
        try:
            yield from self._one_write(self._kept_writer)
        except BaseException:
            self._kept_writer.rollback()
            raise

    def _one_write(self, writer: tantivy.IndexWriter) -> Iterator[tantivy.IndexWriter]:
        with self._translated():
            yield writer
            writer.commit()
            if self._opened is not None:
                self._opened.reload()

    @contextmanager
    def _new_writer(self) -> Iterator[tantivy.IndexWriter]:
        index = self._index(make=True)
        assert index
        with self._translated():
            writer = index.writer(heap_size=_HEAP, num_threads=1)
        try:
            yield writer
        finally:
            with self._translated():
                writer.wait_merging_threads()  # ends the writer: until then it keeps others out

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, OSError) as error:  # all that tantivy raises is a ValueError
            reason = " ".join(str(error).split())
            if "LockBusy" in reason:
                raise IndexBusyError(f"Another process is writing to {self._path}: wait until it is done and try again") from None
            raise IndexingError(
                f"The keyword index {self._path} can't be used ({reason[:200]}): make it again with: rag-qa index --rebuild"
            ) from None


def _all_of(clauses: list[tuple[tantivy.Occur, tantivy.Query]]) -> tantivy.Query:
    return tantivy.Query.boolean_query(clauses) if clauses else tantivy.Query.all_query()


def _filters(schema: tantivy.Schema, conditions: Conditions) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
    for field, wanted in conditions.items():
        if field in (_ALSO_BY, _NOT_BY) and isinstance(wanted, frozenset):
            occurs = tantivy.Occur.Must if field == _ALSO_BY else tantivy.Occur.MustNot
            by_each = [(occurs, _by(schema, name)) for name in sorted(wanted)]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, tantivy.Query.all_query()), *by_each])
        elif isinstance(wanted, frozenset):
            unwanted = [(tantivy.Occur.MustNot, _term(schema, field, value)) for value in sorted(wanted)]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, tantivy.Query.all_query()), *unwanted])
        elif isinstance(wanted, tuple):
            low, high = _bounded(wanted[0], _YEARS[0]), _bounded(wanted[1], _YEARS[1])
            query = tantivy.Query.range_query(schema, field, tantivy.FieldType.Integer, low, high)
        elif field == "author":
            query = _by(schema, wanted)
        else:
            query = _term(schema, field, wanted_venue(wanted) if field == "venue" else folded(wanted))
        # a filter must not add to the score
        clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)))
    return clauses


_ALSO_BY, _NOT_BY = "also_by", "not_by"


def _by(schema: tantivy.Schema, author: str) -> tantivy.Query:
    """Papers that have an author of this name."""
    some = [[(tantivy.Occur.Should, _term(schema, "author", term)) for term in terms] for terms in wanted_author(author)]
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, tantivy.Query.boolean_query(one)) for one in some])


def _term(schema: tantivy.Schema, field: str, value: str) -> tantivy.Query:
    return tantivy.Query.term_query(schema, field, value, index_option="basic")


def _bounded(year: int | None, default: int) -> int:
    return default if year is None else min(max(year, _YEARS[0]), _YEARS[1])  # tantivy can't take a number of more than 64 bits


def _document(paper: Paper) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("paper", paper.id)
    document.add_text("every", _EVERY)
    document.add_text("body", " ".join(text.terms(paper.title or "") * _TITLE + text.terms(paper.abstract)))
    for short, long in _short_forms(paper):
        document.add_text("explains", f"{short}{_MEANS}{long}")
        for form in (short, long):
            document.add_text("form", form)
    for field, value in names(paper):
        document.add_text(field, value)
    if paper.year is not None:
        document.add_integer("year", paper.year)
    return document


def _short_forms(paper: Paper) -> Iterator[tuple[str, str]]:
    """(short form, long form) that a paper explains, as terms."""
    for short, words in text.acronyms(f"{paper.title or ''}\n\n{paper.abstract}").items():
        if long := " ".join(text.stem(word) for word in words if word not in text.STOPWORDS):
            yield text.word_terms(short)[0], long


def _other(pair: str, form: str) -> str:
    """
    >>> _other("moe=mixtur expert", "moe"), _other("moe=mixtur expert", "mixtur expert")
    ('mixtur expert', 'moe')
    """
    short, _, long = pair.partition(_MEANS)
    return long if form == short else short
