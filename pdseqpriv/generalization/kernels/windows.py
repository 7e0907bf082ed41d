"""Windows of time, exactly."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def last_within(times: Array, length: float) -> Array:
    """Return for each of some distinct ascending times the last one at most ``length`` later.

    Both are of one type: unsigned whole numbers, so that no difference overflows, or fractional ones. Those
    are rounded, so a time is within the window if the difference says so or the sum: never too few are.
    """
    found = np.empty(times.size, np.int64)
    last = 0
    for first in range(times.size):
        last = max(last, first)
        end = times[first] + length  # a whole number that overflows is small, and says nothing
        while last + 1 < times.size and (times[last + 1] - times[first] <= length or times[last + 1] <= end):
            last += 1
        found[first] = last
    return found
