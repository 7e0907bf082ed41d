"""Some of what an attacker may know of people, and how many sequences it fits.

A *set* is what is known: rows of one sequence. Who may have it is looked up by its rarest event. A set that
can be chosen in several ways, because events repeat, would be drawn more often; it counts the less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.candidates import NOBODY, Whose, candidates_of
from pdseqpriv.compiled import Array, compiled

# Kinds of sets: drawn at random; of the rarest events; all that there is.
DRAWN, RAREST, WHOLE = range(3)
# Places of the pulse: what is done, and whether to stop.
DONE, STOP = range(2)


class IndexedSequences(NamedTuple):
    """Distinct sequences, and where each event occurs."""

    codes: Array
    elements: Array
    offsets: Array
    weights: Array  # how many people have each sequence
    is_release: Array  # empty where there is only one table
    holders: Array  # sequences with event c: holders[starts[c]:starts[c + 1]]
    starts: Array


class Patterns(NamedTuple):
    """What is known: pattern i is codes[offsets[i]:offsets[i + 1]], with the element of each."""

    codes: Array
    elements: Array
    offsets: Array


class Sets(NamedTuple):
    """The pattern of each set; those of one person are neighbours."""

    known: Patterns
    person: Array  # the place in ``CandidateSums``
    kind: Array
    own: Array  # sequences of person p, of which the rows may be: own[own_offsets[p]:own_offsets[p + 1]]
    own_offsets: Array


class CandidateSums(NamedTuple):
    """Per person: fewest candidates, sums of chances and weights, sets tried, whether unique by all."""

    worst: Array
    chances: Array
    weights: Array
    tried: Array
    is_unique: Array


@compiled
def count_holders(
    table: IndexedSequences, known: Patterns, begin: int, end: int, whose: Whose, holders: Array, pulse: Array
) -> int:
    """Count who has each pattern from ``begin`` to ``end``, in the original and in the release.

    Returns where it stopped, if it was told to.
    """
    n_codes = table.starts.size - 1
    for i in range(begin, end):
        if pulse[STOP] != 0:
            return i
        pattern = known.codes[known.offsets[i] : known.offsets[i + 1]]
        element = known.elements[known.offsets[i] : known.offsets[i + 1]]
        rarest = n_codes
        for j in range(pattern.size):
            if rarest == n_codes or _count(table, pattern[j]) < _count(table, rarest):
                rarest = pattern[j]
        _look_up(table, pattern, element, rarest, whose, holders[i], pulse)
        pulse[DONE] += 1
    return end


@compiled
def tally(
    table: IndexedSequences,
    sets: Sets,
    tried: Array,
    holders: Array,
    known: int,
    k: int,
    found: CandidateSums,
) -> None:
    """Note what the sets that were tried say of each person, given who has them."""
    has_release = table.is_release.size > 0
    for i in range(sets.kind.size):
        if not tried[i]:
            continue
        person = sets.person[i]
        pattern = sets.known.codes[sets.known.offsets[i] : sets.known.offsets[i + 1]]
        element = sets.known.elements[sets.known.offsets[i] : sets.known.offsets[i + 1]]
        size = pattern.size
        candidates = candidates_of(holders[i, 0], holders[i, 1], k) if has_release else holders[i, 0]
        found.tried[person] += 1
        if sets.kind[i] == WHOLE and candidates == 1:
            found.is_unique[person] = True
        if sets.kind[i] != WHOLE or size <= known:
            found.worst[person] = min(found.worst[person], candidates)
        if sets.kind[i] == DRAWN:
            ways = 0.0
            for j in range(sets.own_offsets[person], sets.own_offsets[person + 1]):
                s = sets.own[j]
                length = table.offsets[s + 1] - table.offsets[s]
                if length == size or (size == known and length > size):
                    ways += _ways(table, s, pattern, element)
            found.weights[person] += 1.0 / ways
            if candidates != NOBODY:
                found.chances[person] += 1.0 / ways / candidates


@compiled
def _count(table: IndexedSequences, code: int) -> int:
    return int(table.starts[code + 1] - table.starts[code])


@compiled
def _look_up(
    table: IndexedSequences,
    pattern: Array,
    element: Array,
    rarest: int,
    whose: Whose,
    holders: Array,
    pulse: Array,
) -> None:
    """Count who has a pattern, in the original and in the release."""
    has_release, by_person = table.is_release.size > 0, whose.offsets.size > 0
    if by_person:
        whose.stamp[0] += 1
    for place in range(table.starts[rarest], table.starts[rarest + 1]):
        s = table.holders[place]
        if pulse[STOP] != 0:
            break
        if not _contains(table, s, pattern, element):
            continue
        released = 1 if has_release and table.is_release[s] else 0
        if not by_person:
            holders[released] += table.weights[s]
            continue
        for i in range(whose.offsets[s], whose.offsets[s + 1]):
            person = whose.people[i]
            if whose.seen[released, person] != whose.stamp[0]:
                whose.seen[released, person] = whose.stamp[0]
                holders[released] += 1


@compiled
def _contains(table: IndexedSequences, s: int, pattern: Array, element: Array) -> bool:
    """Return whether a sequence contains a pattern, element by element, each as early as possible."""
    row, end = table.offsets[s], table.offsets[s + 1]
    begin = 0
    while begin < pattern.size:
        stop = _end_of(element, begin, pattern.size)
        is_there = False
        while row < end and not is_there:
            after = _end_of(table.elements, row, end)
            is_there = _holds(table.codes, row, after, pattern, begin, stop)
            row = after
        if not is_there:
            return False
        begin = stop
    return True


@compiled
def _ways(table: IndexedSequences, s: int, pattern: Array, element: Array) -> float:
    """Return in how many ways a pattern can be chosen from a sequence."""
    begins = np.empty(pattern.size + 1, np.int64)
    size, begin = 0, 0
    while begin < pattern.size:
        begins[size] = begin
        size += 1
        begin = _end_of(element, begin, pattern.size)
    begins[size] = pattern.size
    ways = np.zeros(size + 1)
    ways[0] = 1
    row, end = table.offsets[s], table.offsets[s + 1]
    while row < end:
        after = _end_of(table.elements, row, end)
        for j in range(size - 1, -1, -1):
            if ways[j] > 0 and _holds(table.codes, row, after, pattern, begins[j], begins[j + 1]):
                ways[j + 1] += ways[j]
        row = after
    return float(ways[size])


@compiled
def _end_of(elements: Array, begin: int, end: int) -> int:
    """Return where the element that begins here ends."""
    stop = begin
    while stop < end and elements[stop] == elements[begin]:
        stop += 1
    return stop


@compiled
def _holds(codes: Array, row: int, after: int, pattern: Array, begin: int, stop: int) -> bool:
    """Return whether a sorted element holds all events of a pattern's sorted element."""
    for r in range(row, after):
        if begin < stop and codes[r] == pattern[begin]:
            begin += 1
    return begin == stop
