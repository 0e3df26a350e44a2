"""Smallest corrections by a model: how replies are read, that nothing in them is believed unchecked, and how much of an answer has to change."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import correcting, floors, run_directory, running, schema
from eval.__main__ import main
from eval.correcting import Case, Corrector, Outcome, Proposal
from eval.items import Item
from eval.judging import Kept, ParseError
from eval.metrics import wording
from eval.metrics.support import Label, rarity_in, sentences
from eval.report import page
from eval.run_directory import Run
from eval.systems.chat import Chat
from tests.eval.making import answered, question, refused
from tests.eval.runs import store
from tests.eval.test_judging import chat_reply
from tests.eval.test_page import made
from tests.fakes import TIDE
from tests.scripted_server import Reply, ScriptedServer, failure, json_reply

ABSTRACT = "We study tides. TIDE-7 is 3 times faster than its rivals. It needs no training."
SENTENCE = "TIDE-7 is 5 times faster than its rivals."
RIGHT = next(one for one in sentences(TIDE.abstract) if "1.5" in one)
GOOD = '{"correction": "TIDE-7 is 3 times faster than its rivals.", "evidence": [2]}'


def case(sentence: str = SENTENCE, evidence: str = ABSTRACT) -> Case:
    pieces = tuple(("p1", f"{one.strip('. ')}.") for one in evidence.split(". ") if one.strip())
    return Case("q1", "How fast is TIDE-7?", 0, sentence, Label.CONTRADICTED, pieces)


def corrector(complete: Callable[[str, str], str], of: str = "model", kept: Kept | None = None) -> Corrector:
    return Corrector(complete, [of], kept or Kept(":memory:"), rarity_in([ABSTRACT]), concurrency=1)


def scripted(*replies: str) -> Callable[[str, str], str]:
    left = list(replies)
    return lambda _instructions, _prompt: left.pop(0)


# -------------------------------------------------------------------------------------------------------------------- replies


@pytest.mark.parametrize("reply", [GOOD, f"Here you are:\n```json\n{GOOD}\n```", GOOD.replace("[2]", "[2, 2]")])
def test_a_clear_correction_is_read(reply: str) -> None:
    assert correcting.parse(reply, 3) == Proposal("TIDE-7 is 3 times faster than its rivals.", (2,))


def test_nothing_can_be_kept() -> None:
    assert correcting.parse('{"correction": "", "evidence": []}', 3) == Proposal("", ())
    assert correcting.parse('{"correction": " ", "evidence": [1]}', 3).text == ""


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "TIDE-7 is 3 times faster.",
        f"{GOOD} or {GOOD}",
        '{"correction": "It is.", "evidence": [4]}',
        '{"correction": "It is.", "evidence": [0]}',
        '{"correction": "It is.", "evidence": [true]}',
        '{"correction": "It is.", "evidence": ["2"]}',
        '{"correction": "It is.", "evidence": []}',
        '{"correction": "It is."}',
        '{"correction": 3, "evidence": [1]}',
        '{"evidence": [1]}',
        '{"correction": "It is.", "evid',
        '{"reply": {"correction": "It is.", "evidence": [1]}}',
        "[" * 100_000,
    ],
)
def test_what_is_not_clear_is_an_error_and_never_a_correction(reply: str) -> None:
    with pytest.raises(ParseError):
        correcting.parse(reply, 3)
    (found,) = corrector(scripted(reply)).corrected([case()])
    assert (found.outcome, found.proposed, found.share) == (Outcome.ERROR, "", 1.0)
    assert "ParseError" in found.why


@given(st.text(max_size=60))
def test_any_reply_is_a_proposal_or_a_parse_error(reply: str) -> None:
    with suppress(ParseError):
        correcting.parse(reply, 3)


# -------------------------------------------------------------------------------------------------------- nothing is believed


def test_a_correction_that_its_evidence_bears_out_counts_with_what_it_changes() -> None:
    (found,) = corrector(scripted(GOOD)).corrected([case()])
    assert (found.outcome, found.evidence) == (Outcome.CORRECTED, (2,))
    assert found.share == pytest.approx(2 / 16)  # 5 out and 3 in, of eight words on either side


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (GOOD.replace("3 times", "4 times"), "numeric"),  # another number that does not stand there
        (GOOD.replace("[2]", "[3]"), "unsupported"),  # it stands there, and not in the sentence that is named
        (GOOD.replace("3 times", "5 times"), "numeric"),  # the sentence as it was
        ('{"correction": "The evidence does not say this.", "evidence": [1]}', "claims nothing"),
    ],
)
def test_a_correction_that_does_not_hold_is_no_correction(reply: str, why: str) -> None:
    (found,) = corrector(scripted(reply)).corrected([case()])
    assert found.outcome is Outcome.NOT_BORNE_OUT
    assert why in found.why
    assert found.share == 1.0


def test_without_evidence_no_model_is_asked() -> None:
    (found,) = corrector(scripted()).corrected([case(evidence="")])
    assert (found.outcome, found.share) == (Outcome.LEFT_OUT, 1.0)


def test_replies_are_kept_for_their_model_alone() -> None:
    kept = Kept(":memory:")
    assert corrector(scripted(GOOD), "A", kept).corrected([case()])[0].outcome is Outcome.CORRECTED
    assert corrector(scripted(), "A", kept).corrected([case()])[0].outcome is Outcome.CORRECTED  # nobody is asked again
    assert corrector(scripted('{"correction": "", "evidence": []}'), "B", kept).corrected([case()])[0].outcome is Outcome.LEFT_OUT


def test_a_server_with_faults_costs_the_corrections_that_it_spoils() -> None:
    replies: list[Reply] = [
        failure(429, "slow down", retry_after="0"),
        json_reply(chat_reply(GOOD)),
        json_reply(chat_reply('{"correction": ')),
        json_reply({"choices": []}),
        failure(400, "no such model"),
    ]
    with ScriptedServer(chat=replies) as server:
        chat = Chat(base_url=server.url, key="k", model="tiny")
        found = corrector(chat.complete).corrected([case(f"{SENTENCE[:-1]} {n}.") for n in range(4)])
    assert [one.outcome for one in found] == [Outcome.CORRECTED, *[Outcome.ERROR] * 3]


def test_a_server_is_held_to_the_form_and_one_that_cannot_is_asked_without() -> None:
    schema = {"type": "object"}
    with ScriptedServer(chat=[failure(400, "no such form"), json_reply(chat_reply(GOOD)), json_reply(chat_reply(GOOD))]) as server:
        chat = Chat(base_url=server.url, key="k", model="tiny")
        assert [chat.complete("a", "b", schema=schema) for _ in range(2)] == [GOOD, GOOD]
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]
    with ScriptedServer(chat=[json_reply(chat_reply(GOOD))]) as server:
        Chat(base_url=server.url, key="k", model="tiny").complete("a", "b", schema=schema)
    assert server.requests[0].body["response_format"]["json_schema"]["schema"] == schema


# -------------------------------------------------------------------------------------------------------------- how much changes


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.lists(st.sampled_from("abcd"), max_size=9))
def test_a_difference_gives_both_wordings_back_and_no_shorter_one_would(one: Sequence[str], other: Sequence[str]) -> None:
    found = wording.pieces(" ".join(one), " ".join(other))
    assert " ".join(piece.text for piece in found if piece.how != "in").split() == list(one)
    assert " ".join(piece.text for piece in found if piece.how != "out").split() == list(other)
    kept = sum(len(piece.text.split()) for piece in found if piece.how == "same")
    assert kept == longest_common(list(one), list(other))


def longest_common(one: list[str], other: list[str]) -> int:
    """By trying everything: an oracle for short texts."""
    if not one or not other:
        return 0
    without = longest_common(one[1:], other)
    return max(without, 1 + longest_common(one[1:], other[other.index(one[0]) + 1 :])) if one[0] in other else without


def test_no_words_have_no_share() -> None:
    with pytest.raises(ValueError, match="word"):
        wording.share_changed("", " ")


def of_run(items: Sequence[Item], complete: Callable[[str, str], str]) -> correcting.Result:
    run = replace(made(items), library={"p1": ABSTRACT, "p2": "Mosses are green."})
    return correcting.result(run, corrector(complete).corrected(correcting.cases(run)))


def test_the_share_of_an_answer_is_that_of_its_words() -> None:
    good = answered(question("good"), "TIDE-7 is 3 times faster than its rivals.")
    bad = answered(question("bad"), SENTENCE)
    found = of_run([good, bad, refused(question("refused"))], scripted(GOOD))
    assert [one.case.question_id for one in found.corrections] == ["bad"]
    assert found.of_sentences == pytest.approx(2 / 16)
    assert found.answers == 2
    assert found.of_answers == pytest.approx(1 / 16)
    assert found.counts == {Outcome.CORRECTED: 1, Outcome.LEFT_OUT: 0, Outcome.NOT_BORNE_OUT: 0, Outcome.ERROR: 0}


def test_an_answer_that_was_not_asked_about_is_not_taken_for_one_without_a_fault() -> None:
    run = replace(made([answered(question(name), SENTENCE) for name in ("a", "b")]), library={"p1": ABSTRACT, "p2": "Mosses are green."})
    wrong = correcting.cases(run)
    found = correcting.result(run, corrector(scripted(GOOD)).corrected(wrong[:1]), wrong[1:])
    assert (found.not_asked, found.answers) == (1, 1)
    assert found.of_answers == pytest.approx(2 / 16)
    assert "1 more were not asked about" in "\n".join(correcting.lines(found))


def test_where_everything_is_borne_out_nobody_is_asked_and_nothing_changes() -> None:
    found = of_run([answered(question("good"), "TIDE-7 is 3 times faster than its rivals.")], scripted())
    assert (found.corrections, found.of_sentences, found.of_answers) == ((), None, 0.0)


# ------------------------------------------------------------------------------------------------------------ command and page


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A run whose answer turns what the abstract says round."""
    wrong = RIGHT.replace("1.5", "9")
    return store(tmp_path / "run", [answered(question("q1", papers=(TIDE.id,)), wrong, cites=(TIDE.id,), ranked=(TIDE.id,))])


