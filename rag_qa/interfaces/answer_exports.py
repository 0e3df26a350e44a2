"""Answers, one or a whole conversation, as files that others read: with their markers, their evidence and their references.

Markdown and HTML are to be read; BibTeX and RIS hold the papers that are cited, as `rag_qa.exports` writes them; JSON holds everything, and `read`
gives the same answers back. Pure functions: the same answers give the same file. What comes from a paper, a person or a model is shown letter by
letter: no link, image, script or mark-up of it is carried out.
"""

from __future__ import annotations

import html
import json
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from enum import Enum
from functools import partial
from typing import Any, Union, get_args, get_origin, get_type_hints

from rag_qa import exports
from rag_qa.answering.answer import Answer, Sentence, Source, Status
from rag_qa.errors import RagQAError
from rag_qa.interfaces import markdown, render
from rag_qa.papers import Paper

Writer = Callable[[Sequence[Answer]], str]


def export(answers: Sequence[Answer], name: str) -> str:
    """Answers in a format: md, html, json, bib or ris. Raises RagQAError for another one, and where there is nothing to write."""
    require_format(name)
    if not answers:
        raise RagQAError("There is no answer yet that could be written: ask a question first")
    return WRITERS[name](answers)


def require_format(name: str) -> None:
    """Is this a format that answers are written in? Raises RagQAError."""
    if name not in WRITERS:
        known = ", ".join(WRITERS)
        raise RagQAError(f"There is no format {name!r} to write answers in: name a file that ends in one of {known}")


_LONGEST_NAME = 60


def file_name(answers: Sequence[Answer], name: str) -> str:
    """What a file of answers is called: what it holds, of which question, and its format.

    >>> file_name([Answer("What is *DP-CATE*?", "")], "md"), file_name([Answer("Why?", ""), Answer("How?", "")], "bib")
    ('answer-what-is-dp-cate.md', 'papers-of-2-answers-why.bib')
    """
    count = f"{len(answers)}-answers" if len(answers) > 1 else "answer"
    what = f"papers-of-{count}" if name in _OF_PAPERS else count
    words = "".join(char if char.isalnum() else " " for char in answers[0].question.casefold()).split()
    return f"{'-'.join([what, *words])[:_LONGEST_NAME].rstrip('-')}.{name}"


def cited(answers: Sequence[Answer]) -> list[Paper]:
    """The papers that answers cite, each once, in reading order."""
    return list({source.paper.id: source.paper for answer in answers for source in answer.sources}.values())


def reference(paper: Paper) -> str:
    """A paper as a list of references names it.

    >>> reference(Paper("p1", "We ...", title="Moss", authors=("Bryo, Ada",), year=2021, venue="Bogs", doi="10.1000/moss"))
    'Ada Bryo. Moss. Bogs 2021. doi:10.1000/moss.'
    """
    authors = ", ".join(map(render.author_name, paper.authors))
    ids = [f"{name}:{value}" for name, value in (("doi", paper.doi), ("arXiv", paper.arxiv), ("PMID", paper.pmid)) if value]
    parts = [authors, paper.label, render.venue_and_year(paper), ", ".join(ids), render.warning_about(paper)]
    return " ".join(f"{part.rstrip('.')}." for part in map(render.one_line, parts) if part)


# ---------------------------------------------------------------------------------------------------------- papers that are cited


def _cited_as(name: str, answers: Sequence[Answer]) -> str:
    papers = cited(answers)
    if not papers:
        raise RagQAError(f"Nothing is cited, so there is no paper to write as {name}")
    return exports.write(papers, name)


# ------------------------------------------------------------------------------------------------------------------- Markdown


def as_markdown(answers: Sequence[Answer]) -> str:
    """Each question as a heading, its answer, and below it the papers that it cites with the words that bear it out."""
    return "\n\n".join(f"## {markdown.escape(answer.question)}\n\n{_answer_markdown(answer)}" for answer in answers) + "\n"


def _answer_markdown(answer: Answer) -> str:
    blocks = [markdown.body(answer)]
    if answer.sources:
        blocks += ["**Sources**", "\n".join(_source_markdown(answer, source) for source in answer.sources)]
    if answer.related:
        blocks += [f"**{_related_heading(answer)}**", "\n".join(f"- {_reference_markdown(source.paper)}" for source in answer.related)]
    if writer := render.writer_said(answer):
        blocks.append(f"*{markdown.escape(writer)}*")
    return "\n\n".join(blocks)


