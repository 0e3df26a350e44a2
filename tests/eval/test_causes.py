"""Where an error arose, on items made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval import causes
from eval.causes import Cause
from eval.datasets.loader import Kind
from eval.items import Item
from tests.eval.making import answered, crashed, hits, question, refused, unanswerable

LOW = ("p2", "p3", "p4", "p5", "p6", "p7", "p1")

PARTLY = replace(question("q", kind=Kind.PARTIAL), missing=(("price",),))


@pytest.mark.parametrize(
    ("item", "cause"),
    [
        (answered(question()), None),
        (refused(unanswerable()), None),
        (crashed(question()), Cause.CRASH),
        (answered(unanswerable()), Cause.SHOULD_HAVE_ABSTAINED),
        (answered(question(), cites=("p2",), ranked=("p2", "p3"), text="It is slow."), Cause.NOT_FOUND),
        (answered(question(), cites=("p2",), ranked=LOW, text="It is slow."), Cause.RANKED_TOO_LOW),
        (refused(question(), ranked=("p2", "p1")), Cause.OVER_REFUSED),
        (refused(question(), ranked=("p2", "p3")), Cause.NOT_FOUND),
        (answered(question(), cites=("p2",), ranked=("p2", "p1"), text="It is slow."), Cause.NOT_USED),
        (answered(question(), found="slow"), Cause.MISQUOTED),
        (answered(question(), text="It is slow."), Cause.OTHER_SENTENCE),
        (answered(question(), cites=("p2",), ranked=("p1", "p2")), Cause.WRONG_CITATION),
        (answered(PARTLY), Cause.NOT_NAMED),
        (replace(answered(PARTLY), own_words="Not answered: the price."), None),
    ],
)
def test_each_cause(item: Item, cause: Cause | None) -> None:
    assert causes.cause(item) is cause


def test_causes_are_counted_in_the_order_in_which_an_answer_comes_about() -> None:
    items = [answered(question(), text="It is slow."), crashed(question()), answered(question(), text="It is slow."), answered(question())]
    assert list(causes.counted(items).items()) == [(Cause.CRASH, 1), (Cause.OTHER_SENTENCE, 2)]


def test_every_paper_of_a_set_may_be_below_the_context() -> None:
    papers = [f"p{n}" for n in range(8)]
    item = Item(question("set", papers=papers, facts=(), kind=Kind.SET), "answered", retrieved=hits(papers))
    assert causes.cause(item) is Cause.NOT_USED
