"""Records -> groups of records of one work.

Two records are looked at together if they share something that few records share; the best evidence is used first, and two groups become one only
if nothing in one contradicts anything in the other. Ties are broken by what the records say, never by their order.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from rag_qa.dedup import evidence
from rag_qa.dedup.compared import Keys
from rag_qa.dedup.evidence import Match


@dataclass(frozen=True, slots=True)
class Group:
    """Records of one work. `members`: their places in the sequence that was given, in rising order. `reasons`: for each of them, why it is the same
    work as another one, "" for the first."""

    members: tuple[int, ...]
    reasons: tuple[str, ...]


def group(records: Sequence[Keys]) -> list[Group]:
    """Groups of one or more, each record in exactly one, in the order of their first members.

    Which records are together does not depend on the order in which they are given.

    >>> one, two = Keys(doi="10.1000/x", title="on tides"), Keys(title="on mosses")
    >>> group([one, two, one])
    [Group(members=(0, 2), reasons=('', 'same DOI 10.1000/x')), Group(members=(1,), reasons=('',))]
    """
    copies: dict[Keys, list[int]] = defaultdict(list)
    for at, record in enumerate(records):
        copies[record].append(at)
    distinct = sorted(copies)
    found = (
        _told(nodes, distinct, copies, links) if len(nodes) > 1 else _alone(copies[distinct[nodes[0]]], distinct[nodes[0]])
        for nodes, links in _clustered(distinct, _links(distinct))
    )
    return sorted((one for some in found for one in some), key=lambda one: one.members)


# -------------------------------------------------------------------------------------------------------------------- links


class _Link(NamedTuple):
    """Evidence that two records are one work; `low` and `high` are their places in the sorted records."""

    match: Match
    low: int
    high: int


def _links(distinct: Sequence[Keys]) -> list[_Link]:
    """All evidence, the best first."""
    found = ((evidence.match(distinct[low], distinct[high]), low, high) for low, high in _candidates(distinct))
    links = [_Link(match, low, high) for match, low, high in found if match]
    return sorted(links, key=lambda link: (-link.match.strength[0], -link.match.strength[1], link.low, link.high))


_FIRST_ONES = 10
_CROWD = 50  # records that share something: where there are more, it tells them apart no longer

# What two records of a work share; that of a record that lacks it is "".
_SHARED: tuple[Callable[[Keys], str], ...] = (
    lambda record: record.pmid,
    lambda record: record.doi,
    lambda record: record.preprint_doi,
    lambda record: record.arxiv,
    lambda record: record.abstract,
    lambda record: record.title.replace(" ", ""),
    lambda record: f"{record.volume} {record.page} {record.year}" if record.volume and record.page else "",
    lambda record: " ".join(record.authors[:3]) if len(record.authors) > 2 else "",
    lambda record: record.sketch[:8],
    lambda record: record.sketch[8:16],
    lambda record: record.sketch[16:24],
)
# What those of a crowd must share besides.
_SHARED_BESIDES: tuple[Callable[[Keys], str], ...] = (
    lambda record: f"{record.title} {record.year} {' '.join(record.authors[:1])}",
    lambda record: f"{record.title} {record.volume} {record.page}",
)


def _candidates(distinct: Sequence[Keys]) -> Iterator[tuple[int, int]]:
    """Pairs of records that may be one work, each once."""
    seen: set[int] = set()
    for shared in _SHARED:
        for block in _blocks(distinct, range(len(distinct)), shared):
            for low, high in _pairs(distinct, block):
                pair = low * len(distinct) + high
                if pair not in seen:
                    seen.add(pair)
                    yield low, high


def _blocks(distinct: Sequence[Keys], places: Iterable[int], shared: Callable[[Keys], str]) -> list[list[int]]:
    """Places of records that share something."""
    found: dict[str, list[int]] = {}
    for at in places:
        if value := shared(distinct[at]):
            found.setdefault(value, []).append(at)
    return [block for block in found.values() if len(block) > 1]


def _pairs(distinct: Sequence[Keys], block: Sequence[int]) -> Iterator[tuple[int, int]]:
    if len(block) <= _CROWD:
        yield from combinations(block, 2)
        return
    for besides in _SHARED_BESIDES:
        for part in _blocks(distinct, block, besides):
            # never quadratic, whatever a file holds: each is held against the first ones only
            yield from ((low, high) for at, high in enumerate(part) for low in part[: min(at, _FIRST_ONES)])


# ----------------------------------------------------------------------------------------------------------------- clusters


def _clustered(distinct: Sequence[Keys], links: Iterable[_Link]) -> Iterator[tuple[list[int], list[_Link]]]:
    """Records that belong together, in rising order, and the links that brought them together."""
    clusters = {at: _Cluster([at], []) for at in range(len(distinct))}
    cluster_of = list(range(len(distinct)))
    for link in links:
        one, other = clusters[cluster_of[link.low]], clusters[cluster_of[link.high]]
        if one is other or not _fit(distinct, one, other, link):
            continue
        large, small = (one, other) if len(one.nodes) >= len(other.nodes) else (other, one)
        name, gone = cluster_of[large.nodes[0]], cluster_of[small.nodes[0]]
        for at in small.nodes:
            cluster_of[at] = name
        clusters[name] = _Cluster(sorted(large.nodes + small.nodes), [*large.links, *small.links, link])
        del clusters[gone]
    return ((cluster.nodes, cluster.links) for cluster in clusters.values())


class _Cluster(NamedTuple):
    nodes: list[int]
    links: list[_Link]


def _fit(distinct: Sequence[Keys], one: _Cluster, other: _Cluster, link: _Link) -> bool:
    """May two clusters become one: does nothing in the one contradict anything in the other?"""
    if len(one.nodes) == len(other.nodes) == 1:
        return True
    pairs = [(distinct[a], distinct[b]) for a in one.nodes[:_CROWD] for b in other.nodes[:_CROWD]]
    if any(evidence.are_apart(a, b) for a, b in pairs):
        return False
    return link.match.is_by_identifier or not evidence.are_unlike([evidence.agreement(a, b) for a, b in pairs if a.is_preprint == b.is_preprint])


# ------------------------------------------------------------------------------------------------------------------- groups


def _alone(copies: Sequence[int], record: Keys) -> list[Group]:
    """Records that are the same in all that is compared, and like no other."""
    if len(copies) == 1:
        return [Group((copies[0],), ("",))]
    found = evidence.match(record, record)
    if not found:
        return [Group((at,), ("",)) for at in copies]
    return [Group(tuple(copies), ("", *[found.reason] * (len(copies) - 1)))]


_NO_DIFFERENCE = "no difference from a record of the same work"


def _told(nodes: Sequence[int], distinct: Sequence[Keys], copies: Mapping[Keys, Sequence[int]], links: Sequence[_Link]) -> list[Group]:
    node_of = {at: node for node in nodes for at in copies[distinct[node]]}
    members = sorted(node_of)
    first = node_of[members[0]]
    towards = _towards(first, links)
    reasons = [""]
    for at in members[1:]:
        direct = evidence.match(distinct[first], distinct[node_of[at]])
        reasons.append(direct.reason if direct else towards.get(node_of[at], _NO_DIFFERENCE))
    return [Group(tuple(members), tuple(reasons))]


def _towards(first: int, links: Sequence[_Link]) -> dict[int, str]:
    """For each record of a cluster but the first: why it is the same work as the one that is nearer to the first."""
    near = defaultdict(list)
    for link in links:
        near[link.low].append((link.high, link.match.reason))
        near[link.high].append((link.low, link.match.reason))
    reasons = {first: ""}
    waiting = deque([first])
    while waiting:
        for node, reason in near[waiting.popleft()]:
            if node not in reasons:
                reasons[node] = reason
                waiting.append(node)
    del reasons[first]
    return reasons
