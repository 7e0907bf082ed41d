"""All pairs of a pattern and a longer one that contains it, among supports that are close to each other."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled


@compiled
def signatures(codes: Array, offsets: Array) -> Array:
    """Give a bit for each event, and for each two in their order: what a pattern contains has no others."""
    masks = np.zeros((2, len(offsets) - 1), np.uint64)
    for pattern in range(len(offsets) - 1):
        for place in range(offsets[pattern], offsets[pattern + 1]):
            masks[0, pattern] |= np.uint64(1) << np.uint64(codes[place] & 63)
            for before in range(offsets[pattern], place):
                masks[1, pattern] |= np.uint64(1) << np.uint64((codes[before] * 29 + codes[place]) & 63)
    return masks


@compiled
def find_pairs(
    codes: Array,
    offsets: Array,
    joined: Array,
    masks: Array,
    supports: Array,
    reach: Array,
    begin: int,
    end: int,
) -> tuple[Array, Array]:
    """Look at every pair (shorter, longer) with support(longer) <= support(shorter) <= reach(longer).

    Patterns come in the order of their supports, lowest first; ``begin`` and ``end`` bound the longer one.
    """
    shorter = np.empty(64, np.int64)
    longer = np.empty(64, np.int64)
    found = 0
    ordered = masks[1]
    for pattern in range(begin, end):
        # Equal supports may stand before it.
        first = np.searchsorted(supports, supports[pattern], side="left")
        stop = np.searchsorted(supports, reach[pattern], side="right")
        outside, out_of_order = ~masks[0, pattern], ~masks[1, pattern]
        length = offsets[pattern + 1] - offsets[pattern]
        for other in range(first, stop):
            if (
                ordered[other] & out_of_order == np.uint64(0)
                and masks[0, other] & outside == np.uint64(0)
                and offsets[other + 1] - offsets[other] < length
                and _contains(codes, offsets, joined, pattern, other)
            ):
                if found == len(shorter):
                    shorter = np.append(shorter, np.empty(found, np.int64))
                    longer = np.append(longer, np.empty(found, np.int64))
                shorter[found] = other
                longer[found] = pattern
                found += 1
    return shorter[:found].copy(), longer[:found].copy()


@compiled
def _contains(codes: Array, offsets: Array, joined: Array, longer: int, shorter: int) -> bool:
    """Match element by element, each as early as it can be."""
    place, last = offsets[longer], offsets[longer + 1]
    wanted, end = offsets[shorter], offsets[shorter + 1]
    while wanted < end:
        wanted_end = wanted + 1
        while wanted_end < end and joined[wanted_end]:
            wanted_end += 1
        matched = False
        while not matched and place < last:
            place_end = place + 1
            while place_end < last and joined[place_end]:
                place_end += 1
            matched = _includes(codes, place, place_end, wanted, wanted_end)
            place = place_end
        if not matched:
            return False
        wanted = wanted_end
    return True


@compiled
def _includes(codes: Array, place: int, place_end: int, wanted: int, wanted_end: int) -> bool:
    """Tell whether one element holds every event of another; codes rise in both."""
    while wanted < wanted_end:
        while place < place_end and codes[place] < codes[wanted]:
            place += 1
        if place == place_end or codes[place] != codes[wanted]:
            return False
        wanted += 1
        place += 1
    return True
