"""Which sequences contain a pattern, by the latest start of every partial match.

A pattern is a set of positions, each asking for events of one element, with the positions that may come
before it. ``starts[q, j]`` is the latest element at which a partial match can start that ends with position
q at element j. The latest start leaves the most room in a window, so no other one needs to be kept.
"""

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

STOP = 1  # of a pulse: not 0 when the work is to end


class Positions(NamedTuple):
    """One pattern; bounds of position q hold for the gap before it."""

    # codes of position q: required[first_required[q]:first_required[q + 1]]; none means any event
    required: Array
    first_required: Array
    before: Array  # positions before q: before[first_before[q]:first_before[q + 1]]
    first_before: Array
    begins: Array  # bool
    finishes: Array  # bool
    gaps: Array  # int64: least and most elements
    times: Array  # least and most on the clock, which has times that are rounded down and up
    window: int
    window_time: Array  # of one number


@compiled
def hold_required(codes: Array, begin: int, end: int, required: Array) -> bool:
    """Return whether rows begin:end hold all required events; without any, whether they hold one at all."""
    held = 0
    for want in required:
        for row in range(begin, end):
            if codes[row] == want:
                held += 1
                break
    if len(required) == 0:
        for row in range(begin, end):
            if codes[row] >= 0:
                return True
        return False
    return held == len(required)


@compiled
def is_contained(codes: Array, rows: Array, clock: Array, positions: Positions, pulse: Array) -> bool:
    """Return whether one sequence, whose element j has rows rows[j]:rows[j + 1], contains the pattern."""
    n, size = len(rows) - 1, len(positions.begins)
    starts, so_far = np.full((size, n), -1, np.int64), np.full((size, n), -1, np.int64)
    for j in range(n):
        if pulse[STOP] != 0:
            return False
        for q in range(size):
            required = positions.required[positions.first_required[q] : positions.first_required[q + 1]]
            best = -1
            if hold_required(codes, rows[j], rows[j + 1], required):
                if positions.begins[q]:
                    best = j
                else:
                    for place in range(positions.first_before[q], positions.first_before[q + 1]):
                        p = positions.before[place]
                        best = max(
                            best,
                            latest(starts[p], so_far[p], j, clock, positions.gaps[q], positions.times[q]),
                        )
            starts[q, j] = best
            so_far[q, j] = best if j == 0 else max(best, so_far[q, j - 1])
            is_whole = best >= 0 and positions.finishes[q] and j - best < positions.window
            if is_whole and clock[0, j] - clock[1, best] <= positions.window_time[0]:
                return True
    return False


@compiled
def latest(starts: Array, so_far: Array, j: int, clock: Array, gap: Array, time: Array) -> int:
    """The latest start among the elements before j that satisfy the gap."""
    best = -1
    everything = clock[0, j] - clock[1, 0] <= time[1] and j - 1 <= gap[1]
    for i in range(j - 1, -1, -1):
        if j - i - 1 > gap[1] or clock[0, j] - clock[1, i] > time[1]:
            break
        if j - i - 1 >= gap[0] and clock[1, j] - clock[0, i] >= time[0]:
            if everything:
                return int(so_far[i])
            best = max(best, starts[i])
    return best


@compiled
def which_contain(
    codes: Array,
    offsets: Array,
    numbers: Array,
    clock: tuple[Array, Array],
    positions: Positions,
    pulse: Array,
) -> Array:
    """Return for every sequence whether it contains the pattern."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    for i in range(len(found)):
        if pulse[STOP] != 0:  # even making room for a long sequence takes a while
            break
        begin, end = offsets[i], offsets[i + 1]
        if begin == end:
            continue
        rows = np.empty(numbers[end - 1] + 2, np.int64)
        times = np.empty((2, numbers[end - 1] + 1), clock[0].dtype)
        for row in range(end - 1, begin - 1, -1):
            rows[numbers[row]] = row
            times[0, numbers[row]], times[1, numbers[row]] = clock[0][row], clock[1][row]
        rows[len(rows) - 1] = end
        found[i] = is_contained(codes, rows, times, positions, pulse)
    return found
