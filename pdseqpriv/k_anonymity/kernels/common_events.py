"""Sequences reduced to the events that enough people have."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences


@compiled
def keep_common_events(
    symbols: Array, offsets: Array, counts: Array, n_events: int, k: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Leave out events that fewer than k people have, and repeats of an event inside an element.

    Gives the distinct sequences that are left as ``distinct_sequences`` does, and how many people have each
    event.
    """
    supports = count_people_by_event(symbols, offsets, counts, n_events)
    kept = np.empty(symbols.size, np.int64)
    new_offsets = np.zeros(offsets.size, np.int64)
    size = 0
    for s in range(counts.size):
        begins, last = 1, -1
        for i in range(offsets[s], offsets[s + 1]):
            code = symbols[i] >> 1
            if symbols[i] & 1:
                begins, last = 1, -1
            if supports[code] >= k and code != last:  # events of an element are sorted
                kept[size] = 2 * code + begins
                size += 1
                begins, last = 0, code
        new_offsets[s + 1] = size
    left, left_offsets, people, shared, place = distinct_sequences(kept[:size], new_offsets, counts)
    return left, left_offsets, people, shared, place, supports


@compiled
def count_people_by_event(symbols: Array, offsets: Array, counts: Array, n_events: int) -> Array:
    """Count the people who have each event."""
    supports = np.zeros(n_events, np.int64)
    last = np.full(n_events, -1, np.int64)  # the last sequence that has the event
    for s in range(counts.size):
        for i in range(offsets[s], offsets[s + 1]):
            code = symbols[i] >> 1
            if last[code] != s:
                last[code] = s
                supports[code] += counts[s]
    return supports
