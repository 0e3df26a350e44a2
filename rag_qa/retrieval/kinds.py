"""What kind of papers a question says it wants: types of documents, languages, none that were retracted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.phrases import PAPERS, POLITE, SPEAKS_OF_PAPERS, Knows, Phrase, asks_for_papers, clause_before, is_denied
from rag_qa.text import any_of

# What can be nothing but a kind of paper ...
_PLAIN_TYPES = {
    "review": "reviews?|review articles?|review papers?|systematic reviews?",
    "preprint": "preprints?",
    "editorial": "editorials?",
    "thesis": "theses|thesis|dissertations?",
    "chapter": "book chapters?",
    "conference": "conference papers?",
}
# ... and what may as well be what papers are about, or made of.
_OTHER_TYPES = {
    "review": "surveys?",
    "letter": "letters?",
    "chapter": "chapters?",
    "book": "books?",
    "conference": "proceedings",
    "report": "reports?",
    "dataset": "data ?sets?",
}
_PLAIN, _OTHER = "|".join(_PLAIN_TYPES.values()), "|".join(_OTHER_TYPES.values())
_OUT = r"excluding|except(?: for)?|ignoring|leaving out|other than|but (?:no|not)"
# A phrase between commas takes both with it.
_EXCLUDED = re.compile(
    r"(?P<comma>,)?\s*\b(?:(?:(?:that|which) )?(?:are|were) (?=not ))?"
    rf"(?:(?:{_OUT}|(?P<weak>without|not|no)) (?:any )?(?P<plain>{_PLAIN})|(?:{_OUT}) (?:any )?(?P<other>{_OTHER}))\b(?(comma),?)",
    re.IGNORECASE,
)
_SETS_OFF = re.compile(r"(?:^|[,;]|\b(?:and|or|but|are|is))\s*$", re.IGNORECASE)
_ONLY = re.compile(
    rf",?\s*\b(?:only|just) (?:in |from |the )?(?P<plain>{_PLAIN})\b|,\s*(?:only|just) (?:in |from |the )?(?P<other>{_OTHER})\b"
    rf"|\b(?P<last>{_PLAIN}) only\b",
    re.IGNORECASE,
)
_WANTED = any_of(
    "(?:which|what)(?: do| are)?(?: the)?|how many|(?:list|show|find|give|get|search|look)(?: for)?(?: me)?|(?:are|is) there|do you have"
)
_NOUN = re.compile(  # several: "Review of the pitot tube" is a title
    rf"^(?P<lead>{POLITE}(?:{_WANTED} )?(?:(?:all|any|the|recent|published) )*)(?P<plain>{_PLAIN})(?<=s)\b"
    r"(?= (?:on|about|of|regarding|concerning|that"
    r"|which|deals?|discuss|cover|address|are|say|find|report|conclude|show|with|from|since|in|by|published|before|after|between|up to|are there)\b)",
    re.IGNORECASE,
)
_ARE = re.compile(rf"\b(?:(?:that|which) )?are (?P<plain>{_PLAIN})(?<=s)(?=[\s?.!]*$)", re.IGNORECASE)
_NOT_RETRACTED = re.compile(
    rf",?\s*\b(?:excluding|except(?: for)?|without|ignoring|leaving out|but (?:no|not)|that (?:are|were|is|was) not|not|no) "
    rf"(?:any )?retracted(?: (?:{PAPERS}|ones))?\b|\bnon-?retracted\b",
    re.IGNORECASE,
)
_RETRACTED = re.compile(rf"\bretracted (?={PAPERS}\b)", re.IGNORECASE)
_ONLY_RETRACTED = re.compile(
    rf"^{POLITE}(?:(?:list|show|give|find)(?: me)? )?(?:all |only |the |just )*retracted (?:{PAPERS})(?=[\s?.!]*$)"
    rf"|^{POLITE}(?:which|what)(?: of the)? (?:{PAPERS}) (?:was|were|are|have been) retracted(?=[\s?.!]*$)"
    rf"|\b(?:only|just) (?:the )?retracted (?:ones|{PAPERS})\b|(?<=papers )(?:that|which) (?:were|are|have been) retracted\b",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\b(?:how many|number of|count)\b", re.IGNORECASE)

_LANGUAGES = {
    "english": "en",
    "german": "de",
    "french": "fr",
    "spanish": "es",
    "portuguese": "pt",
    "italian": "it",
    "chinese": "zh",
    "japanese": "ja",
    "russian": "ru",
    "korean": "ko",
    "dutch": "nl",
    "polish": "pl",
    "swedish": "sv",
    "danish": "da",
    "turkish": "tr",
}
_LANGUAGE = rf"(?P<language>{'|'.join(_LANGUAGES)})"
# "in German", and not "in German shepherds"
_NO_ADJECTIVE = (
    r"(?=[\s?.!]*$|\s*[,;)]| (?:on|about|of|regarding|concerning|dealing|with|that|which|who|where|since|from|before|after|between|until|up|by|at|in"
    r"|published|deals?|is|are|was|were|use|uses|study|report|say|says|show|find|discuss|address|cover|examine|investigate|mention|consider|compare"
    r"|describe|excluding|but|not)\b)"
)
_IN_LANGUAGE = re.compile(
    rf"\b(?:(?:that|which) )?(?P<verb>(?:are |were |is |was )?(?:written |published |available )?)in {_LANGUAGE}{_NO_ADJECTIVE}", re.IGNORECASE
)
_PAPERS_AT_END = re.compile(rf"\b(?!(?:study|work|review|survey|trial)\b){PAPERS}\s*$", re.IGNORECASE)  # "a case study in Italian" is about it
_OF_LANGUAGE = re.compile(rf"\b{_LANGUAGE}(?P<sure>[- ]language)? (?=(?:papers?|articles?|publications?|studies)\b)", re.IGNORECASE)
_IS_SUBJECT = re.compile(r"\b(?:on|of|about|in|for|with|use|study) (?:the )?$", re.IGNORECASE)
_CALLED_BY_LANGUAGE = re.compile(r"papers?|articles?|publications?", re.IGNORECASE)
_WITH_ANOTHER = re.compile(rf"\b(?:{'|'.join(_LANGUAGES)}),? (?:and|or) (?:in )?$|^,? (?:and|or) (?:in )?(?:{'|'.join(_LANGUAGES)})\b", re.IGNORECASE)


def not_retracted(question: str) -> Iterator[Phrase]:
    """ "excluding retracted papers", "only retracted papers". Where else papers are called retracted, a paper about retractions may be meant as well:
    the word goes, where no number is asked for.
    """
    if found := _NOT_RETRACTED.search(question):
        yield Phrase(found.start(), found.end(), Filters(without_retracted=True))
    elif found := _ONLY_RETRACTED.search(question):
        yield Phrase(found.start(), found.end(), Filters(only_retracted=True), "papers")
    elif (
        (found := _RETRACTED.search(question))
        and asks_for_papers(question[: found.start()] + question[found.end() :])
        and not _COUNTS.search(question)
    ):
        yield Phrase(found.start(), found.end(), Filters(), "")


def excluded(question: str) -> Iterator[Phrase]:
    """ "excluding reviews"."""
    for found in _EXCLUDED.finditer(question):
        before = question[: found.start()] + (found["comma"] or "")
        if not found["weak"] or _SETS_OFF.search(before) or _PAPERS_AT_END.search(before) or asks_for_papers(question):
            yield Phrase(found.start(), found.end(), Filters(exclude_types=(_type(found),)))


def only(question: str) -> Iterator[Phrase]:
    """ "only reviews"."""
    if (found := _ONLY.search(question)) and not is_denied(question[: found.start()] + " "):
        yield Phrase(found.start(), found.end(), Filters(type=_type(found)))


def wanted_type(question: str, knows: Knows) -> Iterator[Phrase]:
    """ "preprints on deep learning", "which papers are preprints?": papers of a type that the library has."""
    if (said := _ARE.search(question)) and asks_for_papers(question) and knows("type", _type(said)):
        yield Phrase(said.start(), said.end("plain"), Filters(type=_type(said)))
    elif (found := _NOUN.match(question)) and knows("type", _type(found)):
        yield Phrase(found.start("plain"), found.end("plain"), Filters(type=_type(found)), "papers")


def _type(found: re.Match[str]) -> str:
    groups = found.groupdict()
    words = next(word for group in ("plain", "other", "last") if (word := groups.get(group)))
    return next(name for types in (_PLAIN_TYPES, _OTHER_TYPES) for name, pattern in types.items() if re.fullmatch(pattern, words, re.IGNORECASE))


def language(question: str, knows: Knows) -> Iterator[Phrase]:
    """ "papers in German", "German-language papers", and "German papers" if the library has some."""
    for found in (*_IN_LANGUAGE.finditer(question), *_OF_LANGUAGE.finditer(question)):
        before, after = question[: found.start()], question[found.end() :]
        if is_denied(before) or _WITH_ANOTHER.search(before) or _WITH_ANOTHER.search(after):
            continue
        code = _LANGUAGES[found["language"].lower()]
        if _is_in_language(question, found) if "verb" in found.groupdict() else _is_of_language(found, code, after, knows):
            yield Phrase(found.start(), found.end(), Filters(language=code))
            return


def _is_in_language(question: str, found: re.Match[str]) -> bool:
    before = question[: found.start()]
    if _PAPERS_AT_END.search(before):
        return True
    is_said_of_papers = bool(found["verb"].strip()) and bool(SPEAKS_OF_PAPERS.search(clause_before(before)))
    return is_said_of_papers and asks_for_papers(question)


def _is_of_language(found: re.Match[str], code: str, after: str, knows: Knows) -> bool:
    if _IS_SUBJECT.search(found.string[: found.start()]):
        return False
    return bool(found["sure"]) or (bool(_CALLED_BY_LANGUAGE.match(after)) and knows("language", code))
