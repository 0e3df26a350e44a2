"""Papers -> a file that reference managers, and our own readers, read back to the same papers.

What crosses every format: title, abstract, authors, year, venue, DOI, PMID, arXiv id, URL, keywords, language, type, collection. Where a paper was
read, its versions and the database's other fields are in JSONL only.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

from rag_qa import text
from rag_qa.errors import RagQAError
from rag_qa.papers import Notice, Paper

Writer = Callable[[Sequence[Paper]], str]

_OURS = "rag-qa"
"""The library catalog that our files name: by it our readers know that what looks like markup in them is text."""

WRITERS: dict[str, Writer] = {}
"""By the name that is also the suffix of a file."""


def write(papers: Sequence[Paper], name: str) -> str:
    """Papers in a format. Raises RagQAError for a format that is not known.

    >>> write([Paper("p1", "We ...", title="On x")], "ris").split("\\n")[1]
    'TI  - On x'
    """
    if name not in WRITERS:
        known = ", ".join(WRITERS)
        raise RagQAError(f"There is no format {name!r} to write papers in: name a file that ends in one of {known}, or give --format")
    return WRITERS[name](papers)


# -------------------------------------------------------------------------------------------------------------------- BibTeX

_BIBTEX_TYPES = {
    "article": "article",
    "review": "article",
    "letter": "article",
    "editorial": "article",
    "conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
}
# Dollar signs that enclose a formula, and not "$5 and a_b for $6": no digit behind the opening one, no blank inside either.
_FORMULA = r"(?=[^$\n]*[\\^_])(?:[^$\n\\]|\\[^$\n])+"
_MATH = re.compile(rf"\$(?![\s\d]){_FORMULA}(?<!\s)\$(?!\d)|\$(?![\s\d])(?=[^$\s]*[\\^_])(?:[^$\s\\]|\\[^$\s]){{1,200}}\$")
_PAIRED = {char: char + "{}" for char in "`'-"}  # two or three of them LaTeX would take for one character
_LATEX = {
    **{char: "\\" + char for char in "&%#_"},
    "{": "\\textbraceleft{}",  # programs count braces, also such as \\{
    "}": "\\textbraceright{}",
    **_PAIRED,
    "$": "\\$",
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
}
_SPECIAL = re.compile(r"`(?=`)|'(?=')|-(?=-)|[&%#_{}$\\~^<>]")


def bibtex(papers: Sequence[Paper]) -> str:
    """A .bib file. Formulas between dollar signs stay formulas; every other special character is escaped."""
    keys = _citation_keys(papers)
    return "\n".join(_bibtex_entry(paper, key) for paper, key in zip(papers, keys, strict=True))


def _bibtex_entry(paper: Paper, key: str) -> str:
    kind = _BIBTEX_TYPES.get(paper.type or ("article" if paper.venue else ""), "misc")
    venue = {"inproceedings": "booktitle", "incollection": "booktitle", "phdthesis": "school", "techreport": "institution"}.get(kind, "journal")
    fields = {
        "title": _latex(paper.title or ""),
        "author": " and ".join(_bibtex_author(author) for author in paper.authors),
        venue: _latex(paper.venue or ""),
        "year": str(paper.year or ""),
        "abstract": _latex(paper.abstract),
        "keywords": "; ".join(map(_latex, paper.keywords)),
        "doi": paper.doi or "",
        "eprint": paper.arxiv or "",
        "archiveprefix": "arXiv" if paper.arxiv else "",
        "pmid": paper.pmid or "",
        "url": paper.url or "",
        "language": paper.language or "",
        "type": paper.type or "",
        "collection": _latex(paper.collection or ""),
        "note": _latex(_notes(paper)),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _bibtex_author(author: str) -> str:
    # braces keep a body of several words, or one with "and" in it, together
    return _latex(author) if ", " in author and " and " not in author else f"{{{_latex(author)}}}"


def _latex(plain: str) -> str:
    """Text as LaTeX that shows it, in one paragraph but for line ends of sections, which stay."""
    pieces, position = [], 0
    for formula in _MATH.finditer(plain):
        if not _is_balanced(formula.group()):
            continue
        pieces += [_SPECIAL.sub(lambda found: _LATEX[found.group()], plain[position : formula.start()]), formula.group()]
        position = formula.end()
    return "".join([*pieces, _SPECIAL.sub(lambda found: _LATEX[found.group()], plain[position:])])


def _is_balanced(formula: str) -> bool:
    depth = 0
    for brace in re.findall(r"[{}]", formula):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _citation_keys(papers: Sequence[Paper]) -> Iterator[str]:
    """family + year + first long word of the title; a letter tells equal ones apart."""
    used: dict[str, int] = {}
    for paper in papers:
        family = (paper.authors[0].partition(",")[0] if paper.authors else "anonymous").split()[-1:] or ["anonymous"]
        word = next((word for word in (paper.title or "").split() if len(word) > 3), "")
        key = re.sub(r"[^a-z0-9]", "", text.fold(f"{family[0]}{paper.year or ''}{word}").text) or paper.id
        used[key] = used.get(key, 0) + 1
        yield key if used[key] == 1 else f"{key}-{used[key]}"


# ----------------------------------------------------------------------------------------------------------------------- RIS

_RIS_TYPES = {
    "article": "JOUR",
    "review": "JOUR",
    "letter": "JOUR",
    "editorial": "JOUR",
    "preprint": "UNPB",
    "conference": "CPAPER",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "software": "COMP",
    "patent": "PAT",
}


def ris(papers: Sequence[Paper]) -> str:
    """An .ris file."""
    return "".join(_ris_record(paper) for paper in papers)


def _ris_record(paper: Paper) -> str:
    tags = [
        ("TY", _RIS_TYPES.get(paper.type or "", "GEN")),
        ("TI", paper.title),
        *(("AU", author) for author in paper.authors),
        ("PY", str(paper.year) if paper.year else None),
        ("T2", paper.venue),
        ("AB", paper.abstract),
        *(("KW", keyword) for keyword in paper.keywords),
        ("DO", paper.doi),
        ("DP", _OURS),
        ("AN", f"PMID:{paper.pmid}" if paper.pmid else None),
        ("AN", f"arXiv:{paper.arxiv}" if paper.arxiv else None),
        ("UR", paper.url),
        ("LA", paper.language),
        ("M3", paper.type),
        ("T3", paper.collection),
        ("N1", _notes(paper)),
        ("ER", ""),
    ]
    return "\n".join(f"{tag}  - {' '.join((value or '').split())}" for tag, value in tags if value or tag == "ER") + "\n\n"


# ----------------------------------------------------------------------------------------------------------------------- CSV

_COLUMNS: Mapping[str, Callable[[Paper], str]] = {
    "Title": lambda paper: paper.title or "",
    "Abstract": lambda paper: paper.abstract,
    "Authors": lambda paper: "; ".join(paper.authors),
    "Year": lambda paper: str(paper.year or ""),
    "Venue": lambda paper: paper.venue or "",
    "DOI": lambda paper: paper.doi or "",
    "PMID": lambda paper: paper.pmid or "",
    "arXiv": lambda paper: paper.arxiv or "",
    "URL": lambda paper: paper.url or "",
    "Keywords": lambda paper: "; ".join(paper.keywords),
    "Language": lambda paper: paper.language or "",
    "Type": lambda paper: paper.type or "",
    "Collection": lambda paper: paper.collection or "",
    "Notice": lambda paper: _notes(paper),
    "Library Catalog": lambda _: _OURS,
}


def table(papers: Sequence[Paper]) -> str:
    """A .csv file as spreadsheets read it: comma, quoted where needed, CR LF."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(_COLUMNS)
    rows.writerows([cell(paper) for cell in _COLUMNS.values()] for paper in papers)
    return out.getvalue()


