"""The exact optimum for small cases: dynamic programming over what each event has lost."""

from __future__ import annotations

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
    REACHED,
    TOTAL,
    Timeline,
    complete,
    point_error,
)

STATES = 1 << 19  # bounds the memory of a search to 30 MB


@compiled
def count_choices(timeline: Timeline, limit: int) -> Array:
    """Count the ways to delete at each point, as offsets; empty if there are more than the limit."""
    offsets = np.zeros(timeline.smooth.shape[0] + 1, np.int64)
    for t in range(timeline.smooth.shape[0]):
        ways = 1
        for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
            ways *= timeline.entries[i, OCCURRENCES] + 1
            if offsets[t] + ways > limit:
                return np.zeros(0, np.int64)
        offsets[t + 1] = offsets[t] + ways
    return offsets


@compiled
def price_choices(timeline: Timeline, offsets: Array, costs: Array, least_rate: Array) -> None:
    """Return the error of every way, and per point the least error per deletion from there on."""
    rate = np.inf
    for t in range(timeline.smooth.shape[0] - 1, -1, -1):
        for way in range(offsets[t + 1] - offsets[t]):
            squares, products, lost, rest = 0.0, 0.0, 0.0, way
            for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
                x = rest % (timeline.entries[i, OCCURRENCES] + 1)
                rest //= timeline.entries[i, OCCURRENCES] + 1
                squares += x * x
                products += timeline.share[i] * x
                lost += x
            total, concentration = timeline.smooth[t, TOTAL], timeline.smooth[t, CONCENTRATION]
            cost = point_error(squares, products, lost, concentration, total)
            costs[offsets[t] + way] = cost
            if lost > 0:
                rate = min(rate, cost / lost)
        least_rate[t] = rate


@compiled
def strides_of(timeline: Timeline) -> Array:
    """Return mixed-radix weights that number the states; empty if the numbers would overflow."""
    events = timeline.event_offsets.size - 1
    strides = np.ones(events + 1, np.int64)
    for e in range(events):
        last = timeline.entries[timeline.event_offsets[e + 1] - 1, BY_EVENT]
        radix = timeline.entries[last, REACHED] + 1
        if strides[e] > (np.int64(1) << 62) // radix:
            return np.zeros(0, np.int64)
        strides[e + 1] = strides[e] * radix
    return strides


@compiled
def is_enough(timeline: Timeline, t: int, strides: Array, state: int, kept: int) -> bool:
    """Return whether every event of point t is infrequent there in this state."""
    for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
        e = timeline.entries[i, EVENT]
        left = timeline.entries[i, REACHED] - state % strides[e + 1] // strides[e]
        is_frequent = timeline.denominator * left >= timeline.numerator * kept
        if left > 0 and (is_frequent or left > timeline.points[t, CEILING]):
            return False
    return True


@compiled
def find_slot(node: Array, states: Array, first: int, state: int) -> int:
    """Find where a hash table of nodes holds this state, or could; older nodes are free slots."""
    mask = node.size - 1
    slot = (state ^ (state >> 17)) * 0x9E3779B1 & mask
    while node[slot] >= first and states[node[slot]] != state:
        slot = (slot + 1) & mask
    return slot


@compiled
def search(timeline: Timeline, deleted: Array, error: float, limit: int) -> bool:
    """Put a better way of deleting into `deleted`, if there is one.

    Returns whether the search was complete, so that `deleted` is an optimum; if not, it
    would have gone over the limit.
    """
    points = timeline.smooth.shape[0]
    strides = strides_of(timeline)
    offsets = count_choices(timeline, limit)
    if strides.size == 0 or offsets.size == 0:
        return False
    costs, least_rate = np.zeros(offsets[points]), np.full(points + 1, np.inf)
    price_choices(timeline, offsets, costs, least_rate)
    least = np.zeros(timeline.share.size, np.int64)
    needed = complete(timeline, least)
    bar = error * (1.0 - 1e-12)
    room = min(limit, STATES) + 2
    if strides[-1] < room // points:
        room = strides[-1] * points + 2
    node = np.full(64, -1, np.int64)
    states, gone = np.empty(room, np.int64), np.empty(room, np.int64)
    paid, parent = np.empty(room, np.float64), np.empty(room, np.int64)
    choice = np.empty(room, np.int64)
    states[0], gone[0], paid[0] = 0, 0, 0.0
    first, size, work = int(np.int64(0)), int(np.int64(1)), 0
    for t in range(points):
        last = size
        slots = node.size
        while slots < 2 * min(room, (last - first) * (offsets[t + 1] - offsets[t])):
            slots *= 2
        if slots > node.size:
            node = np.full(slots, -1, np.int64)
        for origin in range(first, last):
            for way in range(offsets[t + 1] - offsets[t]):
                work += 1
                if work > limit:
                    return False
                cost = paid[origin] + costs[offsets[t] + way]
                if cost >= bar:
                    continue
                state, lost, rest = states[origin], gone[origin], way
                for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
                    x = rest % (timeline.entries[i, OCCURRENCES] + 1)
                    rest //= timeline.entries[i, OCCURRENCES] + 1
                    state += x * strides[timeline.entries[i, EVENT]]
                    lost += x
                if lost < needed and cost + (needed - lost) * least_rate[t + 1] >= bar:
                    continue
                if not is_enough(timeline, t, strides, state, timeline.points[t, LENGTH] - lost):
                    continue
                slot = find_slot(node, states, last, state)
                target = node[slot]
                if target < last:
                    if size == room:
                        return False
                    target = size
                    size += 1
                    node[slot] = target
                elif paid[target] <= cost:
                    continue
                states[target], gone[target], paid[target] = state, lost, cost
                parent[target], choice[target] = origin, way
        first = last
    best = -1
    for candidate in range(first, size):
        if paid[candidate] < bar:
            bar = paid[candidate]
            best = candidate
    if best >= 0:
        for t in range(points - 1, -1, -1):
            rest = choice[best]
            for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
                deleted[i] = rest % (timeline.entries[i, OCCURRENCES] + 1)
                rest //= timeline.entries[i, OCCURRENCES] + 1
            best = parent[best]
    return True
