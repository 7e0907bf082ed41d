"""Find sequences that are equal: by their hashes first, then event by event."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def hash_sequences(codes: Array, elements: Array, offsets: Array) -> Array:
    """Number sequences, equal ones alike; different ones only almost always differ."""
    hashes = np.zeros(offsets.size - 1, np.uint64)
    for s in range(hashes.size):
        value = np.uint64(offsets[s + 1] - offsets[s])
        for i in range(offsets[s], offsets[s + 1]):
            begins = i == offsets[s] or elements[i] != elements[i - 1]
            value = (value ^ np.uint64(2 * codes[i] + 3 + begins)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        hashes[s] = value
    return hashes


@compiled
def are_equal(codes: Array, elements: Array, offsets: Array, others: Array) -> Array:
    """Return for each sequence whether it equals the other one named."""
    equal = np.zeros(others.size, np.bool_)
    for s in range(others.size):
        shift = offsets[others[s]] - offsets[s]
        length = offsets[s + 1] - offsets[s]
        same = length == offsets[others[s] + 1] - offsets[others[s]]
        i = offsets[s]
        while same and i < offsets[s] + length:
            begins = i == offsets[s] or elements[i] != elements[i - 1]
            other_begins = i == offsets[s] or elements[i + shift] != elements[i + shift - 1]
            same = codes[i] == codes[i + shift] and begins == other_begins
            i += 1
        equal[s] = same
    return equal
