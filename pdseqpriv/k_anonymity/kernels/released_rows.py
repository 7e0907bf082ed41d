"""Sequences written out person by person."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def rows_of_people(symbols: Array, offsets: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Write each sequence out as often as it counts: person, event and element of each row."""
    size = 0
    for s in range(counts.size):
        size += counts[s] * (offsets[s + 1] - offsets[s])
    people, codes, elements = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int64)
    row, person = 0, 0
    for s in range(counts.size):
        for _ in range(counts[s]):
            element = -1
            for i in range(offsets[s], offsets[s + 1]):
                element += symbols[i] & 1
                people[row], codes[row], elements[row] = person, symbols[i] >> 1, element
                row += 1
            person += 1
    return people, codes, elements
