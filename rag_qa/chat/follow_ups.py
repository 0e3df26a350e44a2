"""Conversation: a follow-up -> a question that stands alone. Rules, no model; an LLM may do the rewriting with these rules to fall back to.

What a question takes from earlier turns is written out in it: the name that "it" or "the second one" stands for, the question that "why?" or "and on
images?" goes on with. A question that can be understood by itself stays as it is, however much was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag_qa import text
from rag_qa.chat.again import asked_again, asks_again, once_more
from rag_qa.chat.asides import is_aside
from rag_qa.chat.complete import is_complete
from rag_qa.chat.instead import asked_of, corrected, does_the_same, is_question, of_one_named, of_something_else, than_before
from rag_qa.chat.lists import OF_SEVERAL, ORDINAL, OTHERS, by_place, of_several, others
from rag_qa.chat.narrowing import counted, counts_some, first_of_them, is_about_order, narrowed, says_nothing_else, sorted_anew, years_alone
from rag_qa.chat.of_record import of_record
from rag_qa.chat.pointing import depends, is_elliptic, is_one_name, masked, may_go_on, replaced
from rag_qa.chat.sets import is_of_set, of_set
from rag_qa.chat.turns import Turn, all_of_them, asks_for_all, context, papers_asked_for, put_in_front, subject, turn_for

SpeaksOf = Callable[[str, Turn], bool]
"""Does a question, searched for as it is, lead to the paper that answered a turn?"""


def _unknown(_question: str, _turn: Turn) -> bool:
    return False


def stand_alone(question: str, turns: Sequence[Turn], *, speaks_of: SpeaksOf = _unknown) -> str:
    """The question with what it takes from the earlier turns written out; unchanged when it takes nothing.

    `turns`, oldest first, are looked at only as far as they are needed. `speaks_of` is asked where the words of a question do not tell whether it
    goes on with the last turn.

    >>> stand_alone("Which kind of regression does its extension use?", [Turn("What is DP-CATE?")])
    "Which kind of regression does DP-CATE's extension use?"
    >>> stand_alone("What about NetMoE?", [Turn("What is DP-CATE?")])
    'What is NetMoE?'
    >>> stand_alone("What is rank collapse?", [Turn("What is DP-CATE?")])
    'What is rank collapse?'
    """
    understood = " ".join(question.split())
    for _ in range(_MOST_STEPS):
        before, understood = understood, _one_step(understood, turns, speaks_of)
        if understood == before or _NEW_TOPIC.match(_FILLER.sub("", before)):
            break
    return understood


_MOST_STEPS = 4
"""What is understood is read once more, so that it stays as it is when it is asked again; more steps than this are for nonsense."""


def _one_step(question: str, turns: Sequence[Turn], speaks_of: SpeaksOf) -> str:
    asked = _FILLER.sub("", question)
    if new := _NEW_TOPIC.match(asked):
        return asked[new.end() :]
    if some := counted(asked, turns):
        return some
    if not turns and (of_years := years_alone(asked)):
        return of_years
    if not turns or not asked or is_aside(asked) or is_complete(asked) or asked_again(asked)[0]:
        return asked or question
    if _is_put_already(asked, turns):
        return asked
    understood = _by_rules(asked, turns)
    return _gone_on(asked, turns, speaks_of) if understood == asked else understood


def is_settled_by_rules(question: str) -> bool:
    """Does a question say where to look ("the second one", "any others?"), so that words of a chat model could only be worse?"""
    asked = masked(_FILLER.sub("", question))
    points = any(pattern.search(asked) for pattern in (_NEW_TOPIC, ORDINAL, OF_SEVERAL, OTHERS, _BACK_TO))
    return points or asks_again(asked) or is_of_set(asked) or says_nothing_else(asked) or is_about_order(asked) or counts_some(asked)


def _by_rules(asked: str, turns: Sequence[Turn]) -> str:
    if said := corrected(asked):
        return _corrected(said, turns)
    for rule in _RULES:
        if understood := rule(asked, turns):
            return understood
    return _with_subject(asked, turn_for(asked, turns)) if depends(asked) and not _asks_for_papers(asked) else asked


def _asks_for_papers(asked: str) -> bool:
    return asks_for_all(asked) or papers_asked_for(asked) is not None


def _gone_on(asked: str, turns: Sequence[Turn], speaks_of: SpeaksOf) -> str:
    """ "How many people took part?", which names nothing: asked of the paper of the last turn, if that is what it leads to."""
    if not may_go_on(asked) or _asks_for_papers(asked):
        return asked
    turn = turn_for(asked, turns)
    return _with_subject(asked, turn) if speaks_of(asked, turn) else asked


_BACK_TO = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|then|well|please|let(?:['’])?s|let us|can we|could we|i(?:['’]d| would) like to),? )*"
    r"(?:(?:go|going|come|coming|get|getting) back|back|return|returning) to (?P<what>[^,:;?]{2,80}?)(?:(?:[,:;] | - )(?P<asked>\S.*?))?[\s.?!]*$",
    re.IGNORECASE,
)
_FIRST_SAID = re.compile(
    r"^(?:the|my) (?:first|original|initial) (?:one|question|topic|subject|thing|paper|method|point)$|^the beginning$", re.IGNORECASE
)


def _gone_back(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Back to TIDE-7: is it fast?", "back to the first question": what was spoken of then, asked again or asked something else."""
    match = _BACK_TO.match(question)
    if match is None:
        return None
    turn = turns[0] if _FIRST_SAID.match(match["what"]) else None if text.names(match["what"]) else _turn_on(match["what"], turns)
    what = subject(turn)[0] if turn else match["what"]
    if not match["asked"]:
        return turn.understood_as if turn and _FIRST_SAID.match(match["what"]) else f"tell me more about {what}"
    asked = f"{match['asked']}?" if question.rstrip().endswith("?") else match["asked"]
    return replaced(asked, what, also_elliptic=True) or f"{what}: {asked}"


