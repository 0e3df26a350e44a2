"""Follow-ups on several papers: "any others?", "the second one", "compare the first two", "which of them is faster?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_qa import text
from rag_qa.chat.pointing import GENERIC, depends, masked, replaced
from rag_qa.chat.turns import LISTING, LOOKED_BACK, Turn, asks_for_all, called, each_of_them, joined, listed, papers_asked_for, put_in_front, subject
from rag_qa.retrieval.ordering import order_wanted
from rag_qa.retrieval.set_questions import asked_for_set
from rag_qa.text import any_of

_AND = r"^(?:(?:and|but|so|then|ok(?:ay)?|now),? )*"

# ----------------------------------------------------------------------------------------------------------- other papers

OTHERS = re.compile(
    rf"{_AND}(?:(?:(?:are|is) there |do you (?:have|know) |what about |how about |show me |give me |find )?(?:any|some|the)? ?"
    r"(?:others|rest|other|more|other ones|more of (?:them|these|those)|anything else"
    r"|(?:other|further|more) (?:papers|works?|studies|abstracts|articles))"
    r"|(?:any |other |more |some )?(?:similar|related|comparable) (?:ones|papers|works?|studies|articles|methods|approaches)"
    r"|(?:any |other )?(?:papers|works?|studies|anything) (?:like|similar to) (?:this|that|it|these|those)"
    r"|what else(?: is there| do you have)?|who else|which (?:others?|else)|show more"
    r"|(?:is|are) (?:that|this|these|those|they|there)(?: really)? (?:all|it|everything)(?: of them| there is)?)"
    r"(?: (?:like (?:this|that|these|those|it)|on (?:this|that|it|the same)(?: topic| subject)?|about (?:this|that|it)"
    r"|too|as well|please))*[\s?.!]*$",
    re.IGNORECASE,
)
# "any others on red teaming?"
_OTHERS_ON = re.compile(
    rf"{_AND}(?:(?:are|is) there |do you (?:have|know) |what about |how about |show me |give me |find )?(?:any|some)? ?"
    r"(?:others?|more|other (?:ones|papers|works?|studies)|more (?:papers|works?|studies)|anything else)"
    r" (?P<topic>(?:on|about|with|using|dealing with|concerning) (?!(?:this|that|it|the same|these|those|them)\b)\S.*?)"
    r"(?: too| as well| please)*[\s?.!]*$",
    re.IGNORECASE,
)
_SAYS_ON_WHAT = re.compile(r"\b(?:on|about|like|similar to) (?:this|that|it|the same)\b|\b(?:similar|related|comparable)\b", re.IGNORECASE)
# not "anything else?", which after an answer asks for more of it
_OTHER_ONES = re.compile(r"\bothers?\b(?! than)|\bmore (?:papers|works?|studies|abstracts|articles)\b", re.IGNORECASE)
_SIMILAR = re.compile(r"\b(?:similar|related|comparable)\b", re.IGNORECASE)
_OTHER_PAPERS = re.compile(
    r"\b(?:any|which|what|some|are there|is there|list all)\b.{0,12}\bother (?:papers|works?|studies|abstracts|articles)\b|^others: ", re.IGNORECASE
)
_OTHER_MEMBERS = re.compile(
    r"^(?:which|what) other (?:methods|approaches|techniques|algorithms|frameworks|benchmarks|publications|preprints)\b", re.IGNORECASE
)
_NOUN_OF_LIST = re.compile(
    r"\b(which|what|any|find|list|show|name)((?: me)?(?: all)?(?: \w+){0,2}?) (papers|works|studies|abstracts|articles|methods"
    r"|approaches|frameworks|techniques)\b",
    re.IGNORECASE,
)


def asks_for_others(understood: str) -> bool:
    """Does a question as it was understood ask for papers that were not named yet?

    >>> asks_for_others("Which other papers study privacy?"), asks_for_others("Which papers study privacy?")
    (True, False)
    """
    return bool(_OTHER_PAPERS.search(understood) or (_OTHER_MEMBERS.match(understood) and asked_for_set(understood)))


def others(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Any others?" after a question for papers: that question, for other ones."""
    if (about := _OTHERS_ON.match(question)) and not asks_for_others(question):
        return f"Which other papers are {about['topic']}?"
    if not OTHERS.match(question):
        return None
    if _SAYS_ON_WHAT.search(question) and not is_list(turns[-1]):
        return _others_on_that(turns[-1].understood_as) or (_others_on(turns[-1]) if _SIMILAR.search(question) else None)
    listed_last = last_list(turns)
    if listed_last is None and _OTHER_ONES.search(question) and turns[-1].papers:
        return _others_on_that(turns[-1].understood_as) or _others_on(turns[-1])
    if listed_last is None or (_LEFT.match(question) and not is_list(turns[-1])):
        return None
    last = listed_last.understood_as
    asked = papers_asked_for(last)
    if asks_for_others(last):
        return last
    if asks_for_all(last):
        order = order_wanted(last)
        return "list all other papers" + (f", {order.value}" if order else "")
    again, changed = _NOUN_OF_LIST.subn(r"\1\2 other \3", last, count=1)
    if changed and asks_for_others(again):
        return again
    return asked.asked("Which other") if asked else f"others: {last}"


