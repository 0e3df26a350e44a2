r"""The sections of a structured abstract: a line for each, "LABEL: text", however the source set them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_qa.text import any_of

# Labels are made of these words alone, so that "Three sets were tested:" is none.
_NOUN = any_of(
    "abstract|acquisition|aims?|animals?|availability|background|backround|back ground|benefits|cases?|challenges?|code|comments?|comparisons?",
    "conclusions?|conclution|context|contributions?|controls?|course|covered|data|databases?|dataset|date|definitions?|description|design|diagnosis",
    "discussion|duration|effects?|endpoints?|ethics|evidence|exposures?|extraction|field|findings|focus|funding|goals?|highlights|history",
    "hypothes[ie]s|impact|implementation|implications?|importance|information|innovation|instruments?|interpretations?|interventions?|introduction",
    "keywords|knowledge|lessons|limitations?|location|materials?|meaning|measures?|measurements?|messages?|methodology|methods?|motivation|number",
    "objectives?|objects?|observations?|opinion|overview|originality|outcomes?|participants?|patients?|performing|perspectives?|places?|points?",
    "populations?|premise|presentation|problem|procedures?|protocol|purposes?|questions?|rationale|reader|reasons?|recommendations?|recruitment",
    "registration|registry|relevance|reports?|research|results?|reviews?|samples?|sampling|scope|search(?:es)?|selection|settings?|signals?",
    "significance|sources?|statements?|statistics|strategy|studies|study|studied|subjects?|suggestions?|summary|support|synopsis|synthesis|techniques?",
    "therapy|translational|treatments?|trial|type|unlabell?ed|validation|value|variables?|year",
)
_QUALIFIER = any_of(
    "adds?|all|analys[ie]s|approach|areas|article|assessments?|authors?['’]?|available|central|clinical|clinicaltrials\\.gov|clinician|cochrane",
    "collection|comparative|comparison with existing|contacts?|criteria|current|diagnostic|eligibility|examinations?|exclusion|experimental|expert",
    "ethnopharm\\w+|future|general|home|human|impacts|inclusion|investigation|investigational|key|known|laboratory|language|lay|levels?|main|major|managerial",
    "medical|meta|necropsy|new|novel|open|other|paper|pathological|patient|plain|post ?mortem|potential|practical|practice|primary|principal",
    "prospero|public|recent|secondary|simple|social|specific|statistical|supplementary|systematic|take|take-home|target|technology|theoretical",
    "this|used|what|what is|why|will gain",
)
_JOINT = r"(?:\s?[/,&+]\s?(?:and\s)?|-|\s(?:and|or|&|of|the|for|in|to|on|by)\s(?:the\s|this\s)?|\s)"
_LABEL = rf"(?:{_QUALIFIER}{_JOINT}){{0,4}}{_NOUN}(?:{_JOINT}(?:{_QUALIFIER}|{_NOUN})){{0,7}}(?:\s?\([sS]\))?"
_CORE = re.compile(r"method|result|finding|conclusion|design|discussion|outcome|procedure|intervention|interpretation", re.IGNORECASE)
_CAPITAL = r"(?=(?-i:[A-Z]))"
_COLON = re.compile(rf"{_CAPITAL}(?<![^.!?;,)\]”\"%*\s])(?P<label>{_LABEL})\s?[-–—]?\s?[:：]\s?(?:[-–—]\s)?(?=\S)", re.IGNORECASE)
# Other things that part a label from its text: a dash, a full stop, a blank, or nothing but the capital of the next word ("PurposeThis study").
_OTHER = re.compile(
    rf"{_CAPITAL}(?:(?<![^.!?)\]”\"%])|(?<=[.!?)\]”\"%]\s))(?P<label>{_LABEL})(?:(?P<dash>\s?[–—]\s?|\s?-\s|-(?=(?-i:[A-Z0-9])))|(?P<stop>\.\s)|(?P<blank>\s)"
    r"|(?P<nothing>(?<=(?-i:[a-z]))))"
    r"(?=[\"“'(\[]?(?-i:[A-Z0-9]))",
    re.IGNORECASE,
)
# Labels of one word: with nothing but a blank between, "Results Patients were" has the label "Results".
_WHOLE = frozenset(
    "abstract aim aims animals background conclusion conclusions context design discussion findings importance interpretation "
    "interventions introduction method methods objective objectives participants patients procedure procedures purpose rationale result "
    "results setting significance".split()
)
_AT_LINE = re.compile(rf"(?P<label>{_LABEL})\s?(?:[-–—]?\s?[:：]\s?(?:[-–—]\s)?|\s[-–—]\s)(?=\S)", re.IGNORECASE)
_ANY_AT_LINE = re.compile(r"(?P<label>[A-Z][^:.!?\n]{1,78}?)\s?[:：]\s(?=\S)")
_ONLY_LABEL = re.compile(rf"(?:{_LABEL})\s?[:：.]?", re.IGNORECASE)
_ANY_COLON = re.compile("[:：]")
_LONGEST_LABEL = 120
_UNLABELLED = re.compile(r"^unlabell?ed\s?[:：]\s?", re.IGNORECASE)
_SENTENCE_END = (".", "!", "?", ")", "]", "”", '"', ":", ";")


class Section(NamedTuple):
    """A part of an abstract; `label` is "" where it has none."""

    label: str
    text: str


def laid_out(text: str) -> str:
    r"""The abstract with a line for each section; on one line if it has none.

    >>> laid_out("BACKGROUND: Tides turn. METHODS: We looked.\nRESULTS: They do.")
    'BACKGROUND: Tides turn.\nMETHODS: We looked.\nRESULTS: They do.'
    >>> laid_out("Tides turn: We\nlooked.")
    'Tides turn: We looked.'
    """
    lines = list(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
    if len(lines) == 1:
        sections = _of_one_line(lines[0])
    else:
        # the source may have set some sections apart and run others together
        sections = [part for section in _of_lines(lines) for part in _of_one_line(_shown(section))]
    return "\n".join(map(_shown, sections))


def begins_with_label(text: str) -> bool:
    """Does the text begin with the label of a section?

    >>> begins_with_label("BACKGROUND: Tides turn."), begins_with_label("Tides: they turn.")
    (True, False)
    """
    return text[:1].isupper() and _AT_LINE.match(text) is not None


def _shown(section: Section) -> str:
    return f"{section.label}: {section.text}" if section.label else section.text


# ------------------------------------------------------------------------------------------------------------- lines that are


def _of_lines(lines: Sequence[str]) -> list[Section]:
    """Sections as the lines of the source have them; a line that begins none continues the one before."""
    found: list[tuple[str, list[str]]] = []
    label = ""
    for line in lines:
        before = found[-1][1][-1] if found else ""
        begin = _line_label(line, before)
        if _ONLY_LABEL.fullmatch(line) and line[0].isupper() and (not before or before.endswith(_SENTENCE_END)):
            label = line.rstrip(" :：.")
        elif label or begin:
            found.append((label or (begin["label"] if begin else ""), [line if label or not begin else line[begin.end() :]]))
            label = ""
        elif found:
            found[-1][1].append(line)
        else:
            found.append(("", [line]))
    if label:
        found.append(("", [label]))
    return [_section(name, " ".join(parts)) for name, parts in found]


def _line_label(line: str, before: str) -> re.Match[str] | None:
    if not line[:1].isupper():
        return None
    known = _AT_LINE.match(line)
    if known or ":" not in line[:82]:
        return known
    found = _ANY_AT_LINE.match(line)
    # a label that nobody knows counts where a sentence ended before it, so that a wrapped line is none
    is_one = found and (not before or before.endswith(_SENTENCE_END)) and (found["label"].isupper() or len(found["label"].split()) <= 4)
    return found if is_one and before else None


_NO_LABEL = ("unlabelled", "unlabeled", "abstract")


def _section(label: str, text: str) -> Section:
    return Section("" if label.casefold() in _NO_LABEL else label, text)


# ------------------------------------------------------------------------------------------------------------- one long line


class Mark(NamedTuple):
    """A label in a text: where it begins, and where its own text does."""

    start: int
    label: str
    end: int


def _of_one_line(text: str) -> list[Section]:
    marks = _colons(text) or _others(text)
    if not marks:
        return [Section("", _UNLABELLED.sub("", text))]
    ends = [mark.start for mark in marks[1:]] + [len(text)]
    first = [Section("", text[: marks[0].start].strip())] if marks[0].start else []
    return first + [_section(mark.label, _without_joint(text[mark.end : end].strip())) for mark, end in zip(marks, ends, strict=True)]


def _without_joint(text: str) -> str:
    return text[:-1] if text.endswith((".,", ".;")) else text  # a database joined the sections with it


def _colons(text: str) -> list[Mark]:
    """ "BACKGROUND: ... METHODS: ...": two at least if the text begins with one, else three."""
    if text.count(":") < 2:
        return []
    marks = [Mark(found.start(), found["label"], found.end()) for found in _before_colons(text) if _is_apart(text, found)]
    names = {mark.label.casefold() for mark in marks}
    if any(map(_CORE.search, names)):
        return marks if len(names) >= (2 if marks[0].start == 0 else 3) else []
    # "SUMMARY: ... AVAILABILITY: ... SUPPLEMENTARY INFORMATION: ..."
    is_clear = len(names) >= 3 or all(mark.label.isupper() for mark in marks)
    return marks if is_clear and len(names) >= 2 and marks[0].start == 0 else []


def _before_colons(text: str) -> Iterator[re.Match[str]]:
    """Labels, looked for where a colon stands behind: a text has few of them, and many words."""
    at = 0
    for colon in _ANY_COLON.finditer(text):
        found = _COLON.search(text, max(at, colon.start() - _LONGEST_LABEL), colon.end() + 4)
        if found:
            yield found
            at = found.end()


def _is_apart(text: str, found: re.Match[str]) -> bool:
    """In the middle of a sentence only capitals are a label."""
    before = text[: found.start()].rstrip()[-2:]
    return not before or found["label"].isupper() or before[-1] in '.!?;)]”"%*' or before == ".,"


def _others(text: str) -> list[Mark]:
    """ "Objective To see. Methods We looked. Results We saw.": three at least, all of one kind, from the beginning."""
    first = _OTHER.match(text)
    if not first:
        return []
    kind, is_upper = first.lastgroup, first["label"].isupper()
    marks = [_mark(found) for found in _OTHER.finditer(text) if found.lastgroup == kind and found["label"].isupper() == is_upper]
    names = {mark.label.casefold() for mark in marks}
    return marks if len(names) >= 3 and sum(1 for name in names if _CORE.search(name)) >= 2 else []


def _mark(found: re.Match[str]) -> Mark:
    word, _, others = found["label"].partition(" ")
    if found["blank"] and others[:1].isupper() and word.casefold() in _WHOLE:
        return Mark(found.start(), word, found.start("label") + len(word) + 1)
    return Mark(found.start(), found["label"], found.end())
