"""Orders of the sensitive events, for the paper's iteration to go by."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.problem import EVENT, POINT, REACHED, Problem, complete

_SORTED = 4


@compiled
def count_orders(events: int, most: int) -> int:
    """How many orders so many events have; 0 when more than `most`."""
    ways = 1
    for e in range(2, events + 1):
        ways *= e
        if ways > most:
            return 0
    return ways


@compiled
def all_orders(events: int, ways: int) -> Array:
    """Every order of a few events."""
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
    """The next of a fixed row of numbers that look random."""
    return number * 48271 % 2147483647


@compiled
def shuffle(order: Array, number: int) -> int:
    """Shuffle, the same way for the same number; the next number."""
    for place in range(order.size - 1):
        number = next_number(number)
        pick = place + number % (order.size - place)
        order[place], order[pick] = order[pick], order[place]
    return number


@compiled
def move_one(order: Array, number: int) -> int:
    """Let two events change places, or put one elsewhere; the next number."""
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
    """Number the keys from the least to the largest, of equal ones the first first."""
    for e in range(keys.size):
        place = e
        while place > 0 and keys[order[place - 1]] > keys[e]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = e


@compiled
def some_orders(problem: Problem, ways: int) -> Array:
    """By number, by how often events occur, by how much each must lose, by when; backwards; and shuffled."""
    events = problem.event_offsets.size - 1
    least = np.zeros(problem.share.size, np.int64)
    complete(problem, least)
    keys = np.zeros((_SORTED, events), np.int64)
    keys[3] = problem.smooth.shape[0]
    for i in range(problem.share.size):
        e = problem.entries[i, EVENT]
        keys[0, e] = e
        keys[1, e] = problem.entries[i, REACHED]
        keys[2, e] += least[i]
        if least[i] > 0:
            keys[3, e] = min(keys[3, e], problem.entries[i, POINT])
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
