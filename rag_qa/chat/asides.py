"""Asides: what is asked of the program or of the library as a whole, and of no paper.

Few forms, each of which must be the whole of what is said: a question of research that was taken for one of these would never be searched for.
"""

from __future__ import annotations

import re

from rag_qa.answering.about_library import OfLibrary
from rag_qa.text import any_of

_POLITE = r"(?:(?:hi|hello|hey|please|ok|okay|so|and|but|well|now)\b[,!.:]? ?|(?:can|could|would) you (?:please )?(?:tell me )?|tell me,? )*"
_END = r"(?: (?:please|now|exactly|here|then|really|actually))*[\s?.!]*$"


def _whole(*forms: str) -> re.Pattern[str]:
    return re.compile(rf"^{_POLITE}(?:{'|'.join(forms)}){_END}", re.IGNORECASE)


# ------------------------------------------------------------------------------------------------------------ the program

_WHO = _whole(
    "(?:what|who) are you",
    r"(?:what(?: is|['’]s) your name|who (?:made|built|wrote|created) you)",
    r"are you (?:an? )?(?:(?:real |chat)?bot|robot|human|person|machine|program|real|ai|llm|(?:large )?language model|search engine|chatgpt|gpt)",
    "(?:introduce|describe) yourself",
)
_ABLE = _whole(
    "what (?:all )?(?:can|do) you do(?: for me)?",
    "what are you (?:for|good for|able to do|capable of)",
    "(?:how|what) can you help(?: me)?(?: with)?",
    "how do you work",
    "how (?:do|can|should|shall) i (?:use|work with|talk to|ask) (?:this|you)(?: (?:thing|tool|program|page|app|chat))?",
    "what (?:can|may|should|could) i ask(?: you| here)?(?: (?:about|for))?",
    r"(?:i need )?help(?: me)?|what (?:kinds?|sorts?) of questions (?:can|may|should) i ask(?: you)?|what questions can you answer",
)
_RELIABLE = _whole(
    "how (?:confident|sure|certain|reliable|accurate|trustworthy|good) are (?:you|your answers)",
    "(?:can|should|may) i (?:trust|rely on|believe) (?:you|your answers)",
    r"are (?:you|your answers) (?:reliable|accurate|trustworthy|correct|always right)",
    "do you (?:ever )?(?:make (?:things|stuff|answers|anything) up|make up (?:things|stuff|answers|anything)|hallucinate|lie|guess|invent things)",
)
_SOURCES = _whole(
    "where do (?:you get|you take|you know|you have) (?:your (?:answers|information|knowledge|facts|data)|(?:this|that|it|all this))(?: from)?",
    "where do your (?:answers|facts) come from|what are your sources",
    "where does (?:your (?:information|knowledge|data)) come from",
)
# Without anything said before these can't mean an answer.
_SOURCES_AT_FIRST = _whole("where (?:does|did) (?:this|it|all this|that) come from", r"what(?: is|['’]s) (?:the|your) source")
_WHO_AT_FIRST = _whole("what(?: is|['’]s) this(?: (?:thing|tool|program|page|app|chat))?")
_ABLE_AT_FIRST = _whole("how does (?:this|it all)(?: (?:thing|tool|program|page|app|chat))? work")

_ANSWERS = (
    (
        _WHO,
        _WHO_AT_FIRST,
        "I am rag_qa, a program that answers questions from the paper abstracts of this library. Each sentence of an answer cites the paper that "
        "says it; I know nothing beyond these abstracts.",
    ),
    (
        _ABLE,
        _ABLE_AT_FIRST,
        "Ask in plain language, for example “What is …?”, “How do … and … differ?”, “Which papers deal with …?” or “What is this library about?”, "
        "and ask on with “why?”, “any others?” or “the second one”. I answer from the abstracts of this library and say so when they do not answer.",
    ),
    (
        _RELIABLE,
        None,
        "That differs from answer to answer: when it seems too unlikely that the abstracts answer, I say that they do not. Each sentence cites the "
        "passage that it rests on; read it, since I can choose the wrong one. Whether what an abstract says is true, I cannot tell.",
    ),
    (
        _SOURCES,
        _SOURCES_AT_FIRST,
        "From the paper abstracts of this library, and from nothing else: each sentence of an answer cites its paper, and the passage that it rests "
        "on is shown below it.",
    ),
)


def about_program(question: str, *, is_first: bool = False) -> str | None:
    """What to say of the program itself; None for any other question. `is_first`: nothing was asked before that "this" could mean.

    >>> (about_program("What are you?") or "").split(",")[0], about_program("What are you-only look once models?")
    ('I am rag_qa', None)
    """
    for pattern, at_first, said in _ANSWERS:
        if pattern.match(question) or (is_first and at_first is not None and at_first.match(question)):
            return said
    return None


# ------------------------------------------------------------------------------------------------------------ the library

