"""An answer of a chat model in the making: which of its sentences can be shown, which wait, and what the whole is in the end.

Every sentence is checked as soon as it is finished. It is shown at once if it holds and nothing waits in front of it. What waits:

- a few sentences in front of the first that cites anything, since they may introduce a refusal;
- from the first sentence that does not hold on, all of them, until the model had its chance to put it right (`rag_qa.answering.repair`).

So what was shown is final: its text, its numbers and its verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rag_qa.answering import prompts
from rag_qa.answering.answer import Answer, Sentence, Source, Status, Usage, Verdict
from rag_qa.answering.citations import Cited, Numbering
from rag_qa.answering.links import without_links
from rag_qa.answering.prompts import Given
from rag_qa.answering.refusals import NOT_ANSWERED, THOUGHT_END, is_nothing, refuses
from rag_qa.answering.reply import Found, Restart
from rag_qa.errors import NoAnswer
from rag_qa.papers import Paper
from rag_qa.retrieval.hits import Hit

Check = Callable[[str, Sequence[tuple[int, Paper]], Sequence[Paper]], Verdict]
"""Judges one sentence: (text, [(number under which the model was given it, paper cited)], all papers given to the model) -> Verdict."""

Unsupported = Literal["show", "drop"]
"""What becomes of a sentence that does not hold, also after the model had its chance: shown with a warning, or left out."""

UNCONFIRMED = "None of these sentences could be confirmed in the abstracts. Do not rely on this answer."
CUT_OFF = "The model's answer was cut off at its length limit; its last, unfinished sentence is left out."
TORN = "A part of the model's reply could not be read and is left out."
LINK_LEFT_OUT = "A link that stands in none of the abstracts is left out."
MOST_RELATED = 3
MOST_HELD = 2
_MOST_OF_MISSING = 300  # characters of what a model says is missing


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence with the numbers of the prompt, and its verdict with the same."""

    cited: Cited
    verdict: Verdict

    @property
    def holds(self) -> bool:
        """Does what it cites bear it out?"""
        return self.verdict.status is Status.SUPPORTED


