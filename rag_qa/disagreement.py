"""What in a claim goes against the sentences of an abstract that are nearest to it: one function for each kind of disagreement.

Each looks at a View and gives (status, reason in words) or None. What the two sentences must have in common before a kind is looked for, and
in which order the kinds come, `problems` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from difflib import Match, SequenceMatcher
from functools import lru_cache, partial
from itertools import pairwise

from rag_qa import text
from rag_qa.answering.answer import Status
from rag_qa.claims import COMMON, MET, MET_EXACTLY, AbstractSentence, View, name_stands
from rag_qa.quantities import Quantity, listed, lists_as_many
from rag_qa.statements import (
    Comparison,
    Denial,
    Statement,
    Token,
    against,
    are_alike,
    are_opposite,
    are_opposite_in_place,
    has_opposite,
    is_ordinary,
    statement,
)

SUPPORTED_FROM = 0.62
"""Share of a sentence's weight that its evidence must cover, unless it is likely all the same."""
LIKELY_FROM, DOUBTFUL_BELOW = 0.5, 0.12
"""Likelihoods: from the first on a sentence may be in words of its own; below the second no shared words will do."""

_SAME_CLAIM_FROM = 0.5  # two sentences are about the same thing from here on, so that what they deny and compare can be held against each other

Problem = tuple[Status, str]
Kind = Callable[[View], Problem | None]


def problems(view: View, likelihood: Callable[[], float]) -> Iterator[Problem]:
    """Everything that speaks against a claim, the gravest first. `likelihood`: that the paper bears it out, 0 to 1; asked for only if needed."""
    kinds: tuple[Kind, ...] = (number_problem, name_problem)
    if view.coverage >= _SAME_CLAIM_FROM:
        kinds += (
            denial_problem,
            direction_problem,
            opposite_problem,
            comparison_problem,
            supposition_problem,
            certainty_problem,
            of_others_problem,
            other_side_problem,
        )
        kinds += (number_of_another_problem,)
    kinds += (
        partial(coverage_problem, likelihood=likelihood),
        partial(lone_denial_problem, likelihood=likelihood),
        part_problem,
        tail_problem,
        replaced_word_problem,
        quantifier_problem,
        only_problem,
    )
    for kind in kinds:
        if problem := kind(view):
            yield problem


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:4])


# ---------------------------------------------------------------------------------------------------------------- numbers


def number_problem(view: View) -> Problem | None:
    """A number that is not there, or is there with another unit or another bound."""
    return next((problem for quantity in view.claim.said.quantities if (problem := _number_problem(view, quantity))), None)


def _number_problem(view: View, quantity: Quantity) -> Problem | None:
    counted_up = not quantity.unit and quantity.value == str(listed(text.fold(view.paper.abstract).text))
    if counted_up or lists_as_many(view.claim.said.folded, quantity):
        return None  # "three parts", and there are three
    if _is_a_pair(view, quantity):
        return None
    everywhere = [(s.said, q) for s in view.sentences for q in s.said.quantities]
    same_value = [(said, q) for said, q in everywhere if q.value == quantity.value]
    alike = [q for said, q in same_value if q.same_unit(quantity) and _count_the_same(view, quantity, said, q)]
    if alike:
        if any(_bounds_agree(quantity, q) for q in alike):
            return None
        return Status.CONTRADICTED, f"the abstract says {alike[0]}, the sentence says {quantity}"
    there = [q for sentence in view.chosen for q in sentence.said.quantities]
    same_unit = [q for q in there if quantity.unit and q.same_unit(quantity)]
    for other in (*(q for q in there if q.value == quantity.value), *same_unit, *(q for _, q in same_value)):
        if str(other) != str(quantity):
            return Status.CONTRADICTED, f"the abstract says {_told(other, quantity)}, the sentence says {_told(quantity, other)}"
        return Status.CONTRADICTED, f"the abstract has {other} of something else"
    status = Status.CONTRADICTED if view.coverage >= _SAME_CLAIM_FROM and there else Status.UNSUPPORTED
    return status, f"the number {replace(quantity, bound='')} does not stand in the evidence"


