"""A calibration as text, as JSON and as a picture. Pure functions of what the engine returned."""

from __future__ import annotations

import html
from collections.abc import Sequence

from rag_qa.calibration.learn_then_test import counted
from rag_qa.calibration.risk_coverage import Curve, Point
from rag_qa.engine import FROM_LIBRARY, Calibration, Threshold
from rag_qa.interfaces.render import JsonObject, Kind, Line, columns, one_line, wrapped
from rag_qa.settings import DEFAULT_THRESHOLD

LOW_RISK = 0.05
"""The risk at which the coverage is told."""

_SHOWN = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
_WIDTH, _HEIGHT = 50, 8  # of the picture in the terminal, characters
_NOTHING = "Nothing can be promised"
_EASY = (
    "These questions were made of the abstracts' own words, so they are easier than those of people, and the promise holds for such questions only. "
    "Ask questions of your own with --questions."
)

# --------------------------------------------------------------------------------------------------------------------- text


def calibration_lines(found: Calibration, width: int | None) -> list[Line]:
    """A calibration for a person."""
    lines = [*wrapped(_asked(found), width)]
    if found.undecided:
        lines += wrapped(_undecided(found.undecided), width, Kind.NOTE)
    if found.source == FROM_LIBRARY:
        lines += wrapped(_EASY, width, Kind.WARNING)
    lines += [Line(""), *wrapped(promise(found), width, Kind.HEADING if found.certified else Kind.REFUSAL), Line("")]
    lines += [Line(row, Kind.HEADING if i == 0 else Kind.TEXT) for i, row in enumerate(columns(_table(found)))]
    lines += [Line(""), *map(Line, _drawing(found)), Line("")]
    return [*lines, *wrapped(_summary(found.curve), width)]


def promise(found: Calibration) -> str:
    """What is promised, or why nothing is."""
    one = found.certified
    if one is None:
        return f"{_NOTHING}: {found.refusal}".replace("%", " %")
    return (
        f"Threshold {one.threshold:.2f}: with probability {1 - found.delta:.0%}, at most {found.risk:.0%} of the answers to such questions are wrong."
    ).replace("%", " %")


def _asked(found: Calibration) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.counts.items()))
    return f"{len(found.outcomes)} questions of {one_line(found.source)}: {kinds or 'none'}"


def _undecided(number: int) -> str:
    return f"{number} more are not counted: small talk, lists of papers, summaries and filters are answered or refused whatever the threshold."


def _table(found: Calibration) -> list[tuple[str, ...]]:
    """Some thresholds, with what each of them does."""
    one = found.certified
    shown = sorted({*_SHOWN, DEFAULT_THRESHOLD, *([one.threshold] if one else [])}, reverse=True)
    return [("threshold", "answered", "wrong", "answerable refused", "others refused", ""), *(_row(found, threshold) for threshold in shown)]


def _row(found: Calibration, threshold: float) -> tuple[str, ...]:
    answered, wrong = counted(found.outcomes, threshold)
    one = found.certified
    notes = ["certified"] if one and one.threshold == threshold else []
    notes += ["default"] if threshold == DEFAULT_THRESHOLD else []
    return (
        f"{threshold:.2f}",
        _share(answered, len(found.outcomes)),
        _share(wrong, answered),
        _share(*found.over_refused(threshold)),
        _share(*found.refused(threshold)),
        ", ".join(notes),
    )


def _share(some: int, of: int) -> str:
    """
    >>> _share(3, 80), _share(0, 0)
    ('3 of 80 (4 %)', 'none')
    """
    return f"{some} of {of} ({some / of:.0%})".replace("%", " %") if of else "none"


def _summary(found: Curve) -> str:
    coverage = f"{found.coverage_at(LOW_RISK):.0%} of the questions can be answered with at most {LOW_RISK:.0%} wrong answers".replace("%", " %")
    return f"Area under the curve {found.aurc:.3f}, of a perfect confidence {found.oracle_aurc:.3f} (0 is best). {coverage}."


