"""Papers -> files as databases and reference managers write them, to measure and to test the readers with.

Those that the product writes itself come from `rag_qa.exports`; the others are written here, with the tags, the markup and the line breaks of the
program that they are from. What a format has no place for is left out.
"""

from __future__ import annotations

import gzip
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from rag_qa import exports
from rag_qa.papers import Notice, Paper

Writer = Callable[[Sequence[Paper]], str]


@dataclass(frozen=True, slots=True)
class Written:
    """A kind of file: how its names end, and how papers are written into it."""

    suffix: str
    write: Writer
    encode: Callable[[bytes], bytes] = bytes

    def content(self, papers: Sequence[Paper]) -> bytes:
        """The bytes of a file of these papers."""
        return self.encode(self.write(papers).encode())


# ------------------------------------------------------------------------------------------------------------------ markup

_RAISED = {"⁻": "-", "⁺": "+", **{raised: str(unicodedata.digit(raised)) for raised in "⁰¹²³⁴⁵⁶⁷⁸⁹"}}
_LOWERED = {lowered: str(unicodedata.digit(lowered)) for lowered in "₀₁₂₃₄₅₆₇₈₉"}
_RUNS = re.compile(f"[{''.join(_RAISED)}]+|[{''.join(_LOWERED)}]+")
_LATIN_NAME = re.compile(r"\b[A-Z]\. [a-z]{4,}\b|\bin v(?:ivo|itro)\b")


def marked(text: str) -> str:
    """Text as HTML and XML have it: species in italics, digits above and below the line as elements, entities.

    >>> marked("E. coli & CO₂ at 10⁻³ < p")
    '<i>E. coli</i> &amp; CO<sub>2</sub> at 10<sup>-3</sup> &lt; p'
    """
    escaped = html.escape(text, quote=False)
    return _RUNS.sub(_element, _LATIN_NAME.sub(lambda found: f"<i>{found.group()}</i>", escaped))


def _element(found: re.Match[str]) -> str:
    run = found.group()
    if run[0] in _RAISED:
        return f"<sup>{''.join(_RAISED[character] for character in run)}</sup>"
    return f"<sub>{''.join(_LOWERED[character] for character in run)}</sub>"


_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0307": ".", "\u0308": '"'}
_LETTER_ACCENTS = {"\u0306": "u", "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k"}
_MACROS = {
    "ß": "{\\ss}", "ø": "{\\o}", "Ø": "{\\O}", "ł": "{\\l}", "Ł": "{\\L}", "æ": "{\\ae}", "ı": "{\\i}", "’": "'", "“": "``", "”": "''",
    "–": "--", "±": "$\\pm$", "α": "$\\alpha$", "β": "$\\beta$", "µ": "$\\mu$", "°": "{\\textdegree}",
}  # fmt: skip


def latex(text: str) -> str:
    r"""LaTeX without any character but those of ASCII, as older managers write it.

    >>> latex("Müller, Łukasz – β")
    'M{\\"u}ller, {\\L}ukasz -- $\\beta$'
    """
    if text.isascii():
        return text
    return "".join(character if character.isascii() else _macro(character) for character in _RUNS.sub(_formula, text))


def _formula(found: re.Match[str]) -> str:
    sign, names = ("^", _RAISED) if found.group()[0] in _RAISED else ("_", _LOWERED)
    return f"${sign}{{{''.join(names[character] for character in found.group())}}}$"


def _macro(character: str) -> str:
    if character in _MACROS:
        return _MACROS[character]
    decomposed = unicodedata.normalize("NFD", character)
    letter, accent = decomposed[0], decomposed[1:]
    if accent in _ACCENTS:
        return f"{{\\{_ACCENTS[accent]}{letter}}}"
    return f"{{\\{_LETTER_ACCENTS[accent]}{{{letter}}}}}" if accent in _LETTER_ACCENTS else character


# ------------------------------------------------------------------------------------------------------------- tagged lines

_WIDTH = re.compile(r"(.{60,78}?|.{1,78})(?: |$)")