def _told(quantity: Quantity, other: Quantity) -> str:
    """A number, without its bound where the other has the same one: that is not what differs."""
    return str(replace(quantity, bound="") if quantity.bound == other.bound else quantity)


_COUNTED_WITHIN = 40  # characters


def _count_the_same(view: View, quantity: Quantity, there: Statement, other: Quantity) -> bool:
    """Numbers without a unit must count the same thing, where both say what they count ("16 participants", but "participants (N=16)")."""
    counted, others = _counted(view.claim.said, quantity), _counted(there, other)
    if quantity.unit or not counted or not others:
        return True
    if any(are_alike(token.stem, stem) for token in counted for stem in there.stems):
        return True
    return view.similarity is not None and view.likeness([token.text for token in counted], [token.text for token in others]) >= _COUNTED_ALIKE


_COUNTED_ALIKE = 0.45  # cosine


def _is_a_pair(view: View, quantity: Quantity) -> bool:
    """ "Two inputs that are alike": two, where the abstract gives no number of them."""
    said = view.claim.said
    if quantity.unit or said.folded[quantity.start : quantity.end] != "two":
        return False
    counted = _counted(said, quantity)
    others = [token for sentence in view.sentences for q in sentence.said.quantities if not q.unit for token in _counted(sentence.said, q)]
    return not any(are_alike(token.stem, other.stem) for token in counted for other in others)


def _counted(said: Statement, quantity: Quantity) -> list[Token]:
    clause = next((token.clause for token in said.tokens if quantity.start <= token.start < quantity.end), None)
    behind = (token for token in said.tokens if 0 <= token.start - quantity.end < _COUNTED_WITHIN)
    return [token for token in behind if token.is_content and token.clause == clause][:3]


def _bounds_agree(claimed: Quantity, there: Quantity) -> bool:
    """May one say this of that? "up to 40%" may be told as "40%" but not as "at least 40%"."""
    low = ("at least", "more than")
    if claimed.bound in low:
        return there.bound in low
    if claimed.bound == "less than" and not there.bound:
        return not claimed.unit
    return not (claimed.bound in ("at most", "less than") and there.bound in low)


def number_of_another_problem(view: View) -> Problem | None:
    """A number that stands in the abstract, but of something else: "36% for seen users" where the abstract has 36% for the unseen."""
    return next((problem for quantity in view.claim.said.quantities if (problem := _number_of_another(view, quantity))), None)


def _number_of_another(view: View, quantity: Quantity) -> Problem | None:
    alike = [(s.said, q) for s in view.sentences for q in s.said.quantities if q.same_unit(quantity)]
    own = [(said, q) for said, q in alike if q.value == quantity.value]
    rivals = [(said, q) for said, q in alike if q.value != quantity.value]
    said = _about(view.claim.said, quantity)
    if own and all(any(_is_rather_about(said, _about(*one), _about(*rival)) for rival in rivals) for one in own):
        return Status.CONTRADICTED, f"the abstract has {quantity} of something else"
    called = text.fold(view.paper.label).text
    for name in view.claim.names:
        folded = text.fold(name).text
        if folded in called or called in folded or any(folded in there.folded for there, _ in own):
            continue
        if own and any(folded in there.folded for there, _ in rivals):
            return Status.CONTRADICTED, f"the abstract does not have {quantity} of “{name}”"
    return None


def _is_rather_about(said: AbstractSet[str], own: AbstractSet[str], rival: AbstractSet[str]) -> bool:
    others = {stem for stem in said & (rival - own) if not any(are_alike(stem, other) for other in own)}
    return bool(others) and not said & (own - rival) and (bool(own - rival) or len(others) > 1)


_SEPARATORS = re.compile(r"[,;:()]\s|\s(?:and|while|when|but|whereas|that|with|which|in)\s")


