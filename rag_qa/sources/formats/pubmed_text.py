"""PubMed's own text (.txt): "Abstract", a numbered record of paragraphs, and "Summary", a numbered citation without an abstract.

What is read as what, in a record of "Abstract":
- A line `7. J Neurosci. 2015 Jun 24;35(25):9281-6. doi: ...` after a blank line begins it, and numbers count up: others belong to the text.
- The paragraphs after it are the title, the language, the authors, their addresses, links to other records, the abstract, the copyright and the
  identifiers, in this order; each but the title may be missing, and is known by how it begins.
- A line of an abstract that begins with a label in capitals begins a section.
- Nothing ends a record but its PMID; if only the last of a file lacks it, the file may have been cut off, which is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Format, Problem, Raw, Trouble

_BEGINS = re.compile(r"(\d{1,6})([.:]) (?=\S)")
_PMID = re.compile(r"\bPMID: ?(\d{1,9})\b")
_ISSUE = re.compile(
    r"(?P<venue>.+?)\. (?P<year>(?:1[6-9]|20)\d\d\b[^;:.]{0,30})"
    r"(?:;(?P<volume>[^(:.;]{1,20})?(?:\((?P<issue>[^)]{1,40})\))?)?(?::(?P<pages>[\w-]{1,30}))?"
)
_CITED = re.compile(r"(?P<title>.+?[.?!]) (?=[^.?!]+\. (?:1[6-9]|20)\d\d\b)")
_DOI = re.compile(r"\bdoi: ?(10\.\S+?)\.?(?:\s|$)", re.IGNORECASE)
_LANGUAGE = re.compile(r"\[Article in ([^\]]+)\]")
_NOTICE = re.compile(
    r"(?:Erratum|Retraction|Partial retraction|Corrected and republished|Retracted and republished|Expression of concern)(?: in| of| for| from)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?:Comment|Republished|Update|Summary for patients|Original report|Cites|Reprint|Dataset)s?(?: in| on| of| from)\b")
_LABELS = {
    "Author information:": "affiliation",
    "Collaborators:": "collaborator",
    "Conflict of interest statement:": "conflict of interest",
    "Copyright": "copyright",
    "©": "copyright",
    "(c)": "copyright",
    "Published by": "copyright",
}
_IDENTIFIERS = re.compile(r"(DOI|PMCID|PMID): ?(\S+)")
_SECTION = re.compile(r"[A-Z][A-Z0-9 /&,()'-]{2,60}: ")
_MARKS = re.compile(r"\((?:#|\*|\d+)\)")
_NAME = re.compile(r"[^\W\d][\w.'’ -]{0,60} [A-Z]{1,4}(?: (?:Jr|Sr|[1-4](?:st|nd|rd|th)|I{1,3}))?\.?")
_NO_AUTHORS = "[No authors listed]"
_IN_OTHER_LANGUAGE = "Publisher: "


@dataclass(slots=True)
class _Record:
    """The paragraphs of a record, each a list of lines; the first one begins with its number."""

    line: int
    paragraphs: list[list[str]] = field(default_factory=list)

    @property
    def pmid(self) -> str | None:
        """From the line of its own; a link to another record has one too."""
        found = [match for lines in self.paragraphs for text in lines if (match := _PMID.match(text))]
        return found[-1].group(1) if found else None


def read(document: Document) -> Iterator[Raw | Problem]:
    """Records of a text of PubMed. Raises SourceError when it holds none."""
    last: _Record | None = None
    for record in _records(document):
        last = record
        yield _summary(record) if _is_summary(record) else _abstract(record)
    if last is None:
        raise SourceError(document.path, None, found="no record", expected="PubMed's text: records that begin with a number, `1. ` or `1: `")
    if not any(_PMID.search(text) for lines in last.paragraphs for text in lines):
        yield Problem(document.path, last.line, "this record, the last, has no PMID: the file may have been cut off", Trouble.REPAIRED)


def _records(document: Document) -> Iterator[_Record]:
    record: _Record | None = None
    expected, is_blank = None, True
    for number, line in document.lines():
        begins = _BEGINS.match(line) if is_blank else None
        if begins and int(begins.group(1)) == (expected or int(begins.group(1))):
            if record:
                yield record
            record, expected = _Record(number), int(begins.group(1)) + 1
        if record and line.strip():
            if is_blank:
                record.paragraphs.append([])
            record.paragraphs[-1].append(line)
        is_blank = not line.strip()
    if record:
        yield record


# --------------------------------------------------------------------------------------------------------------- Abstract


def _abstract(record: _Record) -> Raw:
    fields = _source(record)
    abstracts: list[list[str]] = [[]]
    paragraphs = iter(record.paragraphs[1:])
    fields["title"] = [_joined(next(paragraphs, []))]
    may_be_authors = True
    for lines in paragraphs:
        told = _told(lines, may_be_authors=may_be_authors)
        if told is None:
            text = _sections(lines)
            if text.startswith(_IN_OTHER_LANGUAGE):
                abstracts.append([])
            abstracts[-1].append(text.removeprefix(_IN_OTHER_LANGUAGE))
        for name, values in (told or {}).items():
            fields.setdefault(name, []).extend(values)
        may_be_authors = may_be_authors and told is not None and set(told) <= {"language"}
    fields["abstract"] = ["\n".join(parts) for parts in abstracts if parts]
    return Raw(record.line, {name: values for name, values in fields.items() if any(values)}, key=f"PMID {record.pmid}" if record.pmid else "")


def _told(lines: Sequence[str], *, may_be_authors: bool) -> dict[str, list[str]] | None:
    """What a paragraph is that is no abstract, by how it begins."""
    text = _joined(lines)
    if match := _LANGUAGE.fullmatch(text):
        return {"language": [match.group(1)]}
    if may_be_authors and (text.startswith(_NO_AUTHORS) or _are_names(text)):
        return {"author": _names(text)}
    if _NOTICE.match(text):
        return {"notice": [text]}
    if _LINK.match(text):
        return {"comment": [text]}
    if all(_IDENTIFIERS.match(line) for line in lines):
        found = [match.groups() for line in lines if (match := _IDENTIFIERS.match(line))]
        return {name.lower(): [value] for name, value in found}
    return next(({name: [text]} for beginning, name in _LABELS.items() if text.startswith(beginning)), None)


def _source(record: _Record) -> dict[str, list[str]]:
    source = _BEGINS.sub("", _joined(record.paragraphs[0]), count=1)
    match = _ISSUE.match(source)
    fields = {name: [value.strip()] for name, value in (match.groupdict() if match else {}).items() if value}
    return {**fields, "source": [source], "doi": _DOI.findall(source)[:1]}


def _are_names(text: str) -> bool:
    """Are most of the parts between commas a family name and initials?"""
    parts = [part.strip() for part in re.split(r"[,;]", _MARKS.sub("", text))]
    return 2 * sum(bool(_NAME.fullmatch(part)) for part in parts) > len(parts)


def _names(text: str) -> list[str]:
    """The authors of a line; a group of them stands after a semicolon."""
    listed = _MARKS.sub("", text.removeprefix(_NO_AUTHORS)).rstrip(". ")
    return [name.strip() for name in re.split(r"[,;]", listed) if name.strip()]


def _sections(lines: Sequence[str]) -> str:
    """A paragraph on one line, or a line for each of its sections."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if parts[-1] and _SECTION.match(line):
            parts.append([])
        parts[-1].append(line)
    return "\n".join(map(_joined, parts))


