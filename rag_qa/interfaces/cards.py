"""HTML of the page: turns of a conversation, their answers, refusals and source cards. Pure functions of values.

Everything that comes from a paper, a person or a model passes through `escape`, so that it is shown letter by letter: none of its HTML, Markdown
or LaTeX is carried out, no image of it is loaded and no link of it can be followed. In the sentences of an answer a formula of a few plain signs is
painted as it is read ("1.78×"); what stands in the page, and is copied, is still the abstract's own "$1.78\\times$", as it is shown below the answer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from urllib.parse import quote

from rag_qa.answering.answer import Answer, Evidence, Sentence, Source, Status
from rag_qa.answering.composing import BEFORE_THIS
from rag_qa.answering.summaries import asks_for_summary
from rag_qa.engine import EVERY_PAPER, Scope
from rag_qa.interfaces import formulas
from rag_qa.interfaces.render import author_name, is_small_talk, usage_said, venue_and_year, warning_about
from rag_qa.papers import Origin, Paper
from rag_qa.retrieval import filters
from rag_qa.retrieval.filters import EVERYTHING, NOT_NARROWED, Filters, Narrowing
from rag_qa.text import Span

CONTEXT = 150
"""Characters of the abstract that stay visible on each side of the evidence."""

OPENING = 260
"""Characters of an abstract without evidence that stay visible."""

WORTH_HIDING = 240
"""A collapsed card hides at least this many characters: less is not worth a click."""

LONGEST_QUESTION = 600
"""Characters of a question that are shown: a pasted book must not push its answer off the page."""

LONGEST_LIST = 10
"""Paragraphs of an answer, and cards below it, that are not folded away."""

WORTH_FOLDING = 4
"""At least so many are folded away, if any are: fewer are not worth a click."""

_LEANS = "The sentence above leans on this one, which stands right before it in the abstract."

LONGEST_ORIGIN = 46
"""Characters of a place in a file that are shown whole."""

FLAGS = {
    Status.UNSUPPORTED: "Not backed by its source",
    Status.CONTRADICTED: "Contradicted by its source",
    Status.UNCITED: "Cites no source",
    Status.UNKNOWN_CITATION: "Cites a source that does not exist",
    Status.SUPPORTED: "Note",
    Status.RECORD: "Note",
}
"""What a flagged sentence is called. A supported one is only flagged when the check has something to say of it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a turn has no complete answer, as the person reads it. `retryable`: asking again may help."""

    message: str
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and what is known of its answer so far. `number` (from 1) makes the ids of its anchors unique on the page.

    `scope`: the papers that were to be asked. `is_longer`: a longer answer was asked for. `narrowing` (which papers they turned out to be) and
    `preface` are those of the answer, as far as they are known before it. `status` says what is being done at the moment, and is empty when nothing
    is. `counts` says whether later questions may refer to this one. `history`: the questions that it was asked after. `key`: what its answer is
    called in feedback.
    """

    number: int
    question: str
    scope: Scope = EVERY_PAPER
    is_longer: bool = False
    status: str = ""
    understood_as: str = ""
    narrowing: Narrowing = NOT_NARROWED
    preface: str = ""
    sentences: tuple[Sentence, ...] = ()
    answer: Answer | None = None
    failure: Failure | None = None
    stopped: bool = False
    counts: bool = True
    history: tuple[str, ...] = field(default=(), compare=False)
    key: str = field(default="", compare=False)

    @property
    def anchor(self) -> str:
        """Beginning of every id in this turn."""
        return f"t{self.number}"


# ------------------------------------------------------------------------------------------------------------------- text

_UNSENDABLE = re.compile("[\ud800-\udfff\x00]")


def escape(text: str) -> str:
    """Text as HTML that shows exactly it, also inside an attribute. What no browser can be sent (half a character) becomes �.

    >>> escape('<b title="x">$a$ & [y](z)')
    '&lt;b title=&quot;x&quot;&gt;$a$ &amp; [y](z)'
    """
    return html.escape(_UNSENDABLE.sub("\ufffd", text), quote=True)


def _isolated(text: str) -> str:
    """Foreign text in a box of its own: marks in it that turn the writing direction end with it."""
    return f"<bdi>{escape(text)}</bdi>"