def _about(said: Statement, quantity: Quantity) -> AbstractSet[str]:
    """Stems of the part of a sentence that a number belongs to; for one without a unit, of what it counts."""
    if not quantity.unit and (counted := _counted(said, quantity)):
        return {token.stem for token in counted}
    borders = [match.start() + 1 for match in _SEPARATORS.finditer(said.folded)]
    others = [q for q in said.quantities if q is not quantity]
    before = max((q.end for q in others if q.end <= quantity.start), default=0)
    after = min((q.start for q in others if q.start >= quantity.end), default=len(said.folded))
    start = max((b for b in borders if before <= b <= quantity.start), default=before)
    end = after if after == len(said.folded) else max((b for b in borders if quantity.end <= b <= after), default=after)
    inside = (t for t in said.tokens if start <= t.start and t.end <= end and not quantity.start <= t.start < quantity.end)
    return {token.stem for token in inside if token.is_content}


# ------------------------------------------------------------------------------------------------------------------ names


def name_problem(view: View) -> Problem | None:
    """A name that the paper does not hold."""
    if names := [name for name in view.claim.names if not name_stands(name, view.paper)]:
        return Status.UNSUPPORTED, f"{_quoted(names)} does not stand in the cited abstract"
    return None


_TURNS = frozenset("while whereas but although though".split())
_MOST_IN_FRAME = 3  # telling words of "We show that, while A does this, B does that" in front of the contrast


def other_side_problem(view: View) -> Problem | None:
    """ "While A does this, B does that": that, told of A. Only where the claim names A."""
    names = {token.stem for name in view.claim.names for token in statement(text.fold(name).text).tokens}
    said = _same_side(view.claim.said, names) - names
    for sentence in view.chosen if names else ():
        one, two = _sides(sentence.said)
        for here, there in ((one, two), (two, one)):
            if names <= here and not names & there and len(said & (there - here)) > max(1, len(said & (here - there))):
                return Status.CONTRADICTED, "the abstract says this of something else"
    return None


def _same_side(said: Statement, names: AbstractSet[str]) -> AbstractSet[str]:
    """Telling stems of a sentence, without the side of a contrast in which none of the names stands."""
    whole = {token.stem for token in said.tokens if token.is_content}
    return next((whole & side for side in _sides(said) if names <= side), whole)


def _sides(said: Statement) -> tuple[AbstractSet[str], AbstractSet[str]]:
    """Stems of the two sides of a contrast; nothing where there is none."""
    turn = next((i for i, token in enumerate(said.tokens) if token.text in _TURNS), None)
    if turn is None:
        return frozenset(), frozenset()
    one, two = list(said.tokens[:turn]), list(said.tokens[turn + 1 :])
    if two and sum(token.is_content for token in one) <= _MOST_IN_FRAME:
        one, two = ([token for token in two if (token.clause == two[0].clause) is first] for first in (True, False))
    return {token.stem for token in one}, {token.stem for token in two}


_OTHERS_FIRST = re.compile(
    r"^(?:(?:however|moreover|furthermore|yet|but|while|although|though|typically|traditionally|currently|recently|unfortunately),? )*(?:the )?"
    r"(?:(?:most|many|all|several|some|recent|these|those) )*(?:existing|conventional|previous|prior|traditional|current|earlier|other|standard"
    r"|classical|typical|alternative|state-of-the-art)\b"
)
_OURS = re.compile(r"\b(?:we|our|ours|us|this (?:paper|work|study|method|approach)|the proposed)\b")
_OTHERS = re.compile(
    r"\b(?:existing|conventional|previous|prior|traditional|current|earlier|other|others|standard|classical|typical|alternative|state-of-the-art|they|their)\b"
)


# what a method does about the others
_ANSWERS_THEM = re.compile(
    r"\b(?:address|overcom|tackl|avoid|solv|mitigat|alleviat|improv|outperform|beat|exceed|surpass|unlike|than|compared|replac|instead"
    r"|drop|abandon|relax|reject|discard|no longer)\w*"
)


