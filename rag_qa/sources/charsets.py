"""Which old character set bytes are in that are not UTF-8, where nothing else tells.

Statistics of bytes need pages; a bibliography may hold five bytes that are not ASCII. So each candidate is read, and what it makes of the words is
judged: letters that no language of it has, capitals in the middle of a word, signs between letters and rare ideographs cost. Windows-1252 is what
nearly all such files are in, so another one has to be better by a margin.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import log2

_MOST_WORDS = 1_500
_LONGEST_WORD = 300  # bytes; a line of Chinese has no blank
_WORD = re.compile(rb"\S+")
_NOT_IN_ALPHABET = 8.0
_UNDEFINED = 9.0
_UNUSUAL_SIGN = 5.0
_SIGNS = {**dict.fromkeys("°±×©®’‘“”–—…•µ²³«»§·€£\xa0™", 1.0), **dict.fromkeys("\xad¡¿ªº½¼¾÷†‡„´¹№،؛؟‰¶", 3.0)}
_BETWEEN_LETTERS = {"’": 0.0, "\xad": 0.0, **dict.fromkeys("‘·–—\xa0´¨", 1.5)}
_SELDOM_BETWEEN_LETTERS = 4.0
_BEFORE_WORDS = frozenset("“‘„«¿¡°µ©§£€±×–—…·\xa0\xad")
_SELDOM_BEFORE_WORDS = 2.0


def _ranked(letters: str) -> dict[str, float]:
    """Costs of the letters of a language beyond ASCII, given from frequent to rare: 1 for the first, 2 for the second, 3 for the fourth."""
    costs = {letter: 1 + log2(rank) for rank, letter in enumerate(letters, start=1)}
    return {letter.upper(): cost + 1.5 for letter, cost in costs.items()} | costs


def _tiered(frequent: str, others: str) -> dict[str, float]:
    """Costs of the letters of another script than the Latin one, whose words hold little else."""
    letters = frequent + others
    return dict.fromkeys(letters.upper(), 2.0) | dict.fromkeys(others, 2.0) | dict.fromkeys(frequent, 1.0)


# French, German, Spanish, Portuguese, Italian, Swedish, Danish and Norwegian, Icelandic, Dutch, Catalan, Estonian, Slavic names
_WESTERN = tuple(map(_ranked, "éèàêçâîôœûùïëü üäößé óíáéñúü ãçáéíóêõâúôà àèùòìé äåöé øåæéö xxíáðéóúþöýæ éëïèöüó óàèíéçúòïü äõüöšž xxšž".split()))
# Polish, Czech, Slovak, Hungarian, Romanian, Croatian and Slovene, German
_CENTRAL = tuple(map(_ranked, "łąęóżśćńź íáéěýžřčšůúňťďó áíéýčžšúľťôňäďóŕĺ áéöóőüíúű ăîâșşțţ čšžćđ üäößé".split()))
_TURKISH = (_ranked("ıüşğçöİâî"),)
_CYRILLIC = (_tiered("оеаинтсрвлкмдпуя", "ыьгзбчйхжшюцщэфъёіїєґўђјљњћџ"),)
_GREEK = (_tiered("αοιετνσηρπκμλςυ", "βγδζθξφχψωάέήίόύώϊϋΐΰ"),)
_HEBREW = (_tiered("יוהלאמתרבש", "גדזחטכנסעפצקםןךףץ"),)
_ARABIC = (_tiered("الينمويترهبفعسد", "ثجحخذزشصضطظغقكةىءأإآؤئپچژگ"),)
_THAI = (_tiered("านรอกเ่งมย้ิีัลวด", "ขคฆจฉชซฌญฎฏฐฑฒณตถทธบปผฝพฟภฤศษสหฬฮฯะาำึืฺุูแโใไๅๆ็์ํ"),)


@dataclass(frozen=True, slots=True)
class _Alphabetic:
    """A character set of one byte a letter. `margin`: by how much it must be better than Windows-1252."""

    codec: str
    margin: float
    alphabets: Sequence[Mapping[str, float]]

    def cost(self, word: bytes) -> float:
        """How unlikely it is that this word is in it."""
        read = word.decode(self.codec, "replace")
        letters = [letter for letter in read if letter > "\x7f" and _is_letter(letter)]
        return _context(read) + min(sum(alphabet.get(letter, _NOT_IN_ALPHABET) for letter in letters) for alphabet in self.alphabets)


def _context(word: str) -> float:
    """What is odd about the characters beyond ASCII, whatever the language."""
    padded = f" {word} "
    return sum(
        _letter(before, character, after) if _is_letter(character) else _sign(before, character, after)
        for before, character, after in zip(padded, padded[1:], padded[2:], strict=False)
        if character > "\x7f"
    )


def _letter(before: str, letter: str, after: str) -> float:
    script = _script(letter)
    neighbours = [other for other in (before, after) if other.isalpha()]
    cost = 3.0 * sum(_script(other) != script for other in neighbours)
    if script != "LATIN" and not any(_script(other) == script for other in neighbours):
        cost += 3
    if letter.isupper() and before.islower():
        cost += 4
    if letter.islower() and after.isupper():
        cost += 2
    if script == "LATIN" and before > "\x7f" and _is_letter(before):
        cost += 1
    return cost


def _sign(before: str, sign: str, after: str) -> float:
    if sign == "\ufffd" or (sign not in _SIGNS and unicodedata.category(sign)[0] == "C"):
        return _UNDEFINED
    cost = _SIGNS.get(sign, _UNUSUAL_SIGN)
    if not after.isalpha():
        return cost
    if before.isalpha():
        return cost + _BETWEEN_LETTERS.get(sign, _SELDOM_BETWEEN_LETTERS)
    return cost + (0 if sign in _BEFORE_WORDS else _SELDOM_BEFORE_WORDS)


def _is_letter(character: str) -> bool:
    return character not in _SIGNS and unicodedata.category(character)[0] in "LM"


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


_COSTS = {"common": 1.2, "mark": 1.5, "usual": 2.2, "rare": 6.0, "broken": _UNDEFINED}
_GLUED = re.compile(rb"[A-Za-z][\x80-\xff]")
_GLUED_COST = 1.5


class _Ideographic:
    """A character set of two bytes or more for an ideograph, a syllable or a kana; its characters by how usual they are."""

    def __init__(self, codec: str, margin: float, common: str, mark: bytes, usual: bytes, rare: bytes) -> None:
        self.codec = codec
        self.margin = margin
        often = b"|".join(re.escape(character.encode(codec)) for character in common)
        named = zip(_COSTS, (often, mark, usual, rare, rb"[\x80-\xff]"), strict=True)
        parts = (b"(?P<%s>%s)" % (name.encode(), pattern) for name, pattern in named)
        self._characters = re.compile(b"|".join(parts))

    def cost(self, word: bytes) -> float:
        """How unlikely it is that this word is in it."""
        kinds = (found.lastgroup for found in self._characters.finditer(word))
        return sum(_COSTS[kind] for kind in kinds if kind) + _GLUED_COST * len(_GLUED.findall(word))


_HANZI = (
    "的一是不了在人有我他这中大来上国个到说们为子和地出道也时年得就那要下以生会自之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手"
    "十用主行方又如前所本见经头面公同三已动两长知样现分将外但些与高意进把法此实回二理点明其种声全工者向情部正定女问力机给等很业最间新位因重被电第相次"
    "政使教再真世气信北少关并内加化由代产入五水市体别总场师书比员性通目华立数安表原应路期提感更反合放系计或利果及制解各物台象记边风战接它许特觉直统"
    "认算论科元术结六功指非流每管带条院变研究测试基析影响技模型综述"
)
_HANZI_OLD = (
    "的一是不了在人有我這中大來上國個到說們為子和地出道也時年得就要下以生會自之過家學對可後小多能都日於發成事作當文無開用主行方如前所本經面同長現"
    "分與高進法此實理明種全工者情部定問機等業新因重教關並內加化由產體應"
)
_KANA = (
    "のにはをがたでてとしれさいるあおかきくけこすせそちつなねひふまみめもやゆよらりろわん"
    "アイウエオカキクケコサシスセソタチツテトナニネノハヒフマミムメモラリルレロンー"
)
_HANGUL = "이의을는에한다로를가고은대인지사연구과서도정기자하리시나스성적제수어그들보으라해일아부전장조"

# The margins: how much rarer than Windows-1252 each is among the files that people have, as a guess.
_CANDIDATES: tuple[_Alphabetic | _Ideographic, ...] = (
    _Alphabetic("cp1252", 0, _WESTERN),
    _Alphabetic("iso8859-15", 1.5, _WESTERN),
    _Alphabetic("mac-roman", 4, _WESTERN),
    _Alphabetic("cp1250", 5, _CENTRAL),
    _Alphabetic("iso8859-2", 5, _CENTRAL),
    _Alphabetic("cp1251", 4, _CYRILLIC),
    _Alphabetic("koi8-r", 5, _CYRILLIC),
    _Alphabetic("cp1253", 5, _GREEK),
    _Alphabetic("cp1254", 5, _TURKISH),
    _Alphabetic("cp1255", 6, _HEBREW),
    _Alphabetic("cp1256", 6, _ARABIC),
    _Alphabetic("cp874", 7, _THAI),
    _Ideographic(
        "gb18030", 2.5, _HANZI, rb"\xa1[\xa1-\xfe]|\xa3[\xa1-\xfe]", rb"[\xb0-\xd7][\xa1-\xfe]",
        rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]|[\x81-\xfe][0-9][\x81-\xfe][0-9]",
    ),
    _Ideographic(
        "big5", 4, _HANZI_OLD, rb"[\xa1-\xa3][\x40-\x7e\xa1-\xfe]", rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]",
        rb"[\xc7-\xf9][\x40-\x7e\xa1-\xfe]",
    ),
    _Ideographic(
        "cp932", 4, _KANA, rb"\x81[\x40-\xac]|\x82[\x4f-\x9a]", rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]|[\x88-\x97][\x40-\x7e\x80-\xfc]",
        rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]",
    ),
    _Ideographic("euc_jp", 5, _KANA, rb"[\xa1\xa3][\xa1-\xfe]", rb"[\xa4\xa5\xb0-\xcf][\xa1-\xfe]", rb"\x8e[\xa1-\xdf]|\x8f?[\xa1-\xfe][\xa1-\xfe]"),
    _Ideographic("cp949", 4, _HANGUL, rb"[\xa1\xa3][\xa1-\xfe]", rb"[\xb0-\xc8][\xa1-\xfe]", rb"[\x81-\xfe][\x41-\x5a\x61-\x7a\x81-\xfe]"),
)  # fmt: skip


IDEOGRAPHIC = frozenset(candidate.codec for candidate in _CANDIDATES if isinstance(candidate, _Ideographic))
"""The codecs of two bytes or more for a character."""

_KNOWN = frozenset(candidate.codec for candidate in _CANDIDATES)
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
_DECLARED = 10.0


def widest(codec: str) -> str:
    """What is meant by an encoding that a file names: that which has all its characters and some more.

    >>> widest("iso8859-1")
    'cp1252'
    """
    return _WIDER.get(codec, codec)


def is_judged(codec: str) -> bool:
    """Is it one of those that `likeliest` can answer?"""
    return widest(codec) in _KNOWN


def likeliest(content: bytes, declared: str | None = None) -> str:
    """The Python codec that makes most sense of bytes that are not UTF-8. `declared`: what the file says of itself counts as evidence.

    >>> likeliest("Über die Gezeiten".encode("latin-1"))
    'cp1252'
    >>> likeliest("测试期刊".encode("gbk"))
    'gb18030'
    """
    words = _words(content)
    named = widest(declared) if declared else None

    def cost(candidate: _Alphabetic | _Ideographic) -> float:
        return candidate.margin + sum(map(candidate.cost, words)) - (_DECLARED if candidate.codec == named else 0)

    return min(_CANDIDATES, key=cost).codec


def _words(content: bytes) -> list[bytes]:
    """Different words with bytes beyond ASCII: what is repeated is no new evidence."""
    return list(dict.fromkeys(islice(_foreign(content), 10 * _MOST_WORDS)))[:_MOST_WORDS]


def _foreign(content: bytes) -> Iterator[bytes]:
    for found in _WORD.finditer(content):
        word = found.group()[:_LONGEST_WORD]
        if not word.isascii():
            yield word
