"""One sensitive event, exactly: where to delete if every prefix must lose a least number.

The error of a point is convex in the number of deletions there, so the cheapest way
of deleting d occurrences from a prefix extends the cheapest way of deleting d - 1.
Walking the points once with a heap of next costs therefore gives the optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.timeline import (
    BY_EVENT,
    CONCENTRATION,
    FIRST,
    KEPT,
    NEXT_ROOM,
    OCCURRENCES,
    PLENTY,
    POINT,
    REACHED,
    ROOM,
    ROOM_EVENT,
    TOTAL,
    Solution,
    Timeline,
    fewest_deletions,
    goes_on,
    note_room,
    point_error,
    settle,
    sums_of_point,
)
from pdseqpriv.sequences.kernels.heap import pop, push

# Columns of Chain.bounds: at least and at most so many deletions up to and with this point, and the
# occurrences that can be deleted there.
LOWER, UPPER, AMOUNT = range(3)
# Columns of Chain.sums: over the other events of the point (see point_error), and of the event itself.
SQUARES, PRODUCTS, LOST, SHARE, SPREAD, WHOLE = range(6)


class Chain(NamedTuple):
    """The points at which one event occurs, in time order."""

    bounds: Array  # int64
    sums: Array  # float64


@compiled
def new_chain(timeline: Timeline) -> Chain:
    """Set room aside for the chain of any event."""
    size = 0
    for e in range(timeline.event_offsets.size - 1):
        size = max(size, timeline.event_offsets[e + 1] - timeline.event_offsets[e])
    return Chain(np.zeros((size, 3), np.int64), np.zeros((size, 6), np.float64))


@compiled
def chain_error(chain: Chain, r: int, k: int) -> float:
    """Return the error of a point if k occurrences are deleted there."""
    return point_error(
        chain.sums[r, SQUARES] + k * k,
        chain.sums[r, PRODUCTS] + chain.sums[r, SHARE] * k,
        chain.sums[r, LOST] + k,
        chain.sums[r, SPREAD],
        chain.sums[r, WHOLE],
    )


@compiled
def next_cost(chain: Chain, r: int, k: int) -> float:
    """Return what deleting one more than k costs."""
    return chain_error(chain, r, k + 1) - chain_error(chain, r, k)


@compiled
def cheapest_chain(chain: Chain, size: int, chosen: Array) -> None:
    """Choose the cheapest deletions between the lower and upper numbers of every prefix.

    Of equal costs the later point is taken, which weighs on fewer prefixes of others.
    """
    keys, links = np.empty(size, np.float64), np.empty(size, np.int64)
    dear_keys, dear_links = np.empty(0, np.float64), np.empty(0, np.int64)
    usable = np.empty(size, np.int64)
    none = int(np.int64(0))  # a bare 0 is a type of its own, for which all would be compiled again
    heap, dear, fewest, most = none, none, none, none
    for r in range(size):
        chosen[r] = 0
        usable[r] = chain.bounds[r, AMOUNT]
        most += usable[r]
        if usable[r] > 0:
            heap = push(keys, links, heap, next_cost(chain, r, none), r)
            if dear_keys.size > 0:
                dear = push(dear_keys, dear_links, dear, -next_cost(chain, r, usable[r] - 1), r)
        while fewest < chain.bounds[r, LOWER] and heap > 0:
            heap = pop(keys, links, heap)
            s = links[heap]
            if chosen[s] < usable[s]:
                chosen[s] += 1
                fewest += 1
                if chosen[s] < usable[s]:
                    heap = push(keys, links, heap, next_cost(chain, s, chosen[s]), s)
        if most > max(chain.bounds[r, UPPER], fewest) and dear_keys.size == 0:
            # From here on the most expensive ones must be at hand, too: they can no longer be used.
            dear_keys, dear_links = np.empty(size, np.float64), np.empty(size, np.int64)
            for s in range(r + 1):
                if chosen[s] < usable[s]:
                    dear = push(dear_keys, dear_links, dear, -next_cost(chain, s, usable[s] - 1), s)
        while most > max(chain.bounds[r, UPPER], fewest) and dear > 0:
            dear = pop(dear_keys, dear_links, dear)
            s = dear_links[dear]
            if chosen[s] < usable[s]:
                usable[s] -= 1
                most -= 1
                if chosen[s] < usable[s]:
                    cost = next_cost(chain, s, usable[s] - 1)
                    dear = push(dear_keys, dear_links, dear, -cost, s)
    while heap > 0 and keys[0] < -1e-15:  # deleting more can bring back the proportions
        heap = pop(keys, links, heap)
        s = links[heap]
        if chosen[s] < usable[s]:
            chosen[s] += 1
            if chosen[s] < usable[s]:
                heap = push(keys, links, heap, next_cost(chain, s, chosen[s]), s)


@compiled
def fill_released(timeline: Timeline, solution: Solution, e: int, chain: Chain) -> int:
    """Fill the chain of event e in the table as it is now, as the paper does; return the deletions needed."""
    gone, needed = 0, 0
    first = timeline.event_offsets[e]
    for r in range(timeline.event_offsets[e + 1] - first):
        i = timeline.entries[first + r, BY_EVENT]
        t = timeline.entries[i, POINT]
        gone += solution.deleted[i]
        left = timeline.entries[i, REACHED] - gone
        chain.bounds[r, LOWER] = fewest_deletions(timeline, t, left, solution.points[t, KEPT])
        needed = max(needed, chain.bounds[r, LOWER])
    if needed == 0:
        return 0
    for r in range(timeline.event_offsets[e + 1] - first):
        i = timeline.entries[first + r, BY_EVENT]
        t = timeline.entries[i, POINT]
        lost, weight = 0.0, 0.0
        for other in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
            x = solution.deleted[other]
            lost += x
            weight += x * (2.0 * timeline.share[other] * timeline.smooth[t, TOTAL] - x)
        total = timeline.smooth[t, TOTAL] - lost
        chain.bounds[r, UPPER] = PLENTY
        chain.bounds[r, AMOUNT] = timeline.entries[i, OCCURRENCES] - solution.deleted[i]
        chain.sums[r, SHARE] = (timeline.share[i] * timeline.smooth[t, TOTAL] - solution.deleted[i]) / total
        whole = timeline.smooth[t, TOTAL]
        left = timeline.smooth[t, CONCENTRATION] * whole * whole - weight
        chain.sums[r, SPREAD] = left / (total * total)
        chain.sums[r, WHOLE] = total
    return needed


@compiled
def is_short(timeline: Timeline, solution: Solution, e: int, floor: Array) -> bool:
    """Return whether too little of event e is deleted; `floor` remembers what it needs."""
    gone, short = 0, False
    for r in range(timeline.event_offsets[e], timeline.event_offsets[e + 1]):
        i = timeline.entries[r, BY_EVENT]
        t = timeline.entries[i, POINT]
        gone += solution.deleted[i]
        reached, length = timeline.entries[i, REACHED], solution.points[t, KEPT] + gone
        lower = fewest_deletions(timeline, t, reached, length)
        floor[i] = max(floor[i], lower)
        short |= gone < lower
    return short


@compiled
def fill_original(timeline: Timeline, solution: Solution, e: int, floor: Array, chain: Chain) -> None:
    """Fill the chain of event e given the deletions of the others, measured against the original.

    With an empty `floor` no other event may become frequent. Else the earlier lower numbers
    that it holds count as well, so that repeating this comes to an end.
    """
    gone, bounded = 0, floor.size == 0
    first, last = timeline.event_offsets[e], timeline.event_offsets[e + 1]
    for r in range(last - first):
        i = timeline.entries[first + r, BY_EVENT]
        t = timeline.entries[i, POINT]
        gone += solution.deleted[i]
        reached, length = timeline.entries[i, REACHED], solution.points[t, KEPT] + gone
        lower = fewest_deletions(timeline, t, reached, length)
        chain.bounds[r, LOWER] = lower if bounded else max(floor[i], lower)
        squares, products, lost = sums_of_point(timeline, solution.deleted, t, i)
        chain.bounds[r, AMOUNT] = timeline.entries[i, OCCURRENCES]
        chain.sums[r, SQUARES], chain.sums[r, PRODUCTS], chain.sums[r, LOST] = squares, products, lost
        chain.sums[r, SHARE] = timeline.share[i]
        chain.sums[r, SPREAD] = timeline.smooth[t, CONCENTRATION]
        chain.sums[r, WHOLE] = timeline.smooth[t, TOTAL]
        chain.bounds[r, UPPER] = PLENTY
        if bounded:
            end = timeline.smooth.shape[0]
            if first + r + 1 < last:
                end = timeline.entries[timeline.entries[first + r + 1, BY_EVENT], POINT]
            for later in range(t, end):
                room = solution.points[later, ROOM]
                if solution.points[later, ROOM_EVENT] == e:
                    room = solution.points[later, NEXT_ROOM]
                if room < PLENTY:
                    chain.bounds[r, UPPER] = min(chain.bounds[r, UPPER], gone + room)


@compiled
def put(timeline: Timeline, solution: Solution, e: int, chosen: Array, bounded: bool) -> None:
    """Delete as chosen from event e; adjust what is kept and, if asked, the room left."""
    lost, gone = 0, 0
    first, last = timeline.event_offsets[e], timeline.event_offsets[e + 1]
    for r in range(last - first):
        i = timeline.entries[first + r, BY_EVENT]
        lost += chosen[r] - solution.deleted[i]
        gone += chosen[r]
        solution.deleted[i] = chosen[r]
        begin, end = timeline.entries[i, POINT], timeline.smooth.shape[0]
        if first + r + 1 < last:
            end = timeline.entries[timeline.entries[first + r + 1, BY_EVENT], POINT]
        if bounded:
            solution.left[i] = timeline.entries[i, REACHED] - gone
            solution.points[begin, KEPT] -= lost
            note_room(timeline, solution, begin)
            begin += 1
        if lost != 0:
            for t in range(begin, end):  # here all other events lose as much room
                solution.points[t, KEPT] -= lost
                if bounded and solution.points[t, ROOM] < PLENTY:
                    solution.points[t, ROOM] -= lost
                if bounded and solution.points[t, NEXT_ROOM] < PLENTY:
                    solution.points[t, NEXT_ROOM] -= lost


@compiled
def iterate_essa(timeline: Timeline, solution: Solution, order: Array) -> None:
    """The paper's iteration: sanitize one event after the other until none is frequent."""
    chain = new_chain(timeline)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    bounded = bool(np.bool_(False))  # a bare False is a type of its own, like a bare 0
    while settle(timeline, solution) > 0:
        for e in order:
            if not goes_on(timeline):
                return
            if fill_released(timeline, solution, e, chain) > 0:
                first = timeline.event_offsets[e]
                size = timeline.event_offsets[e + 1] - first
                cheapest_chain(chain, size, chosen)
                for r in range(size):
                    chosen[r] += solution.deleted[timeline.entries[first + r, BY_EVENT]]
                put(timeline, solution, e, chosen, bounded)