def of_others_problem(view: View) -> Problem | None:
    """What the abstract says of the methods of others, told of its own."""
    best = view.chosen[0].said.folded
    own = text.fold(view.paper.label).text
    of_others = _OTHERS_FIRST.match(best) and not _OURS.search(best) and own not in best
    told_of_own = own in view.claim.said.folded and not _OTHERS.search(view.claim.said.folded) and not _ANSWERS_THEM.search(view.claim.said.folded)
    return (Status.UNSUPPORTED, "the abstract says this of other methods") if of_others and told_of_own else None


# ----------------------------------------------------------------------------------------------------------------- denial

_VERB_FOLLOWS = ("not", "never", "cannot")  # what stands right behind these is the verb that they deny


def denial_problem(view: View) -> Problem | None:
    """What one side denies and the other affirms."""
    claim = view.claim.said
    for denial in claim.denials:
        told = [_affirmed(claim.tokens[i], view) for i in denial.scope]
        agreed, denied = told.count(False), told.count(True)
        if not denial.is_contrast and denied and (denied >= agreed if told[0] else not agreed and 2 * denied > len(told)):
            return Status.CONTRADICTED, f"the sentence denies what the abstract affirms (“{denial.word}”)"
    for sentence in view.chosen:
        for denial in sentence.said.denials:
            if denial.is_contrast and _OTHERS.search(claim.folded):
                continue  # "unlike X, ours ...": said of the others here too
            if _affirms(claim, sentence.said, denial):
                return Status.CONTRADICTED, f"the sentence affirms what the abstract denies (“{denial.word}”)"
    return None


def lone_denial_problem(view: View, *, likelihood: Callable[[], float]) -> Problem | None:
    """A denial of which nothing in the evidence speaks, in a sentence that is not likely enough without it."""
    claim = view.claim.said
    there = [sentence.said for sentence in view.chosen]
    if any(said.denials or said.doubts for said in there) or likelihood() >= LIKELY_FROM:
        return None
    stems = {stem for said in there for stem in said.stems}
    for denial in claim.denials:
        if not denial.is_contrast and not any(are_opposite(claim.tokens[i].stem, stem) for i in denial.scope for stem in stems):
            return Status.UNSUPPORTED, f"the sentence denies something (“{denial.word}”), and the abstract denies nothing there"
    return None


def _affirmed(token: Token, view: View) -> bool | None:
    """Is a word of the claim affirmed wherever the evidence has it? None: the evidence does not have it."""
    found, opposed = False, False
    for sentence in view.chosen:
        denied = sentence.said.denied | sentence.said.doubted(view.claim.said.stems)
        for i, there in enumerate(sentence.said.tokens):
            if are_alike(token.stem, there.stem):
                if i in denied:
                    return False
                found = True
            opposed = opposed or are_opposite(token.stem, there.stem)
    if found and opposed:
        return None  # of one thing this, of another the opposite
    return found or (False if opposed else None)


def _affirms(claim: Statement, there: Statement, denial: Denial) -> bool:
    """Does the claim affirm what a denial of the evidence denies?"""
    scope = [there.tokens[i] for i in denial.scope]
    hits = [[i for i, token in enumerate(claim.tokens) if _meets(token, one)] for one in scope]
    met = {i for places in hits for i in places}
    has_verb = denial.word in _VERB_FOLLOWS and all(hits[:2])
    enough = sum(map(bool, hits)) >= (0.5 if denial.is_contrast else 0.6) * len(scope)
    if not met or not (enough or has_verb) or met & (claim.denied | claim.doubted(there.stems)):
        return False
    if any(are_opposite(token.stem, one.stem) for token in claim.tokens for one in scope):
        return False
    # what the evidence also affirms elsewhere is not denied as such
    elsewhere = {token.stem for i, token in enumerate(there.tokens) if i not in there.denied}
    if all(one.stem in elsewhere for one, places in zip(scope, hits, strict=True) if places):
        return False
    # "unlike X, which does Y, we ...": X does Y
    return not denial.is_contrast or next((i for i, token in enumerate(claim.tokens) if token.is_content), 0) not in met