def _joined(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


# ---------------------------------------------------------------------------------------------------------------- Summary


def _is_summary(record: _Record) -> bool:
    """Is it one paragraph that ends with its PMID?"""
    return len(record.paragraphs) == 1 and bool(_PMID.search(_joined(record.paragraphs[0])))


def _summary(record: _Record) -> Raw:
    """A citation: authors, title, journal. Only what its full stops tell is taken apart; all of it is kept as the source."""
    source = _BEGINS.sub("", _joined(record.paragraphs[0]), count=1)
    pmids = _PMID.findall(source)
    authors, _, rest = source.partition(". ") if _are_names(source.partition(". ")[0]) else ("", "", source)
    title = _CITED.match(rest)
    issue = _ISSUE.match(rest, title.end()) if title else None
    fields = {
        "title": [title["title"].removesuffix(".") if title else ""],
        "author": _names(authors),
        "doi": _DOI.findall(source)[:1],
        "pmid": pmids[-1:],
        "notice": [match.group() for match in _NOTICE.finditer(rest, title.end() if title else 0)],
        "source": [source],
        **{name: [value.strip()] for name, value in (issue.groupdict() if issue else {}).items() if value},
    }
    return Raw(record.line, {name: values for name, values in fields.items() if any(values)}, key=f"PMID {pmids[-1]}")


def _claims(head: str) -> bool:
    """Does it begin with a numbered citation, and is there a PMID before the next one?"""
    first = next((line for line in head.splitlines()[:50] if line.strip()), "")
    begins = _BEGINS.match(first)
    if not begins:
        return False
    following = head.find(f"\n\n{int(begins.group(1)) + 1}{begins.group(2)} ")
    return bool(_PMID.search(head, 0, following if following >= 0 else len(head))) and bool(_ISSUE.search(head, 0, 3000))


FORMAT = Format("PubMed text", (), _claims, read)
"""Known by its content alone: its files are .txt, as most are that hold other things."""
