"""From counts per time point and event to the timeline for which deletions are chosen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.timeline import (
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
    Timeline,
)

# Columns of counts, a row per event at a time point: number of the time point (never falling), event, and how
# often it occurs there. int32 where that is wide enough, to save memory; else int64.
TIME, CODE, COUNT = range(3)


class Requirement(NamedTuple):
    """What every event sequence must satisfy, in the numbers of one table."""

    rank: Array  # int64 per code, place among the sensitive events, -1 for all others
    alphabet: int
    numerator: int
    denominator: int
    camouflage: int


@compiled
def ceilings(counts: Array, requirement: Requirement) -> Array:
    """Return, per time point, how many occurrences a sensitive event may keep without standing out.

    At least camouflage - 1 other events must be as frequent in the prefix and still
    below delta, whatever is deleted. What is kept never falls, so the ceiling of a
    prefix is the least over all longer ones.
    """
    times = counts[-1, TIME] + 1
    most = np.int64(1) << 62
    if requirement.camouflage == 0:
        return np.full(times, most)
    reached = np.zeros(requirement.rank.size, np.int64)
    largest = 1
    for j in range(counts.shape[0]):
        reached[counts[j, CODE]] += counts[j, COUNT]
        largest = max(largest, reached[counts[j, CODE]])
    holders = np.zeros(largest + 2, np.int64)  # other events by how often they occurred
    reached[:] = 0
    ceiling = np.zeros(times, np.int64)
    others, j, bottom, inside, top = 0, 0, 1, 0, 0  # inside: events with bottom..top
    for t in range(times):
        while j < counts.shape[0] and counts[j, TIME] == t:
            code, count = counts[j, CODE], counts[j, COUNT]
            if requirement.rank[code] < 0:
                before, after = reached[code], reached[code] + count
                reached[code] = after
                others += count
                inside += (bottom <= after <= top) - (bottom <= before <= top)
                holders[after] += 1
                if before > 0:
                    holders[before] -= 1
            j += 1
        while top < largest and requirement.denominator * (top + 1) < requirement.numerator * others:
            top += 1
            inside += holders[top] if top >= bottom else 0
        while bottom > 1 and inside < requirement.camouflage - 1:
            bottom -= 1
            inside += holders[bottom] if bottom <= top else 0
        while bottom <= top and inside - holders[bottom] >= requirement.camouflage - 1:
            inside -= holders[bottom]
            bottom += 1
        ceiling[t] = bottom if inside >= requirement.camouflage - 1 and bottom <= top else 0
    for t in range(times - 2, -1, -1):
        ceiling[t] = min(ceiling[t], ceiling[t + 1])
    return ceiling


@compiled
def number_events(entries: Array, ranks: int) -> int:
    """Turn the ranks of events into numbers of those that occur, in the same order; return how many do."""
    numbers = np.full(ranks, -1, np.int64)
    for i in range(entries.shape[0]):
        numbers[entries[i, EVENT]] = 0
    events = 0
    for rank in range(ranks):
        if numbers[rank] == 0:
            numbers[rank] = events
            events += 1
    for i in range(entries.shape[0]):
        entries[i, EVENT] = numbers[entries[i, EVENT]]
    return events


@compiled
def sort_by_event(entries: Array, events: int) -> Array:
    """Write the entries sorted by event and then by point; return where each event begins."""
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
def build_timeline(counts: Array, requirement: Requirement, pulse: Array) -> tuple[Timeline, Array]:
    """Return the timeline, and for every entry the row of its count."""
    limits = ceilings(counts, requirement)
    size, ranks, points, latest = 0, int(np.int64(0)), 0, -1
    for j in range(counts.shape[0]):
        if requirement.rank[counts[j, CODE]] >= 0:
            size += 1
            ranks = max(ranks, requirement.rank[counts[j, CODE]] + 1)
            points += counts[j, TIME] != latest
            latest = counts[j, TIME]
    origin = np.empty(size, np.int64)
    entries, share = np.empty((size, 5), np.int64), np.empty(size, np.float64)
    places, smooth = np.zeros((points + 1, 3), np.int64), np.empty((points, 2), np.float64)
    so_far = np.zeros(ranks, np.int64)
    i, points, length, start = 0, 0, 0, 0
    for j in range(counts.shape[0]):
        if j + 1 < counts.shape[0] and counts[j + 1, TIME] == counts[j, TIME]:
            continue
        here, squares, first = 0, 0.25 * requirement.alphabet, i
        for m in range(start, j + 1):
            f = counts[m, COUNT]
            here += f
            squares += f * (f + 1.0)
            rank = requirement.rank[counts[m, CODE]]
            if rank >= 0:
                so_far[rank] += f
                origin[i], entries[i, POINT], entries[i, EVENT] = m, points, rank
                entries[i, OCCURRENCES], entries[i, REACHED] = f, so_far[rank]
                i += 1
        length += here
        start = j + 1
        if i > first:
            smoothed = here + 0.5 * requirement.alphabet
            for m in range(first, i):
                share[m] = (entries[m, OCCURRENCES] + 0.5) / smoothed
            places[points, LENGTH], places[points, CEILING] = length, limits[counts[j, TIME]]
            smooth[points, TOTAL] = smoothed
            smooth[points, CONCENTRATION] = squares / (smoothed * smoothed)
            points += 1
            places[points, FIRST] = i
    event_offsets = sort_by_event(entries, number_events(entries, ranks))
    top, bottom = requirement.numerator, requirement.denominator
    return Timeline(entries, share, places, smooth, event_offsets, top, bottom, pulse), origin
