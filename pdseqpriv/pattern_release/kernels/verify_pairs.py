"""All pairs of a pattern and a longer one that contains it, among supports that are close to each other.

Only the check uses these loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Patterns with more events have too many parts to look up each one.
MOST_EVENTS = 24
STOP = 1  # of a pulse: not 0 when the work is to end


class FlatPatterns(NamedTuple):
    """Pattern ``i`` is ``codes[offsets[i]:offsets[i + 1]]``; inside an element codes rise."""

    codes: Array  # int32
    offsets: Array  # int64
    begins: Array  # bool, whether an event begins an element


@compiled
def signatures(patterns: FlatPatterns) -> Array:
    """Return a bit per event, and per two events in their order: a contained pattern sets no other bits."""
    codes, offsets, _ = patterns
    masks = np.zeros((2, len(offsets) - 1), np.uint64)
    for pattern in range(len(offsets) - 1):
        for place in range(offsets[pattern], offsets[pattern + 1]):
            masks[0, pattern] |= np.uint64(1) << np.uint64(codes[place] & 63)
            for before in range(offsets[pattern], place):
                masks[1, pattern] |= np.uint64(1) << np.uint64((codes[before] * 29 + codes[place]) & 63)
    return masks


@compiled
def index_patterns(patterns: FlatPatterns) -> Array:
    """Make a table in which a pattern is found by its hash; -1 is an empty slot."""
    codes, offsets, begins = patterns
    size = 64
    while size < 2 * len(offsets):
        size *= 2
    slots = np.full(size, -1, np.int64)
    for pattern in range(len(offsets) - 1):
        mark = np.uint64(0)
        for place in range(offsets[pattern], offsets[pattern + 1]):
            mark = _add(mark, codes[place], begins[place])
        slot = np.int64(mark & np.uint64(size - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = pattern
    return slots


@compiled
def _add(mark: np.uint64, code: int, is_first: bool) -> np.uint64:
    """Add an event to the hash of a pattern, as the first of an element or not."""
    mark = (mark ^ np.uint64(2 * code + is_first + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return mark ^ (mark >> np.uint64(29))


@compiled
def only_falls(patterns: FlatPatterns, supports: Array, slots: Array) -> bool:
    """Return whether no pattern has a higher support than a part, as far as parts of parts can tell.

    That is so if the parts with one event fewer are all there, except those of the shortest patterns, and
    none of them has a lower support.
    """
    offsets, shortest = patterns.offsets, np.int64(MOST_EVENTS)
    for pattern in range(len(offsets) - 1):
        shortest = min(shortest, offsets[pattern + 1] - offsets[pattern])
    elements = np.empty(MOST_EVENTS, np.int64)
    for pattern in range(len(offsets) - 1):
        length = offsets[pattern + 1] - offsets[pattern]
        if length == shortest:
            continue
        if length > MOST_EVENTS:
            return False
        _number_elements(patterns.begins, offsets[pattern], length, elements)
        for place in range(length):
            part = ((1 << length) - 1) ^ (1 << place)
            other = _look_up(patterns, slots, offsets[pattern], elements[:length], part)
            if other < 0 or supports[other] < supports[pattern]:
                return False
    return True


@compiled
def find_pairs(
    patterns: FlatPatterns,
    masks: Array,
    supports: Array,
    least: Array,
    reach: Array,
    slots: Array,
    begin: int,
    end: int,
    pulse: Array,
) -> tuple[Array, Array]:
    """Check every pair (shorter, longer) with least(longer) <= support(shorter) <= reach(longer).

    Patterns are ordered by support, lowest first; ``begin`` and ``end`` bound the longer one. The parts of a
    pattern are looked up one by one, unless there are more of them than patterns to compare with.
    """
    shorter = np.empty(64, np.int64)
    longer = np.empty(64, np.int64)
    found = 0
    ordered, offsets = masks[1], patterns.offsets
    elements = np.empty(MOST_EVENTS, np.int64)
    for pattern in range(begin, end):
        if pulse[STOP] != 0:
            break
        # Equal supports may come before it.
        first = np.searchsorted(supports, least[pattern], side="left")
        stop = np.searchsorted(supports, reach[pattern], side="right")
        outside, out_of_order = ~masks[0, pattern], ~masks[1, pattern]
        length = offsets[pattern + 1] - offsets[pattern]
        before = found
        if length <= MOST_EVENTS and (length << length) < stop - first:
            _number_elements(patterns.begins, offsets[pattern], length, elements)
            for part in range(1, (1 << length) - 1):
                other = _look_up(patterns, slots, offsets[pattern], elements[:length], part)
                if first <= other < stop and not _is_among(shorter, before, found, other):
                    shorter, longer = _room(shorter, found), _room(longer, found)
                    shorter[found], longer[found] = other, pattern
                    found += 1
            shorter[before:found].sort()
            continue
        for other in range(first, stop):
            if (
                ordered[other] & out_of_order == np.uint64(0)
                and masks[0, other] & outside == np.uint64(0)
                and offsets[other + 1] - offsets[other] < length
                and _contains(patterns, pattern, other)
            ):
                shorter, longer = _room(shorter, found), _room(longer, found)
                shorter[found], longer[found] = other, pattern
                found += 1
    return shorter[:found].copy(), longer[:found].copy()


@compiled
def _room(values: Array, used: int) -> Array:
    """Return the array, twice as long where it is full."""
    return np.append(values, np.empty(used, np.int64)) if used == len(values) else values


@compiled
def _is_among(values: Array, first: int, last: int, wanted: int) -> bool:
    """Return whether a part was found before: equal events give equal parts."""
    for place in range(first, last):
        if values[place] == wanted:
            return True
    return False


@compiled
def _number_elements(begins: Array, start: int, length: int, elements: Array) -> None:
    """Number the elements of a pattern, event by event."""
    element = 0
    for place in range(length):
        element += place > 0 and begins[start + place]
        elements[place] = element


@compiled
def _look_up(patterns: FlatPatterns, slots: Array, start: int, elements: Array, part: int) -> int:
    """Find the pattern made of some events (the bits of `part`) of the one that starts here, or give -1."""
    mark, element = np.uint64(0), -1
    for place in range(len(elements)):
        if part >> place & 1:
            mark = _add(mark, patterns.codes[start + place], elements[place] != element)
            element = elements[place]
    slot = np.int64(mark & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        if _is_part(patterns, slots[slot], start, elements, part):
            return int(slots[slot])
        slot = (slot + 1) & (slots.size - 1)
    return -1


@compiled
def _is_part(patterns: FlatPatterns, pattern: int, start: int, elements: Array, part: int) -> bool:
    """Compare event by event."""
    codes, offsets, begins = patterns
    own, last, element = offsets[pattern], offsets[pattern + 1], -1
    for place in range(len(elements)):
        if part >> place & 1:
            if (
                own == last
                or codes[own] != codes[start + place]
                or begins[own] != (elements[place] != element)
            ):
                return False
            element = elements[place]
            own += 1
    return bool(own == last)


@compiled
def _contains(patterns: FlatPatterns, longer: int, shorter: int) -> bool:
    """Match element by element, each as early as possible."""
    codes, offsets, begins = patterns
    place, last = offsets[longer], offsets[longer + 1]
    wanted, end = offsets[shorter], offsets[shorter + 1]
    while wanted < end:
        wanted_end = wanted + 1
        while wanted_end < end and not begins[wanted_end]:
            wanted_end += 1
        matched = False
        while not matched and place < last:
            place_end = place + 1
            while place_end < last and not begins[place_end]:
                place_end += 1
            matched = _includes(codes, place, place_end, wanted, wanted_end)
            place = place_end
        if not matched:
            return False
        wanted = wanted_end
    return True


@compiled
def _includes(codes: Array, place: int, place_end: int, wanted: int, wanted_end: int) -> bool:
    """Return whether one element holds every event of another; codes rise in both."""
    while wanted < wanted_end:
        while place < place_end and codes[place] < codes[wanted]:
            place += 1
        if place == place_end or codes[place] != codes[wanted]:
            return False
        wanted += 1
        place += 1
    return True
