"""Numbers in a text: their value, unit and bound, whichever way they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.quantities import Quantity, listed, quantities


def shown(written: str) -> list[str]:
    """The quantities of a text as one reads them."""
    return [str(quantity) for quantity in quantities(text.fold(written).text)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"a gain of $1.67 \times$", ["1.67×"]),
        ("a gain of 1.67x", ["1.67×"]),
        ("faster by a factor of 1.670", ["1.67×"]),
        ("twice as fast", ["2×"]),
        (r"80\% of them", ["80%"]),
        ("80 percent of them", ["80%"]),
        ("80 per cent of them", ["80%"]),
        ("8 percentage-points", ["8 percentage points"]),
        (r"19\% points", ["19 percentage points"]),
        ("7 points", ["7 points"]),
        ("125,000 models", ["125000"]),
        ("125K models", ["125000"]),
        ("2.5B tokens", ["2500000000"]),
        ("one million dimensions", ["1000000"]),
        ("two hundred and twelve dozen", ["200", "12", "12"]),
        ("32 GPUs", ["32"]),
        ("3- and 4-bit compression", ["3 bits", "4 bits"]),
        ("5 to 10 hours", ["5 hours", "10 hours"]),
        ("a rate of 1e-3 or 10^{-3}", ["1e-3", "10^-3"]),
        ("a change of -5%", ["-5%"]),
        ("0.3-0.5 and (0.7)", ["0.3", "0.5", "0.7"]),
        ("in 2024", ["2024"]),
    ],
)
def test_value_and_unit(written: str, expected: list[str]) -> None:
    assert shown(written) == expected


@pytest.mark.parametrize(
    "written",
    ["GPT-4o", "LLaMA-3", "Llama3", "v2", "FP16", "FID-50k", "top-5", "ICLR2025", "3D", "1) We go", "(2) They go", "1. It is", "one of them", "x^2"],
)
def test_parts_of_names_and_of_lists_are_no_numbers(written: str) -> None:
    assert shown(written) == []


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        ("up to 40%", "at most"),
        ("at most 40%", "at most"),
        ("a maximum improvement of 40%", "at most"),
        ("fewer than 40", "less than"),
        ("($<40$)", "less than"),
        ("nearly 40%", "less than"),
        ("approaches a 4x speed-up", "less than"),
        ("at least 40%", "at least"),
        ("more than 40,000", "more than"),
        ("over 40%", "more than"),
        (r"$\sim$40\%", "about"),
        ("approximately 40%", "about"),
        ("roughly 40%", "about"),
        ("a 40% gain", ""),
        ("with 40 of them", ""),
    ],
)
def test_bound(written: str, bound: str) -> None:
    (quantity,) = quantities(text.fold(written).text)
    assert quantity.bound == bound


def test_units_that_may_stand_for_each_other() -> None:
    assert Quantity("8", "points").same_unit(Quantity("8", "percentage points"))
    assert not Quantity("8", "points").same_unit(Quantity("8", "%"))
    assert not Quantity("8", "%").same_unit(Quantity("8", "×"))
    assert not Quantity("8", "").same_unit(Quantity("8", "%"))


@pytest.mark.parametrize(
    ("written", "points"), [("(1) a; (2) b; (3) c", 3), ("i) a and ii) b", 2), ("(i) a", 1), ("see (2) and (3)", 0), ("none", 0)]
)
def test_points_that_are_counted_up(written: str, points: int) -> None:
    assert listed(text.fold(written).text) == points


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" 0123456789.,-%×xkmb()<>~$\\")), max_size=60))
def test_any_text_gives_slices_in_order(written: str) -> None:
    folded = text.fold(written).text
    found = quantities(folded)
    assert [q.start for q in found] == sorted(q.start for q in found)
    for quantity in found:
        assert 0 <= quantity.start < quantity.end <= len(folded)
        assert quantity.value
