"""The page's tab "Evaluation": shows a report that `python -m eval report` wrote, in a frame that may run nothing and reach nothing.

The product knows the evaluation by its files alone. The report is read anew each time it is shown, so that the last one is seen without a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rag_qa.interfaces.cards import escape

ADDRESS = "evaluation-report"
"""Where the page's own server hands the report out, below the page."""

POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the browser may do with a report, wherever it is opened: show it. No script, no form, no other address."""

MARK = b'<meta name="generator" content="rag_qa evaluation">'
"""Stands in the head of every report, so that no other file is handed out."""

MADE_BY = "python -m eval run --out runs/now && python -m eval report runs/now"
SHOWN_BY = "rag-qa serve --report runs/now"

_FILE = "report.html"
_HEAD = 2000  # bytes in which the mark stands

SWITCH = (
    '<div class="rq-views" role="radiogroup" aria-label="What is shown">'
    '<label><input type="radio" name="rq-view" id="rq-at-chat" checked>Chat</label>'
    '<label><input type="radio" name="rq-view" id="rq-at-report">Evaluation</label></div>'
)
"""Chooses between the conversation and the report; the style sheet of the page does the rest."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as it is handed out, or why there is none."""

    content: bytes = b""
    problem: str = ""


def read(named: Path | None) -> Report:
    """The report that the settings name: a page, or the directory of a run with one in it."""
    if named is None:
        return Report(problem="No report is named yet.")
    path = named / _FILE if named.is_dir() else named
    try:
        content = path.read_bytes()
    except OSError as error:
        return Report(problem=f"{path} cannot be read ({error.strerror}).")
    if MARK not in content[:_HEAD]:
        return Report(problem=f"{path} is no report of this version of the evaluation.")
    return Report(content)


def panel_html(named: Path | None) -> str:
    """The tab: the report, or how one is made.

    >>> panel_html(None)[:56]
    '<section class="rq-no-report"><h2>No evaluation to show<'
    """
    found = read(named)
    if found.problem:
        how = f"<p>Make one, from the root of the project:</p><pre><code>{escape(MADE_BY)}</code></pre>"
        then = f"<p>Then show it here, by <code>{escape(SHOWN_BY)}</code> or <code>RAG_QA_REPORT=runs/now</code>.</p>"
        return f'<section class="rq-no-report"><h2>No evaluation to show</h2><p>{escape(found.problem)}</p>{how}{then}</section>'
    # a frame that is not seen is not loaded
    frame = f'<iframe src="{ADDRESS}" sandbox loading="lazy" referrerpolicy="no-referrer" title="Report of the evaluation"></iframe>'
    alone = f'<p><a href="{ADDRESS}" target="_blank" rel="noopener">Open it on its own</a></p>'
    return f'<section class="rq-evaluation">{alone}{frame}</section>'