def _meets(token: Token, denied: Token) -> bool:
    return token.stem == denied.stem or (denied.is_content and are_alike(token.stem, denied.stem))


# ------------------------------------------------------------------------------------------------- direction, opposites

_NEAR = 3  # words


def direction_problem(view: View) -> Problem | None:
    """Up, where the abstract says down."""
    denied, agreed = view.claim.said.denied, _agreed_comparatives(view)
    there = [(direction, sentence.said) for sentence in view.chosen for direction in sentence.said.directions]
    for direction in view.claim.said.directions:
        same = [(other, said) for other, said in there if direction.objects & other.objects]
        if direction.at in denied | agreed:
            continue
        if same and all(against(direction, other) != (other.at in said.denied) for other, said in same):
            return Status.CONTRADICTED, f"the sentence says “{direction.word}” where the abstract says “{same[0][0].word}”"
    return None


def opposite_problem(view: View) -> Problem | None:
    """A word whose opposite the evidence has in its place."""
    claim = view.claim.said
    there = [(sentence.said, j) for sentence in view.chosen for j in range(len(sentence.said.tokens))]
    for i, token in enumerate(claim.tokens):
        same = [(said, j) for said, j in there if said.tokens[j].stem == token.stem]
        if any(_same_place(claim, i, said, j) for said, j in same) or (same and not has_opposite(token.stem)):
            continue
        for said, j in there:
            if are_opposite(token.stem, said.tokens[j].stem) and _same_place(claim, i, said, j) and (i in claim.denied) == (j in said.denied):
                return Status.CONTRADICTED, f"the sentence says “{token.text}” where the abstract says “{said.tokens[j].text}”"
    return None


def _same_place(claim: Statement, i: int, there: Statement, j: int) -> bool:
    """Do two words have a neighbour in common?"""
    return bool(_neighbours(claim, i) & _neighbours(there, j))


def _neighbours(said: Statement, at: int) -> set[str]:
    near = (*said.tokens[max(0, at - _NEAR) : at], *said.tokens[at + 1 : at + _NEAR + 1])
    return {token.stem for token in near if token.is_content}


# ------------------------------------------------------------------------------------------------------------ comparison


def comparison_problem(view: View) -> Problem | None:
    """The two sides of a comparison changed round."""
    for said in view.claim.said.comparisons:
        for sentence in view.chosen:
            for there in sentence.said.comparisons:
                if said.way == there.way and _measure_alike(said, there) and _is_reversed(said, there, sentence):
                    return Status.CONTRADICTED, f"the abstract compares the other way round (“{there.word}”)"
    return None


def _measure_alike(one: Comparison, other: Comparison) -> bool:
    """ "More accurate" and "fewer steps" cannot be held against each other."""
    return not one.measure or not other.measure or any(are_alike(a, b) for a in one.measure for b in other.measure)


def _agreed_comparatives(view: View) -> set[int]:
    """Places of the comparatives of the claim that are borne out: "B needs more than A" where the abstract has "A needs less than B"."""
    pairs = ((said, there) for said in view.claim.said.comparisons for sentence in view.chosen for there in sentence.said.comparisons)
    return {said.at for said, there in pairs if said.way == there.way == "than" and said.greater & there.greater and said.lesser & there.lesser}


def _is_reversed(said: Comparison, there: Comparison, sentence: AbstractSentence) -> bool:
    both = (said.greater & said.lesser) | (there.greater & there.lesser)
    greater, lesser, more, less = (side - both for side in (said.greater, said.lesser, there.greater, there.lesser))
    if not lesser & more:
        return False
    return bool(greater & less) or bool(greater & sentence.said.stems and not greater & more and not lesser & less)


# ----------------------------------------------------------------------------------------------------------- supposition

