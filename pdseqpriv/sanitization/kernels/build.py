"""From counts per time point and event to the problem that is solved.

A *pair* is one event at one time point, with all its occurrences there; pairs are
sorted by time point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.problem import (
    BY_EVENT,
    CEILING,
    CONCENTRATION,
    EVENT,
    FIRST,
    LENGTH,
    OCCURRENCES,
    POINT,
    REACHED,
    TOTAL,
    Problem,
)

# Columns of Pairs.rows: number of the time point (never falling), event, and how often it occurs there.
TIME, CODE, TIMES = range(3)


class Pairs(NamedTuple):
    """All events of one event sequence."""

    rows: Array  # int32, or int64 where that is too small: large tables are tight


class Terms(NamedTuple):
    """What is asked, the same for every event sequence."""

    rank: Array  # int64 per code, place among the sensitive events, -1 for all others
    alphabet: int
    numerator: int
    denominator: int
    camouflage: int


@compiled
def ceilings(pairs: Pairs, terms: Terms) -> Array:
    """Per time point, the most that a sensitive event may keep so as not to stand out.

    At least camouflage - 1 other events must be as frequent in the prefix and still
    below delta, whatever is deleted. What is kept never falls, so the ceiling of a
    prefix is the least over all longer ones.
    """
    times = pairs.rows[-1, TIME] + 1
    most = np.int64(1) << 62
    if terms.camouflage == 0:
        return np.full(times, most)
    reached = np.zeros(terms.rank.size, np.int64)
    largest = 1
    for j in range(pairs.rows.shape[0]):
        reached[pairs.rows[j, CODE]] += pairs.rows[j, TIMES]
        largest = max(largest, reached[pairs.rows[j, CODE]])
    holders = np.zeros(largest + 2, np.int64)  # other events by how often they occurred
    reached[:] = 0
    ceiling = np.zeros(times, np.int64)
    others, j, bottom, inside, top = 0, 0, 1, 0, 0  # inside: events with bottom..top
    for t in range(times):
        while j < pairs.rows.shape[0] and pairs.rows[j, TIME] == t:
            code, count = pairs.rows[j, CODE], pairs.rows[j, TIMES]
            if terms.rank[code] < 0:
                before, after = reached[code], reached[code] + count
                reached[code] = after
                others += count
                inside += (bottom <= after <= top) - (bottom <= before <= top)
                holders[after] += 1
                if before > 0:
                    holders[before] -= 1
            j += 1
        while top < largest and terms.denominator * (top + 1) < terms.numerator * others:
            top += 1
            inside += holders[top] if top >= bottom else 0
        while bottom > 1 and inside < terms.camouflage - 1:
            bottom -= 1
            inside += holders[bottom] if bottom <= top else 0
        while bottom <= top and inside - holders[bottom] >= terms.camouflage - 1:
            inside -= holders[bottom]
            bottom += 1
        ceiling[t] = bottom if inside >= terms.camouflage - 1 and bottom <= top else 0
    for t in range(times - 2, -1, -1):
        ceiling[t] = min(ceiling[t], ceiling[t + 1])
    return ceiling


@compiled
def number_events(pairs: Pairs, terms: Terms) -> Array:
    """Number the sensitive events that occur, in the order of their ranks; -1 for others."""
    most = -1
    for j in range(pairs.rows.shape[0]):
        most = max(most, terms.rank[pairs.rows[j, CODE]])
    numbers = np.full(most + 1, -1, np.int64)
    for j in range(pairs.rows.shape[0]):
        if terms.rank[pairs.rows[j, CODE]] >= 0:
            numbers[terms.rank[pairs.rows[j, CODE]]] = 0
    events = 0
    for rank in range(most + 1):
        if numbers[rank] == 0:
            numbers[rank] = events
            events += 1
    return numbers


@compiled
def sort_by_event(entries: Array, events: int) -> Array:
    """Write the entries sorted by event and then by point; where each event begins."""
    offsets = np.zeros(events + 1, np.int64)
    for i in range(entries.shape[0]):
        offsets[entries[i, EVENT] + 1] += 1
    for e in range(events):
        offsets[e + 1] += offsets[e]
    place = offsets.copy()
    for i in range(entries.shape[0]):
        entries[place[entries[i, EVENT]], BY_EVENT] = i
        place[entries[i, EVENT]] += 1
    return offsets


@compiled
def build(pairs: Pairs, terms: Terms, pulse: Array) -> tuple[Problem, Array]:
    """The problem, and for every entry its pair."""
    numbers = number_events(pairs, terms)
    limits = ceilings(pairs, terms)
    size, events, points, latest = 0, int(np.int64(0)), 0, -1
    for j in range(pairs.rows.shape[0]):
        if terms.rank[pairs.rows[j, CODE]] >= 0:
            size += 1
            events = max(events, numbers[terms.rank[pairs.rows[j, CODE]]] + 1)
            points += pairs.rows[j, TIME] != latest
            latest = pairs.rows[j, TIME]
    origin = np.empty(size, np.int64)
    entries, share = np.empty((size, 5), np.int64), np.empty(size, np.float64)
    places, smooth = np.zeros((points + 1, 3), np.int64), np.empty((points, 2), np.float64)
    so_far = np.zeros(events, np.int64)
    i, points, length, start = 0, 0, 0, 0
    for j in range(pairs.rows.shape[0]):
        if j + 1 < pairs.rows.shape[0] and pairs.rows[j + 1, TIME] == pairs.rows[j, TIME]:
            continue
        here, squares, first = 0, 0.25 * terms.alphabet, i
        for m in range(start, j + 1):
            f = pairs.rows[m, TIMES]
            here += f
            squares += f * (f + 1.0)
            if terms.rank[pairs.rows[m, CODE]] >= 0:
                e = numbers[terms.rank[pairs.rows[m, CODE]]]
                so_far[e] += f
                origin[i], entries[i, POINT], entries[i, EVENT] = m, points, e
                entries[i, OCCURRENCES], entries[i, REACHED] = f, so_far[e]
                i += 1
        length += here
        start = j + 1
        if i > first:
            smoothed = here + 0.5 * terms.alphabet
            for m in range(first, i):
                share[m] = (entries[m, OCCURRENCES] + 0.5) / smoothed
            places[points, LENGTH], places[points, CEILING] = length, limits[pairs.rows[j, TIME]]
            smooth[points, TOTAL] = smoothed
            smooth[points, CONCENTRATION] = squares / (smoothed * smoothed)
            points += 1
            places[points, FIRST] = i
    event_offsets = sort_by_event(entries, events)
    top, bottom = terms.numerator, terms.denominator
    return Problem(entries, share, places, smooth, event_offsets, top, bottom, pulse), origin