@dataclass(slots=True)
class Draft:
    """What there is of an answer to a question from what was given."""

    question: str
    given: Sequence[Given]
    check: Check
    unsupported: Unsupported = "show"
    repairs: bool = True
    is_over: bool = False
    has_heard: bool = False
    """Has the model said anything?"""
    missing: list[str] | None = None
    """What a refusal says that is missing; None: it is none."""
    _waiting: list[Judged] = field(default_factory=list)
    _shown: list[Sentence] = field(default_factory=list)
    _seen: set[Cited] = field(default_factory=set)
    _numbering: Numbering = field(default_factory=Numbering)
    _notices: list[str] = field(default_factory=list)
    _unanswered: list[str] = field(default_factory=list)
    _left_out: int = 0

    # ------------------------------------------------------------------------------------------------- taking in

    def take(self, found: Found) -> list[Sentence]:
        """The sentences that can be shown now that one more is finished."""
        if isinstance(found, Restart):
            return self._restart()
        if thought := THOUGHT_END.match(found.text):
            self._restart()
            found = replace(found, text=found.text[thought.end() :])
        return [] if self.is_over else self._take(self._linkless(found))

    def _take(self, cited: Cited) -> list[Sentence]:
        # models repeat what they were told, and one that is stuck repeats itself
        if prompts.is_echo(cited.text) or not re.search(r"\w", cited.text) or cited in self._seen:
            return []
        if self.missing is not None:
            self.missing.append(cited.text)
            return []
        if word := NOT_ANSWERED.search(cited.text):
            self.note_missing(cited.text[word.end() :])
            self.is_over = self._cites_something
            return []
        if refuses(cited.text):
            self._refuse(cited.text)
            return []
        self._seen.add(cited)
        self._waiting.append(self.judged(cited))
        return self._release()

    def _restart(self) -> list[Sentence]:
        """What came so far was reasoning, or an introduction."""
        self._waiting, self._shown, self._seen, self._numbering = [], [], set(), Numbering()
        self._notices, self._unanswered, self._left_out, self.missing, self.is_over = [], [], 0, None, False
        return []

    def _linkless(self, cited: Cited) -> Cited:
        plain = without_links(cited.text, "\n".join(f"{g.paper.title or ''}\n{g.paper.abstract}" for g in self.given))
        if plain.is_shorter:
            self.note(LINK_LEFT_OUT)
        numbers = tuple(n for n in plain.numbers if any(n == g.n for g in self.given))
        return replace(cited, text=plain.text, numbers=tuple(dict.fromkeys((*cited.numbers, *numbers))))

    def note(self, notice: str) -> None:
        """Something that should be known of the answer, said once."""
        if notice not in self._notices:
            self._notices.append(notice)

    def note_missing(self, missing: str) -> None:
        """The model says that the papers do not answer all of it: beside an answer that is named, without one it is a refusal."""
        missing = self._linkless(Cited(missing)).text
        words = " ".join(missing.split())[:_MOST_OF_MISSING].strip(' .:-–—*_`"“”')
        if self._cites_something and words:
            self._unanswered.append(words)
        elif self._cites_something:
            self.note("The model adds that the papers do not answer all of the question.")
        else:
            self.missing = [missing] if missing else []

    def _refuse(self, words: str) -> None:
        if self._cites_something:
            self.note(_sentence("The model adds", words))
        else:
            self.missing, self.is_over = [], True

    @property
    def _cites_something(self) -> bool:
        return any(s.citations or s.removed for s in self._shown) or any(j.cited.numbers or j.cited.removed for j in self._waiting)

    @property
    def has_begun(self) -> bool:
        """Is there a sentence?"""
        return bool(self._shown or self._waiting)

    @property
    def is_of_use(self) -> bool:
        """Is there a sentence that cites, or a refusal?"""
        return self._cites_something or self.missing is not None

    def judged(self, cited: Cited) -> Judged:
        """A sentence and what the check says of it."""
        papers = {g.n: g.paper for g in self.given}
        if cited.removed and not cited.numbers:
            return Judged(cited, Verdict(Status.UNKNOWN_CITATION, why=f"it cites {', '.join(cited.removed)}, and there is no such source"))
        return Judged(cited, self.check(cited.text, [(n, papers[n]) for n in cited.numbers], list(papers.values())))

    # ------------------------------------------------------------------------------------------------- letting out

    def _release(self) -> list[Sentence]:
        if not self._shown and len(self._waiting) <= MOST_HELD and not self._cites_something:
            return []
        ready = next((i for i, judged in enumerate(self._waiting) if not judged.holds), len(self._waiting)) if self.repairs else len(self._waiting)
        return self._let_out(ready)

    def _let_out(self, count: int) -> list[Sentence]:
        released, self._waiting = self._waiting[:count], self._waiting[count:]
        kept = [judged for judged in released if judged.holds or self.unsupported == "show"]
        self._left_out += len(released) - len(kept)
        sentences = [self._numbered(judged) for judged in kept]
        self._shown += sentences
        return sentences

    def _numbered(self, judged: Judged) -> Sentence:
        cited, verdict = judged.cited, judged.verdict
        numbers = self._numbering.renumber(cited.numbers)
        new = dict(zip(cited.numbers, numbers, strict=True))
        evidence = tuple(replace(one, source=new[one.source]) for one in verdict.evidence)
        return Sentence(cited.text, numbers, replace(verdict, evidence=evidence), cited.removed)

    @property
    def flawed(self) -> list[Judged]:
        """The sentences that wait because they do not hold."""
        return [judged for judged in self._waiting if not judged.holds] if self.missing is None else []

    def mend(self, flawed: Judged, better: Sequence[Cited]) -> None:
        """Put what the model has now in the place of a sentence, if it holds. Without sources of its own it has those of the sentence. Nothing: the
        model takes the sentence back.
        """
        cited = (replace(one, numbers=one.numbers or (() if one.removed else flawed.cited.numbers)) for one in map(self._linkless, better))
        new = [self.judged(one) for one in cited if one not in self._seen]
        if not all(judged.holds for judged in new):
            return
        self._seen.update(judged.cited for judged in new)
        at = self._waiting.index(flawed)
        self._waiting[at : at + 1] = new
        self._left_out += not new

    def close(self) -> list[Sentence]:
        """The sentences that can be shown now that there are no more. Raises NoAnswer if nothing is left to show."""
        if self.missing is not None:
            return []
        released = self._let_out(len(self._waiting))
        if not self._shown:
            raise NoAnswer(_nothing_left(self._left_out))
        return released

    # ------------------------------------------------------------------------------------------------- the whole

    def answer(self, asked: str, hits: Sequence[Hit], *, model: str, usage: Usage | None, confidence: float) -> Answer:
        """The whole, with exactly the cited papers as sources; or the refusal, with the nearest papers as related."""
        if self.missing is not None:
            related = tuple(Source(hit.paper, hit.score) for hit in hits[:MOST_RELATED])
            reason = _reason(" ".join(self.missing))
            return Answer(asked, self.question, abstained=reason, related=related, confidence=confidence, model=model, usage=usage)
        papers = {g.n: g for g in self.given}
        sources = tuple(Source(papers[old].paper, papers[old].hit.score, new) for new, old in enumerate(self._numbering.order, 1))
        sentences = tuple(self._shown)
        notice = " ".join(self._all_notices(len(hits)))
        unanswered = tuple(dict.fromkeys(self._unanswered))
        return Answer(asked, self.question, sentences, sources, confidence=confidence, model=model, usage=usage, notice=notice, unanswered=unanswered)

    def _all_notices(self, found: int) -> list[str]:
        notices = list(self._notices)
        if not any(sentence.verdict.status is Status.SUPPORTED for sentence in self._shown):
            notices.insert(0, UNCONFIRMED)
        if self._left_out:
            notices.append(
                f"{_sentences(self._left_out)} of the model that the abstracts do not bear out {'is' if self._left_out == 1 else 'are'} left out."
            )
        if len(self.given) < found:
            notices.append(
                f"The model was given {len(self.given)} of the {found} papers found: its window (RAG_QA_LLM_CONTEXT_TOKENS) holds no more."
            )
        return notices


def _nothing_left(left_out: int) -> str:
    if left_out:
        return "Nothing that the model wrote is borne out by the abstracts"
    return "The model's reply holds no sentence: ask again, or choose another model (RAG_QA_LLM_MODEL)"


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"


def _sentence(beginning: str, rest: str) -> str:
    rest = rest.strip(" :-–—*_`")
    if not rest:
        return f"{beginning}."
    return f"{beginning}: {rest}" + ("" if rest[-1] in ".!?…" else ".")


def _reason(missing: str) -> str:
    missing = " ".join(missing.split())[:_MOST_OF_MISSING]
    return "These papers do not answer this." if is_nothing(missing) else "These papers do not answer this. " + _sentence("Missing", missing)
