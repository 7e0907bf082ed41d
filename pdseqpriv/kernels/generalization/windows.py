"""Windows of time, exactly."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled


@compiled
def last_within(times: Array, length: float) -> Array:
    """Give for each of some distinct ascending times the last one at most ``length`` later.

    Both are of one type: unsigned whole numbers, so that no difference overflows, or fractional ones, whose
    differences are rounded but never from within the window to without.
    """
    found = np.empty(times.size, np.int64)
    last = 0
    for first in range(times.size):
        last = max(last, first)
        while last + 1 < times.size and times[last + 1] - times[first] <= length:
            last += 1
        found[first] = last
    return found