def _turn_on(what: str, turns: Sequence[Turn]) -> Turn | None:
    """The last turn on what somebody goes back to."""
    wanted = set(text.terms(what)) - text.STOPWORDS
    back = (turns[i] for i in range(len(turns) - 1, -1, -1))
    return next((turn for turn in back if wanted and wanted <= _terms(turn)), None)


def _corrected(said: str, turns: Sequence[Turn]) -> str:
    """What was meant instead, after "no, I meant"."""
    if understood := narrowed(said, turns):
        return understood
    meant = by_place(said, turns) or said
    if is_question(meant):
        return _by_rules(meant, turns)
    if understood := of_something_else(f"{meant.rstrip('?')}?", turns) or asked_of(meant, turns[-1]):
        return understood
    about = subject(turns[-1])[0]
    return f"{context(about, turns[-1])}: {meant}" if about else meant


def _by_place(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Does the second one use gauges?" with its name; "and the second one?": the same of that one."""
    put = by_place(question, turns)
    if put is None:
        return None
    if depends(put):
        put = replaced(put, subject(turns[-1])[0], also_elliptic=True) or put
    if is_one_name(put):
        return asked_of(put.strip(" ?.!,"), turns[-1])
    return of_something_else(put, turns) or _about_that(put, turns[-1])


_ABOUT_THAT = re.compile(r"(?<=\babout )(?:it|that|this)(?=[\s?.!]*$)", re.IGNORECASE)


def _about_that(put: str, last: Turn) -> str:
    """ "What does MOSS-2 say about it?" after a question on what both do: "it" is what that was about, besides their names."""
    known = {text.fold(name).text for name in (*text.names(last.understood_as), *text.names(put))}
    topic = " ".join(word for word in text.content_words(last.understood_as) if word not in known)
    return _ABOUT_THAT.sub(lambda _: topic, put) if topic else put


def _is_put_already(question: str, turns: Sequence[Turn]) -> bool:
    """Does what was spoken of already stand in front of the question?"""
    named = {term for word in text.content_words(put_in_front(question)) for term in text.word_terms(word)}
    return bool(named) and any(named <= _terms(turns[i]) for i in range(len(turns) - 1, max(-1, len(turns) - 3), -1))


def _terms(turn: Turn) -> set[str]:
    return {term for said in (turn.understood_as, *(paper.label for paper in turn.papers)) for term in text.terms(said)}


_OF_THEM = re.compile(r"\b(?:which|any|one|all|some|each|both|none|many) of (?:them|these|those)\b", re.IGNORECASE)


def _with_subject(question: str, turn: Turn) -> str:
    about, is_name = subject(turn)
    if not about or about in question or (_OF_THEM.search(question) and not all_of_them(turn)):
        return question
    if is_name and (put := replaced(question, about, also_elliptic=context(about, turn) == about)):
        return put
    is_enough = is_name or about == put_in_front(turn.understood_as)
    return f"{about if is_enough and not is_elliptic(question) else context(about, turn)}: {question}"


# ------------------------------------------------------------------------------------------------------- openings

_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|many thanks|thanks|thank you|great|nice|cool|interesting|i see|got it|perfect|good|wow|hm+|right|sure|alright|fine"
    r"|understood|makes sense|yes|yeah|yep|please|actually|well|hi|hello|hey|(?:i have |i've got )?(?:another|one more|a further|a quick) question)"
    r"(?:[ ,]+(?:thanks|thank you|so much|then|again|please))?\s*[,.!…:]+\s+)+(?=\S)",
    re.IGNORECASE,
)
_NEW_TOPIC = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|now|right|fine)[,.!]? )*(?:(?:something|a thing) (?:completely |entirely )?(?:else|different)(?: now)?"
    r"|(?:a |an? entirely |a completely )?(?:new|different|another|next|other) (?:topic|subject|question|thing)(?: now)?"
    r"|(?:leaving|putting) [\w -]{1,40} aside"
    r"|let(?:['’]|u)?s (?:leave|drop|forget|move on|change|switch|turn)[^.:;!?]{0,40}|on (?:another|a different|an unrelated) (?:note|topic"
    r"|subject)|moving on"
    r"|(?:forget|never ?mind|skip|leave|drop)(?: about)?(?: (?:that|it|this))?"
    r"|changing (?:the )?(?:topic|subject)|(?:an )?unrelated(?: question)?|by the way|btw)\s*[:;,.!–—-]+\s*(?=\S)",
    re.IGNORECASE,
)

