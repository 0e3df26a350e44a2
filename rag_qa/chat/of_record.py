"""Follow-ups that ask for what the record of a paper says: "who wrote it?", "in which journal?". They are about the paper that was cited first in the
last answer; its place in a list ("the third one") is put by its name before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_qa.chat.turns import Turn, called
from rag_qa.retrieval.record_questions import Field, asked_of_record
from rag_qa.text import any_of

_OPENING = r"(?:(?:and|but|so|ok(?:ay)?|please|also)[, ]+)*"
_END = r"(?: (?:please|exactly|then|by the way))*[\s?.!]*$"
_NOUN = any_of("paper|study|article|work|review|abstract|publication|preprint|one|survey|report|meta-analysis")
_IT = rf"(?:it|(?:this|that|the|the (?:first|above|last|same)) {_NOUN}|this|that)"
_WHAT_IS = r"(?:what(?: is|['’]s| was)|who (?:is|are|was|were)|give me|tell me|show me|do you (?:have|know)|what)"
_OWNER = rf"(?:the|its|their|{_IT}['’]s)"
_OF_IT = rf"(?: (?:of|for|to|in) {_IT})?"
_DONE = r"(?:(?:first )?(?:published|printed)|written|presented)"
_APPEAR = r"(?:appear|come out)"
_PLACE = any_of("journal|conference|venue|magazine|workshop|proceedings")


def _owned(names: str) -> str:
    """ "its DOI", "what is the DOI of it?", "doi?"."""
    return rf"(?:{_WHAT_IS} )?(?:{_OWNER} )?(?:{names}){_OF_IT}"


_FORMS: tuple[tuple[Field, str, tuple[str, ...]], ...] = (
    (
        Field.AUTHORS,
        "Who wrote {}?",
        (
            rf"who (?:wrote|authored|published) {_IT}",
            rf"who (?:is|are) {_IT} (?:by|from)|(?:by whom|who) (?:was|is) {_IT} (?:written|authored|published)(?: by)?",
            _owned("(?:first |last |lead )?(?:authors?|writers?)|names of the authors"),
        ),
    ),
    (
        Field.YEAR,
        "When was {} published?",
        (
            rf"when (?:was|is) {_IT} (?:{_DONE}|from)|when did {_IT} {_APPEAR}|how old is (?:this|that|the) {_NOUN}",
            rf"(?:(?:in|from) )?(?:which|what) year(?: (?:(?:was|is) {_IT} (?:{_DONE}|from)|did {_IT} {_APPEAR}|is {_IT}))?",
            _owned("year|publication (?:year|date)|date of publication|year of publication"),
        ),
    ),
    (
        Field.VENUE,
        "Where was {} published?",
        (
            rf"where (?:was|is) {_IT} {_DONE}|where did {_IT} appear",
            rf"(?:(?:in|at) )?(?:which|what) {_PLACE}(?: (?:(?:was|is) {_IT} (?:{_DONE}|in|from)|did {_IT} {_APPEAR})(?: (?:in|at))?)?",
            _owned(_PLACE),
        ),
    ),
    (Field.DOI, "What is the DOI of {}?", (_owned("doi"),)),
    (Field.ARXIV, "What is the arXiv id of {}?", (_owned("arxiv (?:id|number|identifier)"),)),
    (Field.PMID, "What is the PMID of {}?", (_owned("pmid|pubmed (?:id|number)"),)),
    (Field.LINK, "What is the link to {}?", (_owned("link|url|web address"),)),
    (Field.TITLE, "What is the title of {}?", (rf"{_WHAT_IS} (?:its|{_IT}['’]s) (?:full )?title|{_WHAT_IS} the (?:full )?title(?: of {_IT})?",)),
    (Field.RETRACTED, "Was {} retracted?", (rf"(?:was|is|has) {_IT} (?:been )?retracted",)),
)
_COMPILED = tuple((said, re.compile(rf"^{_OPENING}(?:{'|'.join(forms)}){_END}", re.IGNORECASE)) for _, said, forms in _FORMS)
_POINTER = re.compile(rf"\b{_IT}(?!['’])\b", re.IGNORECASE)


def of_record(question: str, turns: Sequence[Turn]) -> str | None:
    """The question with the paper that it is asked of; None for any other question, and where nothing was answered.

    >>> from rag_qa.papers import Paper
    >>> tides = Turn("How do tides turn?", (Paper("p1", "We ...", title="On the turn of tides"),))
    >>> of_record("Who wrote it?", [tides]), of_record("and the DOI?", [tides]), of_record("Who wrote GPT-4?", [tides])
    ('Who wrote “On the turn of tides”?', 'What is the DOI of “On the turn of tides”?', None)
    """
    said = next((said for said, pattern in _COMPILED if pattern.match(question)), None)
    paper = _paper_of(turns[-1]) if said and turns else ""
    if said is None or not paper:
        return None
    put = _POINTER.sub(lambda _: paper, question, count=1)
    return put if put != question and asked_of_record(put) else said.format(paper)


def _paper_of(turn: Turn) -> str:
    """What the paper is called that answered a turn; if none did, the one whose record was asked for."""
    if turn.papers:
        return called(turn.papers[0])
    asked = asked_of_record(turn.understood_as)
    if asked is None:
        return ""
    return (
        f"“{asked.subject}”"
        if " " in asked.subject and not asked.is_described
        else f"the paper on {asked.subject}"
        if asked.is_described
        else asked.subject
    )
