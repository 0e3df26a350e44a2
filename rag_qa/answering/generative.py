"""Answers written by a chat model from numbered abstracts, every sentence checked before it is shown.

The model is given nothing but the question and the abstracts that were found. Its sentences are taken from the stream as they are finished, their
markers become citations, numbered anew in reading order, and each is checked against what it cites. What the model says when it does not
answer, in our word for it or in its own, becomes a refusal without a citation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence

from rag_qa import text as texts
from rag_qa import tokens
from rag_qa.answering import prompts
from rag_qa.answering.answer import Answer, AnswerEvent, Sentence, Source, Status, Usage, Verdict
from rag_qa.answering.citations import CitationParser, Cited, Numbering
from rag_qa.answering.markers import defuse
from rag_qa.answering.prompts import Given
from rag_qa.errors import BadReply, ContextTooLong
from rag_qa.llm.chat_model import ChatModel, Piece
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Check = Callable[[str, Sequence[tuple[int, Paper]], Sequence[Paper]], Verdict]
"""Judges one sentence: (text, [(number in the answer's source list, paper cited)], all papers given to the model) -> Verdict."""

UNCONFIRMED = "None of these sentences could be confirmed in the abstracts. Do not rely on this answer."
CUT_OFF = "The model's answer was cut off at its length limit; its last, unfinished sentence is left out."
MOST_RELATED = 3
MOST_HELD = 2
_SHRINKING = (1.0, 0.5, 0.25)
"""Shares of the room for abstracts that are tried in turn when the server finds the prompt too long: its tokenizer or window differs from ours."""


class GenerativeAnswerer:
    """Asks a chat model, over the papers found, and checks what it says. `max_output_tokens` limits the reply."""

    def __init__(self, model: ChatModel, check: Check, *, max_output_tokens: int = 600) -> None:
        self._model = model
        self._check = check
        self._max_output_tokens = max_output_tokens

    def stream(self, question: str, hits: Sequence[Hit], *, asked: str | None = None, confidence: float = 0.0) -> Generator[AnswerEvent, None, None]:
        """Checked sentences as they are finished, then the Answer. Raises ProviderError, also in the middle.

        `question` stands alone; `asked` is what the person typed, if it differs. `hits`: at least one, best first. `confidence` in [0, 1], how sure
        the search is that the papers answer, is handed on. Closing the generator hangs up on the model. The Answer is what counts: where a
        model turns out to have thought aloud, it holds fewer sentences than were yielded.
        """
        if not hits:
            raise ValueError("a chat model is not asked without a paper: it would answer from memory")
        hits = _one_a_paper(hits)
        reply_tokens = min(self._max_output_tokens, self._model.context_tokens // 3)
        room = prompts.room(question, self._model.context_tokens, reply_tokens)
        for share in _SHRINKING:
            given = prompts.fit(hits, int(room * share), prepare=defuse)
            draft = _Draft(question, given, self._check)
            try:
                yield from self._sentences(draft, reply_tokens)
            except ContextTooLong:
                if share == _SHRINKING[-1] or draft.has_begun:
                    raise
                continue
            yield draft.answer(asked or question, hits, self._model.name, confidence)
            return

    def _sentences(self, draft: _Draft, reply_tokens: int) -> Iterator[Sentence]:
        parser = CitationParser({g.n for g in draft.given})
        pieces = self._model.stream(prompts.answer_prompt(draft.question, draft.given), max_tokens=reply_tokens)
        try:
            for piece in pieces:
                draft.note(piece)
                for cited in parser.feed(piece.text):
                    yield from draft.take(cited)
        finally:
            if isinstance(pieces, Generator):
                pieces.close()
        left = parser.close()
        if left and draft.was_cut(left[-1], reply_tokens):
            left.pop()
        for cited in left:
            yield from draft.take(cited)
        yield from draft.close()


def _one_a_paper(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without a second one of the same paper: a work is one source."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.paper.id, hit)
    return list(best.values())


# --------------------------------------------------------------------------------------------------------------- the draft

_SOURCE_NOUN = r"(?:sources?|abstracts?|papers?|documents?|passages?|context|excerpts?|articles?)"
_SAYS = (
    r"(?:contain|mention|provide|answer|say|specify|state|include|address|discuss|report|describe|cover|give|tell|indicate|name|offer|disclose"
    r"|detail|list|identify|explain)"
)
_REFUSAL = re.compile(
    rf"""\bI(?:['’]m|\s+am)?\s+(?:cannot|can\s?not|can['’]t|could\s?n[o'’]t|unable|sorry|not\s+able|(?:do\s+not|don['’]t)\s+(?:know|have|see|find))\b
    |\bwe\s+(?:cannot|can['’]t)\s+(?:answer|determine|tell|say)\b
    |\bit(?:\s+is|['’]s)\s+(?:not\s+possible|impossible)\s+to\s+(?:answer|say|tell|determine)\b
    |\b(?:question\s+)?(?:cannot|can['’]t|could\s+not)\s+be\s+answered\b
    |\b(?:unable|not\s+able)\s+to\s+(?:answer|determine|find)\b
    |\b(?:the|these|this|those|any|provided|given|of|above|following)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\s+(?:[\w-]+\s+){{0,3}}?
        (?:do(?:es)?\s+not|don['’]t|doesn['’]t|did\s+not|fails?\s+to)\s+(?:\w+ly\s+|seem\s+to\s+|appear\s+to\s+)?{_SAYS}\b
    |^\W*{_SOURCE_NOUN}\s+(?:do(?:es)?\s+not|don['’]t|doesn['’]t)\s+(?:\w+ly\s+)?{_SAYS}\b
    |\b(?:none|neither)\s+of\s+(?:the|these)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\s+(?:\w+ly\s+)?{_SAYS}
    |\bno\s+(?:\w+\s+)?(?:information|mention|answer|details?)\b.{{0,60}}\b(?:in|from|by)\s+(?:the|these|this|any)\b.{{0,30}}\b{_SOURCE_NOUN}\b
    |\bnot\s+(?:\w+ly\s+)?(?:mentioned|answered|specified|stated|provided|available|addressed|given|discussed|reported|covered|described)
        \s+(?:in|by)\s+(?:the|any|these|this)\s+(?:[\w-]+\s+){{0,2}}{_SOURCE_NOUN}\b
    |\b(?:not\s+enough|insufficient|no\s+sufficient)\s+information\s+(?:in|to\s+answer|to\s+determine|from)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT_REFUSAL = re.compile(
    r"\W*(?:unknown|unanswered|n/?a|none|nothing|no answer|no information"
    r"|not (?:answered|stated|mentioned|specified|available|given|provided|known))\W*",
    re.IGNORECASE,
)
_CONCEDES = re.compile(r"\W*(?:while|although|though|even though|whereas)\b", re.IGNORECASE)
_LATEST_REFUSAL = 70
"""A refusal begins within this many characters of its sentence; what comes later is an aside of a sentence that says something."""
_NOT_ANSWERED = re.compile(r"NOT[_ -]?ANSWERED\W*", re.IGNORECASE)
_THOUGHT_END = re.compile(r".*</(?:think|thinking|thought|reasoning)>\s*", re.DOTALL | re.IGNORECASE)


def refuses(sentence: str) -> bool:
    """Does a sentence say that the question is not answered?

    >>> refuses("I cannot answer this from the abstracts."), refuses("Language models cannot answer such questions.")
    (True, False)
    """
    if _SHORT_REFUSAL.fullmatch(sentence):
        return True
    found = _REFUSAL.search(sentence)
    return found is not None and found.start() <= _LATEST_REFUSAL and not _CONCEDES.match(sentence)


class _Draft:
    """An answer in the making. A few sentences in front of the first that cites anything are held back: they may introduce a refusal."""

    def __init__(self, question: str, given: Sequence[Given], check: Check) -> None:
        self.question = question
        self.given = given
        self._check = check
        self._papers = {g.n: g.paper for g in given}
        self._numbering = Numbering()
        self._sentences: list[Sentence] = []
        self._held: list[Cited] = []
        self._missing: list[str] | None = None
        self._notices: list[str] = []
        self._is_over = False
        self._reply = ""
        self._usage: Usage | None = None

    @property
    def has_begun(self) -> bool:
        """Has the model said anything?"""
        return bool(self._reply)

    def note(self, piece: Piece) -> None:
        """Remember what a piece says besides text."""
        self._reply += piece.text
        if piece.prompt_tokens is not None or piece.completion_tokens is not None:
            self._usage = Usage(piece.prompt_tokens, piece.completion_tokens)

    def was_cut(self, last: Cited, reply_tokens: int) -> bool:
        """Is the last sentence unfinished because the reply came to its limit? Then it is left out, and the answer says so."""
        if last.numbers or last.text[-1] in ".!?…。！？\"'”’)]`*$" or not (self._sentences or self._held):
            return False
        used = self._usage.completion_tokens if self._usage else None
        if (used if used is not None else tokens.count(self._reply) * prompts.TOKENIZER_MARGIN) < reply_tokens:
            return False
        self._notices.append(CUT_OFF)
        return True

    def take(self, cited: Cited) -> list[Sentence]:
        """The sentences that can be shown now that one more is finished."""
        if self._is_over:
            return []
        if thought := _THOUGHT_END.match(cited.text):
            return self._start_again(Cited(cited.text[thought.end() :], cited.numbers, cited.removed))
        if self._missing is not None:
            self._missing.append(cited.text)
            return []
        if word := _NOT_ANSWERED.search(cited.text):
            return self._not_answered(cited.text[word.end() :])
        if refuses(cited.text):
            return self._refusal(cited.text)
        self._held.append(cited)
        return self._release() if cited.numbers or self._sentences or len(self._held) > MOST_HELD else []

    def close(self) -> list[Sentence]:
        """The sentences that can be shown now that there are no more. Raises BadReply if the reply holds none."""
        if self._missing is None and not self._sentences and not self._held:
            raise BadReply("The model's reply holds no sentence: ask again, or choose another model (RAG_QA_LLM_MODEL)")
        return self._release() if self._missing is None else []

    def _start_again(self, cited: Cited) -> list[Sentence]:
        """What came so far was reasoning that the model's server did not mark as such."""
        self._numbering, self._sentences, self._held, self._missing, self._notices = Numbering(), [], [], None, []
        return self.take(cited) if cited.text else []

    def _not_answered(self, missing: str) -> list[Sentence]:
        if self._cites_something:
            self._notices.append(_sentence("The model adds that the papers do not answer all of the question", missing))
            self._is_over = True
        else:
            self._missing = [missing] if missing else []
        return []

    def _refusal(self, words: str) -> list[Sentence]:
        if self._cites_something:
            self._notices.append(_sentence("The model adds", words))
        else:
            self._missing, self._is_over = [], True
        return []

    @property
    def _cites_something(self) -> bool:
        return any(sentence.citations or sentence.removed for sentence in self._sentences)

    def _release(self) -> list[Sentence]:
        checked = [self._checked(cited) for cited in self._held]
        self._sentences += checked
        self._held = []
        return checked

    def _checked(self, cited: Cited) -> Sentence:
        numbers = self._numbering.renumber(cited.numbers)
        papers = [(new, self._papers[old]) for new, old in zip(numbers, cited.numbers, strict=True)]
        verdict = self._check(cited.text, papers, list(self._papers.values()))
        if cited.removed and not numbers:
            verdict = Verdict(Status.UNKNOWN_CITATION, why=f"it cites {', '.join(cited.removed)}, and there is no such source")
        return Sentence(cited.text, numbers, verdict, cited.removed)

    def answer(self, asked: str, hits: Sequence[Hit], model: str, confidence: float) -> Answer:
        """The whole, with exactly the cited papers as sources; or the refusal, with the nearest papers as related."""
        if self._missing is not None:
            related = tuple(Source(hit.paper, hit.score) for hit in hits[:MOST_RELATED])
            reason = _reason(" ".join(self._missing))
            return Answer(asked, self.question, abstained=reason, related=related, confidence=confidence, model=model, usage=self._usage)
        scores = {g.n: g.hit.score for g in self.given}
        sources = tuple(Source(self._papers[old], scores[old], new) for new, old in enumerate(self._numbering.order, 1))
        if not any(sentence.verdict.status is Status.SUPPORTED for sentence in self._sentences):
            self._notices.insert(0, UNCONFIRMED)
        return Answer(
            asked,
            self.question,
            tuple(self._sentences),
            sources,
            confidence=confidence,
            model=model,
            usage=self._usage,
            notice=" ".join(self._notices),
        )


def _sentence(beginning: str, rest: str) -> str:
    rest = rest.strip(" :-–—*_`")
    if not rest:
        return f"{beginning}."
    return f"{beginning}: {rest}" + ("" if rest[-1] in ".!?…" else ".")


def _reason(missing: str) -> str:
    missing = " ".join(missing.split())[:300]
    return (
        "These papers do not answer this." if not re.search(r"\w", missing) else "These papers do not answer this. " + _sentence("Missing", missing)
    )


# -------------------------------------------------------------------------------------------------------------- follow-ups

REWRITE_TOKENS = 120
_LABEL = re.compile(r"^\W*(?:the )?(?:last |rewritten |stand-?alone |final |new )*(?:question|rewrite|answer)(?: on its own)?\s*:\s*", re.IGNORECASE)
_QUOTES = " \t\"'“”‘’`*"


def rewrite_follow_up(model: ChatModel, question: str, history: Sequence[str]) -> str:
    """The question so that it stands alone, or "" when the model's reply is of no use. `history`: earlier questions, oldest first.

    Of no use is a reply that is empty, is far longer than a question, leaves most of the question out, or brings in a name or a number that neither
    the question nor an earlier one holds. Raises ProviderError other than BadReply.
    """
    if not history:
        return ""
    limit = 200 + 2 * len(question)
    try:
        reply = _short_reply(model, question, history, limit)
    except BadReply:
        return ""
    lines = [line for line in _THOUGHT_END.sub("", reply).splitlines() if line.strip()]
    if not lines or len(reply) > limit:
        return ""
    rewritten = _LABEL.sub("", lines[0]).strip(_QUOTES)
    return rewritten if _is_of_use(rewritten, question, history) else ""


def _short_reply(model: ChatModel, question: str, history: Sequence[str], limit: int) -> str:
    """The reply, read no further than it is of use."""
    pieces = model.stream(prompts.rewrite_prompt(question, history), max_tokens=REWRITE_TOKENS)
    reply = ""
    try:
        for piece in pieces:
            reply += piece.text
            if len(reply) > limit:
                break
    finally:
        if isinstance(pieces, Generator):
            pieces.close()
    return reply


def _is_of_use(rewritten: str, question: str, history: Sequence[str]) -> bool:
    if not rewritten or refuses(rewritten) or _NOT_ANSWERED.search(rewritten):
        return False
    known = set(texts.terms(" ".join([question, *history])))
    new = [word for word in rewritten.split() if texts.is_name(word.strip(".,;:?!()[]\"'")) or any(char.isdigit() for char in word)]
    if any(not known & set(texts.terms(word)) for word in new):
        return False
    asked = {texts.stem(word) for word in texts.content_words(question)}
    kept = {texts.stem(word) for word in texts.content_words(rewritten)}
    return bool(kept) and 2 * len(asked & kept) >= len(asked)
