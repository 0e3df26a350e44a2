"""Authors and venues that a question names. A name counts only if the library knows it as a whole; one of several does not, since papers can be
narrowed by one only, or by two together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rag_qa import text
from rag_qa.retrieval.filters import Filters
from rag_qa.retrieval.phrases import PAPERS, PREFIX, SPEAKS_OF_PAPERS, Knows, Phrase, clause_before, is_denied
from rag_qa.text import any_of

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_INITIALS = rf"{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.)*"
_PARTICLES = r"(?:(?:van|von|de|der|den|di|da|la|le|al|du|dos|del|ten|ter) )*"
_WORD = rf"{_PARTICLES}(?:{_INITIALS}|{_CAPITAL}[\w'’-]*)"
_PERSON = rf"{_WORD}(?:(?: |(?<=\.)){_WORD}){{0,3}}(?:, {_INITIALS})?"
_TITLE = r"(?:(?:Dr|Prof|Professor|Mr|Mrs|Ms)\.? )?"
_ET_AL = r"(?:,? et al\.?| and (?:colleagues|co-?workers|others|(?:his|her|their) (?:group|team|colleagues)))?"
_BY = re.compile(rf"\b{PREFIX}by {_TITLE}(?P<name>{_PERSON}){_ET_AL}")
_ANOTHER_PERSON = re.compile(rf"(?:, {_PERSON})*,? (?:and|or|&|with|but not)(?: by)? {_PERSON}")
_BOTH = re.compile(rf" (?:and|&|together with|with)(?: by)? {_TITLE}(?P<name>{_PERSON})")
_OR = re.compile(r",? (?:or|nor)\b")
_NOT_BY = re.compile(r"\b(?:(?:that|which) (?:are|were) )?not (?:written )?$", re.IGNORECASE)
# "the method proposed by Smith"
_DONE = re.compile(r"\b(?!published|presented|accepted|authored|printed)\w+(?:ed|wn|ven|ught)\s*$", re.IGNORECASE)
_SAID = any_of(
    "written|write|said|say|reported|report|published|publish|shown|show|argued|argue|concluded|conclude",
    "found|find|discovered|discover|proposed|propose",
)
_IN_YEAR = r"(?:,? (?:in )?\(?(?P<year>(?:19|20)\d\d)\)?)"
_ASKED_OF = re.compile(
    rf"^(?i:what|which(?: (?:papers|articles|studies))?) (?:has|have|had|did|does|do) {_TITLE}(?P<name>{_PERSON})(?P<others>{_ET_AL}){_IN_YEAR}? "
    rf"(?P<verb>{_SAID})\b(?: out\b)?"
)
_COUNTED = re.compile(rf"^(?i:how many) (?P<noun>{PAPERS}) (?i:has|have|had|did) {_TITLE}(?P<name>{_PERSON}){_ET_AL} {_SAID}\b")
_WHO_IS = re.compile(rf"^(?i:and )?(?i:who(?: is|['’]s|se papers are by)) {_TITLE}(?P<name>{_PERSON})(?=[\s?.!]*$)")
# "by Smith 2021", "by Smith et al. (2021)"
_OF_YEAR = re.compile(r",? \(?(?P<year>(?:19|20)\d\d)\b\)?(?! ?[-–]| onwards?\b| to \d| or (?:later|earlier)\b)")
_WRITES = re.compile(r"writ|publish")
_FINDS = re.compile(r"found|find|shown?|report|discover|conclude|propose")
_OF_TOPIC = re.compile(r"\s*(?:about|on|regarding|concerning)\b")

_SMALL = r"(?: (?:of|and|for|in|the|on|&|de|del|la|und|für|et|di))+"
_NAME = rf"(?!(?:19|20)\d\d\b)(?:{_CAPITAL}|\d+(?= [A-Z])|[a-z]{{1,3}}[A-Z])[\w&.'’-]*"
_VENUE = re.compile(rf"\b{PREFIX}(?:[Ii]n|at|from) (?P<name>(?:[Tt]he )?{_NAME}(?:{_SMALL} {_CAPITAL}[\w&.'’-]*| {_CAPITAL}[\w&.'’-]*){{0,9}})")
_GOING_ON = re.compile(r"(?: [^\W\d_][\w&'’-]*){0,8}")
_JOINT = re.compile(r" (?:and )?(?:on|in) (?=\S)")
_ANOTHER_VENUE = re.compile(rf",? (?:or|and|&) (?:(?:in|at|from) )?(?P<name>(?:[Tt]he )?{_NAME}(?: {_CAPITAL}[\w&.'’-]*)*)")
_ITS_YEAR = re.compile(r" ((?:19|20)\d\d)\b(?! ?[-–]| onwards?\b)")  # "ICLR 2025"


_SMALL_WORD = r"[^\W\d_A-ZÀ-ÖØ-Þ][\w'’-]*[^\W\d_]"
_SMALL_NAME = re.compile(
    r"(?i:\bby |^(?:(?:and|but|so|ok|or|then) )*(?:what|how) about |^(?:and|or|but) |^who(?: is|['’]s) |^what (?:did|does|has|have) "
    rf"|^how many {PAPERS} (?:did|has|have) )(?P<name>{_SMALL_WORD}(?: {_SMALL_WORD}){{0,3}})"
)


def with_capitals(question: str, is_author: Callable[[str], bool]) -> str:
    """Names of authors that were typed in small letters, as names are written, where somebody who is named may stand.

    >>> known = {"volk", "clare rusbridge"}
    >>> with_capitals("papers by clare rusbridge on pain", known.__contains__), with_capitals("what about volk", known.__contains__)
    ('papers by Clare Rusbridge on pain', 'what about Volk')
    >>> with_capitals("cells seen by volk", known.__contains__), with_capitals("what about pain", known.__contains__)
    ('cells seen by Volk', 'what about pain')
    """

    def named(found: re.Match[str]) -> str:
        words = found["name"].split()
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            if name == name.lower() and is_author(name):
                start = found.start("name") - found.start()
                return found.group()[:start] + " ".join(_capitalised(word) for word in words[:count]) + found.group()[start + len(name) :]
        return found.group()

    return _SMALL_NAME.sub(named, question)


def _capitalised(word: str) -> str:
    return word if re.fullmatch(_PARTICLES, f"{word} ") else word[0].upper() + word[1:]


def author(question: str, knows: Knows) -> Iterator[Phrase]:
    """ "by Smith", "by Smith and Jones" (by both), "not by Smith", where papers are spoken of before it."""
    has_one = False
    for found in _BY.finditer(question):
        before = question[: found.start()]
        name = found["name"].rstrip(",")
        if not SPEAKS_OF_PAPERS.search(before) or _DONE.search(before) or not (_is_name(name) and knows("author", name)):
            continue
        denied = _NOT_BY.search(before)
        if (is_denied(before) and not denied) or (has_one and not denied):
            continue
        if denied and _OR.match(question, found.end()):
            continue
        others = _ANOTHER_PERSON.match(question, found.end())
        if others is None:
            start = denied.start() if denied else found.start()
            its_year = None if denied else _OF_YEAR.match(question, found.end())
            end = its_year.end() if its_year else found.end()
            year = int(its_year["year"]) if its_year else None
            yield Phrase(start, end, Filters(not_by=(name,)) if denied else Filters(author=name, year_from=year, year_to=year))
            has_one = has_one or not denied
            continue
        both = _BOTH.fullmatch(others.group())
        if both and not denied and _is_name(both["name"]) and knows("author", both["name"]):
            yield Phrase(found.start(), others.end(), Filters(author=name, also_by=(both["name"],)))
            has_one = True


def asked_of(question: str, knows: Knows) -> Iterator[Phrase]:
    """ "What has Clare Rusbridge written about pain?": which papers of hers are about it? "What did she find?": what do they find? "Who is she?": her
    papers, which is all that is known of her.
    """
    if counted := _of_known(_COUNTED.match(question), knows):
        asked = f"How many {counted['noun']}" + (" are" if _OF_TOPIC.match(question, counted.end()) else "")
        yield Phrase(0, counted.end(), Filters(author=counted["name"]), asked, counted["name"])
    if person := _of_known(_WHO_IS.match(question), knows):
        yield Phrase(0, person.end(), Filters(author=person["name"]), "Which papers", person["name"])
    found = _of_known(_ASKED_OF.match(question), knows)
    if not found:
        return
    rest, opening = question[found.end() :], found.group().split()[0].lower()
    asked = f"What do papers {'find' if _FINDS.match(found['verb']) else 'say'}"
    if opening == "which" or _WRITES.match(found["verb"]) or not text.words(text.fold(rest).text):
        asked = "Which papers are" if _OF_TOPIC.match(rest) else "Which papers"
    year = int(found["year"]) if found["year"] else None
    named = f"{found['name']} {year}" if year else found["name"]
    yield Phrase(0, found.end(), Filters(author=found["name"], year_from=year, year_to=year), asked, named)


def _of_known(found: re.Match[str] | None, knows: Knows) -> re.Match[str] | None:
    return found if found and _is_name(found["name"]) and knows("author", found["name"]) else None


def asks_for_findings(question: str) -> bool:
    """Does a question ask what somebody found, or says, and nothing more of it?

    >>> asks_for_findings("What did Volk et al. (2021) find?"), asks_for_findings("What has Volk written?")
    (True, False)
    """
    found = _ASKED_OF.match(question)
    return found is not None and not _WRITES.match(found["verb"]) and not text.words(text.fold(question[found.end() :]).text)


def cited(question: str) -> str:
    """Whose finding a question asks for as one cites a paper, with its year or others, so that it can be nothing but an author; "" if it does not.

    >>> cited("What did Volk et al. 2021 find about pain?"), cited("What did Volk find?")
    ('by Volk', '')
    """
    found = _ASKED_OF.match(question)
    return f"by {found['name']}" if found and _is_name(found["name"]) and (found["others"] or found["year"]) else ""


def unread(question: str) -> Iterator[str]:
    """Who papers are said to be by, or not to be by, in a question that such filters as can be read are gone from.

    >>> list(unread("papers by Rusbridge and Volk on pain")), list(unread("papers not by Volk")), list(unread("cells affected by Jones"))
    (['by Rusbridge and Volk'], ['not by Volk'], [])
    """
    for found in _BY.finditer(question):
        before = question[: found.start()]
        if SPEAKS_OF_PAPERS.search(clause_before(before)) and not _DONE.search(before) and _is_name(found["name"]):
            other = _ANOTHER_PERSON.match(question, found.end())
            yield ("not " if is_denied(before) else "") + question[found.start() : other.end() if other else found.end()]


def people(phrase: str) -> list[str]:
    """The names in a phrase that `unread` gave.

    >>> people("not by Rusbridge or Volk")
    ['Rusbridge', 'Volk']
    """
    return re.findall(_PERSON, phrase)


def venue(question: str, knows: Knows) -> Iterator[Phrase]:
    """ "in Nature", "at ICLR 2025", where papers are spoken of."""
    if not SPEAKS_OF_PAPERS.search(question):
        return
    for found in _VENUE.finditer(question):
        name = _known_venue(found["name"], knows, _GOING_ON.match(question, found.end()).group())  # type: ignore[union-attr]
        end = found.start("name") + len(name)
        if not name or is_denied(question[: found.start()]) or _is_one_of_several(question, end, knows):
            continue
        its_year = _ITS_YEAR.match(question, end)
        year = int(its_year.group(1)) if its_year else None
        yield Phrase(found.start(), its_year.end() if its_year else end, Filters(venue=name, year_from=year, year_to=year))
        return


def _known_venue(words: str, knows: Knows, going_on: str = "") -> str:
    """The longest beginning of a name that the library knows, cut where a new phrase may begin: "Nature" of "Nature on Mars", but not of "Nature
    Reserves".

    `going_on`: the words behind it that may be part of it: of many a journal only the first word has a capital.

    >>> _known_venue("Nature on Mars", lambda field, name: name == "Nature")
    'Nature'
    >>> _known_venue("Global", lambda field, name: name == "Global change biology", " change biology on dunes")
    'Global change biology'
    """
    longer = [f"{words}{going_on[: blank.start()]}" for blank in re.finditer(r" |$", going_on) if blank.start()]
    shorter = [words[: joint.start()] for joint in _JOINT.finditer(words)]
    candidates = (name.rstrip(".,;:'’-") for name in (*reversed(longer), words, *reversed(shorter)))
    return next((name for name in candidates if _is_name(name) and knows("venue", name)), "")


def _is_one_of_several(question: str, end: int, knows: Knows) -> bool:
    other = _ANOTHER_VENUE.match(question, end)
    return bool(other and _known_venue(other["name"], knows))


def _is_name(name: str) -> bool:
    """Is a name more than stop words? "The" is none.

    >>> _is_name("The Lancet"), _is_name("The")
    (True, False)
    """
    return any(word.text not in text.STOPWORDS for word in text.words(text.fold(name).text))
