"""`python -m eval schema`: the JSON Schema (2020-12) of what is left in the directory of a run: a line of items.jsonl, and the JSON files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from eval import correcting
from eval.items import Item

HELP = "print the JSON Schema of what is left in the directory of a run"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VALUE = {"type": ["number", "null"]}
_INTERVAL = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_COUNT = {"type": "integer", "minimum": 0}
_FIGURE: dict[str, Any] = {
    "type": "object",
    "description": "n_eligible = n_scored + n_error; an error counts as the worst value; null: nothing was eligible, or an error made it infinite",
    "properties": {
        "metric": {"type": "string"},
        "scope": {"type": "string"},
        "value": _VALUE,
        "interval": {**_INTERVAL, "description": "95 %, for proportions (Wilson)"},
        "n_scored": _COUNT,
        "n_eligible": _COUNT,
        "n_error": _COUNT,
        "n_na": _COUNT,
        "constant": {"type": "boolean", "description": "every answer has the same value, neither the worst nor the best: it tells nothing"},
        "na": {"type": "object", "additionalProperties": _COUNT, "description": "reason -> questions to which it does not apply for it"},
        "direction": {"enum": ["higher", "lower", "neither"]},
        "range": {"type": "string"},
        "formula": {"type": "string"},
        "version": {"type": "string"},
    },
    "additionalProperties": False,
}
_FIGURE["required"] = list(_FIGURE["properties"])
_FLOOR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "metric": {"type": "string"},
        "scope": {"type": "string"},
        "at_least": _VALUE,
        "at_most": _VALUE,
        "value": _VALUE,
        "outcome": {"enum": ["pass", "fail", "not measured"]},
    },
    "additionalProperties": False,
}
_MILLISECONDS = {"type": "object", "properties": {"n": _COUNT, **{name: {"type": "number"} for name in ("p50", "p95", "max")}}, "required": ["n"]}
_SPENDING: dict[str, Any] = {
    "type": "object",
    "description": "by stage and in milliseconds, warm and for the first question; tokens and dollars as sums over all questions, null: not said",
    "properties": {
        "warm_ms": {"type": "object", "additionalProperties": _MILLISECONDS},
        "cold_ms": {"type": ["object", "null"], "additionalProperties": {"type": "number"}},
        "cost": {
            "type": "object",
            "properties": {
                **dict.fromkeys(("questions", "questions_with_tokens", "right_answers"), _COUNT),
                **dict.fromkeys(("prompt_tokens", "completion_tokens", "cost_usd", "usd_per_right_answer"), _VALUE),
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
_FLOOR["required"] = list(_FLOOR["properties"])


def of_summary() -> dict[str, Any]:
    """The schema of summary.json."""
    return {
        "$schema": _DIALECT,
        "title": "summary of a run",
        "type": "object",
        "properties": {
            "verdict": {"enum": ["PASS", "FAIL", "PARTIAL", "NOT JUDGED"]},
            "about": {"type": "object"},
            "floors": {"type": "array", "items": {"$ref": "#/$defs/floor"}},
            "figures": {"type": "array", "items": {"$ref": "#/$defs/figure"}},
            "spending": _SPENDING,
            "by_kind": {"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/figure"}}},
        },
        "required": ["verdict", "about", "floors", "figures", "spending", "by_kind"],
        "additionalProperties": False,
        "$defs": {"figure": _FIGURE, "floor": _FLOOR},
    }


def of_item() -> dict[str, Any]:
    """The schema of a line of items.jsonl."""
    return {"$schema": _DIALECT, **TypeAdapter(Item).json_schema(), "title": "one question and its answer"}


def of_dialogues() -> dict[str, Any]:
    """The schema of dialogues.json."""
    figures = {"type": "array", "items": {"$ref": "#/$defs/figure"}}
    return {
        "$schema": _DIALECT,
        "title": "dialogues",
        **_closed(
            items_sha256={"type": ["string", "null"], "description": "of the answers of the run that it belongs to"},
            about={"type": "object"},
            figures=figures,
            by_turn={"type": "object", "additionalProperties": figures},
            faults={"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        ),
        "$defs": {"figure": _FIGURE},
    }


def of_certified() -> dict[str, Any]:
    """The schema of certified.json."""
    share = {"type": "number", "minimum": 0, "maximum": 1}
    threshold = {**_VALUE, "description": "null: nothing can be promised, or only of answering nothing"}
    splits = {**_COUNT, "description": "splits"}
    fold = _closed(**dict.fromkeys(("questions", "answered", "wrong"), _COUNT))
    split = _closed(seed={"type": "integer"}, threshold=threshold, calibration=fold, held_out=fold)
    guarantee = _closed(
        kind={"enum": ["learn-then-test", "conformal risk control"]},
        bound=share,
        delta={**share, "type": ["number", "null"], "description": "of learn-then-test"},
        threshold=threshold,
        promise={"type": "string"},
        checked={"type": "string"},
        **dict.fromkeys(("certified", "above", "beyond_chance"), splits),
        mean={**share, "description": "held-out share of what is bounded"},
        is_contradicted={"type": "boolean"},
        splits={"type": "array", "items": split},
    )
    return {
        "$schema": _DIALECT,
        "title": "thresholds with a guarantee",
        **_closed(
            items_sha256={"type": "string"},
            wrong={"type": "string"},
            wrong_in_words={"type": "string"},
            **dict.fromkeys(("questions", "left_out", "drawn"), _COUNT),
            guarantees={"type": "array", "items": guarantee},
        ),
    }


def of_corrections() -> dict[str, Any]:
    """The schema of corrections.json."""
    share = {"type": "number", "minimum": 0, "maximum": 1, "description": "of words that change"}
    either, text = {**share, "type": ["number", "null"]}, {"type": "string"}
    tokens = {"type": ["integer", "null"], "description": "of the corrections, null: not said"}
    evidence = _closed(paper={"type": "string"}, sentence={"type": "string"})
    one = _closed(
        question={"type": "string"},
        place={**_COUNT, "description": "which sentence of the answer, from 0"},
        label={"enum": ["unsupported", "contradicted"]},
        outcome={"enum": [str(outcome) for outcome in correcting.Outcome]},
        **dict.fromkeys(("sentence", "proposed", "why"), text),
        share={**share, "description": "of words that change; 1 without a correction that holds"},
        evidence={"type": "array", "items": evidence},
    )
    return {
        "$schema": _DIALECT,
        "title": "smallest corrections",
        **_closed(
            **dict.fromkeys(("items_sha256", "version", "model"), text),
            counts={"type": "object", "additionalProperties": _COUNT},
            **dict.fromkeys(("not_asked", "answers", "requests"), _COUNT),
            **dict.fromkeys(("words_changed_of_sentences", "words_changed_of_answers"), either),
            **dict.fromkeys(("prompt_tokens", "completion_tokens"), tokens),
            corrections={"type": "array", "items": one},
        ),
    }


def _closed(**properties: Any) -> dict[str, Any]:
    """An object with all of these and nothing else."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "summary": of_summary,
    "items": of_item,
    "dialogues": of_dialogues,
    "certified": of_certified,
    "corrections": of_corrections,
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The option of the command."""
    parser.add_argument("of", nargs="?", default="summary", choices=list(SCHEMAS), help="of which file (default: summary)")


def text(arguments: argparse.Namespace) -> str:
    """What the command prints."""
    return json.dumps(SCHEMAS[arguments.of](), indent=2)