def _drawing(found: Calibration) -> list[str]:
    """The curve in characters: # the share of wrong answers, - what is allowed, | the threshold."""
    top = _top(found)
    grid = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    _put(grid, [(column, found.risk / top) for column in range(_WIDTH)], "-")
    if one := found.certified:
        column = min(_WIDTH - 1, round(one.answered / len(found.outcomes) * _WIDTH))
        for row in grid:
            row[column] = "|"
    _put(grid, [(column, _risk_at(found.curve.points, (column + 1) / _WIDTH) / top) for column in range(_WIDTH) if _reached(found, column)], "#")
    labels = [f"{top:4.0%} ".replace("%", " %"), *[" " * 6] * (_HEIGHT - 2), "  0 % "]
    rows = [f"{label}{''.join(row).rstrip()}".rstrip() for label, row in zip(labels, grid, strict=True)]
    return ["wrong answers (#), allowed (-)", *rows, "      0 %" + "answered".center(_WIDTH - 8) + "100 %"]


def _put(grid: list[list[str]], heights: Sequence[tuple[int, float]], mark: str) -> None:
    for column, height in heights:
        grid[_HEIGHT - 1 - min(_HEIGHT - 1, round(height * (_HEIGHT - 1)))][column] = mark


def _reached(found: Calibration, column: int) -> bool:
    points = found.curve.points
    return bool(points) and points[0].coverage <= (column + 1) / _WIDTH <= points[-1].coverage + 1 / _WIDTH


def _risk_at(points: Sequence[Point], coverage: float) -> float:
    """The risk of the last point that answers no more."""
    return [point.risk for point in points if point.coverage <= coverage + 1e-9][-1]