_SUPPOSES = re.compile(
    r"\b(?:whether|ask\w*|investigat\w*|explor\w*|examin\w*|stud(?:y|ies|ied)|hypothesi\w*|conjectur\w*|question\w*|test\w*|unclear|unknown"
    r"|elusive|unexplored|may|might|could)\b"
)
_MOST_SUPPOSED = 0.6


def supposition_problem(view: View) -> Problem | None:
    """What the abstract asks or supposes, told as what it says."""
    if _SUPPOSES.search(view.claim.said.folded):
        return None
    stems = {False: set[str](), True: set[str]()}
    for sentence in view.chosen:
        doubted = sentence.said.doubted()
        for i, token in enumerate(sentence.said.tokens):
            if i in sentence.said.asked or i not in doubted:
                stems[i in sentence.said.asked].add(token.stem)
    told, asked = stems[False], stems[True] - stems[False]
    there = [token.stem for token in view.claim.said.tokens if token.is_content and token.stem in told | asked]
    if there and sum(stem in asked for stem in there) > _MOST_SUPPOSED * len(there):
        return Status.UNSUPPORTED, "the abstract asks or supposes this and does not say it"
    return None


_MAY = re.compile(r"\b(?:may|might|could)\b(?! (?:not only|also)\b)")
_HEDGES = re.compile(
    r"\b(?:may|might|could|can|would|potential\w*|possibl[ey]|possibility|likely|perhaps|seems?|appears?|suggest\w*|hypothes\w*|believe\w*"
    r"|expect\w*|hope\w*|promis\w*|probabl[ey])\b"
)
_REACH_OF_MAY = 4  # telling words behind it


def certainty_problem(view: View) -> Problem | None:
    """That something is so, where the abstract says that it may be."""
    claim = view.claim.said
    if _HEDGES.search(claim.folded):
        return None
    for said in (sentence.said for sentence in view.chosen):
        for match in _MAY.finditer(said.folded):
            behind = [token for token in said.tokens if token.start >= match.end() and token.is_content][:_REACH_OF_MAY]
            told = [any(are_alike(token.stem, one.stem) for one in claim.tokens) for token in behind]
            elsewhere = {token.stem for token in said.tokens if token.start < match.start()}
            if told and told[0] and behind[0].stem not in elsewhere and sum(told) >= _MOST_SUPPOSED * len(told):
                return Status.UNSUPPORTED, f"the abstract says that it {match.group()} be so, the sentence that it is"
    return None


# --------------------------------------------------------------------------------------------------------------- coverage


def _doubt(view: View, likelihood: Callable[[], float]) -> Problem | None:
    """The words are there, but what goes up and what goes down, and what is denied, is different; near word for word the rules see more clearly."""
    claim = view.claim.said
    if _agreed_comparatives(view) or any(_is_nearly_the_same(claim, sentence.said) for sentence in view.chosen):
        return None
    if likelihood() >= DOUBTFUL_BELOW:
        return None
    return Status.UNSUPPORTED, "the abstract has these words and seems to say something else with them"


_FEWEST_TO_GO_BY = 4  # telling words: of fewer a likelihood says little


def coverage_problem(view: View, *, likelihood: Callable[[], float]) -> Problem | None:
    """A claim that shares too little with the abstract, or that goes another way than most of what it shares with it."""
    if view.coverage >= SUPPORTED_FROM:
        return _doubt(view, likelihood)
    if view.coverage >= _SAME_CLAIM_FROM and len(view.claim.words) >= _FEWEST_TO_GO_BY and likelihood() >= LIKELY_FROM:
        return None
    missing = view.missing()
    return Status.UNSUPPORTED, f"the abstract says nothing about {_quoted(missing)}" if missing else "the abstract does not say this"


_BORDER = re.compile(
    r"[,;:]\s|\s(?=(?:and|but|while|whereas|which|that|because|although|so|since|as|thereby|who|when|where|if|by|for|with|in|on|to|from|using|through"
    r"|after|before|at|during|even|under|within|until)\b)"
)
_ADDS = re.compile(r"\s?(?:because|although|since|which|as|and|but|until|while|whereas)\b")
_FEWEST_IN_PART = 2
_PART_COVERED_FROM = 0.34
_ENDING_COVERED_FROM = 0.05  # a last part with one telling word


