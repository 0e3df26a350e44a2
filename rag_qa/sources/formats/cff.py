"""CITATION.cff: what a project on GitHub or Zenodo says of how to cite it; one paper a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]

from rag_qa.errors import SourceError
from rag_qa.sources.reader import Document, Format, Problem, Raw

_VERSION = re.compile(r"^[ \t]*[\"']?cff-version[\"']?[ \t]*:", re.MULTILINE)
_OTHER = re.compile(r"^[ \t]*[\"']?(?:title|authors|message)[\"']?[ \t]*:", re.MULTILINE)
_EXPECTED = "a CITATION.cff, in YAML: title, authors, cff-version"
_TALLEST = 30  # levels, one inside the other; the format has five
_MOST_EVENTS = 1_000_000  # the parts of the file, as YAML counts them
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_NOTHING = frozenset(("", "~", "null"))

_SINGLE = {
    "title": "title", "abstract": "abstract", "doi": "doi", "url": "url", "repository-code": "repository", "repository": "repository",
    "repository-artifact": "repository", "type": "type", "volume": "volume", "issue": "issue", "issn": "issn", "isbn": "isbn", "pmcid": "pmcid",
    "version": "version", "license": "license", "edition": "edition", "section": "section", "status": "status", "notes": "note", "pages": "pages",
    "thesis-type": "type", "commit": "commit", "year": "year", "date-published": "year", "issue-date": "year", "date-released": "year",
    "journal": "venue",
}  # fmt: skip
_SEVERAL = {"authors": "author", "keywords": "keyword", "languages": "language"}
_BODIES = {"conference": "venue", "collection-title": "venue", "publisher": "publisher", "institution": "institution"}
_BORROWED = ("abstract", "keywords")
"""What holds for the paper about a project too, where only the project says it. Never its DOI or date."""


def read(document: Document) -> Iterator[Raw | Problem]:
    """The paper that a CITATION.cff names: its preferred citation, else the project itself. Raises SourceError when it is no such file."""
    project = _loaded(document)
    preferred = project.get("preferred-citation")
    paper = preferred if isinstance(preferred, dict) and _text(preferred.get("title")) else project
    if paper is not project:
        paper = {**{name: project[name] for name in _BORROWED if name in project}, **paper}
    yield Raw(1, _by_field(paper, default_type="software" if paper is project else "generic"))


def _loaded(document: Document) -> Mapping[str, Any]:
    text = document.text()
    try:
        _refuse_bombs(document.path, text)
        # makes lists, mappings and strings and nothing else: no code is run, and the family name "No" is no boolean
        loaded = yaml.load(text, _LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        raise SourceError(document.path, mark.line + 1 if mark else None, found=f"text that is not YAML ({problem})", expected=_EXPECTED) from None
    if not isinstance(loaded, dict):
        raise SourceError(document.path, 1, found="YAML without names of fields", expected=_EXPECTED)
    return loaded


def _refuse_bombs(path: str, text: str) -> None:
    """YAML lets one part stand for many: what refers to a part that refers itself to others grows without end."""
    opened: list[str | None] = []
    composed: set[str] = set()
    for number, event in enumerate(yaml.parse(text, _LOADER)):
        if number > _MOST_EVENTS or len(opened) > _TALLEST:
            raise SourceError(path, event.start_mark.line + 1, found="YAML that is too large or too deep", expected=_EXPECTED)
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        elif isinstance(event, yaml.AliasEvent):
            composed |= {anchor for anchor in opened if anchor}
            if event.anchor in composed:
                hint = "Write out what the names with * stand for."
                raise SourceError(path, event.start_mark.line + 1, found=f"*{event.anchor}, which contains aliases", expected=_EXPECTED, hint=hint)


def _by_field(paper: Mapping[str, Any], *, default_type: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, target in _SINGLE.items():
        _add(found, target, _text(paper.get(name)))
    for name, target in _SEVERAL.items():
        for value in _list(paper.get(name)):
            _add(found, target, _name(value) if target == "author" else _text(value))
    for name, target in _BODIES.items():
        _add(found, target, _within(paper.get(name)))
    for identifier in _list(paper.get("identifiers")):
        if isinstance(identifier, dict) and identifier.get("type") in ("doi", "url"):
            _add(found, identifier["type"], _text(identifier.get("value")))
    _add(found, "pages", "-".join(filter(None, (_text(paper.get("start")), _text(paper.get("end"))))))
    found.setdefault("type", [default_type])
    if "url" not in found and "repository" in found:
        found["url"] = found["repository"][:1]
    return found


def _add(found: dict[str, list[str]], name: str, value: str) -> None:
    if value:
        found.setdefault(name, []).append(value)


def _text(value: object) -> str:
    """A scalar; "" for what is none."""
    return value.strip() if isinstance(value, str) and value.strip() not in _NOTHING else ""


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _within(value: object) -> str:
    """The name of a body, which may stand there by itself."""
    return _text(value.get("name")) if isinstance(value, dict) else _text(value)


def _name(person: object) -> str:
    """An author as "particle Family, Given, Jr."; a body by its name.

    >>> _name({"family-names": "Beethoven", "given-names": "Ludwig", "name-particle": "van"})
    'van Beethoven, Ludwig'
    """
    if not isinstance(person, dict):
        return _text(person)
    family = " ".join(filter(None, (_text(person.get("name-particle")), _text(person.get("family-names")))))
    parts = [family, *(_text(person.get(part)) for part in ("given-names", "name-suffix"))]
    return ", ".join(filter(None, parts)) or _text(person.get("name")) or _text(person.get("alias"))


def _claims(head: str) -> bool:
    """Only this format says "cff-version"."""
    return bool(_VERSION.search(head) and _OTHER.search(head)) and not head.lstrip().startswith(("{", "<", "@"))


FORMAT = Format("CITATION.cff", (".cff",), _claims, read)
