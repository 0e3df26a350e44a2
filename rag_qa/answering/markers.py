"""What in a model's text is a citation marker, what merely looks like one, and what the text is without them.

Forms: [1], [1, 2], [1; 2], [1 and 2], [1-3], [1][2], [1], [2], [1]-[3], [[1]], [^1], [#1], [Source 1], (Source 1), and the same in 【】 ［］ 〔〕
or with escaped brackets. A number holds at most three digits (so [2019] is a year) and no decimal point.

A bracket of such numbers is text, and stays as it is, where

- it stands in code, in maths ($...$, \\(...\\)), or is a Markdown link: [1](address), [text][1];
- it is glued to what looks like an identifier or a call (x[1], A[i][1], f(x)[1], arr[1], sorted([2, 1])) or to a word that goes on behind it
  ([18]F). Glued to the end of a word of four letters or more, to an acronym, to a number or to punctuation it is a marker: models forget the blank;
- an operator stands before or behind it (= [1], [1] + x), or the name of a numbered thing before it (Eq. [1]);
- it lists several numbers one of which is zero or has a sign: [0, 1], [-1, 1] (a single such number is a marker for a source that does not exist);
- it is an interval: two numbers behind "interval", "range", "CI" and their kin, or behind a preposition such as "in" or "between", unless a word
  of citing stands before that ("as shown in [1, 2]"). Also what stands behind a number: several numbers none of which is a source, a range not all
  of which are sources (54 [45-62]), anything if the number is called a median or a mean ("mean [SD]");
- it lists several numbers and continues such a text: "[0, 1] and [2, 3]"; or stands in quotes or braces: "[1]", {"a": [1]}.

(Brackets that are not square are markers wherever they stand outside code and maths.)

Everything else is a marker. Of its numbers those that are not sources are reported as removed. A marker leaves no trace: the blank before it, a
pair of brackets or stars around it, an introduction ("see", "source:") inside such brackets, the comma between two markers and a doubled full
stop go too. Where the marker is a part of the sentence ("as shown in [1]", "[1] proposes"), "this paper" takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

# --------------------------------------------------------------------------------------------------------------- forms

_WORDS_FOR_SOURCE = r"(?:sources?|papers?|abstracts?|documents?|docs?|passages?|references?|refs?\.?|citations?)"
_LABELLED = rf"{_WORDS_FOR_SOURCE}(?:\s*[:#]\s*|\s+|(?<=\.))"
_LABEL = rf"(?:\^|\#|{_LABELLED})?"
_NUMBER = r"[-+−]?\d{1,3}(?!\d)"
_DASH = r"\s*(?:-|‐|‑|–|—|−|to)\s*"
_ITEM = rf"{_LABEL}{_NUMBER}(?:{_DASH}{_LABEL}\d{{1,3}}(?!\d))?\^?(?:†[^】\]\n]{{0,40}})?"
_AND = r"(?:\s*[,;，；、/&|]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)"
_ITEMS = rf"\s*{_ITEM}(?:{_AND}{_ITEM})*\s*"
_BRACKET = re.compile(
    rf"\\?\[(?P<square>{_ITEMS})\\?\]|[【［〔](?P<wide>{_ITEMS})[】］〕]|\((?P<round>\s*{_LABELLED}{_NUMBER}(?:{_DASH}\d{{1,3}}(?!\d))?(?:{_AND}{_ITEM})*\s*)\)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"({_NUMBER})(?:{_DASH}{_LABEL}(\d{{1,3}}))?", re.IGNORECASE)
_MOST_IN_RANGE = 20

_REGION = re.compile(
    r"```.*?(?:```|\Z)|(`+)[^`\n]+?\1(?!`)|\$\$.+?\$\$|\$(?=\S)[^$\n]{1,200}?(?<=\S)\$(?!\d)|\\\(.+?\\\)|\\\[(?!\s*[\d\s,;-]+\\\]).+?\\\]", re.DOTALL
)
_JOINT = re.compile(r"[ \t]*(?:(?:,|;|/|&)[ \t]*(?:and|or)?|and|or|to|-|–|—)?[ \t]*", re.IGNORECASE)
_RANGE_JOINT = re.compile(r"[ \t]*(?:-|–|—|to)[ \t]*", re.IGNORECASE)

# -------------------------------------------------------------------------------------------------------------- context

_OPERATOR_BEFORE = re.compile(r"(?:[=<>≤≥∈∉⊂⊆+∪∩^_|~≈∼±/\\]|(?<!\d)×|\\[A-Za-z]+|\bfor \w+ in)\s*$")
_TAG_BEFORE = re.compile(r"</?[A-Za-z]{1,6}>\s*$")
_OPERATOR_AFTER = re.compile(r"[ \t]*(?:[=>≤≥∈^_+×∪∩]|<(?![A-Za-z/])|\\[A-Za-z])")
_NUMBERED_THING_BEFORE = re.compile(r"\b(?:Eqs?\.?|Figs?\.?|Equations?|Figures?|Tables?|Sections?|Theorems?|Lemmas?)\s*$")
_INTERVAL_BEFORE = re.compile(
    r"(?:\b(?:intervals?|ranges?|ranging|domain|bounds?|bounded|array|tuple|shape|matrix|vector|CI|CrI|IQR|HDI|SD)\b(?:\s+(?:of|in|from|by|to|is|was))?\s*[:=]?"
    r"|\b(?:in|within|between|from|over|onto|into|to|(?:uniform|uniformly|defined|supported|continuous|functions?|values?|distributions?) on)\b)\s*$",
    re.IGNORECASE,
)
_CITING = re.compile(
    r"\b(?:as|shown|proposed|described|reported|introduced|presented|studied|discussed|found|given|see|done|used|defined|argued|noted|developed|similar|according|compared"
    r"|contrast|opposed|due|refer|relative|related|thanks|adapted|taken|known|results)\s+(?:in|within|from|to)\s*$",
    re.IGNORECASE,
)
_NUMBER_BEFORE = re.compile(r"\d[%)]?\s*$")
_STATISTIC_BEFORE = re.compile(
    r"\b(?:medians?|means?|averages?)\b[^.;]{0,40}\d[%)]?\s*$|\[(?:SD|SE|IQR|range|%)[^\]]{0,20}\].{0,60}\d\s*$", re.IGNORECASE
)
_LINK_AFTER = re.compile(r"\([^\s()]*\)|:\s*https?:")
_ARRAYS = frozenset("array list index vector tensor args argv tuple dict".split())
_NOUN_BEFORE = re.compile(
    r"\b(?:in|by|from|to|of|than|per|see|following|unlike|like|cite|cites|citing|between"
    r"|(?:rel(?:y|ies|ying)|based|build(?:s|ing)?|depend(?:s|ing)?) on"
    r"|and|or|but|while|whereas|that|although|though|because|since|whether)[ \t]+$",
    re.IGNORECASE,
)
_VERB_AFTER = re.compile(r"[ \t]+(?:\w+(?:s|ed)|are|were|do|can|also|have)\b")
_NO_VERB_AFTER = re.compile(
    r"[ \t]+(?:as|this|thus|is|was|has|does|its|and|or|but|which|while|whereas|with|for|to|in|by|on|at|that|where|when|whose|because|since|so)\b"
)
_CONJUNCTION_AFTER = re.compile(r"[ \t]+(?:and|or|but|which|while|whereas|with|for|to|in|by|on|at|that|where|when|whose|because|since|so|as)\b")
_BULLET = re.compile(r"[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+(?=\S)")
_SENTENCE_START = re.compile(r"(?:^|[.!?…][\"'”’)*]*\s|\n)\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?$")
_ABBREVIATED = re.compile(r"\b(?:et al|e\.g|i\.e|cf|vs|resp|approx|ca|etc|Figs?|Eqs?|Drs?|Prof)\.\s*$", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|\n)[ \t]*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?$")
_LEADING_GAP = re.compile(r"[ \t]*[:.)]?[ \t]*(?=\S)")

_INTRODUCTION = (
    rf"(?:(?:see(?: also)?|cf\.?|e\.g\.,?|i\.e\.,?|{_WORDS_FOR_SOURCE}\s*:?"
    r"|from|per|as in|as per|via|based on|according to|adapted from|reported in)\s*)?"
)
_WRAPPERS = tuple(
    (re.compile(before + r"$", re.IGNORECASE), re.compile(after, re.IGNORECASE))
    for before, after in (
        (rf"[ \t]*[(（]\s*{_INTRODUCTION}", r"\s*[)）]"),
        (r"\[\s*", r"\s*\]"),
        (r"<(?:sup|sub|b|i|em|strong)>\s*", r"\s*</(?:sup|sub|b|i|em|strong)>"),
        (r"\*\*", r"\*\*"),
        (r"\*", r"\*"),
        (r"(?<!\w)_", r"_(?!\w)"),
    )
)
_LABELLED_LINE = re.compile(rf"(?:^|(?<=[.!?*)])[ \t]+|\n\s*)(\**{_WORDS_FOR_SOURCE}\**\s*:\**\s*)$", re.IGNORECASE)
_LINE_END = re.compile(r"[ \t]*\.?[ \t]*(?:\n|$|(?=[A-Z]))")


@dataclass(slots=True)
class Marker:
    """Markers that stand together: where, which sources they name, which of their numbers are no sources."""

    start: int
    end: int
    numbers: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()
    brackets: list[tuple[int, int]] = field(default_factory=list)
    lists_several: bool = False
    is_wrapped: bool = False

    def add(self, start: int, end: int, given: tuple[int, ...], unknown: tuple[str, ...], *, is_list: bool) -> None:
        """Take a further bracket in."""
        self.end = end
        self.numbers = tuple(dict.fromkeys(self.numbers + given))
        self.removed = tuple(dict.fromkeys(self.removed + unknown))
        self.brackets.append((start, end))
        self.lists_several = self.lists_several or is_list


def regions(text: str, start: int = 0) -> list[tuple[int, int]]:
    """Code and maths, in which nothing is a marker and no sentence ends.

    >>> regions("so $x [1]$ and `y[1]`")
    [(3, 10), (15, 21)]
    """
    return [match.span() for match in _REGION.finditer(text, start)]


def find(text: str, sources: Collection[int], start: int = 0) -> list[Marker]:
    """All markers of a text from `start` on, in order.

    >>> [(m.numbers, m.removed) for m in find("It is fast [1, 7], in [0, 1], x[1], 【2】.", {1, 2})]
    [((1,), ('[7]',)), ((2,), ())]
    """
    found: list[Marker] = []
    text_until = -1  # end of the last bracket that is text
    for match in _outside(_BRACKET, text, start):
        marker = found[-1] if found and _JOINT.fullmatch(text, found[-1].end, match.start()) else None
        numbers = _numbers(match)
        if not _is_marker(text, match, numbers, sources, continues=marker is not None, text_until=text_until):
            text_until = match.end()
            continue
        given, unknown = _sorted_out(numbers, sources)
        if marker and _RANGE_JOINT.fullmatch(text, marker.end, match.start()) and marker.numbers and given:
            between = range(marker.numbers[-1] + 1, given[0])
            given = (*(n for n in between[:_MOST_IN_RANGE] if n in sources), *given)
        if marker is None:
            marker = Marker(match.start(), match.end())
            found.append(marker)
        marker.add(match.start(), match.end(), given, unknown, is_list=len(numbers) > 1)
    return [marker for marker in found if _widen(text, marker)]


def _outside(pattern: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    closed = regions(text, start)
    for match in pattern.finditer(text, start):
        if not any(a < match.end() and match.start() < b for a, b in closed):
            yield match


def _numbers(match: re.Match[str]) -> tuple[str, ...]:
    """Numbers of a bracket as written, ranges written out (a range that is too long stays one number that nobody has)."""
    inside = match["square"] or match["wide"] or match["round"]
    found: list[str] = []
    for first, last in _RANGE.findall(re.sub(r"†[^,;】\]]*", "", inside)):
        if not last or first[0] in "-+−":
            found.append(first)
            found.extend([last] if last else [])
            continue
        low, high = sorted((int(first), int(last)))
        found.extend(str(n) for n in range(low, high + 1)) if high - low < _MOST_IN_RANGE else found.append(f"{first}-{last}")
    return tuple(found)


def _sorted_out(numbers: tuple[str, ...], sources: Collection[int]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Numbers of sources, and the others as markers."""
    given = tuple(int(n) for n in numbers if n.isdecimal() and int(n) in sources)
    return given, tuple(f"[{n}]" for n in numbers if not (n.isdecimal() and int(n) in sources))


