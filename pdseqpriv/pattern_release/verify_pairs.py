"""All pairs of supports from which something can be inferred. Only the check uses this."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pdseqpriv.errors import refusal
from pdseqpriv.pattern_release.kernels.verify_pairs import (
    FlatPatterns,
    find_pairs,
    index_patterns,
    only_falls,
    signatures,
)
from pdseqpriv.pattern_release.verify_table import ListedPatterns, list_patterns
from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.threads import on_all_cores

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

MOST_PAIRS = 10_000_000
CHUNK = 1024


@dataclass(frozen=True)
class UnsafePairs:
    """Patterns, the pairs that break a rule (as positions), and which of the rules each pair breaks."""

    patterns: ListedPatterns
    shorter: NDArray[np.int64]
    longer: NDArray[np.int64]
    by_subtraction: NDArray[np.bool_]
    by_confidence: NDArray[np.bool_]
    rising: NDArray[np.bool_]  # the longer one has the higher support, which no table of sequences gives


def find_unsafe_pairs(table: object, k: int | None, alpha: Fraction | None) -> UnsafePairs:
    """Find every pair that breaks one of the rules."""
    patterns = list_patterns(table)
    supports = patterns.supports
    implied = _implied(supports, alpha)
    shorter, longer = _pairs(patterns, np.maximum(implied, supports + (k or 1) - 1))
    difference = supports[shorter] - supports[longer]
    by_subtraction = (difference > 0) & (difference < (k or 0))
    by_confidence = (difference >= 0) & (supports[shorter] <= implied[longer])
    broken = (by_subtraction, by_confidence, difference < 0)
    kept = np.logical_or.reduce(broken)
    return UnsafePairs(patterns, shorter[kept], longer[kept], *(rule[kept] for rule in broken))


def _implied(supports: NDArray[np.int64], alpha: Fraction | None) -> NDArray[np.int64]:
    """Return, for each longer pattern, the highest support that still implies it (0: none does)."""
    if alpha is None:
        return np.zeros(len(supports), np.int64)
    values, places = np.unique(supports, return_inverse=True)
    top = int(supports.max(initial=0))
    return np.array([min(top, int(value) // alpha) for value in values.tolist()], np.int64)[places]


def _pairs(patterns: ListedPatterns, reach: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    flat = FlatPatterns(patterns.codes, patterns.offsets, patterns.begins)
    masks, slots = signatures(flat), index_patterns(flat)
    # Lower supports are compared only where it is not yet certain that no longer pattern has a higher one.
    least = patterns.supports
    least = least if only_falls(flat, least, slots) else np.zeros_like(least)
    chunks = list(pairwise([*range(0, len(reach), CHUNK), len(reach)]))
    none, numbers = np.empty(0, np.int64), np.zeros(len(chunks), np.int64)

    def look_up(chunk: tuple[int, int], pulse: Pulse) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        begin, end = chunk
        if numbers.sum() > MOST_PAIRS:  # all will be refused
            return none, none
        found: tuple[NDArray[np.int64], NDArray[np.int64]] = find_pairs(
            flat, masks, patterns.supports, least, reach, slots, begin, end, pulse
        )
        numbers[begin // CHUNK] = found[0].size
        pulse[DONE] += end - begin
        return found

    with progress(len(reach), "checking pairs of patterns") as bar:
        found = on_all_cores(look_up, chunks, bar)
    if numbers.sum() > MOST_PAIRS:
        raise refusal(
            f"more than {MOST_PAIRS:,} pairs of patterns are unsafe. "
            "Check fewer patterns, for example with a lower max_length."
        )
    shorter, longer = zip((none, none), *found, strict=True)
    return np.concatenate(shorter), np.concatenate(longer)
