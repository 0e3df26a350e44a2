"""What a run writes is what its schema says, and the schema would notice if it were not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from eval import items, schema, summary
from eval.__main__ import main
from eval.items import Item
from tests.eval.making import answered, crashed, question, refused, unanswerable

ITEMS = [answered(question("a")), refused(unanswerable("b")), crashed(question("c")), replace(answered(question("d")), retrieved=None)]


def plain(value: Any) -> Any:
    """After a way through JSON."""
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.question.id)
def test_every_item_fits_its_schema(item: Item) -> None:
    jsonschema.validate(plain(items.to_json(item)), schema.of_item())


def test_a_summary_fits_its_schema() -> None:
    jsonschema.validate(plain(summary.to_json(summary.summarise(ITEMS, [], [], {}, {"p1": "It is fast."}))), schema.of_summary())


def test_a_summary_that_lacks_a_count_does_not() -> None:
    written = plain(summary.to_json(summary.summarise(ITEMS, [], [], {})))
    del written["figures"][0]["n_error"]
    with pytest.raises(jsonschema.ValidationError, match="n_error"):
        jsonschema.validate(written, schema.of_summary())


@pytest.mark.parametrize("of", list(schema.SCHEMAS))
def test_the_command_prints_a_valid_schema(of: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["schema", of]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))
