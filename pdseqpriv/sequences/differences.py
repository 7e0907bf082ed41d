"""Differences of times as they are written: 0.4 is 0.3 after 0.1, whatever floats make of it.

The rounding errors of a subtraction depend on how large the two numbers are, so what is released as a
difference would tell more than that: as a float, 1711836000.4 - 1711836000.1 is .30000019, but .4 - .1 is .3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pdseqpriv.sequences.times import Times

# Up to here a float holds every whole number, and two bits more, so that rounding cannot reach the next one.
_COUNTABLE = 2.0**51
# Powers of ten beyond this one are not exact as floats.
_EXACT_POWER = 22
# What is left of 53 bits if the last ten may be due to rounding.
_SURE_BITS = 43
_MOST_DECIMALS = 300


def times_since(times: Times, first: Times, dtype: Any) -> Times:  # noqa: ANN401 (a dtype)
    """Return how long after ``first`` the times are, both of one table; ``dtype`` is that of its column.

    The same decimals always have the same difference. If some have too many digits to be counted, all
    differences are rounded to 12 digits of the largest time, more coarsely than any rounding error.

    Examples
    --------
    >>> times = np.array([1711836000.4, 1.4])
    >>> times_since(times, np.array([1711836000.1, 1.1]), times.dtype).tolist()
    [0.3, 0.3]
    """
    if times.dtype.kind != "f":
        return times - first
    times, first = _as_written(times, dtype), _as_written(first, dtype)
    decimals = _decimals_of(times)
    if decimals is not None:
        scale = 10.0**decimals
        since: Times = (np.rint(times * scale) - np.rint(first * scale)) / scale
        return since
    largest = math.log10(max(abs(times.min()), abs(times.max())))
    sure = math.floor(_SURE_BITS * math.log10(2) - largest)
    return np.round(times - first, min(sure, _MOST_DECIMALS))


def _as_written(times: Times, dtype: Any) -> Times:  # noqa: ANN401 (a dtype)
    """Return times of fewer than 64 bits as the shortest decimals that stand for them, of 64 bits."""
    short = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    if short.itemsize == times.itemsize:
        return times
    values, place = np.unique(times, return_inverse=True)
    return values.astype(short).astype(str).astype(np.float64)[place]


def _decimals_of(times: Times) -> int | None:
    """Return how many decimals all times have at most; None if they are too many to be counted."""
    left = times
    largest = max(abs(times.min()), abs(times.max())) if times.size else 0
    for decimals in range(_EXACT_POWER + 1):
        scale = 10.0**decimals
        if largest * scale >= _COUNTABLE:
            return None
        left = left[np.rint(left * scale) / scale != left]
        if not left.size:
            return decimals
    return None
