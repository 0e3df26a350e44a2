"""Answers written by a chat model from numbered abstracts, every sentence checked before it is shown.

The model is given nothing but the question and the abstracts that were found. Its sentences are taken from the stream as they are finished
(`reply`), checked and shown (`draft`); those that do not hold it may put right once (`repair`). Whatever it does, the outcome is one of four:

- an answer, whose sentences hold or are marked;
- an answer of what had come, with a notice, when the model breaks off, is cut off or its deadline passes;
- a refusal without a citation, when it says in our word for it or in its own that the papers do not answer;
- without one sentence of use (an empty reply, a refusal to speak, a tool call, broken JSON, our own prompt), the answer of `fallback`, with a notice.

What a person has to act on (no key, no server, no time) is a ProviderError, if it comes before the first sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace

from rag_qa import tokens
from rag_qa.answering import prompts, repair
from rag_qa.answering.answer import Answer, AnswerEvent, Step, Usage
from rag_qa.answering.asking import Asking, Request
from rag_qa.answering.citations import Cited
from rag_qa.answering.draft import CUT_OFF, TORN, Check, Draft, Unsupported
from rag_qa.answering.markers import defuse
from rag_qa.answering.refusals import is_nothing
from rag_qa.answering.reply import ReplyReader
from rag_qa.errors import ContextTooLong, NoAnswer, ProviderError
from rag_qa.llm.chat_model import ChatModel
from rag_qa.retrieval.hits import Hit

WRITING = "Writing and checking"
REPAIRING = "Correcting what the abstracts do not bear out"
_BEAT = 0.5
"""Seconds after which a sign of life is given while nothing can be shown: whoever listens can stop then."""
INSTEAD = "This answer is made of the abstracts' own sentences."
_SHRINKING = (1.0, 0.5, 0.25)
"""Shares of the room for abstracts that are tried in turn when the server finds the prompt too long: its tokenizer or window differs from ours."""


class GenerativeAnswerer:
    """Asks a chat model, over the papers found, and checks what it says.

    `max_output_tokens` limits a reply. `unsupported`: what becomes of a sentence that does not hold. `repairs`: may the model put it right before?
    `deadline`: seconds for all that the model is asked for one answer.
    """

    def __init__(
        self,
        model: ChatModel,
        check: Check,
        *,
        max_output_tokens: int = 600,
        unsupported: Unsupported = "show",
        repairs: bool = True,
        deadline: float | None = None,
    ) -> None:
        self._model = model
        self._check = check
        self._reply_tokens = min(max_output_tokens, model.context_tokens // 3)
        self._unsupported: Unsupported = unsupported
        self._repairs = repairs
        self._deadline = deadline

    def stream(
        self,
        question: str,
        hits: Sequence[Hit],
        *,
        asked: str | None = None,
        confidence: float = 0.0,
        fallback: Callable[[], Answer] | None = None,
        most_words: int = prompts.MOST_WORDS,
    ) -> Generator[AnswerEvent, None, None]:
        """Checked sentences as they are finished, then the Answer. Raises ProviderError.

        `question` stands alone; `asked` is what the person typed, if it differs. `hits`: at least one, best first. `confidence` in [0, 1], how sure
        the search is that the papers answer, is handed on. `fallback` gives an answer without the model where that gives none; without it, that is
        a NoAnswer. `most_words`: for so many it is asked, at most. Closing the generator hangs up on the model. The Answer is what counts: where a
        model turns out to have thought aloud, it holds fewer sentences than were yielded.
        """
        if not hits:
            raise ValueError("a chat model is not asked without a paper: it would answer from memory")
        hits = _one_a_paper(hits)
        asking = Asking(self._model, seconds=self._deadline)
        try:
            draft = yield from self._written(question, hits, asking, most_words)
        except NoAnswer as none:
            if fallback is None:
                raise
            yield from _instead(fallback(), str(none), asking.usage)
            return
        yield draft.answer(asked or question, hits, model=self._model.name, usage=asking.usage, confidence=confidence)

    def _written(self, question: str, hits: Sequence[Hit], asking: Asking, most_words: int) -> Generator[AnswerEvent, None, Draft]:
        room = prompts.room(lambda as_json: prompts.answer_prompt(question, (), as_json=as_json), self._model.context_tokens, self._reply_tokens)
        for share in _SHRINKING:
            given = prompts.fit(hits, int(room * share), prepare=defuse)
            draft = Draft(question, given, self._check, self._unsupported, self._repairs)
            try:
                yield from self._first_version(draft, asking, most_words)
                break
            except ContextTooLong:
                if share == _SHRINKING[-1] or draft.has_heard:
                    raise
        if draft.flawed and draft.repairs:
            yield Step(REPAIRING)
            yield from self._repair(draft, asking)
        yield from draft.close()
        return draft

    def _first_version(self, draft: Draft, asking: Asking, most_words: int) -> Generator[AnswerEvent, None, None]:
        """What the model writes at first. A failure after it said something of use is a notice."""
        request = Request(
            prompts.answer_prompt(draft.question, draft.given, as_json=True, most_words=most_words),
            prompts.answer_prompt(draft.question, draft.given, most_words=most_words),
            prompts.answer_schema(draft.given),
            self._reply_tokens,
        )
        try:
            yield from self._heard(draft, asking, request)
        except ProviderError as error:
            if not draft.is_of_use:
                raise
            draft.repairs = False
            draft.note(f"The answer is not whole: {str(error).rstrip('.')}.")

    def _heard(self, draft: Draft, asking: Asking, request: Request) -> Generator[AnswerEvent, None, None]:
        reader, beat = ReplyReader({g.n for g in draft.given}), _Beat(WRITING)
        said, is_cut = "", False
        with closing(asking.stream(request)) as pieces:
            for piece in pieces:
                said += piece.text
                draft.has_heard = bool(said)
                is_cut = is_cut or piece.is_cut
                shown = [sentence for found in reader.feed(piece.text) for sentence in draft.take(found)]
                yield from shown or beat.due()
        left = reader.close()
        if left and draft.has_begun and _is_unfinished(left[-1]) and (is_cut or self._is_at_limit(said, asking.usage)):
            left.pop()
            draft.note(CUT_OFF)
        for found in left:
            yield from draft.take(found)
        if reader.is_torn and draft.has_begun:
            draft.note(CUT_OFF if is_cut else TORN)
        if reader.missing and not prompts.is_echo(reader.missing) and not (draft.is_of_use and is_nothing(reader.missing)):
            draft.note_missing(reader.missing)

    def _is_at_limit(self, said: str, usage: Usage | None) -> bool:
        used = usage.completion_tokens if usage else None
        return (used if used is not None else tokens.count(said) * prompts.TOKENIZER_MARGIN) >= self._reply_tokens

    def _repair(self, draft: Draft, asking: Asking) -> Generator[Step, None, None]:
        """Have the model put right what does not hold; where that fails, everything stays as it is."""
        flawed = draft.flawed[: repair.MOST_REPAIRED]
        flaws = [repair.flaw(judged) for judged in flawed]
        try:
            room = prompts.room(
                lambda as_json: prompts.repair_prompt(draft.question, flaws, (), as_json=as_json), self._model.context_tokens, self._reply_tokens
            )
            given = prompts.refit(draft.given, {n for judged in flawed for n in judged.cited.numbers}, room)
            request = Request(
                prompts.repair_prompt(draft.question, flaws, given, as_json=True),
                prompts.repair_prompt(draft.question, flaws, given),
                prompts.repair_schema(flaws, given),
                self._reply_tokens,
            )
            reply, beat = "", _Beat(REPAIRING)
            with closing(asking.stream(request)) as pieces:
                for piece in pieces:
                    reply += piece.text
                    yield from beat.due()
        except ProviderError:
            return
        for number, better in repair.corrections(reply, len(flawed), {g.n for g in given}).items():
            draft.mend(flawed[number - 1], better)


class _Beat:
    """A step that is due again when it was not for a while."""

    def __init__(self, name: str) -> None:
        self._step = Step(name)
        self._last = time.monotonic()

    def due(self) -> list[Step]:
        """The step, if it is due."""
        now = time.monotonic()
        if now - self._last < _BEAT:
            return []
        self._last = now
        return [self._step]


def _is_unfinished(last: object) -> bool:
    return isinstance(last, Cited) and not last.numbers and last.text[-1] not in ".!?…。！？\"'”’)]`*$"


def _instead(answer: Answer, why: str, usage: Usage | None) -> Generator[AnswerEvent, None, None]:
    """An answer that takes the place of the model's, and says so."""
    notice = f"{why.rstrip('.')}. {INSTEAD}" if answer.abstained is None else f"{why.rstrip('.')}."
    yield from answer.sentences
    yield replace(answer, usage=usage, notice=" ".join(part for part in (notice, answer.notice) if part))


def _one_a_paper(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without a second one of the same paper: a work is one source."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.paper.id, hit)
    return list(best.values())
