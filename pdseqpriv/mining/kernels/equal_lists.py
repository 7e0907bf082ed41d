"""Number equal lists alike."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def number_equal(values: Array, starts: Array) -> tuple[Array, Array]:
    """Return where the first of each set of equal lists begins, and which of these sets each list is in.

    List ``i`` is ``values[starts[i]:starts[i + 1]]``, and its last value occurs nowhere else in a list.
    """
    n_lists = len(starts) - 1
    size = 16
    while size < 2 * n_lists:
        size *= 2
    slots = np.full(size, -1, np.int64)
    first = np.empty(n_lists, np.int64)
    numbers = np.empty(n_lists, np.int32)
    hashes = np.empty(n_lists, np.uint64)
    distinct = 0
    for one in range(n_lists):
        begin, end = starts[one], starts[one + 1]
        value = np.uint64(14695981039346656037)
        for place in range(begin, end):
            value = (value ^ np.uint64(values[place] + 3)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(29)
        slot = np.int64(value & np.uint64(size - 1))
        while slots[slot] >= 0:
            other = slots[slot]
            if hashes[other] == value and _equal(values, first[other], begin, end - begin):
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = distinct
            hashes[distinct] = value
            first[distinct] = begin
            distinct += 1
        numbers[one] = slots[slot]
    return first[:distinct].copy(), numbers


@compiled
def _equal(values: Array, one: int, two: int, length: int) -> bool:
    for step in range(length):
        if values[one + step] != values[two + step]:
            return False
    return True