# ------------------------------------------------------------------------------------------------------------------- marks


def merged_spans(evidence: Iterable[Evidence], length: int) -> list[Span]:
    """Spans of an abstract of `length` characters to highlight, in order; overlapping ones become one, impossible ones are left out.

    >>> merged_spans([Evidence(1, 4, 9, ""), Evidence(1, 0, 3, ""), Evidence(1, 8, 12, ""), Evidence(1, 90, 99, "")], 20)
    [Span(start=0, end=3), Span(start=4, end=12)]
    """
    merged: list[Span] = []
    for start, end in sorted((item.start, item.end) for item in evidence if 0 <= item.start < item.end <= length):
        if merged and start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(end, merged[-1].end))
        else:
            merged.append(Span(start, end))
    return merged


def visible_spans(abstract: str, marks: Sequence[Span]) -> list[Span]:
    """The parts of an abstract that a collapsed card shows: each mark with its surroundings, cut between words.

    Without marks, the beginning. The whole abstract when too little would be hidden.
    """
    wanted = [Span(mark.start - CONTEXT, mark.end + CONTEXT) for mark in marks] or [Span(0, OPENING)]
    shown: list[Span] = []
    for start, end in wanted:
        start, end = _word_start(abstract, start), _word_end(abstract, end)
        if shown and start - shown[-1].end < CONTEXT // 2:
            shown[-1] = Span(shown[-1].start, max(end, shown[-1].end))
        else:
            shown.append(Span(start, end))
    hidden = len(abstract) - sum(end - start for start, end in shown)
    return shown if hidden >= WORTH_HIDING else [Span(0, len(abstract))]


def _word_start(text: str, position: int) -> int:
    """The nearest beginning of a word at or before a position; 0 near the beginning."""
    return 0 if position <= CONTEXT // 3 else text.rfind(" ", 0, position) + 1


def _word_end(text: str, position: int) -> int:
    """The nearest end of a word at or after a position; the end of the text near it."""
    blank = text.find(" ", position) if position < len(text) - CONTEXT // 3 else -1
    return len(text) if blank < 0 else blank


def abstract_html(abstract: str, marks: Sequence[Span], card: str) -> str:
    """An abstract with its marks highlighted, collapsed around them, and the switch that opens it. `card` is the id of its card."""
    shown = visible_spans(abstract, marks)
    pieces: list[str] = []
    position = 0
    for start, end in shown:
        pieces += [_folded(abstract[position:start]), _marked(abstract, Span(start, end), marks, card)]
        position = end
    pieces.append(_folded(abstract[position:]))
    switch = "" if shown == [Span(0, len(abstract))] else _switch(card)
    return f'<div class="rq-abstract">{switch}<p dir="auto">{"".join(pieces)}</p></div>'


def _switch(card: str) -> str:
    # it stands in front of the text that it opens, so that a plain sibling selector can show it; the style sheet puts it below
    words = '<span class="rq-more">Show the whole abstract</span><span class="rq-less">Show less</span>'
    return f'<details class="rq-switch" id="{card}-all"><summary>{words}</summary></details>'


def _folded(text: str) -> str:
    return f'<span class="rq-dots"></span><span class="rq-fold">{escape(text)}</span>' if text else ""


def _marked(abstract: str, shown: Span, marks: Sequence[Span], card: str) -> str:
    pieces: list[str] = []
    position = shown.start
    for number, (start, end) in enumerate(marks):
        if shown.start <= start and end <= shown.end:
            pieces += [escape(abstract[position:start]), f'<mark id="{card}-m{number}">{escape(abstract[start:end])}</mark>']
            position = end
    pieces.append(escape(abstract[position : shown.end]))
    return "".join(pieces)


# ------------------------------------------------------------------------------------------------------------------- cards


def card_html(source: Source, evidence: Sequence[Evidence], card: str) -> str:
    """The card of a cited paper: number, what it is called, where it is from, and its abstract with the evidence highlighted."""
    paper = source.paper
    marks = merged_spans(evidence, len(paper.abstract))
    head = f'<h4 class="rq-label">{_isolated(paper.label)}</h4>{_meta(paper)}'
    return _card(source.n or 0, head, abstract_html(paper.abstract, marks, card), card)


