"""Follow-ups that ask the last question again of something else: "what about NetMoE?", "and on images?", "no, I meant lake data"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_qa import text
from rag_qa.chat.lists import ORDINAL, asks_for_others
from rag_qa.chat.pointing import GENERIC, QUOTED, is_one_name, masked, opens_elsewhere, replaced
from rag_qa.chat.turns import Turn, any_name, asks_for_all, called, context, papers_asked_for, subject
from rag_qa.retrieval import understanding
from rag_qa.retrieval.set_questions import asked_for_set

_PREPOSITION = r"(?:in|for|with|on|at|of|by|to|from|about|against|over|under|without|between|within|across|during|after|before)"
INSTEAD = re.compile(
    rf"^(?:(?:and|but|ok(?:ay)?|so|or|then),? )*(?:(?:what|how) about|(?:and )?(?:the )?same(?: question| thing)?(?: for| with| but for)?)"
    rf" (?:(?P<after>{_PREPOSITION}) )?(?P<phrase>(?:the )?.+?)[\s?.!]*$"
    rf"|^(?:and|or|but) (?:(?P<after_and>{_PREPOSITION}) )?(?P<bare>(?:the )?(?:[\w\u0370-\u03ff-]+ ?){{1,4}}|[“\"].+[”\"])\??$"
    rf"|^(?P<after_nothing>{_PREPOSITION}) (?P<fragment>(?:the )?(?:[\w\u0370-\u03ff-]+ ?){{1,5}})\?$",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(
    r"^(?:why|how|what|which|whom?|whose|where|when|is|are|was|were|does|do|did|can|could|has|have|will|would|should|then|also|if|compare|tell|explain"
    r"|show|list|find|give|summari[sz]e|describe)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^(?:(?:and|but|so) )*(?P<how>(?:as )?compared (?:to|with)|in comparison (?:to|with)|relative to|versus|vs\.?|than|against)"
    r" (?P<other>(?!what\b|which\b|it\b|them\b)\S.*?)[\s?.!]*$",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"^(?:and |now |please )*(?P<verb>compare|contrast|(?:(?:what is|what's) the )?differences?) (?:with|to|and|from) (?P<other>\S.*?)[\s?.!]*$",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r"^((?:what|who)(?: is| are|'s) )(?:an? |the )?[\w\s-]+?(\?*)$", re.IGNORECASE)
_ABOUT = re.compile(r"^(.*\b(?:say|says|said|known|written|found|learn) (?:about|on)) [^?]+(\?*)$", re.IGNORECASE)


_VERB = re.compile(r"\b(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should)\b", re.IGNORECASE)


def is_question(phrase: str) -> bool:
    """Does a phrase begin as a question or a request does?"""
    return bool(_QUESTION_WORD.match(phrase))


def of_something_else(question: str, turns: Sequence[Turn]) -> str | None:
    """ "What about NetMoE?": the last question again, of another subject."""
    if compared := _COMPARED.match(question) or _COMPARE.match(question):
        return _compared(compared, turns[-1])
    match = INSTEAD.match(question)
    if not match or (match["fragment"] and _VERB.search(question)):
        return None
    last = turns[-1]
    preposition = match["after"] or match["after_and"] or match["after_nothing"]
    phrase = (match["phrase"] or match["bare"] or match["fragment"]).strip()
    if _is_no_subject(phrase):
        return None
    if preposition and (understood := _with_phrase(last.understood_as, preposition.lower(), phrase)):
        return understood
    if not preposition and (understood := asked_of(phrase, last)):
        return understood
    about, is_name = subject(last)
    return f"{about if is_name else context(about, last)}: {question}" if about else None


def asked_instead(question: str) -> str:
    """What a follow-up that is nothing else asks about instead; "" for any other.

    >>> asked_instead("what about Kifetew?"), asked_instead("and on images?"), asked_instead("Which papers?")
    ('Kifetew', '', '')
    """
    match = INSTEAD.match(question)
    return (match["phrase"] or match["bare"] or "").strip() if match and not (match["after"] or match["after_and"]) else ""


_AND_NAMED = re.compile(
    rf"^(?:(?:and|but|so|then|now|ok(?:ay)?),? )*(?:(?:and|but|what about|how about|as for) )(?!{_PREPOSITION}\b)"
    r"(?P<name>(?:the )?[^\s,?]+(?: [^\s,?]+){0,3})"
    r"(?:,| -|\?) (?P<asked>\S.*)$",
    re.IGNORECASE,
)


def of_one_named(question: str, _turns: Sequence[Turn]) -> str | None:
    """ "And ALiBi, what's its drawback?": the question, asked of what is named in front of it.

    >>> of_one_named("And MOSS-2, how does it grow?", ())
    'how does MOSS-2 grow?'
    """
    match = _AND_NAMED.match(question)
    if match is None or _is_no_subject(match["name"]) or not is_question(match["asked"]):
        return None
    return replaced(match["asked"], match["name"], also_elliptic=True)


_DOES_THE_SAME = re.compile(
    r"^(?:(?:and|but|so) )*(?:(?:can|could|does|do|did|would|will|has|is) (?P<one>\S+(?: \S+)?) (?:also )?"
    r"(?:do|achieve|manage|show|have|offer|reach|done)"
    r" (?:the same|that|this|it|so)"
    r"|(?:is|does|would|do) (?:the same|that|this|it)(?: also)? (?:true|hold|holds|the case|work|apply|go|so)(?: true)?"
    r" (?:for|of|with|to|on) (?P<other>\S.*?))"
    r"(?: too| as well| also)*[\s?.!]*$",
    re.IGNORECASE,
)


def does_the_same(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Could MOSS-2 do the same?", "does that hold for MOSS-2?": the last question, asked of it."""
    match = _DOES_THE_SAME.match(question)
    other = (match["one"] or match["other"]) if match else ""
    if not other or _is_no_subject(other) or not is_one_name(other):
        return None
    return asked_of(other.strip(), turns[-1])


