"""Summaries and tables of papers, as text for a terminal, as Markdown, CSV and JSON. Pure functions of what the engine returned."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from rag_qa.answering.answer import Evidence, Sentence, Source
from rag_qa.answering.summaries import Comparison, Contrast, Section, Summary
from rag_qa.interfaces import markdown, render
from rag_qa.interfaces.answer_exports import reference
from rag_qa.interfaces.render import JsonObject, Kind, Line
from rag_qa.papers import Paper

_NOTHING = "—"
"""Stands where an abstract says nothing."""
_BLANK = Line("")

# ----------------------------------------------------------------------------------------------------------------- summaries


def summary_lines(summary: Summary, width: int | None = None) -> list[Line]:
    """A summary for a terminal, folded at `width` characters; None folds nothing."""
    lines = render.opening_lines("", "", summary.narrowing, width)
    if summary.abstained is not None:
        lines += render.wrapped(f"No summary. {summary.abstained}", width, Kind.REFUSAL)
    if summary.note:
        lines += [*render.wrapped(summary.note, width, Kind.NOTE), _BLANK]
    for i, section in enumerate(summary.sections):
        lines += [*([_BLANK] if i else []), *_section_lines(section, width)]
    return [*lines, *_source_lines(summary.sources, width), *_related_lines(summary, width)]


def _section_lines(section: Section, width: int | None) -> list[Line]:
    lines = render.wrapped(section.heading, width, Kind.HEADING)
    lines += [line for sentence in section.sentences for line in render.sentence_lines(sentence, width)]
    return lines + (render.wrapped(f"({_capital(section.note)})", width, Kind.NOTE) if section.note else [])


def _source_lines(sources: Sequence[Source], width: int | None) -> list[Line]:
    lines = [_BLANK, Line("Sources", Kind.HEADING)] if sources else []
    for source in sources:
        lines += render.wrapped(f"[{source.n}] {reference(source.paper)}", width, Kind.SOURCE, hang="    ")
        lines += [Line(f"    {render.one_line(str(origin))}", Kind.ORIGIN) for origin in source.paper.origins]
    return lines


def _related_lines(summary: Summary, width: int | None) -> list[Line]:
    if not summary.related:
        return []
    told = [line for source in summary.related for line in render.wrapped(f"- {reference(source.paper)}", width, Kind.SOURCE, hang="  ")]
    return [_BLANK, Line(_related_heading(summary), Kind.HEADING), *told]


def _related_heading(summary: Summary) -> str:
    return "Nearest, but about something else" if summary.abstained is not None else "Near, but not clearly about it"


def summary_markdown(summary: Summary) -> str:
    """A summary as a Markdown document with its references."""
    blocks = [f"# Summary of {markdown.escape(summary.subject)}"]
    if said := render.narrowing_said(summary.narrowing):
        blocks.append(f"*{markdown.escape(said)}*")
    if summary.abstained is not None:
        blocks.append(f"**No summary.** {markdown.escape(summary.abstained)}")
    blocks += [f"*{markdown.escape(summary.note)}*"] if summary.note else []
    for section in summary.sections:
        blocks += [f"## {markdown.escape(section.heading)}", *(markdown.sentence(sentence) for sentence in section.sentences)]
        blocks += [f"*{markdown.escape(_capital(section.note))}*"] if section.note else []
    blocks += _references_markdown(summary.sources)
    if summary.related:
        blocks += [f"## {_related_heading(summary)}", "\n".join(f"- {markdown.escape(reference(one.paper))}" for one in summary.related)]
    return "\n\n".join(blocks) + "\n"


def _references_markdown(sources: Sequence[Source]) -> list[str]:
    told = [f"- [{source.n}] {markdown.escape(reference(source.paper))}" for source in sources]
    return ["## Sources", "\n".join(told)] if told else []


def summary_csv(summary: Summary) -> str:
    """A row for each sentence: its section, its paper, its words, and where they stand in the abstract."""
    rows = [
        [section.heading, *_paper_cells(summary.sources[evidence.source - 1].paper), sentence.text, str(evidence.start), str(evidence.end)]
        for section in summary.sections
        for sentence in section.sentences
        for evidence in sentence.verdict.evidence
    ]
    return _table([["Section", *_PAPER_COLUMNS, "Sentence", "Start", "End"], *rows])


def summary_json(summary: Summary) -> JsonObject:
    """A summary as an object that other programs build on; `abstract[start:end] == quote` for every piece of evidence."""
    return {
        "subject": summary.subject,
        "abstained": summary.abstained,
        "note": summary.note,
        "sections": [
            {"heading": section.heading, "note": section.note, "sentences": [_sentence_json(sentence) for sentence in section.sentences]}
            for section in summary.sections
        ],
        "sources": [_source_json(source) for source in summary.sources],
        "related": [render.paper_json(source.paper) for source in summary.related],
        "narrowing": render.narrowing_json(summary.narrowing),
    }


def _sentence_json(sentence: Sentence) -> JsonObject:
    return {
        "lead": sentence.lead,
        "text": sentence.text,
        "citations": list(sentence.citations),
        "verdict": sentence.verdict.status.value,
        "evidence": [_evidence_json(evidence) for evidence in sentence.verdict.evidence],
    }


def _evidence_json(evidence: Evidence) -> JsonObject:
    return {"source": evidence.source, "start": evidence.start, "end": evidence.end, "quote": evidence.quote}


def _source_json(source: Source) -> JsonObject:
    return {"n": source.n, **render.paper_json(source.paper)}


# --------------------------------------------------------------------------------------------------------------- comparisons


def comparison_lines(table: Comparison, width: int | None = None) -> list[Line]:
    """A table for a terminal, aspect by aspect."""
    lines: list[Line] = []
    for j, aspect in enumerate(table.aspects):
        lines += [*([_BLANK] if j else []), *render.wrapped(_capital(aspect), width, Kind.HEADING)]
        for source, cells in zip(table.sources, table.cells, strict=True):
            cell = cells[j]
            told = f"{source.paper.label}: {cell.quote} [{source.n}]" if cell else f"{source.paper.label}: {_NOTHING}"
            lines += render.wrapped(told, width, Kind.TEXT if cell else Kind.NOTE)
    for heading, pairs in _contrasts(table):
        lines += [_BLANK, Line(heading, Kind.HEADING), *(line for pair in pairs for line in _pair_lines(pair, table, width))]
    return [*lines, *_source_lines(table.sources, width)]


def _contrasts(table: Comparison) -> list[tuple[str, tuple[Contrast, ...]]]:
    named = (("Agreement", table.agreements), ("Contradictions", table.contradictions))
    return [(heading, pairs) for heading, pairs in named if pairs]


def _pair_lines(pair: Contrast, table: Comparison, width: int | None) -> list[Line]:
    sides = [f"{_label(side, table)}: {side.quote} [{side.source}]" for side in (pair.one, pair.other)]
    return [*(line for side in sides for line in render.wrapped(side, width)), *render.wrapped(f"({_capital(pair.why)})", width, Kind.NOTE)]


def _label(evidence: Evidence, table: Comparison) -> str:
    return table.sources[evidence.source - 1].paper.label


def comparison_markdown(table: Comparison) -> str:
    """A Markdown table with a row for each paper; behind each quote stands the number of its source."""
    rows = [["Paper", *table.aspects], ["---"] * (1 + len(table.aspects))]
    shown = [" | ".join(map(markdown.escape, row)) if row[0] != "---" else " | ".join(row) for row in rows]
    for source, cells in zip(table.sources, table.cells, strict=True):
        told = [f"{markdown.escape(cell.quote)} [{cell.source}]" if cell else _NOTHING for cell in cells]
        shown.append(" | ".join([f"**{markdown.escape(source.paper.label)}** [{source.n}]", *told]))
    blocks = ["# Comparison", "\n".join(f"| {row} |" for row in shown)]
    for heading, pairs in _contrasts(table):
        blocks += [f"## {heading}", *(_pair_markdown(pair, table) for pair in pairs)]
    return "\n\n".join([*blocks, *_references_markdown(table.sources)]) + "\n"


def _pair_markdown(pair: Contrast, table: Comparison) -> str:
    sides = [f"- **{markdown.escape(_label(side, table))}**: {markdown.escape(side.quote)} [{side.source}]" for side in (pair.one, pair.other)]
    return "\n".join([*sides, "", f"*{markdown.escape(_capital(pair.why))}*"])


_PAPER_COLUMNS = ("Paper", "Year", "DOI")


def _paper_cells(paper: Paper) -> list[str]:
    return [paper.label, str(paper.year or ""), paper.doi or ""]


def comparison_csv(table: Comparison) -> str:
    """A row for each paper, a column for each aspect; a cell is a sentence of the abstract, or empty."""
    rows = [
        [*_paper_cells(source.paper), *(cell.quote if cell else "" for cell in cells)]
        for source, cells in zip(table.sources, table.cells, strict=True)
    ]
    return _table([[*_PAPER_COLUMNS, *table.aspects], *rows])


def comparison_json(table: Comparison) -> JsonObject:
    """A table as an object that other programs build on; a cell is null where the abstract says nothing."""
    return {
        "aspects": list(table.aspects),
        "rows": [
            {"source": source.n, "cells": [_evidence_json(cell) if cell else None for cell in cells]}
            for source, cells in zip(table.sources, table.cells, strict=True)
        ],
        "agreements": [_contrast_json(pair) for pair in table.agreements],
        "contradictions": [_contrast_json(pair) for pair in table.contradictions],
        "sources": [_source_json(source) for source in table.sources],
    }


def _contrast_json(pair: Contrast) -> JsonObject:
    return {"one": _evidence_json(pair.one), "other": _evidence_json(pair.other), "why": pair.why}


# --------------------------------------------------------------------------------------------------------------------- parts


def _table(rows: Iterable[Sequence[str]]) -> str:
    """A .csv file as spreadsheets read it: comma, quoted where needed, CR LF."""
    out = io.StringIO()
    csv.writer(out).writerows([render.printable(cell) for cell in row] for row in rows)
    return out.getvalue()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
