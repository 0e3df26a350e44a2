"""Before much is sent to a server that may want money for it, a person is told how much, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_qa.embedding.embedder import Embedder
from rag_qa.engine import Engine
from rag_qa.settings import load
from tests.index.making import BagEmbedder, abstract


class PricedEmbedder(BagEmbedder):
    """As one of a server: a token costs a cent."""

    def __init__(self, price: float | None = 0.01) -> None:
        super().__init__("priced")
        self.price = price

    def dollars(self, tokens: int) -> float | None:
        return None if self.price is None else tokens * self.price


def library(folder: Path, papers: int) -> Path:
    """A file of abstracts, each of two passages and two sentences."""
    path = folder / "papers.txt"
    path.write_text("\n\n".join(map(abstract, range(papers))) + "\n")
    return path


def engine(folder: Path, embedder: Embedder) -> Engine:
    return Engine(load(data_dir=folder / "data", answerer="extractive"), embedder=embedder)


@pytest.mark.parametrize("price", [0.01, None])
def test_a_large_run_is_announced_before_anything_is_sent(price: float | None, tmp_path: Path) -> None:
    embedder = PricedEmbedder(price)
    said: list[tuple[str, int]] = []

    def notice(line: str) -> None:
        said.append((line, len(embedder.embedded)))

    path = library(tmp_path, 320)
    engine(tmp_path, embedder).index([path], notice=notice)

    ((line, sent_before),) = said
    tokens = sum(len(text.split()) for text in embedder.embedded)
    assert sent_before == 0
    assert len(embedder.embedded) == 1280
    # estimated from half of the papers, all of which have as many words; a word is a token
    cost = f"about ${tokens * 0.01:.2f}" if price else "its price is not known here"
    assert line == f"Sending about 1,280 texts of 320 papers ({tokens:,} tokens) to priced: {cost}"

    engine(tmp_path, embedder).index([path], notice=notice)
    assert len(said) == 1  # there is nothing to send

    engine(tmp_path, embedder).index([path], rebuild=True, notice=notice)
    assert len(said) == 2
    assert said[1][0] == line


def test_a_small_run_is_not(tmp_path: Path) -> None:
    said: list[str] = []

    engine(tmp_path, PricedEmbedder()).index([library(tmp_path, 20)], notice=said.append)

    assert said == []


def test_nor_is_one_that_costs_nothing(tmp_path: Path) -> None:
    said: list[str] = []

    engine(tmp_path, BagEmbedder()).index([library(tmp_path, 320)], notice=said.append)

    assert said == []


def test_a_sync_says_so_too(tmp_path: Path) -> None:
    said: list[str] = []
    path = library(tmp_path, 20)
    made = engine(tmp_path, PricedEmbedder())
    made.index([path])
    library(tmp_path, 320)

    made.sync(notice=said.append)

    assert len(said) == 1
    assert "texts of 300 papers" in said[0]
