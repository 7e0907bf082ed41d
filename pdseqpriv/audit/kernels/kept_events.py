"""What is left of the events of sequences in their release: event by event, however the two are aligned.

Events and labels are nodes of a forest in which parents have lower numbers than their children; -1 is a
marked event. The rows of an element, or of a time, are sorted by node.
"""

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

KEPT, COARSER, MARKED, REPLACED, DELETED, ADDED = range(6)


class SequenceRows(NamedTuple):
    """Sequence i has the rows offsets[i]:offsets[i + 1]; moments are elements or times and never decrease."""

    nodes: Array
    moments: Array
    offsets: Array


class LabelIntervals(NamedTuple):
    """Sequence i has the labels offsets[i]:offsets[i + 1], each from a start to an end."""

    nodes: Array
    starts: Array
    ends: Array
    offsets: Array


@compiled
def compare_by_time(
    before: SequenceRows, after: SequenceRows, own: Array, parent: Array, is_category: Array
) -> Array:
    """Compare what each sequence had at each time with what its release has then."""
    counts = np.zeros((len(own), 6), np.int64)
    for i in range(len(own)):
        if own[i] < 0:
            continue
        row, end = before.offsets[i], before.offsets[i + 1]
        other, last = after.offsets[own[i]], after.offsets[own[i] + 1]
        while row < end or other < last:
            is_before = row < end and (other == last or before.moments[row] <= after.moments[other])
            is_after = other < last and (row == end or after.moments[other] <= before.moments[row])
            stop = _stop(before.moments, row, end) if is_before else row
            until = _stop(after.moments, other, last) if is_after else other
            here, there = before.nodes[row:stop], after.nodes[other:until]
            kept, coarser = _in_common(here, there, parent, is_category)
            marks = max(0, (there < 0).sum() - (here < 0).sum())
            left, new = (here >= 0).sum() - kept - coarser, (there >= 0).sum() - kept - coarser
            marked = min(left, marks)
            replaced = min(left - marked, new)
            counts[i, KEPT] += kept
            counts[i, COARSER] += coarser
            counts[i, MARKED] += marked
            counts[i, REPLACED] += replaced
            counts[i, DELETED] += left - marked - replaced
            counts[i, ADDED] += new - replaced
            row, other = stop, until
    return counts


@compiled
def compare_by_order(
    before: SequenceRows,
    after: SequenceRows,
    own: Array,
    parent: Array,
    is_category: Array,
    begin: int,
    end: int,
    counts: Array,
) -> None:
    """Align each sequence with its release in order: as many events as possible, and as many unchanged."""
    for i in range(begin, end):
        if own[i] < 0:
            continue
        rows = slice(before.offsets[i], before.offsets[i + 1])
        others = slice(after.offsets[own[i]], after.offsets[own[i] + 1])
        here, there = before.nodes[rows], after.nodes[others]
        kept, coarser = _align(here, before.moments[rows], there, after.moments[others], parent, is_category)
        left, new = (here >= 0).sum() - kept - coarser, (there >= 0).sum() - kept - coarser
        marked = min(left, max(0, (there < 0).sum() - (here < 0).sum()))
        counts[i, KEPT], counts[i, COARSER] = kept, coarser
        counts[i, MARKED], counts[i, DELETED] = marked, left - marked
        counts[i, ADDED] = new


@compiled
def compare_by_cover(
    before: SequenceRows,
    after: LabelIntervals,
    own: Array,
    parent: Array,
    begin: int,
    end: int,
    counts: Array,
) -> None:
    """Look for a label and an interval that cover each event; a row may cover several events."""
    for i in range(begin, end):
        if own[i] < 0:
            continue
        first, last = after.offsets[own[i]], after.offsets[own[i] + 1]
        covers_some = np.zeros(last - first, np.bool_)
        for row in range(before.offsets[i], before.offsets[i + 1]):
            time, is_kept, is_covered = before.moments[row], False, False
            for place in range(first, last):
                fits = after.starts[place] <= time <= after.ends[place]
                if fits and _covers(after.nodes[place], before.nodes[row], parent):
                    is_exact = after.starts[place] == after.ends[place]
                    is_kept = is_kept or (is_exact and after.nodes[place] == before.nodes[row])
                    is_covered = True
                    covers_some[place - first] = True
            counts[i, KEPT if is_kept else COARSER if is_covered else DELETED] += 1
        counts[i, ADDED] = (~covers_some).sum()


@compiled
def _stop(moments: Array, start: int, end: int) -> int:
    """Return where the rows of the same moment end."""
    stop = start + 1
    while stop < end and moments[stop] == moments[start]:
        stop += 1
    return stop


@compiled
def _covers(label: int, node: int, parent: Array) -> bool:
    """Return whether a label is the node itself or above it; roots are their own parents."""
    while node > label and parent[node] != node:
        node = parent[node]
    return label >= 0 and node == label


@compiled
def _in_common(here: Array, there: Array, parent: Array, is_category: Array) -> tuple[int, int]:
    """Count the events that are still there, and those whose place a category above them has taken."""
    is_free, kept = np.ones(len(here), np.bool_), 0
    is_new = np.ones(len(there), np.bool_)
    i = j = 0
    while i < len(here) and j < len(there):
        if here[i] == there[j]:
            kept += here[i] >= 0
            is_free[i] = is_new[j] = False
        step = here[i] - there[j]
        i, j = i + (step <= 0), j + (step >= 0)
    coarser = 0
    # The lowest categories have the fewest events to choose from, so they choose first.
    for j in range(len(there) - 1, -1, -1):
        if there[j] < 0 or not is_new[j] or not is_category[there[j]]:
            continue
        for i in range(len(here)):
            if is_free[i] and here[i] >= 0 and _covers(there[j], here[i], parent):
                is_free[i] = False
                coarser += 1
                break
    return kept, coarser


@compiled
def _align(
    here: Array, moments: Array, there: Array, other_moments: Array, parent: Array, is_category: Array
) -> tuple[int, int]:
    """Return how many events can be kept and made coarser if elements are matched in order."""
    # One event more counts more than all that could be unchanged instead of coarser.
    one = len(there) + 1
    rows = len(there) + 1
    best, above = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    row = 0
    while row < len(here):
        stop = _stop(moments, row, len(here))
        above, best = best, above
        best[0] = 0
        place = other = 0
        while other < len(there):
            until = _stop(other_moments, other, len(there))
            kept, coarser = _in_common(here[row:stop], there[other:until], parent, is_category)
            worth = above[place] + one * (kept + coarser) + kept
            best[place + 1] = max(worth, above[place + 1], best[place])
            place, other = place + 1, until
        row = stop
    place = other = 0
    while other < len(there):
        place, other = place + 1, _stop(other_moments, other, len(there))
    kept, both = best[place] % one, best[place] // one
    return kept, both - kept
