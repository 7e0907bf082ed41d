"""Orders in which the paper's iteration can take the sensitive events."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.timeline import EVENT, POINT, REACHED, Timeline, complete

_SORTED = 4


@compiled
def count_orders(events: int, most: int) -> int:
    """Count the orders of so many events; 0 if there are more than `most`."""
    ways = 1
    for e in range(2, events + 1):
        ways *= e
        if ways > most:
            return 0
    return ways


@compiled
def all_orders(events: int, ways: int) -> Array:
    """Return every order of a few events."""
    orders = np.empty((ways, events), np.int64)
    for way in range(ways):
        left, rest = np.arange(events), way
        for place in range(events):
            pick = rest % (events - place)
            rest //= events - place
            orders[way, place] = left[pick]
            for later in range(pick, events - place - 1):
                left[later] = left[later + 1]
    return orders


@compiled
def next_number(number: int) -> int:
    """Return the next number of a fixed series that looks random."""
    return number * 48271 % 2147483647


@compiled
def shuffle(order: Array, number: int) -> int:
    """Shuffle, always the same way for the same number; return the next number."""
    for place in range(order.size - 1):
        number = next_number(number)
        pick = place + number % (order.size - place)
        order[place], order[pick] = order[pick], order[place]
    return number


@compiled
def move_one(order: Array, number: int) -> int:
    """Exchange two events, or move one elsewhere; return the next number."""
    first = next_number(number)
    second = next_number(first)
    number = next_number(second)
    source, target = first % order.size, second % order.size
    moved = order[source]
    if number % 2 == 0:
        order[source] = order[target]
    else:
        step = 1 if target > source else -1
        for place in range(source, target, step):
            order[place] = order[place + step]
    order[target] = moved
    return number


@compiled
def sort_by(keys: Array, order: Array) -> None:
    """Write the places of the keys from the smallest to the largest; equal ones stay in their order."""
    for e in range(keys.size):
        place = e
        while place > 0 and keys[order[place - 1]] > keys[e]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = e


@compiled
def some_orders(timeline: Timeline, ways: int) -> Array:
    """Return orders by number, frequency, loss needed and first loss, also reversed, and shuffled ones."""
    events = timeline.event_offsets.size - 1
    least = np.zeros(timeline.share.size, np.int64)
    complete(timeline, least)
    keys = np.zeros((_SORTED, events), np.int64)
    keys[3] = timeline.smooth.shape[0]
    for i in range(timeline.share.size):
        e = timeline.entries[i, EVENT]
        keys[0, e] = e
        keys[1, e] = timeline.entries[i, REACHED]
        keys[2, e] += least[i]
        if least[i] > 0:
            keys[3, e] = min(keys[3, e], timeline.entries[i, POINT])
    orders = np.empty((ways, events), np.int64)
    number = int(np.int64(1))
    for way in range(ways):
        if way < _SORTED:
            sort_by(keys[way], orders[way])
        elif way < 2 * _SORTED:
            orders[way] = orders[way - _SORTED, ::-1]
        else:
            orders[way] = orders[way - 1]
            number = shuffle(orders[way], number)
    return orders
