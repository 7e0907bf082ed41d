"""Frequent patterns of sequences whose elements hold several events, depth first.

A pattern grows in two ways: by an event in a later element, or by a larger event inside its last element.
The first needs only the earliest match; the second needs every element in which the last one can end. So a
pattern is kept as all places behind its last event, grouped by sequence; the first of a group is the
earliest.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

END = -1


@compiled
def all_places(text: Array, starts: Array, n_events: int) -> tuple[Array, Array, Array]:
    """Give, for each event, the places behind all its occurrences and the sequence of each place."""
    counts = np.zeros(n_events + 1, np.int64)
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] != END:
            if text[place] >= 0:
                counts[text[place] + 1] += 1
            place += 1
    bounds = np.cumsum(counts)
    fill = bounds[:-1].copy()
    places = np.empty(bounds[-1], np.int64)
    owners = np.empty(bounds[-1], np.int64)
    for sequence in range(len(starts)):
        place = starts[sequence]
        while text[place] != END:
            event = text[place]
            place += 1
            if event >= 0:
                places[fill[event]] = place
                owners[fill[event]] = sequence
                fill[event] += 1
    return bounds, places, owners


@compiled
def extend_itemsets(
    text: Array,
    weights: Array,
    places: Array,
    owners: Array,
    event: int,
    support: int,
    n_events: int,
    min_support: int,
    max_length: int,
    most: int,
    stop: Array,
) -> tuple[Array, Array, Array, Array]:
    """Find all frequent patterns that begin with one event, in order: parent, event, support, joined.

    ``joined`` says that the event is in the same element as the one before it.
    """
    parents = np.empty(256, np.int32)
    events = np.empty(256, np.int32)
    supports = np.empty(256, np.int64)
    joined = np.zeros(256, np.bool_)
    parents[0] = -1
    events[0] = event
    supports[0] = support
    n_patterns = 1

    stack_places = np.empty(len(places) + 1024, np.int64)
    stack_owners = np.empty(len(places) + 1024, np.int64)
    stack_places[: len(places)] = places
    stack_owners[: len(places)] = owners
    stack_top = len(places)
    # An event in a later element is counted at its code, one in the same element at n_events + code.
    width = 2 * n_events
    counts = np.zeros(width, np.int64)
    found = np.zeros(width, np.int64)
    last_seen = np.full(width, -1, np.int64)
    target = np.full(width, -1, np.int64)
    child_code = np.empty(width, np.int64)
    child_count = np.empty(width, np.int64)
    child_first = np.empty(width, np.int64)
    child_last = np.empty(width, np.int64)
    child_top = 0

    level_next = np.empty(64, np.int64)
    level_begin = np.empty(64, np.int64)
    level_end = np.empty(64, np.int64)
    level_pattern = np.empty(64, np.int64)
    level_stack = np.empty(64, np.int64)
    level = -1
    begin, end = 0, len(places)
    tick = 0
    while True:
        if level + 2 < max_length and end > begin:
            counts[:] = 0
            found[:] = 0
            tick = _count(
                text, weights, stack_places, stack_owners, begin, end, counts, found, last_seen, tick
            )
            if child_top + width > len(child_code):
                size = 2 * (child_top + width)
                child_code = _grown(child_code, size)
                child_count = _grown(child_count, size)
                child_first = _grown(child_first, size)
                child_last = _grown(child_last, size)
            first_child = child_top
            needed = stack_top
            for code in range(width):
                target[code] = -1
                if counts[code] >= min_support:
                    target[code] = child_top
                    child_code[child_top] = code
                    child_count[child_top] = counts[code]
                    child_first[child_top] = needed
                    child_last[child_top] = needed
                    needed += found[code]
                    child_top += 1
            if child_top > first_child:
                if level + 1 == len(level_next):
                    size = 2 * len(level_next)
                    level_next = _grown(level_next, size)
                    level_begin = _grown(level_begin, size)
                    level_end = _grown(level_end, size)
                    level_pattern = _grown(level_pattern, size)
                    level_stack = _grown(level_stack, size)
                level += 1
                level_next[level] = first_child
                level_begin[level] = first_child
                level_end[level] = child_top
                level_pattern[level] = n_patterns - 1
                level_stack[level] = stack_top
                if level + 2 < max_length:
                    if needed > len(stack_places):
                        stack_places = _grown(stack_places, 2 * needed)
                        stack_owners = _grown(stack_owners, 2 * needed)
                    _distribute(text, stack_places, stack_owners, begin, end, target, child_last)
                    stack_top = needed
        while level >= 0 and level_next[level] == level_end[level]:
            stack_top = level_stack[level]
            child_top = level_begin[level]
            level -= 1
        if level < 0:
            break
        child = level_next[level]
        level_next[level] += 1
        if n_patterns == len(parents):
            parents = _grown(parents, 2 * n_patterns)
            events = _grown(events, 2 * n_patterns)
            supports = _grown(supports, 2 * n_patterns)
            joined = _grown(joined, 2 * n_patterns)
        code = child_code[child]
        parents[n_patterns] = level_pattern[level]
        events[n_patterns] = code % n_events
        supports[n_patterns] = child_count[child]
        joined[n_patterns] = code >= n_events
        n_patterns += 1
        if n_patterns > most or stop[0]:
            break
        begin, end = child_first[child], child_last[child]
    return (
        parents[:n_patterns].copy(),
        events[:n_patterns].copy(),
        supports[:n_patterns].copy(),
        joined[:n_patterns].copy(),
    )


@compiled
def _count(
    text: Array,
    weights: Array,
    places: Array,
    owners: Array,
    begin: int,
    end: int,
    counts: Array,
    found: Array,
    last_seen: Array,
    tick: int,
) -> int:
    """Weights (once per sequence) and occurrences of every event that can follow or join."""
    n_events = len(counts) // 2
    owner = -1
    weight = 0
    for entry in range(begin, end):
        place = places[entry]
        is_first = owners[entry] != owner
        if is_first:
            owner = owners[entry]
            weight = weights[owner]
            tick += 1
        while text[place] >= 0:
            code = n_events + text[place]
            counts[code] += weight * (last_seen[code] != tick)
            last_seen[code] = tick
            found[code] += 1
            place += 1
        if is_first:
            while text[place] != END:
                code = text[place]
                place += 1
                if code >= 0:
                    counts[code] += weight * (last_seen[code] != tick)
                    last_seen[code] = tick
                    found[code] += 1
    return tick


@compiled
def _distribute(
    text: Array, places: Array, owners: Array, begin: int, end: int, target: Array, child_last: Array
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
                places[child_last[child]] = place
                owners[child_last[child]] = owner
                child_last[child] += 1
        if is_first:
            while text[place] != END:
                code = text[place]
                place += 1
                if code >= 0 and target[code] >= 0:
                    child = target[code]
                    places[child_last[child]] = place
                    owners[child_last[child]] = owner
                    child_last[child] += 1


@compiled
def _grown(array: Array, size: int) -> Array:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
