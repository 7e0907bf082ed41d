"""Events that became frequent in some prefix because others were deleted."""

from __future__ import annotations

from pdseqpriv.compiled import Array, compiled


@compiled
def find_ghosts(
    counts: Array, runs: Array, ends: Array, lengths: Array, numerator: int, denominator: int, is_ghost: Array
) -> None:
    """Mark events that are infrequent in some prefix before, and frequent in the same prefix after.

    Counts are code, time point, occurrences before and after; a run is one event of one event sequence, which
    has its time points up to ends. While an event does not occur, prefixes only grow: if it is a ghost
    between two occurrences, it is one in the first prefix there that is too long for it before.
    """
    for run in range(runs.size - 1):
        had, has = 0, 0
        for i in range(runs[run], runs[run + 1]):
            had += counts[i, 2]
            has += counts[i, 3]
            end = counts[i + 1, 1] if i + 1 < runs[run + 1] else ends[run]
            low, high = counts[i, 1], end
            while low < high:
                middle = (low + high) // 2
                if denominator * had < numerator * lengths[middle, 0]:
                    high = middle
                else:
                    low = middle + 1
            if low < end and has > 0 and denominator * has >= numerator * lengths[low, 1]:
                is_ghost[counts[i, 0]] = True
