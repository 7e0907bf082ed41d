"""From sequences to what the miners read: frequent events only, equal sequences once.

The text is one array: the kept events as 0, 1, 2 ..., END after each sequence and, when any element holds
several events, GAP between elements.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

END = -1
GAP = -2


@compiled
def event_supports(codes: Array, offsets: Array, weights: Array, n_events: int) -> Array:
    """Count in how many sequences each event occurs."""
    supports = np.zeros(n_events, np.int64)
    last_seen = np.full(n_events, -1, np.int64)
    for sequence in range(len(offsets) - 1):
        for row in range(offsets[sequence], offsets[sequence + 1]):
            event = codes[row]
            if event >= 0 and last_seen[event] != sequence:
                last_seen[event] = sequence
                supports[event] += weights[sequence]
    return supports


@compiled
def has_itemsets(codes: Array, offsets: Array, elements: Array, new_code: Array) -> bool:
    """Tell whether two different kept events share an element."""
    for sequence in range(len(offsets) - 1):
        element = -1
        event = -1
        for row in range(offsets[sequence], offsets[sequence + 1]):
            if codes[row] < 0 or new_code[codes[row]] < 0:
                continue
            if elements[row] == element and codes[row] != event:
                return True
            element = elements[row]
            event = codes[row]
    return False


@compiled
def write_text(
    codes: Array, offsets: Array, elements: Array, weights: Array, new_code: Array, gaps: bool
) -> tuple[Array, Array, Array]:
    """Write the kept events of every sequence that has any; an event twice in one element is written once."""
    n_sequences = len(offsets) - 1
    text = np.empty(len(codes) * (2 if gaps else 1) + n_sequences, np.int32)
    starts = np.empty(n_sequences + 1, np.int64)
    new_weights = np.empty(n_sequences, np.int64)
    top = 0
    kept = 0
    for sequence in range(n_sequences):
        starts[kept] = top
        element = -1
        event = -1
        for row in range(offsets[sequence], offsets[sequence + 1]):
            code = codes[row]
            if code < 0 or new_code[code] < 0:
                continue
            if elements[row] != element:
                if gaps and top > starts[kept]:
                    text[top] = GAP
                    top += 1
            elif code == event:
                continue
            element = elements[row]
            event = code
            text[top] = new_code[code]
            top += 1
        if top > starts[kept]:
            text[top] = END
            top += 1
            new_weights[kept] = weights[sequence]
            kept += 1
    starts[kept] = top
    return text[:top].copy(), starts[: kept + 1].copy(), new_weights[:kept].copy()


@compiled
def merge_equal(text: Array, starts: Array, weights: Array) -> tuple[Array, Array]:
    """Find the first of each set of equal sequences, and their weight together."""
    n_sequences = len(starts) - 1
    size = 16
    while size < 2 * n_sequences:
        size *= 2
    slots = np.full(size, -1, np.int64)
    first = np.empty(n_sequences, np.int64)
    totals = np.zeros(n_sequences, np.int64)
    hashes = np.empty(n_sequences, np.uint64)
    distinct = 0
    for sequence in range(n_sequences):
        begin, end = starts[sequence], starts[sequence + 1]
        value = np.uint64(14695981039346656037)
        for place in range(begin, end):
            value = (value ^ np.uint64(text[place] + 3)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(29)
        slot = np.int64(value & np.uint64(size - 1))
        while slots[slot] >= 0:
            other = slots[slot]
            if hashes[other] == value and _equal(text, first[other], begin, end - begin):
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = distinct
            hashes[distinct] = value
            first[distinct] = begin
            distinct += 1
        totals[slots[slot]] += weights[sequence]
    return first[:distinct].copy(), totals[:distinct].copy()


@compiled
def _equal(text: Array, one: int, two: int, length: int) -> bool:
    for step in range(length):
        if text[one + step] != text[two + step]:
            return False
    return True