def _is_no_subject(phrase: str) -> bool:
    plain = masked(re.sub(r"^the\s+", "", phrase, flags=re.IGNORECASE))
    return not plain or opens_elsewhere(plain) or bool(ORDINAL.search("the " + plain) or _QUESTION_WORD.match(plain))


def _compared(match: re.Match[str], last: Turn) -> str | None:
    """ "Compared to NetMoE?", "compare with NetMoE"."""
    about, is_name = subject(last)
    if not about:
        return None
    if is_name and ("verb" in match.groupdict() or _DEFINITION.match(last.understood_as)):
        return f"compare {about} with {match['other']}"
    return f"{last.understood_as.rstrip(' ?.!')} {match['how']} {match['other']}?" if "how" in match.groupdict() else None


def _with_phrase(last: str, preposition: str, phrase: str) -> str | None:
    """The last question with another "on ...": "and on images?" after "How accurate is it on text?", or after "How accurate is it?"; with another
    number, if that is all that is said: "and with 8 GPUs?", "with 128".
    """
    if _NUMBER.match(phrase) and (numbers := _with_number(last, phrase)):
        return numbers
    if match := re.search(rf"^(.+) {preposition} [^?]+\?*$", last, re.IGNORECASE):
        return f"{match.group(1)} {preposition} {phrase}?"
    return None if _DEFINITION.match(last) or ":" in last else f"{last.rstrip(' ?.!')} {preposition} {phrase}?"


_NUMBER = re.compile(r"^(?P<number>\d[\d.,]*)(?P<unit>[- ]?[\w%]+)?$")


def _with_number(last: str, phrase: str) -> str | None:
    """The last question with another number in the place of the only one that counts the same."""
    new = _NUMBER.match(phrase)
    if new is None:
        return None
    unit = rf"(?=[- ]?{re.escape(new['unit'].strip(' -'))}\b)" if new["unit"] else ""
    there = list(re.finditer(rf"(?<![\w.,-])\d[\d.,]*(?!\w){unit}", last))
    return last[: there[0].start()] + new["number"] + last[there[0].end() :] if len(there) == 1 else None


# ------------------------------------------------------------------------------------------------- another subject


