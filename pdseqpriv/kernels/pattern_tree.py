"""Sub-patterns of a complete pattern table, found along its tree.

In the order of patterns, a pattern without its last event stands before it: that is its parent. What remains
of a pattern without an inner event is a child of what remains of its parent, so one pass along two sorted
lists of children finds them. Tables with gaps are left to the index, which needs no parents.

Patterns are numbered from 1 by length, the shortest first and else in the order of patterns, so that children
stand side by side; 0 is the root, which holds no event. ``levels[n]`` is the first number of length n. Each
pattern has one link per event, and links stand in the order of numbers.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled

PAST_ALL = np.iinfo(np.int32).max


@compiled
def find_parents(codes: Array, offsets: Array, joined: Array) -> tuple[Array, bool]:
    """Find the pattern without its last event (-1: nothing is left), of patterns in their order.

    Gives False when one is missing, or a pattern is there twice.
    """
    n_patterns = len(offsets) - 1
    parents = np.full(n_patterns, -1, np.int32)
    path = np.full(2, -1, np.int32)
    for pattern in range(n_patterns):
        begin = offsets[pattern]
        length = offsets[pattern + 1] - begin
        if length >= len(path):
            path = np.append(path, np.full(length + 1, -1, np.int32))
        if pattern > 0:
            # What comes just before shares all but the last event; then so does what is remembered of it.
            before = offsets[pattern - 1]
            shorter = min(length, begin - before)
            same = 0
            while (
                same < shorter
                and codes[before + same] == codes[begin + same]
                and joined[before + same] == joined[begin + same]
            ):
                same += 1
            if same < length - 1 or same == length:
                return parents, False
        elif length > 1:
            return parents, False
        if length > 1:
            parents[pattern] = path[length - 1]
        path[length] = pattern
    return parents, True


@compiled
def number_by_length(offsets: Array) -> tuple[Array, Array, Array]:
    """Number the patterns: the place of each number (from 1), the number of each place, and the levels."""
    n_patterns = len(offsets) - 1
    longest = 0
    for place in range(n_patterns):
        longest = max(longest, offsets[place + 1] - offsets[place])
    levels = np.zeros(longest + 2, np.int64)
    for place in range(n_patterns):
        levels[offsets[place + 1] - offsets[place] + 1] += 1
    levels[1] = 1
    for length in range(2, longest + 2):
        levels[length] += levels[length - 1]
    free = levels.copy()
    order, numbers = np.zeros(n_patterns + 1, np.int32), np.empty(n_patterns, np.int32)
    for place in range(n_patterns):
        length = offsets[place + 1] - offsets[place]
        numbers[place] = free[length]
        order[free[length]] = place
        free[length] += 1
    return order, numbers, levels


@compiled
def number_children(
    parents: Array, codes: Array, offsets: Array, joined: Array, n_events: int, order: Array, numbers: Array
) -> tuple[Array, Array]:
    """Give, by number, the last event of each pattern and where its children begin."""
    n_patterns = len(numbers)
    tokens = np.full(n_patterns + 2, PAST_ALL, np.int32)
    children = np.zeros(n_patterns + 2, np.int32)
    children[0] = 1
    for number in range(1, n_patterns + 1):
        place = order[number]
        last = offsets[place + 1] - 1
        # The last event says which child a pattern is; joined ones come behind the others.
        tokens[number] = codes[last] + n_events * joined[last]
        parent = 0 if parents[place] < 0 else numbers[parents[place]]
        children[parent + 1] += 1
    for number in range(1, n_patterns + 2):
        children[number] += children[number - 1]
    return tokens, children


@compiled
def link_along_tree(
    first_place: int,
    end_place: int,
    order: Array,
    levels: Array,
    tokens: Array,
    children: Array,
    links: Array,
    n_events: int,
) -> bool:
    """Find, for every event of every pattern, the number of the pattern that remains without it.

    Does so for what stands in these places, which begin and end with a single event, so that others can do
    the rest meanwhile. Gives False when a sub-pattern is missing.
    """
    at, stop = np.empty((2, len(levels)), np.int32)
    own = 0
    for length in range(1, len(levels) - 1):
        below = own + (levels[length + 1] - levels[length]) * length
        for parent in range(levels[length], levels[length + 1]):
            first, end = children[parent], children[parent + 1]
            if first == end or not first_place <= order[parent] < end_place:
                continue
            # All are looked up first: then the processor need not wait for one after the other.
            mine = own + (parent - levels[length]) * length
            for step in range(length):
                at[step], stop[step] = children[links[mine + step]], children[links[mine + step] + 1]
            last, place = length - 1, below + (first - levels[length + 1]) * (length + 1)
            for child in range(first, end):
                token = tokens[child]
                for step in range(last):
                    here = at[step]
                    while tokens[here] < token:
                        here += 1
                    if here >= stop[step] or tokens[here] != token:
                        return False
                    at[step] = links[place + step] = here
                if token >= n_events and tokens[parent] < n_events:
                    # Without the event that opened the element this one opens it, and moves to the front.
                    token -= n_events
                    if child == first or tokens[child - 1] < n_events:
                        at[last] = children[links[mine + last]]
                while tokens[at[last]] < token:
                    at[last] += 1
                if at[last] >= stop[last] or tokens[at[last]] != token:
                    return False
                links[place + last], links[place + length] = at[last], parent
                place += length + 1
        own = below
    return True


@compiled
def number_links(by_index: Array, offsets: Array, order: Array, numbers: Array) -> Array:
    """Give links between places, -1 for none, as links between numbers."""
    links = np.zeros(len(by_index), np.int32)
    at = 0
    for place in order[1:]:
        for link in range(offsets[place], offsets[place + 1]):
            if by_index[link] >= 0:
                links[at] = numbers[by_index[link]]
            at += 1
    return links