def test_the_command_corrects_and_the_report_shows_what_changes(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = json.dumps({"correction": RIGHT, "evidence": [sentences(TIDE.abstract).index(RIGHT) + 1]})
    with ScriptedServer(chat=[json_reply(chat_reply(reply))]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("RAG_QA_LLM_MODEL", "tiny")
        assert main(["correct", str(stored)]) == 0
        assert main(["correct", str(stored)]) == 0  # from what was kept: one request in all
        assert len(server.requests) == 1
    said = capsys.readouterr().out
    assert "1 corrected" in said
    told = json.loads((stored / correcting.FILE).read_text(encoding="utf-8"))
    jsonschema.validate(told, schema.of_corrections())
    assert told["corrections"][0]["proposed"] == RIGHT
    text = shown(run_directory.load(stored))
    assert re_found(text) == ([word for word in told["corrections"][0]["sentence"].split() if word not in RIGHT.split()], True)


def re_found(text: str) -> tuple[list[str], bool]:
    """The words that are struck through in the report, and whether some are put in."""
    part = text[text.index('id="corrections"') :].split("<h2")[0]
    return [word for piece in part.split("<del>")[1:] for word in piece.split("</del>")[0].split()], "<ins>" in part


def shown(run: Run) -> str:
    return page.render(run, running.summarised(run, floors.load()))


def test_corrections_of_other_answers_are_said_to_be_stale(stored: Path) -> None:
    told = {"items_sha256": "0" * 64, "corrections": []}
    (stored / correcting.FILE).write_text(json.dumps(told), encoding="utf-8")
    text = shown(run_directory.load(stored))
    assert "python -m eval correct</code> left here was found on other answers" in text
    assert 'id="corrections"' not in text


def test_without_a_model_it_says_what_to_set(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["correct", str(stored)]) == 2
    assert "corrections need a chat model: set RAG_QA_LLM_MODEL" in capsys.readouterr().err
