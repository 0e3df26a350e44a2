"""Sentence -> questions that it answers: forms of sentences that research prose is full of, each with the question to it and the words that answer.

A sentence that fits no form gives no question. What is asked here is plain; whether it is worth asking, a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eval.datasets.loader import Kind
from eval.proposals.masked import MASK, Masked, masked
from eval.proposals.phrases import THIRD_PERSON, WORDS, definition, forms, is_plain, phrase
from eval.proposals.subjects import Subject
from rag_qa import text


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a sentence. `question` has {x} where its subject is named. `facts`: groups of aliases.

    `thing`: what is counted, of a question for a number of things: the same can be asked of papers that have none.
    """

    kind: Kind
    question: str
    facts: tuple[tuple[str, ...], ...]
    thing: str = ""


def asked(sentence: str, subject: Subject) -> Iterator[Asked]:
    """The questions to a sentence of the subject's abstract."""
    one = masked(sentence)
    for form in _OF_SUBJECT:
        yield from form(one, subject)
    for form_of_any in _OF_ANY:
        yield from form_of_any(one)


_BOUND = (
    r"(?:(?:an? |the )?(?:average|mean|maximum|total) (?:of )?|up to |at least |at most |about |around |approximately |roughly |nearly |almost |over "
    r"|more than |as much as |\$?\\sim\$? ?|~ ?)*"
)
_NUMBER = rf"{_BOUND}{MASK}"
_PHRASE_ENDS = r"(?=[,.;]| (?:on|over|compared|when|while|and|with|across|at|by|for|to|through)\b)"


def _agents(subject: Subject) -> str:
    """What stands for the paper's own method in its sentences."""
    name = rf"{re.escape(subject.called)}|" if subject.is_name else ""
    return rf"(?:{name}[Oo]ur (?:[\w-]+ ){{0,2}}[\w-]+|[Tt]he proposed (?:[\w-]+ )?[\w-]+)(?: \w+ly)?"


# ------------------------------------------------------------------------------------------------------------------- definitions

_OFFERS = r"\b(?:propose|introduce|present|develop|design)s?"
_CALLED = r"(?:which we )?(?:called|call|named|name|termed|term|dubbed|dub)"