# ---------------------------------------------------------------------------------------------------------------------- JSON


def json_lines(papers: Sequence[Paper]) -> str:
    """One object a line with everything that is known of a paper."""
    known = ({name: value for name, value in asdict(paper).items() if value} | {"written_by": _OURS} for paper in papers)
    return "".join(json.dumps(fields, ensure_ascii=False) + "\n" for fields in known)


_CSL_TYPES = {
    "article": "article-journal",
    "review": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "preprint": "article",
    "conference": "paper-conference",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
}


def csl_json(papers: Sequence[Paper]) -> str:
    """A list in CSL-JSON, as Zotero and citation processors read it."""
    return json.dumps([_csl_item(paper) for paper in papers], ensure_ascii=False, indent=1) + "\n"


def _csl_item(paper: Paper) -> dict[str, object]:
    item: dict[str, object] = {
        "id": paper.id,
        "type": _CSL_TYPES.get(paper.type or "", "document"),
        "title": paper.title,
        "author": [_csl_name(author) for author in paper.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.venue,
        "abstract": paper.abstract,
        "keyword": "; ".join(paper.keywords),
        "DOI": paper.doi,
        "PMID": paper.pmid,
        "URL": paper.url,
        "language": paper.language,
        "genre": paper.type,
        "collection-title": paper.collection,
        **_csl_archive(paper),
        "note": _notes(paper),
        "source": _OURS,
    }
    return {name: value for name, value in item.items() if value}


def _csl_archive(paper: Paper) -> dict[str, object]:
    """A preprint has its number at its publisher, as Zotero has it; an article, a copy in an archive."""
    if not paper.arxiv:
        return {}
    number = f"arXiv:{paper.arxiv}"
    return {"publisher": "arXiv", "number": number} if paper.type == "preprint" else {"archive": "arXiv", "archive_location": number}


def _csl_name(author: str) -> dict[str, str]:
    family, comma, given = author.partition(", ")
    return {"family": family, "given": given} if comma else {"literal": author}


_NOTES = {
    Notice.RETRACTED: "Retraction in: see the journal",
    Notice.CORRECTED: "Erratum in: see the journal",
    Notice.CONCERN: "Expression of concern in: see the journal",
    Notice.IS_RETRACTION: "Retraction of: see the journal",
    Notice.IS_CORRECTION: "Erratum for: see the journal",
    Notice.IS_CONCERN: "Expression of concern for: see the journal",
}


def _notes(paper: Paper) -> str:
    """What is known against a paper, so that whoever reads the file sees it too."""
    return "; ".join(_NOTES[notice] for notice in paper.notices)


WRITERS |= {"bib": bibtex, "ris": ris, "csv": table, "jsonl": json_lines, "json": csl_json}
