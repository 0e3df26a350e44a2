r"""DOI, PMID, arXiv id and address: the normal form of each, from whatever a file has in its place.

Values are read as they stand in the file, since what looks like markup is part of an old DOI: 10.1002/(SICI)...<1::AID-X>3.0.CO;2-2.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple
from urllib.parse import unquote

_LATEX = {
    "textless": "<", "textgreater": ">", "lt": "<", "gt": ">", "textunderscore": "_", "_": "_", "%": "%", "&": "&", "#": "#", "$": "$",
    "{": "{", "}": "}", "textasciitilde": "~", "sim": "~", "~": "~", "-": "", "/": "/", "textendash": "-", "slash": "/",
}  # fmt: skip
_MACRO = re.compile(r"\\(textless|textgreater|textunderscore|textasciitilde|textendash|slash|sim|[_%&#${}~/-])(?:\{\}|(?<=[a-z])[ ]?)?")
_GROUP = re.compile(r"\{([^{}\s]{0,80})\}|\$([<>_~])\$")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_QUOTES = "\"'`´‘’“”«»"


def _as_meant(text: str) -> str:
    """Without entities, LaTeX escapes and what is invisible."""
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text or "{" in text or "$" in text:
        text = _MACRO.sub(lambda match: _LATEX[match.group(1)], text)
        text = _GROUP.sub(lambda match: match.group(1) or match.group(2) or "", text)
    return text if text.isprintable() else "".join(char if char.isprintable() else " " * char.isspace() for char in text)


# ---------------------------------------------------------------------------------------------------------------------- DOI

_DOI = re.compile(r"(?<![\d.])10\.\d{4,9}(?:\.\d{1,9}){0,8}/\S{1,500}")
_NEXT = re.compile(r"[;,|](?=(?:https?://|doi:|10\.\d{4,9}/))", re.IGNORECASE)
# What publishers' addresses have after a DOI.
_AFTER = re.compile(
    r"(?:[?#&].*|/(?:full|abstract|pdf|epdf|pdfdirect|html|meta|summary|references|citations|suppl_file|fulltext)(?:/.*)?"
    r"|(?:v\d+)?\.(?:full|abstract|pdf|html?|short|long|extract)(?:[.+-].*)?|(?<=\d)v\d+)$",
    re.IGNORECASE,
)
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


def doi(text: str) -> str | None:
    r"""The first DOI in a text, in lower case, without prefix, escapes and what follows it; None if there is none.

    >>> doi("https://doi.org/10.1000/Xyz_1."), doi(r"doi: 10.1000/a\_b"), doi("10.1")
    ('10.1000/xyz_1', '10.1000/a_b', None)
    >>> doi("10.1002/(SICI)1097-0258(19980815)17:15&lt;1661::AID-SIM968&gt;3.0.CO;2-2")
    '10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-2'
    """
    if "10." not in text:
        return None
    meant = _as_meant(text)
    if _PERCENT.search(meant):
        meant = unquote(meant, errors="replace")
    found = _DOI.search(meant)
    if not found:
        return None
    before = meant[max(0, found.start() - 300) : found.start()].lower()
    is_address = "://" in before.rpartition(" ")[2] and "doi.org/" not in before
    return _trimmed(found.group(), is_address=is_address)


def _trimmed(found: str, *, is_address: bool) -> str | None:
    found = _NEXT.split(found, maxsplit=1)[0]
    if is_address:
        for _ in range(3):  # "...v1.full.pdf?download=true" has several ends
            found = _AFTER.sub("", found)
    found = _without_ends(found)
    return found.lower() if found.partition("/")[2] else None


def _without_ends(found: str) -> str:
    """Without punctuation at the end, and brackets there that were not opened in it."""
    while found:
        last = found[-1]
        is_unopened = last in _PAIRS and found.count(last) > found.count(_PAIRS[last])
        if not (is_unopened or last in ".,;:" or last in _QUOTES or last in "\\{[(<"):
            return found
        found = found[:-1]
    return found


# --------------------------------------------------------------------------------------------------------------------- PMID

_PMID = re.compile(r"(?:PMID|PubMed(?: ID)?|MEDLINE|MED)?\s*+[:=#]?\s*+([1-9]\d{0,7})(?:\.0)?(?:\s*+\[(?:pmid|pubmed)\])?", re.IGNORECASE)
_PMID_ADDRESS = re.compile(
    r"(?:pubmed\.(?:ncbi\.nlm\.nih\.)?gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|europepmc\.org/(?:article|abstract)/med)/([1-9]\d{0,7})(?!\d)", re.I
)
_PMID_QUERY = re.compile(r"ncbi\.nlm\.nih\.gov/(?:entrez|pubmed|sites)[^\s#]{0,200}?(?:list_uids|term|pmid|/)=?([1-9]\d{5,7})(?!\d)", re.IGNORECASE)


def pmid(text: str) -> str | None:
    """The digits of a PubMed id.

    >>> pmid("PMID: 123456"), pmid("https://pubmed.ncbi.nlm.nih.gov/123456/"), pmid("PMC123456")
    ('123456', '123456', None)
    """
    whole = _PMID.fullmatch(text.strip().rstrip("."))
    return whole.group(1) if whole else pmid_of_address(text)


def pmid_of_address(text: str) -> str | None:
    """The PubMed id that an address of PubMed or Europe PMC tells.

    >>> pmid_of_address("http://www.ncbi.nlm.nih.gov/pubmed/123456"), pmid_of_address("123456")
    ('123456', None)
    """
    if "gov" not in text and "europepmc" not in text:
        return None
    found = _PMID_ADDRESS.search(text) or _PMID_QUERY.search(text)
    return found.group(1) if found else None


# -------------------------------------------------------------------------------------------------------------------- arXiv


class Arxiv(NamedTuple):
    """An arXiv id without its version, and the version ("v2") where it was told."""

    id: str
    version: str | None


_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga econ eess funct-an gr-qc hep-ex "
    "hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph q-alg q-bio q-fin quant-ph solv-int stat supr-con"
)
_ID = rf"(\d\d(?:0[1-9]|1[0-2])\.\d{{4,5}}|(?:{'|'.join(_ARCHIVES.split())})(?:\.[A-Za-z-]{{2,10}})?/\d{{7}})(v\d{{1,3}})?(?![\w/]|\.\d)"
_ARXIV = re.compile(rf"(?:\s*+ar\s?xiv\s*+(?:e-prints?|preprint)?[\s:.,]*+)*+{_ID}(?:\.pdf|\s*+\[[\w.\s,-]*+\])?[\s.,;]*+", re.IGNORECASE)
_ARXIV_NAMED = re.compile(
    rf"(?:arxiv\.org/(?:abs|pdf|html|format|ps|e-print|src)/|alphaxiv\.org/abs/|ar5iv\.(?:labs\.arxiv\.)?org/(?:abs|html)/|10\.48550/arxiv\.|arxiv\s*:\s*){_ID}",
    re.I,
)
_DBLP = re.compile(rf"abs/{_ID}", re.IGNORECASE)


def arxiv(text: str) -> Arxiv | None:
    """The arXiv id that a field holds, alone or in an address.

    >>> arxiv("arXiv:1706.03762v5 [cs.CL]"), arxiv("math.GT/0309136")
    (Arxiv(id='1706.03762', version='v5'), Arxiv(id='math/0309136', version=None))
    """
    meant = _as_meant(text)
    return _arxiv(_ARXIV.fullmatch(meant) or _DBLP.fullmatch(meant.strip())) or arxiv_named(meant)


def arxiv_named(text: str) -> Arxiv | None:
    """The arXiv id in an address, a DOI or a venue, where it is said that it is one.

    >>> arxiv_named("arXiv preprint arXiv:1706.03762, 2017"), arxiv_named("see 1706.03762")
    (Arxiv(id='1706.03762', version=None), None)
    """
    return _arxiv(_ARXIV_NAMED.search(text)) if "xiv" in text.lower() else None


def _arxiv(found: re.Match[str] | None) -> Arxiv | None:
    if not found:
        return None
    archive, slash, number = found.group(1).partition("/")
    name = archive.partition(".")[0].lower() if slash else archive
    return Arxiv(name + slash + number, found.group(2).lower() if found.group(2) else None)


# ------------------------------------------------------------------------------------------------------------------ address

_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]{3,2000}", re.IGNORECASE)
_BARE = re.compile(r"(?:www\.|(?:dx\.)?doi\.org/|arxiv\.org/)\S{3,2000}", re.IGNORECASE)


def urls(text: str) -> list[str]:
    r"""The web addresses in a text, in order.

    >>> urls(r"\\url{https://a.org/b\_c}; file:///x, http://d.org/e.")
    ['https://a.org/b_c', 'http://d.org/e']
    """
    if "/" not in text and "www." not in text:
        return []
    meant = _as_meant(text)
    found = _ADDRESS.findall(meant)
    if not found and (bare := _BARE.match(meant.strip())):
        found = [f"https://{bare.group()}"]
    return [_without_ends(address) for address in found]


# -------------------------------------------------------------------------------------------------------------- in a remark

_DOI_REMARK = re.compile(r"^[ \t]*+doi[ \t]*+[:=][ \t]*+(.*)", re.IGNORECASE | re.MULTILINE)
# Zotero keeps it in a line "PMID: 1" of its field Extra, and writes these lines one after the other: "Place: England PMID: 1 PMCID: PMC2".
_PMID_REMARK = re.compile(
    r"^(?:(?:Place|Publisher|Section|ISSN|ISBN|PMCID|Citation Key): [^:\n]{1,80}[\s;,])?[ \t]*+PMID[ \t]*+:[ \t]*+([1-9]\d{0,7})(?!\d)", re.MULTILINE
)
_ARXIV_REMARK = re.compile(r"^[ \t]*+(arxiv[ \t]*+:.*)", re.IGNORECASE | re.MULTILINE)


class Remark(NamedTuple):
    """The identifiers of the record itself that a remark of it begins with."""

    doi: str | None
    pmid: str | None
    arxiv: Arxiv | None


def of_remark(text: str) -> Remark:
    """What a note says of its own record: lines that begin "DOI:", "PMID:", "arXiv:". Identifiers further on may be those of other papers.

    >>> of_remark("Place: England PMID: 123 PMCID: PMC4"), of_remark("Comment on doi: 10.1000/x")
    (Remark(doi=None, pmid='123', arxiv=None), Remark(doi=None, pmid=None, arxiv=None))
    """
    if ":" not in text and "=" not in text:
        return Remark(None, None, None)
    a_doi, a_pmid, an_arxiv = _DOI_REMARK.search(text), _PMID_REMARK.search(text), _ARXIV_REMARK.search(text)
    return Remark(doi(a_doi.group(1)) if a_doi else None, a_pmid.group(1) if a_pmid else None, arxiv_named(an_arxiv.group(1)) if an_arxiv else None)
