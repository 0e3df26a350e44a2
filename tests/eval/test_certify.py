"""Thresholds with a guarantee: worked by hand, on simulated questions whose true risk is known, and over stored runs."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import certify, run_directory, running, schema
from eval.__main__ import main
from eval.certify import CertifyError, Fold, Guarantee, Outcome, Split
from eval.datasets.loader import Kind
from eval.items import Item
from eval.metrics import guarantees
from eval.metrics.guarantees import NEVER, NOTHING
from eval.report import measured
from rag_qa.errors import SourceError
from tests.eval import runs
from tests.eval.making import answered, crashed, question, refused, unanswerable

# ---------------------------------------------------------------------------------------------------------- worked by hand


@pytest.mark.parametrize(
    ("alpha", "threshold"),
    [
        # four questions; wrong answers above .9, .8, .7, .6: 0, 0, 1, 2. (0 + 1) / 5 = .2, (1 + 1) / 5 = .4, (2 + 1) / 5 = .6
        (0.19, None),
        (0.2, 0.8),
        (0.39, 0.8),
        (0.4, 0.7),
        (0.6, 0.0),
    ],
)
def test_conformal_risk_control_worked_by_hand(alpha: float, threshold: float | None) -> None:
    assert guarantees.conformal([0.9, 0.8, 0.7, 0.6], [False, False, True, True], alpha) == threshold


def test_where_the_surest_answer_is_wrong_only_silence_is_safe() -> None:
    assert guarantees.conformal([0.9, 0.8, 0.7, 0.6], [True, False, False, False], 0.2) == NOTHING
    assert guarantees.counted([0.9, 1.0], [True, True], NOTHING) == (0, 0)


def test_learn_then_test_worked_by_hand() -> None:
    # ten confidences, three questions each, so a step of the grid answers 3 more; the last two of those tried hold wrong ones
    sure = [round(1 - i // 3 / 10, 1) for i in range(30)]
    wrong = [place in (22, 25, 28, 29) for place in range(30)]
    tried = guarantees.learned(sure, wrong, sure, epsilon=0.5, delta=0.1)
    # half of delta each: a half to the power of 5 is below .05, of 4 not, and three tenths more are asked for: 7 answers. Beginnings: 9 and 21
    assert (tried[0].threshold, tried[0].answered, tried[0].wrong) == (0.8, 9, 0)
    assert tried[0].p == pytest.approx(0.5**9)
    assert (tried[-1].threshold, tried[-1].answered, tried[-1].wrong, tried[-1].level) == (0.1, 30, 4, 0.05)
    assert tried[-1].p == pytest.approx(sum(math.comb(30, k) for k in range(5)) / 2**30)
    assert guarantees.best(tried) == tried[-1]


def test_a_test_that_fails_ends_its_row_of_tests() -> None:
    sure = [1 - i / 1000 for i in range(400)]
    wrong = [70 <= i < 80 for i in range(400)]
    tried = guarantees.learned(sure, wrong, sure, epsilon=0.1, delta=0.1)
    # the rows begin at 40 and at 220 answers; at 80 a tenth and more are wrong, and so the first row never gets to 100, where it would be too
    assert [one.answered for one in tried] == [40, 60, 80, *range(220, 401, 20)]
    assert [one.answered for one in tried if not one.is_certified] == [80]


@pytest.mark.parametrize(("count", "certified"), [(21, False), (22, True)])
def test_with_fewer_answers_than_ln_delta_by_ln_1_less_epsilon_nothing_is_promised(count: int, certified: bool) -> None:
    assert guarantees.fewest_answers(0.1, 0.1) == 22
    sure = [0.5] * count
    assert (guarantees.best(guarantees.learned(sure, [False] * count, sure, epsilon=0.1, delta=0.1)) is not None) is certified


def test_tails_are_those_of_the_binomial() -> None:
    for n in (1, 5, 40):
        exact = [math.comb(n, k) * 0.3**k * 0.7 ** (n - k) for k in range(n + 1)]
        for k in range(n):
            assert guarantees.lower_tail(k, n, 0.3) == pytest.approx(sum(exact[: k + 1]))
            assert guarantees.upper_tail(k, n, 0.3) == pytest.approx(sum(exact[k:]))


OUTCOMES = st.lists(st.tuples(st.sampled_from([NEVER, 0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=60)


@given(OUTCOMES, st.floats(0.05, 0.5), st.floats(0.0, 0.4), st.integers(0, 9))
def test_conformal_thresholds_keep_their_word_on_the_calibration_questions_and_more_is_allowed_by_a_larger_alpha(
    pairs: list[tuple[float, bool]], alpha: float, more: float, seed: int
) -> None:
    sure, wrong = [one for one, _ in pairs], [one for _, one in pairs]
    found = guarantees.conformal(sure, wrong, alpha)
    if found is None:
        assert len(pairs) < 1 / alpha - 1
        return
    assert (guarantees.counted(sure, wrong, found)[1] + 1) / (len(pairs) + 1) <= alpha + 1e-9
    larger = guarantees.conformal(sure, wrong, alpha + more)
    assert larger is not None
    assert larger <= found
    random.Random(seed).shuffle(pairs)
    assert guarantees.conformal([one for one, _ in pairs], [one for _, one in pairs], alpha) == found


@given(OUTCOMES, OUTCOMES, st.floats(0.05, 0.5), st.floats(0.05, 0.5))
def test_what_is_certified_was_tested_at_no_more_than_delta(
    pairs: list[tuple[float, bool]], others: list[tuple[float, bool]], epsilon: float, delta: float
) -> None:
    sure, wrong = [one for one, _ in pairs], [one for _, one in pairs]
    tried = guarantees.learned(sure, wrong, [one for one, _ in others], epsilon=epsilon, delta=delta)
    assert {one.threshold for one in tried} <= {one for one, _ in others}
    for one in tried:
        assert (one.answered, one.wrong) == guarantees.counted(sure, wrong, one.threshold)
        assert 0 < one.level <= delta
        assert not one.is_certified or one.answered >= guarantees.fewest_answers(epsilon, delta)


# --------------------------------------------------------------------------------------------- simulated, with a known risk

EPSILON = DELTA = ALPHA = 0.1
SETS = 300


def right_by(sure: float) -> float:
    """The true share of wrong answers among those of one confidence: 30 % at 0, none at 1. Above a threshold t it is .3 (1 - t) / 2."""
    return 0.3 * (1 - sure)


def simulated(chance: random.Random, count: int) -> list[Outcome]:
    sure = [chance.random() for _ in range(count)]
    return [Outcome(one, chance.random() < right_by(one), place) for place, one in enumerate(sure)]


def true_share(threshold: float) -> float:
    return right_by(threshold) / 2


def careless(found: Sequence[Outcome]) -> float:
    """The lowest threshold that looks good: what one does without learn-then-test."""
    sure, wrong = [one.confidence for one in found], [one.is_wrong for one in found]
    good = [one for one in sorted(sure) if (fold := guarantees.counted(sure, wrong, one))[1] <= EPSILON * fold[0]]
    return good[0] if good else 1.0


def test_learn_then_test_breaks_its_promise_no_more_often_than_delta() -> None:
    chance, broken, given_, careless_broken = random.Random(7), 0, 0, 0
    for seed in range(SETS):
        found = simulated(chance, 800)
        split = certify.learn_then_test(found, EPSILON, DELTA, splits=1).splits[0]
        given_ += split.threshold is not None
        broken += split.threshold is not None and true_share(split.threshold) > EPSILON
        careless_broken += true_share(careless(certify.halves(found, seed)[0])) > EPSILON
    assert broken <= SETS * DELTA + 3 * math.sqrt(SETS * DELTA * (1 - DELTA))
    assert given_ > SETS / 3
    # the same simulation catches a rule that only looks
    assert careless_broken > 3 * SETS * DELTA


def test_conformal_risk_control_holds_in_the_mean_and_wastes_little() -> None:
    chance, risks = random.Random(8), []
    for _ in range(SETS):
        split = certify.conformal(simulated(chance, 100), ALPHA, splits=1).splits[0]
        assert split.threshold is not None
        above = 1 - min(1.0, split.threshold)
        risks.append(true_share(1 - above) * above)
    mean = sum(risks) / SETS
    error = math.sqrt(sum((one - mean) ** 2 for one in risks) / SETS / SETS)
    assert mean <= ALPHA + 3 * error
    assert mean >= ALPHA - 2 / 51 - 3 * error
    # what is bounded is the risk over all questions, and not the share among the answers
    assert max(risks) > ALPHA


def test_the_splits_of_an_honest_run_do_not_speak_against_it_and_those_of_a_cheat_do() -> None:
    found = simulated(random.Random(9), 600)
    honest = certify.learn_then_test(found, EPSILON, DELTA)
    assert not honest.is_contradicted
    assert honest.beyond_chance <= honest.above <= honest.certified
    bad = tuple(replace(split, held_out=Fold(100, 100, 30)) for split in honest.splits)
    assert replace(honest, splits=bad).is_contradicted
    assert "the splits speak against it" in certify.checked(replace(honest, splits=tuple(replace(one, threshold=0.5) for one in bad)))
    mean = certify.conformal(found, ALPHA)
    assert not mean.is_contradicted
    assert replace(mean, bound=mean.mean / 2).is_contradicted


# ---------------------------------------------------------------------------------------------------- outcomes and splits


def test_what_counts_as_wrong() -> None:
    items = [
        replace(answered(question("right")), confidence=0.9),
        replace(answered(question("other fact"), "It is slow."), confidence=0.8),
        replace(answered(question("other paper"), cites=("p9",)), confidence=1.7),
        replace(refused(question("refused")), confidence=0.6),
        replace(answered(unanswerable("made up")), confidence=0.5),
        replace(refused(unanswerable("rightly refused")), confidence=0.4),
        crashed(question("crashed")),
        replace(answered(replace(question("unlabelled", papers=(), facts=()), kind=Kind.OPEN, answerable=None)), confidence=0.5),
    ]
    found = certify.outcomes(items)
    assert [(one.confidence, one.is_wrong) for one in found[:3]] == [(0.9, False), (0.8, True), (1.0, True)]
    assert [one.confidence for one in found[3:6]] == [NEVER, 0.5, NEVER]
    assert found[4].is_wrong
    assert (found[6].confidence, found[6].is_wrong) == (1.0, True)
    assert len(found) == 7
    assert [one.has_paper for one in found] == [True, True, True, True, False, False, True]
    assert [one.is_wrong for one in certify.outcomes(items, "paper")[:3]] == [False, False, True]


def test_halves_hold_one_question_of_each_paper_and_share_none() -> None:
    found = [Outcome(place / 100, False, place // 5) for place in range(100)]
    for seed in range(5):
        one, other = certify.halves(found, seed)
        clusters = [item.cluster for item in (*one, *other)]
        assert sorted(clusters) == list(range(20))
        assert (len(one), len(other)) == (10, 10)
        assert certify.halves(found, seed) == (one, other)
    assert certify.halves(found, 0) != certify.halves(found, 1)


def test_questions_without_a_paper_keep_their_share() -> None:
    # 100 questions about 20 papers, and 50 without one: a third of what is drawn, and not 50 of 70
    found = [Outcome(place / 1000, False, place // 5) for place in range(100)] + [Outcome(0.5, True, 100 + n, has_paper=False) for n in range(50)]
    for seed in range(5):
        both = [one for half in certify.halves(found, seed) for one in half]
        assert (len(both), sum(not one.has_paper for one in both)) == (30, 10)
        assert len({one.cluster for one in both}) == 30
    assert len(certify.drawn(found[100:], random.Random(1))) == 50


def test_ten_questions_about_one_paper_are_no_ten_witnesses() -> None:
    found = [Outcome(1 - place / 1000, False, place // 10) for place in range(400)]
    one = certify.learn_then_test(found, EPSILON, DELTA)
    assert {(split.calibration.questions, split.there) for split in one.splits} == {(20, 20)}
    assert one.certified == 0


# ----------------------------------------------------------------------------------------------------------------- command


def few(count: int = 120, *, wrong: Callable[[int], bool] = lambda place: place > 110) -> list[Item]:
    """Answers about as many papers, the surest first; the least sure ones are wrong."""
    texts = ["It is slow." if wrong(place) else "It is fast." for place in range(count)]
    return [
        replace(answered(question(f"q{place}", papers=(f"p{place}",)), text, cites=(f"p{place}",)), confidence=1 - place / 1000)
        for place, text in enumerate(texts)
    ]


def test_the_command_says_what_it_promises_leaves_it_for_the_report_and_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = runs.store(tmp_path / "run", few())
    assert main(["certify", str(directory)]) == 0
    said = capsys.readouterr().out
    for words in (
        "with a probability of 90 % over the choice of the calibration questions, at most 10 % of the answers that are given are wrong",
        "at most 10 % of all questions, refused ones among them, get a wrong answer, in the mean",
        "calibration  60 questions",
        "100 splits",
        "nothing speaks against it",
    ):
        assert words in said, words
    kept = json.loads((directory / certify.FILE).read_text(encoding="utf-8"))
    jsonschema.validate(kept, schema.of_certified())
    assert [one["kind"] for one in kept["guarantees"]] == ["learn-then-test", "conformal risk control"]
    assert len(kept["guarantees"][0]["splits"]) == certify.SPLITS
    before = (directory / certify.FILE).read_bytes()
    assert main(["certify", str(directory)]) == 0
    assert (directory / certify.FILE).read_bytes() == before


def test_only_what_is_asked_for_is_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = runs.store(tmp_path / "run", few())
    assert main(["certify", str(directory), "--alpha", "0.2"]) == 0
    assert "learn-then-test" not in capsys.readouterr().out
    assert main(["certify", str(directory), "--epsilon", "0.3", "--delta", "0.2"]) == 0
    said = capsys.readouterr().out
    assert "conformal" not in said
    assert "epsilon 0.3, delta 0.2" in said


def test_without_enough_questions_no_guarantee_is_printed_and_it_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = runs.store(tmp_path / "run", few(14))
    assert main(["certify", str(directory)]) == 1
    said = capsys.readouterr().out
    assert "no guarantee: 7 answered calibration questions, at least 22 are needed (ln delta / ln (1 - epsilon))" in said
    assert "no guarantee: 7 calibration questions, at least 9 are needed (1 / alpha - 1)" in said
    assert "are wrong" not in said


def test_too_many_wrong_answers_certify_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = runs.store(tmp_path / "run", few(wrong=lambda place: place % 3 == 0))
    assert main(["certify", str(directory), "--epsilon", "0.1"]) == 1
    assert "no guarantee: too few calibration answers or too many wrong ones" in capsys.readouterr().out


def test_what_cannot_be_certified_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = runs.store(tmp_path / "same", [replace(one, confidence=0.0) for one in few()])
    open_ = runs.store(
        tmp_path / "open", [replace(one, question=replace(one.question, papers=(), facts=(), answerable=None, kind=Kind.OPEN)) for one in few()]
    )
    half = runs.store(tmp_path / "half", few(), questions=500)
    whole = runs.store(tmp_path / "whole", few())
    for arguments, words in (
        ([str(same)], "found the same confidence for every answer, expected a system that is sure of some more than of others"),
        ([str(open_)], "0 of 120 questions say what a right answer is"),
        ([str(half)], "120 of 500 questions were asked, expected all"),
        ([str(whole), "--delta", "0.1"], "--delta belongs to --epsilon"),
    ):
        assert main(["certify", *arguments]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert len(error.splitlines()) == 1
    for share in ("0", "1", "-0.1", "nan"):
        with pytest.raises(SystemExit):
            main(["certify", str(whole), f"--alpha={share}"])
        assert "it has to lie between 0 and 1" in capsys.readouterr().err


def test_a_run_about_one_paper_alone_is_not_certified(tmp_path: Path) -> None:
    items = [replace(one, question=replace(one.question, papers=("p1",))) for one in few()]
    with pytest.raises(CertifyError, match="about two papers"):
        certify.certified(tmp_path, items, alpha=0.1, epsilon=None)


# ------------------------------------------------------------------------------------------------------------------ report


def page_of(directory: Path) -> str:
    assert main(["report", str(directory), "--out", str(directory / "page.html")]) == 0
    return (directory / "page.html").read_text(encoding="utf-8")


def reportable(tmp_path: Path) -> Path:
    directory = runs.store(tmp_path / "run", few(), chosen_kinds=[], settings={"answerer": "extractive", "embedder": "minilm"})
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    manifest |= {"configuration_sha256": "e" * 64, "revision": None, "versions": {}, "started": "2026-12-01T10:00:00+00:00"}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return directory


def test_the_report_shows_the_guarantees_with_a_picture_of_the_splits(tmp_path: Path) -> None:
    directory = reportable(tmp_path)
    assert 'id="certified"' not in page_of(directory)
    assert main(["certify", str(directory)]) == 0
    text = page_of(directory)
    for words in ('id="certified"', "Learn-then-test: 100 splits", "Conformal risk control: 100 splits", "are given are wrong", 'class="dot main"'):
        assert words in text, words
    assert text == page_of(directory)


def test_guarantees_of_other_answers_are_not_shown(tmp_path: Path) -> None:
    directory = reportable(tmp_path)
    assert main(["certify", str(directory)]) == 0
    other = runs.store(tmp_path / "other", few(wrong=lambda _: False))
    shutil.copy(other / "items.jsonl", directory / "items.jsonl")
    text = page_of(directory)
    assert 'id="certified"' not in text
    assert "<code>python -m eval certify</code> left here was found on other answers" in text


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"guarantees": 1}'])
def test_a_file_that_no_command_wrote_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / certify.FILE).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match="python -m eval certify"):
        measured.of(tmp_path)


def test_a_split_that_answers_nothing_is_a_null_and_no_dot() -> None:
    split = Split(0, NOTHING, Fold(9, 0, 0), Fold(9, 0, 0), 9, 9)
    plain: dict[str, Any] = certify._plain(Guarantee("conformal risk control", 0.1, None, (split,)))
    assert plain["threshold"] is None
    assert plain["promise"] == "only by answering nothing is it certain that at most 10 % of all questions get a wrong answer"
    assert "circle" not in measured.picture(plain)


def test_the_run_command_and_this_one_agree_on_what_is_right(tmp_path: Path) -> None:
    directory = runs.store(tmp_path / "run", few())
    stored = run_directory.load(directory)
    wrong = sum(one.is_wrong for one in certify.outcomes(stored.items))
    right = next(figure for figure in running.summarised(stored, []).figures if figure.key == "right.all")
    assert right.value == pytest.approx(1 - wrong / len(stored.items))
