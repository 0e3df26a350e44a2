"""What the record of a paper says -> an Answer. Each sentence is ours, cites the paper, and is marked as told by its record and by no abstract."""

from __future__ import annotations

from collections.abc import Sequence

from rag_qa.answering.answer import Answer, Sentence, Source, Status, Verdict
from rag_qa.papers import Paper
from rag_qa.retrieval.record_questions import Field

FROM_RECORD = "told by the record of the paper, not by its abstract"
"""What the verdict of such a sentence says."""


def told(asked: str, question: str, field: Field, papers: Sequence[Paper]) -> Answer:
    """What the records of papers say of a field; a refusal if none says anything.

    >>> paper = Paper("p1", "We ...", title="On Tides", authors=("Smith, Ada", "Volk, K."), year=2021)
    >>> told("Who?", "Who?", Field.AUTHORS, [paper]).text, told("Where?", "Where?", Field.VENUE, [paper]).text
    ('On Tides: Authors: Ada Smith and K. Volk. [1]', 'The record of “On Tides” gives no venue.')
    """
    known = [(paper, said) for paper in papers if (said := _said(field, paper))]
    if not known:
        related = tuple(Source(paper, 1.0) for paper in papers)
        return Answer(asked, question, abstained=f"The record of {_named(papers)} gives no {field.value}.", related=related)
    sources = tuple(Source(paper, 1.0, n) for n, (paper, _) in enumerate(known, 1))
    verdict = Verdict(Status.RECORD, why=FROM_RECORD)
    sentences = tuple(Sentence(said, (n,), verdict, lead=f"{paper.label}:") for n, (paper, said) in enumerate(known, 1))
    silent = [paper for paper in papers if not _said(field, paper)]
    notice = f"The record of {_named(silent)} gives no {field.value}." if silent else ""
    return Answer(asked, question, sentences, sources, confidence=1.0, notice=notice)


def _named(papers: Sequence[Paper]) -> str:
    return " and of ".join(f"“{paper.label}”" for paper in papers)


def _said(field: Field, paper: Paper) -> str:
    """A sentence on a field of a record; "" if it has none."""
    match field:
        case Field.YEAR:
            return _published(paper) if paper.year else ""
        case Field.VENUE:
            return _published(paper) if paper.venue or paper.collection else ""
        case Field.RETRACTED:
            notices = ", ".join(notice.value for notice in paper.notices)
            return f"Its record says: {notices}." if notices else "Its record says nothing of a retraction, which is no proof that there was none."
    return _sentence(_CALLED.get(field, field.value), _value(field, paper))


_CALLED = {Field.AUTHORS: "Authors", Field.LINK: "Link", Field.TITLE: "Title", Field.KEYWORDS: "Keywords"}


def _value(field: Field, paper: Paper) -> str:
    values = {
        Field.AUTHORS: _row([_person(name) for name in paper.authors]),
        Field.DOI: paper.doi,
        Field.ARXIV: paper.arxiv,
        Field.PMID: paper.pmid,
        Field.LINK: paper.url or (f"https://doi.org/{paper.doi}" if paper.doi else ""),
        Field.TITLE: paper.title,
        Field.KEYWORDS: ", ".join(paper.keywords),
    }
    return values[field] or ""


def _sentence(called: str, value: str) -> str:
    return f"{called}: {value.rstrip('.')}." if value else ""


def _published(paper: Paper) -> str:
    """Where and when it was published, in each of its versions."""
    own = " ".join(part for part in (paper.venue or paper.collection, str(paper.year) if paper.year else "") if part)
    others = [" ".join(part for part in (one.venue, str(one.year) if one.year else "") if part) for one in paper.versions]
    also = [one for one in dict.fromkeys(others) if one and one != own]
    return f"Published: {own}{f' (also: {_row(also)})' if also else ''}." if own else ""


def _person(name: str) -> str:
    """A name as it is spoken.

    >>> _person("Smith, Ada"), _person("Ada Smith")
    ('Ada Smith', 'Ada Smith')
    """
    family, comma, given = name.partition(", ")
    return f"{given} {family}" if comma and ", " not in given else name


def _row(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
