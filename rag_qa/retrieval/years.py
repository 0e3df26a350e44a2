"""The years that a question says papers must be of. A year is one of papers if the clause that it ends speaks of papers, or if it ends a question
for papers; never if something happened then ("the crisis of 2008")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from rag_qa.retrieval.filters import MONTH, Filters
from rag_qa.retrieval.phrases import BEING, PAPERS, PREFIX, PUBLISHED, SPEAKS_OF_PAPERS, Phrase, asks_for_papers, clause_before, is_denied
from rag_qa.text import any_word

_Span = tuple[int | None, int | None]

_YEAR = r"(?:19|20)\d\d(?!\d|s\b)"
_DECADE = r"(?:19|20)\d0s"
_ON = r"(?:on(?=\s*(?:[,.?!]|$))|onwards?\b|or later\b|and (?:later|after)\b)"  # "from 2024 on", and not "from 2024 on tides"
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "twenty": 20}
_RECENT = rf"(?:in|from|within|over|during) the (?:last|past) (?P<unit>(?:{'|'.join(_NUMBERS)}|\d\d?) years|decade|year)"
# In this order: "from 2019 to 2021" is not "from 2019". What a phrase says: (first, last) from its numbers.
_FORMS: tuple[tuple[str, Callable[[list[int]], _Span]], ...] = (
    (rf"(?:(?:from )?between|from|in|during) {_YEAR} ?(?:and|or|to|until|till|through|-|–) ?{_YEAR}", lambda years: (min(years), max(years))),
    (rf"\({_YEAR} ?[-–] ?{_YEAR}\)|{_YEAR}(?: ?[-–] ?| to ){_YEAR}", lambda years: (min(years), max(years))),
    (rf"since the {_DECADE}", lambda years: (years[0], None)),
    (rf"after the {_DECADE}", lambda years: (years[0] + 10, None)),
    (rf"before the {_DECADE}", lambda years: (None, years[0] - 1)),
    (rf"(?:in|from|of|during) the {_DECADE}", lambda years: (years[0], years[0] + 9)),
    (rf"(?:until|till|up to|through|no later than) {_YEAR}|{_YEAR} or earlier", lambda years: (None, years[0])),
    (rf"(?:before|earlier than|older than|prior to) {_YEAR}", lambda years: (None, years[0] - 1)),
    (rf"(?:after|later than|newer than) {_YEAR}", lambda years: (years[0] + 1, None)),
    (rf"since {MONTH}?{_YEAR}(?: {_ON})?|(?:from )?{_YEAR} {_ON}|no earlier than {_YEAR}", lambda years: (years[0], None)),
    (
        rf"(?:(?:in|of|from) (?:the year )?{MONTH}?|(?<=published ){MONTH}?|(?<=papers )|(?<=articles )|(?<=studies )){_YEAR}|\({_YEAR}\)",
        lambda years: (years[0], years[0]),
    ),
)
# "of 2000 children", "after 2000 days" are numbers of things; "since 2000 deals with" is none.
_COUNTED = (
    r" (?!(?:is|was|has|does|as|this|across|versus|deals|uses|shows|says|reports|finds|discusses|addresses|covers|examines|describes)\b)"
    r"(?:\w+[^\Ws]s|children|people|men|women|mice)\b"
)
_COMPILED = tuple((re.compile(rf"(?<!\w){PREFIX}(?:{pattern})(?!\w|[-–]\d|{_COUNTED})", re.IGNORECASE), span) for pattern, span in _FORMS)
_THIS = re.compile(rf"(?<!\w){PREFIX}(?:(?:from|of) |(?<=published ))(?P<which>last|this) year(?!\w| of\b)", re.IGNORECASE)
_BACK = re.compile(rf"(?<!\w){PREFIX}(?:{_RECENT})(?!\w| of\b)", re.IGNORECASE)
_NOTHING_BUT_YEARS = re.compile(rf"(?:,|\band\b|\bbut\b|\s)*(?:{'|'.join(pattern for pattern, _ in _FORMS)})?[\s?.!]*", re.IGNORECASE)

_OF_ONE_YEAR = re.compile(r"(?:in|of|from)\b(?! .* to )", re.IGNORECASE)
# What has years of its own: whatever comes and goes ...
_HAPPENS = re.compile(
    any_word(
        r"(?<!climate )changes?|changed|changing|trends?|growth|rise|rising|declines?|declining|increas\w+|decreas\w+|incidences?|prevalence|rates?",
        "mortality|deaths?|cases|births?|prices?|emissions?|temperatures?|warming|history|evolution|developments?|crisis|crises|wars?|earthquakes?",
        "tsunamis?|hurricanes?|floods?|droughts?|fires|elections?|outbreaks?|pandemics?|epidemics?|olympics|games|events?|seasons?|reforms?|laws?",
    ),
    re.IGNORECASE,
)
# ... and, right in front of a year, what was gathered or came about in it
_GATHERED = re.compile(
    r"\b(?:data|data ?sets?|records?|recordings?|images|samples|patients|people|population|cohorts?|census|crisis|crises|wars?|earthquakes?"
    r"|elections?|outbreaks?|pandemics?|epidemics?|floods?|born|held|seen|made|(?!published|based|related)\w+ed)\s*$",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(r"(?:^|[,;:]|\b(?:what|was|were|is|are|been|anything|everything|something|that|which|those|ones?))\s*$", re.IGNORECASE)
_MOST_WORDS = 8  # of what one types into a search box
_A_SENTENCE = re.compile(
    any_word(
        "who|what|which|where|when|why|how|whose|is|are|was|were|be|been|do|does|did|has|have|had|can|could|may|might|will|would|should|i|we|you|it",
        "they|that|there|tell|explain|describe|compare|summari[sz]e|happened|became|began",
    )
    + "|[?!;:,]",
    re.IGNORECASE,
)
_FRONTED = re.compile(r"(?:what|how) about\b", re.IGNORECASE)


def years(question: str, today: date) -> Iterator[Phrase]:
    """The phrases of a question that say of what years papers must be. `today`: what "the last two years" are counted from.

    >>> [phrase.filters.year_to for phrase in years("papers on tides before 2000", date(2025, 1, 1))]
    [1999]
    """
    free = question
    for start, end, span in _found(question, today):
        if free[start:end] != question[start:end] or not _is_of_papers(question, free, start, end):
            continue
        free = free[:start] + " " * (end - start) + free[end:]
        yield Phrase(start, end, Filters(year_from=span[0], year_to=span[1]))


def _found(question: str, today: date) -> Iterator[tuple[int, int, _Span]]:
    for pattern, span in _COMPILED:
        for match in pattern.finditer(question):
            yield match.start(), match.end(), span([int(year) for year in re.findall(r"\d{4}", match.group())])
    for match in _BACK.finditer(question):
        yield match.start(), match.end(), (today.year - _years_back(match["unit"].lower()), None)
    for match in _THIS.finditer(question):
        year = today.year - (match["which"].lower() == "last")
        yield match.start(), match.end(), (year, year)


def _years_back(unit: str) -> int:
    """
    >>> _years_back("two years"), _years_back("15 years"), _years_back("decade"), _years_back("year")
    (2, 15, 10, 1)
    """
    number = unit.split()[0]
    return 10 if number == "decade" else _NUMBERS.get(number) or (int(number) if number.isdigit() else 1)


def _is_of_papers(question: str, free: str, start: int, end: int) -> bool:
    """Is a phrase one of papers? `free`: the question without the phrases that were found before it."""
    before, phrase, after = free[:start], question[start:end], free[end:]
    if is_denied(before):
        return False
    if not before.strip():
        return bool(after.startswith(",") and (_FRONTED.match(after.strip(" ,")) or SPEAKS_OF_PAPERS.search(clause_after(after))))
    clause = clause_before(before)
    if re.match(rf"(?:{BEING} )?{PUBLISHED}\b", phrase, re.IGNORECASE) and _NO_NOUN.search(before):
        return True
    if SPEAKS_OF_PAPERS.search(clause):
        return not _GATHERED.search(clause) or SPEAKS_OF_PAPERS.search(clause.split()[-1]) is not None
    if re.match(rf"\s+(?:{PAPERS})\b", after, re.IGNORECASE):
        return True
    return bool(_NOTHING_BUT_YEARS.fullmatch(after)) and _ends_a_question_for_papers(before, phrase, question)


def clause_after(after: str) -> str:
    """The first clause behind a phrase and its comma: what papers are asked for, if it is papers.

    >>> clause_after(", which papers deal with tides, and why?")
    'which papers deal with tides'
    """
    return re.split(r"[,;:?!]", after.strip(" ,"))[0]


def _ends_a_question_for_papers(before: str, phrase: str, question: str) -> bool:
    if _HAPPENS.search(before) or _GATHERED.search(before) or phrase.lower().startswith("of "):
        return False
    return asks_for_papers(question) or (_is_typed_into_a_box(before) and not _OF_ONE_YEAR.match(phrase))


def _is_typed_into_a_box(before: str) -> bool:
    """Is it a topic without a verb, as one types into a search box? "heart disease" is.

    >>> _is_typed_into_a_box("heart disease "), _is_typed_into_a_box("How did sleep change ")
    (True, False)
    """
    return 0 < len(before.split()) <= _MOST_WORDS and not _A_SENTENCE.search(before)
