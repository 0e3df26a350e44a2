"""Questions for what the record of a paper says, and not its abstract: "Who wrote the paper on tides?", "What is the DOI of “How snow falls”?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_qa import text
from rag_qa.retrieval.phrases import POLITE


class Field(StrEnum):
    """What of a record is asked for; the value is what it is called."""

    AUTHORS = "authors"
    YEAR = "year"
    VENUE = "venue"
    DOI = "DOI"
    ARXIV = "arXiv id"
    PMID = "PubMed id"
    LINK = "link"
    TITLE = "title"
    KEYWORDS = "keywords"
    RETRACTED = "retraction"


@dataclass(frozen=True, slots=True)
class RecordQuestion:
    """`subject`: of which paper, in the words of the question. `is_described`: they may describe it ("the paper on tides"); else it has to be called
    so, or to propose what is called so.
    """

    field: Field
    subject: str
    is_described: bool


_S = r"(?P<subject>\S.*?)"
_DONE = r"(?:first )?(?:published|printed)"
_ID = r"(?:what(?: is|['’]s)|give me|show me|tell me|is there|do you (?:have|know))"
_OF = r"(?:of|for|to)"
_PLACE = r"(?:journal|conference|venue|magazine|workshop|proceedings)"


def _id(names: str) -> tuple[str, ...]:
    return (rf"(?:{_ID} )?(?:the |an? )?(?:{names}) {_OF} {_S}", rf"(?:what|which) (?:{names}) (?:does|has) {_S} (?:have|got)")


_FORMS: tuple[tuple[Field, tuple[str, ...]], ...] = (
    (
        Field.AUTHORS,
        (
            rf"who (?:wrote|authored|published) {_S}",
            rf"who (?:is (?:the )?(?:first |last |lead )?author|(?:are|were) (?:the )?(?:authors|writers)) of {_S}",
            rf"(?:what are|list|name|give me|tell me|show me)(?: all)? (?:the )?(?:names of (?:all )?(?:the )?)?authors of {_S}",
            rf"(?:the )?authors? of {_S}",
            rf"(?:who|by whom) (?:was|were|is) {_S} (?:written|authored|published)(?: by)?",
            rf"who (?:first )?(?:proposed|introduced|developed|invented) {_S}",
        ),
    ),
    (
        Field.YEAR,
        (
            rf"when (?:was|were|is) {_S} (?:{_DONE}|written|from)",
            rf"when did {_S} (?:appear|come out)",
            rf"(?:in |from )?(?:what|which) year (?:was|were|is) {_S} (?:{_DONE}|written|from)",
            rf"(?:in )?(?:what|which) year did {_S} (?:appear|come out)",
            rf"(?:what is|what['’]s|give me) the (?:year|date|publication (?:year|date)|(?:year|date) of publication) of {_S}",
        ),
    ),
    (
        Field.VENUE,
        (
            rf"(?:in |at )?(?:what|which) {_PLACE} (?:was|were|is) {_S} (?:{_DONE}|presented|in)(?: (?:in|at))?",
            rf"(?:in |at )?(?:what|which) {_PLACE} did {_S} appear(?: (?:in|at))?",
            rf"where (?:was|were|is) {_S} (?:{_DONE}|presented)",
            rf"where did {_S} appear",
            rf"(?:what is|what['’]s|give me) the (?:journal|conference|venue) of {_S}",
        ),
    ),
    (Field.DOI, _id("doi")),
    (Field.ARXIV, _id("arxiv (?:id|number|identifier)|arxiv")),
    (Field.PMID, _id("pmid|pubmed (?:id|number)")),
    (Field.LINK, _id("link|url|web address")),
    (Field.TITLE, (rf"what(?: is|['’]s) the (?:full |exact |whole )?title of {_S}",)),
    (Field.KEYWORDS, (rf"(?:what|which)(?: are)?(?: the)? keywords (?:of|for|does) {_S}(?: have)?",)),
    (Field.RETRACTED, (rf"(?:has|was|is) {_S} (?:been )?retracted", rf"is there a retraction of {_S}")),
)
_END = r"(?: please| exactly)?[\s?.!]*$"


_COMPILED = tuple((field, re.compile(rf"^{POLITE}(?:{form}){_END}", re.IGNORECASE)) for field, forms in _FORMS for form in forms)
# What stands for a paper in front of a colon, as a follow-up is understood: "TIDE-7: who are the authors?"
_IN_FRONT = re.compile(r"^(?P<front>[^:?]{2,200}): (?P<asked>\S.*)$")
_SHORT = (
    (Field.AUTHORS, re.compile(r"^(?:and )?who (?:are|were) (?:the|its|their) authors[\s?.!]*$|^(?:and )?(?:the )?authors\?$", re.IGNORECASE)),
    (
        Field.YEAR,
        re.compile(
            r"^(?:and )?(?:in |from )?(?:what|which) year[\s?.!]*$|^(?:and )?when(?: was (?:it|that|this) published)?[\s?.!]*$", re.IGNORECASE
        ),
    ),
    (Field.VENUE, re.compile(r"^(?:and )?(?:in |at )?(?:what|which) (?:journal|conference|venue)[\s?.!]*$", re.IGNORECASE)),
    (Field.DOI, re.compile(r"^(?:and )?(?:what(?: is|['’]s) )?(?:the|its) doi[\s?.!]*$", re.IGNORECASE)),
)
_QUOTED = re.compile(r"[“\"](?P<what>[^“”\"]+)[”\"]")
_OWNED = (
    (Field.AUTHORS, "authors?"),
    (Field.YEAR, "year|publication (?:year|date)"),
    (Field.VENUE, "journal|venue|conference"),
    (Field.DOI, "doi"),
    (Field.ARXIV, "arxiv id"),
    (Field.PMID, "pmid"),
    (Field.TITLE, "(?:full )?title"),
    (Field.KEYWORDS, "keywords"),
)
_OWN = re.compile(
    rf"^{POLITE}(?:(?:what|who|which)(?: (?:is|are|was|were)|['’]s)|give me|show me) (?P<subject>\S.*?)['’]s? "
    rf"(?P<what>{'|'.join(name for _, name in _OWNED)}){_END}",
    re.IGNORECASE,
)
_PAPER = r"(?:papers?|articles?|study|studies|publications?|preprints?|work)"
_DESCRIBED = re.compile(
    rf"^(?:the |this |that |your |a )?{_PAPER} (?:(?:called|titled|named|entitled|by the name of) )?"
    r"(?P<how>(?:on|about|regarding|concerning|that \w+|which \w+|with|of|using) )?(?P<what>\S.*)$",
    re.IGNORECASE,
)
_ITS_PAPER = re.compile(rf"^(?:the )?(?P<what>\S.*?)(?:['’]s)? {_PAPER}$", re.IGNORECASE)


def asked_of_record(question: str) -> RecordQuestion | None:
    """What a question asks of the record of a paper; None for any other question.

    >>> asked_of_record("Who wrote the paper on tides?")
    RecordQuestion(field=<Field.AUTHORS: 'authors'>, subject='tides', is_described=True)
    >>> asked_of_record("When was TIDE-7 published?"), asked_of_record("When was the dam built?")
    (RecordQuestion(field=<Field.YEAR: 'year'>, subject='TIDE-7', is_described=False), None)
    """
    plain = " ".join(question.split())
    if front := _IN_FRONT.match(plain):
        field = next((field for field, pattern in _SHORT if pattern.match(front["asked"])), None)
        quoted = _QUOTED.search(front["front"])
        if field:
            return RecordQuestion(field, quoted["what"] if quoted else front["front"], is_described=True)
    if own := _OWN.match(plain):
        return _of(next(field for field, name in _OWNED if re.fullmatch(name, own["what"], re.IGNORECASE)), own["subject"])
    for field, pattern in _COMPILED:
        if found := pattern.match(plain):
            return _of(field, found["subject"])
    return None


def _of(field: Field, subject: str) -> RecordQuestion | None:
    subject = subject.strip(" ?.!")
    if quoted := _ALL_QUOTED.match(subject):
        return RecordQuestion(field, quoted["what"], is_described=False)
    if _ANOTHER.search(subject):
        return None  # something else is asked as well
    if described := _DESCRIBED.match(subject):
        return RecordQuestion(field, described["what"].strip(_MARKS), is_described=bool(described["how"]))
    if its := _ITS_PAPER.match(subject):
        what = its["what"].strip(_MARKS)
        return RecordQuestion(field, what, is_described=not text.names(what))
    return RecordQuestion(field, subject.strip(_MARKS), is_described=False)


_ALL_QUOTED = re.compile(
    rf"^(?:the |this |that )?(?:{_PAPER} )?(?:(?:called|titled|named|entitled) )?[“\"](?P<what>[^“”\"]+)[”\"](?: {_PAPER})?$", re.IGNORECASE
)
_MARKS = "“”\"' "
_ANOTHER = re.compile(
    r"[?;]|\b(?:and|or|but),? (?:(?:in|at|on|by|to|for) )?(?:how|what|which|who|when|where|why|is|are|was|do|does|did)\b", re.IGNORECASE
)