def _is_marker(text: str, match: re.Match[str], numbers: tuple[str, ...], sources: Collection[int], *, continues: bool, text_until: int) -> bool:
    before, after = text[max(0, match.start() - 80) : match.start()], text[match.end() : match.end() + 200]
    if match["wide"]:
        return not _is_list_of_values(numbers)  # nobody indexes or multiplies with these brackets
    if _LINK_AFTER.match(after) or _OPERATOR_AFTER.match(after) or _goes_on(before, after) or _is_enclosed(before, after):
        return False
    if match["round"]:
        return True
    if len(numbers) > 1 and _continues_values(text, text_until, match.start()):
        return False
    if continues:
        return not _is_list_of_values(numbers)
    if before and not before[-1].isspace():
        if _is_list_of_values(numbers) or numbers == ("0",) or (len(numbers) > 1 and re.search(r"\w\($", before)):
            return False
        return _may_be_glued(before, follows_text=text_until == match.start())
    if (_OPERATOR_BEFORE.search(before) and not _TAG_BEFORE.search(before)) or _NUMBERED_THING_BEFORE.search(before):
        return False
    if len(numbers) == 1:
        return not ("[" in before and _STATISTIC_BEFORE.search(before))
    return not (_is_list_of_values(numbers) or _is_interval(match, before, numbers, sources))


