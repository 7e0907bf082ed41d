"""The records of a release that best match a list of events by containment."""

from __future__ import annotations

import numpy as np

from pdseqpriv.audit.kernels.fitting import NO_LINE, ONE, Fit
from pdseqpriv.audit.kernels.record_tree import ROOT, RecordTree
from pdseqpriv.compiled import Array, compiled

NOWHERE = -1


@compiled
def longest_inside(tree: RecordTree, fit: Fit, at: Array, matches: Array) -> int:
    """Write down the longest records that the list contains, of these the least vague; gives how many.

    An element goes to the first place that is left for it, which leaves most room to what follows. ``at`` has
    room for the place of every element on a path.
    """
    best, vague, n = NOWHERE, 0, 0
    at[0] = -1
    node = ROOT
    while node < tree.element.size:
        here = tree.depth[node]
        if node != ROOT:
            at[here] = _next_place(fit, fit.line[tree.element[node]], at[here - 1] + 1)
        if tree.longest[node] < best or (node != ROOT and at[here] == NOWHERE):
            node = tree.end[node]
            continue
        if tree.ending[node] > 0:
            length = tree.length[node]
            if length > best or (length == best and tree.vague[node] < vague):
                best, vague, n = length, tree.vague[node], 0
            if length == best and tree.vague[node] == vague:
                matches[n] = node
                n += 1
        node += 1
    return n


@compiled
def shortest_around(tree: RecordTree, fit: Fit, at: Array, matches: Array) -> int:
    """Write down the shortest records that contain the list, of these the least vague; gives how many."""
    n_places = fit.common.shape[1]
    best, vague, n = np.iinfo(np.int64).max, 0, 0
    at[0] = 0
    node = ROOT
    while node < tree.element.size:
        here = tree.depth[node]
        if node != ROOT:
            above = at[here - 1]
            at[here] = above + _goes_around(fit, fit.line[tree.element[node]], above, n_places)
        if tree.shortest[node] > best or tree.deepest[node] - here < n_places - at[here]:
            node = tree.end[node]
            continue
        if tree.ending[node] > 0 and at[here] == n_places:
            length = tree.length[node]
            if length < best or (length == best and tree.vague[node] < vague):
                best, vague, n = length, tree.vague[node], 0
            if length == best and tree.vague[node] == vague:
                matches[n] = node
                n += 1
        node += 1
    return n


@compiled
def _next_place(fit: Fit, line: int, first: int) -> int:
    """Give the first place from ``first`` on into which the element goes, NOWHERE if there is none."""
    if line == NO_LINE:
        return NOWHERE
    word = first >> 6
    while word < fit.goes_in.shape[1]:
        bits = fit.goes_in[line, word]
        if word == first >> 6:
            bits = (bits >> np.uint64(first & 63)) << np.uint64(first & 63)
        if bits:
            place = word << 6
            while not bits & ONE:
                bits >>= ONE
                place += 1
            return place
        word += 1
    return NOWHERE


@compiled
def _goes_around(fit: Fit, line: int, place: int, n_places: int) -> int:
    """Give 1 where the element covers all events of the place, else 0."""
    if line == NO_LINE or place == n_places:
        return 0
    return int((fit.goes_around[line, place >> 6] >> np.uint64(place & 63)) & ONE)
