"""One sensitive event, exactly: where to delete when every prefix has a least number.

The error of a point is convex in the number of deletions there, so the cheapest way
of deleting d occurrences from a prefix extends the cheapest way of deleting d - 1.
Walking the points once with a heap of next costs therefore gives the optimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.problem import (
    BY_EVENT,
    CEILING,
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
    Problem,
    State,
    fewest_deletions,
    goes_on,
    make_room,
    point_error,
    settle,
)

# Columns of Chain.bounds: at least and at most so many deletions up to and with this point, and the
# occurrences that can be deleted there.
LOWER, UPPER, AMOUNT = range(3)
# Columns of Chain.sums: over the other events of the point (see point_error), and of the event itself.
SQUARES, PRODUCTS, LOST, SHARE, SPREAD, WHOLE = range(6)


class Chain(NamedTuple):
    """The points of one event in time order."""

    bounds: Array  # int64
    sums: Array  # float64


@compiled
def new_chain(problem: Problem) -> Chain:
    """Room for the chain of any event."""
    size = 0
    for e in range(problem.event_offsets.size - 1):
        size = max(size, problem.event_offsets[e + 1] - problem.event_offsets[e])
    return Chain(np.zeros((size, 3), np.int64), np.zeros((size, 6), np.float64))


@compiled
def chain_error(chain: Chain, r: int, k: int) -> float:
    """The error of a point when k occurrences are deleted there."""
    return point_error(
        chain.sums[r, SQUARES] + k * k,
        chain.sums[r, PRODUCTS] + chain.sums[r, SHARE] * k,
        chain.sums[r, LOST] + k,
        chain.sums[r, SPREAD],
        chain.sums[r, WHOLE],
    )


@compiled
def next_cost(chain: Chain, r: int, k: int) -> float:
    """What deleting one more than k costs."""
    return chain_error(chain, r, k + 1) - chain_error(chain, r, k)


@compiled
def comes_first(key: float, link: int, other_key: float, other_link: int) -> bool:
    """Cheaper first; of equal costs the later point, which weighs on fewer prefixes of others."""
    return key < other_key or (key == other_key and link > other_link)


@compiled
def push(keys: Array, links: Array, size: int, key: float, link: int) -> int:
    """Add to a heap; its new size."""
    child = size
    while child > 0:
        parent = (child - 1) // 2
        if not comes_first(key, link, keys[parent], links[parent]):
            break
        keys[child], links[child] = keys[parent], links[parent]
        child = parent
    keys[child], links[child] = key, link
    return size + 1


@compiled
def pop(keys: Array, links: Array, size: int) -> int:
    """Remove the first; it is returned in place size - 1."""
    size -= 1
    key, link = keys[size], links[size]
    keys[size], links[size] = keys[0], links[0]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        right = child + 1
        if right < size and comes_first(keys[right], links[right], keys[child], links[child]):
            child = right
        if not comes_first(keys[child], links[child], key, link):
            break
        keys[hole], links[hole] = keys[child], links[child]
        hole = child
    if size > 0:
        keys[hole], links[hole] = key, link
    return size


@compiled
def cheapest_chain(chain: Chain, size: int, chosen: Array) -> None:
    """The cheapest deletions between the lower and upper numbers of every prefix."""
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
            # From here on also the dearest must be at hand: they can no longer be used.
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
def fill_released(problem: Problem, state: State, e: int, chain: Chain) -> int:
    """The chain of event e in the table as it is now left, as the paper iterates."""
    gone, needed = 0, 0
    first = problem.event_offsets[e]
    for r in range(problem.event_offsets[e + 1] - first):
        i = problem.entries[first + r, BY_EVENT]
        t = problem.entries[i, POINT]
        gone += state.deleted[i]
        chain.bounds[r, LOWER] = fewest_deletions(
            problem.entries[i, REACHED] - gone,
            state.points[t, KEPT],
            problem.points[t, CEILING],
            problem.numerator,
            problem.denominator,
        )
        needed = max(needed, chain.bounds[r, LOWER])
    if needed == 0:
        return 0
    for r in range(problem.event_offsets[e + 1] - first):
        i = problem.entries[first + r, BY_EVENT]
        t = problem.entries[i, POINT]
        lost, weight = 0.0, 0.0
        for other in range(problem.points[t, FIRST], problem.points[t + 1, FIRST]):
            x = state.deleted[other]
            lost += x
            weight += x * (2.0 * problem.share[other] * problem.smooth[t, TOTAL] - x)
        total = problem.smooth[t, TOTAL] - lost
        chain.bounds[r, UPPER] = PLENTY
        chain.bounds[r, AMOUNT] = problem.entries[i, OCCURRENCES] - state.deleted[i]
        chain.sums[r, SHARE] = (problem.share[i] * problem.smooth[t, TOTAL] - state.deleted[i]) / total
        left = problem.smooth[t, CONCENTRATION] * problem.smooth[t, TOTAL] * problem.smooth[t, TOTAL] - weight
        chain.sums[r, SPREAD] = left / (total * total)
        chain.sums[r, WHOLE] = total
    return needed


@compiled
def is_short(problem: Problem, state: State, e: int, floor: Array) -> bool:
    """Whether too little of event e is deleted; what it lacks is remembered in `floor`."""
    gone, short = 0, False
    for r in range(problem.event_offsets[e], problem.event_offsets[e + 1]):
        i = problem.entries[r, BY_EVENT]
        t = problem.entries[i, POINT]
        gone += state.deleted[i]
        lower = fewest_deletions(
            problem.entries[i, REACHED],
            state.points[t, KEPT] + gone,
            problem.points[t, CEILING],
            problem.numerator,
            problem.denominator,
        )
        floor[i] = max(floor[i], lower)
        short |= gone < lower
    return short


@compiled
def fill_original(problem: Problem, state: State, e: int, floor: Array, chain: Chain) -> None:
    """The chain of event e given the deletions of the others, against the original.

    With an empty `floor` no other event may be pushed over. Else the earlier lower numbers
    that it holds count as well, which makes repeated placing end.
    """
    gone, bounded = 0, floor.size == 0
    first, last = problem.event_offsets[e], problem.event_offsets[e + 1]
    for r in range(last - first):
        i = problem.entries[first + r, BY_EVENT]
        t = problem.entries[i, POINT]
        gone += state.deleted[i]
        lower = fewest_deletions(
            problem.entries[i, REACHED],
            state.points[t, KEPT] + gone,
            problem.points[t, CEILING],
            problem.numerator,
            problem.denominator,
        )
        chain.bounds[r, LOWER] = lower if bounded else max(floor[i], lower)
        squares, products, lost = 0.0, 0.0, 0.0
        for other in range(problem.points[t, FIRST], problem.points[t + 1, FIRST]):
            if other != i:
                x = state.deleted[other]
                squares += x * x
                products += problem.share[other] * x
                lost += x
        chain.bounds[r, AMOUNT] = problem.entries[i, OCCURRENCES]
        chain.sums[r, SQUARES], chain.sums[r, PRODUCTS], chain.sums[r, LOST] = squares, products, lost
        chain.sums[r, SHARE] = problem.share[i]
        chain.sums[r, SPREAD] = problem.smooth[t, CONCENTRATION]
        chain.sums[r, WHOLE] = problem.smooth[t, TOTAL]
        chain.bounds[r, UPPER] = PLENTY
        if bounded:
            end = problem.smooth.shape[0]
            if first + r + 1 < last:
                end = problem.entries[problem.entries[first + r + 1, BY_EVENT], POINT]
            for later in range(t, end):
                room = state.points[later, ROOM]
                if state.points[later, ROOM_EVENT] == e:
                    room = state.points[later, NEXT_ROOM]
                if room < PLENTY:
                    chain.bounds[r, UPPER] = min(chain.bounds[r, UPPER], gone + room)


@compiled
def put(problem: Problem, state: State, e: int, chosen: Array, bounded: bool) -> None:
    """Delete as chosen from event e and adjust what is kept, and if asked the room left."""
    lost, gone = 0, 0
    first, last = problem.event_offsets[e], problem.event_offsets[e + 1]
    for r in range(last - first):
        i = problem.entries[first + r, BY_EVENT]
        lost += chosen[r] - state.deleted[i]
        gone += chosen[r]
        state.deleted[i] = chosen[r]
        begin, end = problem.entries[i, POINT], problem.smooth.shape[0]
        if first + r + 1 < last:
            end = problem.entries[problem.entries[first + r + 1, BY_EVENT], POINT]
        if bounded:
            state.left[i] = problem.entries[i, REACHED] - gone
            state.points[begin, KEPT] -= lost
            make_room(problem, state, begin)
            begin += 1
        if lost != 0:
            for t in range(begin, end):  # here all other events lose as much room
                state.points[t, KEPT] -= lost
                if bounded and state.points[t, ROOM] < PLENTY:
                    state.points[t, ROOM] -= lost
                if bounded and state.points[t, NEXT_ROOM] < PLENTY:
                    state.points[t, NEXT_ROOM] -= lost


@compiled
def iterate_essa(problem: Problem, state: State, order: Array) -> None:
    """The paper's iteration: sanitize one event after the other until none is frequent."""
    chain = new_chain(problem)
    chosen = np.zeros(chain.bounds.shape[0], np.int64)
    bounded = bool(np.bool_(False))  # a bare False is a type of its own, like a bare 0
    while settle(problem, state) > 0:
        for e in order:
            if not goes_on(problem):
                return
            if fill_released(problem, state, e, chain) > 0:
                first = problem.event_offsets[e]
                size = problem.event_offsets[e + 1] - first
                cheapest_chain(chain, size, chosen)
                for r in range(size):
                    chosen[r] += state.deleted[problem.entries[first + r, BY_EVENT]]
                put(problem, state, e, chosen, bounded)
