"""A ranking in words: why a paper stands where it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag_qa.retrieval.hits import Asked, Hit

_RANKINGS = {"keyword": "by words", "dense": "by meaning"}


def explained(hit: Hit) -> str:
    """Which words of the question stand in a paper and how rare they are, how similar it is, and its place in either ranking.

    >>> from rag_qa.papers import Paper
    >>> found = Hit(Paper("p1", "NetMoE ..."), (), 0.61, 1, {"keyword": 1, "dense": 3}, {"keyword": 9.1, "dense": 0.5, "sentence": 0.62},
    ...             ("netmoe",), (Asked("netmoe", 1, True), Asked("cost", 31, False)), library=180)
    >>> print(explained(found))
    Words: netmoe (in 1 of 180 papers); not cost (31). Meaning: best passage 0.50, best sentence 0.62 (1 is the same). 1st by words, 3rd by meaning.
    """
    return " ".join([*_words(hit), *_meaning(hit), *_places(hit), *_reranked(hit), *_besides(hit)])


def _words(hit: Hit) -> Iterator[str]:
    there = [one for one in hit.asked if one.is_matched]
    missing = [one for one in hit.asked if not one.is_matched]
    counts = _counted(there + missing, hit.library)
    parts = [", ".join(counts[one] for one in there) or "none"]
    parts += [f"not {', '.join(counts[one] for one in missing)}"] if missing else []
    parts += [f"also {', '.join(hit.also)}"] if hit.also else []
    if hit.asked or hit.also:
        yield f"Words: {'; '.join(parts)}."


def _counted(order: Sequence[Asked], library: int) -> dict[Asked, str]:
    """Each word with its number of papers; the first one says what is counted."""
    return {one: f"{one.word} (in {one.papers} of {library} papers)" if i == 0 else f"{one.word} ({one.papers})" for i, one in enumerate(order)}


def _meaning(hit: Hit) -> Iterator[str]:
    parts = [f"best {what} {hit.scores[name]:.2f}" for name, what in (("dense", "passage"), ("sentence", "sentence")) if name in hit.scores]
    if parts:
        yield f"Meaning: {', '.join(parts)} (1 is the same)."


def _places(hit: Hit) -> Iterator[str]:
    parts = [f"{_ordinal(hit.ranks[name])} {how}" if name in hit.ranks else f"not found {how}" for name, how in _RANKINGS.items()]
    said = ", ".join(parts)
    yield f"{said[0].upper()}{said[1:]}."


def _reranked(hit: Hit) -> Iterator[str]:
    if "rerank" in hit.scores:
        before = f", {_ordinal(hit.ranks['fused'])} before" if hit.ranks["fused"] != hit.ranks["rerank"] else ""
        yield f"{_ordinal(hit.ranks['rerank'])} by the re-ranker ({hit.scores['rerank']:.2f}){before}."
    if hit.notice and hit.rank == 1:  # it is the same for all
        yield f"{hit.notice.rstrip('.')}."


def _besides(hit: Hit) -> Iterator[str]:
    if hit.scores.get("named"):
        yield "The question calls its method by name."
    if hit.copies:
        yield f"{len(hit.copies)} near {'copy' if len(hit.copies) == 1 else 'copies'} of it left out."


def _ordinal(number: int) -> str:
    """
    >>> [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
