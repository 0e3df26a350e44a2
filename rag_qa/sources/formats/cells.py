"""The values in a cell of a table, or in a text of JSON: lists, people, what stands for nothing. Divided only where the separator is clear."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag_qa.sources.formats.columns import letters

_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", "nat", "[]", "{}"))


def is_missing(cell: str) -> bool:
    """Does a cell hold nothing, as R, pandas, SQL and Excel write it?

    >>> is_missing(" NA "), is_missing("Na+ channels")
    (True, False)
    """
    return len(cell) < 16 and cell.strip().casefold() in _MISSING


_DATABASES = frozenset(
    "scopus pubmed medline embase webofscience wos webofsciencecorecollection crossref datacite dimensions lens openalex googlescholar "
    "semanticscholar ieee ieeexplore proquest ebsco ebscohost cinahl psycinfo cochrane central europepmc med ppr pmc pat agr ctx eth hir nbk cba "
    "zotero dblp acm springer sciencedirect arxivorg doiorgcrossref indatabase unknown".split()
)


def is_database(venue: str) -> bool:
    """Is this, in a column called source, the database that the record is from, and not where the work was published?

    >>> is_database("Scopus"), is_database("DOI.org (Crossref)"), is_database("Nature")
    (True, True, False)
    """
    return letters(venue) in _DATABASES


# -------------------------------------------------------------------------------------------------------------------------------- lists

_LIST = re.compile(r"""\s*+(?:c\s*+\(|[\[(])\s*+((?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|None|null|\s|,)*+)[\])]\s*+""", re.DOTALL)
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_NAMED = re.compile(r"""['"](?:name|display_name|full_name)['"]\s*+:\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)")""", re.DOTALL)
_OBJECTS = re.compile(r"\s*\[\s*\{")
_ESCAPED = re.compile(r"\\(['\"\\])")


def listed(cell: str) -> list[str] | None:
    r"""The texts of a list as Python, JSON or R write it, or the names in a list of objects; None: the cell is no such list.

    >>> listed("['Marx, Karl', \"O'Neil, J.\"]")
    ['Marx, Karl', "O'Neil, J."]
    >>> listed("[{'authorId': '7', 'name': 'K. Marx'}]")
    ['K. Marx']
    >>> listed("[Not a list]") is None
    True
    """
    if cell.lstrip()[:1] not in ("[", "(", "c"):
        return None
    if whole := _LIST.fullmatch(cell):
        found = _QUOTED.findall(whole[1])
    elif _OBJECTS.match(cell):
        found = _NAMED.findall(cell)
    else:
        return None
    values = (first or second for first, second in found)
    return [_ESCAPED.sub(r"\1", value) for value in values if value.strip()] or None


# Between semicolons; the one that ends an entity such as &amp; or &#233; is none.
_BETWEEN_SEMICOLONS = re.compile(r"(?:[^;；&]++|&#?+\w{1,8};|&)++")
_SIGNS = ("|", "//", "、", "\n")


def _parted(cell: str) -> list[str]:
    if len(found := _BETWEEN_SEMICOLONS.findall(cell)) > 1 or cell.rstrip().endswith((";", "；")):
        return list(found)
    return next((cell.split(sign) for sign in _SIGNS if sign in cell and "://" not in cell), [cell])


def parts(cell: str) -> list[str]:
    """The values of a cell in which several of the same kind may stand (keywords, types).

    >>> parts("tides; Ear, Middle/pathology"), parts("['a', 'b']"), parts("one|two"), parts("a, b")
    (['tides', 'Ear, Middle/pathology'], ['a', 'b'], ['one', 'two'], ['a, b'])
    """
    found = listed(cell)
    return [part for part in (part.strip() for part in (_parted(cell) if found is None else found)) if part]


# ------------------------------------------------------------------------------------------------------------------------------- people

_SUFFIX = r"(?:,? (?:Jr|Sr|II|III|IV|2nd|3rd)\.?)?"
_UPPER = r"[^\W\d_a-zà-öø-ÿ]"
_INITIALS = rf"(?:{_UPPER}{{1,4}}|(?:{_UPPER}[a-z]?\.[ -]?){{1,5}}|{_UPPER}\.?-{_UPPER}\.?)"
_FAMILY_AND_INITIALS = re.compile(rf"[^\W\d_][\w'’.‐-]*+(?: [\w'’‐-]+){{0,3}} {_INITIALS}{_SUFFIX}\.?")
_ONLY_INITIALS = re.compile(rf"{_INITIALS}(?: ?{_INITIALS}){{0,4}}{_SUFFIX}")
_SUFFIX_ALONE = re.compile(r"(?:Jr|Sr|II|III|IV)\.?")
_SCOPUS_ID = re.compile(r" ?\(\d{6,}\)$")
_AND = re.compile(r",? (?:and|und|et|&) ")
_PARTICLES = frozenset("van von der den de del della di da dos das du la le el al bin ibn ben ter ten zu zur".split())
_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af·]{2,6}")
_LONG = 200_000
"""A cell of more characters is no list of people that this could divide by their looks."""


def people(cell: str, *, commas_divide: bool = False) -> list[str]:
    """One person a value; the parts of a name are left as they are.

    `commas_divide`: what "A B, C D" is: two people, or one whose names are both double. Three or more are people anyway.

    >>> people("Marx, Karl; Lindgren, Astrid"), people("Smith A, Walter B"), people("Marx, Karl")
    (['Marx, Karl', 'Lindgren, Astrid'], ['Smith A', 'Walter B'], ['Marx, Karl'])
    >>> people("Marx, K., Lindgren, A."), people("Marx, Karl and Lindgren, Astrid")
    (['Marx, K.', 'Lindgren, A.'], ['Marx, Karl', 'Lindgren, Astrid'])
    >>> people("Karl Marx, Astrid Lindgren, Jean Paul Marat"), people("García Márquez, Gabriel José")
    (['Karl Marx', 'Astrid Lindgren', 'Jean Paul Marat'], ['García Márquez, Gabriel José'])
    """
    found = listed(cell)
    if found is None:
        found = _parted(cell)
    if len(found) == 1 and len(cell) < _LONG:
        one = " ".join(found[0].split())
        found = _by_and(one) or _by_comma(one, commas_divide=commas_divide) or _by_initials(one) or found
    return _tidy(found)


def _tidy(names: Iterable[str]) -> list[str]:
    """Without the ids of Scopus, the comma that ends a list, and what holds no letter ("...")."""
    bare = (_SCOPUS_ID.sub("", " ".join(name.split())).strip(" ,;") for name in names)
    return [name for name in bare if any(character.isalpha() for character in name)]


def _by_and(cell: str) -> list[str] | None:
    """Divided at "and", if what it joins are names of people: not "Ministry of Health and Welfare"."""
    found = [name for name in _AND.split(cell) if name != "others"]
    if len(found) == 1:
        return found if found[0] != cell else None
    # "A. Marx, B. Lindgren and C. Marat": commas before the only "and"
    commas = _by_comma(found[0], commas_divide=True) if len(found) == 2 else None
    if commas and _is_person(found[1]):
        return [*commas, found[1]]
    inverted = sum("," in name and _is_person(name) for name in found)
    return found if inverted * 2 >= len(found) or all(_is_person(name) for name in found) else None


def _is_person(name: str) -> bool:
    """
    >>> [_is_person(name) for name in ("Marx, Karl", "Karl Marx", "Ludwig van Beethoven", "Ministry of Health", "Welfare")]
    [True, True, True, False, False]
    """
    family, comma, given = name.partition(",")
    words = family.split()
    are_names = all(word[:1].isupper() or word.casefold() in _PARTICLES for word in words)
    if comma:
        return are_names and len(words) <= 4 and bool(given.strip()) and "," not in given
    return are_names and 2 <= len(words) <= 5


def _by_comma(cell: str, *, commas_divide: bool) -> list[str] | None:
    found = [part for part in (part.strip() for part in cell.replace("，", ",").split(",")) if part]
    if len(found) < 2:
        return None
    if pairs := _pairs(found):
        return pairs
    found = _with_suffixes(found)
    if _are_initialled(found) or all(_CJK.fullmatch(name) for name in found):
        return found
    whole = all(" " in name for name in found) and found[0].split()[0] not in _PARTICLES
    return found if whole and (len(found) > 2 or (commas_divide and len(found) == 2)) else None


def _are_initialled(found: list[str]) -> bool:
    """ "Smith A", "Walter B", "The ATLAS Collaboration": not "Rotter", "Carina B.", which is one person."""
    initialled = [bool(_FAMILY_AND_INITIALS.fullmatch(name)) for name in found]
    if len(found) == 2:
        return initialled[0] and " " in found[1]
    return sum(initialled) * 2 >= len(found)


def _pairs(found: list[str]) -> list[str] | None:
    """ "Marx", "K.", "Lindgren", "A." -> one value a person."""
    if len(found) < 4 or len(found) % 2 or not all(_ONLY_INITIALS.fullmatch(part) for part in found[1::2]):
        return None
    return [f"{family}, {initials}" for family, initials in zip(found[::2], found[1::2], strict=True)]


def _with_suffixes(found: list[str]) -> list[str]:
    joined: list[str] = []
    for part in found:
        if joined and _SUFFIX_ALONE.fullmatch(part):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


_LOST_LINE_END = re.compile(rf"(?<={_UPPER}\.)(?=[^\W\d_]{{2}})")
_FAMILY_THEN_INITIALS = re.compile(rf"[^\W\d_][\w'’‐-]*+(?: [\w'’‐-]+)*?(?: {_UPPER}\.-?(?:{_UPPER}\.)*+)+")


def _by_initials(cell: str) -> list[str] | None:
    """ "Adeli K.Lewis G. F.": names that lost the line ends between them."""
    found = _LOST_LINE_END.split(cell)
    return found if len(found) > 1 and all(_FAMILY_THEN_INITIALS.fullmatch(name) for name in found) else None


_WITHIN_A_WORD = re.compile(r"(?<=[a-zà-öø-ÿ)])(?=[A-ZÀ-ÖØ-Þ])")
_NAME_PREFIX = re.compile(r"(?:^|\s)(?:Mc|Mac|De|Di|Du|Da|Del|Della|Le|La|Van|Von|Vander|El|Al|Fitz|St|San|Ab|Bin|Ben)$")


def glued_people(cell: str) -> list[str]:
    """People whose names follow each other without a separator, as in the tables of SpringerLink.

    >>> glued_people("Araz R. AlievYann LeCunAnne McKay")
    ['Araz R. Aliev', 'Yann LeCun', 'Anne McKay']
    """
    found: list[str] = []
    for part in _WITHIN_A_WORD.split(cell):
        if found and (_NAME_PREFIX.search(found[-1]) or " " not in found[-1].strip()):
            found[-1] += part
            if len(found[-1]) > _LONGEST_NAME:
                return _tidy([cell])
        else:
            found.append(part)
    return _tidy(found)


_LONGEST_NAME = 500


def commas_divide(cells: Iterable[str]) -> bool:
    """Do commas divide people in this column? They do if somewhere three or more whole names stand between them, and no ";" does.

    >>> commas_divide(["Karl Marx, Astrid Lindgren", "A. B. Marat, Eva Green, Li Wei"]), commas_divide(["García Márquez, Gabriel José"])
    (True, False)
    """
    seen = [cell for cell in cells if len(cell) < _LONG]
    if any(sign in cell for cell in seen for sign in ";|"):
        return False
    return any(cell.count(",") > 1 and _by_comma(" ".join(cell.split()), commas_divide=False) for cell in seen)
