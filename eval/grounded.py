"""What is measured with the texts of the papers at hand: do the cited ones bear the sentences out, and do those that were found hold the facts?

The checker is the harness's own (`eval.metrics.support`), so that the system does not grade itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from eval.figures import Failed, Metric, NotApplicable, Score
from eval.items import Item
from eval.metrics import attribution, citations, facts
from eval.metrics.attribution import Check, Claim
from eval.metrics.information import background, share
from eval.metrics.support import Support, Thresholds, check, rarity_in, sentences, stems

CONTEXT = 5
"""How many of the papers that were found are the context of an answer, beside those that it lists as sources."""


def checker(abstracts: Mapping[str, str], question: str, rarity: Callable[[str], float], thresholds: Thresholds | None) -> Check:
    """Holds sentences against papers by their ids; one that is not known bears out nothing."""

    @cache
    def held(sentence: str, papers: tuple[str, ...]) -> Support:
        return check(sentence, [abstracts.get(paper, "") for paper in papers], question=question, rarity=rarity, thresholds=thresholds)

    return lambda sentence, papers: held(sentence, tuple(papers))


def claims(item: Item) -> list[Claim]:
    """The sentences of an answer that claim something, with the papers that their numbers stand for."""
    paper_of = {source.n: source.paper for source in item.sources}
    return [
        Claim(sentence.text, tuple(paper_of.get(number) for number in sentence.citations))
        for sentence in item.sentences
        if attribution.claims_something(sentence.text)
    ]


def context(item: Item) -> list[str]:
    """The papers that an answer could be made from: its sources, and the first that were found."""
    return list(dict.fromkeys([source.paper for source in item.sources] + [hit.paper for hit in (item.retrieved or ())[:CONTEXT]]))


def metrics(abstracts: Mapping[str, str], thresholds: Thresholds | None = None) -> tuple[Metric, ...]:
    """The metrics over a library: paper id -> abstract."""
    rarity = rarity_in(abstracts.values())

    @cache
    def check_of(question: str) -> Check:
        return checker(abstracts, question, rarity, thresholds)

    def of_answer(figure: Callable[[Sequence[Claim], Item, Check], float], item: Item) -> Score:
        if item.status == "abstained":
            return NotApplicable("abstained")
        found = claims(item)
        return figure(found, item, check_of(item.question.text)) if found else NotApplicable("no_claims")

    def metric(name: str, title: str, figure: Callable[[Sequence[Claim], Item, Check], float], formula: str, *, is_bad: bool = False) -> Metric:
        return Metric(name, title, partial(of_answer, figure), formula, direction="lower" if is_bad else "higher", worst=float(is_bad))

    return (
        metric(
            "citation_recall",
            "citation recall (ALCE)",
            lambda c, _, check: attribution.recall(c, check),
            "sentences that cite only existing papers and that these bear out / sentences that claim something, over answers",
        ),
        metric(
            "citation_support_precision",
            "citation precision (ALCE)",
            lambda c, _, check: attribution.precision(c, check),
            "citations that are needed to bear their sentence out / citations, made-up ones among them, over answers",
        ),
        metric(
            "citation_f1",
            "citation F1",
            lambda c, _, check: attribution.f1(attribution.recall(c, check), attribution.precision(c, check)),
            "harmonic mean of citation recall and precision of an answer",
        ),
        metric(
            "citation_recall_graded",
            "citation recall, graded",
            lambda c, _, check: attribution.graded_recall(c, check),
            "as citation recall, with 0.5 for a sentence that is borne out in part",
        ),
        metric(
            "misattributed",
            "sentences with the wrong paper",
            lambda c, item, check: attribution.misattributed(c, context(item), check),
            "sentences that their citations do not bear out but another paper that was found does / sentences",
            is_bad=True,
        ),
        metric(
            "over_cited",
            "citations that add nothing",
            lambda c, _, check: attribution.over_cited(c, check),
            "citations of existing papers without which their sentence is borne out too / citations of existing papers",
            is_bad=True,
        ),
        metric(
            "uncited",
            "sentences that cite nothing",
            lambda c, _, _check: attribution.uncited(c),
            "sentences without a citation / sentences that claim something",
            is_bad=True,
        ),
        metric(
            "groundedness",
            "groundedness",
            lambda c, item, check: attribution.grounded(c, context(item), check),
            "sentences that any paper that was found bears out / sentences that claim something, over answers",
        ),
        metric(
            "contradicted",
            "sentences against what was found",
            lambda c, item, check: attribution.contradicted(c, context(item), check),
            "sentences with another number, denial or direction than the best passage / sentences",
            is_bad=True,
        ),
        metric(
            "worst_sentence",
            "worst sentence",
            lambda c, item, check: attribution.worst(c, context(item), check),
            "how far the worst sentence of an answer is borne out",
        ),
        Metric(
            "quote_fidelity",
            "quoted words that stand there",
            partial(_quote_fidelity, abstracts),
            f"spans of {citations.LEAST_WORDS} words and more in quotation marks that stand in a paper which their sentence cites / such spans",
        ),
        Metric(
            "information",
            "information about the right answer",
            partial(_information, abstracts, background(abstracts.values())),
            "bits a word that an answer saves on a written answer, or on the sentences of right papers with the asked facts / what these save",
        ),
        Metric(
            "context_recall",
            "asked facts in what was found",
            partial(_context_recall, abstracts),
            f"fact groups that stand in the first {CONTEXT} papers found / fact groups",
        ),
        Metric(
            "context_precision",
            "papers found that hold an asked fact",
            partial(_context_precision, abstracts),
            f"papers among the first {CONTEXT} found that hold a fact group / {CONTEXT}, or as many as there are",
        ),
    )


def _quote_fidelity(abstracts: Mapping[str, str], item: Item) -> Score:
    """Over the sentences as one text: a quotation may go on behind a full stop."""
    if item.status == "abstained":
        return NotApplicable("abstained")
    paper_of = {source.n: source.paper for source in item.sources}
    text, owners = "", list[tuple[int, int, list[str]]]()
    for sentence in item.sentences:
        papers = [abstracts.get(paper_of.get(number, ""), "") for number in sentence.citations]
        owners.append((len(text), len(text) + len(sentence.text), papers))
        text += f"{sentence.text} "
    held = [
        citations.stands_verbatim(words, [one for start, end, papers in owners if start < to and end > begin for one in papers])
        for begin, to, words in citations.quoted_spans(text)
    ]
    return sum(held) / len(held) if held else NotApplicable("no_quotes")


def _information(abstracts: Mapping[str, str], probability: Callable[[str], float], item: Item) -> Score:
    question = item.question
    there = [one for paper in question.papers for one in sentences(abstracts.get(paper, ""))]
    reference = question.reference or " ".join(one for one in there if any(facts.groups_met(one, question.facts)))
    if not stems(reference):
        return NotApplicable("unanswerable" if question.answerable is False else "missing_field")
    return share(item.prose, reference, probability)


def _found(item: Item, abstracts: Mapping[str, str]) -> list[str] | Failed | NotApplicable:
    if not item.question.facts:
        return NotApplicable("unanswerable" if item.question.answerable is False else "missing_field")
    if item.retrieved is None:
        return Failed(item.retrieval_error) if item.retrieval_error else NotApplicable("missing_field")
    return [abstracts.get(hit.paper, "") for hit in item.retrieved[:CONTEXT]]


def _context_recall(abstracts: Mapping[str, str], item: Item) -> Score:
    found = _found(item, abstracts)
    return facts.fact_share(" ".join(found), item.question.facts) if isinstance(found, list) else found


def _context_precision(abstracts: Mapping[str, str], item: Item) -> Score:
    found = _found(item, abstracts)
    if not isinstance(found, list):
        return found
    return sum(any(facts.groups_met(text, item.question.facts)) for text in found) / len(found) if found else 0.0
