"""What is measured on the items of a run, and over which of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from eval import grounded, selective
from eval.datasets.loader import Kind, Nugget, Question
from eval.figures import Failed, Figure, Metric, NotApplicable, Score, measure
from eval.items import Item, Timing
from eval.metrics import abstention, citations, facts, length, nuggets, retrieval
from eval.selective import SetMetric
from rag_qa.answering.answer import Status

_APART = (Kind.FOLLOWUP, Kind.SET)  # kinds with a scope of their own
SCOPES: Mapping[str, Callable[[Question], bool]] = {
    "all": lambda _: True,
    "answerable": lambda question: question.answerable is True,
    "unanswerable": lambda question: question.answerable is False,
    "single": lambda question: question.answerable is True and len(question.papers) == 1 and question.kind not in _APART,
    "multi": lambda question: question.answerable is True and len(question.papers) > 1 and question.kind not in _APART,
    "followup": lambda question: question.kind is Kind.FOLLOWUP,
    "set": lambda question: question.kind is Kind.SET,
    "partial": lambda question: question.kind is Kind.PARTIAL,
}
"""Over which questions a figure is taken. Decided by the labels of the questions alone, never by what the system did."""


def _why_unlabelled(question: Question) -> str:
    return "unanswerable" if question.answerable is False else "missing_field"


def _retrieval(function: Callable[[Sequence[str], Sequence[str]], float], item: Item) -> Score:
    if not item.question.papers:
        return NotApplicable(_why_unlabelled(item.question))
    if item.retrieved is None:
        return Failed(item.retrieval_error) if item.retrieval_error else NotApplicable("missing_field")
    return function([hit.paper for hit in item.retrieved], item.question.papers)


def _ndcg(ranked: Sequence[str], relevant: Sequence[str]) -> float:
    return retrieval.ndcg_at(ranked, dict.fromkeys(relevant, 1.0), k=10)


def _cited(function: Callable[[Sequence[str], Sequence[str]], float], item: Item) -> Score:
    """A refusal cites nothing, and so misses every gold paper."""
    return function(item.cited, item.question.papers) if item.question.papers else NotApplicable(_why_unlabelled(item.question))


def _citation_precision(item: Item) -> Score:
    if not item.question.papers:
        return NotApplicable(_why_unlabelled(item.question))
    counted = [paper for paper in item.cited if paper not in item.question.maybe]
    return citations.precision(counted, item.question.papers) if item.status == "answered" else NotApplicable("abstained")


def _valid_citations(item: Item) -> Score:
    if item.status == "abstained":
        return NotApplicable("abstained")
    numbers = [number for sentence in item.sentences for number in sentence.citations]
    return citations.valid_share(numbers, [source.n for source in item.sources if source.n is not None]) if numbers else NotApplicable("no_citations")


def _quotes_verbatim(item: Item) -> Score:
    if item.status == "abstained":
        return NotApplicable("abstained")
    quotes = [(quote.quote, quote.found) for sentence in item.sentences for quote in sentence.quotes]
    return citations.verbatim_share(quotes) if quotes else NotApplicable("no_quotes")


def _quoted_sentences(item: Item) -> Score:
    if item.status == "abstained":
        return NotApplicable("abstained")
    if item.sentences and not any(sentence.verdict for sentence in item.sentences):
        return NotApplicable("no_verdicts")  # a system that shows no evidence of its own
    cited = [sentence for sentence in item.sentences if sentence.citations]
    return sum(bool(sentence.quotes) for sentence in cited) / len(cited) if cited else NotApplicable("no_citations")


def _facts(function: Callable[[str, Sequence[Sequence[str]]], float], item: Item) -> Score:
    """A refusal holds no fact: its own words are not searched for one."""
    return function(item.prose, item.question.facts) if item.question.facts else NotApplicable(_why_no_fact(item.question))


def _why_no_fact(question: Question) -> str:
    return "papers_alone" if question.kind is Kind.SET else _why_unlabelled(question)


def _fact_in_first_sentence(item: Item) -> Score:
    if not item.question.facts:
        return NotApplicable(_why_no_fact(item.question))
    return facts.all_facts(item.sentences[0].text if item.sentences else "", item.question.facts)


def _missing_named(item: Item) -> Score:
    """Our own words count, in front of the sentences, beside them or in a refusal, and no quoted ones."""
    if not item.question.missing:
        return NotApplicable("nothing_missing")
    return facts.all_facts(item.own_words, item.question.missing)


def _words(item: Item) -> Score:
    return length.words(item.prose) if item.status == "answered" else NotApplicable("abstained")


def _refusal(item: Item) -> Score:
    return abstention.refusal(item.status == "abstained")


def _right_decision(item: Item) -> Score:
    if item.question.answerable is None:
        return NotApplicable("missing_field")
    return abstention.right_decision(answerable=item.question.answerable, abstained=item.status == "abstained")


def _right(item: Item) -> Score:
    """Right paper cited and the facts in the answer; or refused, where nothing answers."""
    question = item.question
    if not question.answerable:
        return _right_decision(item)
    if not question.papers and not question.facts:
        return NotApplicable("missing_field")
    cited = citations.all_cited(item.cited, question.papers) if question.papers else 1.0
    met = facts.all_facts(item.prose, question.facts) if question.facts else 1.0
    named = facts.all_facts(item.own_words, question.missing) if question.missing else 1.0
    return cited * met * named


def _nuggets(question: Question) -> Sequence[Nugget]:
    """Those of the question; where it calls none of them vital, its facts are what an answer must hold, and they are what is welcome besides."""
    if any(one.vital for one in question.nuggets):
        return question.nuggets
    return [*map(Nugget, question.facts), *question.nuggets]


def _nugget_score(function: Callable[[Sequence[float]], float], *, only_vital: bool) -> Callable[[Item], Score]:
    def score(item: Item) -> Score:
        asked = [one for one in _nuggets(item.question) if one.vital or not only_vital]
        if not asked:
            return NotApplicable("no_vital_nugget" if item.question.nuggets else _why_no_fact(item.question))
        return function([nuggets.match(item.prose, one.aliases, one.number) for one in asked])

    return score


def _conditional(item: Item) -> Score:
    question = item.question
    if question.answerable is None or (question.answerable and not question.facts):
        return NotApplicable("papers_alone" if question.kind is Kind.SET else "missing_field")
    quality = facts.fact_share(item.prose, question.facts) if question.answerable else 0.0
    return abstention.conditional(answerable=question.answerable, abstained=item.status == "abstained", quality=quality)


def _verdict(status: Status, item: Item) -> Score:
    if not item.sentences:
        return NotApplicable("abstained")
    if not any(sentence.verdict for sentence in item.sentences):
        return NotApplicable("no_verdicts")
    return sum(sentence.verdict == status for sentence in item.sentences) / len(item.sentences)


RETRIEVAL = (
    Metric("success_at_1", "right paper ranked first", partial(_retrieval, retrieval.success_at_1), "1 if the first paper is gold", binary=True),
    Metric("recall_at_5", "recall@5", partial(_retrieval, partial(retrieval.recall_at, k=5)), "gold papers among the first 5 / gold papers"),
    Metric("recall_at_10", "recall@10", partial(_retrieval, partial(retrieval.recall_at, k=10)), "gold papers among the first 10 / gold papers"),
    Metric("mrr_at_10", "MRR@10", partial(_retrieval, partial(retrieval.reciprocal_rank, k=10)), "1 / place of the first gold paper, 0 beyond 10"),
    Metric("ndcg_at_10", "nDCG@10", partial(_retrieval, _ndcg), "discounted gain of the first 10 / that of the best ranking"),
)
CITED = Metric(
    "right_paper_cited", "right paper cited (all gold)", partial(_cited, citations.all_cited), "1 if every gold paper is cited", binary=True
)
CITED_ANY = Metric("any_right_paper_cited", "some right paper cited", partial(_cited, citations.any_cited), "1 if a gold paper is cited", binary=True)
CITED_SHARE = Metric("right_papers_share", "share of right papers cited", partial(_cited, citations.gold_share), "gold papers cited / gold papers")
CITED_FIRST = Metric(
    "right_paper_first", "right paper cited first", partial(_cited, citations.cited_first), "1 if the first cited paper is gold", binary=True
)
PRECISION = Metric("citation_precision", "citation precision", _citation_precision, "cited papers that are gold / cited papers, over answers")
VALID = Metric("valid_citations", "citations of existing sources", _valid_citations, "citations whose number is in the source list / citations")
VERBATIM = Metric("quotes_verbatim", "quotes verbatim", _quotes_verbatim, "quotes equal to abstract[start:end] / quotes, over answers with quotes")
QUOTED = Metric(
    "cited_sentences_quoted",
    "cited sentences with a quote",
    _quoted_sentences,
    "cited sentences with evidence / cited sentences",
)
FACT = Metric("fact_in_answer", "asked fact in the answer (all)", partial(_facts, facts.all_facts), "1 if every fact group is met", binary=True)
FACT_SHARE = Metric("fact_share", "share of asked facts in the answer", partial(_facts, facts.fact_share), "fact groups met / fact groups")
FACT_FIRST = Metric(
    "fact_in_first_sentence", "asked fact in the first sentence", _fact_in_first_sentence, "1 if the first sentence meets every group", binary=True
)
MISSING = Metric(
    "missing_named", "what is not answered is named", _missing_named, "1 if our own words name every part that no abstract answers", binary=True
)
WORDS_MEDIAN = Metric("words_median", "words, median", _words, "median words of answers", "p50", "lower", None, "0 up")
WORDS_P90 = Metric("words_p90", "words, 90th percentile", _words, "90th percentile of the words of answers", "p90", "lower", None, "0 up")
REFUSED = Metric("refused", "unanswerable refused", _refusal, "refused / unanswerable", binary=True)
OVER_REFUSED = Metric("over_refused", "answerable refused", _refusal, "refused / answerable", direction="lower", worst=1.0, binary=True)
DECISION = Metric("right_decision", "rightly answered or refused", _right_decision, "1 if answered exactly when answerable", binary=True)
RIGHT = Metric(
    "right", "right paper and fact, or rightly refused", _right, "right_paper_cited and fact_in_answer; or refused if unanswerable", binary=True
)
CONDITIONAL = Metric(
    "conditional",
    "worth of answering or refusing",
    _conditional,
    "unanswerable: 1 if refused, else 0; answerable: fact groups met / fact groups, 0 if refused",
)
NUGGETS = (
    Metric(
        "nuggets_vital_strict",
        "vital nuggets (V strict)",
        _nugget_score(nuggets.strict, only_vital=True),
        "vital nuggets met / vital nuggets; facts are vital nuggets where a question has no others",
        version="2",
    ),
    Metric(
        "nuggets_vital",
        "vital nuggets, graded (V)",
        _nugget_score(nuggets.graded, only_vital=True),
        "as V strict, half a point if nearly met",
        version="2",
    ),
    Metric(
        "nuggets_all_strict",
        "nuggets (A strict)",
        _nugget_score(nuggets.strict, only_vital=False),
        "nuggets met / nuggets, vital ones and others",
        version="2",
    ),
    Metric(
        "nuggets_all",
        "nuggets, graded (A)",
        _nugget_score(nuggets.graded, only_vital=False),
        "as A strict, half a point if nearly met",
        version="2",
    ),
)
VERDICTS = tuple(
    Metric(
        f"verdict_{status.value.replace('-', '_')}",
        f"sentences {status.value}",
        partial(_verdict, status),
        f"sentences with the system's own verdict {status.value} / sentences, over answers",
        direction="higher" if status is Status.SUPPORTED else "lower",
        worst=0.0 if status is Status.SUPPORTED else 1.0,
    )
    for status in Status
)

PLAN: Sequence[tuple[Metric, tuple[str, ...]]] = (
    *((metric, ("answerable", "single", "multi", "followup")) for metric in RETRIEVAL),
    (CITED, ("single", "multi", "followup", "answerable", "set")),
    (CITED_FIRST, ("single",)),
    (CITED_ANY, ("multi",)),
    (CITED_SHARE, ("multi", "set")),
    (PRECISION, ("single", "multi", "set", "answerable")),
    (VALID, ("all",)),
    (VERBATIM, ("all",)),
    (QUOTED, ("all",)),
    (FACT, ("single", "multi", "followup", "set", "partial", "answerable")),
    (FACT_SHARE, ("multi", "answerable")),
    (FACT_FIRST, ("single",)),
    (MISSING, ("partial",)),
    (WORDS_MEDIAN, ("single", "all")),
    (WORDS_P90, ("single", "all")),
    (REFUSED, ("unanswerable",)),
    (OVER_REFUSED, ("answerable",)),
    (DECISION, ("all",)),
    (RIGHT, ("followup", "single", "set", "partial", "all")),
    (CONDITIONAL, ("all",)),
    *((metric, ("answerable",)) for metric in NUGGETS),
    *((metric, ("all",)) for metric in VERDICTS),
)
"""Every figure of a run: the metric, and the scopes over which it is taken."""

BY_KIND: Sequence[Metric] = (RETRIEVAL[0], RETRIEVAL[1], CITED, FACT, FACT_FIRST, WORDS_MEDIAN, DECISION, RIGHT)
"""What is shown for each kind of question."""


GROUNDED: tuple[str, ...] = ("all",)
"""Over which scopes the metrics of `grounded` are taken."""


def plan(library: Mapping[str, str] | None = None) -> Sequence[tuple[Metric, tuple[str, ...]]]:
    """Every metric of single items with its scopes. `library`: paper id -> abstract; without it those that need the texts are left out."""
    with_texts = () if library is None else tuple((metric, GROUNDED) for metric in grounded.metrics(library))
    return (*PLAN, *with_texts)


def figures(items: Sequence[Item], timings: Sequence[Timing] = (), library: Mapping[str, str] | None = None) -> list[Figure]:
    """Every figure of the plan, those of the whole set, then the latencies."""
    found = [measure(metric, scope, within(items, scope)) for metric, scopes in plan(library) for scope in scopes]
    return [*found, *selective.figures(items), *(measure(metric, "all", items) for metric in latency_metrics(timings))]


def figures_by_kind(items: Sequence[Item]) -> dict[str, list[Figure]]:
    """The figures of each kind of question that there is, in the order of the kinds."""
    groups = {kind: [item for item in items if item.question.kind is kind] for kind in Kind}
    return {str(kind): [measure(metric, str(kind), group) for metric in BY_KIND] for kind, group in groups.items() if group}


def within(items: Sequence[Item], scope: str) -> list[Item]:
    """The items of a scope."""
    return [item for item in items if SCOPES[scope](item.question)]


def latency_metrics(timings: Sequence[Timing]) -> tuple[Metric, ...]:
    """Median and 95th percentile of the milliseconds that questions took, warm."""
    seconds = {timing.id: timing.seconds for timing in timings}

    def milliseconds(item: Item) -> Score:
        return seconds[item.question.id] * 1000 if item.question.id in seconds else NotApplicable("not_timed")

    return tuple(
        Metric(f"latency_{name}_ms", f"latency, {name}, ms", milliseconds, f"{name} of the milliseconds of ask(), warm", name, "lower", None, "0 up")
        for name in ("p50", "p95")
    )


def metrics() -> dict[str, Metric | SetMetric]:
    """Every metric by name."""
    every: list[Metric | SetMetric] = [*(metric for metric, _ in plan({})), *selective.METRICS, *latency_metrics(())]
    return {metric.name: metric for metric in every}


def faults(item: Item) -> list[str]:
    """What is wrong with an answer, in words; nothing for a right one.

    These are the reasons that the figures count: an error, a wrong decision, a missing paper or fact, a quote that is not in the abstract.
    """
    if item.status == "error":
        return [f"error: {item.error}"]
    found = [f"search failed: {item.retrieval_error}"] if item.retrieval_error else []
    question = item.question
    if question.answerable is None:
        return found + _misquotes(item)
    if not question.answerable:
        return found + (["answered, though no abstract answers it"] if item.status == "answered" else []) + _misquotes(item)
    if item.status == "abstained":
        return [*found, f"refused, though {_where(item)}"]
    if missing := [paper for paper in question.papers if paper not in item.cited]:
        found.append(f"{len(missing)} of {len(question.papers)} right papers not cited; {_where(item)}")
    met = facts.groups_met(item.prose, question.facts)
    found += [f"fact missing: {' / '.join(group)}" for group, is_met in zip(question.facts, met, strict=True) if not is_met]
    named = facts.groups_met(item.own_words, question.missing)
    found += [f"not said to be missing: {' / '.join(group)}" for group, is_met in zip(question.missing, named, strict=True) if not is_met]
    return found + _misquotes(item)


def _where(item: Item) -> str:
    """Where the ranking has the right papers."""
    ranks = {hit.paper: place for place, hit in enumerate(item.retrieved or (), start=1)}
    places = [str(ranks[paper]) if paper in ranks else "below 10" for paper in item.question.papers]
    return f"the search ranks the right paper{'s' if len(places) > 1 else ''} {' and '.join(places)}"


def _misquotes(item: Item) -> list[str]:
    quotes = [quote for sentence in item.sentences for quote in sentence.quotes]
    wrong = [quote for quote in quotes if not quote.quote or quote.quote != quote.found]
    return [f"quote not in its abstract at {quote.start}:{quote.end}: {quote.quote!r}" for quote in wrong]
