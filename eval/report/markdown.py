"""A comparison and a judgement as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eval.comparison import NO_QUESTION, Comparison, Difference
from eval.judgement import Judgement, Outcome
from eval.report import differences
from eval.sides import HEADLINE


def of_judgement(judgement: Judgement) -> str:
    """The verdict, why, the figures, and which questions got worse."""
    parts = [f"## Evaluation: {'PASS' if judgement.passed else 'FAIL'}", _made_of(judgement)]
    parts += ["\n".join(f"- {_plain(reason)}" for reason in judgement.reasons)] if judgement.reasons else []
    unsure = [one for one in judgement.verdicts if one.outcome is Outcome.INCONCLUSIVE and not judgement.fails(one)]
    parts += ["\n".join(f"- {one.difference.key}: {one.said}" for one in unsure)] if unsure else []
    rows = [
        [
            differences.title(one.difference.metric),
            one.difference.scope,
            *_figures(one.difference),
            f"**{one.said}**" if judgement.fails(one) else one.said,
        ]
        for one in judgement.verdicts
    ]
    parts += [_table(["", "over", "baseline", "now", "delta", "95 %", "outcome"], rows)] if rows else []
    floors = [[one.floor.key, str(one.floor), "-" if one.value is None else f"{one.value:.4g}", one.outcome] for one in judgement.floors]
    parts += [_table(["floor", "to be", "is", ""], floors)] if floors else []
    worse = list(_worse([one.difference for one in judgement.verdicts]))
    parts += ["\n".join(worse)] if worse else []
    parts += ["\n".join(f"- {_plain(note)}" for note in judgement.notes)] if judgement.notes else []
    return "\n\n".join(parts) + "\n"


def _made_of(judgement: Judgement) -> str:
    data = ", ".join(f"{name.removesuffix('_sha256')} {digest[:8]}" for name, digest in judgement.after.data.items())
    return f"`{judgement.after.name}` against `{judgement.before.name}`, {len(judgement.after.items)} questions ({data})"


def of_comparison(comparison: Comparison) -> str:
    """The headline figures, the others that changed, and which questions got worse or better."""
    told = [one for one in comparison.differences if one.lacks != NO_QUESTION]
    heads = ["", "over", "before", "after", "delta", "95 %", "p (Holm)", "questions", "needed"]
    headline = [one for one in told if one.key in HEADLINE]
    others = [one for one in told if one.key not in HEADLINE and one.changed]
    parts = [f"`{comparison.after.name}` against `{comparison.before.name}`, {comparison.questions} questions"]
    parts += ["\n".join(f"- {_plain(note)}" for note in comparison.notes)] if comparison.notes else []
    parts += [_table(heads, [_row(one) for one in headline])]
    parts += [_table([*heads[:6], "p", *heads[7:]], [_row(one) for one in others])] if others else []
    return "\n\n".join([*parts, *_worse(headline)]) + "\n"


def _row(one: Difference) -> list[str]:
    p = one.p_holm if one.p_holm is not None else one.p
    told = [differences.chance(p) if one.changed else "", one.lacks or differences.flips(one), f"{one.needed:,}" if one.needed else ""]
    return [differences.title(one.metric), one.scope, *_figures(one), *told]


def _figures(one: Difference) -> list[str]:
    values = [differences.value(one.metric, reached) for reached in (one.before, one.after)]
    return [*values, differences.signed(one.metric, one.delta), differences.interval(one)]


def _worse(found: Sequence[Difference]) -> Iterator[str]:
    for one in found:
        if one.worse:
            yield f"- worse in {one.key}: {differences.ids(one.worse)}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as GitHub shows it: the first two columns and the last at the left, numbers at the right.

    >>> print(_table(["", "over", "n"], [["a|b", "all", "1"]]))
    |  | over | n |
    |---|---|---|
    | a\\|b | all | 1 |
    """
    marks = ["---:" if 1 < at < len(heads) - 1 else "---" for at in range(len(heads))]
    lines = [list(heads), *([_plain(cell) for cell in row] for row in rows)]
    return "\n".join([f"| {' | '.join(lines[0])} |", f"|{'|'.join(marks)}|", *(f"| {' | '.join(line)} |" for line in lines[1:])])


def _plain(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|").replace("<", "&lt;")
