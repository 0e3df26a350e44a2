"""BM25 over whole papers: an on-disk, incremental tantivy index. Only door to tantivy.

The engine is given terms that rag_qa.text made, joined by blanks, and splits at blanks only: a word is the same here as everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import tantivy

from rag_qa import text
from rag_qa.errors import IndexBusyError, IndexingError
from rag_qa.papers import Paper

_HEAP = 50_000_000
_ANALYZER = "rag_qa_blank"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("paper", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("venue", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("collection", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("year", indexed=True)
    builder.add_text_field("body", tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


class KeywordIndex:
    """Keyword postings in a folder. One process writes at a time; every process can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _index(self) -> tantivy.Index:
        self._path.mkdir(parents=True, exist_ok=True)
        try:
            index = tantivy.Index(_schema(), path=str(self._path))
        except ValueError as error:
            raise IndexingError(f"{self._path} can't be opened as a keyword index ({error}): delete {self._path.parent} and run rag-qa index again") from None
        index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
        return index

    def put(self, papers: Sequence[Paper]) -> None:
        """Add papers or replace them. Raises IndexBusyError."""
        self._change(papers, [paper.id for paper in papers])

    def delete_papers(self, paper_ids: Sequence[str]) -> None:
        """Remove papers. Raises IndexBusyError."""
        self._change((), paper_ids)

    def _change(self, papers: Sequence[Paper], gone: Sequence[str]) -> None:
        try:
            writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        except ValueError as error:
            raise IndexBusyError(f"Another process is writing to {self._path} ({error}): wait until it is done and try again") from None
        for paper_id in gone:
            writer.delete_documents_by_term("paper", paper_id)
        for paper in papers:
            writer.add_document(_document(paper))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def reopen(self) -> None:
        """See what another process has written."""
        self._index.reload()

    def search(self, terms: Mapping[str, float], limit: int, filters: Mapping[str, str | tuple[int | None, int | None]] | None = None) -> list[tuple[str, float]]:
        """(paper id, BM25) of the papers that hold any of the terms, best first (higher is better). `terms` maps a term to its weight."""
        if not terms or limit < 1:
            return []
        schema = self._index.schema
        any_of = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(tantivy.Query.term_query(schema, "body", term, index_option="freq"), weight))
            for term, weight in sorted(terms.items())
        ]
        clauses = [(tantivy.Occur.Must, tantivy.Query.boolean_query(any_of)), *_filters(schema, filters or {})]
        searcher = self._index.searcher()
        hits = searcher.search(tantivy.Query.boolean_query(clauses), limit=limit, count=False).hits
        found = [(str(searcher.doc(address)["paper"][0]), float(score)) for score, address in hits]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def document_frequency(self, term: str) -> int:
        """In how many papers a term stands."""
        return int(self._index.searcher().doc_freq("body", term))

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)


def _filters(schema: tantivy.Schema, filters: Mapping[str, str | tuple[int | None, int | None]]) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    clauses = []
    for field, wanted in filters.items():
        if isinstance(wanted, tuple):
            low, high = wanted
            query = tantivy.Query.range_query(schema, field, tantivy.FieldType.Integer, -9999 if low is None else low, 9999 if high is None else high)
        else:
            query = tantivy.Query.term_query(schema, field, wanted, index_option="basic")
        # a filter must not add to the score
        clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(query, 0.0)))
    return clauses


def _document(paper: Paper) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("paper", paper.id)
    document.add_text("body", " ".join(text.terms(f"{paper.title or ''}\n\n{paper.abstract}")))
    if paper.venue:
        document.add_text("venue", paper.venue.casefold())
    if paper.collection:
        document.add_text("collection", paper.collection.casefold())
    if paper.year is not None:
        document.add_integer("year", paper.year)
    return document
