"""Leave out patterns until nothing can be inferred from two of the others, whose supports stay true."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pdseqpriv.errors import refusal
from pdseqpriv.patterns.sub_patterns import SubPatterns
from pdseqpriv.sequences.ragged import offsets_of, owners_of, places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]

MOST_PAIRS = 2_000_000
# Up to this many patterns that hang together, all choices are compared.
_SMALL = 30

Graph: TypeAlias = dict[int, set[int]]


class SupportLimits(NamedTuple):
    """For each pattern as the longer one, the supports of a shorter one from which something follows."""

    differ: Ints  # above its own support and at most this: by subtraction
    implied: Ints  # at most this: by confidence


def which_stay(
    sub_patterns: SubPatterns, supports: Ints, shortest: int, k: int | None, alpha: Fraction | None
) -> NDArray[np.bool_]:
    """Return which patterns stay, by number; ``supports`` are by number, too."""
    values, places = np.unique(supports, return_inverse=True)
    implied = [0 if alpha is None else min(int(Fraction(int(one)) / alpha), 1 << 62) for one in values]
    limits = SupportLimits(supports + (k or 1) - 1, np.array(implied, np.int64)[places])
    graph: Graph = {}
    for shorter, longer in find_channels(sub_patterns, supports, shortest, limits).tolist():
        graph.setdefault(shorter, set()).add(longer)
        graph.setdefault(longer, set()).add(shorter)
    stay = np.ones(len(supports), np.bool_)
    stay[list(fewest_in_all_pairs(graph))] = False
    return stay


def find_channels(sub_patterns: SubPatterns, supports: Ints, shortest: int, limits: SupportLimits) -> Ints:
    """Return all pairs (shorter, longer) from which something follows, by taking out one event at a time.

    A support can only rise on the way, so what is beyond both limits need not be followed any further.
    """
    lengths = owners_of(sub_patterns.levels)
    offsets = offsets_of(lengths)
    longer = np.flatnonzero(lengths > shortest)
    shorter, found, number = longer, [np.empty((0, 2), np.int64)], 0
    while longer.size:
        fewer = sub_patterns.links[places_of(offsets, shorter)].astype(np.int64)
        longer = np.repeat(longer, lengths[shorter])
        near = supports[fewer] <= np.maximum(limits.differ, limits.implied)[longer]
        kept = (fewer > 0) & (lengths[fewer] >= shortest) & near
        longer, shorter = np.unique(np.stack((longer[kept], fewer[kept])), axis=1)
        differ = (supports[shorter] > supports[longer]) & (supports[shorter] <= limits.differ[longer])
        tells = differ | (supports[shorter] <= limits.implied[longer])
        found.append(np.stack((shorter[tells], longer[tells]), axis=1))
        number += len(found[-1])
        if number > MOST_PAIRS:
            do = 'Use method="raise", or fewer patterns.'
            raise refusal(f"more than {MOST_PAIRS:,} pairs of patterns reveal too much. {do}")
    return np.concatenate(found)


def fewest_in_all_pairs(graph: Graph) -> set[int]:
    """Choose as few as possible so that every pair has one of them; never one that is not needed.

    It is the least number wherever few patterns hang together. Where many do, no quick way to it is known.

    Examples
    --------
    >>> sorted(fewest_in_all_pairs({1: {2, 3}, 2: {1}, 3: {1}}))
    [1]
    """
    chosen: set[int] = set()
    for part in _connected(graph):
        own = {one: set(graph[one]) for one in part}
        chosen |= _fewest(own, len(part)) if len(part) <= _SMALL else _few(own)
    return chosen


def _connected(graph: Graph) -> list[list[int]]:
    parts, seen = [], set[int]()
    for start in graph:
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for one in part:  # grows as it is walked
            new = graph[one] - seen
            seen |= new
            part.extend(new)
        parts.append(part)
    return parts


def _fewest(graph: Graph, most: int) -> set[int]:
    """Compare all choices of at most so many; one more than that if there is none."""
    one = max(graph, key=lambda it: (len(graph[it]), it), default=None)
    if one is None or not graph[one]:
        return set()
    if most <= 0:
        return set(graph)  # more than allowed
    with_it = {one} | _fewest(_without(graph, {one}), most - 1)
    if len(graph[one]) == 1:
        return with_it  # all pairs are apart from each other
    others = set(graph[one])
    less = min(most, len(with_it) - 1) - len(others)
    if less < 0:
        return with_it
    without_it = others | _fewest(_without(graph, others | {one}), less)
    return without_it if len(without_it) < len(with_it) else with_it


def _without(graph: Graph, gone: set[int]) -> Graph:
    return {one: near - gone for one, near in graph.items() if one not in gone}


def _few(graph: Graph) -> set[int]:
    """Choose who is in the most pairs, again and again; then take back who is not needed."""
    left, chosen = {one: set(near) for one, near in graph.items()}, list[int]()
    heap = [(-len(near), -one) for one, near in left.items()]
    heapify(heap)
    while heap:
        size, one = heappop(heap)
        one = -one
        if not left[one]:
            continue
        if -size != len(left[one]):
            heappush(heap, (-len(left[one]), -one))
            continue
        chosen.append(one)
        for other in left.pop(one):
            left[other].discard(one)
        left[one] = set()
    kept = set(chosen)
    for one in chosen:
        if graph[one] <= kept:
            kept.discard(one)
    return kept