def _wrapped(text: str, indent: str) -> str:
    """On several lines, broken at blanks, as those formats do it that have a column of tags."""
    if len(text) <= 78:
        return text
    return f"\n{indent}".join(_WIDTH.findall(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _names(paper: Paper) -> Iterator[tuple[str, str]]:
    """(family, given) of each author; given "" for a body."""
    for author in paper.authors:
        family, _, given = author.partition(", ")
        yield family, given


def _initials(given: str) -> str:
    return "".join(part[0] for part in re.split(r"[ -]", given) if part)


def _about(paper: Paper, name: str) -> str:
    return paper.extra.get(name, "")


_PUBMED_TYPES = {"review": "Review", "editorial": "Editorial", "letter": "Letter", "preprint": "Preprint", "dataset": "Dataset"}
_PUBMED_NOTICES = {
    Notice.RETRACTED: ("RIN", "RetractionIn", "Retracted Publication"),
    Notice.CORRECTED: ("EIN", "ErratumIn", ""),
    Notice.CONCERN: ("ECI", "ExpressionOfConcernIn", ""),
    Notice.IS_RETRACTION: ("ROF", "RetractionOf", "Retraction of Publication"),
    Notice.IS_CORRECTION: ("EFR", "ErratumFor", "Published Erratum"),
    Notice.IS_CONCERN: ("ECF", "ExpressionOfConcernFor", "Expression of Concern"),
}
"""Tag of MEDLINE, name in XML, type of publication."""
_SOURCE = "Another J. 2020;1(1):1."
_LANGUAGES = {"en": "eng", "de": "ger", "fr": "fre", "es": "spa", "zh": "chi", "ja": "jpn"}


def _pubmed_types(paper: Paper) -> list[str]:
    return [*filter(None, (_PUBMED_NOTICES[notice][2] for notice in paper.notices)), _PUBMED_TYPES.get(paper.type or "", "Journal Article")]


def nbib(papers: Sequence[Paper]) -> str:
    """MEDLINE, as PubMed sends it to citation managers."""
    return "\n".join(_lines(_nbib_tags(paper), "{:<4}- {}\n", "      ") for paper in papers)


def _lines(tags: Sequence[tuple[str, str]], form: str, indent: str) -> str:
    return "".join(form.format(tag, _wrapped(_one_line(value), indent)) for tag, value in tags if value)


def _nbib_tags(paper: Paper) -> list[tuple[str, str]]:
    pages, year = _about(paper, "pages"), str(paper.year or "")
    return [
        ("PMID", paper.pmid or "0"),
        ("OWN", "NLM"),
        ("STAT", "MEDLINE"),
        ("DP", f"{year} Mar" if year else ""),
        ("TI", f"{paper.title}." if paper.title else ""),
        ("VI", _about(paper, "volume")),
        ("IP", _about(paper, "issue")),
        ("PG", pages),
        ("LID", f"{paper.doi} [doi]" if paper.doi else ""),
        ("AB", paper.abstract),
        *(("OAB", abstract) for abstract in paper.other_abstracts),
        *(tag for family, given in _names(paper) for tag in _nbib_author(family, given)),
        ("LA", _LANGUAGES.get(paper.language or "", "")),
        *(("PT", kind) for kind in _pubmed_types(paper)),
        ("JT", paper.venue or ""),
        *((_PUBMED_NOTICES[notice][0], _SOURCE) for notice in paper.notices),
        *(("OT", keyword) for keyword in paper.keywords),
        ("AID", f"{paper.doi} [doi]" if paper.doi else ""),
        ("SO", f"{paper.venue}. {year};{_about(paper, 'volume')}:{pages}."),
    ]


def _nbib_author(family: str, given: str) -> list[tuple[str, str]]:
    return [("FAU", f"{family}, {given}"), ("AU", f"{family} {_initials(given)}")] if given else [("CN", family)]


def web_of_science(papers: Sequence[Paper]) -> str:
    """The tagged file that Web of Science calls plain text."""
    records = (_lines(_wos_tags(paper), "{} {}\n", "   ") + "ER\n\n" for paper in papers)
    return f"\ufeffFN Clarivate Analytics Web of Science\nVR 1.0\n{''.join(records)}EF\n"


_WOS_TYPES = {"review": "Review", "editorial": "Editorial Material", "letter": "Letter", "conference": "Proceedings Paper"}
_WOS_LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "zh": "Chinese", "ja": "Japanese"}


def _wos_tags(paper: Paper) -> list[tuple[str, str]]:
    first, _, last = _about(paper, "pages").partition("-")
    people = [(family, given) for family, given in _names(paper) if given]
    kind = _WOS_TYPES.get(paper.type or "", "Article")
    types = [*("Retracted Publication" for notice in paper.notices if notice is Notice.RETRACTED), kind]
    return [
        ("PT", "J"),
        *_listed("AU", [f"{family}, {_initials(given)}" for family, given in people]),
        *_listed("AF", [f"{family}, {given}" for family, given in people]),
        *_listed("CA", [family for family, given in _names(paper) if not given]),
        ("TI", paper.title or ""),
        ("SO", (paper.venue or "").upper()),
        ("LA", _WOS_LANGUAGES.get(paper.language or "", "")),
        ("DT", "; ".join(types)),
        ("DE", "; ".join(paper.keywords)),
        ("AB", paper.abstract),
        ("PM", paper.pmid or ""),
        ("PY", str(paper.year or "")),
        ("VL", _about(paper, "volume")),
        ("IS", _about(paper, "issue")),
        ("BP", first),
        ("EP", last),
        ("DI", paper.doi or ""),
        ("UT", f"WOS:{paper.id}"),
    ]


def _listed(tag: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """One a line; the tag stands before the first."""
    yield from zip((tag, *["  "] * len(values)), values, strict=False)


# ---------------------------------------------------------------------------------------------------------------------- XML


def pubmed_xml(papers: Sequence[Paper]) -> str:
    """As PubMed's service sends it."""
    head = '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://example.org/pubmed.dtd">\n'
    return f"{head}<PubmedArticleSet>\n{''.join(map(_pubmed_article, papers))}</PubmedArticleSet>\n"


def _pubmed_article(paper: Paper) -> str:
    year = f"<PubDate><Year>{paper.year}</Year><Month>Mar</Month></PubDate>" if paper.year else "<PubDate/>"
    issue = f"<Volume>{_about(paper, 'volume')}</Volume><Issue>{_about(paper, 'issue')}</Issue>{year}"
    journal = f"<Journal><JournalIssue>{issue}</JournalIssue>{_tag('Title', html.escape(paper.venue or ''))}</Journal>"
    types = "".join(_tag("PublicationType", kind) for kind in _pubmed_types(paper))
    people = "".join(_pubmed_author(family, given) for family, given in _names(paper))
    article = [
        journal,
        f"<ArticleTitle>{marked(paper.title or '')}.</ArticleTitle>" if paper.title else "<ArticleTitle/>",
        f"<Pagination><MedlinePgn>{_about(paper, 'pages')}</MedlinePgn></Pagination>",
        _tag("Abstract", "\n".join(map(_pubmed_section, paper.abstract.split("\n"))) if paper.abstract else ""),
        _tag("AuthorList", people),
        _tag("Language", _LANGUAGES.get(paper.language or "", "")),
        _tag("PublicationTypeList", types),
    ]
    citation = [
        _tag("PMID", paper.pmid or ""),
        _tag("Article", "\n".join(filter(None, article))),
        _tag("CommentsCorrectionsList", "".join(map(_pubmed_notice, paper.notices))),
        *(f'<OtherAbstract Type="Publisher"><AbstractText>{marked(text)}</AbstractText></OtherAbstract>' for text in paper.other_abstracts),
        _tag("KeywordList", "".join(_tag("Keyword", html.escape(keyword)) for keyword in paper.keywords)),
    ]
    ids = (("pubmed", paper.pmid), ("doi", paper.doi))
    listed = "".join(f'<ArticleId IdType="{kind}">{html.escape(value)}</ArticleId>' for kind, value in ids if value)
    inner = "\n".join(filter(None, citation))
    data = _tag("PubmedData", _tag("ArticleIdList", listed))
    return f'<PubmedArticle>\n<MedlineCitation Status="MEDLINE">\n{inner}\n</MedlineCitation>\n{data}\n</PubmedArticle>\n'


def _tag(name: str, content: str) -> str:
    """An element; "" without content."""
    return f"<{name}>{content}</{name}>" if content else ""


_SECTION = re.compile(r"([A-Z][A-Z ]+): (.+)")


def _pubmed_section(line: str) -> str:
    found = _SECTION.fullmatch(line)
    return f"<AbstractText Label={quoteattr(found[1])}>{marked(found[2])}</AbstractText>" if found else _tag("AbstractText", marked(line))


def _pubmed_author(family: str, given: str) -> str:
    if not given:
        return f"<Author>{_tag('CollectiveName', html.escape(family))}</Author>"
    return f"<Author><LastName>{family}</LastName><ForeName>{given}</ForeName><Initials>{_initials(given)}</Initials></Author>"


def _pubmed_notice(notice: Notice) -> str:
    return f'<CommentsCorrections RefType="{_PUBMED_NOTICES[notice][1]}"><RefSource>{_SOURCE}</RefSource></CommentsCorrections>'


_ENDNOTE_TYPES = {"book": "Book", "chapter": "Book Section", "thesis": "Thesis", "report": "Report", "conference": "Conference Proceedings"}


def endnote_xml(papers: Sequence[Paper]) -> str:
    """As EndNote exports a library: each text in a run of a style, the ends of lines as a character."""
    return f'<?xml version="1.0" encoding="UTF-8" ?><xml><records>{"".join(map(_endnote_record, papers))}</records></xml>\n'


def _endnote_record(paper: Paper) -> str:
    kind = _ENDNOTE_TYPES.get(paper.type or "", "Journal Article")
    parts = [
        f'<database name="My Library.enl">My Library.enl</database><source-app name="EndNote" version="20.4">EndNote</source-app>'
        f'<rec-number>{paper.id}</rec-number><ref-type name="{kind}">17</ref-type>',
        _tag("contributors", _tag("authors", "".join(_tag("author", _styled(name)) for name in map(_endnote_name, paper.authors)))),
        _tag("titles", _tag("title", _styled(paper.title or "")) + _tag("secondary-title", _styled(paper.venue or ""))),
        *(_tag(name, _styled(_about(paper, field))) for name, field in (("pages", "pages"), ("volume", "volume"), ("number", "issue"))),
        _tag("keywords", "".join(_tag("keyword", _styled(keyword)) for keyword in paper.keywords)),
        _tag("dates", _tag("year", _styled(str(paper.year or "")))),
        _tag("abstract", _styled(paper.abstract).replace("\n", "&#xD;")),
        _tag("notes", _styled("; ".join(f"{_in_words(notice)}: {_SOURCE}" for notice in paper.notices))),
        _tag("electronic-resource-num", _styled(paper.doi or "")),
        _tag("language", _styled(_WOS_LANGUAGES.get(paper.language or "", ""))),
        _tag("urls", _tag("related-urls", _tag("url", _styled(paper.url or "")))),
    ]
    return _tag("record", "".join(parts))


def _in_words(notice: Notice) -> str:
    """ "Retraction in"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _PUBMED_NOTICES[notice][1]).capitalize()


def _endnote_name(author: str) -> str:
    return author if ", " in author else f"{author},"


def _styled(text: str) -> str:
    """Runs of one font; those above and below the line have a face of their own."""
    if not text:
        return ""
    runs, at = [], 0
    for found in _RUNS.finditer(text):
        face, names = ("superscript", _RAISED) if found.group()[0] in _RAISED else ("subscript", _LOWERED)
        runs += [("normal", text[at : found.start()]), (face, "".join(names[character] for character in found.group()))]
        at = found.end()
    styled = ((face, html.escape(run, quote=False)) for face, run in (*runs, ("normal", text[at:])) if run)
    return "".join(f'<style face="{face}" font="default" size="100%">{run}</style>' for face, run in styled)


def atom(papers: Sequence[Paper]) -> str:
    """What arXiv's search answers; papers without an arXiv id get one."""
    entries = "".join(_entry(paper, at) for at, paper in enumerate(papers))
    spaces = 'xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<feed {spaces}>\n  <title type="html">ArXiv Query: search_query=all</title>\n{entries}</feed>\n'


def _entry(paper: Paper, at: int) -> str:
    arxiv = paper.arxiv or f"{1501 + at // 99_999:04}.{at % 99_999 + 1:05}"
    lines = [
        _tag("id", f"http://arxiv.org/abs/{arxiv}v1"),
        _tag("published", f"{paper.year}-03-09T17:59:59Z" if paper.year else ""),
        _tag("title", html.escape(paper.title or "")),
        _tag("summary", f"  {html.escape(paper.abstract)}\n" if paper.abstract else ""),
        *(_tag("author", f"\n      <name>{html.escape(' '.join(filter(None, (given, family))))}</name>\n    ") for family, given in _names(paper)),
        f'<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">{html.escape(paper.doi)}</arxiv:doi>' if paper.doi else "",
        '<category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>',
    ]
    return "  <entry>\n" + "".join(f"    {line}\n" for line in lines if line) + "  </entry>\n"


# --------------------------------------------------------------------------------------------------------------------- text


def plain(papers: Sequence[Paper]) -> str:
    """Abstracts alone, a paragraph each."""
    return "\n\n".join(_one_line(paper.abstract) for paper in papers if paper.abstract) + "\n"


def latex_bibtex(papers: Sequence[Paper]) -> str:
    """A .bib file without any character but those of ASCII."""
    return latex(exports.bibtex(papers))


def _zipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


FORMATS: Mapping[str, Written] = {
    "BibTeX": Written(".bib", exports.bibtex),
    "BibTeX in ASCII": Written(".bib", latex_bibtex),
    "RIS": Written(".ris", exports.ris),
    "RIS, gzip": Written(".ris.gz", exports.ris, _zipped),
    "CSV": Written(".csv", exports.table),
    "JSONL": Written(".jsonl", exports.json_lines),
    "CSL-JSON": Written(".json", exports.csl_json),
    "MEDLINE": Written(".nbib", nbib),
    "PubMed XML": Written(".xml", pubmed_xml),
    "EndNote XML": Written(".xml", endnote_xml),
    "Web of Science": Written(".ciw", web_of_science),
    "arXiv Atom": Written(".xml", atom),
    "plain text": Written(".txt", plain),
}
"""By the name that is shown."""
