"""What stands in the place of an abstract, or around it, and is not the authors' words: "[No abstract available]", "© 2020 Elsevier", "Abstract"."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from rag_qa.text import any_of

# ------------------------------------------------------------------------------------------------------------- no abstract

_LONGEST_EXCUSE = 160
_EXCUSES = frozenset(
    phrase.strip()
    for phrase in """
    abstract | no abstract | abstracts | without abstract | no abstract available | abstract not available | abstract unavailable
    not available | no abstract is available | an abstract is not available | no abstract provided | no abstract supplied
    no abstract prepared | no abstract found | no abstract was provided | no abstract given | no abstract entered | no abstract submitted
    no abstract data | abstract missing | missing abstract | abstract is missing | abstract is not available | there is no abstract
    there is no abstract available | there is no abstract for this article | no summary | no summary available | summary not available
    no description | no description available | description not available | abstract not provided | abstract not found | abstract not supplied
    abstract withheld | abstract removed | abstract pending | abstract to follow | abstract truncated | abstract from author
    abstract from publisher | author abstract | authors abstract | publication abstract | original abstract | n a | na | none | null | nan
    nil | unknown | undefined | not applicable | tba | tbd | to be added | to be announced | empty | missing | unavailable | no | see pdf
    see full text | see text | see article | see the pdf | see the article | full text | pdf | abstract only | abstract unlabelled
    unlabelled | kein abstract | kein abstract verfugbar | kein abstract vorhanden | abstract nicht verfugbar | ohne abstract
    keine zusammenfassung | keine zusammenfassung verfugbar | keine zusammenfassung vorhanden | zusammenfassung nicht verfugbar
    nicht verfugbar | keine angabe | zusammenfassung | pas de resume | pas de resume disponible | aucun resume | aucun resume disponible
    aucun resume n est disponible | resume non disponible | resume indisponible | sans resume | non disponible | indisponible | resume
    il n y a pas de resume | sin resumen | no hay resumen | no hay resumen disponible | resumen no disponible | no disponible
    no presenta resumen | sin resumen disponible | resumen | sem resumo | nao ha resumo | resumo nao disponivel | resumo indisponivel
    nao disponivel | nao possui resumo | nao apresenta resumo | resumo | sem resumo disponivel | nao consta | no consta | nessun abstract
    nessun abstract disponibile | abstract non disponibile | riassunto non disponibile | non disponibile | senza abstract | riassunto
    geen samenvatting | geen samenvatting beschikbaar | geen abstract | geen abstract beschikbaar | niet beschikbaar | samenvatting
    samenvatting niet beschikbaar | ingen abstract | inget abstract | ingen sammanfattning | inget sammandrag | intet abstract | intet resume
    ingen sammendrag | intet sammendrag | ei tiivistelmaa | ei abstraktia | brak streszczenia | brak abstraktu | streszczenie niedostepne
    bez abstraktu | abstrakt neni k dispozici | bez abstraktov | nincs absztrakt | fara rezumat | nema sazetka | ozet yok | oz yok
    нет аннотации | аннотация отсутствует | без аннотации | нет реферата | реферат отсутствует | нет резюме | без резюме
    аннотация недоступна | аннотация | немає анотації | анотація відсутня | 无摘要 | 無摘要 | 暂无摘要 | 暫無摘要 | 无 | 無 | 摘要 | 没有摘要
    沒有摘要 | 无中文摘要 | 无英文摘要 | 抄録なし | 要旨なし | 要約なし | 抄録はありません | 要旨はありません | なし | 抄録 | 要旨 | 초록없음
    초록 없음 | 요약 없음 | 없음 | 초록
    """.replace("\n", "|").split("|")
    if phrase.strip()
)
_THING = "(?:article|paper|record|item|publication|document|letter|editorial)"
_EXCUSE = re.compile(
    any_of(
        rf"(?:sorry )?(?:there is |this {_THING} (?:has|contains|does not have|doesn t have) )?(?:no|an|any|the) (?:abstract|summary) "
        r"(?:is |was |has been )?(?:not )?(?:currently |yet )?(?:available|provided|supplied|published|included|given|required|submitted|present)"
        r"(?: (?:for|in|by|from|with|on|at|to|of|because|since|as)(?: \w+){1,14})?",
        rf"(?:this|the) {_THING} (?:has no|does not have an|doesn t have an|contains no) (?:abstract|summary)",
        r"abstract (?:is )?(?:not )?(?:only )?available (?:only )?(?:in|on|at|from) (?:the )?(?:\w+ ?){1,6}",
        r"abstract truncated(?: at \d+ words)?",
        r"to (?:read|see|view) the abstract(?: \w+){1,8}",
    )
)
_NOT_WORD = re.compile(r"[\W_]+")


def is_excuse(text: str) -> bool:
    """Does this only say that there is no abstract?

    >>> [is_excuse(text) for text in ("[No abstract available]", "n/a", "Pas de résumé.", "No abstract domain is precise.")]
    [True, True, True, False]
    """
    if len(text) > _LONGEST_EXCUSE:
        return False
    words = _folded(text)
    return not words or words in _EXCUSES or _EXCUSE.fullmatch(words) is not None


def is_same(text: str, other: str) -> bool:
    """Have both the same words?

    >>> is_same("On Tides.", "ON TIDES")
    True
    """
    return abs(len(text) - len(other)) < 20 and _folded(text) == _folded(other)


def _folded(text: str) -> str:
    lower = text.casefold()
    if not lower.isascii():
        lower = "".join(char for char in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(char))
        lower = unicodedata.normalize("NFC", lower)  # Hangul is taken apart by NFKD
    return _NOT_WORD.sub(" ", lower).strip()


# ----------------------------------------------------------------------------------------------------------------- heading

_ABSTRACT = any_of(
    "abstract|abstrakt|abstracto|zusammenfassung|kurzfassung|résumé|resumen|resumo|riassunto|samenvatting|streszczenie|sammanfattning|sammendrag",
    "tiivistelmä|özet|аннотация|реферат|анотація|摘要|要旨|抄録|초록|요약",
)
_HEADING = re.compile(
    rf"[\W_]{{0,5}}(?:(?P<sure>{_ABSTRACT})|(?P<unsure>summary|synopsis|overview|résumé|резюме))(?!\w)"
    r"(?:(?P<mark>\s?[:：.。\-–—|\])】]+[\s:,.]*|\s*\n\s*)|(?P<blank>\s+))(?=(?P<next>\S+))",
    re.IGNORECASE,
)
# "Abstract interpretation", "Abstract Meaning Representation" are subjects, not headings.
_ABSTRACT_NOUN = frozenset(
    "algebra algebras algebraic argument argumentation art arts automata cauchy concept concepts conceptual data domain domains "
    "dialectical elementary family families framework frameworks games harmonic homotopy homotopical interpretation interpretations "
    "interpreters interpreting knowledge language languages linear logic logical logics machine machines mathematics meaning model "
    "models modeling modelling music noun nouns number numbers objects parabolic painting polytopes reasoning regular representation "
    "representations rewriting rules semantic semantics simplicial space spaces spatial state states structures symbolic syntax task "
    "tasks temporal text thinking thought trace traces tree trees type types verbs visual wiener wikipedia word words".split()
)
_OPENERS = frozenset(
    "the this these in we our a an it here there to for as although while with background objective objectives purpose aim aims introduction".split()
)
_LINK = re.compile(r"To link to full-?text access for this article,? visit this link: \S+\s(?:Byline: .{0,600}?\s)?(?=Abstract:)")


def without_heading(text: str) -> str:
    """The abstract without the word "Abstract" above it, in whatever language.

    >>> without_heading("ABSTRACT: We study tides."), without_heading("Abstract interpretation is sound.")
    ('We study tides.', 'Abstract interpretation is sound.')
    """
    if text.startswith("To link"):
        text = _LINK.sub("", text, count=1)
    found = _HEADING.match(text)
    return text[found.end() :] if found and _is_heading(found) else text


def _is_heading(found: re.Match[str]) -> bool:
    if found["mark"]:
        # "Abstract-level", "Summary-based"
        return found["mark"].strip("-–—") != "" or found["mark"][-1:].isspace() or found["next"][0].isupper()
    follower = found["next"].strip(".,:;()[]\"'“”").casefold()
    if found["unsure"]:
        return follower in _OPENERS
    return (not found["next"][0].islower()) and follower not in _ABSTRACT_NOUN


# --------------------------------------------------------------------------------------------------------------- truncation

_TRUNCATED = re.compile(r"\s*[\[(]?\s*\b(?:abstract )?truncated(?: (?:at|to) \d+ words?)?\s*[\])]?\.?\s*$", re.IGNORECASE)
_BROKEN_OFF = re.compile(r"(?:…|\.\.\.|\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\))[\"'”»]?$")


class Text(NamedTuple):
    """A text, and whether its source cut it off."""

    text: str
    is_truncated: bool


def untruncated(text: str) -> Text:
    """The text without the remark that it was truncated; three dots at its end stay.

    >>> untruncated("We study tides. (ABSTRACT TRUNCATED AT 250 WORDS)")
    Text(text='We study tides.', is_truncated=True)
    """
    end = text[-60:]
    if "runcated" in end or "RUNCATED" in end:
        kept = _TRUNCATED.sub("", end)
        if kept != end:
            return Text(text[: len(text) - len(end)] + kept, is_truncated=True)
    return Text(text, _BROKEN_OFF.search(end) is not None)


# ---------------------------------------------------------------------------------------------------------------- copyright

_TAIL = 1500
_BEFORE = 150
_HEAD = 600
_SIGN = r"(?:\(©\)|©|\(c\)|\[copyright\]|\ufffd(?=\s?\d{4}))"
_HINTS = (
    "©|(c)|copyright|rights reserved|published by|published 20|hosting by|abstract from|abstract]|abstract)|abstract shortened|database record|"
    "licens|licenc|permission|open access|open-access|government work|the author(s)|(from the |reprinted|reproduced|\ufffd"
).split("|")
_AFTER = r"(?:(?<=[.!?)\]]\s)|(?<=[.!?)\]]))"
# Where a notice may begin.
_START = re.compile(
    rf"""
    (?:(?<![a-z])|(?=[©(\[\ufffd]))(?:  # only signs stand within a word
    (?:\b(?:crown\s+)?copyright\s*[:.,]?\s*)?{_SIGN}\s*(?:copyright\b)?  # ©, Copyright (C)
    |\b(?:crown\s+)?copyright:?\s+(?:\d{{4}}|by\s(?:the\s)?(?-i:[A-Z])|the\s+authors?|published\sby|this\swork|of\s.{{3,200}}?\sis\sthe\sproperty)
    |{_AFTER}(?:\d{{4}},?\s+|\()?published\s+(?:online\s+|under\s+licen[cs]e\s+)?by\s+(?-i:[A-Z])
    |{_AFTER}production\s+and\s+hosting\s+by\s
    |{_AFTER}\d{{4}},?\s[^.]{{2,100}}\.?\s?(?:[A-Z]\.(?:[A-Z]\.)?,?\s?)?all\srights\sreserved
    |{_AFTER}the\s+authors?(?:\(s\))?,?\s\d{{4}}
    |{_AFTER}all\s+rights\s+reserved
    |\bthis\s(?:article|work|paper|journal\sarticle)\s(?:is|was)
        \s(?:protected\sby\scopyright|a\sU\.?\s?S\.?\sGovernment|an\sopen|(?:published|licen[cs]ed|distributed|made\savailable)\sunder)
    |\bthis\sis\san\sopen[-\s]access
    |[\[(]?\bpsycinfo\sdatabase\srecord
    |[\[(]?\babstract\sfrom\s(?:author|publisher|journal)|[\[(]publication\sabstract[\])]|[\[(]abstract\sshortened\sby|[\[(](?:author|original|journal)\sabstract[\])]
    |[\[(]from\sthe\s(?:journal|chapter|book|publisher|create)
    |{_AFTER}for\spermissions?,?\s(?:please|e-?mail|to\suse)
    |{_AFTER}no\sclaim\sto\soriginal
    |{_AFTER}(?:reprinted|reproduced)\s(?:with|by)\s(?:the\s)?permission
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# The words of sentences about rights.
_RIGHTS = any_of(
    "copyright|rights? reserved|published (?:online |under licen[cs]e )?(?:by|on behalf)|hosting by|on behalf of|licen[cs]e|permissions?\\b",
    "open[- ]access|creative commons|\\bCC[- ]BY|government work|public domain|re-?use\\b|commercial|warranty|database record|journal abstract",
    "abstract from|publication abstract|abstract shortened|original published version|is the property of|may not be copied|may be abridged",
    "peer[- ]review under|responsibility of|the authors?(?:\\(s\\))?,? \\d{4}|\\d{4},? the authors?|university press|publish(?:ing|ers?)\\b|springer",
    "elsevier|wiley|\\btaylor (?:&|and) francis|\\bsociety\\b|\\bassociation\\b|\\bfoundation\\b|\\bemployers?\\b",
    "original (?:author|work) (?:and|is)|provided (?:that )?the original|download, or email|https?://\\S+$|@\\S+\\.\\w+",
    "from the (?:journal|chapter|book|publisher)|no claim to",
    "originally published in|institution of|academy of|reprinted|reproduced",
)
_LEGAL = re.compile(rf"©|\(c\)|\[copyright\]|{_RIGHTS}", re.IGNORECASE)
_HOLDER = re.compile(rf"\b[12]\d{{3}}(?!\d)|\bet al\b|publications?\b|\bthe authors?\b|\bauthor\(s\)|{_RIGHTS}", re.IGNORECASE)
_CHUNK = re.compile(r"(?<=[.!?;)])\s+(?=[A-Z©(\[])|(?<=[a-z]\.)(?=[A-Z][a-z]+ )")
_YEAR_OR_AUTHOR = re.compile(
    r"\s*(?:copyright\s*)?(?:[12]\d{3}(?!\s?(?-i:(?!by\b|the\b|of\b|et\b)[a-z%]))|(?:by\s)?the\s(?:author|american)|published\sby)", re.IGNORECASE
)
_LEGAL_NAME = re.compile(
    r"\s*(?-i:[A-Z])[^.]{3,60}(?:society|association|elsevier|wiley|springer|press|inc\b|ltd\b|limited|publish|gmbh|b\.v)", re.IGNORECASE
)
_YEAR_OR_NAME = re.compile(r"\W*(?:(?:by|the|of)\s)?(?:[12]\d{3}|[A-Z]|by\b|the\b|author|article)")
# Publishers end with the place of the article too: "Int. J. Cancer 2016.", "Cancer Discov; 6(6); 630-49." and leave half of a sign behind.
_OWN_CITATION = re.compile(
    any_of(
        r"(?:(?<=[.!?)] )|^)(?:[A-Z][A-Za-z]{0,14}\.? ){1,6}(?:\d{4}|\d+:[^.\s]{1,20}(?:, \d{4})?)(?:;[\d():–-]+)?\.$",
        r"(?:(?<=[.!?)] )|^)(?:[A-Z][A-Za-z]+ ){0,5}[A-Z][a-z]+; ?\d+\([\d-]+\); ?[\d–-]+\.$",
        r"(?:(?<=[.!?)\w] )|(?<=[.!?)a-z\d]))(?:Copyright|COPYRIGHT)(?: [A-Z][\w&]*){0,8}:?$",
    )
)


class Notice(NamedTuple):
    """An abstract, and the notice that stood around it ("" if none did)."""

    text: str
    notice: str


def without_notice(text: str) -> Notice:
    """The abstract without the copyright line of its publisher or database, at its end or its beginning. A sentence about copyright stays.

    >>> without_notice("Tides turn. (C) 2009 Elsevier Inc. All rights reserved.")
    Notice(text='Tides turn.', notice='(C) 2009 Elsevier Inc. All rights reserved.')
    >>> without_notice("We study copyright in 2009.").notice
    ''
    """
    whole = _START.match(text) if len(text) <= _HEAD else None
    if whole and _is_notice(text, whole):
        return Notice("", text)
    text, head = _without_head(text)
    start = _tail_start(text)
    if start is None:
        return Notice(text, head)
    kept, tail = text[:start].rstrip(" \n([,;-–—"), text[start:]
    for _ in range(2):
        if citation := _OWN_CITATION.search(kept[-120:]):
            kept, tail = kept[: len(kept) - len(citation.group())].rstrip(), f"{citation.group()} {tail}"
    return Notice(kept, f"{head} {tail}".strip())


def _tail_start(text: str) -> int | None:
    """Where the notice at the end begins, if all that follows is one."""
    begin = max(0, len(text) - _TAIL)
    tail = text[begin:]
    lower = tail.lower()
    hints = [at for hint in _HINTS if (at := lower.find(hint)) >= 0]
    if not hints:
        return None
    # a notice begins with what we look for or shortly before; "İ" has two characters in lower case
    starts = _START.finditer(tail, max(0, min(hints) - (len(lower) - len(tail)) - _BEFORE))
    return next((begin + found.start() for found in starts if _is_notice(tail, found)), None)


def _is_notice(tail: str, start: re.Match[str]) -> bool:
    if not _holder_follows(tail, start):
        return False
    first, *others = _CHUNK.split(tail[start.start() :])
    return len(others) <= 25 and _may_open(first) and all(_is_legal(chunk) for chunk in others)


def _holder_follows(tail: str, start: re.Match[str]) -> bool:
    """After a sign has to stand a year or a name: "(c) patients with..." is the third point of a list."""
    opening = start.group().strip().lower()
    if opening == "(c)":
        return _YEAR_OR_AUTHOR.match(tail, start.end()) is not None or (
            start.group().strip() == "(C)" and _LEGAL_NAME.match(tail, start.end()) is not None
        )
    if not opening.endswith(("©", "(©)", "c)", "[copyright]")):
        return True
    first = _CHUNK.split(tail[start.end() :], maxsplit=1)[0]
    return _YEAR_OR_NAME.match(first) is not None and (_HOLDER.search(first) is not None or _is_of_names(first.split()))


def _may_open(chunk: str) -> bool:
    """May a notice begin with this sentence? It may be long where it names many authors or is full of the words of lawyers."""
    words = chunk.split()
    return len(words) <= 45 or (len(words) <= 160 and (_is_of_names(words) or len(_LEGAL.findall(chunk)) >= 3))


def _is_legal(chunk: str) -> bool:
    """A sentence about rights, or a part of one: "V.", "Ltd.", "Cancer Medicine"."""
    if len(chunk) <= 12 or _LEGAL.search(chunk):
        return True
    words = chunk.split()
    return len(words) <= 14 and _is_of_names(words)


def _is_of_names(words: list[str]) -> bool:
    return sum(not word[0].islower() for word in words) >= 0.6 * len(words)


def _without_head(text: str) -> Notice:
    if not text[:12].lstrip(" ([").lower().startswith(("©", "copyright", "c)")):
        return Notice(text, "")
    found = _START.match(text)
    if not found:
        return Notice(text, "")
    end, is_first = 0, True
    for chunk in _heads(text[:_HEAD]):
        is_part = len(chunk) <= 200 if is_first else len(chunk) <= 250 and (len(chunk.strip()) <= 4 or _LEGAL.search(chunk) is not None)
        if not is_part:
            break
        end, is_first = end + len(chunk), False
    rest = text[end:].lstrip()
    return Notice(rest, text[:end].strip()) if rest and end else Notice(text, "")


_HEAD_END = re.compile(
    r"(?<=\.)(?<!\b[A-Z]\.)(?:\s+|(?=[A-Z]))(?=[A-Z0-9“\"(])|(?<=[A-Z]\.)\s*(?=(?:The|This|We|In|A|An|Background|Purpose|Objectives?)\s)"
)


def _heads(text: str) -> list[str]:
    ends = [found.end() for found in _HEAD_END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