def _definition(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "We propose TIDE-7, a model of tides": what is TIDE-7?"""
    if not subject.is_name:
        return
    name = re.escape(subject.called)
    in_form = (
        rf"{name}(?: \([^)]*\))?,? (?:which )?(?:is )?(?:an?|the) (?P<what>{WORDS}*)",
        rf"{_OFFERS} (?:an?|the|our) (?P<what>{WORDS}*?),? {_CALLED} {name}\b",
    )
    for match in (match for pattern in in_form for match in re.finditer(pattern, one.text)):
        if what := definition(match["what"]):
            yield Asked(Kind.DEFINITION, "What is {x}?", ((what,),))
            return


def _abbreviation(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "We present graph tide nets (GTN)": what does GTN stand for?"""
    long = text.acronyms(one.text).get(text.folded(subject.called)) if subject.is_name else None
    words = one.text.partition(f"({subject.called}")[0].split()
    for count in range(1, len(long or ()) + 1):
        written = " ".join(words[-count:])
        if re.split("[ -]", text.folded(written)) == list(long or ()):
            yield Asked(Kind.DEFINITION, "What does {x} stand for?", ((written,),))
            return


# ----------------------------------------------------------------------------------------------------------------------- numbers

_CHANGES = "accelerate decrease enhance exceed improve increase lower outperform raise reduce shrink surpass".split()
_CHANGED = {form: verb for verb in _CHANGES for form in forms(verb)}
_MEASURES = (
    r"(?:acceleration|accuracy|AUC|AUROC|BLEU(?: score)?|compression(?: rate| ratio)?|cost reduction|decrease|F1(?:[- ]score)?|gain|improvement"
    r"|increase|latency|precision|recall|reduction|sensitivity|specificity|speed-?up|success rate|throughput|win rate)"
)
_MEASURE = rf"(?P<what>(?:[\w-]+ ){{0,2}}{_MEASURES})"
_REACHES = r"(?:achiev|attain|reach|obtain|yield|deliver|provid|demonstrat|exhibit|show)(?:es|ing|ed|e|s)?"


def _change(one: Masked) -> Iterator[Asked]:
    """ "It reduces the training time by 30 %": by how much does it reduce the training time?"""
    for match in re.finditer(rf"\b(?P<verb>{'|'.join(_CHANGED)}) (?P<what>{WORDS}{{0,8}}?) by {_NUMBER}", one.text):
        at = int(match[3])
        if is_plain(match["what"]) and _has_unit(one, at) and not re.search(r"\b(?:by|and|while|than)\b", match["what"]):
            yield Asked(Kind.NUMBER, f"By how much does {{x}} {_CHANGED[match['verb']]} {match['what']}?", ((one.written[at],),))


def _measure(one: Masked) -> Iterator[Asked]:
    """ "It achieves a 3.5× speedup": what speedup does it achieve? Also "an accuracy of 90 %"."""
    in_form = (
        rf"(?:\b{_REACHES}|\band an?) (?:an? |the )?{_NUMBER} {_MEASURE}\b(?P<in>(?: (?:in|of) {WORDS}{{0,3}}?)?){_PHRASE_ENDS}",
        rf"\b{_REACHES} (?:an? |the )?{_MEASURE}s? of {_NUMBER}(?P<in>)",
    )
    for match in (match for pattern in in_form for match in re.finditer(pattern, one.text)):
        at = int(next(group for group in match.groups() if group and group.isdigit()))
        if is_plain(match["what"] + match["in"]) and _has_unit(one, at):
            what = re.sub(r"^(?:maximum|average|mean|the|an?|up to) ", "", match["what"])
            yield Asked(Kind.NUMBER, f"What {what}{match['in']} does {{x}} achieve?", ((one.written[at],),))


def _comparative(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "TIDE-7 is 1.5× faster than its rivals": how much faster is TIDE-7?"""
    ours = rf"(?:{_agents(subject)}|[Ii]t|that) (?:is|are|runs|trains|can be|was|which is) "
    more = r"(?P<more>(?:more |less )?(?:faster|smaller|cheaper|slower|larger|accurate|efficient|expensive))\b"
    for match in re.finditer(rf"{ours}{_NUMBER} {more}", one.text):
        if _has_unit(one, int(match[1])):
            yield Asked(Kind.NUMBER, f"How much {match['more']} is {{x}}?", ((one.written[int(match[1])],),))


def _has_unit(one: Masked, at: int) -> bool:
    """Does a number stand with its own unit, and not only before another one that has it ("2 to 3 points")?"""
    return bool(one.numbers[at].unit) and not re.fullmatch(r"[\d.,]+", one.written[at])


_CONTAINS = (
    r"contain(?:s|ing)|compris(?:es|ing)|compos(?:es|ed) of|consist(?:s|ing) of|includ(?:es|ing)|cover(?:s|ing)|spann(?:s|ing)|featur(?:es|ing)"
)
_TRIED_ON = "on|across|over|from"
_THINGS = frozenset(
    """architectures baselines benchmarks classes corpora datasets domains embodiments environments families games images languages models problems
    scenarios settings suites tasks tests""".split()
)
_CASES = frozenset(
    """adults animals articles cells children clinicians countries families genes hospitals households individuals infants men mice participants
    patients people physicians records respondents schools sites species specimens strains students studies subjects trials women""".split()
)
_COUNTED = r"(?P<what>(?:[a-zA-Z][\w-]* ){0,3}?(?P<head>[a-z][\w-]*s|children|people|men|women|mice|corpora))\b"
_NOT_COUNTED = re.compile(r"\b(?:of|in|and|on|to|with|for|is|are|was|were|more|less|fewer|than)\b")


def _count(one: Masked) -> Iterator[Asked]:
    """ "on five data sets", "40 patients": on how many, how many?"""
    for match in re.finditer(rf"\b(?P<how>{_CONTAINS}|{_TRIED_ON})? ?{_NUMBER} {_COUNTED}", one.text):
        at, what = int(match[2]), match["what"]
        question = _how_many(match["how"] or "", what, match["head"])
        if question and not one.numbers[at].unit and is_plain(what, 4) and not _NOT_COUNTED.search(what):
            yield Asked(Kind.NUMBER, question, (_counted(one, at, what),), what)


def _how_many(how: str, what: str, head: str) -> str:
    if re.fullmatch(_TRIED_ON, how) and head in _THINGS:
        return f"On how many {what} is {{x}} tested?"
    if head in _CASES:
        return f"How many {what} are reported on in the work on {{x}}?"
    return f"How many {what} does {{x}} comprise?" if re.fullmatch(_CONTAINS, how) else ""


def _counted(one: Masked, at: int, what: str) -> tuple[str, ...]:
    """The number with what it counts, in words and in digits.

    >>> _counted(masked("It is tried on five tasks."), 0, "tasks")
    ('five tasks', '5 tasks')
    """
    return tuple(dict.fromkeys([f"{one.written[at]} {what}", f"{one.numbers[at].value} {what}"]))


# ------------------------------------------------------------------------------------------------------------------ how, what, why

_DOES = rf"(?P<verb>{'|'.join(THIRD_PERSON)})"


def _means(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "TIDE-7 improves forecasts by averaging ten runs": how does it improve forecasts?"""
    for match in re.finditer(rf"{_agents(subject)} {_DOES} (?P<what>{WORDS}{{0,7}}?) (?:by|through) (?P<how>[a-z-]+ing {WORDS}*)", one.text):
        how = phrase(match["how"])
        if len(how.split()) > 1 and is_plain(match["what"]):
            yield Asked(Kind.HOW, f"How does {{x}} {THIRD_PERSON[match['verb']]} {match['what']}?", ((how,),))


def _deed(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "TIDE-7 leverages ridge regression to ...": what does it leverage?"""
    for match in re.finditer(rf"{_agents(subject)} {_DOES} (?P<what>{WORDS}*)", one.text):
        verb, what = THIRD_PERSON[match["verb"]], phrase(match["what"])
        if verb not in ("outperform", "surpass") and len(what.split()) > 1:
            yield Asked(Kind.FACT, f"What does {{x}} {verb}?", ((what,),))


_PURPOSE = (
    r"(?P<verb>address|alleviate|bridge|close|enable|enhance|estimate|facilitate|handle|improve|mitigate|overcome|reduce|resolve|solve|speed up"
    r"|tackle)"
)


def _purpose(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "To reduce the cost of training, we introduce TIDE-7": what is it meant to reduce?"""
    match = re.match(rf"(?:In order )?[Tt]o {_PURPOSE} (?P<what>{WORDS}*), we (?:propose|introduce|present|develop|design|devise)\b", one.text)
    what = phrase(match["what"]) if match else ""
    if match and len(what.split()) > 1 and (not subject.is_name or subject.called in one.text):
        yield Asked(Kind.WHY, f"What is {{x}} meant to {match['verb']}?", ((what,),))


_ANYBODY = re.compile(
    r"^(?:all|other|many|most|several|various|strong|previous|prior|current|recent|competing|wide)\b|\b(?:methods|baselines|models|approaches)$"
)


def _outdone(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "TIDE-7 outperforms TREE-3": what does it outperform?"""
    for match in re.finditer(rf"{_agents(subject)} (?:outperforms|surpasses|beats) (?P<what>{WORDS}*)", one.text):
        what = phrase(re.split(r" (?:on|in|by|across|at|over|and \w+ly)\b", match["what"])[0], 5)
        if what and not _ANYBODY.search(what):
            yield Asked(Kind.FACT, "What does {x} outperform?", ((what,),))


_ITEM = r"[A-Z\d][\w-]*\w(?:[ -][A-Z\d][\w-]*){0,3}"
_ITEMS = rf"(?P<items>{_ITEM}(?:, {_ITEM})*,? and {_ITEM})(?=[,.;) ])"


def _list(one: Masked) -> Iterator[Asked]:
    """ "on benchmarks such as GLUE, SQuAD and WMT": which benchmarks?"""
    for match in re.finditer(rf"\b(?P<what>(?:[a-z][\w-]* )?[a-z][\w-]*s),? (?:such as|including|like|namely) {_ITEMS}", one.text):
        items = re.split(", and | and |, ", match["items"])
        what = " ".join(word for word in match["what"].split() if word not in text.STOPWORDS)
        if is_plain(what, 2):
            yield Asked(Kind.LIST, f"Which {what} are named in the work on {{x}}?", tuple((item,) for item in items))


_FINDERS = r"\b(?:[Ww]e|[Rr]esults|[Ff]indings|[Ee]xperiments|[Oo]ur \w+)"
_FINDS = rf"{_FINDERS} (?:show|find|found|showed|demonstrate|demonstrated|conclude|suggest|indicate)s? that "
_LEAST_OF_FINDING, _MOST_OF_FINDING = 5, 9  # words


def _finding(one: Masked, subject: Subject) -> Iterator[Asked]:
    """ "We find that moss grows under snow": only where a title says which paper is meant; the fact is how the finding begins."""
    match = re.search(rf"{_FINDS}(?P<what>{WORDS}*)", one.text) if subject.is_title else None
    words = one.open(match["what"]).split()[:_MOST_OF_FINDING] if match else []
    while words and words[-1].casefold() in text.STOPWORDS:
        words.pop()  # "that the confidence of models is" says nothing yet
    if len(words) >= _LEAST_OF_FINDING and is_plain(begins := " ".join(words)):
        yield Asked(Kind.FACT, "What do the results of {x} show?", ((begins,),))


_OF_SUBJECT: tuple[Callable[[Masked, Subject], Iterator[Asked]], ...] = (
    *(_definition, _abbreviation, _comparative, _means, _deed, _purpose, _outdone, _finding),
)
_OF_ANY: tuple[Callable[[Masked], Iterator[Asked]], ...] = (_change, _measure, _count, _list)
