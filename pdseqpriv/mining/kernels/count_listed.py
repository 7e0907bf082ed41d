"""Count who contains patterns that are already known."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def count_listed(
    codes: Array, offsets: Array, elements: Array, people: Array, events: Array, joined: Array, depths: Array
) -> Array:
    """Count the people of whom a sequence contains each pattern; without people, count the sequences.

    Patterns are in order, each after the one that it extends by its last event: ``events`` and ``joined`` are
    those of the last events, ``depths`` the numbers of events. Rows of an element are in the order of their
    codes. Each element of a pattern is matched as early as possible, so what does not fit a pattern fits none
    that begins with it.
    """
    n_patterns = len(events)
    supports, counted_for = np.zeros(n_patterns, np.int64), np.full(n_patterns, -1, np.int64)
    after = ends_of_subtrees(depths)
    deepest = depths.max() if n_patterns else 0
    matched, begins = np.full(deepest + 1, -1, np.int64), np.zeros(deepest + 1, np.int64)
    path = np.zeros(deepest + 1, np.int64)
    most = max(codes.max() if len(codes) else 0, events.max() if n_patterns else 0)
    head = np.full(most + 1, -1, np.int64)
    following = np.full(len(codes), -1, np.int64)
    for s in range(len(offsets) - 1):
        begin, end = offsets[s], offsets[s + 1]
        person = people[s] if len(people) else s
        for row in range(end - 1, begin - 1, -1):
            if codes[row] >= 0:
                following[row] = head[codes[row]]
                head[codes[row]] = row
        p = 0
        while p < n_patterns:
            d = depths[p]
            path[d] = events[p]
            row = head[events[p]]
            if joined[p]:
                begins[d] = begins[d - 1]
                while row >= 0 and (
                    elements[row] < matched[d - 1]
                    or not has_all(codes, elements, begin, row, path, begins[d], d)
                ):
                    row = following[row]
            else:
                begins[d] = d
                while row >= 0 and elements[row] <= matched[d - 1]:
                    row = following[row]
            if row < 0:
                p = after[p]
                continue
            matched[d] = elements[row]
            if counted_for[p] != person:
                counted_for[p] = person
                supports[p] += 1
            p += 1
        for row in range(begin, end):
            if codes[row] >= 0:
                head[codes[row]] = -1
    return supports


@compiled
def has_all(codes: Array, elements: Array, begin: int, row: int, path: Array, first: int, last: int) -> bool:
    """Return whether the element of a row has the events of a path before its last one, from ``first`` on."""
    wanted, place = last - 1, row - 1
    while wanted >= first and place >= begin and elements[place] == elements[row]:
        if codes[place] == path[wanted]:
            wanted -= 1
        place -= 1
    return wanted < first


@compiled
def ends_of_subtrees(depths: Array) -> Array:
    """Return for each pattern the next one that does not begin with it."""
    ends = np.empty(len(depths), np.int64)
    last = np.full((depths.max() if len(depths) else 0) + 2, len(depths), np.int64)
    for p in range(len(depths) - 1, -1, -1):
        ends[p] = last[depths[p]]
        last[depths[p]] = p
        # Whatever is deeper ends here.
        for deeper in range(depths[p] + 1, len(last)):
            last[deeper] = p
    return ends
