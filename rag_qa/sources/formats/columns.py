"""Names of columns and keys -> FIELDS: what tables and JSON have in common.

A name is compared by its letters and digits alone, without accents and case: "Author(s)", "author_s" and "AuthorS" are one name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from rapidfuzz.distance import OSA


class Certainty(IntEnum):
    """How sure it is that a name means a field. Less is surer."""

    KNOWN = 0
    """A name that a database or a reference manager uses."""
    SIMILAR = 1
    """A known name among words that say nothing ("paper_title"), or "title" or "abstract" with one letter wrong ("Abstact")."""
    LAST_RESORT = 2
    """A name that means the field only where nothing else does ("source", "text")."""


@dataclass(frozen=True, slots=True, order=True)
class Meaning:
    """What a name means. Of several columns of one field, the one with the smaller (`certainty`, `rank`) is preferred."""

    certainty: Certainty
    rank: int
    field: str


# In order of preference: the fuller names first ("Author full names" before "Authors"), the plain ones before the particular.
_KNOWN = {
    "title": "title; article title; document title; item title; paper title; work title; primary title; main title; title display; title s; "
    "titles; ti; t1; dc title; citation title; headline; display name; reference title; study title; name of article; titel; titre; titulo; "
    "titulo del articulo; titulo do artigo; titolo; tytul; название; заглавие; 标题; 题名; 篇名; 论文题目; 论文标题; 文献题名; 題名; 標題; "
    "論文名; タイトル; 表題; 제목; 논문명",
    "abstract": "abstract; abstract text; abstract note; abstracts; abstract s; article abstract; paper abstract; ab; n2; abstract english; "
    "english abstract; original abstract; abstract original; translated abstract; zusammenfassung; kurzfassung; resume; resumen; resumo; "
    "riassunto; sommario; streszczenie; аннотация; реферат; 摘要; 文摘; 中文摘要; 英文摘要; 抄録; 要旨; 要約; 초록",
    "author": "author full names; authors full names; full author names; full author name; af; fau; authors; author; author names; author name; "
    "author list; author string; authors list; au; a1; creators; creator; dc creator; authors names; authorships author display name; "
    "authorships raw author name; author display; auth full name s; contributors; all authors; first authors; inventors; autor; autoren; autorin; "
    "verfasser; auteur; auteurs; autores; autor es; autore; autori; авторы; автор; 作者; 著者; 著者名; 저자; 저자명; book authors",
    "year": "year; publication year; pub year; published year; year published; year of publication; py; publish year; yr; y1; issued; published; "
    "date published; publication date; pub date; date of publication; date; cover date; published date; publication date s; dc date; "
    "prism cover date; issue date; online date; publish time; publish date; early access date; dp; jahr; erscheinungsjahr; "
    "annee; annee de publication; ano; ano de publicacion; ano de publicacao; anno; rok; год; год издания; 年; 年份; 发表年份; 出版年; 发表时间; "
    "出版日期; 发行年; 発行年; 出版年月; 연도; 발행연도; original paper date",
    "venue": "journal; source title; journal title; publication title; publication name; journal book; journal name; full journal title; "
    "full journal name; container title; periodical; secondary title; so; jo; jf; t2; pub title; primary location source display name; "
    "host venue display name; venue; book title; booktitle; anthology title; proceedings title; conference; conference title; conference name; "
    "event; meeting name; prism publication name; journal abbreviation; abbreviated source title; journal iso abbreviation; ji; j9; series title; "
    "zeitschrift; quelle; revue; revista; periodico; rivista; журнал; 期刊; 刊名; 来源; 文献来源; 期刊名称; 雑誌名; 掲載誌; 학술지; 학술지명",
    "doi": "doi; di; item doi; article doi; digital object identifier; doi number; dois; doi link; doi url; original paper doi; prism doi; do",
    "pmid": "pmid; pubmed id; pubmed identifier; pm; pmids; ids pmid; medline pmid; original paper pubmed id",
    "arxiv": "arxiv; arxiv id; arxiv identifier; arxiv number; eprint",
    "url": "url; urls; link; links; web address; article url; document url; external url; source urls; source url; permalink; plink; ur; "
    "abstract url; html url; dimensions url; full text url; fulltext url; link to record; pdf link; pdf url; lien; enlace; 链接; 网址; "
    "open url link",
    "keyword": "keywords; keyword; author keywords; index keywords; keywords author; keywords plus; manual tags; automatic tags; tags; tag; de; "
    "kw; mesh terms; mesh; mesh headings; mesh heading; ieee terms; inspec controlled terms; subjects; subject; subject terms; fields of study; "
    "identifiers keywords; emtree medical index terms; emtree drug index terms; schlagworter; schlagworte; schlusselworter; stichworter; "
    "mots cles; palabras clave; palavras chave; parole chiave; ключевые слова; 关键词; 关键字; 主题词; キーワード; 키워드",
    "language": "language; languages; language of original document; article language; publication language; original language; la; lang; "
    "dc language; langue; sprache; idioma; lingua; язык; 语言; 语种; 言語; 언어",
    "type": "document type; item type; publication type; publication types; pub type; type; type of reference; reference type; content type; "
    "doc type; doc types; dt; ty; article type; type of work; entry type; genre; dokumenttyp; 文献类型; 文章类型; 資料種別",
    "notice": "notice; retraction nature; is retracted; retracted; retraction status; update type",
    "translated_title": "original title; translated title; title translated; title translation; english title; title english; alternate title; "
    "英文题名; 英文标题",
    "collection": "collection; collections; folder",
}
_LAST_RESORT = {
    "title": "name",
    "abstract": "description; summary; text; excerpt; dc description; body; beschreibung",
    "author": "first author; names",
    "year": "copyright year; y2",
    "venue": "source; publication; series; series text; book series title",
    "keyword": "categories; category; topics; concepts",
    "type": "kind; document identifier",
}

_EXTRA = {
    "volume": "volume; vol; vl; journal volume; band; 卷",
    "issue": "issue; number; issue number; journal issue; is; heft; 期",
    "pages": "pages; page; pagination; page range; page numbers; paging; seiten; 页码; medline pgn",
    "issn": "issn; issns; sn; journal issn; issn l",
    "eissn": "eissn; ei; e issn",
    "isbn": "isbn; isbns; bn",
    "publisher": "publisher; pu; verlag; 出版社; 出版者",
    "address": "place; place published; publisher place; place of publication; publisher location; publisher city; pi",
}
"""Names under which well-known fields stand in Paper.extra, in all formats."""

FIRST_PAGE = "start page; page start; first page; startpage; bp; sp; spage"
LAST_PAGE = "end page; page end; last page; endpage; ep; epage"

KEYS = (
    "key; citation key; citekey; eid; ut; ut unique wos id; lens id; openalex id; publication id; accession number; an; record id; refid; ref id; "
    "covidence; uid; rec number; paper id; id; record number; cochrane id; custom id"
)
"""Names of columns that hold what the file itself calls a record, in order of preference."""

_WOS_CODES = (
    "TI title; AB abstract; AF author full names; AU authors; PY year; EA early access date; PD month; SO journal; DI doi; D2 book doi; PM pmid; "
    "DE author keywords; ID keywords plus; LA language; DT document type; PT publication type; VL volume; IS issue; BP start page; EP end page; "
    "AR article number; SN issn; EI eissn; BN isbn; PU publisher; PI publisher city; PA publisher address; UT ut; CT conference title; "
    "CY conference date; CL conference location; SE series title; BE book editors; BA book authors; CA group authors; C1 addresses; "
    "RP reprint address; EM email addresses; FU funding; FX funding text; CR cited references; NR cited reference count; TC times cited; "
    "Z9 total times cited; WC wos categories; SC research areas; PG number of pages; J9 journal abbreviation; JI journal iso abbreviation; "
    "GA ids number; OA open access"
)
_ENOUGH_CODES = 4

# Words around a known name that do not change what it means. "short", "journal", "book" and the like do.
_NEUTRAL = frozenset(
    "a an and of the for in to article articles paper papers document documents record records reference references item work study manuscript "
    "publication publications full complete text main primary content raw clean cleaned value s en eng english column field csv ref dc citation "
    "plain all list string".split()
)
_CORE = "title abstract author year venue doi pmid arxiv keyword url language".split()
_MISSPELT = ("title", "abstract")
_LAST_LATIN = "\u2fff"
_NUMBERED = re.compile(r"(author|autor|keyword)s?\d{1,3}")


def letters(name: str) -> str:
    """A name's letters and digits, without accents and case.

    >>> letters("Author(s)"), letters("pub_year"), letters("Résumé")
    ('authors', 'pubyear', 'resume')
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in plain if character.isalnum())