_BETTER = re.compile(
    r"^(?:and |but |so )*(?:is|are|does) \S+ (?:(?:any|much|also) )?(?:\w+ )?(?P<than>better|worse|faster|slower|larger|smaller|cheaper"
    r"|more \w+)\?*$",
    re.IGNORECASE,
)


def than_before(question: str, turns: Sequence[Turn]) -> str | None:
    """ "Is NetMoE better?", than what was spoken of."""
    if not _BETTER.match(question) or len(text.names(masked(question))) != 1:
        return None
    about, is_name = subject(turns[-1])
    is_another = is_name and text.names(masked(question))[0] not in about
    return f"{question.rstrip('?')} than {about}?" if is_another and about not in question else None


def asked_of(phrase: str, last: Turn) -> str | None:
    """The last question, asked of what a phrase names in place of what it was asked of; None if that can't be told.

    >>> asked_of("fairness", Turn("Which papers deal with privacy?")), asked_of("mode collapse", Turn("What is rank collapse?"))
    ('Which papers deal with fairness?', 'What is mode collapse?')
    """
    other = re.sub(r"^the\s+", "", phrase, flags=re.IGNORECASE)
    if by_author := _by_author(other, last):
        return by_author
    if text.names(masked(other)):
        return _of_name(other, last)
    if not [word for word in text.content_words(other) if word not in GENERIC]:
        return None
    return _of_topic(other, last.understood_as)


_PERSON = re.compile(r"(?:(?:[A-Z]\.|(?:van|von|de|der|den|al|el)|[A-Z][^\W\d_]*['’-]?[^\W\d_]*[a-z]) ?){1,4}")


def _by_author(name: str, last: Turn) -> str | None:
    """ "What about Jones?" after "papers by Smith": the same, by whom is named.

    >>> _by_author("Jones", Turn("papers by Ada Smith since 2020")), _by_author("tides", Turn("papers by Smith"))
    ('papers by Jones since 2020', None)
    """
    said = understanding.understood(last.understood_as, any_name)
    phrases = [words for words in (*said.phrases, *said.unread) if words.lower().startswith("by ") and words in last.understood_as]
    only_by = (said.asks_nothing_else or said.asks_for_unread) and len(phrases) == 1
    if not only_by or not _PERSON.fullmatch(name) or text.names(name) or any(name in (paper.label, called(paper)) for paper in last.papers):
        return None
    return last.understood_as.replace(phrases[0], f"by {name}", 1)


def _of_name(name: str, last: Turn) -> str:
    question = last.understood_as
    if name in question or (
        (papers_asked_for(question) or asks_for_all(question)) and any(name in (paper.label, called(paper)) for paper in last.papers)
    ):
        return f"tell me more about {name}"
    if quoted := QUOTED.search(question):
        return question.replace(quoted.group(), name, 1)
    if before := text.names(question):
        # "compare X with Y": the last one is what was added
        return question.replace(before[-1 if len(before) > 1 and _COMPARISON.search(question) else 0], name, 1)
    return _of_topic(name, question) or _of_thing(name, question) or f"{name}: {question}"


_BE, _DO = r"(?:is|are|was|were)", r"(?:does|do|did|can|could|will|would|has|have)"
_PREPOSITIONS = r"(?:for|on|in|with|than|to|at|when|if|under|by|from|as|and|compared|without|over)"
_VERBS = (
    r"(?:use|need|require|work|move|weigh|cost|take|last|help|solve|handle|achieve|beat|outperform|perform|learn|scale|train|reach|run|save|reduce"
    r"|improve|grow|measure|compare|support|produce|give|rely|depend|have|been|get|make|differ)"
)
_DETERMINED = r"(?:the|an?|this|that|my|our) [^?:,]+?"
_HOW = r"(?:(?:and|but|so) )*(?:(?:by |at |on |in |for )?(?:how|what|which|why|when|where)\b[^?:,]*? )?"
_OF_THING = (
    re.compile(rf"^(?P<before>{_HOW}{_DO} )(?P<thing>{_DETERMINED})(?P<after> {_VERBS}\b[^?:]*\??)$", re.IGNORECASE),
    re.compile(rf"^(?P<before>{_HOW}{_DO} )(?P<thing>{_DETERMINED})(?P<after> [\w-]+(?: {_PREPOSITIONS}\b[^?:]*)?\??)$", re.IGNORECASE),
    re.compile(
        rf"^(?P<before>{_HOW}{_BE} )(?P<thing>{_DETERMINED})"
        rf"(?P<after> (?:{_PREPOSITIONS}|trained|used|made|able|better|worse|faster|slower|larger|smaller|cheaper|higher|lower)\b[^?:]*\??)$",
        re.IGNORECASE,
    ),
    re.compile(rf"^(?P<before>how \w+ {_BE} )(?P<thing>[^?:,]+?)(?P<after>(?: {_PREPOSITIONS}\b[^?:]*)?\??)$", re.IGNORECASE),
)


