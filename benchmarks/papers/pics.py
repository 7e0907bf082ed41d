"""PICS (algorithm 1) with every pair of patterns looked at, for patterns without simultaneous events."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.patterns.tables import read_pattern_table


def pics(mined: pd.DataFrame, k: int, alpha: float) -> pd.DataFrame:
    """Return the patterns with safe supports, longest first."""
    patterns = read_pattern_table(mined, "benchmark")
    patterns = patterns.take(np.argsort(-patterns.lengths, kind="stable"))
    ratio = Fraction(str(alpha))
    codes = patterns.codes.astype(np.int64)
    raised = raise_all(codes, patterns.offsets, patterns.supports, k, ratio.numerator, ratio.denominator)
    return pd.DataFrame({"pattern": patterns.to_tuples(), "support": raised, "length": patterns.lengths})


@compiled
def raise_all(
    codes: Array, offsets: Array, supports: Array, k: int, numerator: int, denominator: int
) -> Array:
    """Raise each support, from the longest pattern to the shortest; alpha is a fraction of whole numbers."""
    raised = supports.copy()
    lengths = offsets[1:] - offsets[:-1]
    longer = np.empty(raised.size, np.int64)
    for pattern in range(raised.size):
        found = 0
        for other in range(pattern):
            if lengths[other] == lengths[pattern] + 1 and contains(codes, offsets, other, pattern):
                longer[found] = raised[other]
                found += 1
        amount = least_safe(raised[pattern], longer[:found], k, numerator, denominator) - raised[pattern]
        if amount > 0:
            for other in range(pattern, raised.size):
                if other == pattern or (
                    lengths[other] < lengths[pattern] and contains(codes, offsets, pattern, other)
                ):
                    raised[other] += amount
    return raised


@compiled
def least_safe(support: int, longer: Array, k: int, numerator: int, denominator: int) -> int:
    """Raise a support until it tells nothing about the patterns with one event more."""
    is_safe = False
    while not is_safe:
        is_safe = True
        for other in longer:
            if 0 < support - other < k:
                support = other + k
                is_safe = False
            if other * denominator >= numerator * support:
                support = other * denominator // numerator + 1
                is_safe = False
    return support


@compiled
def contains(codes: Array, offsets: Array, sequence: int, pattern: int) -> bool:
    """Return whether the events of one come in order in the other."""
    place, end = offsets[pattern], offsets[pattern + 1]
    for other in range(offsets[sequence], offsets[sequence + 1]):
        if place < end and codes[other] == codes[place]:
            place += 1
    return bool(place == end)
