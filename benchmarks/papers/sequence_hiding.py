"""Sequence hiding (Abul et al. 2007, algorithm 1): matching sets counted anew for every position and mark."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of

MARK = -1


def hide_sequences(frame: pd.DataFrame, patterns: list[str], max_support: int) -> Array:
    """Return the rows of a table, without simultaneous events, that are marked."""
    sequences = sequences_of(frame, Columns())
    events = [pattern.split(" -> ") for pattern in patterns]
    wanted = sequences.vocabulary.get_indexer([event for pattern in events for event in pattern])
    ends = np.cumsum([0, *map(len, events)])
    codes = sequences.codes.astype(np.int64)
    # An event that the table does not have matches nothing, and a mark no event.
    mark_all(codes, sequences.offsets, np.where(wanted < 0, MARK - 1, wanted), ends, max_support)
    return np.sort(sequences.rows[codes != sequences.codes])


@compiled
def mark_all(codes: Array, offsets: Array, patterns: Array, ends: Array, max_support: int) -> None:
    """Leave the sequences with the largest matching sets, and sanitize the others."""
    sizes = np.empty(offsets.size - 1, np.int64)
    for s in range(sizes.size):
        sizes[s] = matches(codes[offsets[s] : offsets[s + 1]], -1, patterns, ends)
    order = np.argsort(sizes, kind="mergesort")
    for s in order[: max(0, sizes.size - max_support)]:
        sanitize(codes[offsets[s] : offsets[s + 1]], patterns, ends)


@compiled
def sanitize(own: Array, patterns: Array, ends: Array) -> None:
    """Mark the position in most matches, again and again (theorem 2: with and without the position)."""
    while True:
        size = matches(own, -1, patterns, ends)
        if size == 0:
            return
        most, chosen = 0, 0
        for position in range(own.size):
            involved = size - matches(own, position, patterns, ends)
            if involved > most:
                most, chosen = involved, position
        own[chosen] = MARK


@compiled
def matches(own: Array, left_out: int, patterns: Array, ends: Array) -> int:
    """Count the matches of all patterns without one position (lemma 2)."""
    total = 0
    for p in range(ends.size - 1):
        length = ends[p + 1] - ends[p]
        found = np.zeros(length + 1, np.int64)
        found[0] = 1
        for position in range(own.size):
            if position != left_out:
                for i in range(length, 0, -1):
                    if own[position] == patterns[ends[p] + i - 1]:
                        found[i] += found[i - 1]
        total += found[length]
    return total
