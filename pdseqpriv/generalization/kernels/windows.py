"""Windows of time, exactly."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def last_within(early: Array, late: Array, length: float) -> Array:
    """Return for each of some distinct ascending times the last one at most ``length`` later.

    All are of one type: unsigned whole numbers, so that no difference overflows, or fractional ones. Those
    are given rounded down and up, and a difference is the least that it may be: never too few are within.
    """
    found = np.empty(early.size, np.int64)
    last = 0
    for first in range(early.size):
        last = max(last, first)
        while last + 1 < early.size and early[last + 1] - late[first] <= length:
            last += 1
        found[first] = last
    return found
