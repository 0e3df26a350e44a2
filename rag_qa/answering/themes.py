"""The papers of a topic -> themes: groups of papers that are near each other, each called by words that its papers share and the others do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rag_qa import text
from rag_qa.embedding.embedder import Vectors
from rag_qa.papers import Paper
from rag_qa.statements import is_ordinary

Array = NDArray[np.float64]

PAPERS_IN_THEME = 3
"""So many papers, on average, make a theme: fewer than twice as many are one."""
MOST_THEMES = 5
_LABELS = 3  # terms that a theme is called by
_LONGEST_TERM = 3  # words
_COMMON = 0.9  # how much of what the papers have in common is taken out before they are grouped
# Words of any abstract, which call no theme by its name.
_PROSE = frozenset(
    """
    approach approaches method methods model models results result novel propose proposed existing framework performance based data show
    demonstrate experiments task tasks significant significantly various problem problems state-of-the-art state art learning training trained train
    high higher low lower large small number first second two three set sets datasets dataset used using well effective efficient
    improve improves improved improving achieve achieves additionally moreover furthermore finally specifically recent important real-world
    conducted including included analysis compared among evaluate evaluation extensive challenges challenge capabilities addition patients group
    groups limited leading lead potential provide provides providing develop developed enables enable ability code available work works
    """.split()
)
_NO_NOUN = re.compile(r"(?:ed|ly|est)$|^(?:found|five|four|six|ten|hundred|particularly|able|robust|superior|better|given|shown|known|made)$")


@dataclass(frozen=True, slots=True)
class Theme:
    """Papers that belong together, in the order in which they were found; `is_group`: or those that are left over, each alone.

    `terms`: what their abstracts share, most telling first; may be empty.
    """

    terms: tuple[str, ...]
    papers: tuple[Paper, ...]
    is_group: bool = True


def themes(papers: Sequence[Paper], vectors: Mapping[str, Vectors], topic: str, rarity: Callable[[str], float]) -> list[Theme]:
    """Groups of papers, the one with the best paper first; papers that stand alone are one last group without terms.

    `vectors`: paper id -> unit vectors of its sentences. `topic`: its words call no theme.
    """
    terms = [dict((*_terms(paper.abstract), *_terms(paper.title or ""))) for paper in papers]
    titled = [{term for term, _ in _terms(paper.title or "")} for paper in papers]
    wanted = min(MOST_THEMES, len(papers) // PAPERS_IN_THEME) or 1
    groups = _grouped(_likeness(papers, vectors), wanted)
    known = _said_of(topic, papers)
    named = [(group, _label(group, terms, titled, known, rarity)) for group in groups]
    whole = [Theme(label, tuple(papers[i] for i in group)) for group, label in named if len(group) > 1]
    alone = tuple(papers[group[0]] for group, _ in named if len(group) == 1)
    return [*whole, *([Theme((), alone, is_group=False)] if alone else [])]


def shared_phrases(papers: Sequence[Paper], most: int) -> list[tuple[str, int]]:
    """The phrases of two or three words that stand in the most abstracts, each with the number of those; at least in two. Of phrases that hold each
    other the more frequent one counts.

    >>> shared_phrases([Paper("p1", "We study sea tides in bays."), Paper("p2", "Sea tides rise."), Paper("p3", "Snow fell.")], 5)
    [('sea tides', 2)]
    """
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for paper in papers:
        found = {stems: words for stems, words in _terms(paper.abstract, heads=_HEADS) if " " in stems and _OF_ANY_SUBJECT.isdisjoint(words.split())}
        counts.update(found.keys())
        written = {**found, **written}
    chosen: list[str] = []
    for stems, count in sorted(counts.items(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0])):
        if count < _SHARED or len(chosen) == most:
            break
        if not any(_overlap(stems, other) for other in chosen):
            chosen.append(stems)
    return [(written[stems], counts[stems]) for stems in chosen]


_SHARED = 2  # abstracts that hold a phrase
_HEADS = frozenset("model models learning training network networks".split())
"""Words of any abstract that end the name of a thing: "language models"."""
_OF_ANY_SUBJECT = frozenset("wide broad range promising direction downstream specific main future key recently growing open many".split())


def _overlap(one: str, other: str) -> bool:
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def _said_of(topic: str, papers: Sequence[Paper]) -> set[str]:
    """Stems of the words of a topic, and of short forms that the papers explain by them."""
    known = {text.stem(word.text) for word in text.words(text.folded(topic))}
    short = (pair for paper in papers for pair in text.acronyms(paper.abstract).items())
    explained = [name for name, words in short if {text.stem(word) for word in words} <= known | text.STOPWORDS]
    return known | {text.stem(form) for name in explained for form in (name, f"{name}s")}


def _likeness(papers: Sequence[Paper], vectors: Mapping[str, Vectors]) -> Array:
    """How near each two papers are, in [-1, 1]: in what sets them apart, without what they all have in common, the topic."""
    means = np.stack([_unit(vectors[paper.id].mean(axis=0)) for paper in papers]).astype(np.float64)
    apart = np.stack([_unit(row) for row in means - _COMMON * means.mean(axis=0)])
    near: Array = np.round(apart @ apart.T, 6)
    return near


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _grouped(near: Array, wanted: int) -> list[list[int]]:
    """The two groups that are nearest on average become one, until so many are left; equally near ones in the order of the papers.

    >>> _grouped(np.array([[1.0, 0.1, 0.9], [0.1, 1.0, 0.2], [0.9, 0.2, 1.0]]), 2)
    [[0, 2], [1]]
    """
    groups = [[i] for i in range(len(near))]
    while len(groups) > wanted:
        pairs = combinations(range(len(groups)), 2)
        i, j = max(pairs, key=lambda pair: (round(float(near[np.ix_(groups[pair[0]], groups[pair[1]])].mean()), 6), -pair[0], -pair[1]))
        groups[i] = sorted(groups[i] + groups[j])
        del groups[j]
    return sorted(groups)


def _terms(abstract: str, *, heads: AbstractSet[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """(stems, as written) of words and phrases of up to three words, folded; all within one sentence and between stop words and marks. `heads`: words
    that tell nothing alone and may end a phrase.
    """
    for start, end in text.sentences(abstract):
        run: list[str] = []
        before = 0
        folded = text.folded(abstract[start:end])
        for word in text.words(folded):
            tells = _is_telling(word.text)
            if folded[before : word.start].strip() or not (tells or word.text in heads):
                run = []
            if tells or (run and word.text in heads):
                run = [*run, word.text][-_LONGEST_TERM:]
                ends = (run[-size:] for size in range(1, len(run) + 1))
                yield from ((" ".join(map(text.stem, one)), " ".join(one)) for one in ends if _names_something(one))
            before = word.end


def _is_telling(word: str) -> bool:
    if word in text.STOPWORDS or word in _PROSE or word in text.QUESTION_WORDS or word[0].isdigit() or len(word) < 3:
        return False
    return not is_ordinary(text.stem(word))


def _names_something(words: Sequence[str]) -> bool:
    """Can these words be a name of a thing? "enhanced" alone, and "to enhance images", are none.

    >>> _names_something(["pruning"]), _names_something(["dynamic", "pruning"]), _names_something(["quickly"])
    (False, True, False)
    """
    return not _NO_NOUN.search(words[-1]) and not (len(words) == 1 and words[0].endswith("ing"))


def _label(
    group: Sequence[int], terms: Sequence[Mapping[str, str]], titled: Sequence[AbstractSet[str]], known: set[str], rarity: Callable[[str], float]
) -> tuple[str, ...]:
    """Terms that several papers of a group hold, and few of the others, the rare ones first; no word twice, none of the topic alone.

    Where papers have titles, a single word counts only if it stands in one.
    """
    telling = set().union(*(titled[i] for i in group))
    inside = Counter(term for i in group for term in terms[i])
    outside = Counter(term for i, there in enumerate(terms) if i not in group for term in there)
    others = len(terms) - len(group)
    written = {term: there[term] for i in reversed(group) for there in [terms[i]] for term in there}
    scored = [
        ((count / len(group) - (outside[term] / others if others else 0.0)) * _weight(written[term], rarity) * (1 + (term in telling)), term)
        for term, count in inside.items()
        if count > 1 and not set(term.split()) <= known and (" " in term or term in telling or not telling)
    ]
    chosen: list[str] = []
    used: set[str] = set()
    for score, term in sorted(scored, key=lambda pair: (-round(pair[0], 6), -len(pair[1]), pair[1])):
        stems = {stem.rstrip("s") for stem in term.split()}  # the stem of "llms" is not that of "llm"
        if score > 0 and not stems & used and len(chosen) < _LABELS:
            chosen.append(written[term])
            used |= stems
    return tuple(chosen)


def _weight(term: str, rarity: Callable[[str], float]) -> float:
    """Rarity of a term; a phrase tells more than its rarest word alone."""
    words = term.split()
    return max(rarity(word) for word in words) * (1 + 0.3 * (len(words) - 1))