def _names(listed: str) -> list[str]:
    return [letters(name) for name in listed.split(";")]


_MEANINGS = {
    name: Meaning(certainty, rank, field)
    for certainty, table in ((Certainty.LAST_RESORT, _LAST_RESORT), (Certainty.KNOWN, _KNOWN))
    for field, listed in table.items()
    for rank, name in enumerate(_names(listed))
}
_EXTRA_NAMES = {name: common for common, listed in _EXTRA.items() for name in _names(listed)}
_BY_FIELD = {field: frozenset(_names(_KNOWN[field])) for field in _CORE}
_CODES = dict(code.split(" ", 1) for code in "".join(_WOS_CODES).split("; "))


@lru_cache(maxsize=4096)
def meaning(name: str) -> Meaning | None:
    """What a column or a key of this name means; None: none of FIELDS.

    >>> [found.field for name in ("Article Title", "paper_title", "Abstact") if (found := meaning(name))], meaning("Short Title")
    (['title', 'title', 'abstract'], None)
    """
    plain = letters(name)
    if known := _MEANINGS.get(plain):
        return known
    if numbered := _NUMBERED.fullmatch(plain):
        return _MEANINGS[numbered[1]]
    # CNKI names its columns twice: "Summary-摘要"
    return _similar(name) or _MEANINGS.get("".join(character for character in plain if character > _LAST_LATIN))


