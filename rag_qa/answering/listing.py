"""Every paper that qualifies -> an Answer: for each the sentence of its abstract that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag_qa import text
from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status, Verdict
from rag_qa.papers import Paper
from rag_qa.retrieval import topics
from rag_qa.retrieval.ordering import First, Order
from rag_qa.retrieval.sets import Member, PaperSet, Unshown

MOST = 100
"""Papers in one answer; the preface says how many there are besides."""

_MOST_OF_ALL = 10  # of the whole library, which nobody wants to read as an answer
_RELATED = 3
_ALMOST = 0.05  # probability to qualify, from which on a paper that does not is named beside those that do


@dataclass(frozen=True, slots=True)
class Passing:
    """How many papers pass the filters, and what these are in words."""

    count: int
    words: str


def listed(asked: str, question: str, found: PaperSet, shown: frozenset[str] = frozenset(), passing: Passing | None = None) -> Answer:
    """What qualifies, best first, or a refusal if nothing does. `shown`: ids of papers that were told before and are not wanted again. `passing`:
    what was looked at, if that is not all of the library.
    """
    members = [member for member in found.members if member.hit.paper.id not in shown]
    related = tuple(Source(member.hit.paper, member.hit.score) for member in found.beyond if member.hit.paper.id not in shown)[:_RELATED]
    if not members:
        told_before = " but those already shown" if shown else ""
        among = f"No paper of this library{told_before}" if passing is None else f"No paper of the {passing.count:,} ({passing.words}){told_before}"
        said = f"{among} deals with “{found.topic}”, as far as the abstracts say."
        return Answer(asked, question, abstained=said, related=related)
    told = members[:MOST]
    near = tuple(source for source in related if source.score >= _ALMOST)
    return Answer(
        asked,
        question,
        tuple(_sentence(member.hit.paper, text.Span(member.start, member.end), n) for n, member in enumerate(told, 1)),
        tuple(Source(member.hit.paper, member.hit.score, n) for n, member in enumerate(told, 1)),
        related=near,
        confidence=max(member.probability for member in members),
        preface=_preface(members, [one for one in found.rest if one.paper.id not in shown], found, len(shown), passing),
    )


def _preface(members: Sequence[Member], rest: Sequence[Unshown], found: PaperSet, told_before: int, passing: Passing | None) -> str:
    copies = sum(len(member.hit.copies) for member in members) + sum(len(one.copies) for one in rest)
    count = len(members) + len(rest) + copies
    other = "other " if told_before else ""
    least = "At least " if found.is_cut_short else ""
    among = f"{found.library:,} papers" if passing is None else f"the {passing.count:,} papers ({passing.words})"
    parts = [f"{least}{count:,} {other}of {among} {'deals' if count == 1 else 'deal'} with “{found.topic}”"]
    if copies:
        which = "one of them says" if copies == 1 else f"{copies} of them say"
        parts.append(f"{which} the same as another in nearly the same words, and {'is' if copies == 1 else 'are'} not shown")
    if rest or len(members) > MOST:
        parts.append(f"the surest {MOST} are shown")
    return "; ".join(parts) + ":"


def all_of(asked: str, question: str, papers: Sequence[Paper], count: int, library: int) -> Answer:
    """Papers that were asked for by nothing but filters, each with what it says it does. `count`: how many there are, of which these are some; a
    refusal if all of them were shown before.
    """
    if not papers:
        return Answer(asked, question, abstained="No paper of this library but those already shown is as asked.")
    told = papers[: MOST if count < library else _MOST_OF_ALL]
    some = f"; {len(told)} are shown" if count > len(told) else ""
    return Answer(
        asked,
        question,
        tuple(_sentence(paper, _aim(paper), n) for n, paper in enumerate(told, 1)),
        tuple(Source(paper, 1.0, n) for n, paper in enumerate(told, 1)),
        confidence=1.0,
        preface=f"{_counted(count, library)}{some}:",
    )


def number_of(asked: str, question: str, count: int, library: int) -> Answer:
    """How many papers there are, and nothing of what they say. `count`: those that are looked at.

    >>> number_of("How many papers are there?", "How many papers are there?", 46, 46).text
    'There are 46 papers.'
    """
    return Answer(asked, question, confidence=1.0, preface=f"{_counted(count, library)}.")


def _counted(count: int, library: int) -> str:
    """
    >>> _counted(1, 46), _counted(46, 46)
    ('1 of 46 papers is as asked', 'There are 46 papers')
    """
    if count == library:
        return f"There are {count:,} papers" if count > 1 else "There is one paper"
    return f"{count:,} of {library:,} papers {'is' if count == 1 else 'are'} as asked"


def _aim(paper: Paper) -> text.Span:
    """The sentence in which a paper says what it does, or the first one."""
    spans = text.sentences(paper.abstract)
    said = [span for span, folded in zip(spans, topics.folded_sentences(paper.abstract), strict=True) if topics.is_proposed(folded)]
    return (said or spans)[0]


def _sentence(paper: Paper, span: text.Span, n: int) -> Sentence:
    quote = paper.abstract[span.start : span.end]
    # a paper without title or name is called by its first words: they are not said twice
    lead = "" if quote.startswith(paper.label.rstrip("…")) else f"{paper.label}:"
    return Sentence(quote, (n,), Verdict(Status.SUPPORTED, (Evidence(n, span.start, span.end, quote),)), lead=lead)


def ordered(papers: Sequence[Paper], order: Order | None) -> list[Paper]:
    """Papers in an order: those of no known year last, those of one year as they stood; without one as they are.

    >>> [paper.id for paper in ordered([Paper("a", "", year=2020), Paper("b", ""), Paper("c", "", year=2024)], Order.NEWEST)]
    ['c', 'a', 'b']
    """
    if order is None:
        return list(papers)
    sign = -1 if order is Order.NEWEST else 1
    return sorted(papers, key=lambda paper: (paper.year is None, sign * (paper.year or 0)))


def by_year(answer: Answer, order: Order) -> Answer:
    """The same list in another order (see `ordered`), numbered anew; if years are not known, that is said."""
    if not answer.sources:
        return answer
    papers = ordered([source.paper for source in answer.sources], order)
    place = {paper.id: n for n, paper in enumerate(papers, 1)}
    new = {source.n: place[source.paper.id] for source in answer.sources}
    sentences = sorted((_renumbered(sentence, new) for sentence in answer.sentences), key=lambda sentence: sentence.citations)
    sources = sorted((replace(source, n=new[source.n]) for source in answer.sources), key=lambda source: source.n or 0)
    unknown = sum(paper.year is None for paper in papers)
    some = f"Of {unknown} of the {len(papers)} papers no year is known: they stand last." if unknown else ""
    notice = "No year is known of any of these papers, so that they stand as before." if unknown == len(papers) else some
    return replace(answer, sentences=tuple(sentences), sources=tuple(sources), notice=" ".join(filter(None, [answer.notice, notice])))


def first(answer: Answer, wanted: First) -> Answer:
    """A list that stands by its years already, cut to so many as are wanted, with those of the same year as the last of them. Of which years they are
    is said.
    """
    if not answer.sources:
        return answer
    years = [source.paper.year for source in answer.sources if source.paper.year is not None]
    called = "oldest" if wanted.order is Order.OLDEST else "newest"
    if not years:
        said = f"No year is known of any of these papers, so that none can be said to be the {called}."
        return Answer(answer.question, answer.understood_as, abstained=said, related=answer.sources[:_RELATED])
    if wanted.most is None:
        span = f"from {min(years)} to {max(years)}" if min(years) != max(years) else f"from {min(years)}"
        return replace(answer, notice=" ".join(filter(None, [f"The {called} come first: these papers are {span}.", answer.notice])))
    last = years[: wanted.most][-1]
    count = max(min(wanted.most, len(years)), min(sum(_stands_before(year, last, wanted.order) for year in years), wanted.most + _MOST_OF_A_YEAR))
    told = answer.sources[:count]
    kept = tuple(sentence for sentence in answer.sentences if all(n <= count for n in sentence.citations))
    of = str(last) if last == years[0] else f"{min(last, years[0])} to {max(last, years[0])}"
    papers = f"The {called} paper is" if count == 1 else f"The {count} {called} papers are"
    return replace(answer, sentences=kept, sources=told, preface=f"{papers} from {of}, as far as the records give years:", notice="")


_MOST_OF_A_YEAR = 4  # more papers than were asked for, if they are of the same year as the last


def _stands_before(year: int, last: int, order: Order) -> bool:
    return year <= last if order is Order.OLDEST else year >= last


def _renumbered(sentence: Sentence, new: Mapping[int | None, int]) -> Sentence:
    evidence = tuple(replace(one, source=new[one.source]) for one in sentence.verdict.evidence)
    return replace(sentence, citations=tuple(new[n] for n in sentence.citations), verdict=replace(sentence.verdict, evidence=evidence))
