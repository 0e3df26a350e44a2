"""Records of one work -> the paper that they make together. Every value is chosen by what the records say, never by their order."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

from rag_qa import text
from rag_qa.dedup import compared
from rag_qa.dedup.compared import Identifiers, identifiers
from rag_qa.dedup.evidence import are_same_venue
from rag_qa.dedup.grouping import group
from rag_qa.papers import Notice, Origin, Paper, Version, paper_id

_T = TypeVar("_T")


def identify(papers: Sequence[Paper]) -> list[Paper]:
    """Every work once, with an id that no other has, in the order of first appearance.

    >>> from rag_qa.papers import Origin
    >>> one, two = (Paper("p1", "We ...", origins=(Origin(path, 3),)) for path in ("a.txt", "b.txt"))
    >>> [len(paper.origins) for paper in identify([one, two])]
    [2]
    """
    groups = group([compared.keys(paper) for paper in papers])
    return distinct([merge([papers[at] for at in found.members]) for found in groups])


def merge(papers: Sequence[Paper]) -> Paper:
    """What records of one work say together.

    Values are those of the published form where it has them, the most complete that one record has; nothing is put together from two abstracts.
    Origins: first those with the abstract that is shown. Raises ValueError for no records.
    """
    if not papers:
        raise ValueError("no records to merge")
    records = _sorted_records(papers)
    return records[0] if len(records) == 1 else _merged(records)


def _sorted_records(papers: Sequence[Paper]) -> list[Paper]:
    """Each once, those of the published form first, then those that say most."""
    named = {(_said(paper), paper.origins): paper for paper in papers}

    def order(name: tuple[str, tuple[Origin, ...]]) -> tuple[Any, ...]:
        return (identifiers(named[name]).is_preprint, -len(name[0]), name)

    return [named[name] for name in sorted(named, key=order)]


def _said(paper: Paper) -> str:
    """All that a record says; not where it stands, which has no say in what is chosen."""
    return json.dumps(asdict(replace(paper, origins=())), sort_keys=True)


def _merged(records: Sequence[Paper]) -> Paper:
    published = [paper for paper in records if not identifiers(paper).is_preprint] or records
    together = _of_one_place(published)
    abstract = _first(_abstract, published, records) or ""
    title = _first(_title, published, records)
    doi, pmid, arxiv = _doi(records), _first(_smallest("pmid"), published, records), _first(_smallest("arxiv"), records)
    origins = _origins(records, abstract)
    return Paper(
        id=paper_id(abstract, doi=doi, pmid=pmid, arxiv=arxiv, title=title),
        abstract=abstract,
        title=title,
        authors=_first(_authors, published, records) or (),
        year=_first(_year, together, published, records),
        venue=_first(_venue, together, records),
        doi=doi,
        pmid=pmid,
        arxiv=arxiv,
        url=_first(_url, published, records),
        collection=_first(_smallest("collection"), together, records),
        keywords=_united(keyword for paper in records for keyword in paper.keywords),
        language=_first(_most_common("language"), published, records),
        type=_first(_type, published, records),
        notices=tuple(notice for notice in Notice if any(notice in paper.notices for paper in records)),
        other_abstracts=_other_abstracts(records, abstract),
        versions=_versions(records),
        origins=origins,
        extra={name: value for paper in reversed(records) for name, value in sorted(paper.extra.items())},
    )


def _first(chosen: Callable[[Sequence[Paper]], _T | None], *pools: Sequence[Paper]) -> _T | None:
    """What the first pool says that says something."""
    return next((value for pool in pools if (value := chosen(pool))), None)


# ------------------------------------------------------------------------------------------------------------------- values


def _smallest(name: str) -> Callable[[Sequence[Paper]], str | None]:
    return lambda papers: min((value for paper in papers if (value := getattr(paper, name))), default=None)


def _most_common(name: str) -> Callable[[Sequence[Paper]], str | None]:
    def chosen(papers: Sequence[Paper]) -> str | None:
        counted = Counter(value for paper in papers if (value := getattr(paper, name)))
        return min(counted, key=lambda value: (-counted[value], value), default=None)

    return chosen


def _doi(records: Sequence[Paper]) -> str | None:
    """The DOI of an article before that of a preprint, and both before that of an entry in a register."""
    return min((paper.doi for paper in records if paper.doi), key=lambda doi: (_rank(doi, records), doi), default=None)


def _rank(doi: str, records: Sequence[Paper]) -> int:
    known = [identifiers(paper) for paper in records if paper.doi == doi]
    return 0 if any(found.doi for found in known) else 1 if any(found.is_preprint for found in known) else 2


def _of_one_place(papers: Sequence[Paper]) -> list[Paper]:
    """Records whose venues may be one, of those the first that has one: a paper that was in two places has the year of the place that is shown."""
    first = next((paper for paper in papers if paper.venue), None)
    if first is None:
        return list(papers)
    wanted = compared.venue(first.venue or "")
    return [paper for paper in papers if not paper.venue or are_same_venue(wanted, compared.venue(paper.venue)) is not False]


def _year(papers: Sequence[Paper]) -> int | None:
    """What most say; in doubt the later one, that of the printed issue."""
    counted = Counter(paper.year for paper in papers if paper.year)
    return max(counted, key=lambda year: (counted[year], year), default=None)


_LATER = re.compile(r"\W*(?:retracted|withdrawn|notice of retraction)\b|[(\[]\s*(?:retracted|withdrawn)\b[^)\]]*[)\]]?\W*$", re.IGNORECASE)


def _title(papers: Sequence[Paper]) -> str | None:
    """The longest, rather with small letters, without markup, and without what was written around it later."""
    known = {paper.title for paper in papers if paper.title}
    return min(known, key=lambda title: (title.isupper(), _is_marked(title), bool(_LATER.search(title)), -len(title), title), default=None)


def _authors(papers: Sequence[Paper]) -> tuple[str, ...] | None:
    """The longest list, and of those the one with the fullest names."""
    known = {paper.authors for paper in papers if paper.authors}
    return min(known, key=lambda names: (-len(names), all(name.isupper() for name in names), -sum(map(len, names)), names), default=None)


def _venue(papers: Sequence[Paper]) -> str | None:
    """The fullest name."""
    known = {paper.venue for paper in papers if paper.venue}
    return min(known, key=lambda name: (name.isupper() and " " in name, -len(name), name), default=None)


def _url(papers: Sequence[Paper]) -> str | None:
    known = {paper.url for paper in papers if paper.url}
    return min(known, key=lambda url: (not url.startswith("https:"), len(url), url), default=None)


_VAGUE = {"other": 2, "article": 1}


def _type(papers: Sequence[Paper]) -> str | None:
    """The most particular one, and of those what most say."""
    counted = Counter(paper.type for paper in papers if paper.type)
    return min(counted, key=lambda kind: (_VAGUE.get(kind, 0), -counted[kind], kind), default=None)


def _united(values: Iterable[str]) -> tuple[str, ...]:
    """Each once, whatever its capitals, as it was written first."""
    found: dict[str, str] = {}
    for value in values:
        found.setdefault(value.casefold(), value)
    return tuple(found.values())


# ---------------------------------------------------------------------------------------------------------------- abstracts

_MARKUP = re.compile(r"</?[a-z]|&[a-z]+;|\\[a-z]{2}|\ufffd", re.IGNORECASE)
_BOILERPLATE = re.compile(r"©|\(c\)\s*(?:19|20)\d\d|copyright|all rights reserved", re.IGNORECASE)
_AS_LONG = 0.95


def _abstract(papers: Sequence[Paper]) -> str | None:
    """The longest; of those that are about as long, one that is clean, with its sections apart."""
    other = {_letters(abstract) for paper in papers for abstract in paper.other_abstracts}
    known = {paper.abstract for paper in papers if paper.abstract}
    # a record that has it in two languages knows which of them is read
    known = {abstract for abstract in known if _letters(abstract) not in other} or known
    longest = max((_extent(abstract) for abstract in known), default=0)

    def order(abstract: str) -> tuple[Any, ...]:
        is_cut = _extent(abstract) < _AS_LONG * longest
        return (is_cut, _is_marked(abstract), bool(_BOILERPLATE.search(abstract)), -_extent(abstract), -abstract.count("\n"), abstract)

    return min(known, key=order, default=None)


def _extent(abstract: str) -> int:
    """How many letters it has in front of what the publisher wrote below it."""
    found = _BOILERPLATE.search(abstract, len(abstract) // 2)
    return len(_letters(abstract[: found.start()] if found else abstract))


def _is_marked(value: str) -> bool:
    return bool(_MARKUP.search(value))


@lru_cache(maxsize=64)
def _letters(abstract: str) -> str:
    return "".join(compared.words(abstract))


def _other_abstracts(records: Sequence[Paper], chosen: str) -> tuple[str, ...]:
    found = {_letters(abstract): abstract for paper in reversed(records) for abstract in reversed(paper.other_abstracts)}
    found.pop(_letters(chosen), None)
    return tuple(sorted(found.values()))


def _origins(records: Sequence[Paper], abstract: str) -> tuple[Origin, ...]:
    """Where the abstract that is shown stands, then the other places."""
    letters = _letters(abstract)
    with_it = {origin for paper in records if _letters(paper.abstract) == letters for origin in paper.origins}
    without = {origin for paper in records for origin in paper.origins} - with_it
    return (*sorted(with_it), *sorted(without))


# ----------------------------------------------------------------------------------------------------------------- versions


def _versions(records: Sequence[Paper]) -> tuple[Version, ...]:
    """The forms in which a work was published, oldest first, if there is more than one."""
    forms: dict[str, list[Paper]] = defaultdict(list)
    for paper in records:
        forms[_form(identifiers(paper), paper)].append(paper)
    if len(forms) < 2:
        return ()
    return tuple(sorted((_version(papers) for papers in forms.values()), key=_age))


def _form(known: Identifiers, paper: Paper) -> str:
    """A name for the form of a record: the article, or the preprint of an archive."""
    if not known.is_preprint:
        return "article"
    return "arxiv" if known.arxiv else known.preprint_doi.partition("/")[0] or (paper.venue or "").casefold()


def _version(papers: Sequence[Paper]) -> Version:
    known = [identifiers(paper) for paper in papers]
    is_preprint = known[0].is_preprint
    dois = sorted(paper.doi for paper, found in zip(papers, known, strict=True) if paper.doi and not (is_preprint and found.doi))
    return Version(
        year=_year(papers),
        venue=_venue(papers),
        type=_type(papers),
        title=_title(papers),
        doi=dois[0] if dois else None,
        pmid=_smallest("pmid")(papers),
        arxiv=_smallest("arxiv")(papers) if is_preprint else None,
        url=_url(papers),
    )


def _age(version: Version) -> tuple[Any, ...]:
    """Oldest first; a preprint before the article of the same year."""
    return (version.year or 9999, version.type != "preprint", json.dumps(asdict(version), sort_keys=True))


# ---------------------------------------------------------------------------------------------------------------------- ids


def distinct(papers: Sequence[Paper]) -> list[Paper]:
    """The same papers in the same order; those that share an id get ones of their own, made of the id and what else they say.

    Chapters have the DOI of their book. The new id of a paper does not depend on the others, unless they say the very same as it does.

    >>> chapters = [Paper("p1", "We ...", title="On tides"), Paper("p1", "We ...", title="On mosses"), Paper("p2", "It ...")]
    >>> found = [paper.id for paper in distinct(chapters)]
    >>> len(set(found)), found[2]
    (3, 'p2')
    """
    named = list(papers)
    for name in (_by_words, _by_content, _by_origins):
        count = Counter(paper.id for paper in named)
        named = [replace(paper, id=name(paper)) if count[paper.id] > 1 else paper for paper in named]
    return named


def _by_words(paper: Paper) -> str:
    said = (paper.id, paper.pmid, paper.arxiv, _letters(paper.abstract), text.folded(paper.title or ""), paper.year)
    return _id(json.dumps(said))


def _by_content(paper: Paper) -> str:
    return _id(f"{paper.id} {paper.content_hash}")


def _by_origins(paper: Paper) -> str:
    return _id(f"{paper.id} {[str(origin) for origin in paper.origins]}")


def _id(said: str) -> str:
    return "p" + sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]