def is_list(turn: Turn) -> bool:
    """Did a turn ask for papers, or for a comparison of them?"""
    return bool(papers_asked_for(turn.understood_as) or LISTING.search(turn.understood_as) or asks_for_all(turn.understood_as))


def last_list(turns: Sequence[Turn]) -> Turn | None:
    """The turn whose papers "any others?" goes beyond: one of the last few."""
    back = range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1)
    return next((turns[i] for i in back if is_list(turns[i])), None)


def _others_on(last: Turn) -> str | None:
    """The same on what a turn was about by its name, if it was answered."""
    about = subject(last)[0] if last.papers else ""
    return f"Which other papers are about {about}?" if about else None


def _others_on_that(last: str) -> str | None:
    """ "Any others about that?" after a question for no list: on what that question was about, besides the names in it."""
    names = {text.fold(name).text for name in text.names(last)}
    topic = [word for word in text.content_words(put_in_front(last) or last) if word not in names and word not in GENERIC]
    return f"Which other papers are about {' '.join(topic)}?" if topic else None


# ------------------------------------------------------------------------------------------------------ places in a list

_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_PLACES = {"former": 0, "latter": 1, "last": -1}
_PLACES |= {rank: place for place, rank in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split())}
_PLACES |= {rank: place for place, rank in enumerate("1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split())}
_RANK = any_of(*(rank for rank in _PLACES if rank not in ("former", "latter")))
_NOUN = r"(?:one|paper|abstract|method|approach|work|study|article|result|source|framework|model|algorithm|system)"
_ASKED_OF = (
    r"about|faster|slower|better|worse|larger|smaller|bigger|newer|older|cheaper|need|needs"
    r"|do|does|did|is|are|was|were|use|uses|propose|proposes|achieve|achieves|say|says|differ|differs|with (?:the )?(?:"
    + _RANK
    + r"|it)\b|compare|differ|agree|relate"
    r"|and (?:the )?" + _RANK + rf"(?: {_NOUN})?(?=\W*$| (?:compare|differ|agree|relate)\b)"
)
ORDINAL = re.compile(
    rf"\bthe (?P<rank>{_RANK}|other) (?:{_NOUN}|of (?:them|these|those))\b(?! (?:to|that|which|on|about|of)\b)"
    rf"|\bthe (?P<pair>former|latter)(?: {_NOUN})?\b"
    rf"|\bthe (?P<alone>{_RANK})(?=\s*(?:$|[?.,!]|(?:{_ASKED_OF})\b))"
    rf"|(?:^|(?<=and )|(?<=about )|(?<=with )|(?<=no, ))(?P<bare>{_RANK})(?: {_NOUN})?(?=\s*(?:$|[?.!]))"
    r"|(?:\b(?:paper|source|reference) |#|\[)(?P<number>\d{1,2})\b\]?|\b(?:number|no\.) (?P<digit>\d)\b"
    rf"|\b(?:paper|number) (?P<word>{any_of(*_WORDS)})\b",
    re.IGNORECASE,
)
_RUN = re.compile(
    rf"\bthe (?P<end>first|last|top) (?P<many>{any_of(*list(_WORDS)[1:])}|[2-9])\b(?: {_NOUN}s| studies| ones)?"
    r"(?=\s*(?:$|[?.,!]|of (?:them|these|those)\b|(?:do|did|are|were|use|differ|say|propose|agree|have)\b))(?: of (?:them|these|those))?",
    re.IGNORECASE,
)
_RANK_AND_NOUN = re.compile(rf"\bthe (?P<rank>{_RANK}) (?P<noun>[a-z]+)\b", re.IGNORECASE)
_MOST_PLACES = 4


def by_place(question: str, turns: Sequence[Turn]) -> str | None:
    """ "The second one", "the latter", "paper 3", "the first two": what stands at that place in the last list."""
    if _LEFT.match(question):
        return _those_left(turns)
    found = _with_run(question, turns)
    for _ in range(_MOST_PLACES):
        put = _with_place(found or question, turns)
        if put is None:
            break
        found = put
    return found


_LEFT = re.compile(r"^(?:and |what about |how about )*the (?:others|other ones|rest|other papers)[\s?.!]*$", re.IGNORECASE)


def _those_left(turns: Sequence[Turn]) -> str | None:
    """What was listed, and not asked about in the last question."""
    left = [name for paper in listed(turns) if (name := called(paper)) not in turns[-1].understood_as]
    return f"what about {joined(left[:_MOST_PLACES])}?" if left else None


def _with_run(question: str, turns: Sequence[Turn]) -> str | None:
    run = _RUN.search(masked(question))
    if run is None:
        return None
    count = _WORDS.get(run["many"].lower()) or int(run["many"])
    names = [called(paper) for paper in listed(turns)]
    if len(names) < count:
        return None
    some = names[-count:] if run["end"].lower() == "last" else names[:count]
    return question[: run.start()] + joined(some) + question[run.end() :]


def _with_place(question: str, turns: Sequence[Turn]) -> str | None:
    plain = masked(question)
    match = ORDINAL.search(plain) or _place_of_named(plain, turns)
    if match is None:
        return None
    name = _at(match, turns)
    return question[: match.start()] + name + question[match.end() :] if name else None


def _place_of_named(question: str, turns: Sequence[Turn]) -> re.Match[str] | None:
    """ "The second strategy" after a question about the strategies A and B."""
    match = _RANK_AND_NOUN.search(question)
    if match is None or len(text.names(turns[-1].understood_as)) < 2:
        return None
    last = {text.stem(word) for word in text.content_words(turns[-1].understood_as)}
    return match if text.stem(match["noun"].lower()) in last else None


def _at(match: re.Match[str], turns: Sequence[Turn]) -> str | None:
    """What stands at a place."""
    place = next(group for group in match.groups() if group).lower()
    is_number = place.isdigit() or place in _WORDS
    named = list(dict.fromkeys(text.names(turns[-1].understood_as)))
    names = named if len(named) > 1 and not is_number else [called(paper) for paper in listed(turns)]
    if place == "other":
        return _other_one(names, turns[-1].understood_as)
    index = (_WORDS.get(place) or int(place)) - 1 if is_number else _PLACES[place]
    return names[index] if names and -1 <= index < len(names) and (index >= 0 or place == "last") else None


def _other_one(names: Sequence[str], last: str) -> str | None:
    """The one of two that was not spoken of last."""
    left = [name for name in names if name not in last]
    if len(left) == 1 and len(names) > 1:
        return left[0]
    return names[1] if len(names) > 1 else None


# ----------------------------------------------------------------------------------------------------- several things

OF_SEVERAL = re.compile(
    r"\b(?P<which>which|what|any|none|one|each|all|some|both|either|neither) of (?:them|these|those|the (?:(?:two|three|four|five)|(?:(?:two"
    r"|three|four|five) )?(?:papers|methods|approaches|works|models|frameworks|systems|algorithms|studies)"
    r"(?! (?:that|which|on|about|with|without|using|for|from|by|in|of|since|before|after|dealing)\b)))\b"
    r"|\bwhich one\b(?! of\b)|\b(?P<alone>both|either|neither)\b(?! (?:of|\w+ (?:and|or|nor))\b)",
    re.IGNORECASE,
)
# "which is quicker on large pictures?": of those that were compared
_THE_BETTER = re.compile(
    r"^(?:and |but |so )*(?P<which>which|what)(?= (?:(?:is|was|are|were|performs?|does|works?|runs?|scales?|trains?|gets?|costs?|needs?|uses?|has)"
    r" (?:\w+ )?(?:\w{3,}er|better|worse|more|less|the \w+est|best|most|least)\b|wins\b))",
    re.IGNORECASE,
)
_SAYS_LITTLE = 2
_THEY = re.compile(r"\b(?:they|them|their|these|those)\b", re.IGNORECASE)


_HOW_MANY = re.compile(r"\bthe (?P<many>two|three|four)\b|\b(?:both|either|neither)\b", re.IGNORECASE)


def _the_last(match: re.Match[str], turns: Sequence[Turn]) -> str:
    """ "The two", which were asked about one after the other: their names, unless several were asked about at once since."""
    found = _HOW_MANY.search(match.group())
    if found is None:
        return ""
    count = _WORDS[(found["many"] or "two").lower()]
    names: list[str] = []
    for i in range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1):
        about, is_name = subject(turns[i])
        if each_of_them(turns[i]) or not turns[i].papers:
            return ""
        names = list(dict.fromkeys([*names, about] if is_name else names))
        if len(names) == count:
            return joined(names[::-1])
    return ""


def of_several(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Which of them ...?", "which one ...?", "do they ...?" after a question about several things: their names."""
    plain = masked(question)
    match = OF_SEVERAL.search(plain) or _THE_BETTER.match(plain)
    if match and re.search(r"the papers$", match.group(), re.IGNORECASE) and len(text.content_words(plain)) > _SAYS_LITTLE:
        return None  # those of the library
    if text.names(plain) or not (match or _THEY.search(plain)):
        return None
    back = range(len(turns) - 1, max(-1, len(turns) - 1 - LOOKED_BACK), -1)
    they = (_the_last(match, turns) if match else "") or next(filter(None, (each_of_them(turns[i]) for i in back)), "")
    if not they or they in question:
        return None
    if match is None:
        return replaced(question, they, also_elliptic=True) if each_of_them(turns[-1]) and depends(question) else None
    if match.re is _THE_BETTER:
        said = f"{match['which']} of {they}"
        return question[: match.start("which")] + said + question[match.end("which") :] if each_of_them(turns[-1]) else None
    if match["alone"]:
        said = f"{match['alone']} {they}"
    else:
        said = f"{match['which'] or question[match.start() : match.start() + 5]} of {they}"
    return question[: match.start()] + said + question[match.end() :]