def part_problem(view: View) -> Problem | None:
    """A part of the sentence, such as an ending that was invented, that nothing in the evidence bears out."""
    folded = view.claim.said.folded
    borders = [0, *(match.end() for match in _BORDER.finditer(folded)), len(folded) + 1]
    for start, end in pairwise(borders):
        inside = [i for i, word in enumerate(view.claim.words) if start <= word.at < end]
        least = _PART_COVERED_FROM if len(inside) >= _FEWEST_IN_PART else 0.0
        if len(inside) == 1 and end == borders[-1] and _ADDS.match(folded, max(0, start - 1)):
            least = _ENDING_COVERED_FROM
        if least and view.share(inside) < least and _weighs(view, view.missing_places(inside)):
            return Status.UNSUPPORTED, f"the abstract says nothing about {_quoted(view.missing(inside))}"
    return None


def _weighs(view: View, places: Sequence[int]) -> bool:
    """Do some words of a claim tell more than one plain word that any sentence may have?"""
    return sum(view.claim.words[i].weight for i in places) >= 1.0


def tail_problem(view: View) -> Problem | None:
    """A sentence of the abstract that goes on: the ending was made up."""
    claim = view.claim
    for said in (sentence.said for sentence in view.chosen):
        blocks = [block for block in _blocks(claim.said.folded, said.folded) if block.size >= _FEWEST_IN_BLOCK]
        head = blocks[-1].a + blocks[-1].size if blocks else 0
        if head < _SHORTEST_HEAD or sum(block.size for block in blocks) < _TRUE_HEAD * head or head == len(claim.said.tokens):
            continue
        begins = claim.said.tokens[head].start
        tail = [i for i, word in enumerate(claim.words) if word.at >= begins]
        stands = sum(claim.words[i].weight for i in tail if view.met[i] >= MET_EXACTLY)
        missing = [i for i in tail if view.met[i] < (MET_EXACTLY if len(tail) > 1 else MET)]
        if _weighs(view, missing) and stands < _TAIL_STANDS * sum(claim.words[i].weight for i in tail):
            return Status.UNSUPPORTED, f"the abstract says nothing about {_quoted([claim.words[i].text for i in missing])}"
    return None


_FEWEST_IN_BLOCK = 2  # words in a row that count as taken over
_SHORTEST_HEAD = 6  # words
_TRUE_HEAD = 0.75  # share of them that is taken over
_TAIL_STANDS = 0.5

_NEARLY_VERBATIM = 0.6  # share of the words of a sentence that stand, in this order, in one sentence of the abstract
_MOST_REPLACED = 2
_UNLIKE = 0.18  # words whose vectors are no closer have nothing to do with each other


def replaced_word_problem(view: View) -> Problem | None:
    """A sentence of the abstract with a word put in the place of another."""
    claim, agreed = view.claim.said, _agreed_comparatives(view)
    there = {word.at for word, met in zip(view.claim.words, view.met, strict=True) if met >= MET_EXACTLY}
    for said in (sentence.said for sentence in view.chosen):
        for new, old in _replacements(claim.tokens, said.tokens):
            for a, b in ((a, b) for a in new for b in old if are_opposite_in_place(a.stem, b.stem)):
                i, j = claim.tokens.index(a), said.tokens.index(b)
                if i not in agreed and (i in claim.denied) == (j in said.denied) and _goes_on_alike(claim.tokens[i + 1 :], said.tokens[j + 1 :]):
                    return Status.CONTRADICTED, f"the sentence says “{a.text}” where the abstract says “{b.text}”"
        if not _is_nearly_the_same(claim, said):
            continue
        for new, old in _replacements(_informative(claim.tokens), _informative(said.tokens)):
            one, other = [token.text for token in new], [token.text for token in old]
            if not any(token.start in there or token.is_part for token in new) and view.likeness(one, other) < _UNLIKE:
                return Status.UNSUPPORTED, f"the sentence says {_quoted(one)} where the abstract says {_quoted(other)}"
    return None


