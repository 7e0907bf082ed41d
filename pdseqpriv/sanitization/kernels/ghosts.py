"""Events that deleting others made frequent in some prefix."""

from __future__ import annotations

from pdseqpriv.compiled import Array, compiled


@compiled
def find_ghosts(
    pairs: Array, runs: Array, ends: Array, lengths: Array, numerator: int, denominator: int, is_ghost: Array
) -> None:
    """Mark events that are infrequent in a prefix before and frequent in it after.

    Pairs are code, time point, occurrences before and after; a run is one event of one event sequence, which
    has its time points up to ends. While an event does not occur, prefixes only grow: if it is a ghost
    between two occurrences, it is one in the first prefix there that is too long for it before.
    """
    for run in range(runs.size - 1):
        had, has = 0, 0
        for i in range(runs[run], runs[run + 1]):
            had += pairs[i, 2]
            has += pairs[i, 3]
            end = pairs[i + 1, 1] if i + 1 < runs[run + 1] else ends[run]
            low, high = pairs[i, 1], end
            while low < high:
                middle = (low + high) // 2
                if denominator * had < numerator * lengths[middle, 0]:
                    high = middle
                else:
                    low = middle + 1
            if low < end and has > 0 and denominator * has >= numerator * lengths[low, 1]:
                is_ghost[pairs[i, 0]] = True
