"""The summary of a run: its figures and floors, and what they were measured on. A pure function of the items."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from eval import scoring
from eval.figures import Figure
from eval.floors import Check, Floor, check
from eval.items import Item, Timing


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that the report shows."""

    about: Mapping[str, Any]
    figures: Sequence[Figure]
    by_kind: Mapping[str, Sequence[Figure]]
    checks: Sequence[Check]
    spending: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Does no floor fail?"""
        return all(check.outcome != "fail" for check in self.checks)

    @property
    def verdict(self) -> str:
        """FAIL where a floor does, PARTIAL while questions wait, NOT JUDGED where no floor was measured, and otherwise PASS."""
        if not self.passed:
            return "FAIL"
        if not self.about.get("is_complete", True):
            return "PARTIAL"
        return "PASS" if any(check.outcome == "pass" for check in self.checks) else "NOT JUDGED"


def summarise(
    items: Sequence[Item],
    timings: Sequence[Timing],
    floors: Sequence[Floor],
    about: Mapping[str, Any],
    library: Mapping[str, str] | None = None,
    spending: Mapping[str, Any] | None = None,
) -> Summary:
    """Score the items. `about`: what the run was made of (data, corpus, settings); `library`: paper id -> abstract, for what needs the texts;
    `spending`: what it took (see `eval.spending`).
    """
    figures = scoring.figures(items, timings, library)
    counts = {
        "questions": len(items),
        "kinds": dict(Counter(str(item.question.kind) for item in items)),
        "status": dict(Counter(item.status for item in items)),
        "models": sorted({item.model for item in items if item.model}),
    }
    checks = check(floors, figures, [item.question for item in items])
    return Summary({**about, **counts}, figures, scoring.figures_by_kind(items), checks, spending or {})


def to_json(summary: Summary) -> dict[str, Any]:
    """A dictionary of plain values: every figure with its definition, every floor with its outcome."""
    known = scoring.metrics()

    def plain(figure: Figure) -> dict[str, Any]:
        metric = known[figure.metric]
        definition = {"direction": metric.direction, "range": metric.range, "formula": metric.formula, "version": metric.version}
        return {**asdict(figure), **definition}

    return {
        "verdict": summary.verdict,
        "about": dict(summary.about),
        "floors": [{**asdict(one.floor), "value": one.value, "outcome": one.outcome} for one in summary.checks],
        "figures": [plain(figure) for figure in summary.figures],
        "spending": dict(summary.spending),
        "by_kind": {kind: [plain(figure) for figure in figures] for kind, figures in summary.by_kind.items()},
    }


def write(summary: Summary, path: Path) -> None:
    """Write the summary as JSON; a value that is not a number raises ValueError instead of being written as NaN."""
    path.write_text(json.dumps(to_json(summary), ensure_ascii=False, allow_nan=False, indent=2) + "\n", encoding="utf-8")


def sha256(path: Path) -> str:
    """Hash of a file's bytes, to say which questions were asked."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
