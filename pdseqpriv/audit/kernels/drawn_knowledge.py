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


class Table(NamedTuple):
    """Distinct sequences, and where each event occurs."""

    codes: Array
    elements: Array
    offsets: Array
    weights: Array  # how many people have each sequence
    is_release: Array  # empty where there is only one table
    holders: Array  # sequences with event c: holders[starts[c]:starts[c + 1]]
    starts: Array


class Sets(NamedTuple):
    """Set i is rows[offsets[i]:offsets[i + 1]]; those of one person are neighbours."""

    rows: Array
    offsets: Array
    person: Array  # the place in ``Found``
    kind: Array
    own: Array  # sequences of person p, of which the rows may be: own[own_offsets[p]:own_offsets[p + 1]]
    own_offsets: Array


class Found(NamedTuple):
    """Per person: fewest candidates, sums of chances and weights, sets tried, whether unique by all."""

    worst: Array
    chances: Array
    weights: Array
    tried: Array
    is_unique: Array


@compiled
def try_sets(
    table: Table,
    sets: Sets,
    begin: int,
    end: int,
    known: int,
    k: int,
    budget: float,
    whose: Whose,
    found: Found,
    pulse: Array,
) -> int:
    """Try the sets from ``begin`` on, as many as the budget of steps allows; return where it stopped.

    At least the first person's are tried.
    """
    steps = 0.0
    n_codes = table.starts.size - 1
    pattern, element = np.empty(known + 1, np.int64), np.empty(known + 1, np.int64)
    for i in range(begin, end):
        person = sets.person[i]
        if pulse[STOP] != 0 or (steps > budget and i > begin and person != sets.person[i - 1]):
            return i
        size = sets.offsets[i + 1] - sets.offsets[i]
        if size > pattern.size:
            pattern, element = np.empty(size, np.int64), np.empty(size, np.int64)
        rarest = n_codes
        for j in range(size):
            row = sets.rows[sets.offsets[i] + j]
            pattern[j], element[j] = table.codes[row], table.elements[row]
            if rarest == n_codes or _count(table, pattern[j]) < _count(table, rarest):
                rarest = pattern[j]
        candidates, looked_at = _look_up(table, pattern[:size], element[:size], rarest, k, whose, pulse)
        steps += looked_at
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
                    ways += _ways(table, s, pattern[:size], element[:size])
                    steps += length
            found.weights[person] += 1.0 / ways
            if candidates != NOBODY:
                found.chances[person] += 1.0 / ways / candidates
        pulse[DONE] += 1
    return end


@compiled
def _count(table: Table, code: int) -> int:
    return int(table.starts[code + 1] - table.starts[code])


@compiled
def _look_up(
    table: Table, pattern: Array, element: Array, rarest: int, k: int, whose: Whose, pulse: Array
) -> tuple[int, float]:
    """Return the number of candidates, and of the rows that were looked at for it."""
    in_original, in_release, steps = 0, 0, 0.0
    has_release, by_person = table.is_release.size > 0, whose.offsets.size > 0
    if by_person:
        whose.stamp[0] += 1
    for place in range(table.starts[rarest], table.starts[rarest + 1]):
        s = table.holders[place]
        steps += 1 + table.offsets[s + 1] - table.offsets[s]
        if pulse[STOP] != 0:
            break
        if not _contains(table, s, pattern, element):
            continue
        released = 1 if has_release and table.is_release[s] else 0
        if not by_person:
            in_original += (1 - released) * table.weights[s]
            in_release += released * table.weights[s]
            continue
        for i in range(whose.offsets[s], whose.offsets[s + 1]):
            person = whose.people[i]
            if whose.seen[released, person] != whose.stamp[0]:
                whose.seen[released, person] = whose.stamp[0]
                in_original += 1 - released
                in_release += released
    return (candidates_of(in_original, in_release, k) if has_release else in_original), steps


@compiled
def _contains(table: Table, s: int, pattern: Array, element: Array) -> bool:
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
def _ways(table: Table, s: int, pattern: Array, element: Array) -> float:
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