def _source_markdown(answer: Answer, source: Source) -> str:
    quotes = [f"  > {markdown.escape(evidence.quote)}" for evidence in render.evidence_of(answer, source)]
    return "\n\n".join([f"- [{source.n}] {_reference_markdown(source.paper)}", *quotes])


def _reference_markdown(paper: Paper) -> str:
    origins = ", ".join(str(origin) for origin in paper.origins)
    return markdown.escape(f"{reference(paper)} ({origins})" if origins else reference(paper))


def _related_heading(answer: Answer) -> str:
    return "Related, but does not answer this" if answer.abstained is not None else "Related"


# ----------------------------------------------------------------------------------------------------------------------- HTML

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --soft: #595959; --mark: #fff0a8; --warn: #8a4b00; --line: #d9d9d9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #17181a; --soft: #a8a8a8; --mark: #5c4b00; --warn: #ffb454; --line: #3a3a3a; }
}
body { color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; } .said, .origin, .reference small { color: var(--soft); } .origin { font-size: .85rem; overflow-wrap: anywhere; }
.warning { color: var(--warn); } .abstract { white-space: pre-line; overflow-wrap: anywhere; }
.source { border-top: 1px solid var(--line); padding: .5rem 0; }
mark { background: var(--mark); color: inherit; } a { color: inherit; } .source:target { outline: 2px solid currentColor; outline-offset: .4rem; }
""".strip()


def page(answers: Sequence[Answer]) -> str:
    """One HTML file that needs no other: answers, and the abstracts that they cite with the evidence highlighted. No script, nothing is loaded."""
    title = _shown(answers[0].question if len(answers) == 1 else f"{len(answers)} questions, from “{answers[0].question}” on")
    articles = "\n".join(_article(answer, f"a{number}") for number, answer in enumerate(answers, 1))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<meta name="generator" content="rag-qa">\n<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n'
        f"<body>\n<main>\n{articles}\n</main>\n</body>\n</html>\n"
    )


def _article(answer: Answer, anchor: str) -> str:
    lines = [f'<article id="{anchor}">', f"<h2><bdi>{_shown(answer.question)}</bdi></h2>"]
    lines += [f'<p class="said">{_shown(said)}</p>' for said in _said_before(answer)]
    if answer.abstained is not None:
        refused = "" if render.is_small_talk(answer) else "<strong>No answer.</strong> "
        lines.append(f'<p class="refusal">{refused}{_shown(answer.abstained)}</p>')
    lines += [_sentence(sentence, anchor) for sentence in answer.sentences]
    lines += [f'<p class="said">{_shown(answer.left_open)}</p>'] if answer.left_open else []
    lines += [f'<p class="said">Note: {_shown(answer.notice)}</p>'] if answer.notice else []
    if answer.sources:
        lines += ["<h3>Sources</h3>", *(_source(answer, source, anchor) for source in answer.sources)]
    if answer.related:
        lines += [f"<h3>{_related_heading(answer)}</h3>", *(f'<p class="reference">{_shown(reference(one.paper))}</p>' for one in answer.related)]
    lines += [f'<p class="said">{_shown(writer)}</p>'] if (writer := render.writer_said(answer)) else []
    return "\n".join([*lines, "</article>"])


def _said_before(answer: Answer) -> Iterator[str]:
    """How the question was understood, which papers alone were looked at, and words of ours before the sentences."""
    if render.is_reworded(answer.question, answer.understood_as):
        yield f"Understood as: {answer.understood_as}"
    if narrowed := render.narrowing_said(answer.narrowing):
        yield narrowed
    if answer.preface:
        yield answer.preface


def _sentence(sentence: Sentence, anchor: str) -> str:
    shown = " ".join(_shown(part) for part in (sentence.lead, sentence.text) if part)
    markers = "".join(f'<a href="#{anchor}-s{n}">[{n}]</a>' for n in sentence.citations)
    warning = render.warning_of(sentence)
    warned = f'<span class="warning">⚠ {_shown(warning)}</span>' if warning else ""
    if sentence.verdict.status is Status.RECORD:
        warned = f'<span class="said">({_shown(sentence.verdict.why)})</span>'
    return f"<p>{' '.join(part for part in (f'<bdi>{shown}</bdi>', markers, warned) if part)}</p>"


def _source(answer: Answer, source: Source, anchor: str) -> str:
    spans = [(evidence.start, evidence.end) for evidence in render.evidence_of(answer, source)]
    origins = ", ".join(str(origin) for origin in source.paper.origins)
    return "\n".join(
        [
            f'<div class="source" id="{anchor}-s{source.n}">',
            f'<p class="reference">[{source.n}] <bdi>{_shown(reference(source.paper))}</bdi></p>',
            f'<p class="abstract"><bdi>{_highlighted(source.paper.abstract, spans)}</bdi></p>',
            *([f'<p class="origin">{_shown(origins)}</p>'] if origins else []),
            "</div>",
        ]
    )


def _highlighted(abstract: str, spans: Sequence[tuple[int, int]]) -> str:
    out, position = [], 0
    for start, end in render.merged(spans):
        out += [_shown(abstract[position:start]), "<mark>", _shown(abstract[start:end]), "</mark>"]
        position = end
    return "".join([*out, _shown(abstract[position:])])


def _shown(text: str) -> str:
    """Text as HTML that shows exactly it."""
    return html.escape(render.printable(text), quote=True)


# ----------------------------------------------------------------------------------------------------------------------- JSON

_FORMAT = "rag-qa answers"
_VERSION = 1


def as_json(answers: Sequence[Answer]) -> str:
    """Everything that answers hold, with all that is known of their papers, on one line."""
    return render.to_json({"format": _FORMAT, "version": _VERSION, "answers": [asdict(answer) for answer in answers]}) + "\n"


def read(content: str, name: str = "the file") -> list[Answer]:
    """The answers that `as_json` wrote. Raises RagQAError for any other file, and where evidence does not stand in its abstract."""
    try:
        whole = json.loads(content)
    except ValueError as error:
        raise RagQAError(f"{name} is no JSON ({error}): name a file that was exported as .json") from None
    if not isinstance(whole, dict) or whole.get("format") != _FORMAT:
        raise RagQAError(f"{name} holds no exported answers: name a file that was exported as .json")
    if whole.get("version") != _VERSION:
        raise RagQAError(f"{name} was written in version {whole.get('version')!r} of the format, and {_VERSION} is the one that is known here")
    answers = [_made(Answer, value, f"{name}: answers[{i}]") for i, value in enumerate(whole.get("answers", ()))]
    for answer in answers:
        _check_evidence(answer, name)
    return answers


def _check_evidence(answer: Answer, name: str) -> None:
    abstracts = {source.n: source.paper.abstract for source in answer.sources}
    for sentence in answer.sentences:
        for evidence in sentence.verdict.evidence:
            if abstracts.get(evidence.source, "")[evidence.start : evidence.end] != evidence.quote:
                raise RagQAError(f"{name} was changed: {evidence.quote[:60]!r} does not stand at {evidence.start} of source {evidence.source}")


def _made(kind: Any, value: Any, where: str) -> Any:
    """A value of a type, from JSON. Raises RagQAError that says where another one stands."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _made(next(one for one in get_args(kind) if one is not type(None)), value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_made(get_args(kind)[0], one, f"{where}[{i}]") for i, one in enumerate(value))
    if origin is not None and isinstance(value, dict):
        return {key: _made(get_args(kind)[1], one, f"{where}.{key}") for key, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        return _dataclass(kind, value, where)
    return _plain(kind, value, where)


def _dataclass(kind: type, value: Mapping[str, Any], where: str) -> Any:
    known = {one.name: one for one in fields(kind)}
    if unknown := sorted(set(value) - set(known)):
        raise RagQAError(f"{where} holds {unknown[0]!r}, which is not known here")
    needed = [name for name, one in known.items() if one.default is MISSING and one.default_factory is MISSING and name not in value]
    if needed:
        raise RagQAError(f"{where} lacks {needed[0]!r}")
    hints = get_type_hints(kind)
    return kind(**{name: _made(hints[name], one, f"{where}.{name}") for name, one in value.items()})


def _plain(kind: Any, value: Any, where: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        if value in [one.value for one in kind]:
            return kind(value)
    elif kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    elif isinstance(kind, type) and type(value) is kind:
        return value
    raise RagQAError(f"{where} is {value!r}, and a {getattr(kind, '__name__', kind)} was expected")


WRITERS: Mapping[str, Writer] = {
    "md": as_markdown,
    "html": page,
    "json": as_json,
    "bib": partial(_cited_as, "bib"),
    "ris": partial(_cited_as, "ris"),
}
"""By the name that is also the suffix of a file."""

_OF_PAPERS = ("bib", "ris")
