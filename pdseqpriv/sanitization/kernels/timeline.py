"""What a way of deleting sensitive events costs, and whether it deletes enough.

Only *points* matter: the time points at which some sensitive event occurs. Between
them prefixes only grow by other events, so no sensitive event becomes more frequent.
An *entry* is one sensitive event at one point, with all its occurrences there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Columns of Timeline.entries: point, event, occurrences there, occurrences in the prefix; and, in a list of
# its own, the entries sorted by event and point.
POINT, EVENT, OCCURRENCES, REACHED, BY_EVENT = range(5)
# Columns of Timeline.points: its first entry (one row more than points), the rows of all events in the
# prefix, and the most that a sensitive event may keep of them.
FIRST, LENGTH, CEILING = range(3)
# Columns of Timeline.smooth: the smoothed total of the point, and the sum of its squared smoothed shares.
TOTAL, CONCENTRATION = range(2)
# Columns of Solution.points: rows of all events kept in the prefix, rows that others may still lose by the
# tightest event, that event, and the same by the tightest other event.
KEPT, ROOM, ROOM_EVENT, NEXT_ROOM = range(4)


PLENTY = 1 << 62
# Places of Timeline.pulse, by which whoever waits follows the work and stops it.
DONE, STOP = range(2)


class Timeline(NamedTuple):
    """One event sequence, reduced to its entries, which are sorted by point and event.

    Few wide arrays: every array that a compiled function takes makes it slower to compile.
    """

    entries: Array  # int64
    share: Array  # float64 per entry, smoothed relative frequency at its point
    points: Array  # int64
    smooth: Array  # float64
    event_offsets: Array  # int64, where the entries of each event begin in BY_EVENT
    numerator: int  # of delta, both at most the number of rows, so products fit
    denominator: int
    pulse: Array  # int64: events placed so far, and whether to stop


class Solution(NamedTuple):
    """A way of deleting, and what it leaves to the others."""

    deleted: Array  # int64 per entry
    left: Array  # int64 per entry, occurrences kept in the prefix
    points: Array  # int64


@compiled
def goes_on(timeline: Timeline) -> bool:
    """Count one more step; tell whether nobody has asked to stop."""
    timeline.pulse[DONE] += 1
    return bool(timeline.pulse[STOP] == 0)


@compiled
def new_solution(timeline: Timeline) -> Solution:
    """Begin with nothing deleted."""
    entries, points = timeline.share.size, timeline.smooth.shape[0]
    return Solution(np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros((points, 4), np.int64))


@compiled
def fewest_deletions(timeline: Timeline, t: int, reached: int, length: int) -> int:
    """Return the least b with (reached - b) / (length - b) < delta and reached - b <= the ceiling of t."""
    fewest, over = 0, timeline.denominator * reached - timeline.numerator * length
    if over >= 0 and timeline.numerator == timeline.denominator:
        fewest = reached
    elif over >= 0:
        fewest = over // (timeline.denominator - timeline.numerator) + 1
    return min(reached, max(fewest, reached - int(timeline.points[t, CEILING])))


@compiled
def complete(timeline: Timeline, deleted: Array) -> int:
    """Delete, on top of what is deleted, the least that makes no event frequent.

    Whatever one event loses only raises what the others must lose, so going forward
    and raising until nothing is short gives the least number for all at once. Deleting
    all of a point's entries always suffices there, so no earlier point is touched.
    Starting from nothing this is the least that any solution deletes from every
    prefix. Gives how many occurrences are deleted.
    """
    gone = np.zeros(timeline.event_offsets.size - 1, np.int64)
    all_gone = 0
    for t in range(timeline.smooth.shape[0]):
        for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
            gone[timeline.entries[i, EVENT]] += deleted[i]
            all_gone += deleted[i]
        short = True
        while short:
            short = False
            for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
                e = timeline.entries[i, EVENT]
                left, kept = timeline.entries[i, REACHED] - gone[e], timeline.points[t, LENGTH] - all_gone
                more = fewest_deletions(timeline, t, left, kept)
                if more > 0:
                    deleted[i] += more
                    gone[e] += more
                    all_gone += more
                    short = True
    return all_gone


@compiled
def note_room(timeline: Timeline, solution: Solution, t: int) -> int:
    """Note how much others may still lose at point t; return the number of events frequent there."""
    room, next_room, tightest, frequent = PLENTY, PLENTY, -1, 0
    kept, ceiling = solution.points[t, KEPT], timeline.points[t, CEILING]
    for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
        left = solution.left[i]
        if left == 0:
            continue
        slack = timeline.numerator * kept - timeline.denominator * left
        if slack <= 0 or left > ceiling:
            frequent += 1
        loose = (slack - 1) // timeline.numerator
        if loose < room:
            room, next_room, tightest = loose, room, timeline.entries[i, EVENT]
        elif loose < next_room:
            next_room = loose
    solution.points[t, ROOM], solution.points[t, NEXT_ROOM] = room, next_room
    solution.points[t, ROOM_EVENT] = tightest
    return frequent


@compiled
def settle(timeline: Timeline, solution: Solution) -> int:
    """Recompute what is kept and the room left; return the number of entries still frequent."""
    gone = np.zeros(timeline.event_offsets.size - 1, np.int64)
    all_gone, frequent = 0, 0
    for t in range(timeline.smooth.shape[0]):
        for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
            gone[timeline.entries[i, EVENT]] += solution.deleted[i]
            all_gone += solution.deleted[i]
            solution.left[i] = timeline.entries[i, REACHED] - gone[timeline.entries[i, EVENT]]
        solution.points[t, KEPT] = timeline.points[t, LENGTH] - all_gone
        frequent += note_room(timeline, solution, t)
    return frequent


@compiled
def point_error(squares: float, products: float, lost: float, concentration: float, total: float) -> float:
    """Return the squared distance between the smoothed distributions of a point before and after.

    With x deletions of events with shares p: squares = sum of x^2, products = sum of
    p x, lost = sum of x. Needs no loop over the alphabet.
    """
    change = squares - 2.0 * lost * products + concentration * lost * lost
    return change / ((total - lost) * (total - lost))


@compiled
def sums_of_point(timeline: Timeline, deleted: Array, t: int, left_out: int) -> tuple[float, float, float]:
    """Return squares, products and lost, as ``point_error`` takes them, of all entries of a point but one."""
    squares, products, lost = 0.0, 0.0, 0.0
    for i in range(timeline.points[t, FIRST], timeline.points[t + 1, FIRST]):
        if i != left_out:
            squares += deleted[i] * deleted[i]
            products += timeline.share[i] * deleted[i]
            lost += deleted[i]
    return squares, products, lost


@compiled
def total_error(timeline: Timeline, deleted: Array) -> float:
    """Return the sanitization error: the sum over all points."""
    error = 0.0
    for t in range(timeline.smooth.shape[0]):
        squares, products, lost = sums_of_point(timeline, deleted, t, deleted.size)
        total, concentration = timeline.smooth[t, TOTAL], timeline.smooth[t, CONCENTRATION]
        error += point_error(squares, products, lost, concentration, total)
    return error
