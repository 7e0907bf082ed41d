"""The records of a release that best match a list of events by containment."""

from __future__ import annotations

import numpy as np

from pdseqpriv.audit.kernels.fitting_labels import NO_LINE, ONE, Fit
from pdseqpriv.audit.kernels.release_tree import ROOT, ReleaseTree
from pdseqpriv.compiled import Array, compiled

NOWHERE = -1


@compiled
def longest_inside(tree: ReleaseTree, fit: Fit, at: Array, matches: Array) -> int:
    """Write down the longest records that the list contains, of these the least vague; returns how many.

    An element goes to the first place that is left for it, which leaves most room to what follows. ``at`` has
    room for the place of every element on a path.
    """
    # Taken out of their tuples once: in the loop, that would take longer than all the rest.
    element, depth, lengths, vagueness = tree.element, tree.depth, tree.length, tree.vague
    ending, end, longest = tree.ending, tree.end, tree.longest
    line, goes_in = fit.line, fit.goes_in
    best, vague, n = NOWHERE, 0, 0
    at[0] = -1
    node = ROOT
    while node < element.size:
        here = depth[node]
        if node != ROOT:
            at[here] = _next_place(goes_in, line[element[node]], at[here - 1] + 1)
        if longest[node] < best or (node != ROOT and at[here] == NOWHERE):
            node = end[node]
            continue
        if ending[node] > 0:
            if lengths[node] > best or (lengths[node] == best and vagueness[node] < vague):
                best, vague, n = lengths[node], vagueness[node], 0
            if lengths[node] == best and vagueness[node] == vague:
                matches[n] = node
                n += 1
        node += 1
    return n


@compiled
def shortest_around(tree: ReleaseTree, fit: Fit, at: Array, matches: Array) -> int:
    """Write down the shortest records that contain the list, of these the least vague; returns how many."""
    element, depth, lengths, vagueness = tree.element, tree.depth, tree.length, tree.vague
    ending, end, shortest, deepest = tree.ending, tree.end, tree.shortest, tree.deepest
    line, goes_around, n_places = fit.line, fit.goes_around, fit.common.shape[1]
    best, vague, n = np.iinfo(np.int64).max, 0, 0
    at[0] = 0
    node = ROOT
    while node < element.size:
        here = depth[node]
        if node != ROOT:
            above = at[here - 1]
            covers_next = above < n_places and _has_place(goes_around, line[element[node]], above)
            at[here] = above + covers_next
        if shortest[node] > best or deepest[node] - here < n_places - at[here]:
            node = end[node]
            continue
        if ending[node] > 0 and at[here] == n_places:
            if lengths[node] < best or (lengths[node] == best and vagueness[node] < vague):
                best, vague, n = lengths[node], vagueness[node], 0
            if lengths[node] == best and vagueness[node] == vague:
                matches[n] = node
                n += 1
        node += 1
    return n


@compiled
def _next_place(places: Array, line: int, first: int) -> int:
    """Return the first place from ``first`` on whose bit is set in a line, NOWHERE if there is none."""
    if line == NO_LINE:
        return NOWHERE
    for word in range(first >> 6, places.shape[1]):
        bits = places[line, word]
        if word == first >> 6:
            bits = (bits >> np.uint64(first & 63)) << np.uint64(first & 63)
        if bits:
            place = word << 6
            while not bits & ONE:
                bits >>= ONE
                place += 1
            return place
    return NOWHERE


@compiled
def _has_place(places: Array, line: int, place: int) -> bool:
    """Return whether the bit of a place is set in a line."""
    return line != NO_LINE and (places[line, place >> 6] >> np.uint64(place & 63)) & ONE == ONE
