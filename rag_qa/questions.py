"""Questions -> papers and answers: what was said before, what narrows the search, which answerer is asked."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from rag_qa import chat, text
from rag_qa.answering import listing, missing
from rag_qa.answering.answer import Answer, AnswerEvent, Step
from rag_qa.answering.composing import MOST_WORDS
from rag_qa.answering.composing import MOST_WORDS_LONGER as MOST_WORDS_LONGER
from rag_qa.answering.extractive import SearchFor, refusal
from rag_qa.answering.prompts import MOST_WORDS as MOST_WORDS_ASKED_FOR
from rag_qa.answering.rewriting import rewrite_follow_up
from rag_qa.answering.summaries import asks_for_summary, topic_of
from rag_qa.calibration import fitting
from rag_qa.calibration.cases import Case
from rag_qa.calibration.fitting import Trial
from rag_qa.conversation import Conversations, said_before
from rag_qa.errors import ProviderError, QuestionError
from rag_qa.library_answers import LibraryAnswers
from rag_qa.papers import Paper, known_as
from rag_qa.parts import Parts
from rag_qa.retrieval import names, slips, understanding
from rag_qa.retrieval.filters import EVERYTHING, Filters, nothing_passes, words
from rag_qa.retrieval.hits import Hit
from rag_qa.retrieval.ordering import within
from rag_qa.retrieval.record_questions import RecordQuestion, asked_of_record
from rag_qa.retrieval.searches import Search
from rag_qa.retrieval.set_questions import SetQuestion, asked_for_set
from rag_qa.retrieval.spellings import StoredWords
from rag_qa.retrieval.understanding import Understood

MAX_QUESTION_WORDS = 400
"""A question longer than this is a text pasted by mistake."""
MAX_QUESTION_CHARACTERS = 6_000
"""So is one of fewer words that are no words: a key, a picture as text, a line of one sign."""

_MOST_TITLED = 40  # papers whose title is compared with a name
_MOST_WITH_NAME = 5  # papers that speak of a method by name
NEAREST = 3
"""Papers named in a refusal."""
_MOST_SUMMED_UP = 5
"""Papers that the answer to a request for a summary is made of, so that it stays short."""
_SURELY_OF_TOPIC = 0.5
"""A request for a summary of which no paper is as surely of the topic is answered as any other question."""
_HOPELESS = 0.2
"""Below this share of `min_confidence` there is no evidence that a chat model could answer from: it is not asked."""
_UNRELATED = 0.15
"""Nor is it asked when no paper comes near the question (score of the best hit) and the evidence would not do for an answer either."""


_SURE_OF_PAPER = 0.5
"""A question that comes upon a paper with such a score says enough to stand alone."""
_NEAR_PLACES, _NEARLY = 5, 0.75
"""Among so many hits, with such a share of the best score, a paper is nearly the first."""

_OF_ONE_LANGUAGE = ("minilm", "static")
"""Embedders that find nothing across languages."""
_MOST_MEANT, _AS_GOOD = 3, 0.85
"""So many papers may be meant by a description, if they are about as near to it as the nearest."""

_IN_QUOTES = re.compile(r"“([^“”]+)”")
_TELL = re.compile(r"^tell me more about", re.IGNORECASE)

_NOTHING = "No paper in this library has anything to do with the question."


@dataclass(frozen=True, slots=True)
class Scope:
    """The papers that a conversation is about: those that pass, and those that a question itself asks for, if it is read for that."""

    filters: Filters = EVERYTHING
    reads_filters: bool = True


EVERY_PAPER = Scope()
_MOST_SCOPES = 16
"""Scopes of which conversations are remembered."""


class Questions:
    """Searches and answers with the parts of a program. Safe to use from several threads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._library = LibraryAnswers(parts)
        self._scopes: dict[Scope, Conversations] = {}
        self._lock = threading.Lock()

    def search(self, question: str, scope: Scope = EVERY_PAPER, *, k: int | None = None, everything: bool = False) -> Search:
        """See Engine.search."""
        narrowed = self.narrowed(self._mended(checked(question)), scope)
        if nothing := self.nothing_passes(narrowed.filters):
            return Search(narrowed.question, (), narrowed.narrowing, nothing)
        asked = asked_for_set(narrowed.question)
        if asked and k is None:
            found = self._parts.sets.members(asked, filters=narrowed.filters, beyond=len(self._parts.store) if everything else 0)
            hits = tuple(replace(member.hit, rank=rank) for rank, member in enumerate((*found.members, *found.beyond), 1))
            return Search(narrowed.question, hits, narrowed.narrowing, paper_set=found)
        most = len(self._parts.store) if everything else k or self._parts.settings.top_k
        return Search(narrowed.question, tuple(self._parts.retriever.search(narrowed.question, k=most, filters=narrowed.filters)), narrowed.narrowing)

    def stream(
        self, question: str, scope: Scope = EVERY_PAPER, *, history: Sequence[str] = (), most_words: int | None = None
    ) -> Generator[AnswerEvent, None, None]:
        """See Engine.stream."""
        started = time.perf_counter()
        asked = checked(question)
        is_first = not said_before(history)
        if said := self._library.about_program(asked, is_first=is_first):
            yield said
            return
        self._parts.store.open()
        yield Step("Reading the question")
        mended = self._mended(asked)
        if said := self._library.about_library(asked, mended, is_first=is_first) or (self._library.unclear(asked) if is_first else None):
            yield said
            return
        conversations, before = self._conversations(scope), [self._mended(earlier) for earlier in history]
        understood, shown = self._understood(mended, before, conversations)
        again, question = self._asked_again(understood)
        narrowed = self.narrowed(question, scope)
        yield Step("Searching the papers", understood, narrowed.narrowing)
        understanding = time.perf_counter()
        told: tuple[Paper, ...] = ()
        if again:
            answers = self._answered_again(again, asked, narrowed, shown)
        elif most_words is None and (
            same := self._same_as_before(asked, mended, understood, narrowed, shown, scope, lambda: conversations.before(before))
        ):
            answers, told = _said_already(same), tuple(source.paper for source in same.sources)
        else:
            answers = self._answers(asked, narrowed, shown, most_words)
        with closing(answers) as events:
            for event in events:
                if isinstance(event, Step):
                    event = replace(event, understood_as=understood, narrowing=narrowed.narrowing)
                if isinstance(event, Answer):
                    timings = {"understand": round(understanding - started, 6), **event.timings, "total": round(time.perf_counter() - started, 6)}
                    unread = "" if narrowed.asks_for_unread and event.abstained is not None else narrowed.narrowing.notice
                    notice = " ".join(filter(None, [unread, event.notice]))
                    event = self._told_why(event, narrowed)
                    event = replace(event, understood_as=understood, narrowing=narrowed.narrowing, notice=notice, timings=timings)
                    conversations.remember(mended, before, understood, told or [source.paper for source in event.sources])
                yield event

    def _same_as_before(
        self,
        asked: str,
        mended: str,
        understood: str,
        narrowed: Understood,
        shown: frozenset[str],
        scope: Scope,
        turns_before: Callable[[], Sequence[str]],
    ) -> Answer | None:
        """The answer to a follow-up that has nothing to say but what was just answered: to "why?", or to "tell me more" a second time. None for
        what brings something new, for a question that is asked once more in so many words, and with a chat model, which may find other words.
        """
        earlier = chat.asked_on(understood)
        if self._parts.uses_llm or shown or understood == mended:
            return None
        is_once_more = understood in turns_before()[-1:]
        if earlier is None and not is_once_more:
            return None
        if earlier is None or is_once_more:
            answer = self._offline(asked, narrowed, shown, MOST_WORDS)
            return answer if answer.sentences else None
        last = self.narrowed(earlier, scope)
        if known := self._listed(earlier, last) or self._told_of_one(earlier, last) or self._summed_up(earlier, last):
            return known if known.sentences else None  # no sentence says why a paper is in a list, or an author its author
        answer = self._offline(asked, narrowed, shown, MOST_WORDS)
        before = {sentence.text for sentence in self._offline(earlier, last, frozenset(), MOST_WORDS).sentences}
        return answer if answer.sentences and before.issuperset(sentence.text for sentence in answer.sentences) else None

    def _told_why(self, answer: Answer, narrowed: Understood) -> Answer:
        """A refusal that says of which papers it holds, if not all were looked at."""
        if answer.abstained is None:
            return answer
        reason = answer.abstained
        if not narrowed.filters.is_empty:
            reason = missing.among(reason, self._parts.retriever.count(narrowed.filters), len(self._parts.store), words(narrowed.filters))
        return replace(answer, abstained=reason)

    def tried(self, case: Case) -> Trial | None:
        """How a question would be answered offline if nothing were refused; None where confidence decides nothing. See Engine.calibrate."""
        asked, is_first = checked(case.question), not said_before(case.history)
        if chat.small_talk(asked) or chat.is_aside(asked, is_first=is_first) or (is_first and chat.unclear(asked)):
            return None
        understood, shown = self._understood(self._mended(asked), case.history, self._conversations(EVERY_PAPER))
        narrowed = self.narrowed(self._asked_again(understood)[1], EVERY_PAPER)
        if self._listed(asked, narrowed, shown) or self._told_of_one(asked, narrowed) or self._summed_up(asked, narrowed):
            return None

        def there(hits: Sequence[Hit]) -> list[Hit]:
            # a near copy of a paper that is left out is as good as that paper
            return [hit for hit in hits if not case.without & {hit.paper.id, *(copy.id for copy in hit.copies)}]

        def found(part: str) -> list[Hit]:
            return there(self._hits(replace(narrowed, question=part), shown | case.without))

        question, every = self._question_and_hits(narrowed, shown | case.without)
        hits = there(every)
        right = {hit.paper.id: copy.id for hit in hits for copy in hit.copies if copy.id in case.papers}

        def answer_at(threshold: float) -> tuple[float, str] | None:
            answerer = self._parts.extractive_without(sorted(case.without), threshold)
            answer = answerer.answer(question, hits, search=found)
            cited = [source.paper.id for source in answer.sources]
            return (answer.confidence, right.get(cited[0], cited[0])) if cited else None

        return fitting.trial(answer_at)

    def forget(self) -> None:
        """What was said and answered before: the papers have changed."""
        with self._lock:
            self._scopes.clear()

    def _mended(self, question: str) -> str:
        """A question without slips of the fingers, as far as the papers tell what is meant, and with the names of authors as they are written."""
        self._parts.store.open()
        return slips.mended(names.with_capitals(question, self._is_author), StoredWords(self._parts.store))

    def _is_author(self, name: str) -> bool:
        """Is a name that of an author, and not a word of the abstracts as well?"""
        words = text.content_words(name)
        if not words or (len(words) < 2 and self._parts.store.document_frequency(text.word_terms(words[0])[0])):
            return False
        return self._parts.store.knows("author", name)

    def narrowed(self, question: str, scope: Scope) -> Understood:
        """What a question says of the papers, and what is set besides, which counts where both speak of the same."""
        self._parts.store.open()
        found = understanding.understood(self._with_first_paper(question, scope), self._parts.store.knows)
        if not scope.reads_filters:
            # what was said of the papers is still nothing to search for
            return Understood(found.question, scope.filters, unread=found.unread, order=found.order, first=found.first)
        return replace(found, filters=found.filters.and_also(scope.filters))

    def _with_first_paper(self, question: str, scope: Scope) -> str:
        """ "Who wrote the oldest paper on tides?" with the name of that paper; the question for the papers, if they are several of one year."""
        described = within(question)
        if not described:
            return question
        listed = self._listed(described, self.narrowed(described, scope))
        if listed is None or len(listed.sources) != 1:
            return described
        return question.replace(described, chat.called(listed.sources[0].paper), 1)

    def nothing_passes(self, filters: Filters) -> str:
        """What to say if no paper passes; "" if one does."""
        if filters.is_empty or self._parts.retriever.count(filters):
            return ""
        return nothing_passes(filters, self._parts.retriever.count)

    def _hits(self, narrowed: Understood, shown: frozenset[str] = frozenset()) -> list[Hit]:
        """What there is on a question, without papers that were shown before and are not wanted again."""
        hits = self._parts.retriever.search(narrowed.question, k=self._parts.settings.top_k + len(shown), filters=narrowed.filters)
        return [hit for hit in hits if hit.paper.id not in shown][: self._parts.settings.top_k]

    def _searching(self, narrowed: Understood, shown: frozenset[str]) -> SearchFor:
        """Finds what there is on a part of a question, among the papers that the whole is about."""
        return lambda part: self._hits(replace(narrowed, question=part), shown)

    def _answers(self, asked: str, narrowed: Understood, shown: frozenset[str], most_words: int | None) -> Generator[AnswerEvent, None, None]:
        """What a question that stands alone is answered with. `shown`: ids of papers that are not wanted again."""
        started = time.perf_counter()
        if listed := self._listed(asked, narrowed, shown):
            yield Step("Listing the papers", preface=listed.preface)
            yield from listed.sentences
            yield replace(listed, timings={"retrieve": round(time.perf_counter() - started, 6)})
            return
        if summed_up := self._told_of_one(asked, narrowed) or self._summed_up(asked, narrowed):
            yield Step("Summing up the papers", preface=summed_up.preface)
            yield from summed_up.sentences
            yield replace(summed_up, timings={"retrieve": round(time.perf_counter() - started, 6)})
            return
        question, hits = self._question_and_hits(narrowed, shown)
        searched = round(time.perf_counter() - started, 6)
        knows_one_language = not self._parts.uses_llm and self._parts.settings.embedder in _OF_ONE_LANGUAGE
        if foreign := self._library.in_another_language(asked, hits[0].paper) if hits and knows_one_language else "":
            yield refusal(asked, question, foreign, hits)
            return
        with closing(self._from_hits(asked, question, hits, most_words, self._searching(narrowed, shown))) as events:
            for event in events:
                if isinstance(event, Answer):
                    notice = " ".join(filter(None, [event.notice, *(hit.notice for hit in hits[:1])]))
                    event = replace(event, notice=notice, timings={"retrieve": searched, **event.timings})
                yield event

    def _asked_again(self, understood: str) -> tuple[chat.Again | None, str]:
        """What is asked of the last answer, if the rules have to answer that, and the question. A chat model can say things in other words itself."""
        again, question = chat.asked_again(understood)
        in_words = again in (chat.Again.WORDS, chat.Again.SHORTER)
        return (None, understood) if again is None or (in_words and self._parts.uses_llm) else (again, question)

    def _answered_again(self, again: chat.Again, asked: str, narrowed: Understood, shown: frozenset[str]) -> Generator[AnswerEvent, None, None]:
        """The abstracts' own words for the last answer once more, with what there is to say to what is asked of it."""
        most_words = 1 if again is chat.Again.SHORTER else MOST_WORDS
        answer = self._offline(asked, narrowed, shown, most_words)
        if answer.abstained is None:
            said = again_said(again, answer)
            answer = replace(answer, preface=" ".join(filter(None, [said, answer.preface])))
            yield Step("Searching the papers", preface=answer.preface)
            yield from answer.sentences
        yield answer

    def _offline(self, asked: str, narrowed: Understood, shown: frozenset[str], most_words: int) -> Answer:
        """The answer that needs no chat model."""
        if found := self._listed(asked, narrowed, shown) or self._told_of_one(asked, narrowed) or self._summed_up(asked, narrowed):
            return found
        question, hits = self._question_and_hits(narrowed, shown)
        search = self._searching(narrowed, shown)
        return self._parts.extractive.answer(question, hits, asked=asked, most_words=most_words, search=search)

    def _question_and_hits(self, narrowed: Understood, shown: frozenset[str]) -> tuple[str, list[Hit]]:
        """A question and what there is on it. A paper in quotes is all that there is, and its words are not asked for: "What does “How snow
        falls” propose?".
        """
        hits = self._hits(narrowed, shown)
        paper = self._paper_in_quotes(narrowed.question)
        if paper is None:
            return narrowed.question, hits
        of_it = [replace(hit, rank=1) for hit in hits if hit.paper.id == paper.id]
        return _IN_QUOTES.sub("the paper", narrowed.question), of_it or [Hit(paper, (), 1.0, 1)]

    def _paper_in_quotes(self, question: str) -> Paper | None:
        """The one paper that a question names in quotes, if it names nothing else."""
        quoted = _IN_QUOTES.findall(question)
        return self._paper_named(quoted[0]) if len(quoted) == 1 and not text.names(_IN_QUOTES.sub("", question)) else None

    def _told_of_one(self, asked: str, narrowed: Understood) -> Answer | None:
        """What there is to tell of a paper in quotes, which is its summary; None for a question that says what of it, and with a chat model."""
        if self._parts.uses_llm or text.content_words(_TELL.sub("", _IN_QUOTES.sub("", narrowed.question))):
            return None
        paper = self._paper_in_quotes(narrowed.question)
        return replace(self._parts.summariser.papers([paper]).answer, question=asked, confidence=1.0) if paper else None

    def _listed(self, asked: str, narrowed: Understood, shown: frozenset[str] = frozenset()) -> Answer | None:
        """The answer to a question for papers, and not for what they say; None for any other. With a chat model, too: it would leave some out."""
        found = self._list(asked, narrowed, shown)
        if found is None or narrowed.order is None:
            return found
        in_order = listing.by_year(found, narrowed.order)
        return listing.first(in_order, narrowed.first) if narrowed.first else in_order

    def _list(self, asked: str, narrowed: Understood, shown: frozenset[str]) -> Answer | None:
        question, filters = narrowed.question, narrowed.filters
        if nothing := self.nothing_passes(filters):
            return refusal(asked, question, nothing, ())
        if narrowed.asks_for_unread and not self._is_spoken_of(names.cited(question)):
            return refusal(asked, question, self._library.unknown_authors(narrowed.unread), ())
        if narrowed.asks_nothing_else and chat.counts_library(question):
            return listing.number_of(asked, question, self._parts.retriever.count(filters), len(self._parts.store))
        if narrowed.asks_nothing_else:
            told = listing.ordered([paper for paper in self._parts.retriever.passing(filters) if paper.id not in shown], narrowed.order)
            if len(told) == 1 and names.asks_for_findings(question) and not self._parts.uses_llm:
                return replace(self._parts.summariser.papers(told).answer, question=asked, confidence=1.0)
            return listing.all_of(asked, question, told, self._parts.retriever.count(filters), len(self._parts.store))
        if (of_record := asked_of_record(question)) and (papers := self._papers_meant(of_record, narrowed)):
            return self._library.of_record(asked, question, of_record, papers)
        wanted = asked_for_set(question)
        if wanted and self._is_author(wanted.topic) and not (wanted.also or wanted.without):
            # "what about Smith?" after "which papers deal with tides?"
            by_author = self.narrowed(f"papers by {wanted.topic}", Scope(filters))
            if by_author.asks_nothing_else and (listed := self._list(asked, replace(by_author, order=narrowed.order, first=narrowed.first), shown)):
                return replace(listed, notice=f"No abstract speaks of “{wanted.topic}”: these are the papers by that author.")
        if wanted:
            passing = None if filters.is_empty else listing.Passing(self._parts.retriever.count(filters), words(filters))
            return listing.listed(
                asked, question, self._parts.sets.members(wanted, filters=filters, beyond=NEAREST, most=listing.MOST + len(shown)), shown, passing
            )
        return None

    def _is_spoken_of(self, author: str) -> bool:
        """Do abstracts speak of somebody who is asked about as one cites a paper, and wrote none of this library? `author`: "by Smith", or ""."""
        words = text.content_words(author)
        return bool(words) and all(self._parts.store.document_frequency(text.word_terms(word)[0]) for word in words)

    def _papers_meant(self, wanted: RecordQuestion, narrowed: Understood) -> list[Paper]:
        """The papers of whose record something is asked: the one that is called so or proposes what is; if it is described, the best that hold it."""
        if paper := self._paper_named(wanted.subject) or self._paper_titled(wanted.subject):
            return [paper]
        if not wanted.is_described and not text.names(wanted.subject):
            return []
        hits = self._hits(replace(narrowed, question=wanted.subject))
        stems = {text.stem(word) for word in text.content_words(wanted.subject)}
        held = [hit for hit in hits if stems and stems <= set(text.terms(f"{hit.paper.title or ''} {hit.paper.abstract}"))]
        if not wanted.is_described:
            held = [hit for hit in held if text.fold(text.name_of(hit.paper.abstract) or "").text == text.fold(wanted.subject).text]
        return [hit.paper for hit in held if hit.score >= _AS_GOOD * held[0].score][:_MOST_MEANT]

    def _paper_titled(self, subject: str) -> Paper | None:
        """The one paper whose title begins with a name: “MOSS: a model of moss”, “Active drift for buoys”."""
        said = f" {' '.join(word.text for word in text.words(text.folded(subject)))} "
        terms = {term: 1.0 for word in text.content_words(subject) for term in text.word_terms(word)}
        near = self._parts.store.by_keywords(terms, _MOST_TITLED) if terms else []
        papers = [paper for paper in self._parts.store.get([paper_id for paper_id, _ in near]).values() if paper.title]
        found = [paper for paper in papers if _begins_with(paper.title or "", said, is_word=len(terms) < 2)]
        return found[0] if len(found) == 1 else None

    def _summed_up(self, asked: str, narrowed: Understood) -> Answer | None:
        """The answer to a request for a summary of a paper or of a topic; None for any other, and with a chat model, which writes it."""
        if self._parts.uses_llm or not asks_for_summary(narrowed.question):
            return None
        subject = topic_of(narrowed.question)
        if paper := self._paper_named(subject):
            told, sure = self._parts.summariser.papers([paper]), 1.0
        else:
            found = self._parts.sets.members(SetQuestion(subject), filters=narrowed.filters, beyond=NEAREST)
            sure = max((one.probability for one in found.members), default=0.0)
            told = self._parts.summariser.topic(subject, [one.hit for one in found.members], [one.hit for one in found.beyond], most=_MOST_SUMMED_UP)
        return replace(told.answer, question=asked, confidence=sure) if sure >= _SURELY_OF_TOPIC else None

    def _paper_named(self, name: str) -> Paper | None:
        """The one paper that is called so, and nothing else."""
        folded = text.folded(name)
        content = [word for word in text.words(folded) if word.text not in text.STOPWORDS]
        terms = {term: 1.0 for word in content for term in text.word_terms(word.text)}
        near = self._parts.store.by_keywords(terms, _MOST_WITH_NAME) if terms else []
        found = [paper for paper in self._parts.store.get([paper_id for paper_id, _ in near]).values() if folded in known_as(paper)]
        return found[0] if len(found) == 1 else None

    def _from_hits(
        self, asked: str, understood: str, hits: Sequence[Hit], most_words: int | None, search: SearchFor
    ) -> Generator[AnswerEvent, None, None]:
        if not self._parts.uses_llm:
            yield from self._parts.extractive.stream(understood, hits, asked=asked, most_words=most_words or MOST_WORDS, search=search)
            return
        reading = self._parts.extractive.read(understood, hits)
        if reading is None:
            yield replace(refusal(asked, understood, _NOTHING, hits), model=self._parts.model_name)
            return
        offline = self._parts.extractive.answer(understood, hits, asked=asked, most_words=most_words or MOST_WORDS, search=search)
        confidence = max(reading.assessment.confidence, offline.confidence)
        if not self._is_worth_asking(confidence, hits[0].score):
            yield replace(offline, model=self._parts.model_name)  # no evidence: the model would answer from memory
            return
        written = self._parts.generative.stream(
            understood,
            self._parts.extractive.widened(understood, hits, search),
            asked=asked,
            confidence=confidence,
            fallback=lambda: offline,
            most_words=most_words or MOST_WORDS_ASKED_FOR,
        )
        with closing(written) as events:
            yield from events

    def _is_worth_asking(self, confidence: float, best_score: float) -> bool:
        """Is there evidence that a chat model could answer from?"""
        least = self._parts.settings.min_confidence
        return confidence >= least or (confidence >= _HOPELESS * least and best_score >= _UNRELATED)

    def _understood(self, question: str, history: Sequence[str], conversations: Conversations) -> tuple[str, frozenset[str]]:
        """The question so that it stands alone, and ids of papers that it does not want again. The model is asked only where the rules see a
        follow-up, and they stand in when it fails.
        """
        understood = conversations.understand(question, history)
        if not understood.leans or not self._parts.uses_llm:
            return understood.question, understood.shown
        try:
            rewritten = rewrite_follow_up(self._parts.chat_model, question, conversations.before(history))
        except ProviderError:
            rewritten = ""
        return rewritten or understood.question, understood.shown

    def _papers_for(self, scope: Scope, understood: str, shown: frozenset[str]) -> tuple[Paper, ...]:
        """The papers that answer a question offline."""
        narrowed = self.narrowed(self._asked_again(understood)[1], scope)
        listed = self._listed(understood, narrowed, shown)
        answer = listed or self._told_of_one(understood, narrowed)
        if answer is None:
            answer = self._parts.extractive.answer(*self._question_and_hits(narrowed, shown), search=self._searching(narrowed, shown))
        return tuple(source.paper for source in answer.sources)

    def _leads_to(self, scope: Scope, question: str, turn: chat.Turn) -> bool:
        """Does a question come upon the paper of a turn first, or nearly, and upon no other one for sure?"""
        hits = self._nearest(scope, question, _NEAR_PLACES)
        if not hits or hits[0].score >= _SURE_OF_PAPER:
            return False
        # a turn that was not answered still was about something
        paper_id = turn.papers[0].id if turn.papers else self._nearest(scope, turn.understood_as, 1)[0].paper.id
        return any(hit.paper.id == paper_id and hit.score >= _NEARLY * hits[0].score for hit in hits)

    def _nearest(self, scope: Scope, question: str, k: int) -> list[Hit]:
        narrowed = self.narrowed(question, scope)
        return self._parts.retriever.search(narrowed.question, k=k, filters=narrowed.filters)

    def _conversations(self, scope: Scope) -> Conversations:
        """What was said and answered within a scope."""
        with self._lock:
            known = self._scopes.pop(scope, None) or Conversations(
                partial(self._papers_for, scope), self._name_of, partial(self._leads_to, scope), self._is_author
            )
            self._scopes[scope] = known  # the last used is the last
            for oldest in list(self._scopes)[:-_MOST_SCOPES]:
                del self._scopes[oldest]
            return known

    def _name_of(self, word: str) -> str | None:
        """A word as the paper that is called so writes it."""
        folded = text.fold(word).text
        term = text.word_terms(folded)[0]
        if not 0 < self._parts.store.document_frequency(term) <= _MOST_WITH_NAME:
            return None
        found = self._parts.store.get([paper_id for paper_id, _ in self._parts.store.by_keywords({term: 1.0}, _MOST_WITH_NAME)])
        return next((paper.label for paper in found.values() if text.fold(paper.label).text == folded), None)