def _of_thing(name: str, question: str) -> str | None:
    """A question about a thing that it describes, asked of one by name.

    >>> _of_thing("MOSS-2", "How fast is the moon rover?"), _of_thing("MOSS-2", "How much does the old rover weigh on Mars?")
    ('How fast is MOSS-2?', 'How much does MOSS-2 weigh on Mars?')
    """
    found = next((match for rule in _OF_THING if (match := rule.match(question))), None)
    return f"{found['before']}{name}{found['after']}" if found else None


_PAPERS_ON = re.compile(r"^(?:any |other )?(?:papers|works?|studies|articles|research) (?:on|about|regarding) ", re.IGNORECASE)
_COMPARISON = re.compile(r"\b(?:compared?|comparison|differences?|differs?|versus|vs|than|which of)\b", re.IGNORECASE)


def _of_topic(other: str, question: str) -> str | None:
    other = _PAPERS_ON.sub("", other)
    if topic := _topic(question):
        again = re.sub(r"\bother (?=\w+)", "", question, count=1) if asks_for_others(question) else question
        return again.replace(topic, other, 1)
    for pattern in (_DEFINITION, _ABOUT):
        if (match := pattern.match(question)) and not text.names(masked(question)):
            return f"{match.group(1).rstrip()} {other}{match.group(2)}"
    return _of_same_head(other, question)


def _topic(question: str) -> str:
    """What papers are asked for by a question, in its own words; "" if it does not ask for papers."""
    wanted = asked_for_set(understanding.understood(question, any_name).question)
    return wanted.topic if wanted and wanted.topic in question else ""


def _of_same_head(other: str, question: str) -> str | None:
    """ "Lake data" after a question on "river data"."""
    words = other.split()
    if len(words) < 2:
        return None
    match = re.search(rf"\b(?!{_NO_MODIFIER}\b)[\w-]+ {re.escape(words[-1])}\b", masked(question), re.IGNORECASE)
    return question[: match.start()] + other + question[match.end() :] if match else None


_NO_MODIFIER = r"(?:the|a|an|this|that|its|their|which|what|of|on|in|for|with|more|most|many|much|is|are|does|do)"

# ------------------------------------------------------------------------------------------------------- corrections

_CORRECTED = re.compile(
    r"^(?:(?:no|nope|sorry|wait|oops|actually|hm+)[,.! ]+)*(?:i (?:meant?|was asking about|am asking about|was talking about|wanted)"
    r"|i'm (?:asking|talking) about"
    r"|what i meant (?:is|was))[,: ]+(?P<meant>\S.*)$"
    r"|^(?:no(?:,? wait)?|wait|nope|sorry|wrong(?: one)?|not (?:that|this)(?: one)?)[,.!:]+ (?P<said>\S.*)$"
    r"|^(?:no,? )?not (?:the |in |on |for )?[\w -]+?, (?:but )?(?P<but>\S.*)$",
    re.IGNORECASE,
)


def corrected(question: str) -> str | None:
    """What somebody says that they meant; None if they do not put right what was understood.

    >>> corrected("No, I meant the second one"), corrected("not MOSS-2, TIDE-7"), corrected("No-regret learning")
    ('the second one', 'TIDE-7', None)
    """
    match = _CORRECTED.match(question)
    said = match and (match["meant"] or match["said"] or match["but"])
    return said.rstrip(" .!") if said else None