def _continues_values(text: str, text_until: int, start: int) -> bool:
    """Is a list of numbers that is no marker joined to this place by a word or a comma?"""
    between = text[text_until:start] if text_until >= 0 else "."
    return bool(_JOINT.fullmatch(between) and between.strip() and re.search(r"\[[^\]]*\d\s*,[^\]]*\]$", text[:text_until]))


def _is_list_of_values(numbers: tuple[str, ...]) -> bool:
    """Several numbers of which one cannot be a source."""
    return len(numbers) > 1 and any(not n[0].isdecimal() or not n.strip("0") for n in numbers)


def _is_interval(match: re.Match[str], before: str, numbers: tuple[str, ...], sources: Collection[int]) -> bool:
    inside = match["square"]
    if re.search(_WORDS_FOR_SOURCE, inside, re.IGNORECASE):
        return False
    given, unknown = _sorted_out(numbers, sources)
    items = len(_RANGE.findall(inside))
    if _NUMBER_BEFORE.search(before) and (not given or (items == 1 and unknown)):
        return True
    is_pair = items == 1 or (items == 2 and "," in inside)
    opens = re.fullmatch(r"(?:.*[.!?]\s|\s*)In\s*", before, re.DOTALL)  # "In [1, 2], the authors ..."
    if is_pair and _STATISTIC_BEFORE.search(before):
        return True
    return is_pair and bool(_INTERVAL_BEFORE.search(before)) and not _CITING.search(before) and not opens


