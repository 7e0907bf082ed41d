"""Patterns as flat arrays, and an index that finds what is left of a pattern when one event is taken out.

Pattern ``i`` is ``codes[offsets[i]:offsets[i+1]]``; ``joined`` says that an event shares the element of the
one before it. The hash of a pattern is a polynomial over its events, so the hash without one event comes from
sums over the two sides; a hit is compared event by event before it counts.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

# An odd number and its inverse modulo 2**64: multiplying by it shifts a hash by one event.
BASE = 0x9E3779B97F4A7C15
INVERSE = 0xF1DE83E19937733D


@compiled
def flatten_tree(parents: Array, events: Array, joined: Array) -> tuple[Array, Array, Array]:
    """Spell out patterns that were found as a tree: each is its parent's events and one more."""
    n_patterns = len(parents)
    offsets = np.zeros(n_patterns + 1, np.int64)
    lengths = np.empty(n_patterns, np.int64)
    for pattern in range(n_patterns):
        parent = parents[pattern]
        lengths[pattern] = 1 if parent < 0 else lengths[parent] + 1
        offsets[pattern + 1] = offsets[pattern] + lengths[pattern]
    codes = np.empty(offsets[-1], np.int32)
    same = np.empty(offsets[-1], np.bool_)
    for pattern in range(n_patterns):
        place = offsets[pattern + 1] - 1
        codes[place] = events[pattern]
        same[place] = joined[pattern]
        if parents[pattern] >= 0:
            begin = offsets[parents[pattern]]
            for step in range(lengths[pattern] - 1):
                codes[offsets[pattern] + step] = codes[begin + step]
                same[offsets[pattern] + step] = same[begin + step]
    return codes, offsets, same


@compiled
def take_patterns(codes: Array, offsets: Array, joined: Array, order: Array) -> tuple[Array, Array, Array]:
    """Copy patterns in a given order."""
    new_offsets = np.zeros(len(order) + 1, np.int64)
    for new in range(len(order)):
        old = order[new]
        new_offsets[new + 1] = new_offsets[new] + offsets[old + 1] - offsets[old]
    new_codes = np.empty(new_offsets[-1], codes.dtype)
    new_joined = np.empty(new_offsets[-1], np.bool_)
    for new in range(len(order)):
        begin = offsets[order[new]]
        for step in range(new_offsets[new + 1] - new_offsets[new]):
            new_codes[new_offsets[new] + step] = codes[begin + step]
            new_joined[new_offsets[new] + step] = joined[begin + step]
    return new_codes, new_offsets, new_joined


@compiled
def link_sub_patterns(codes: Array, offsets: Array, joined: Array) -> Array:
    """Find, for every event of every pattern, which pattern remains without it (-1: not in the table)."""
    n_patterns = len(offsets) - 1
    powers = _powers(offsets)
    hashes = _hashes(codes, offsets, joined, powers)
    slots, _ = _slots(codes, offsets, joined, hashes)
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
                # The next event now opens the element.
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
def count_repeats(codes: Array, offsets: Array, joined: Array) -> int:
    """Count the patterns that another one before them equals."""
    hashes = _hashes(codes, offsets, joined, _powers(offsets))
    _, repeats = _slots(codes, offsets, joined, hashes)
    return repeats


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
def _slots(codes: Array, offsets: Array, joined: Array, hashes: Array) -> tuple[Array, int]:
    """Put each distinct pattern into a table by its hash, and count those that are there already."""
    size = 16
    while size < 2 * len(hashes):
        size *= 2
    slots = np.full(size, -1, np.int64)
    repeats = 0
    for pattern in range(len(hashes)):
        slot = np.int64(_finished(hashes[pattern]) & np.uint64(size - 1))
        while slots[slot] >= 0:
            other = slots[slot]
            if hashes[other] == hashes[pattern] and _same(codes, offsets, joined, other, pattern):
                repeats += 1
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = pattern
    return slots, repeats


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
def _same(codes: Array, offsets: Array, joined: Array, one: int, two: int) -> bool:
    length = offsets[one + 1] - offsets[one]
    if offsets[two + 1] - offsets[two] != length:
        return False
    for step in range(length):
        if codes[offsets[one] + step] != codes[offsets[two] + step]:
            return False
        if joined[offsets[one] + step] != joined[offsets[two] + step]:
            return False
    return True


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