_LIBRARY = r"(?:(?:this|the|your|our|my) )?(?:paper )?(?:library|collection|corpus|index|database|archive)"
_PAPERS = (
    r"(?:all )?(?:(?:of )?(?:the|these|your|our|my) )?(?:papers|abstracts|articles)"
    rf"(?: (?:here|there|you have|in (?:here|it|this|{_LIBRARY})))?"
)
_ALL = rf"(?:{_LIBRARY}|{_PAPERS}|you)"
_THERE = rf"(?:are|is) (?:there|represented|covered|included)(?: (?:here|in {_LIBRARY}))?"
_IN = rf"(?:(?:(?:are|is) )?(?:in|of|from|for|by) {_ALL}|{_THERE}|do (?:you|we|i) have|here)"
_HAS = any_of("cover|covers|include|includes|span|spans|have|has|contain|contains|hold|holds|deal with|deals with|know|know about|come from|use")
_WHAT = r"(?:which|what|list(?: me)?(?: all)?|show(?: me)?(?: all)?|name(?: all)?)(?: are)?(?: (?:all|the))*"
_COMMON = r"(?:(?:main|different|most (?:common|frequent|usual)|usual|various) )?"


def _of(nouns: str, *more: str) -> re.Pattern[str]:
    """A question for all of some noun that the library has."""
    return _whole(
        rf"{_WHAT} {_COMMON}(?:{nouns})(?: {_IN}|,? (?:does|do) {_ALL} {_HAS})",
        rf"(?:list|show me|name|show) all (?:of )?(?:the )?(?:{nouns})",
        *more,
    )


_ASKED: tuple[tuple[OfLibrary, re.Pattern[str]], ...] = (
    (OfLibrary.SIZE, _whole(rf"how (?:big|large) is {_LIBRARY}|(?:what is )?the size of {_LIBRARY}")),
    (
        OfLibrary.SUBJECT,
        _of(
            "topics|subjects|themes|fields|areas|research (?:topics|areas|fields)",
            rf"what (?:is|are) (?:{_LIBRARY}|the papers (?:here|in (?:here|{_LIBRARY}))|your papers)(?: (?:all|mainly|mostly))? (?:about|on)",
            rf"what(?: is|['’]s) in {_LIBRARY}|what does {_LIBRARY} (?:contain|hold|cover|have|deal with)",
            rf"what (?:kinds?|sorts?) of papers (?:are (?:there|in {_LIBRARY})|do you have)",
            rf"what do you (?:know|know about)|describe {_LIBRARY}|(?:give me )?an overview of {_LIBRARY}",
        ),
    ),
    (
        OfLibrary.YEARS,
        _of(
            "years|period|time span|time|range of years",
            rf"(?:from|of) (?:what|which) years are (?:{_PAPERS})",
            rf"how (?:old|new|recent|up[- ]to[- ]date) (?:is {_LIBRARY}|are (?:{_PAPERS}))",
            rf"when were (?:{_PAPERS}) (?:published|written)",
            rf"(?:what|how old|when)(?: is|['’]s| was) the (?:oldest|newest|latest|earliest|most recent) (?:paper|year|article)"
            rf"(?: (?:here|in {_LIBRARY}|you have))?",
        ),
    ),
    (OfLibrary.VENUES, _of("venues|journals|conferences|journals and conferences|magazines")),
    (OfLibrary.AUTHORS, _of("authors|researchers|people|scientists", rf"who (?:wrote|are the authors of) (?:{_PAPERS}|{_LIBRARY})")),
    (OfLibrary.TYPES, _of("(?:types|kinds) of (?:documents|papers|publications)|document types|types")),
    (OfLibrary.LANGUAGES, _of("languages", rf"(?:in )?(?:what|which) languages? are (?:{_PAPERS})(?: (?:in|written in))?")),
    (OfLibrary.KEYWORDS, _of("keywords|key words|tags")),
    (
        OfLibrary.FILES,
        _of(
            "files|folders",
            rf"where (?:do|did) (?:{_PAPERS}) come from|where is {_LIBRARY} from|(?:which|what) files (?:were|are|did you) (?:index|indexed|read)",
        ),
    ),
)
# "it" is the library where nothing else was spoken of
_IT = re.compile(
    r"\b(?:it|this)(?= (?:cover|covers|include|includes|span|spans|contain|contains|hold|holds)\b)|(?<=\bwhat is )this(?= about\b)", re.IGNORECASE
)
_NOUN = "(?:papers|abstracts|articles|publications|works|studies)"
_BEING = r"(?: (?:are|is|do|does|there|we|i|have|has|hold|holds|contain|contains|in|know|indexed|stored|total|all|altogether|overall|currently))*"
_NUMBER = _whole(rf"how many {_NOUN}{_BEING} (?:{_LIBRARY}|you){_BEING}", rf"(?:what is )?the number of {_NOUN} in {_LIBRARY}")


def about_library(question: str, *, is_first: bool = False) -> OfLibrary | None:
    """What a question asks of the library as a whole; None for any other question. `is_first`: nothing was asked before that "it" could mean.

    >>> about_library("Which years does this library cover?"), about_library("Which years does the drought cover?")
    (<OfLibrary.YEARS: 'years'>, None)
    """
    asked = _IT.sub("the library", question) if is_first else question
    return next((kind for kind, pattern in _ASKED if pattern.match(asked)), None)


def counts_library(question: str) -> bool:
    """Does a question ask how many papers the library has, and say that it means the library?

    >>> counts_library("How many papers are in this library?"), counts_library("How many papers are there?")
    (True, False)
    """
    return bool(_NUMBER.match(question))


def is_aside(question: str, *, is_first: bool = False) -> bool:
    """Is a question for the program or for the library as a whole, so that nothing that is said later goes on with it?"""
    return (
        about_program(question, is_first=is_first) is not None or about_library(question, is_first=is_first) is not None or counts_library(question)
    )