# ------------------------------------------------------------------------------------------------------- going on

_ONLY_QUESTION = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? )*(?:why|how|how so|why not|why is (?:that|this|it)(?: so)?|how come|since when"
    r"|where|who|when)(?: exactly)?\s*\??$",
    re.IGNORECASE,
)
_ASKED_ON = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?),? )*(?:why|how|how so|why not|why is (?:that|this|it)(?: so)?|how come|since when|where|who|when|tell me more)"
    r"(?: exactly)?: (?P<question>\S.*)$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:tell me more|more|more (?:details?|information|info)|details|go on|continue"
    r"|elaborate|expand|say more"
    r"|(?:give|show) me (?:more|(?:some )?(?:more )?details?)|explain(?: (?:that|it|this))?(?: (?:more|further|again|in (?:more )?detail))?"
    r"|keep going|what else|anything (?:else|more)|any more|is there more|and|so|for example|for instance|such as|like what|e\.g\.)"
    r"(?: (?:about|on) (?:it|that|this|them))?(?: please)?[\s?.!]*$",
    re.IGNORECASE,
)


def _once_more(question: str, turns: Sequence[Turn]) -> str | None:
    """ "In simpler words?", "are you sure?": the last question, and what is asked of its answer."""
    return once_more(question, turns[-1].understood_as) if asks_again(question) else None


def asked_on(understood: str) -> str | None:
    """The question that a follow-up without words of its own goes on with; None for any other.

    >>> asked_on("why: What is TIDE-7?"), asked_on("why: why: What is TIDE-7?"), asked_on("TIDE-7: how fast?")
    ('What is TIDE-7?', 'What is TIDE-7?', None)
    """
    found = _ASKED_ON.match(understood)
    return (asked_on(found["question"]) or found["question"]) if found else None


def _goes_on(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Why?", "tell me more": the last question, asked on."""
    if _ONLY_QUESTION.match(question):
        last = asked_again(turns[-1].understood_as)[1]
        return f"{question.rstrip('? ')}: {asked_on(last) or last}"
    if _MORE.match(question):
        about, is_name = subject(turn_for(question, turns))
        return f"tell me more about {about}" if is_name else f"tell me more: {turns[-1].understood_as}"
    return None


_RULES = (
    of_record,
    _gone_back,
    sorted_anew,
    first_of_them,
    narrowed,
    others,
    of_set,
    _once_more,
    _goes_on,
    of_one_named,
    does_the_same,
    _by_place,
    than_before,
    of_something_else,
    of_several,
)
"""What a follow-up can be, most telling first; each gives None where it is not that."""