def _goes_on(before: str, after: str) -> bool:
    """Is the bracket glued to a word behind it?"""
    if not after or not after[0].isalnum() or _is_cjk(after[0]):
        return False
    ended = before.rstrip()[-1:] in (".", "!", "?")
    return not (ended and after[0].isupper())


def _is_enclosed(before: str, after: str) -> bool:
    """Does it stand alone in quotes, or at the end of braces?"""
    quotes = {('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»")}
    return (before[-1:], after[:1]) in quotes or (after[:1] == "}" and "{" in before)


def _may_be_glued(before: str, *, follows_text: bool) -> bool:
    """May a marker stand directly behind this?"""
    last = before[-1]
    if follows_text:
        return bool(re.search(r"(?:^|\s)\[[^\]]*\]$", before))  # "[0, 1][2]" cites, "A[0][2]" does not
    if last in ")）":
        opened = before.rfind("(" if last == ")" else "（")
        return opened <= 0 or not (before[opened - 1].isalnum() or before[opened - 1] in "_\\")
    if last == "(" and before[-2:-1].isalnum():
        return _ends_in_word(before[:-1])
    if last == ">":
        return bool(_TAG_BEFORE.search(before))
    if last.isalnum():
        return _is_cjk(last) or _ends_in_word(before)
    return before[-2:-1].isdigit() if last == "×" else last in ",.;:!?…。，；：！？、%'\"”’»`*([（【_" and not re.search(r"\w_$", before)


def _ends_in_word(before: str) -> bool:
    if re.search(r"(?:^|[\s(~<>=≈≤≥±-])\d+(?:[.,]\d+)*$", before):
        return True
    word = re.search(r"[^\W_]+(?:[-'’][^\W_]+)*$", before)
    if word is None or before[: word.start()][-1:] in tuple("._\\$/@#"):
        return False
    token = word.group()
    letters = sum(char.isalpha() for char in token)
    capitals = sum(char.isupper() for char in token)
    return (letters >= 3 and (len(token) >= 4 or capitals >= 2)) and token.lower() not in _ARRAYS


def _is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" or "\uf900" <= char <= "\ufaff"


def _widen(text: str, marker: Marker) -> bool:
    """Take in what stands around a marker for its sake. False: the bracket around it makes it a matrix, or is not closed."""
    widened = True
    while widened:
        widened = False
        for opening, closing in _WRAPPERS:
            before, after = opening.search(text[max(0, marker.start - 60) : marker.start]), closing.match(text, marker.end)
            if before and after:
                marker.start -= len(before.group())
                marker.end = after.end()
                marker.is_wrapped = widened = True
                break
    if text[marker.start : marker.start + 1] == "[" and marker.brackets[0][0] > marker.start and marker.lists_several and len(marker.brackets) > 1:
        return False
    label = _LABELLED_LINE.search(text[max(0, marker.start - 60) : marker.start])
    if label and _LINE_END.match(text, marker.end):
        marker.start -= len(label.group(1))
        marker.is_wrapped = True
    return text[marker.start - 1 : marker.start] != "["


# ------------------------------------------------------------------------------------------------------------- removal


@dataclass(frozen=True, slots=True)
class Placed:
    """A marker after its removal: at which character of the clean text it stood, and whether it belongs to what follows it."""

    at: int
    marker: Marker
    forward: bool


@dataclass(frozen=True, slots=True)
class Clean:
    """A text without its markers and layout. `raw[i]` is where character i stood; `masked` hides code and maths from a sentence splitter.

    `leads`: the text begins with a marker, so that in all of it a marker behind a full stop belongs to the sentence behind it.
    """

    text: str
    masked: str
    raw: tuple[int, ...]
    placed: tuple[Placed, ...]
    leads: bool


_HEADING = re.compile(r"[ \t]*#{1,6}[ \t][^\n]*(?=\n|$)")
_LINE_BREAK = re.compile(r"[ \t\r]*\n\s*")
_PREAMBLE = re.compile(r"\s*\**(?:final )?answer\**\s*:\**\s*", re.IGNORECASE)
_EDGE, _INSIDE = 1, 2


class _Writer:
    """Builds a Clean, character by character."""

    def __init__(self, text: str, start: int, closed: list[tuple[int, int]], *, leads: bool) -> None:
        self.source = text
        self.out: list[str] = []
        self.raw: list[int] = []
        self.placed: list[Placed] = []
        self.leads = leads
        self._start = start
        self._closed = bytearray(len(text) + 1)
        for first, last in closed:
            self._closed[first:last] = bytes([_EDGE]) + bytes([_INSIDE]) * (last - first - 2) + bytes([_EDGE])

    def copy(self, start: int, end: int) -> None:
        """Text that stays, with its line breaks made blanks, or paragraphs where an item of a list begins."""
        i = start
        while i < end:
            break_ = _LINE_BREAK.match(self.source, i, end)
            if break_ and not self._closed[i]:
                i = self._line_break(break_.start(), break_.end(), paragraph=break_.group().count("\n") > 1)
                continue
            self._put(self.source[i], i)
            i += 1

    def start_of_text(self) -> int:
        """Where the text begins behind white space, a bullet, headings and the word "Answer:"."""
        preamble = _PREAMBLE.match(self.source, self._start) if self._start == 0 else None
        return self._skip_layout(preamble.end() if preamble else self._start)

    def _skip_layout(self, i: int) -> int:
        while True:
            moved = i
            while moved < len(self.source) and self.source[moved].isspace():
                moved += 1
            if layout := _HEADING.match(self.source, moved) or _BULLET.match(self.source, moved):
                moved = layout.end() if self._may_be_layout(moved, layout.group().strip()) else moved
            if moved == i:
                return i
            i = moved

    def _may_be_layout(self, i: int, mark: str) -> bool:
        """A bullet stands at the beginning of a line; a number that begins the whole text is one only if it is 1: "12. [1]" is an answer."""
        line = self.source[self.source.rfind("\n", 0, i) + 1 : i]
        return not line.strip() and (not mark[0].isdigit() or mark[:-1] == "1" or bool(self.source[:i].strip()))

    def _line_break(self, start: int, end: int, *, paragraph: bool) -> int:
        after = self._skip_layout(end)
        # a line that ends in a marker is finished, with or without a full stop
        if paragraph or after > end or (self.placed and self.placed[-1].at == len(self.out)):
            self._put("\n", start)
            self._put("\n", start)
        else:
            self._put(" ", start)
        return after

    def _put(self, text: str, at: int) -> None:
        self.out.append(text)
        self.raw.append(at)

    def take_out(self, marker: Marker) -> int:
        """Leave a marker out; where to go on reading."""
        before, after = self.source[: marker.start], self.source[marker.end :]
        if noun := self._noun(marker, before, after):
            self.placed.append(Placed(len(self.out), marker, forward=True))
            for char in noun:
                self._put(char, marker.start)
            return marker.end
        leading = _LEADING_GAP.match(after)
        if leading and (not self.out or _LINE_START.search(before) or (self.leads and _begins_sentence(before))):
            self.leads = self.leads or not before.strip()
            self.placed.append(Placed(len(self.out), marker, forward=True))
            return marker.end + leading.end()
        return self._close_gap(marker, after)

    def _close_gap(self, marker: Marker, after: str) -> int:
        end = marker.end
        behind = after.lstrip(" \t")
        is_closing = not behind or behind[0] in ",.;:!?…)]}。，；：！？、\n"
        if is_closing or after[0].isspace():
            while self.out and self.out[-1] in " \t":
                self.out.pop()
                self.raw.pop()
        self.placed.append(Placed(len(self.out), marker, forward=False))
        if is_closing and behind:
            end = marker.end + len(after) - len(behind)
            return end + self._doubled(behind)
        if after[:1].isalnum() and self.out and not self.out[-1].isspace() and not _is_cjk(after[0]):
            self._put(" ", marker.start)
        return end

    def _doubled(self, behind: str) -> int:
        """How many characters not to repeat, where the text before the marker ends as the text behind it goes on: "fast. [1]."."""
        last = self.out[-1] if self.out else ""
        if last == "," and behind[0] in ".!?;":
            self.out.pop()
            self.raw.pop()
        return int((last in tuple(".!?") and behind[0] == "." and not behind.startswith("..")) or last == behind[0] == ",")

    def _noun(self, marker: Marker, before: str, after: str) -> str:
        """What stands for a marker that is a part of the sentence; nothing where it is none."""
        if marker.is_wrapped:
            return ""
        begins = _begins_sentence(before)
        if not (_possessive(after) or _NOUN_BEFORE.search(before[-20:]) or _is_subject(before, after, begins=begins)):
            return ""
        several = len(marker.numbers) > 1
        noun = ("these papers" if several else "this paper") if marker.numbers else "an unknown source"
        return noun[0].upper() + noun[1:] if begins else noun

    def clean(self) -> Clean:
        """The result so far."""
        masked = "".join("x" if char != "\n" and self._closed[at] == _INSIDE else char for char, at in zip(self.out, self.raw, strict=True))
        return Clean("".join(self.out), masked, tuple(self.raw), tuple(self.placed), self.leads)


def _begins_sentence(before: str) -> bool:
    return bool(_SENTENCE_START.search(before[-40:])) and not _ABBREVIATED.search(before[-12:])


def _possessive(after: str) -> bool:
    return bool(re.match(r"['’]s\b", after))


def _is_subject(before: str, after: str, *, begins: bool) -> bool:
    if begins or re.search(r"\bas[ \t]+$", before, re.IGNORECASE):
        return bool(re.match(r"[ \t]+[a-z]", after)) and not _CONJUNCTION_AFTER.match(after)
    return bool(re.search(r"[,:;][ \t]+$", before)) and bool(_VERB_AFTER.match(after)) and not _NO_VERB_AFTER.match(after)


def clean(text: str, sources: Collection[int], start: int = 0, *, leads: bool = False) -> Clean:
    """A text from `start` on without its markers. `leads`: in this text markers stand in front of their sentences.

    >>> clean("It is fast [1]. [2] shows x[1] in [0, 1].", {1, 2}).text
    'It is fast. This paper shows x[1] in [0, 1].'
    """
    writer = _Writer(text, start, regions(text, start), leads=leads)
    i = writer.start_of_text()
    for marker in find(text, sources, start):
        writer.copy(i, marker.start)
        i = max(i, writer.take_out(marker))
    writer.copy(i, len(text))
    return writer.clean()


def defuse(text: str) -> str:
    """The same text with round brackets around what a reader could take for a citation: a model that copies it then cites nothing.

    >>> defuse("Shown before [12, 3], with x in [0, 1].")
    'Shown before (12, 3), with x in [0, 1].'
    """
    out: list[str] = []
    end = 0
    for marker in find(text, range(1000)):
        for first, last in marker.brackets:
            out += [text[end:first], "(", text[first:last].strip("\\[]【】［］〔〕()"), ")"]
            end = last
    return "".join([*out, text[end:]])