def _said_already(answer: Answer) -> Generator[AnswerEvent, None, None]:
    """What stands for an answer that was given just before."""
    related = tuple(replace(source, n=None) for source in answer.sources)[:NEAREST]
    yield Answer(answer.question, answer.understood_as, abstained=_NO_MORE, related=related)


_NO_MORE = "These abstracts say no more on it than was answered before."


def _begins_with(title: str, said: str, *, is_word: bool) -> bool:
    """Does a title begin with some words? A single word has to be all that stands in front of a colon or a dash."""
    head = re.split(r": | [-–—] ", title, maxsplit=1)[0] if is_word else title
    words_of = f" {' '.join(word.text for word in text.words(text.folded(head)))} "
    return words_of == said if is_word else words_of.startswith(said)


def again_said(again: chat.Again, answer: Answer) -> str:
    """What to say to what is asked of an answer, in front of it."""
    match again:
        case chat.Again.SURE:
            sure = f"{100 * answer.confidence:.0f} %" if answer.confidence < 1.0 else "as sure as I can be"
            return (
                f"How sure I am that the abstracts answer “{answer.understood_as}”: {sure}. Each sentence stands word for word in the abstract that "
                "it cites. Whether what an abstract says is true, I cannot tell."
            )
        case chat.Again.SOURCE:
            return "From these abstracts: each sentence stands word for word in the one that it cites, as marked below it."
        case chat.Again.WORDS:
            return "These are the abstracts' own sentences, and without a chat model I cannot put them in other words:"
        case chat.Again.SHORTER:
            return "The abstracts' own words, as few as answer:"


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def checked(question: str) -> str:
    """The question on one line, without control characters and broken ones. Raises QuestionError."""
    plain = " ".join(_UNPRINTABLE.sub(" ", question).split())
    if not plain:
        raise QuestionError('The question is empty: type what you want to know, for example: rag-qa ask "What is DP-CATE?"')
    found = text.words(text.fold(plain).text)
    if not found:
        raise QuestionError(f"There is no word in the question {plain[:40]!r}: ask in words, for example: What is differential privacy?")
    if len(found) > MAX_QUESTION_WORDS:
        raise QuestionError(
            f"The question has {len(found):,} words, and {MAX_QUESTION_WORDS} are the most: ask what you want to know in a sentence or two"
        )
    if len(plain) > MAX_QUESTION_CHARACTERS:
        raise QuestionError(
            f"The question has {len(plain):,} characters, and {MAX_QUESTION_CHARACTERS:,} are the most: ask what you want to know in a sentence"
        )
    return plain