def _top(found: Calibration) -> float:
    """The greatest risk that is drawn, in steps of a tenth: with a handful of answers any share may come out."""
    last = found.curve.points[-1].risk if found.curve.points else 0.0
    return min(1.0, max(2, -(-max(1.2 * last, 2 * found.risk) // 0.1)) / 10)


def threshold_text(now: Threshold) -> str:
    """The threshold that is in force, and what is promised of it.

    >>> threshold_text(Threshold(0.4, is_set=True)), threshold_text(Threshold(0.5))
    ('refused below 0.40 (RAG_QA_MIN_CONFIDENCE)', 'refused below 0.50, the default; rag-qa calibrate finds one for these papers')
    """
    below = f"refused below {now.value:.2f}"
    if now.is_set:
        return f"{below} (RAG_QA_MIN_CONFIDENCE)"
    if now.kept is None:
        return f"{below}, the default; rag-qa calibrate finds one for these papers"
    one = now.kept
    certified = (
        f"at most {one.risk:.0%} of the answers wrong, with probability {1 - one.delta:.0%}, by {one.cases} questions "
        f"({one_line(one.source)}) on {one.made}"
    ).replace("%", " %")
    if now.other_scorer:
        why = f"{below}, the default: the calibrated {one.threshold:.2f} was found with {', '.join(now.other_scorer)}"
    elif now.has_other_papers:
        why = f"{below}, calibrated for other papers ({one.papers} then), so nothing is promised any more"
    else:
        return f"{below}: {certified}"
    return f"{why}; run rag-qa calibrate again"


# --------------------------------------------------------------------------------------------------------------------- JSON


def calibration_json(found: Calibration) -> JsonObject:
    """A calibration for other programs. Shares are 0 to 1."""
    one = found.certified
    return {
        "source": found.source,
        "questions": {kind.name.lower(): count for kind, count in sorted(found.counts.items())},
        "not_counted": found.undecided,
        "risk": found.risk,
        "delta": found.delta,
        "threshold": one.threshold if one else None,
        "why_none": found.refusal or None,
        "certified": _figures(found, one.threshold) if one else None,
        "default": _figures(found, DEFAULT_THRESHOLD),
        "tests": [
            {"threshold": step.threshold, "answered": step.answered, "wrong": step.wrong, "p": step.p, "level": step.level} for step in found.steps
        ],
        "curve": [{"threshold": point.threshold, "coverage": point.coverage, "risk": point.risk} for point in found.curve.points],
        "aurc": found.curve.aurc,
        "oracle_aurc": found.curve.oracle_aurc,
        "coverage_at_5_percent_risk": found.curve.coverage_at(LOW_RISK),
        "written": found.is_written,
    }


def _figures(found: Calibration, threshold: float) -> JsonObject:
    answered, wrong = counted(found.outcomes, threshold)
    refused, answerable = found.over_refused(threshold)
    rightly, others = found.refused(threshold)
    return {
        "threshold": threshold,
        "questions": len(found.outcomes),
        "answered": answered,
        "wrong": wrong,
        "answerable": answerable,
        "answerable_refused": refused,
        "others": others,
        "others_refused": rightly,
    }


# ------------------------------------------------------------------------------------------------------------------ picture

_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 40, 14, 336, 200
_STYLE = """
:root { color-scheme: light dark; --bg: #faf9f6; --ink: #22262b; --soft: #5a626b; --line: #d9d5ca; }
:root { --curve: #1f5f5b; --bound: #96212b; --mark: #7a4300; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181b; --ink: #e8e6e1; --soft: #a5abb2; --line: #383d43; --curve: #84c9c2; --bound: #ffa3a3; --mark: #f2bd6b; }
}
svg { background: var(--bg); font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
svg text { fill: var(--soft); }
.grid { stroke: var(--line); stroke-width: 1; }
.curve { fill: none; stroke: var(--curve); stroke-width: 2.5; stroke-linejoin: round; }
.oracle { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 2 3; }
.bound { stroke: var(--bound); stroke-width: 1.5; stroke-dasharray: 6 4; }
.chosen { stroke: var(--mark); stroke-width: 1.5; }
.dot { fill: var(--mark); stroke: var(--bg); stroke-width: 2; }
svg .of-bound { fill: var(--bound); }
svg .of-chosen { fill: var(--mark); font-weight: 600; }
"""
_PAGE_STYLE = """
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.25rem; line-height: 1.3; }
.key { color: var(--soft); font-size: .85rem; }
.key b { display: inline-block; width: 1.6rem; height: 0; margin-right: .35rem; vertical-align: middle; border-top: 3px solid var(--curve); }
.key .o { border-top: 2px dotted var(--soft); } .key .r { border-top: 2px dashed var(--bound); } .key .t { border-top: 2px solid var(--mark); }
.key span { display: inline-block; margin-right: 1rem; }
svg { display: block; width: 100%; max-width: 36rem; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; }
.one { font-weight: 600; color: var(--mark); }
"""


def picture(found: Calibration, format_: str) -> str:
    """The risk-coverage curve as one file that needs no other: "svg", or "html" with its figures. Light or dark as the screen is."""
    drawn = _svg(found, alone=True) if format_ == "svg" else _page(found)
    return drawn.replace(" %", "\N{NO-BREAK SPACE}%")


def _page(found: Calibration) -> str:
    head, *rows = _table(found)
    one = found.certified
    headings = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    marked = f"{one.threshold:.2f}" if one else ""
    body = "".join(
        f"<tr{' class=one' if row[0] == marked else ''}>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    said = [
        "" if one else promise(found),
        _asked(found),
        _undecided(found.undecided) if found.undecided else "",
        _EASY if found.source == FROM_LIBRARY else "",
        _summary(found.curve),
    ]
    chosen = "<span><b class=t></b>the threshold</span>" if one else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Calibration</title>
<style>{_STYLE}{_PAGE_STYLE}</style></head><body><main>
<h1>{html.escape(promise(found) if one else _NOTHING)}</h1>
{_svg(found, alone=False)}
<p class="key"><span><b></b>wrong among the answers</span><span><b class=o></b>of a perfect confidence</span>\
<span><b class=r></b>allowed</span>{chosen}</p>
{"".join(f"<p>{html.escape(one)}</p>" for one in said if one)}
<div class="scroll"><table><thead><tr>{headings}</tr></thead><tbody>{body}</tbody></table></div>
</main></body></html>
"""


def _svg(found: Calibration, *, alone: bool) -> str:
    width, height = _LEFT + _PLOT_WIDTH + 24, _TOP + _PLOT_HEIGHT + 40
    style = f"<style>{_STYLE}</style>" if alone else ""
    parts = [*_axes(found), *_lines_of(found), *_threshold_mark(found)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(promise(found))}">{style}'
        f'<clipPath id="plot"><rect x="{_LEFT}" y="{_TOP}" width="{_PLOT_WIDTH}" height="{_PLOT_HEIGHT}"/></clipPath>{"".join(parts)}</svg>'
    )


def _x(coverage: float) -> float:
    return round(_LEFT + coverage * _PLOT_WIDTH, 1)


def _y(risk: float, top: float) -> float:
    return round(_TOP + (1 - risk / top) * _PLOT_HEIGHT, 1)


def _axes(found: Calibration) -> list[str]:
    top = _top(found)
    steps = [i * top / 4 for i in range(5)]
    across = [f'<line class="grid" x1="{_LEFT}" x2="{_x(1)}" y1="{_y(risk, top)}" y2="{_y(risk, top)}"/>' for risk in steps]
    risks = [f'<text x="{_LEFT - 6}" y="{_y(risk, top) + 4}" text-anchor="end">{_percent(risk)}</text>' for risk in steps]
    bottom = _TOP + _PLOT_HEIGHT
    coverages = [f'<text x="{_x(i / 4)}" y="{bottom + 16}" text-anchor="middle">{_percent(i / 4)}</text>' for i in range(5)]
    name = f'<text x="{_x(0.5)}" y="{bottom + 33}" text-anchor="middle">questions answered, the surest first</text>'
    return [*across, *risks, *coverages, name]


def _percent(share: float) -> str:
    return f"{share:.0%}" if abs(share * 100 - round(share * 100)) < 1e-6 else f"{share:.1%}"


def _lines_of(found: Calibration) -> list[str]:
    top, bound = _top(found), _y(found.risk, _top(found))
    named = f'<text class="of-bound" x="{_x(0.01)}" y="{bound - 5}">allowed: {_percent(found.risk)}</text>'
    return [
        f'<polyline class="oracle" clip-path="url(#plot)" points="{_path([Point(1.0, 0.0, 0.0), *found.curve.oracle], top)}"/>',
        f'<line class="bound" x1="{_LEFT}" x2="{_x(1)}" y1="{bound}" y2="{bound}"/>{named}',
        f'<polyline class="curve" clip-path="url(#plot)" points="{_path(found.curve.points, top)}"/>',
    ]


def _path(points: Sequence[Point], top: float) -> str:
    return " ".join(f"{_x(point.coverage)},{_y(point.risk, top)}" for point in points)


def _threshold_mark(found: Calibration) -> list[str]:
    one, top = found.certified, _top(found)
    if one is None:
        return []
    coverage, risk = one.answered / len(found.outcomes), one.wrong / one.answered
    x, side = _x(coverage), ('x="{}" text-anchor="end"' if coverage > 0.5 else 'x="{}"')
    place = side.format(x - 6 if coverage > 0.5 else x + 6)
    said = [f"threshold {one.threshold:.2f}", f"{_percent(round(coverage, 2))} answered", f"{_percent(round(risk, 3))} of these wrong"]
    return [
        f'<line class="chosen" x1="{x}" x2="{x}" y1="{_TOP}" y2="{_TOP + _PLOT_HEIGHT}"/>',
        f'<circle class="dot" cx="{x}" cy="{_y(risk, top)}" r="5.5"/>',
        *(f'<text class="of-chosen" {place} y="{_TOP + 14 + 15 * i}">{words}</text>' for i, words in enumerate(said)),
    ]