def _similar(name: str) -> Meaning | None:
    """By the words that are left without the neutral ones: a known name, or each of them a name of the same field, or one misspelt."""
    all_words = words(name)
    telling = [word for word in all_words if word not in _NEUTRAL]
    if not telling or len(all_words) > 6:
        return None
    fields = {_core_field(word) for word in telling}
    field = _core_field("".join(telling)) or (fields.pop() if len(fields) == 1 else None)
    if not field and len(telling) == 1:
        field = next((right for right in _MISSPELT if OSA.distance(telling[0], right, score_cutoff=1) <= 1), None)
    return Meaning(Certainty.SIMILAR, len(all_words), field) if field else None


def _core_field(word: str) -> str | None:
    return next((field for field in _CORE if word in _BY_FIELD[field]), None)


def words(name: str) -> list[str]:
    """The words of a name, each as `letters`.

    >>> words("paperTitle"), words("Title-题名"), words("DOI of article")
    (['paper', 'title'], ['title', '题名'], ['doi', 'of', 'article'])
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in (letters(part) for part in re.split(r"[\W_]+", parted)) if word]


@lru_cache(maxsize=4096)
def extra_name(name: str) -> str:
    """What a column that is none of FIELDS is called in Paper.extra.

    >>> extra_name("Journal Volume"), extra_name(" Cited by ")
    ('volume', 'cited by')
    """
    return _EXTRA_NAMES.get(letters(name)) or " ".join(name.split()).casefold()


@lru_cache(maxsize=4096)
def is_common_extra(name: str) -> bool:
    """Is it a name of a well-known field that is none of FIELDS (volume, ISSN...)?"""
    return letters(name) in _EXTRA_NAMES


def in_order(names: Sequence[str], listed: str) -> list[int]:
    """Which of the names are in a list divided by ";", in the order of that list.

    >>> in_order(["Title", "EID", "Key"], "key; eid")
    [2, 1]
    """
    ranks = {name: rank for rank, name in enumerate(_names(listed))}
    found = [(ranks[plain], index) for index, name in enumerate(names) if (plain := letters(name)) in ranks]
    return [index for _, index in sorted(found)]


def spelt_out(names: Sequence[str]) -> list[str]:
    """The names of a table in words, where they are the two letters that Web of Science and bibliometrix write; all others as they are.

    >>> spelt_out(["PT", "AU", "TI", "SO", "PY"])
    ['publication type', 'authors', 'title', 'journal', 'year']
    >>> spelt_out(["Title", "ID"])
    ['Title', 'ID']
    """
    if sum(name in _CODES for name in names) < _ENOUGH_CODES or not {"TI", "AB"} & set(names):
        return list(names)
    # ID are the Keywords Plus beside the author's keywords DE, and else what the table calls the record
    return [_CODES.get(name, name) if name != "ID" or "DE" in names else name for name in names]
