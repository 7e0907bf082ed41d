"""Patterns as flat arrays, and an index that finds what is left of a pattern without one of its events.

Pattern ``i`` is ``codes[offsets[i]:offsets[i+1]]``; ``joined`` says that an event is in the same element as
the one before it. The hash of a pattern is a polynomial over its events, so the hash without one event
follows from sums over the two sides; a hit is compared event by event before it counts.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# An odd number and its inverse modulo 2**64: multiplying by it shifts a hash by one event.
BASE = 0x9E3779B97F4A7C15
INVERSE = 0xF1DE83E19937733D


@compiled
def link_sub_patterns(codes: Array, offsets: Array, joined: Array) -> Array:
    """Find, for every event of every pattern, the pattern left without it (-1: not in the table)."""
    n_patterns = len(offsets) - 1
    powers = _powers(offsets)
    hashes = _hashes(codes, offsets, joined, powers)
    slots = _slots(hashes)
    size = len(slots)
    links = np.full(len(codes), -1, np.int32)
    for pattern in range(n_patterns):
        begin, end = offsets[pattern], offsets[pattern + 1]
        if end - begin < 2:
            continue
        before = np.uint64(0)
        for place in range(begin, end):
            power = powers[place - begin]
            here = _mixed(codes[place], joined[place]) * power
            value = before + (hashes[pattern] - before - here) * np.uint64(INVERSE)
            if place + 1 < end and joined[place + 1] and not joined[place]:
                # The next event now begins the element.
                value += (_mixed(codes[place + 1], False) - _mixed(codes[place + 1], True)) * power
            before += here
            slot = np.int64(_finished(value) & np.uint64(size - 1))
            while slots[slot] >= 0:
                other = slots[slot]
                if hashes[other] == value and _is_without(codes, offsets, joined, other, pattern, place):
                    links[place] = other
                    break
                slot = (slot + 1) & (size - 1)
    return links


@compiled
def _powers(offsets: Array) -> Array:
    longest = 1
    for pattern in range(len(offsets) - 1):
        longest = max(longest, offsets[pattern + 1] - offsets[pattern])
    powers = np.ones(longest + 1, np.uint64)
    for step in range(longest):
        powers[step + 1] = powers[step] * np.uint64(BASE)
    return powers


@compiled
def _hashes(codes: Array, offsets: Array, joined: Array, powers: Array) -> Array:
    hashes = np.zeros(len(offsets) - 1, np.uint64)
    for pattern in range(len(offsets) - 1):
        begin, end = offsets[pattern], offsets[pattern + 1]
        for place in range(begin, end):
            hashes[pattern] += _mixed(codes[place], joined[place]) * powers[place - begin]
    return hashes


@compiled
def _slots(hashes: Array) -> Array:
    """Put each pattern into a table by its hash."""
    size = 16
    while size < 2 * len(hashes):
        size *= 2
    slots = np.full(size, -1, np.int64)
    for pattern in range(len(hashes)):
        slot = np.int64(_finished(hashes[pattern]) & np.uint64(size - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = pattern
    return slots


@compiled
def _mixed(code: int, is_joined: bool) -> np.uint64:
    value = (np.uint64(code) << np.uint64(1)) + np.uint64(is_joined) + np.uint64(BASE)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def _finished(value: np.uint64) -> np.uint64:
    return value ^ (value >> np.uint64(32))


@compiled
def _is_without(
    codes: Array, offsets: Array, joined: Array, shorter: int, pattern: int, left_out: int
) -> bool:
    begin = offsets[shorter]
    end = offsets[shorter + 1]
    if offsets[pattern + 1] - offsets[pattern] != end - begin + 1:
        return False
    other = offsets[pattern]
    for place in range(begin, end):
        opens = False
        if other == left_out:
            other += 1
            opens = not joined[left_out]
        if codes[place] != codes[other] or joined[place] != (joined[other] and not opens):
            return False
        other += 1
    return True
