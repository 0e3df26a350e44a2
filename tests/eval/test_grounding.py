"""The figures about the check, on data that one can count by hand; and the paraphrases that are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import corpus, grounding
from eval import pairs as pairs_module
from eval.__main__ import main
from eval.grounding import Figures, Flagged
from eval.pairs import CONTRADICTED, NOT_ENOUGH, SUPPORTED, Pair, Separation
from rag_qa.errors import SourceError
from rag_qa.grounding import GroundingCheck
from rag_qa.papers import Paper

MOSS = Paper("p1", "Moss keeps the soil wet. We measured 14 meadows with TIDE-7 over six years. Meadows with moss lost 23% less water.")
WHALES = Paper("p2", "Whales sing to each other at night. We recorded 90 songs near the coast of the island.")


def pairs(tmp_path: Path, *records: dict[str, object]) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return path


def record(label: str = "SUPPORT", *, split: str = "dev", **other: object) -> dict[str, object]:
    return {"set": "a", "split": split, "id": "1", "title": "", "source": MOSS.abstract, "sentence": "Moss is wet.", "label": label, **other}


def test_pairs_of_one_split_are_read_whatever_their_set_calls_its_labels(tmp_path: Path) -> None:
    path = pairs(tmp_path, record(), record("Refutes"), record("SUPPORT", split="train"), record("Neutral", title="On moss"))
    found = pairs_module.load(path, "a", "dev")
    assert [pair.label for pair in found] == [SUPPORTED, CONTRADICTED, NOT_ENOUGH]
    assert [pair.paper.title for pair in found] == [None, None, "On moss"]


def test_a_bad_pair_is_reported_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"pairs\.jsonl:2.*the label 'perhaps'"):
        pairs_module.load(pairs(tmp_path, record(), record("perhaps")), "a", "dev")
    with pytest.raises(SourceError, match=r"pairs\.jsonl:1.*no source"):
        pairs_module.load(pairs(tmp_path, record(source=None)), "a", "dev")
    (tmp_path / "pairs.jsonl").write_text("{]\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"pairs\.jsonl:1"):
        pairs_module.load(tmp_path / "pairs.jsonl", "a", "dev")


def test_without_the_pairs_the_data_is_absent(tmp_path: Path) -> None:
    with pytest.raises(corpus.DataAbsent):
        pairs_module.load(tmp_path / "none.jsonl", "a", "dev")


def test_auroc_counts_ties_half_and_needs_both_sides() -> None:
    assert pairs_module.auroc([2, 1], [0]) == 1.0
    assert pairs_module.auroc([1], [1]) == 0.5
    assert pairs_module.auroc([0], [1, 2]) == 0.0
    with pytest.raises(ValueError, match="nothing to compare"):
        pairs_module.auroc([], [1])


def test_supported_sentences_are_held_against_each_kind_of_the_others() -> None:
    labels = [SUPPORTED, SUPPORTED, CONTRADICTED, NOT_ENOUGH]
    found = pairs_module.separation([Pair("a", "dev", MOSS, "", label) for label in labels], [0.9, 0.4, 0.5, 0.1])
    assert found == Separation(4, all=0.75, not_enough=1.0, contradicted=0.5)


def test_flags_are_counted_by_kind_and_wrong_ones_shown_with_the_reason() -> None:
    judged = [("good", "Moss keeps the soil wet.", MOSS), ("good", "We measured 41 meadows.", MOSS), ("bad", "Moss keeps the soil wet.", WHALES)]
    good, bad = grounding.flags(GroundingCheck(), judged, [MOSS, WHALES], should_be=False)
    assert (good.kind, good.sentences, good.flagged, good.share) == ("good", 2, 1, 0.5)
    assert "41" in good.wrong[0]
    assert "another paper" in bad.wrong[0]
    good, _ = grounding.flags(GroundingCheck(), judged, [], should_be=True)
    assert good.wrong == ("Moss keeps the soil wet. [supported]",)


def figures(*, caught: int = 100, untouched: int = 0, unseen: int = 0) -> Figures:
    alarms = [Flagged("untouched", 100, untouched), Flagged("paraphrase, looked at", 50, 0), Flagged("paraphrase, unseen", 50, unseen)]
    return Figures({}, [Flagged("number", 100, caught)], [], alarms, (1.0, 2.0))


def test_floors_that_do_not_hold_are_named() -> None:
    assert figures().faults == []
    assert figures(caught=97, untouched=3, unseen=15).faults == []
    (fault,) = figures(caught=96).faults
    assert "number: 96.0%" in fault
    (fault,) = figures(untouched=4).faults
    assert "untouched: 4.0%" in fault
    (fault,) = figures(unseen=16).faults
    assert "paraphrase" in fault


def test_the_report_has_every_figure() -> None:
    told = "\n".join(grounding.lines(figures(caught=50)))
    assert "not on this machine" in told
    assert "50.0%" in told
    assert "1.0 ms (median), 2.0 ms" in told
    assert "BELOW A FLOOR: number" in told


# ------------------------------------------------------------------------------------------------------------ paraphrases


def test_the_paraphrases_are_of_all_abstracts_and_quote_none(seed_papers: list[Paper]) -> None:
    found = grounding.paraphrases(grounding.PARAPHRASES, seed_papers)
    assert len(found) >= 60
    assert len({sentence for _, sentence, _ in found}) == len(found)
    assert {paper.id for _, _, paper in found} == {paper.id for paper in seed_papers}
    assert not [sentence for _, sentence, paper in found if sentence.rstrip(".") in paper.abstract]
    looked_at, unseen = ({paper.id for kind, _, paper in found if kind == one} for one in grounding.PARAPHRASE_KINDS)
    assert not looked_at & unseen


def test_a_paraphrase_of_an_unknown_abstract_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"paper": "Moss keeps", "sentence": "Moss is wet."}\n\n{"paper": "Grass", "sentence": "It is dry."}\n', encoding="utf-8")
    with pytest.raises(SourceError, match=r"some\.jsonl:3.*Grass"):
        grounding.paraphrases(path, [MOSS])


def test_a_paraphrase_is_edited_like_a_sentence() -> None:
    made = grounding.edited_paraphrases([("any", "Moss saves 23% of the water.", MOSS)], [MOSS, WHALES])
    assert {kind for kind, _, _ in made} == {"number, paraphrased", "unit, paraphrased", "invented ending, paraphrased"}


# ------------------------------------------------------------------------------------------------------------ the command


def test_the_command_measures_some_abstracts_without_the_labelled_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grounding", "--data", str(tmp_path / "none.jsonl"), "--count", "4", "--failures"]) == 0
    told = capsys.readouterr().out
    for kind in ("swapped paper", "invented ending", "negation", "untouched"):
        assert kind in told
    assert "paraphrase," not in told


def test_the_shipped_check_tells_labelled_pairs_apart(shared_data: Path, check: GroundingCheck) -> None:
    """A part of those that it was fitted on: whether the weights fit the code, not how good they are."""
    found = pairs_module.load(shared_data / "grounding" / "pairs.jsonl", "scifact", "train")[::8]
    assert pairs_module.separation(found, [check.score(pair.sentence, pair.paper) for pair in found]).all > 0.75


@pytest.mark.benchmark
def test_the_figures_of_the_documents_hold(shared_data: Path) -> None:
    found = grounding.measured(shared_data / "grounding" / "pairs.jsonl")
    assert found.faults == []
    dev = found.separations["SciFact dev"]
    assert dev.all >= 0.84
    assert dev.not_enough >= 0.89
    assert dev.contradicted >= 0.74


@pytest.fixture
def check() -> GroundingCheck:
    """The check as the engine makes it."""
    return grounding.shipped_check()
