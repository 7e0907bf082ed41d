"""The rows of a pattern table: from the highest support to the lowest, and else in the order of patterns."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

DIGIT = 1 << 16


@compiled
def highest_first(
    supports: Array, numbers: Array, levels: Array, places: Array, rows: Array, moved: Array, table: Array
) -> None:
    """Write the supports and lengths of these patterns row by row, and which row each comes to.

    ``supports``, ``places`` and ``rows`` belong to numbers, which are given by length (``levels[n]`` is the
    first of length n); ``numbers`` says which of them, in the order of patterns. ``moved`` is the row by
    place. Rows of what is not among them are -1.
    """
    rows[:], moved[:] = -1, -1
    _sort(supports, numbers, rows)
    for length in range(1, len(levels) - 1):
        for number in range(levels[length], levels[length + 1]):
            row = rows[number]
            if row >= 0:
                table[0, row], table[1, row] = supports[number], length
                moved[places[number]] = row


@compiled
def _sort(supports: Array, numbers: Array, rows: Array) -> None:
    """Sort digit by digit, the lowest first, and write down the row of each number."""
    least, most = 0, 0
    for step, number in enumerate(numbers):
        support = int(supports[number])
        least = support if step == 0 else min(least, support)
        most = max(most, support)
    now, shift = numbers, 0
    while True:
        is_last = (most - least) >> shift < DIGIT
        starts = np.zeros(min(DIGIT, ((most - least) >> shift) + 1) + 1, np.int64)
        for number in now:
            starts[((most - supports[number]) >> shift & (DIGIT - 1)) + 1] += 1
        for digit in range(1, len(starts)):
            starts[digit] += starts[digit - 1]
        then = now if is_last else np.empty_like(now)
        for number in now:
            digit = (most - supports[number]) >> shift & (DIGIT - 1)
            if is_last:
                rows[number] = starts[digit]
            else:
                then[starts[digit]] = number
            starts[digit] += 1
        if is_last:
            return
        now, shift = then, shift + 16
