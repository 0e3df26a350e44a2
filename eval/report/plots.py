"""Small plots as SVG that needs nothing from outside: colours come from the page, so that they follow light and dark."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 420, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 30, 40
_LEGEND = 102  # width of one name of it
_TICKS = 5


@dataclass(frozen=True, slots=True)
class Line:
    """One series. `kind`: a class of the page's style ("main", "other", "bound"); `dots`: draw the points instead of a line."""

    name: str
    points: Points
    kind: str = "main"
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """One point of many. `kind`: a class of the page's style ("main", "good", "bad", "half"); `said`: what is told where one points at it."""

    x: float
    y: float
    kind: str = "main"
    said: str = ""


@dataclass(frozen=True, slots=True)
class Axes:
    """What is drawn along both sides, and from where to where."""

    x: str
    y: str
    to_x: float = 1.0
    to_y: float = 1.0


def plot(title: str, axes: Axes, lines: Sequence[Line], *, dots: Sequence[Dot] = (), at: tuple[float, str] | None = None) -> str:
    """A plot with a legend; everything begins at 0. Where the lines end stands in its label for those who can't see it.

    `at`: an x with a name, marked by an upright line.
    """
    grid = "".join(_tick_x(axes, i) + _tick_y(axes, i) for i in range(_TICKS + 1))
    drawn = "".join(_line(axes, one) for one in lines if one.points) + "".join(_dot(axes, one) for one in dots)
    drawn += _upright(axes, *at) if at else ""
    named = [one for one in lines if not one.dots]
    legend = "".join(_legend(len(named) - i, one) for i, one in enumerate(named))
    told = [f"{one.name} ends at {one.points[-1][1]:.3g}" for one in lines if one.points]
    told += [f"{len(dots)} dots"] * bool(dots) + ([f"{at[1]} at {at[0]:.3g}"] if at else [])
    label = html.escape(f"{title}: " + "; ".join(told), quote=True)
    middle, side = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    names = (
        f'<text class="name" x="6" y="17">{html.escape(title)}</text>'
        f'<text class="axis" x="{middle:g}" y="{_HEIGHT - 6}" text-anchor="middle">{html.escape(axes.x)}</text>'
        f'<text class="axis" transform="translate(12 {side:g}) rotate(-90)" text-anchor="middle">{html.escape(axes.y)}</text>'
    )
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{grid}{drawn}{names}{legend}</svg>'


def _x(axes: Axes, value: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(max(value / axes.to_x, 0.0), 1.0)


def _y(axes: Axes, value: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * min(max(value / axes.to_y, 0.0), 1.0)


def _tick_x(axes: Axes, i: int) -> str:
    value = axes.to_x * i / _TICKS
    return f'<text class="tick" x="{_x(axes, value):.1f}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">{value:g}</text>'


def _tick_y(axes: Axes, i: int) -> str:
    value = axes.to_y * i / _TICKS
    y = _y(axes, value)
    rule = f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{rule}<text class="tick" x="{_LEFT - 5}" y="{y + 3:.1f}" text-anchor="end">{value:g}</text>'


def _line(axes: Axes, line: Line) -> str:
    places = [(_x(axes, x), _y(axes, y)) for x, y in line.points]
    if line.dots:
        return "".join(f'<circle class="dot {line.kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
    return f'<polyline class="line {line.kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'


def _dot(axes: Axes, dot: Dot) -> str:
    said = f"<title>{html.escape(dot.said)}</title>" if dot.said else ""
    return f'<circle class="dot {dot.kind}" cx="{_x(axes, dot.x):.1f}" cy="{_y(axes, dot.y):.1f}" r="4">{said}</circle>'


def _upright(axes: Axes, value: float, name: str) -> str:
    x = _x(axes, value)
    end = x > _WIDTH / 2  # the name stands where there is room
    return (
        f'<line class="line bound" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        f'<text class="tick" x="{x + (-4 if end else 4):.1f}" y="{_TOP + 12}" text-anchor="{"end" if end else "start"}">{html.escape(name)}</text>'
    )


def _legend(from_right: int, line: Line) -> str:
    x = _WIDTH - _LEGEND * from_right
    mark = f'<line class="line {line.kind}" x1="{x}" x2="{x + 18}" y1="13" y2="13"/>'
    return f'{mark}<text class="tick" x="{x + 23}" y="17">{html.escape(line.name)}</text>'


def bars(title: str, counts: Sequence[tuple[str, int]]) -> str:
    """Horizontal bars with their numbers, the longest as wide as the plot."""
    most = max((count for _, count in counts), default=1) or 1
    height = 22 * len(counts) + 4
    rows = []
    for i, (name, count) in enumerate(counts):
        y = 22 * i + 2
        width = 150 * count / most
        rows.append(
            f'<text class="tick" x="232" y="{y + 13}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect class="bar" x="238" y="{y + 2}" width="{max(width, 1):.1f}" height="14"/>'
            f'<text class="tick" x="{244 + width:.1f}" y="{y + 13}">{count}</text>'
        )
    label = html.escape(f"{title}: " + "; ".join(f"{name} {count}" for name, count in counts), quote=True)
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">{"".join(rows)}</svg>'
