"""What a record has in its fields for the abstract -> one abstract, in sections, in the reading language, and the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rag_qa.papers import Notice
from rag_qa.sources.fields import boilerplate, languages, notices, sections

_NOT_LETTER = re.compile(r"[\W_]+")
_ENOUGH = 30
"""Letters by which a text is known to be the beginning of another."""


@dataclass(frozen=True, slots=True)
class Abstracts:
    """What was found.

    text     the abstract, "" if there is none
    others   those in other languages, or that say something else
    rights   copyright lines that stood around them
    remarks  what stood there and is no abstract, but a notice
    """

    text: str = ""
    others: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    notices: frozenset[Notice] = frozenset()
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class _One:
    text: str
    rights: str = ""
    remark: str = ""
    notices: frozenset[Notice] = frozenset()
    is_truncated: bool = False


def of(values: Iterable[str], *, title: str | None, language: str) -> Abstracts:
    r"""The abstracts of a record from its texts, which are tidy and may hold line feeds. `language`: ISO 639-1, that of the reader.

    >>> of(["[No abstract available]"], title=None, language="en").text
    ''
    >>> of(["Abstract: Tides turn. © 2020 Elsevier Ltd."], title=None, language="en")
    Abstracts(text='Tides turn.', others=(), rights=('© 2020 Elsevier Ltd.',), remarks=(), notices=frozenset(), is_truncated=False)
    """
    found = [_one(part, title) for value in values for part in _in_languages(value)]
    if not found:
        return Abstracts()
    kept = _distinct([one for one in found if one.text])
    chosen = _chosen(kept, language)
    return Abstracts(
        text=kept[chosen].text if kept else "",
        others=tuple(one.text for i, one in enumerate(kept) if i != chosen),
        rights=tuple(dict.fromkeys(one.rights for one in found if one.rights)),
        remarks=tuple(dict.fromkeys(one.remark for one in found if one.remark)),
        notices=frozenset().union(*(one.notices for one in found)),
        is_truncated=bool(kept) and kept[chosen].is_truncated,
    )


def _one(value: str, title: str | None) -> _One:
    text = _without_heading(value.lstrip(" :;,"))  # of a label that is gone
    whole = boilerplate.untruncated(text)
    notice = boilerplate.without_notice(whole.text)
    text, is_broken = boilerplate.untruncated(notice.text)
    if boilerplate.is_excuse(text) or (title and boilerplate.is_same(text, title)):
        return _One("", rights=notice.notice)
    told = notices.of_abstract(sections.laid_out(text))
    return _One(told.text, notice.notice, "" if told.text else text, told.notices, is_truncated=whole.is_truncated or is_broken)


def _without_heading(value: str) -> str:
    """ "Summary" is a heading of the whole, unless it is the first section of several: "SUMMARY: ... AVAILABILITY: ..."."""
    text = boilerplate.without_heading(value)
    if text == value or not value[:8].casefold().startswith(_OF_A_PART) or sections.begins_with_label(text):
        return text
    first, _, others = sections.laid_out(value).partition("\n")
    return value if others and first.partition(":")[0].casefold() in _OF_A_PART else text


_OF_A_PART = ("summary", "synopsis", "overview")


# ------------------------------------------------------------------------------------------------------------ several of them


def _distinct(found: Sequence[_One]) -> list[_One]:
    """Each text once; of one that is the beginning of another, the longer."""
    if len(found) < 2:
        return list(found)
    letters = [_NOT_LETTER.sub("", one.text.casefold()) for one in found]
    kept: list[int] = []
    for i, mine in enumerate(letters):
        known = next((place for place, j in enumerate(kept) if _begins(letters[j], mine) or _begins(mine, letters[j])), None)
        if known is None:
            kept.append(i)
        elif len(mine) > len(letters[kept[known]]):
            kept[known] = i
    return [found[i] for i in kept]


def _begins(text: str, beginning: str) -> bool:
    return text == beginning or (len(beginning) >= _ENOUGH and text.startswith(beginning))


def _chosen(found: Sequence[_One], language: str) -> int:
    if len(found) < 2:
        return 0
    return next((i for i, one in enumerate(found) if languages.detect(one.text) == language), 0)


# ------------------------------------------------------------------------------------------------- several languages in a text

_MARK = re.compile(
    r"(?:(?<=[.!?)\]”\"»:]\s)|(?<=\n)|(?<=[。．]))(?:\[|\()?(?:abstract|summary|r[ée]sum[ée]|resumen|resumo|riassunto|zusammenfassung|samenvatting|"
    r"streszczenie|аннотация|резюме|реферат|анотація|özet|摘要|要旨|抄録|초록)(?!\w)(?:\s(?:in|en|auf)\s\w{3,12})?[\])]?(?:\s?[:.—–-]+\s?|\s)",
    re.IGNORECASE,
)
_HEADINGS = "abstract summary resum riassunto zusammenfassung samenvatting streszczenie".split()
_OTHER_HEADINGS = "résum аннотация резюме реферат анотація özet 摘要 要旨 抄録 초록".split()
_WORDS = 12
_SIGNS = 30


# One database writes the name of the language right before the text: "espanolEste articulo... EnglishThis article..."
_NAMED = re.compile(r"(?:^|(?<=[.!?)\]])\s?)(?:espa[nñ]ol|English|portugu[eê]s|fran[cç]ais|italiano|Deutsch|catal[aà]|galego)(?=[A-ZÀ-Þ][\w’']*\s)")


def _in_languages(value: str) -> Iterator[str]:
    """The parts of a text that holds the abstract in several languages, one after the other with a heading each; as a rule the text itself."""
    if _NAMED.match(value):
        yield from filter(None, map(str.strip, _NAMED.split(value)))
        return
    # most abstracts hold none of these words beyond their beginning
    starts = [found.start() for found in _MARK.finditer(value)] if _may_hold_more(value) else []
    if not starts:
        yield value
        return
    parts = [value[start:end].strip() for start, end in zip([0, *starts], [*starts, len(value)], strict=True)]
    is_long = all(len(part.split()) >= _WORDS or (not part.isascii() and len(part) >= _SIGNS) for part in parts)
    if is_long and len({languages.detect(part) for part in parts}) == len(parts):
        yield from (part.strip(" []") for part in parts)
    else:
        yield value


def _may_hold_more(value: str) -> bool:
    rest = value[60:].lower()
    return any(map(rest.__contains__, _HEADINGS)) or (not rest.isascii() and any(map(rest.__contains__, _OTHER_HEADINGS)))
