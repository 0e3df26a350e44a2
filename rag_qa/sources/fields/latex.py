"""LaTeX in titles, names and abstracts -> the characters that it stands for; mathematics stays as it is.

The tokenizer is our own: pylatexenc takes "%" for a comment and drops the rest of the line, and drops the macros that it doesn't know; abstracts are
full of both. Its table of what a macro stands for is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pylatexenc.latex2text import get_default_latex_context_db  # type: ignore[import-untyped]

_MARKED = re.compile(r"[\\{}~$]|--|``")
_TOKEN = re.compile(
    r"""
      (?P<address>(?:https?://|\b10\.\d{4,9}/)(?:[^\s{}\\]|\\[_%&\#~$])++)  # "~" and "--" are part of an address
    | (?P<math>\$\$(?:[^$\\]|\\.){1,5000}+\$\$
              |\$(?=\S)(?:[^$\\]|\\.){1,5000}+(?<!\s)\$(?!\d)           # not "$5 and $6"
              |\$(?![\d\s])(?=[^\s$]{0,200}?[\\^_])(?:[^\s$\\]|\\[^\s$]){1,200}+\$  # "$\sim$44", which can't be money
              |\$(?=[ ])(?:[^$\\]|\\.){1,5000}+(?<=[ ])\$(?!\d)
              |\\\((?:[^\\]|\\[^()]){1,5000}+\\\)
              |\\\[(?:[^\\]|\\[^\[\]]){1,5000}+\\\])
    | \\(?P<word>[A-Za-z]++)\*?
    | \\(?P<sign>.)
    | (?P<open>\{)
    | (?P<close>\})
    | (?P<tie>~)
    | (?P<dash>--++)
    | (?P<quote>``|'')
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANKS = re.compile(r"\s*+")
_OPTIONS = re.compile(r"(?:\s*+\[[^\[\]{}]{0,200}+\])?+\s*+(?=\{)")
_BRACED = re.compile(r"\s*+\{((?:[^{}]|\{[^{}]*+\})*+)\}")
_ENVIRONMENT = re.compile(r"\s*+\{[A-Za-z]*+\*?\}(?:\[[^\[\]{}]{0,200}+\])?+")
_LINE_BREAK = re.compile(r"\*?(?:\[[^\[\]{}]{0,20}+\])?+")
_BRACES = re.compile(r"[{}]")
_ESCAPED = re.compile(r"\\([_%&#~$])")
# Mendeley and Zotero write like this the backslash of LaTeX that somebody typed into a field.
_ESCAPED_ACCENT = re.compile(r"\$\\backslash\$|\{\\textbackslash\}(?=[\"'`^~]\{?[A-Za-z])")
# Within a "tabbing" the accents have other names, and some programs write those everywhere: {\a'e} is {\'e}.
_TABBING_ACCENT = re.compile(r"\\a(?=['`=]\{?\\?[A-Za-z])")
_SINGLE = re.compile(r"(?:\$|\\\()\s*+(?:\\([A-Za-z]++)|([<>|]))\s*+(?:\$|\\\))")
_PLAIN_MATH = re.compile(r"[^\\^_{}$]*+|\s*+\\[A-Za-z]++\s*+")
# What the American Physical Society writes for one letter: \ifmmode \acute{e}\else \'e\fi{}
_EITHER = re.compile(r"\\ifmmode\b.{0,100}?\\else\b\s?(.{0,100}?)\\fi\b(?:\{\})?", re.DOTALL)

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "r": "\u030a", "h": "\u0309", "t": "\u0361", "c": "\u0327", "k": "\u0328", "d": "\u0323",
    "b": "\u0331",
    "grave": "\u0300", "acute": "\u0301", "hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "breve": "\u0306", "dot": "\u0307", "ddot": "\u0308",
    "check": "\u030c", "vec": "\u20d7",
}  # fmt: skip
_BELOW = frozenset("\u0327\u0328\u0323\u0331")
_LETTERS = {
    "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı",
    "j": "ȷ", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "th": "þ", "TH": "Þ", "ng": "ŋ", "NG": "Ŋ", "ij": "ĳ", "IJ": "Ĳ",
}  # fmt: skip
_MORE_SYMBOLS = {
    "textless": "<", "textgreater": ">", "lt": "<", "gt": ">", "textbar": "|", "textunderscore": "_", "textquotedbl": '"', "textbraceleft": "{",
    "textbraceright": "}", "textasciicircum": "^", "textasciigrave": "`", "textasciimacron": "¯", "texttildelow": "~", "textperiodcentered": "·",
    "textminus": "−", "textpermil": "‰", "textregistered": "®", "copyright": "©", "pounds": "£", "euro": "€", "EUR": "€", "S": "§", "P": "¶",
    "ddag": "‡", "degree": "°", "textcelsius": "°C", "celsius": "°C", "slash": "/", "glqq": "„", "grqq": "“", "glq": "‚", "grq": "‘", "flqq": "«",
    "frqq": "»", "lq": "‘", "rq": "’", "guillemetleft": "«", "guillemetright": "»", "vert": "|", "neg": "¬", "ohm": "Ω", "micro": "µ",
    "textdollar": "$", "textpercent": "%", "textampersand": "&", "textnumbersign": "#", "textat": "@", "checkmark": "✓", "ldots": "…", "dots": "…",
    "phi": "φ", "epsilon": "ε", "bullet": "•", "prime": "′", "cdot": "·", "Dash": "—", "dash": "–", "lparen": "(", "rparen": ")", "hyphen": "-",
}  # fmt: skip
_FUNCTIONS = "arccos arcsin arctan cos cosh det dim exp gcd inf ker lim ln log max min mod sin sinh sup tan tanh".split()
_OPENING_QUOTES = "textquotedblleft textquoteleft guillemotleft guillemetleft quotedblbase quotesinglbase glqq flqq lq guilsinglleft".split()
_JOINING = frozenset((*_OPENING_QUOTES, "hyphen", "slash"))
_SWITCHES = (  # they change how the text behind them looks, until the group ends
    "bf bfseries boldmath cal centering cyr cyrchar displaystyle em footnotesize huge Huge it itshape large Large LARGE left limits mdseries "
    "noindent "
    "normalfont normalsize protect raggedright relax right rm rmfamily sc scriptsize scshape sf sffamily sl slshape small textstyle tiny tt ttfamily "
    "unskip upshape xspace allowbreak nobreak hfill hfil ignorespaces leavevmode nocorr displaylimits big Big bigl bigr"
).split()
_BREAKS = "par newline linebreak newpage quad qquad thinspace enspace enskip space smallskip medskip bigskip nbsp nobreakspace hskip item".split()
_DROPPED = (  # the (first) argument is no text
    "noopsort vphantom hphantom phantom hspace vspace label color index textcolor foreignlanguage selectlanguage href raisebox bibitem fontsize"
).split()
_INLINE = (  # the argument is text in another look
    "text textit textbf textsc texttt textrm textsf textsl textup textmd textnormal textmedium emph mbox hbox makebox fbox underline uline "
    "mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr operatorname overline boldsymbol bm mkbibemph mkbibbold mkbibitalic acro "
    "MakeUppercase MakeLowercase uppercase lowercase textlatin ensureascii foreignword latintext cyrillictext widehat widetilde"
).split()
_APART = (  # the argument stands apart from the text around it
    "section subsection subsubsection paragraph subparagraph title caption footnote thanks cite citep citet citealp citeauthor parencite textcite "
    "ref footnotetext frac nicefrac"
).split()


def plain(text: str) -> str:
    r"""The text without LaTeX: accents, symbols, quotes and dashes as characters, markup and protecting braces dropped; "$...$" stays as it stands.

    \textsuperscript and \textsubscript become <sup> and <sub>, as other formats have them. A macro that isn't known stays, or leaves its argument.

    >>> plain(r"{\"U}ber die {DNA} von \emph{E.~coli}: 50\% at $1.67 \times$ -- and \$5")
    'Über die DNA von E. coli: 50% at $1.67 \\times$ – and $5'
    """
    if not _MARKED.search(text):
        return text
    if "\\ifmmode" in text:
        text = _EITHER.sub(r"\1", text)
    return _Rewriting(_TABBING_ACCENT.sub(r"\\", _ESCAPED_ACCENT.sub(r"\\", text))).result()


@dataclass(slots=True)
class _Group:
    """A brace that is open. `out`: what is written; `mark`: where in it the brace stands if it proves to be none (None: a macro opened it).

    `action`: what becomes of the text inside; None: it stays, and the braces go.
    """

    out: list[str]
    mark: int | None
    action: Callable[[str], str] | None = None


_MOST_ACTIONS = 50  # one inside the other; a text that has more is not worth the time, and its groups are mere braces


class _Rewriting:
    """One text, read once from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.last = " "
        self.groups = [_Group([], None)]
        self.actions = 0
        self.has_quotes = "``" in source

    def result(self) -> str:
        while token := _TOKEN.search(self.source, self.at):
            self.put(self.source[self.at : token.start()])
            self.at = token.end()
            _TOKENS[token.lastgroup or ""](self, token)
        self.put(self.source[self.at :])
        while len(self.groups) > 1:
            self._abandon(self.groups.pop())
        return "".join(self.groups[0].out)

    def put(self, text: str) -> None:
        if text:
            self.groups[-1].out.append(text)
            self.last = text[-1]

    def blank(self) -> None:
        """What stood between two words still parts them."""
        if not self.last.isspace():
            self.put(" ")

    def next_is(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self.source, self.at)

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def skip_blanks(self) -> None:
        if found := self.next_is(_BLANKS):
            self.at = found.end()

    def skip_empty_group(self) -> None:
        if self.source.startswith("{}", self.at):
            self.at += 2

    def open_argument(self, action: Callable[[str], str] | None) -> bool:
        """Step into the argument of a macro, if it has one."""
        options = self.next_is(_OPTIONS)
        if not options:
            return False
        self.at = options.end() + 1
        self.open(action)
        return True

    def open(self, action: Callable[[str], str] | None) -> None:
        if action and self.actions < _MOST_ACTIONS:
            self.actions += 1
            self.groups.append(_Group([], None, action))
        else:
            self.groups.append(_Group(self.groups[-1].out, None))

    def close(self) -> None:
        if len(self.groups) == 1:
            self.put("}")  # it closes nothing, so it is no LaTeX
            return
        self._leave(self.groups.pop())

    def _leave(self, group: _Group) -> None:
        if group.action:
            self.actions -= 1
            self.put(group.action("".join(group.out)))

    def _abandon(self, group: _Group) -> None:
        """The text ends, and the brace is still open."""
        if group.mark is not None:
            group.out[group.mark] = "{"
        self._leave(group)

    # ------------------------------------------------------------------------------------------------------------ tokens

    def on_address(self, token: re.Match[str]) -> None:
        self.put(_ESCAPED.sub(r"\1", token[0]))

    def on_math(self, token: re.Match[str]) -> None:
        math = token[0]
        if not _is_balanced(math):
            self.put(math[0] if math[0] == "$" else math[:2])  # two dollar signs in different groups enclose nothing
            self.at = token.start() + (1 if math[0] == "$" else 2)
            return
        self.put(self._symbol_of(math, token) or math)

    def _symbol_of(self, math: str, token: re.Match[str]) -> str | None:
        """What reference managers write for one character, {$\\alpha$} or $<$, is that character, and not mathematics of the authors."""
        single = _SINGLE.fullmatch(math)
        if not single:
            return None
        word, sign = single.groups()
        is_alone = self.source[token.start() - 1 : token.start()] == "{" and self.source[token.end() : token.end() + 1] == "}"
        return sign or (_SYMBOLS.get(word) if is_alone else None)

    def on_word(self, token: re.Match[str]) -> None:
        word = token["word"]
        _WORDS.get(word, _Rewriting.unknown)(self, word)

    def on_sign(self, token: re.Match[str]) -> None:
        sign = token["sign"]
        if sign in "&%$_#{}":
            self.put(sign)
        elif sign in _ACCENTS:
            self.accent(sign)
        elif sign.isspace() or sign in ",;:>":
            self.put(" ")
        else:
            self._odd_sign(sign)

    def _odd_sign(self, sign: str) -> None:
        if sign == "\\":
            self.put("\n")
            if found := self.next_is(_LINE_BREAK):
                self.at = found.end()
        elif sign in "@/":
            # outside LaTeX people escape these two
            self.put(sign if self.peek().isalnum() or self.last in ":/" else "")
        elif sign not in "!-":
            self.put("\\" + sign)

    def on_open(self, _token: re.Match[str]) -> None:
        out = self.groups[-1].out
        out.append("")
        self.groups.append(_Group(out, len(out) - 1))

    def on_close(self, _token: re.Match[str]) -> None:
        self.close()

    def on_tie(self, token: re.Match[str]) -> None:
        """A "~" ties two words; before a number or an address, as in "~5 mg", it means what it shows."""
        before, after = self.source[token.start() - 1 : token.start()] if token.start() else " ", self.peek()
        shows = before.isspace() or before in "([=<>/" or (before.isdigit() and after.isdigit())
        self.put("~" if shows else " ")

    def on_dash(self, token: re.Match[str]) -> None:
        is_arrow = self.peek() == ">"
        self.put(token[0] if is_arrow else {"--": "–", "---": "—"}.get(token[0], token[0]))

    def on_quote(self, token: re.Match[str]) -> None:
        if token[0] == "``":
            self.put("“")
        else:
            self.put("”" if self.has_quotes else "''")

    # ------------------------------------------------------------------------------------------------------------ macros

    def accent(self, word: str) -> None:
        """An accent, and the letter or group that it is for."""
        mark = _ACCENTS[word]
        start = self.at
        is_alone = self.source[max(0, start - 3) : max(0, start - 2)] in ("", "{")
        if word.isalpha():
            self.skip_blanks()
        following = self.peek()
        if following == "{":
            self.at += 1
            self.open(partial(_accented, mark, word))
        elif (letter := self.next_is(_LETTER_MACRO)) or (following.isalpha() and (is_alone or _is_accented(word, following))):
            self.at += len(letter[0]) if letter else 1
            self.put(_accented(mark, word, _LETTERS[letter[1]] if letter else following))
        else:
            self.at = start
            self.put(f"\\{word}" if word.isalpha() else word)

    def letter(self, word: str) -> None:
        self.put(_LETTERS[word])
        self._end_letter()

    def _end_letter(self) -> None:
        if self.peek() == "{":
            self.skip_empty_group()
        else:
            self.skip_blanks()

    def symbol(self, word: str) -> None:
        self.put(_SYMBOLS[word])
        if self.peek() == "{":
            self.skip_empty_group()
        elif word in _JOINING or word.startswith("text"):  # what programs write: they leave no blank by mistake
            self.skip_blanks()

    def switch(self, _word: str) -> None:
        self.skip_empty_group()
        if not self.last.isalnum():
            self.skip_blanks()

    def break_(self, _word: str) -> None:
        self.skip_empty_group()
        self.blank()

    def dropped(self, _word: str) -> None:
        self.open_argument(_nothing)

    def inline(self, word: str) -> None:
        if not self.open_argument(None):
            self.switch(word)

    def apart(self, _word: str) -> None:
        self.blank()
        self.open_argument(_between_blanks)

    def raised(self, word: str) -> None:
        tag = "sup" if word == "textsuperscript" else "sub"
        self.open_argument(partial(_tagged, tag))

    def quoted(self, _word: str) -> None:
        self.open_argument(_in_quotes)

    def environment(self, _word: str) -> None:
        if found := self.next_is(_ENVIRONMENT):
            self.at = found.end()
        self.blank()

    def address(self, word: str) -> None:
        found = self.next_is(_BRACED)
        if not found:
            self.unknown(word)
            return
        self.at = found.end()
        self.put(_ESCAPED.sub(r"\1", found[1]))

    def math(self, _word: str) -> None:
        found = self.next_is(_BRACED)
        if not found or _PLAIN_MATH.fullmatch(found[1]):
            self.open_argument(None)
            return
        self.at = found.end()
        self.put(found[1] if "$" in found[1] else f"${found[1]}$")

    def unknown(self, word: str) -> None:
        if "TeX" in word or (word.isupper() and len(word) > 1):  # names and acronyms with a macro of their own
            self.put(word)
            self.skip_empty_group()
            return
        options = self.next_is(_OPTIONS)
        if not options:
            self.put(f"\\{word}")
            return
        self._part(self.source[options.end() + 1 : options.end() + 2])
        self.open_argument(partial(self._argument, word))

    def _argument(self, word: str, text: str) -> str:
        """The argument of a macro that nobody knows, which may have another one."""
        if self.peek() == "{":
            self.at += 1
            self.open(partial(self._argument, word))
            self.put(f"{text} ")
            return ""
        return text + (" " if text[-1:].isalnum() and self.peek().isupper() else "")

    def _part(self, following: str) -> None:
        if self.last.isalnum() and following.isupper():
            self.put(" ")


def _is_balanced(math: str) -> bool:
    depth = 0
    for brace in _BRACES.finditer(math):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return False
    return not depth


def _nothing(_text: str) -> str:
    return ""


def _between_blanks(text: str) -> str:
    return f"{text} "


def _in_quotes(text: str) -> str:
    return f"“{text}”"


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>"


def _accented(mark: str, word: str, text: str) -> str:
    r"""A letter with an accent, and what follows it in its group; an accent on nothing is shown alone: \~{} is "~"."""
    text = text.lstrip()
    if not text[:1].isalpha():
        return ("" if word.isalpha() else word) + text
    base = text[0] if mark in _BELOW else {"ı": "i", "ȷ": "j"}.get(text[0], text[0])
    if base == "i" and word == ".":
        return text.replace("ı", "i", 1)
    size = 1
    while text[size : size + 1] and unicodedata.combining(text[size]):
        size += 1
    return unicodedata.normalize("NFC", base + text[1:size] + mark) + text[size:]


def _is_accented(word: str, letter: str) -> bool:
    r"""Not in "don\'t" and 'the \"T cells\"', where somebody escaped a quote: no language has these letters."""
    return word not in "'\"" or len(unicodedata.normalize("NFC", letter + _ACCENTS[word])) == 1


def _symbols() -> dict[str, str]:
    known = {macro.macroname: macro.simplify_repl for macro in get_default_latex_context_db().iter_macro_specs()}
    single = {word: found for word, found in known.items() if word.isalpha() and isinstance(found, str) and len(found) == 1}
    greek = {f"text{word}": found for word, found in single.items() if "α" <= found.lower() <= "ω"}
    return greek | single | {word: word for word in _FUNCTIONS} | _MORE_SYMBOLS


_SYMBOLS = _symbols()
_LETTER_MACRO = re.compile(rf"\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|\s*+)")
_TOKENS: dict[str, Callable[[_Rewriting, re.Match[str]], None]] = {
    "address": _Rewriting.on_address,
    "math": _Rewriting.on_math,
    "word": _Rewriting.on_word,
    "sign": _Rewriting.on_sign,
    "open": _Rewriting.on_open,
    "close": _Rewriting.on_close,
    "tie": _Rewriting.on_tie,
    "dash": _Rewriting.on_dash,
    "quote": _Rewriting.on_quote,
}
_WORDS: dict[str, Callable[[_Rewriting, str], None]] = {
    **dict.fromkeys(_SYMBOLS, _Rewriting.symbol),
    **dict.fromkeys(_SWITCHES, _Rewriting.switch),
    **dict.fromkeys(_BREAKS, _Rewriting.break_),
    **dict.fromkeys(_DROPPED, _Rewriting.dropped),
    **dict.fromkeys(_INLINE, _Rewriting.inline),
    **dict.fromkeys(_APART, _Rewriting.apart),
    **dict.fromkeys(("textsuperscript", "textsubscript"), _Rewriting.raised),
    **dict.fromkeys(("enquote", "mkbibquote"), _Rewriting.quoted),
    **dict.fromkeys(("begin", "end"), _Rewriting.environment),
    **dict.fromkeys(("url", "path", "nolinkurl"), _Rewriting.address),
    **dict.fromkeys(filter(str.isalpha, _ACCENTS), _Rewriting.accent),
    **dict.fromkeys(_LETTERS, _Rewriting.letter),
    "ensuremath": _Rewriting.math,
}
