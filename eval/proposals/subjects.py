"""What a question calls the paper that it asks about, so that whoever reads the question alone knows which one is meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag_qa import text
from rag_qa.papers import Paper

LONGEST_TITLE = 110
"""Characters of a title that a question quotes."""
_FEWEST_WORDS, _MOST_WORDS = 2, 7  # of a description

_THING = (
    "(?:algorithm|approach|architecture|benchmark|classifier|corpus|data ?set|estimator|framework|method|model|network|pipeline|protocol|strategy"
    "|system|survey|technique|theory|trial|tool)"
)
_INTRODUCES = re.compile(
    r"\b(?:[Ww]e|paper|study|work|article|authors) (?:\w+ly )?(?:propose|introduce|present|develop|design|describe|study|investigate)s? "
    r"(?:(?:a|an|the|our) )?(?:(?:novel|new|simple|general|efficient|effective) )*"
    rf"(?P<what>(?:[\w-]+ ){{1,5}}{_THING}(?: (?:for|of|on) (?:[\w-]+ ){{0,2}}[\w-]+)?)(?=[,.;: ])"
)
_TOKEN = re.compile(r"[\w-]+")
_OPEN_END = re.compile(r" (?:for|of|on)$| (?:for|of|on) (?:a|an|the|this|these|its|their|our|that|which)\b.*$| (?:that|which|to|with|by|and|in)$")
_NOT_ONE = re.compile(r"\b(?:a|an|the|this|that|these|those|our|its|their|such|is|are|we|not|and|or|of|which|to)\b")


@dataclass(frozen=True, slots=True)
class Subject:
    """A paper, and what a question calls what it is about (`called`). `is_name`: that is a name that the abstract uses too; `is_title`: the title."""

    paper: Paper
    called: str
    is_name: bool = False
    is_title: bool = False


def subjects(papers: Sequence[Paper]) -> list[Subject]:
    """The papers that a question can name, each with what it is called: the name of its method, its title in quotes, or how it introduces what it
    proposes.

    What two papers share names neither, and a name that another abstract uses too may be a word of the field.
    """
    uses = Counter(token for paper in papers for token in set(_TOKEN.findall(paper.abstract)))
    titles = Counter(text.folded(paper.title) for paper in papers if paper.title)
    descriptions = Counter(described for paper in papers if (described := _described(paper.abstract)))
    found: list[Subject] = []
    for paper in papers:
        name, described = text.name_of(paper.abstract), _described(paper.abstract)
        if name and all(uses[token] <= 1 for token in _TOKEN.findall(name)[:1]):
            found.append(Subject(paper, name, is_name=True))
        elif paper.title and len(paper.title) <= LONGEST_TITLE and "“" not in paper.title and titles[text.folded(paper.title)] == 1:
            found.append(Subject(paper, f"“{paper.title}”", is_title=True))
        elif described and descriptions[described] == 1:
            found.append(Subject(paper, f"the {described}"))
    return found


def _described(abstract: str) -> str:
    """How an abstract introduces what it proposes, without a name; "" if it does not, or not shortly.

    >>> _described("Graphs are large. We present a novel coreset clustering algorithm for sparse graphs that is fast.")
    'coreset clustering algorithm for sparse graphs'
    """
    for start, end in text.sentences(abstract):
        for match in _INTRODUCES.finditer(abstract[start:end]):
            what = _OPEN_END.sub("", match.group("what"))
            if not _NOT_ONE.search(what.casefold()) and _FEWEST_WORDS < len(what.split()) <= _MOST_WORDS:
                return what
    return ""
