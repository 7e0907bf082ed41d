"""Draw a sample of people for slow measures, and the confidence interval of a share."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.sequences.ragged import Ints

_Z = 1.959964  # two-sided 95 %


def draw_people(lengths: Ints, counts: Ints, size: int, seed: int) -> Ints:
    """Draw one person from each of ``size`` strata of lengths; return how often each sequence was drawn.

    ``counts`` says how many people have each sequence; if ``size`` covers everybody, nothing is drawn.

    Examples
    --------
    >>> draw_people(np.array([3, 1, 2]), np.array([1, 4, 1]), 6, 0).tolist()
    [1, 4, 1]
    >>> int(draw_people(np.array([3, 1, 2]), np.array([1, 4, 1]), 2, 0).sum())
    2
    """
    total = int(counts.sum())
    if size >= total:
        return counts
    by_length = np.lexsort((np.arange(counts.size), lengths))
    bounds = np.linspace(0, total, size + 1)
    within = np.random.default_rng(seed).random(size) * np.diff(bounds)
    places = np.floor(bounds[:-1] + within).astype(np.int64)
    owner = by_length[np.searchsorted(np.cumsum(counts[by_length]), places, side="right")]
    return np.bincount(owner, minlength=counts.size)


def mean_of(values: NDArray[Any], weights: Ints) -> float:
    """Average over people, given how often each counts; NaN if there is nobody."""
    total = int(weights.sum())
    return float((weights * values).sum() / total) if total else float("nan")


def interval_of(share: float, size: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; that of any mean of numbers from 0 to 1 is not wider.

    Drawing by strata only makes it wider than needed.
    """
    middle = (share + _Z**2 / (2 * size)) / (1 + _Z**2 / size)
    reach = _Z / (1 + _Z**2 / size) * sqrt(share * (1 - share) / size + _Z**2 / (4 * size**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)