def _goes_on_alike(claim: Sequence[Token], there: Sequence[Token]) -> bool:
    """Does a compound follow on both sides or on neither? "Fewer simulations" is not the opposite of "more simulation-efficient"."""
    return not claim or not there or claim[0].is_part == there[0].is_part


def _replacements(claim: Sequence[Token], there: Sequence[Token]) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """Short pieces of a claim that stand in the place of others, in a text that is otherwise nearly the same."""
    matcher = SequenceMatcher(None, [token.stem for token in claim], [token.stem for token in there], autojunk=False)
    if sum(block.size for block in matcher.get_matching_blocks()) < _NEARLY_VERBATIM * len(claim):
        return
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "replace" and i_end - i <= _MOST_REPLACED and j_end - j <= _MOST_REPLACED:
            yield claim[i:i_end], there[j:j_end]


def _is_nearly_the_same(claim: Statement, there: Statement) -> bool:
    return sum(block.size for block in _blocks(claim.folded, there.folded)) >= _NEARLY_VERBATIM * len(claim.tokens)


@lru_cache(maxsize=1024)
def _blocks(claim: str, there: str) -> Sequence[Match]:
    """What two folded sentences have in common, in order."""
    one, other = ([token.stem for token in statement(folded).tokens] for folded in (claim, there))
    return SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()


def _informative(tokens: Sequence[Token]) -> list[Token]:
    """Words that do not have many others beside them that could stand in their place."""
    return [t for t in tokens if t.is_content and t.text not in COMMON and t.text not in text.QUESTION_WORDS and not is_ordinary(t.stem)]


# --------------------------------------------------------------------------------------------------------- all and only

_ALL = re.compile(r"(?<!almost )(?<!nearly )(?<!not )\b(?:all|every|each|always|any)\b")
_NOT_ALL = re.compile(r"\b(?:almost all|nearly all|almost every|most|many|some|several|certain|a few|usually|often|sometimes)\b")
_ONLY = re.compile(r"(?<!not )\b(?:only|solely|exclusively)\b")
_NOT_ONLY = re.compile(r"\b(?:both|all|any|every|also|as well as|not only|various|diverse)\b")


def quantifier_problem(view: View) -> Problem | None:
    """All, where the abstract says most."""
    everything = [_behind(sentence.said, match.end()) for sentence in view.chosen for match in _ALL.finditer(sentence.said.folded)]
    for match in _ALL.finditer(view.claim.said.folded):
        things = _behind(view.claim.said, match.end())
        if not any(things & others for others in everything) and (other := _before_one_of(things, _NOT_ALL, view)):
            return Status.UNSUPPORTED, f"the sentence says “{match.group()}” where the abstract says “{other}”"
    return None


def only_problem(view: View) -> Problem | None:
    """Only this, where the abstract says this and more."""
    if any(_ONLY.search(sentence.said.folded) for sentence in view.chosen):
        return None
    for match in _ONLY.finditer(view.claim.said.folded):
        thing = next((token.stem for token in view.claim.said.tokens if token.start >= match.end() and token.is_content), "")
        if other := _before_one_of({thing}, _NOT_ONLY, view):
            return Status.UNSUPPORTED, f"the sentence says “{match.group()}” where the abstract says “{other}”"
    return None


def _before_one_of(things: AbstractSet[str], pattern: re.Pattern[str], view: View) -> str:
    """What the evidence says, of all that a pattern finds, in front of one of these things; or nothing."""
    found = ((match, sentence.said) for sentence in view.chosen for match in pattern.finditer(sentence.said.folded))
    return next((match.group() for match, said in found if things & _behind(said, match.end())), "")


def _behind(said: Statement, end: int) -> AbstractSet[str]:
    following = [token for token in said.tokens if token.start >= end][:4]
    return {token.stem for token in following if token.is_content}
