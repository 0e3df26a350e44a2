"""Papers: their labels, their ids and hashes, held to the shipped abstracts and to properties."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import dedup
from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.sources import files

# The 46 shipped papers in the order of their origins, read and labelled by hand: (file, line) of each place, and the name that the abstract
# gives to what it proposes, or else its first words.
LABELS = {
    ("000:3",): "DP-CATE",
    ("000:5",): "Rank collapse, a phenomenon where embedding vectors in sequence…",
    ("000:7",): "SurFhead",
    ("000:9",): "VSD",
    ("000:11",): "HRVs",
    ("000:13",): "MAP",
    ("000:15",): "MoS",
    ("000:17",): "RevisEval",
    ("000:19", "001:3"): "COMET",
    ("000:21", "001:5"): "Coresets have become an invaluable tool for solving $k$-means…",
    ("000:23", "001:7"): "VIE-DM",
    ("000:25", "001:11"): "DITTO",
    ("000:27", "001:15"): "GenSE",
    ("000:29", "001:17"): "Red-teaming, or identifying prompts that elicit harmful responses, is…",
    ("000:31", "001:19"): "PAL",
    ("000:33", "001:25"): "SCOPE-Gen",
    ("000:35", "001:27"): "The capabilities and limitations of Large Language Models (LLMs)…",
    ("000:37", "001:29"): "Activation Beacon",
    ("000:39", "001:31"): "The foundation model (FM) paradigm is transforming Machine Learning…",
    ("001:9",): "NetMoE",
    ("001:13",): "RMP-SAM",
    ("001:21",): "Gaussian Processes (GPs) are widely seen as the state-of-the-art…",
    ("001:23",): "InvMSAFold",
    ("001:33",): "Vision-language models such as CLIP have demonstrated strong zero-shot…",
    ("001:35",): "BiGR",
    ("001:37",): "Deep neural networks are vulnerable to backdoor attacks, a…",
    ("001:39",): "FTCT",
    ("004:3",): "GEM",
    ("004:5",): "Partial graph matching extends traditional graph matching by allowing…",
    ("004:7",): "Scaling laws offer valuable insights into the design of…",
    ("004:9",): "Amortized simulation-based inference (SBI) methods train neural networks on…",
    ("004:11",): "ReMiss",
    ("004:13",): "Transformer-NFN",
    ("004:15",): "RaNA",
    ("004:17",): "CogMir",
    ("004:19",): "Intersort",
    ("004:21",): "SeedLM",
    ("004:23",): "Foundation models, such as large language models, have achieved…",
    ("004:25",): "FSGDM",
    ("004:27",): "PEARL",
    ("004:29",): "RAPID",
    ("004:31",): "We study the problem of computing the privacy parameters…",
    ("004:33",): "Learning a transition model via Maximum Likelihood Estimation (MLE)…",
    ("004:35",): "α-SVRG",
    ("004:37",): "Dexterous hands exhibit significant potential for complex real-world grasping…",
    ("004:39",): "Real-world sequential decision-making tasks often require balancing trade-offs between…",
}


def place(origin: Origin) -> str:
    return f"{Path(origin.path).name[:3]}:{origin.line}"


@pytest.fixture(scope="module")
def records(seeds: Path) -> list[Paper]:
    return [paper for file in files.find([seeds]) if isinstance(file, Path) for paper in files.read(file) if isinstance(paper, Paper)]


def works(records: Sequence[Paper]) -> list[Paper]:
    return [dedup.merge([records[at] for at in group.members]) for group in dedup.group([dedup.keys(record) for record in records])]


def test_the_seeds_are_57_records_of_46_papers(records: list[Paper]) -> None:
    papers = works(records)

    assert (len(records), len(papers)) == (57, 46)
    assert {(paper.venue, paper.year, paper.collection, paper.title) for paper in papers} == {("ICLR", 2025, "ICLR 2025 Papers", None)}


def test_every_shipped_paper_has_its_origins_and_its_label(records: list[Paper]) -> None:
    assert {tuple(map(place, paper.origins)): paper.label for paper in works(records)} == LABELS


def test_an_origin_is_the_line_where_the_abstract_stands(records: list[Paper]) -> None:
    for paper in records:
        (origin,) = paper.origins
        assert Path(origin.path).read_text(encoding="utf-8").split("\n")[origin.line - 1].split() == paper.abstract.split()


def test_a_title_is_the_label() -> None:
    assert Paper("p1", "We propose NetMoE, which is fast.", title="On experts").label == "On experts"
    assert str(Origin("a.txt", 3)) == "a.txt:3"


# ----------------------------------------------------------------------------------------------------------- ids and hashes


@pytest.mark.parametrize("copy", ["We study  at- tention.", "we study\nattention.", "We study at-\ntention. ", "*We study* attention."])
def test_copies_that_differ_in_layout_are_one_paper(copy: str) -> None:
    assert paper_id(copy) == paper_id("We study attention.")


@pytest.mark.parametrize("other", ["We study attention!", "We study 2 attention.", "We do not study attention.", "We study 10² GPUs.", ""])
def test_other_words_are_another_paper(other: str) -> None:
    assert paper_id(other) not in (paper_id("We study attention."), paper_id("We study 102 GPUs."))


@given(st.text())
def test_any_text_has_an_id(abstract: str) -> None:
    assert paper_id(abstract) == paper_id(f" {abstract}\n")
    assert len(paper_id(abstract)) == 13


@pytest.mark.parametrize("field", sorted({one.name for one in dataclasses.fields(Paper)} - {"id", "origins"}))
def test_the_hash_changes_with_every_field_that_is_shown(field: str) -> None:
    paper = Paper(
        "p1", "We study it.", title="On it", authors=("A", "B"), year=2024, venue="V", doi="d", pmid="m", arxiv="x", url="u", collection="C"
    )
    changed: Any = {"authors": ("A",), "year": 2025, "extra": {"pages": "3"}}.get(field, "other")

    assert dataclasses.replace(paper, **{field: changed}).content_hash != paper.content_hash


def test_the_hash_does_not_change_with_the_place_or_by_chance() -> None:
    paper = Paper("p1", "We \ud800 study it.", origins=(Origin("a", 1),), extra={"b": "2", "a": "1"})

    assert paper.content_hash == paper.with_origins((Origin("b", 7),)).content_hash
    assert paper.content_hash == dataclasses.replace(paper, extra={"a": "1", "b": "2"}).content_hash
    assert Paper("p", "x", authors=("None", "V")).content_hash != Paper("p", "x", authors=("None",), venue="V").content_hash


def test_origins_are_sorted_and_not_repeated() -> None:
    one, two = Origin("a", 9), Origin("b", 2)

    assert Paper("p", "x").with_origins((two, one, two)).origins == (one, two)