def _card(number: int, head: str, body: str, card: str) -> str:
    opening = f'<li class="rq-card" id="{card}" tabindex="-1" aria-label="Source {number}">'
    return f'{opening}<div class="rq-head"><span class="rq-n">{number}</span><div>{head}</div></div>{body}</li>'


def related_html(source: Source, card: str) -> str:
    """A paper that is near the question and does not answer it: its name, and its abstract for whoever opens it."""
    paper = source.paper
    return (
        f'<li class="rq-near"><details id="{card}"><summary><span class="rq-label">{_isolated(paper.label)}</span></summary>'
        f'{_meta(paper)}<div class="rq-abstract"><p dir="auto">{escape(paper.abstract)}</p></div></details></li>'
    )


def _related_list(answer: Answer, anchor: str) -> str:
    items = "".join(related_html(source, f"{anchor}-r{i}") for i, source in enumerate(answer.related, start=1))
    return f'<ul class="rq-related">{items}</ul>'


def _meta(paper: Paper) -> str:
    published = " ".join(part for part in (paper.venue, str(paper.year) if paper.year else "") if part)
    pieces = [f'<strong class="rq-warning">{escape(warning)}</strong>'] if (warning := warning_about(paper)) else []
    pieces += [_isolated(part) for part in (_authors(paper.authors), published or paper.collection or "", *_other_versions(paper)) if part]
    pieces += _identifiers(paper)
    pieces += [_place(origin) for origin in paper.origins[:3]]
    if len(paper.origins) > 3:
        pieces.append(f"and {len(paper.origins) - 3} more")
    separator = '<span class="rq-dot" aria-hidden="true"> · </span>'
    return f'<p class="rq-meta">{separator.join(pieces)}</p>' if pieces else ""


def _authors(authors: Sequence[str]) -> str:
    return ", ".join(map(author_name, authors[:3])) + (" et al." if len(authors) > 3 else "")


def _other_versions(paper: Paper) -> list[str]:
    """Where else the work was published."""
    shown = (paper.venue, paper.year)
    return [f"also {venue_and_year(version)}" for version in paper.versions if (version.venue, version.year) != shown and venue_and_year(version)]


def _identifiers(paper: Paper) -> list[str]:
    """Links to the registries of identifiers, at addresses that are ours: a paper's own `url` could lead anywhere."""
    known = (("doi.org/", paper.doi, "doi"), ("arxiv.org/abs/", paper.arxiv, "arXiv"), ("pubmed.ncbi.nlm.nih.gov/", paper.pmid, "PubMed"))
    return [_link(f"https://{site}{_quoted(identifier)}", f"{name}:{identifier}") for site, identifier, name in known if identifier]


def _quoted(identifier: str) -> str:
    return quote(identifier, safe="/().:;-_", errors="replace")


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}" target="_blank" rel="noopener noreferrer nofollow">{escape(text)}</a>'


def _place(origin: Origin) -> str:
    whole = str(origin)
    name = re.split(r"[/\\]", origin.path)[-1]
    short = whole if len(whole) <= LONGEST_ORIGIN else f"…/{name}:{origin.line}"
    return f'<span class="rq-place" title="{escape(whole)}">{_isolated(short)}</span>'


def _unfinished_card(number: int, quotes: Sequence[str], card: str) -> str:
    """What is known of a source when the answer broke off before the papers came: the passages that sentences rest on."""
    marks = "".join(f'<p dir="auto"><mark id="{card}-m{i}">{escape(text)}</mark></p>' for i, text in enumerate(quotes))
    note = '<p class="rq-meta">The answer broke off before the details of this source came.</p>'
    return _card(number, note, f'<div class="rq-abstract">{marks}</div>', card)


def _sources_html(turn: Turn) -> str:
    if turn.answer is not None:
        evidence = _evidence(turn.answer.sentences)
        cards = [card_html(source, evidence.get(source.n or 0, []), f"{turn.anchor}-s{source.n}") for source in turn.answer.sources]
    elif turn.failure or turn.stopped:
        quotes = {n: tuple(dict.fromkeys(item.quote for item in items)) for n, items in _evidence(turn.sentences).items()}
        cited = sorted({n for sentence in turn.sentences for n in sentence.citations})
        cards = [_unfinished_card(n, quotes.get(n, ()), f"{turn.anchor}-s{n}") for n in cited]
    else:
        return ""
    return f'<section class="rq-sources" aria-label="Sources"><h3>Sources</h3>{_folded_list(cards, turn.anchor)}</section>' if cards else ""


