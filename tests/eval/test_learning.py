"""The two fits find what was put into the data."""

from __future__ import annotations

import numpy as np
import pytest

from eval.learning import Row, listwise, logistic


def rows() -> list[Row]:
    """Thirty lists of three sentences. Where the first feature is highest, there the answer is, unless the second one, which counts half, speaks
    against it; the third is noise, the fourth never changes. For every other question, a "why", the second counts the other way."""
    draw = np.random.default_rng(7)
    made = []
    for number in range(60):
        why = number % 2 == 1
        features = np.c_[draw.normal(size=(3, 3)), np.ones(3)]
        answer = (features @ [2.0, 1.0 if why else -1.0, 0.0, 0.0]).argmax()
        made.append(Row(features, np.eye(3)[answer], ("every", "why" if why else "how")))
    return made


def test_the_listwise_fit_recovers_sign_and_order_and_what_some_questions_add() -> None:
    fitted = listwise(rows(), l2=0.5)
    first, second, noise, constant = fitted["every"]
    assert first > abs(second)
    assert first > abs(noise)
    assert constant == pytest.approx(0.0, abs=1e-9)
    assert fitted["why"][1] > 0.0 > fitted["how"][1]


def test_the_listwise_fit_puts_the_right_sentence_first() -> None:
    fitted = listwise(rows(), l2=0.5)
    right = [bool((row.features @ sum(fitted[name] for name in row.groups)).argmax() == row.target.argmax()) for row in rows()]
    assert sum(right) >= 55


def test_a_stronger_penalty_makes_smaller_weights() -> None:
    assert np.abs(listwise(rows(), l2=50.0)["every"]).sum() < np.abs(listwise(rows(), l2=0.5)["every"]).sum()


def test_a_row_that_does_not_count_changes_nothing() -> None:
    alone, other = rows(), Row(np.eye(3, 4), np.eye(3)[2], ("every",), 0.0)
    with_other = listwise([*alone, other], l2=0.5)
    # only the spread of the features, by which they are put on one scale, is of all rows
    assert np.sign(with_other["every"][:2]).tolist() == np.sign(listwise(alone, l2=0.5)["every"][:2]).tolist()


def test_the_logistic_fit_finds_sign_and_border_and_leaves_out_what_does_not_count() -> None:
    x = np.array([[-2.0], [-1.0], [1.0], [2.0], [0.0]])
    weights = logistic(x, np.array([0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0]), l2=0.1)
    assert weights[0] > 0
    assert -weights[1] / weights[0] == pytest.approx(0.0, abs=1e-6)  # halfway between -1 and 1


def test_each_feature_of_the_logistic_fit_can_have_a_penalty_of_its_own() -> None:
    x = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]])
    weights = logistic(x, np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.0]), np.ones(6), l2=np.array([0.1, 1000.0]))
    assert weights[0] > 1.0 > 100 * abs(weights[1])
