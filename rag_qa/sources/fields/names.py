"""Names of authors: every notation of every database -> "Family, Given" ("Family, Given, Jr."); bodies stay whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rag_qa.text import any_of, any_word

# ----------------------------------------------------------------------------------------------------- what is no name at all

_DEGREE = (
    r"(?:ph\.?\s?d|m\.d|d\.?phil|m\.?sc|b\.?sc|m\.?p\.?h|m\.?b\.?a|facs|frcp|frcs|dvm|pharm\.?d|r\.n|d\.?d\.?s|ll\.?m|esq|ed\.?d|sc\.?d|dr\.? ?ph)"
    r"\b\.?"
)
_DEGREES = re.compile(rf"(?:,\s*(?:MD|RN|MA|BA|MS)(?=,))*(?:,\s*|(?<=\w)\s+){_DEGREE}(?:,?\s*(?:{_DEGREE}|MD|RN|MA|BA|MS)(?!\w))*\s*$", re.IGNORECASE)
_TITLES = re.compile(r"^(?:(?:prof|dr|mr|mrs|ms|priv|doz|ing|dipl|rev)\.[\s-]*|(?:professor|prof|dr)\s+)+(?=\w{2})", re.IGNORECASE)
_NOISE = re.compile(
    any_of(
        r"\(?\[?\borcid(?:\s?id)?\s?:?\s?[\dX-]{0,19}[)\]]?|\(?\[?https?://(?:www\.)?orcid\.org/[\dX-]{0,19}/?[)\]]?",
        r"[(\[]?(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dX](?!\w)[)\]]?|\(\d{6,12}\)|[(\[][\d,;\s*†‡§]{1,12}[)\]]",
        r"https?://\S{1,300}|[(<]?(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}[)>]?",
        r"[*†‡§¶#∗]+|(?<=[^\W\d_])[¹²³⁴-⁹]+(?:[,⁺]?[¹²³⁴-⁹]+)*",
    ),
    re.IGNORECASE,
)
# Of an affiliation, behind a whole name: "John Smith1,2"; in "Author1" and "Smith2, J." they are part of a name that somebody made up.
_DIGIT = re.compile(r"\d")
_NUMBERS_WITHIN = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}(?:,\d{1,2})*(?=$|, )")
_NUMBERS = re.compile(r"(?<=[^\W\d_]{2})\d{1,2}(?:,\d{1,2})*$")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]{0,300}(?:[)\]]\s*|$)")
_NOBODY = frozenset(
    "al|anon|anonymous|anonym|and|and others|author|authors|author not available|author unknown|et|et al|et. al|n.a|n/a|na|nan|no author|no authors|"
    "no author listed|no authors listed|no author name available|no author names available|no authorship indicated|no authorship, indicated|none|"
    "not available|not specified|null|others|s.n|undefined|unknown|unknown author|various|various authors|佚名|著者不明".split("|")
)
_ET_AL = re.compile(r"(?:^|[,;]?\s*)(?:\b(?:and|&)\s+)?(?:\bet\.?\s?al\b\.?|\band others\b|…|\.\.\.)[\s;,]*$", re.IGNORECASE)

# ---------------------------------------------------------------------------------------------------------------------- bodies

_BODY = re.compile(
    any_word(
        "academ(?:y|ia|ie)|administration|agency|alliance|associations?|authority|bank|board|bureau|cent(?:er|re|ro|rum)s?|college|collaborat(?:ion|ive|ors)",
        "commission|committee|company|confederation|congress|consorti(?:um|a)|cooperative|corp(?:oration)?|council|department|dept|division|editors|faculty",
        "federation|foundation|fund|gesellschaft|gmbh|government|group|hospital|inc|initiative|institut(?:e|es|ion|o|et)?|international|investigators",
        "laborator(?:y|ies)|league|librar(?:y|ies)|limited|llc|ltd|ministry|ministerio|museum|national|network|office|organi[sz]ation|panel|partnership",
        "program(?:me)?|project|registry|research|schools?|secretariat|services?|societ(?:y|à|é|at)|sociedad|stiftung|study|subcommittee|survey",
        "task ?force|team|trial|trialists|union|universit(?:y|é|ät|à|at|ies|eit)|universidade?|universita|verlag|workgroup|working|workshop",
    ),
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s(?:of|for|the|on|in|against|with|to|at)\s|^the\s|\s&\s|\d(?!(?:nd|rd|th)\b)|[:/]", re.IGNORECASE)
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002ffff]")


def _is_body(name: str) -> bool:
    if _JOINED.search(name):
        return True
    head, comma, _ = name.partition(",")
    return _BODY.search(head) is not None and (not comma or " " in head.strip()) and " " in name


# ------------------------------------------------------------------------------------------------------------ parts of a name

_PARTICLES = frozenset(
    "af al am an auf av ben bin bint da das dal dall' de d' degli dei del dell' della delle den der des di do dos du el el- en ibn in la las le les "
    "lo los op 't 's ten ter te thoe tho to toe tot und van vande vanden vander vom von vor zu zum zur".split()
)
# Those that names have with a capital too: "Guy Van den Broeck". Not Ben, Do, In, To.
_CAPITAL_PARTICLES = frozenset("al bin da de del della des di dos du el la le ter van vande vanden vander von".split())
_SUFFIX = re.compile(r"(?:jr|junior|sr|senior|iii|ii|iv|[2-4](?:nd|rd|th))\.?", re.IGNORECASE)
_SUFFIXES = {"jr": "Jr.", "junior": "Jr.", "sr": "Sr.", "senior": "Sr.", "2nd": "II", "3rd": "III", "4th": "IV"}
_GLUED = re.compile(r"(?<=[^\W_]\.)(?=[^\W\d_])")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?){1,6}[^\W\d_]?")
_HYPHENED = re.compile(r"([^\W\d_])\.?-([^\W\d_])\.?")
_WORD = re.compile(r"[^\W\d_]+")


# Most names stand in this form already: "Smith, Jane A.", "O'Neill, J. A.".
_READY = re.compile(
    r"(?:[A-Z]['’])?[A-Z][a-z]+(?:-[A-Z][a-z]+)?, (?:[A-Z]\.|(?!(?:Jr|Sr|Junior|Senior|Phd|Msc|Esq)\b)[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?: [A-Z]\.){0,3}"
)


class Name(NamedTuple):
    """A name in its parts; `given` and `suffix` may be ""."""

    family: str
    given: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


def people(values: Sequence[str], *, bodies: Collection[str] = ()) -> tuple[str, ...]:
    """Authors in order, in one notation. `bodies`: values that the source marks as the name of an organisation.

    >>> people(["Smith JA", "L. van Beethoven", "Doe, Jane Jr.", "World Health Organization", "et al."])
    ('Smith, J. A.', 'van Beethoven, L.', 'Doe, Jane, Jr.', 'World Health Organization')
    >>> people(["Smith J, Doe A, van der Berg K"]), people(["S, LEE", "R, CAO"])
    (('Smith, J.', 'Doe, A.', 'van der Berg, K.'), ('Lee, S.', 'Cao, R.'))
    """
    if all(map(_READY.fullmatch, values)):
        return _once(values)
    listed = [name for value in values for name in ([value] if value in bodies else _each(value, is_only=len(values) == 1))]
    ordered = _family_first(listed)
    is_spelt_out = any(map(_SPELT_OUT.match, ordered))
    found = [_body(name) if name in bodies else person(name, is_spelt_out=is_spelt_out) for name in ordered]
    return _once([name for name in found if name])


def _body(name: str) -> str | None:
    return None if _is_nobody(name) else name


def _once(names: Sequence[str]) -> tuple[str, ...]:
    """A list that a source gives twice, once. Two authors may have one name: many a paper is by a Zhang, S. and another Zhang, S."""
    half = len(names) // 2
    is_twice = half and names[:half] == names[half:] and (half > 1 or not _WITH_INITIALS_ONLY.search(names[0]))
    return tuple(names[:half] if is_twice else names)


_WITH_INITIALS_ONLY = re.compile(r", [^\W\d_]\.(?:[ -][^\W\d_]\.)*$")


@lru_cache(maxsize=50_000)
def person(name: str, *, is_spelt_out: bool = False) -> str | None:
    """One name as "Family, Given"; None if it names nobody. `is_spelt_out`: names in capitals are not initials, so that ANN is Ann.

    >>> person("Peter H.N. de With"), person("SMITH A B"), person("J. Smith III"), person("[Anonymous]")
    ('de With, Peter H. N.', 'Smith, A. B.', 'Smith, J., III', None)
    """
    plain = _without_noise(name)
    if _is_nobody(plain):
        return None
    if _CJK.search(plain) or _is_body(plain):
        return plain
    if "." in plain:
        plain = _GLUED.sub(" ", plain)  # "J.Smith", "A.B. Smith"
    parts = [part.strip() for part in plain.split(",") if part.strip()]
    parsed = _parsed(parts) if len(parts) > 1 else _of_words(parts[0].split() if parts else [plain])
    return str(_normal(parsed, is_spelt_out=is_spelt_out)) if parsed else plain


def _is_nobody(name: str) -> bool:
    return name.strip("[]().:;, ").casefold() in _NOBODY or not any(char.isalpha() for char in name)


def _without_noise(name: str) -> str:
    if not (name.isascii() and name.replace(",", "").replace(" ", "").replace("-", "").replace(".", "").isalpha()):
        name = _NOISE.sub("", name)
        bare = _BRACKETS.sub(" ", name)
        name = bare if bare.strip() and not _is_body(bare) else name  # "Smith, J. (Oxford)"; not "Ministry of Health (Peru)"
    name = _TITLES.sub("", _ET_AL.sub("", name))
    name = " ".join(_DEGREES.sub("", name).strip(" ,;&").split())
    return _without_numbers(name, _NUMBERS) if " " in name else name


def _without_numbers(text: str, numbers: re.Pattern[str]) -> str:
    """Without affiliations; they are none where names hold other digits."""
    bare = numbers.sub("", text) if text[-1:].isdigit() else text
    return text if _DIGIT.search(bare) else bare


# -------------------------------------------------------------------------------------------------------------- several in one


def _each(value: str, *, is_only: bool) -> Iterator[str]:
    """The names that stand in one value, where it is plain that there are several."""
    for sign in (";", "|"):
        if sign in value:
            for part in value.split(sign):
                yield from _each(part.strip(), is_only=False)
            return
    value = _ET_AL.sub("", value)
    if ".," in value:
        value = _ROTATED.sub(r"\2 \1", value)
    together = _RUN_TOGETHER.split(value) if value.count(".") >= 2 and "," not in value else []
    if len(together) > 1 and all(map(_WITH_INITIALS.fullmatch, together)):
        yield from together
        return
    joined = _JOINT.split(value)
    if len(joined) > 1 and not _BODY.search(value) and all(map(_is_full, joined)):
        is_list = any("," not in part for part in joined)  # "John Smith, Jane Doe and Ann Roe"
        for part in joined:
            yield from map(str.strip, part.split(",")) if is_list else _each(part.strip(" ,"), is_only=True)
    elif is_only and "," in value:
        yield from _of_commas(value)
    else:
        yield value


_JOINT = re.compile(r"\s*,?\s(?:and|&|AND|und|et|y)\s(?!others)")


# "Adeli K.Lewis G. F.", "Smith J. Doe A. B.": initials with full stops part the names.
_RUN_TOGETHER = re.compile(r"(?<=\.)\s*(?=[^\W\d_](?:[^\W\d_.]+|['’][^\W\d_]+)[\s'’-])")
_WITH_INITIALS = re.compile(r"(?:[^\W\d_][\w'’-]+\s){1,3}(?:[^\W\d_]\.\s?(?:-\s?)?){1,4}")
_ROTATED = re.compile(
    r"^((?:[^\W\d_]\.\s?){1,4}),\s*((?:[^\W\d_][\w'’-]+\s){1,3}(?:[^\W\d_]\.\s?){1,4}.*)"
)  # "J., Kass N. Faden R.": Kass, Faden and a J.
_SPELT_OUT = re.compile(r"[A-Z'’ -]{2,40}, ?(?=[A-Z]{0,20}[AEIOU])[A-Z]{4,20}\b")


def _is_full(name: str) -> bool:
    """Has it a family name and a given one?"""
    words = name.split()
    return len(words) >= 2 and all(_WORD.match(word) for word in words[:1]) and not any(word.islower() and word not in _PARTICLES for word in words)


def _of_commas(value: str) -> list[str]:
    bare = _without_numbers(value, _NUMBERS_WITHIN)
    value = bare if all(" " in part for part in bare.split(", ")) else value
    parts = [part.removeprefix("and ").strip() for part in re.split(r",\s*", value) if part.strip()]
    words = [part.split() for part in parts]
    if len(parts) < 2 or any(_SUFFIX.fullmatch(part) for part in parts):
        return [value]
    with_initials = sum(len(each) >= 2 and _are_initials(each[-1:]) and not _are_initials(each[:1]) for each in words)
    if with_initials == len(parts) or (with_initials >= 2 and all(len(each) >= 2 for each in words)):
        return parts  # "Smith J, Doe A", and a study group after them
    if _is_body(value):
        return [value]
    if all(len(each) >= 2 for each in words) and (len(parts) > 2 or _are_initials(words[0][:-1][-1:])):
        return parts  # "John Smith, Jane Doe, Ann Roe"; two may be one person with four names
    if len(parts) >= 4 and len(parts) % 2 == 0 and all(_are_initials(each) for each in words[1::2]):
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]  # "Smith, J., Doe, A."
    return [value]


def _are_initials(words: Sequence[str]) -> bool:
    return bool(words) and all(_is_initials(word) for word in words)


def _is_initials(word: str) -> bool:
    """ "J", "J.", "JA", "J.A.", "J.-P."; not "Jo"."""
    letters = word.replace(".", "").replace("-", "")
    if not letters.isalpha() or len(letters) > 4:
        return False
    return len(letters) <= 3 and letters.isupper() if "." not in word else _DOTTED.fullmatch(word) is not None and letters[0].isupper()


# --------------------------------------------------------------------------------------- which part of them is the family name

_BEFORE_COMMA = re.compile(r"([^\W\d_]\.?|(?:[^\W\d_]\. ?){2,4}), *(\S.*)")
_TWO_IN_CAPITALS = re.compile(r"^([A-Z]{2,3}) ([A-Z]{2,3})$")
_VOWEL = re.compile(r"[AEIOUY]|^NG$", re.IGNORECASE)


def _family_first(names: list[str]) -> list[str]:
    """The names of a record, turned where all of them have the initials in front: "S, LEE" or "AB LI" beside "WX CHEN"."""
    if not any(map(str.isupper, names)) and not any(map(_BEFORE_COMMA.fullmatch, names)):
        return names
    if _are_turned([name for name in names if "," in name]):
        return [_BEFORE_COMMA.sub(_turned, name) for name in names]
    if any(map(_TWO_IN_CAPITALS.fullmatch, names)) and _is_family_last(names):
        return [_TWO_IN_CAPITALS.sub(r"\2, \1", name) for name in names]
    return names


def _turned(found: re.Match[str]) -> str:
    initials, family = found.groups()
    return found[0] if _are_initials(family.split()) and not _is_family(family) else f"{family}, {initials}"


def _are_turned(names: Sequence[str]) -> bool:
    """Have all of them initials before the comma, and most a family name behind it? A single one has to stand in capitals."""
    found = [each for name in names if (each := _BEFORE_COMMA.fullmatch(name))]
    families = [each[2] for each in found if _is_family(each[2])]
    return bool(families) and len(found) == len(names) and 2 * len(families) >= len(names) and (len(families) > 1 or families[0].isupper())


def _is_family(part: str) -> bool:
    """ "LEE", "Smith", "DE H"; not "K. K", nor "AB", which are initials."""
    word = part.split()[0]
    return "." not in word and len(word) > 1 and _VOWEL.search(word) is not None


def _is_family_last(names: Sequence[str]) -> bool:
    """Do the names that leave no doubt have the initials in front, as "AB SMITH" has?"""
    pairs = [words for name in names if "," not in name and len(words := name.split()) == 2]
    first = sum(_is_initials(words[1]) and not _is_initials(words[0]) for words in pairs)
    last = sum(_is_initials(words[0]) and not _is_initials(words[1]) for words in pairs)
    return last > 0 and not first


# ------------------------------------------------------------------------------------------------------------------ one of them


def _parsed(parts: list[str]) -> Name | None:
    """A name with commas in it."""
    if len(parts) == 2 and parts[1] in ("JR", "SR") and all(word.casefold() in _PARTICLES for word in parts[0].split()[:-1]):
        return Name(parts[0], parts[1])  # nobody is "junior" without a given name
    at = next((i for i, part in enumerate(parts) if i and _SUFFIX.fullmatch(part)), None)
    suffix = _suffix(parts.pop(at)) if at else ""
    if len(parts) == 1:
        name = _of_words(parts[0].split())
        return name and name._replace(suffix=suffix)
    parts = parts[:2] if len(parts) > 2 and (_BODY.search(parts[2]) or _JOINED.search(parts[2])) else parts
    return _named(parts[0].split(), " ".join(parts[1:]).split(), suffix)


def _of_words(words: list[str]) -> Name | None:
    """A name without a comma; None if it is not clear which word is the family name."""
    suffix = _suffix(words[-1]) if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    words = words[:-1] if suffix else words
    if len(words) < 2:
        return None
    split = _where_family_begins(words)
    if split is None:
        return None
    family, given = split
    return _named(family, given, suffix)


def _where_family_begins(words: list[str]) -> tuple[list[str], list[str]] | None:
    """(family name, given names)"""
    if _are_initials(words):
        return _among_capitals(words)
    trailing = next((i for i in range(len(words), 0, -1) if not _is_initials(words[i - 1])), 0)
    if 0 < trailing < len(words) and not _is_initials(words[0]):
        return words[:trailing], words[trailing:]  # "Smith JA", "van der Berg K"
    if words[0].isupper() and len(words[0]) > 3 and words[0].isalpha() and not any(word.isupper() and len(word) > 2 for word in words[1:]):
        return words[:1], words[1:]  # "DUPONT Jean"
    leading = next((i for i, word in enumerate(words) if not _is_initials(word)), len(words) - 1)
    after_initials = max((i + 1 for i in range(1, len(words) - 1) if not leading and _is_initials(words[i])), default=len(words) - 1)
    begin = next((i for i in range(max(1, leading), len(words)) if _is_particle(words, i)), after_initials)  # "Kees A. Schouhamer Immink"
    if _is_particle(words, 0) or len(words) > 6 or any(_is_odd(word) for word in words):
        return (words[leading:], words[:leading]) if leading and len(words) <= 6 else None
    if words[begin] == "y":
        begin -= 1  # "Ortega y Gasset"
    return words[begin:], words[:begin]


def _among_capitals(words: list[str]) -> tuple[list[str], list[str]]:
    """Of words that may all be initials: "LI W", "J KIM", "LI WEI", "WX LI", "J. P."."""
    is_word = ["." not in word and len(word) > 1 for word in words]
    if not any(is_word) or (all(is_word) and not _VOWEL.search(words[0]) and _VOWEL.search(words[-1])):
        return words[-1:], words[:-1]
    if all(is_word):
        return words[:1], words[1:]
    if is_word[0]:
        end = is_word.index(False)
        return words[:end], words[end:]
    begin = is_word.index(True)
    return words[begin:], words[:begin]


def _is_particle(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if at == len(words) - 1:
        return False
    return word in _PARTICLES or word == "y" or (word[0].isupper() and word.casefold() in _CAPITAL_PARTICLES and not word.isupper())


def _is_odd(word: str) -> bool:
    """Is this a word of a sentence? Then it is the name of a body."""
    return len(word) > 2 and word.islower() and word not in _PARTICLES and "-" not in word and "'" not in word and "’" not in word


def _named(family: list[str], given: list[str], suffix: str) -> Name:
    given, suffix = _without_suffix(given, suffix)
    family, suffix = _without_suffix(family, suffix)
    end = next((i for i in range(len(given), 1, -1) if given[i - 1] not in _PARTICLES), 1)
    return Name(" ".join(given[end:] + family), " ".join(given[:end]), suffix)  # "Hillegersberg, Richard van"


def _normal(name: Name, *, is_spelt_out: bool) -> Name:
    """Initials as "J. A."; what is in capitals as one writes it."""
    family = name.family.split()
    is_spelt_out = is_spelt_out or all(map(_SYLLABLE.fullmatch, (name.family, name.given)))
    is_upper = all(word.isupper() or word in _PARTICLES for word in family) and len(name.family) > 1
    given = [_given(word, is_upper=is_upper, is_spelt_out=is_spelt_out) for word in name.given.split()]
    return Name(_family(family, is_upper=is_upper), " ".join(given), name.suffix)


# "LI, WEI" and "LEE, MIN": such names have two initials at most, so three letters are a given name.
_SYLLABLE = re.compile(r"(?:[CSZ]H|[B-DF-HJ-NP-TW-Z])?[AEIOU]{1,3}(?:NG?|M)?")


def _without_suffix(words: list[str], suffix: str) -> tuple[list[str], str]:
    if not suffix and len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        return words[:-1], _suffix(words[-1])
    return words, suffix


def _suffix(word: str) -> str:
    plain = word.rstrip(".").casefold()
    return _SUFFIXES.get(plain, plain.upper())


def _family(words: Sequence[str], *, is_upper: bool) -> str:
    if not is_upper:
        return " ".join(words)
    return " ".join(
        word.lower() if len(words) > 1 and i < len(words) - 1 and word.casefold() in _PARTICLES else _capitalised(word)
        for i, word in enumerate(words)
    )


def _capitalised(word: str) -> str:
    """ "O'BRIEN-MCDONALD" -> "O'Brien-McDonald"."""
    return _WORD.sub(lambda match: _capital(match.group()), word)


def _capital(letters: str) -> str:
    if letters.startswith("MC") and len(letters) > 4:
        return "Mc" + letters[2:].capitalize()
    return letters.capitalize()


def _given(word: str, *, is_upper: bool, is_spelt_out: bool) -> str:
    """A given name, or initials as "J. A.": with a full stop and a blank each. `is_upper`: the family name stands in capitals."""
    letters = word.replace(".", "").replace("-", "")
    if not letters.isalpha():
        return word
    if _HYPHENED.fullmatch(word):
        return _HYPHENED.sub(r"\1.-\2.", word)
    if "." in word:
        return " ".join(_dotted(part) for part in _GLUED.sub(" ", word).split())
    if len(letters) == 1:
        return word + "." if word.isupper() else word
    if word.isupper() and _stands_for_initials(word, is_spelt_out=is_spelt_out):
        return " ".join(f"{letter}." for letter in letters)
    return _capitalised(word) if word.isupper() and (is_upper or len(word) > 3) else word


def _dotted(part: str) -> str:
    return part + "." if len(part) == 1 and part.isupper() else part


def _stands_for_initials(word: str, *, is_spelt_out: bool) -> bool:
    """ "JA" does, and "JEF" where nobody's name is spelt out in capitals; "JOHN" does not."""
    if "-" in word:
        return False
    has_vowel = any(char in "AEIOUY" for char in word)
    return len(word) <= 2 or (len(word) == 3 and not (is_spelt_out and has_vowel)) or (len(word) == 4 and not has_vowel)
