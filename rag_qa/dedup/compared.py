"""What is compared of a record: few and short values, so that those of a hundred thousand records can be held at once."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import nsmallest

from rag_qa import text
from rag_qa.dedup import titles
from rag_qa.papers import Notice, Paper


@dataclass(frozen=True, slots=True, order=True)
class Keys:
    """What is compared of a record; "" or 0 where it says nothing.

    doi           of a published form, in small letters
    preprint_doi  of a preprint, without its version
    arxiv         without its version
    kind          "" for a work itself, else what the record is about another one: "correction", "reply" (see `titles.kind`)
    form          "thesis", "dataset" and others that are not the same work as an article of the same title
    title         its words (see `titles.words`)
    authors       family names of the first ones, in order
    first_author  all words of the first name
    volume, page  the number of the volume, and that of the first page
    abstract      a hash of its letters and digits
    is_long       has the abstract enough words to be evidence by itself?
    sketch        hashes of some of its phrases, by which texts with few differences know each other
    """

    doi: str = ""
    preprint_doi: str = ""
    pmid: str = ""
    arxiv: str = ""
    is_preprint: bool = False
    kind: str = ""
    form: str = ""
    title: str = ""
    year: int = 0
    authors: tuple[str, ...] = ()
    first_author: str = ""
    volume: str = ""
    page: str = ""
    venue: str = ""
    abstract: str = ""
    is_long: bool = False
    sketch: str = ""

    def to_json(self) -> str:
        """As text, to be kept with a record.

        >>> Keys(doi="10.1000/x", authors=("adeli",)).to_json()
        '{"doi":"10.1000/x","authors":["adeli"]}'
        """
        named = ((name, getattr(self, name)) for name in self.__slots__)
        return json.dumps({name: value for name, value in named if value}, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Keys:
        """From such a text. Raises TypeError for one that has other fields.

        >>> Keys.from_json('{"doi":"10.1000/x","authors":["adeli"]}').authors
        ('adeli',)
        """
        values = json.loads(line)
        return cls(**{**values, "authors": tuple(values.get("authors", ()))})


_MOST_AUTHORS = 50
_LONGEST = 1000  # characters of a title or a name
_FORMS = frozenset("thesis dataset software patent book chapter".split())
_NOTICES = {Notice.IS_RETRACTION: "retraction", Notice.IS_CORRECTION: "correction", Notice.IS_CONCERN: "concern"}


def keys(paper: Paper) -> Keys:
    """What is compared of a record.

    >>> found = keys(Paper("p1", "", title="On the Tides.", authors=("Adeli, Khosrow",), doi="10.48550/arXiv.2401.00001v2"))
    >>> found.title, found.authors, found.arxiv, found.is_preprint
    ('on the tides', ('adeli',), '2401.00001', True)
    """
    known = identifiers(paper)
    phrases = _Phrases(paper.abstract)
    title = (paper.title or "")[:_LONGEST]
    return Keys(
        doi=known.doi,
        preprint_doi=known.preprint_doi,
        pmid=paper.pmid or "",
        arxiv=known.arxiv,
        is_preprint=known.is_preprint,
        kind=next((_NOTICES[notice] for notice in paper.notices if notice in _NOTICES), "") or titles.kind(title),
        form=paper.type if paper.type in _FORMS else "",
        title=titles.words(title),
        year=paper.year or 0,
        authors=tuple(dict.fromkeys(filter(None, map(family_name, paper.authors[:_MOST_AUTHORS])))),
        first_author=" ".join(titles.plain_words(paper.authors[0][:_LONGEST])[:6]) if paper.authors else "",
        volume=_volume(paper.extra.get("volume", "")[:_LONGEST]),
        page=_first_page(paper.extra.get("pages", "")[:_LONGEST]),
        venue=venue(paper.venue or ""),
        abstract=phrases.hash,
        is_long=phrases.is_long,
        sketch=phrases.sketch,
    )


# -------------------------------------------------------------------------------------------------------------- identifiers

# DOIs that say by themselves that they are a preprint's. 10.1101 is that of a publisher too: only the preprints are numbered like this.
_PREPRINT_DOI = re.compile(
    r"10\.(?:48550/|1101/(?:\d{4}\.\d\d\.\d\d\.)?\d{6,}|64898/|21203/|31234/|31219/|31222/|31223/|31235/|31730/|35542/|2139/ssrn|20944/preprints|26434/"
    r"|13140/rg\.|36227/|22541/|32388/|14293/|33774/|7287/peerj\.preprints|2196/preprints|1590/scielopreprints|1002/essoar|5194/egusphere-\d{4})"
)
# Those that a register of trials gives to its own entries, whatever DOI the article itself has.
_ENTRY_DOI = re.compile(r"10\.1002/central/")
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)")
_VERSION = re.compile(r"[/._-]?v\d+$")
_VERSIONED_ARTICLE = re.compile(r"(10\.12688/\w+\.\d+|10\.7554/elife\.\d+)\.\d+")
_PREPRINT_VENUE = re.compile(
    r"\b(?:arxiv|(?:bio|med|chem|psy|soc|tech|ed|earth)rxiv|ssrn|research square|osf preprints|authorea)\b|\bpreprints(?:\.org)?$|^corr$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Identifiers:
    """What a record is identified by; a DOI is that of the published form or that of the preprint."""

    doi: str
    preprint_doi: str
    arxiv: str
    is_preprint: bool


def identifiers(paper: Paper) -> Identifiers:
    """DOI and arXiv id of a record without versions, and whether it describes a preprint.

    >>> identifiers(Paper("p1", "", doi="10.1101/2020.01.02.123456v3"))
    Identifiers(doi='', preprint_doi='10.1101/2020.01.02.123456', arxiv='', is_preprint=True)
    """
    doi, arxiv = (paper.doi or "").lower(), _VERSION.sub("", (paper.arxiv or "").lower())
    if _ENTRY_DOI.match(doi):
        doi = ""
    if found := _ARXIV_DOI.fullmatch(doi):
        doi, arxiv = "", _VERSION.sub("", found.group(1))
    is_preprint_doi = bool(_PREPRINT_DOI.match(doi))
    is_preprint = is_preprint_doi or paper.type == "preprint" or _is_of_archive(paper, doi, arxiv)
    # where the archive's own number is known, another DOI is that of the article
    if is_preprint_doi or (doi and is_preprint and not arxiv):
        return Identifiers("", _VERSION.sub("", doi), arxiv, is_preprint)
    return Identifiers(_VERSIONED_ARTICLE.sub(r"\1", doi), "", arxiv, is_preprint)


def _is_of_archive(paper: Paper, doi: str, arxiv: str) -> bool:
    if paper.venue:
        return bool(_PREPRINT_VENUE.search(paper.venue))
    return bool(arxiv) and not doi and not paper.pmid


# -------------------------------------------------------------------------------------------------------- names and places

_SUFFIXES = frozenset("jr sr ii iii iv phd md".split())
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_IN_BRACKETS = re.compile(r"\([^)]*\)")


def family_name(name: str) -> str:
    """The last word of the family name: the same for "Berg, J. van den", "van den Berg, J", "Jan van den Berg" and "van den Berg J".

    >>> [family_name(name) for name in ("van den Berg, Jan", "Jan van den Berg", "van den Berg J. H.", "J LI", "Berg, John, Jr.")]
    ['berg', 'berg', 'berg', 'li', 'berg']
    """
    found = _NAME_WORD.findall(name[:_LONGEST].split(",")[0])
    while len(found) > 1 and found[-1].lower() in _SUFFIXES:
        found.pop()
    if "," not in name and found and _is_initials(found[-1]):
        found = [word for word in found if not _is_initials(word)] or [max(found, key=len)]
    return "".join(titles.plain_words(found[-1])) if found else ""


def _is_initials(word: str) -> bool:
    return len(word) <= 3 and word.isupper()


def venue(name: str) -> str:
    """Without "(London)", years and small words."""
    found = titles.plain_words(_IN_BRACKETS.sub("", name[:_LONGEST]))
    return " ".join(word for word in found if word not in text.STOPWORDS and not word.isdigit() and word not in _FOREIGN_SMALL_WORDS)


_FOREIGN_SMALL_WORDS = frozenset(
    "da das de degli dei del della der des di die do du e el et fur i il l la le les o os para per pour sur und y zu zur".split()
)


def _volume(value: str) -> str:
    plain = _IN_BRACKETS.sub("", value)
    numbers = _NUMBER.findall(plain)
    # "1)" is what is left of "(Suppl 1)"
    return numbers[0].lstrip("0") if numbers and ")" not in plain else ""


def _first_page(value: str) -> str:
    """Without letters in front; "" for the first page of an article that is paged by itself, and for what a spreadsheet made a date of."""
    numbers = _NUMBER.findall(value)
    page = numbers[0].lstrip("0") if numbers and not _MONTH.search(value) else ""
    return "" if page == "1" else page


# ---------------------------------------------------------------------------------------------------------------- abstracts

_ENOUGH = 20  # words
_COMPARED = 80  # words at the beginning: some databases cut the end, some add to it
_PHRASE = 4  # words
_KEPT = 16  # hashes
_ASCII_WORD = re.compile(r"[a-z0-9]+")


class _Phrases:
    """The letters and phrases of an abstract."""

    __slots__ = ("hash", "is_long", "sketch")

    def __init__(self, abstract: str) -> None:
        found = words(abstract)
        self.hash = sha256("".join(found).encode("utf-8", "surrogatepass")).hexdigest()[:16] if found else ""
        self.is_long = len(found) >= _ENOUGH
        self.sketch = _sketch(found[:_COMPARED]) if self.is_long else ""


def words(value: str) -> list[str]:
    # Folding is slow, and needed where there may be markup, or letters with other forms.
    if value.isascii() and not any(mark in value for mark in "\\<"):
        return _ASCII_WORD.findall(value.lower())
    return titles.plain_words(value.replace("&", " "))


def _sketch(found: Sequence[str]) -> str:
    phrases = (" ".join(found[at : at + _PHRASE]) for at in range(len(found) - _PHRASE + 1))
    hashes = {zlib.crc32(phrase.encode("utf-8", "surrogatepass")) for phrase in phrases}
    return "".join(f"{value:08x}" for value in nsmallest(_KEPT, hashes))


def phrases(sketch: str) -> list[str]:
    """The hashes of a sketch, in rising order.

    >>> phrases("0000000100000002")
    ['00000001', '00000002']
    """
    return [sketch[at : at + 8] for at in range(0, len(sketch), 8)]


def resemblance(one: str, other: str) -> float | None:
    """Estimate of the share of the phrases of two texts that both have, 0 to 1; None if one is not known.

    >>> resemblance("0000000100000002", "0000000100000002"), resemblance("", "00000001")
    (1.0, None)
    """
    if not one or not other:
        return None
    left, right = set(phrases(one)), set(phrases(other))
    union = nsmallest(_KEPT, left | right)
    return sum(phrase in left and phrase in right for phrase in union) / len(union)