def _folded_list(cards: Sequence[str], anchor: str) -> str:
    """The cards, the later ones of many folded away. A marker opens them."""
    shown, rest = _parted(cards)
    folded = _rest(f"{anchor}-rest", f"Show the other {len(rest)} sources", "Show fewer sources", f"<ol>{''.join(rest)}</ol>") if rest else ""
    return f"<ol>{''.join(shown)}</ol>{folded}"


def _parted(items: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What of a list is shown, and what is folded away."""
    shown = LONGEST_LIST if len(items) >= LONGEST_LIST + WORTH_FOLDING else len(items)
    return items[:shown], items[shown:]


def _rest(name: str, more: str, less: str, body: str) -> str:
    words = f'<span class="rq-more">{more}</span><span class="rq-less">{less}</span>'
    return f'<details class="rq-rest" id="{name}"><summary>{words}</summary>{body}</details>'


def _related_html(answer: Answer, anchor: str) -> str:
    """Papers near an answer that it does not cite. A refusal lists them itself."""
    if answer.abstained is not None or not answer.related:
        return ""
    return f'<section class="rq-also" aria-label="Related papers"><h3>Related, not cited</h3>{_related_list(answer, anchor)}</section>'


def _evidence(sentences: Iterable[Sentence]) -> dict[int, list[Evidence]]:
    """Evidence of all sentences by the number of its source."""
    found: dict[int, list[Evidence]] = {}
    for sentence in sentences:
        for item in sentence.verdict.evidence:
            found.setdefault(item.source, []).append(item)
    return found


# ------------------------------------------------------------------------------------------------------------------ answers


def sentence_html(sentence: Sentence, turn: Turn) -> str:
    """A sentence with its markers as links to the cards and, when the check has an objection, the objection in words."""
    markers = "".join(_marker(n, sentence, turn) for n in sentence.citations)
    markers = f' <span class="rq-markers">{markers}</span>' if markers else ""
    text = _with_formulas(sentence.text)
    kind = f'rq-aside" title="{_LEANS}' if sentence.lead == BEFORE_THIS else "rq-lead"
    lead = f'<span class="{kind}">{escape(sentence.lead)}</span> ' if sentence.lead else ""
    status = sentence.verdict.status
    if status is Status.RECORD:
        return f'{lead}<span class="rq-sentence">{text}{markers}</span> <span class="rq-aside">({escape(sentence.verdict.why)})</span>'
    if status is Status.SUPPORTED and not sentence.verdict.why:
        return f'{lead}<span class="rq-sentence">{text}{markers}</span>'
    return f'{lead}<span class="rq-sentence" data-status="{status.value}"><span class="rq-doubted">{text}</span>{markers} {_flag(sentence)}</span>'


def _with_formulas(text: str) -> str:
    """A text as HTML in which the formulas carry how they are read, for the style sheet to show.

    >>> _with_formulas("p < $0.5$")
    'p &lt; <span class="rq-formula" data-read="0.5" title="$0.5$">$0.5$</span>'
    """
    return "".join(
        f'<span class="rq-formula" data-read="{escape(read)}" title="{escape(part)}">{escape(part)}</span>' if read else escape(part)
        for part, read in formulas.parts(text)
    )


def _marker(n: int, sentence: Sentence, turn: Turn) -> str:
    source = next((source for source in turn.answer.sources if source.n == n), None) if turn.answer else None
    name = f"Source {n}: {source.paper.label}" if source else f"Source {n}"
    mark = _mark_of(n, sentence, turn, source) if source else None
    target = f' data-mark="{turn.anchor}-s{n}-m{mark}"' if mark is not None else ""
    return f'<a class="rq-marker" href="#{turn.anchor}-s{n}"{target} aria-label="{escape(name)}">[{n}]</a>'


def _mark_of(n: int, sentence: Sentence, turn: Turn, source: Source) -> int | None:
    """Which highlight of a card is the evidence of this sentence."""
    own = next((item for item in sentence.verdict.evidence if item.source == n), None)
    if own is None or turn.answer is None:
        return None
    marks = merged_spans(_evidence(turn.answer.sentences).get(n, []), len(source.paper.abstract))
    return next((i for i, mark in enumerate(marks) if mark.start <= own.start and own.end <= mark.end), None)


_WARNING = '<svg class="rq-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.6 15.2 14.4H.8Z"/><path d="M8 6.4v3.6M8 12v.2"/></svg>'
_CHECK = '<svg class="rq-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="m2.8 8.4 3.4 3.4 7-7.4"/></svg>'
_NOTHING = '<svg class="rq-icon" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.4"/><path d="M3.6 12.4l8.8-8.8"/></svg>'


def _flag(sentence: Sentence) -> str:
    verdict = sentence.verdict
    reason = verdict.why or (f"there is no source {', '.join(sentence.removed)}" if sentence.removed else "")
    text = f"{FLAGS[verdict.status]}: {reason}" if reason else FLAGS[verdict.status]
    return f'<span class="rq-flag">{_WARNING}{escape(text)}</span>'


def _answer_html(turn: Turn) -> str:
    """The sentences in paragraphs, one for each paper that speaks for itself, and below a preface one for each sentence. Of a long list the later
    ones are folded away.
    """
    preface = turn.answer.preface if turn.answer else turn.preface
    sentences = turn.answer.sentences if turn.answer else turn.sentences
    paragraphs: list[list[str]] = []
    for before, sentence in zip((None, *sentences), sentences, strict=False):
        if before is None or preface or _begins_anew(sentence, before):
            paragraphs.append([])
        paragraphs[-1].append(sentence_html(sentence, turn))
    shown, rest = _parted([f'<p dir="auto">{" ".join(paragraph)}</p>' for paragraph in paragraphs])
    opening = f'<p class="rq-preface" dir="auto">{escape(preface)}</p>' if preface else ""
    return opening + "".join(shown) + (_rest(f"{turn.anchor}-more", f"Show {len(rest)} more", "Show fewer", "".join(rest)) if rest else "")


def _begins_anew(sentence: Sentence, before: Sentence) -> bool:
    """Does another paper speak than in the sentence before? It is introduced by a lead, or both are its own words."""
    if sentence.lead:
        return sentence.lead != BEFORE_THIS
    return sentence.citations != before.citations and _is_verbatim(sentence) and _is_verbatim(before)


def _is_verbatim(sentence: Sentence) -> bool:
    return any(item.quote == sentence.text for item in sentence.verdict.evidence)


def refusal_html(answer: Answer, turn: Turn) -> str:
    """A refusal: that these papers do not answer, what is missing, what other papers could be asked, and what is near. A greeting is returned without
    any of that.
    """
    if is_small_talk(answer):
        return f"<p>{escape(answer.abstained or '')}</p>"
    related = f"<h4>Related, does not answer this</h4>{_related_list(answer, turn.anchor)}" if answer.related else ""
    head = f'<h3>{_NOTHING}Not answered by these papers</h3><p dir="auto">{escape(answer.abstained or "")}</p>'
    wider = _undo(turn, answer.narrowing) + _unfilter(turn)
    wider = f'<p class="rq-wider">{wider}</p>' if wider else ""
    return f'<section class="rq-refusal" aria-label="Not answered">{head}{wider}{related}</section>'


def _closing_html(answer: Answer) -> str:
    """Below an answer: what is not answered and a notice, if there are such, how many sentences hold, and who wrote them."""
    said = (answer.left_open, answer.notice)
    notice = "".join(f'<p class="rq-notice" role="note" dir="auto">{escape(words)}</p>' for words in said if words)
    if answer.abstained is not None or not answer.sentences:
        return notice
    return f'{notice}<p class="rq-check">{_check(answer.sentences)}<span class="rq-writer">{escape(_writer(answer))}</span></p>'


FORMATS = (("md", "Markdown"), ("html", "HTML"), ("json", "JSON"), ("bib", "BibTeX"), ("ris", "RIS"))
"""What answers can be saved as, by the name of the format. The last two hold the papers that are cited."""
_OF_PAPERS = ("bib", "ris")


def _actions_html(turn: Turn, *, takes_votes: bool) -> str:
    """What can be done with an answer: ask for a longer one, save it, say what one thinks of it."""
    answer = turn.answer
    if answer is None or is_small_talk(answer):
        return ""
    offered = [(name, called) for name, called in FORMATS if answer.sources or name not in _OF_PAPERS]
    switch = f'<summary aria-label="Download answer {turn.number}">Download</summary>'
    saved = (
        f'<details class="rq-save" id="{turn.anchor}-save">{switch}<span class="rq-formats">{_save_buttons(offered, turn.number)}</span></details>'
    )
    thumbs, why = (_thumbs(turn), _why(answer, turn)) if takes_votes else ("", "")
    return f'<div class="rq-actions">{_longer(answer, turn)}{saved}{thumbs}</div>{why}'


_UP = (
    '<svg class="rq-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M1.5 7h2.7v7H1.5zM4.2 7.4 7.4 1.6c1.3 0 2 .9 1.8 2.1'
    'L8.7 6.2h4.5c.9 0 1.5.8 1.3 1.7l-1.1 4.9c-.2.8-.7 1.2-1.4 1.2H4.2"/></svg>'
)
_REASONS = (("paper", "Wrong paper"), ("fact", "Wrong or missing fact"), ("refuse", "Should have been refused"), ("other", "Other"))
_REASONS_OF_REFUSAL = (("answer", "Should have been answered"), ("other", "Other"))
"""What can be wrong with an answer, and with a refusal, by the names of feedback."""


def _thumbs(turn: Turn) -> str:
    """Two buttons for what one thinks of the answer. The script of the page knows which of them is pressed."""
    buttons = "".join(
        f'<button type="button" class="rq-{verdict}-thumb" data-vote="{verdict}" data-turn="{turn.number}" aria-pressed="false" aria-label="{says}"'
        f' title="{says}">{_UP}</button>'
        for verdict, says in (("good", "Good answer"), ("bad", "Not a good answer"))
    )
    return f'<span class="rq-thumbs" role="group" aria-label="What do you think of answer {turn.number}?">{buttons}</span>'


def _why(answer: Answer, turn: Turn) -> str:
    """What is shown once the thumb is down: what is wrong, which need not be said."""
    name = f"{turn.anchor}-reason"
    reasons = _REASONS if answer.abstained is None else _REASONS_OF_REFUSAL
    radios = "".join(f'<label><input type="radio" name="{name}" value="{reason}">{says}</label>' for reason, says in reasons)
    comment = '<label class="rq-comment">In your words<input type="text" name="comment" maxlength="2000" autocomplete="off"></label>'
    return (
        f'<form class="rq-why" id="{turn.anchor}-why" data-turn="{turn.number}" hidden>'
        f"<fieldset><legend>What is wrong? (optional)</legend>{radios}</fieldset>"
        f'<div class="rq-say">{comment}<button type="submit">Send</button></div>'
        '<p class="rq-stays">Kept with the question and the answer where this page is served, and sent nowhere.</p></form>'
    )


def _longer(answer: Answer, turn: Turn) -> str:
    """A list of papers, and a summary without a model, are as long as they are."""
    is_summary = answer.model == "extractive" and asks_for_summary(answer.understood_as)
    if turn.is_longer or not turn.counts or answer.abstained is not None or answer.preface or is_summary:
        return ""
    return _asking("rq-longer", "Longer answer", turn.question, turn=turn.number, is_longer=True)


def _save_buttons(formats: Sequence[tuple[str, str]], number: int) -> str:
    """`number`: of the turn that is saved, 0 for all of them."""
    return "".join(f'<button type="button" data-format="{name}" data-turn="{number}">{called}</button>' for name, called in formats)


def chat_files_html() -> str:
    """The menu by which the whole conversation is saved. The style sheet shows it once there is an answer."""
    return f'<details class="rq-save"><summary>Download chat</summary><span class="rq-formats">{_save_buttons(FORMATS, 0)}</span></details>'


def _check(sentences: Sequence[Sentence]) -> str:
    if all(sentence.verdict.status is Status.RECORD for sentence in sentences):
        return '<span class="rq-good">Told by the records of the papers, and quoted from no abstract.</span>'
    held = sum(sentence.verdict.status is Status.SUPPORTED for sentence in sentences)
    if held == len(sentences):
        text = "Backed by the passage marked below." if held == 1 else "Every sentence is backed by a passage marked below."
        return f'<span class="rq-good">{_CHECK}{text}</span>'
    return f'<span class="rq-doubt">{_WARNING}{held} of {len(sentences)} sentences backed by a source; see the flags.</span>'


def _writer(answer: Answer) -> str:
    written = "The abstracts’ own sentences" if answer.model == "extractive" else f"Written by {answer.model}"
    if answer.model == "extractive":
        return written if answer.usage is None else f"{written} · a chat model was asked: {usage_said(answer.usage)}"
    return f"{written} · {usage_said(answer.usage)}"


def failure_html(failure: Failure, turn: Turn) -> str:
    """An error as a person can act on it; the question is asked again by the button, where that may help."""
    again = _asking("rq-again", "Ask again", turn.question, "" if turn.scope.reads_filters else "question") if failure.retryable else ""
    return f'<div class="rq-failure" role="alert"><h3>{_WARNING}This did not work</h3><p dir="auto">{escape(failure.message)}</p>{again}</div>'


# -------------------------------------------------------------------------------------------------------------------- turns


def turn_html(turn: Turn, *, takes_votes: bool = False) -> str:
    """A question and its answer so far. The parts keep their places from the first moment, so that what is shown already stays as it is.

    `takes_votes`: people are asked what they think of the answer.
    """
    body = refusal_html(turn.answer, turn) if turn.answer and turn.answer.abstained is not None else _answer_html(turn)
    failed = failure_html(turn.failure, turn) if turn.failure else ""
    closing = _closing_html(turn.answer) if turn.answer else ""
    related = _related_html(turn.answer, turn.anchor) if turn.answer else ""
    actions = "" if turn.status else _actions_html(turn, takes_votes=takes_votes)
    busy = "true" if turn.status else "false"
    return (
        f'<article class="rq-turn" id="{turn.anchor}" aria-label="Question {turn.number}" aria-busy="{busy}">'
        f'<h2 class="rq-question" dir="auto">{escape(_shortened(turn.question))}</h2>'
        f'<div class="rq-understood">{_understood_html(turn)}{_narrowed_html(turn)}</div>'
        f'<div class="rq-answer" aria-live="polite">{body}</div>'
        f'<div class="rq-status" role="status">{_status_html(turn)}</div>'
        f'<div class="rq-after">{failed}{closing}{actions}{_sources_html(turn)}{related}</div></article>'
    )


def _shortened(question: str) -> str:
    if len(question) <= LONGEST_QUESTION:
        return question
    return f"{question[:LONGEST_QUESTION].rstrip()}… ({len(question):,} characters in all)"


def _understood_html(turn: Turn) -> str:
    understood = turn.answer.understood_as if turn.answer else turn.understood_as
    longer = '<p><span class="rq-as">A longer answer</span></p>' if turn.is_longer else ""
    if not understood or _plain(understood) == _plain(turn.question):
        return longer
    return f'{longer}<p><span class="rq-as">Understood as</span> {_isolated(_shortened(understood))}</p>'


def _narrowed_html(turn: Turn) -> str:
    """Which papers alone were looked at, what says so, and the button that takes back what was read from the question."""
    narrowing = turn.answer.narrowing if turn.answer else turn.narrowing
    if narrowing.filters.is_empty:
        all_papers = '<p class="rq-narrowed"><span class="rq-as">All papers</span> whatever the question says of them</p>'
        return "" if turn.scope.reads_filters else all_papers
    chosen = turn.scope.filters
    read = _besides(narrowing.filters, chosen)
    parts = [] if read.is_empty else [f"{_chips(read)} as the question says: {_quoted_phrases(narrowing)}"]
    parts += [] if chosen.is_empty else [f"{_chips(chosen)} as chosen in the filters"]
    is_refused = turn.answer is not None and turn.answer.abstained is not None  # a refusal has the button itself
    undo = "" if is_refused else _undo(turn, narrowing)
    return f'<p class="rq-narrowed"><span class="rq-as">Only papers</span> {", ".join(parts)} {undo}</p>'


def _besides(all_of_them: Filters, chosen: Filters) -> Filters:
    """The filters that come from the question, and not from those that a person chose (which count where both speak of the same).

    >>> filters.words(_besides(Filters(venue="ICLR", year_from=2023), Filters(venue="ICLR")))
    'from 2023 on'
    """
    names = [field.name for field in fields(Filters)]
    return replace(all_of_them, **{name: getattr(EVERYTHING, name) for name in names if getattr(chosen, name) != getattr(EVERYTHING, name)})


def _chips(narrowed: Filters) -> str:
    return " ".join(f'<span class="rq-chip">{_isolated(filters.words(part))}</span>' for part in narrowed.parts())


def _quoted_phrases(narrowing: Narrowing) -> str:
    return ", ".join(f"“{_isolated(phrase)}”" for phrase in narrowing.phrases)


def _undo(turn: Turn, narrowing: Narrowing) -> str:
    """Asks again, and takes the question as it stands. While an answer comes it holds its place."""
    if not narrowing.phrases:
        return ""
    phrases = ", ".join(f"“{phrase}”" for phrase in narrowing.phrases)
    label = "Search all papers" if turn.scope.filters.is_empty else f"Ignore {phrases}"  # what was chosen still counts
    return _asking("rq-undo", label, turn.question, "question", turn.number, is_busy=bool(turn.status))


def _unfilter(turn: Turn) -> str:
    """Clears the filters and asks again."""
    if turn.scope.filters.is_empty:
        return ""
    undo = "filters" if turn.scope.reads_filters else "filters question"
    return _asking("rq-undo", "Clear the filters and ask again", turn.question, undo, turn.number)


def _asking(kind: str, label: str, question: str, undo: str = "", turn: int = 0, *, is_busy: bool = False, is_longer: bool = False) -> str:
    """A button that asks a question. `undo`: what is not to narrow it this time; `turn`: the number of the one that it is asked in place of;
    `is_longer`: a longer answer is wanted, from the same papers.
    """
    again = f' data-undo="{undo}"' if undo else ""
    again += f' data-turn="{turn}"' if turn else ""
    again += ' data-longer="1"' if is_longer else ""
    disabled = " disabled" if is_busy else ""
    return f'<button type="button" class="{kind}" data-question="{escape(question)}"{again}{disabled}>{escape(label)}</button>'


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold().rstrip("?!. ")


def _status_html(turn: Turn) -> str:
    if turn.status:
        return f'<p class="rq-busy">{escape(turn.status)}</p>'
    return '<p class="rq-stopped">Stopped.</p>' if turn.stopped else ""


# --------------------------------------------------------------------------------------------------- head and empty conversation


def header_html(facts: Sequence[str]) -> str:
    """The name of the program and what it works with here."""
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    return f'<div class="rq-brand"><h1>rag_qa</h1><ul class="rq-facts">{items}</ul></div>'


def welcome_html(examples: Sequence[str]) -> str:
    """An empty conversation: what this is, and questions to begin with."""
    buttons = "".join(
        f'<li><button type="button" class="rq-example" data-question="{escape(text)}">{escape(text)}</button></li>' for text in examples
    )
    offers = f'<h3 id="rq-try">Try one of these</h3><ul class="rq-examples" aria-labelledby="rq-try">{buttons}</ul>' if buttons else ""
    promise = "Every sentence of an answer shows which abstract it comes from, and the words there that back it."
    return f'<section class="rq-welcome"><h2>Ask the papers</h2><p>{promise} What the abstracts do not say is not answered.</p>{offers}</section>'


def no_library_html(title: str, message: str, command: str = "") -> str:
    """There is nothing to ask yet, or it cannot be asked: why, and what to run."""
    run = f"<p>Run this, then reload the page:</p><pre><code>{escape(command)}</code></pre>" if command else ""
    return f'<section class="rq-welcome rq-no-library" role="alert"><h2>{escape(title)}</h2><p dir="auto">{escape(message)}</p>{run}</section>'
