"""Sub-patterns of a complete pattern table, found along its tree.

In the order of patterns, a pattern without its last event stands just before it: that is its parent. What
remains of a pattern without an inner event is a child of what remains of its parent, so one pass along two
sorted lists of children finds them. Tables with gaps are left to the index, which needs no parents.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled


@compiled
def link_along_tree(codes: Array, offsets: Array, joined: Array, n_events: int) -> tuple[Array, bool]:
    """Find, for every event of every pattern, which pattern remains without it (-1: nothing).

    The patterns must be in order. Gives False when one is there twice or a sub-pattern is missing.
    """
    n_patterns = len(offsets) - 1
    links = np.full(len(codes), -1, np.int32)
    parents, complete = _parents(codes, offsets, joined)
    if not complete:
        return links, False
    # The last event says which child a pattern is; joined ones come behind the others.
    tokens = np.empty(n_patterns, np.int32)
    bounds = np.zeros(n_patterns + 2, np.int64)
    for pattern in range(n_patterns):
        last = offsets[pattern + 1] - 1
        tokens[pattern] = codes[last] + n_events * joined[last]
        bounds[parents[pattern] + 2] += 1
    for place in range(1, n_patterns + 2):
        bounds[place] += bounds[place - 1]
    children = np.empty(n_patterns, np.int32)
    child_tokens = np.empty(n_patterns, np.int32)
    free = bounds.copy()
    for pattern in range(n_patterns):
        place = free[parents[pattern] + 1]
        free[parents[pattern] + 1] += 1
        children[place] = pattern
        child_tokens[place] = tokens[pattern]
    # Both lists of children are sorted, so one pass along them finds all.
    for parent in range(n_patterns):
        first, end = bounds[parent + 1], bounds[parent + 2]
        length = offsets[parent + 1] - offsets[parent]
        for place in range(first, end):
            links[offsets[children[place]] + length] = parent
        for step in range(length if first < end else 0):
            inner = offsets[parent] + step
            opens = step == length - 1 and not joined[inner]
            # Without it -1, the root, may be left; single events are its children.
            rest = links[inner]
            at, stop = bounds[rest + 1], bounds[rest + 2]
            for place in range(first, end):
                token = child_tokens[place]
                if opens and token >= n_events:
                    token -= n_events  # it now opens the element
                    if place == first or child_tokens[place - 1] < n_events:
                        at = bounds[rest + 1]
                while at < stop and child_tokens[at] < token:
                    at += 1
                if at == stop or child_tokens[at] != token:
                    return links, False
                links[offsets[children[place]] + step] = children[at]
    return links, True


@compiled
def _parents(codes: Array, offsets: Array, joined: Array) -> tuple[Array, bool]:
    """Find the pattern without its last event (-1: nothing is left), and tell whether each has one."""
    n_patterns = len(offsets) - 1
    parents = np.full(n_patterns, -1, np.int32)
    path = np.full(2, -1, np.int64)
    for pattern in range(n_patterns):
        length = offsets[pattern + 1] - offsets[pattern]
        if length >= len(path):
            path = np.append(path, np.full(length + 1, -1, np.int64))
        if length > 1:
            parent = path[length - 1]
            if parent < 0 or not _begins(codes, offsets, joined, parent, pattern, length - 1):
                return parents, False
            parents[pattern] = parent
        before = path[length]
        if before >= 0 and _begins(codes, offsets, joined, before, pattern, length):
            return parents, False
        path[length] = pattern
    return parents, True


@compiled
def _begins(codes: Array, offsets: Array, joined: Array, one: int, two: int, length: int) -> bool:
    for step in range(length):
        first, second = offsets[one] + step, offsets[two] + step
        if codes[first] != codes[second] or joined[first] != joined[second]:
            return False
    return True
