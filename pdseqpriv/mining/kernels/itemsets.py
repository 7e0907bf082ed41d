"""Frequent patterns of sequences whose elements hold several events, depth first.

A pattern grows in two ways: by an event in a later element, or by a larger event inside its last element.
The first needs only the earliest match; the second needs every element in which the last one can end. So a
pattern is kept as all places behind its last event, grouped by sequence; the first of a group is the
earliest.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.mining.kernels.depth_first import (
    CHILD_COLUMNS,
    END,
    FIRST,
    LAST,
    LEVEL_COLUMNS,
    PATTERN,
    UNIT,
    SearchLimits,
    first_pattern,
    first_rows,
    next_child,
    with_children,
    with_level,
    with_pattern,
    with_room,
)
from pdseqpriv.mining.kernels.distinct_sequences import END_OF_TEXT, Occurrences

# Of a level: how far places fill their stack.
STACKED = LEVEL_COLUMNS


@compiled
def extend_itemsets(
    listed: Occurrences, places: Array, owners: Array, event: int, support: int, limits: SearchLimits
) -> tuple[Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, code, support.

    An event in a later element is counted at its code, one in the same element at n_events + code.
    """
    found, n_found = first_pattern(event, support), 1
    n_events, min_support, max_length, most, stop, so_far = limits
    counts, last_seen = np.zeros(2 * n_events, np.int64), np.full(2 * n_events, -1, np.int64)
    target = np.empty(2 * n_events, np.int64)
    tick = 0
    stack_places, stack_owners = with_room(places, len(places) + 1024), with_room(owners, len(places) + 1024)
    children = np.empty((2 * n_events, CHILD_COLUMNS), np.int64)
    levels = np.empty((64, LEVEL_COLUMNS + 1), np.int64)

    # The first event comes before all levels.
    level, stack_top, child_top = -1, len(places), 0
    begin, end = 0, len(places)
    while True:
        if level + 2 < max_length and end > begin:
            counts[:] = 0
            tick = _count(listed, stack_places, stack_owners, begin, end, counts, last_seen, tick)
            first_child = child_top
            children, child_top, needed = with_children(
                children, child_top, -1, counts, min_support, stack_top, target
            )
            if child_top > first_child:
                level += 1
                levels = with_level(levels, level, first_child, child_top, n_found - 1)
                if level + 2 < max_length:
                    stack_places = with_room(stack_places, needed)
                    stack_owners = with_room(stack_owners, needed)
                    stack_top = needed
                    _distribute(
                        listed.text,
                        stack_places,
                        stack_owners,
                        begin,
                        end,
                        target,
                        children[first_child:child_top],
                    )
                levels[level, STACKED] = stack_top
        level, child = next_child(levels, level)
        if level < 0:
            break
        found = with_pattern(found, n_found, levels[level, PATTERN], children[child])
        n_found += 1
        so_far[event] = n_found
        if n_found > most or stop[0]:
            break
        begin, end = children[child, FIRST], children[child, LAST]
        stack_top, child_top = levels[level, STACKED], levels[level, END]
    return first_rows(found, n_found)


@compiled
def _count(
    listed: Occurrences,
    places: Array,
    owners: Array,
    begin: int,
    end: int,
    counts: Array,
    last_seen: Array,
    tick: int,
) -> int:
    """Add up weights (once per person) and occurrences, packed, of every event that can follow or join."""
    text, weights, people = listed.text, listed.weights, listed.people
    n_events = len(counts) // 2
    owner, person = -1, -1
    weight, first_tick = 0, tick
    for entry in range(begin, end):
        place = places[entry]
        is_first = owners[entry] != owner
        if is_first:
            owner = owners[entry]
            weight = weights[owner] * UNIT
            tick += 1
            if not len(people) or people[owner] != person:
                first_tick = tick
                person = people[owner] if len(people) else -1
        while text[place] >= 0:
            code = n_events + text[place]
            counts[code] += weight * (last_seen[code] < first_tick) + 1
            last_seen[code] = tick
            place += 1
        if is_first:
            while text[place] != END_OF_TEXT:
                code = text[place]
                place += 1
                if code >= 0:
                    counts[code] += weight * (last_seen[code] < first_tick) + 1
                    last_seen[code] = tick
    return tick


@compiled
def _distribute(
    text: Array, places: Array, owners: Array, begin: int, end: int, target: Array, children: Array
) -> None:
    """Push the places of every frequent longer pattern."""
    n_events = len(target) // 2
    owner = -1
    for entry in range(begin, end):
        place = places[entry]
        is_first = owners[entry] != owner
        owner = owners[entry]
        while text[place] >= 0:
            child = target[n_events + text[place]]
            place += 1
            if child >= 0:
                _push(places, owners, children, child, place, owner)
        if is_first:
            while text[place] != END_OF_TEXT:
                code = text[place]
                place += 1
                if code >= 0 and target[code] >= 0:
                    _push(places, owners, children, target[code], place, owner)


@compiled
def _push(places: Array, owners: Array, children: Array, child: int, place: int, owner: int) -> None:
    places[children[child, LAST]] = place
    owners[children[child, LAST]] = owner
    children[child, LAST] += 1
