"""Sequences reduced to what enough people have: their events, or else categories above them."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import DifferentPeople, are_counted
from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences


@compiled
def keep_common_events(
    symbols: Array, offsets: Array, counts: Array, people: DifferentPeople,
    above: Array, end: Array, is_shown: Array, k: int,
) -> tuple[Array, Array, Array, Array, Array, Array]:  # fmt: skip
    """Replace events that fewer than k people have by the next label above that k people have, if any.

    What has no such label is left out, and so are repeats inside an element, and labels beside one that they
    cover. Labels that are not shown count as too rare. Gives the distinct sequences that are left as
    ``distinct_sequences`` does, and how many people have each label.
    """
    if are_counted(people):
        supports = _count_different_people(symbols, offsets, people, above)
    else:
        supports = count_people_by_label(symbols, offsets, counts, above)
    instead = _common_labels(supports, above, is_shown, k)
    kept = np.empty(symbols.size, np.int64)
    new_offsets = np.zeros(offsets.size, np.int64)
    size = 0
    for s in range(counts.size):
        element = size  # where the element begins that is being written
        for i in range(offsets[s], offsets[s + 1]):
            if symbols[i] & 1:
                element = size
            label = instead[symbols[i] >> 1]
            if label >= 0:
                size = _put_in_order(kept, element, size, label, end)
        new_offsets[s + 1] = size
    left, left_offsets, totals, shared, place = distinct_sequences(kept[:size], new_offsets, counts)
    return left, left_offsets, totals, shared, place, supports


@compiled
def count_people_by_label(symbols: Array, offsets: Array, counts: Array, above: Array) -> Array:
    """Count the people who have each event, or an event below each category."""
    supports = np.zeros(above.size, np.int64)
    last = np.full(above.size, -1, np.int64)  # the last sequence that has the label
    for s in range(counts.size):
        for i in range(offsets[s], offsets[s + 1]):
            label = symbols[i] >> 1
            while label >= 0 and last[label] != s:
                last[label] = s
                supports[label] += counts[s]
                label = above[label]
    return supports


@compiled
def _count_different_people(symbols: Array, offsets: Array, people: DifferentPeople, above: Array) -> Array:
    """Do the same where people have several sequences: those with a single one together, then the others."""
    often = np.bincount(people.numbers, minlength=people.seen.size - 1)
    alone = np.zeros(offsets.size - 1, np.int64)
    starts = np.zeros(often.size + 1, np.int64)
    for person in range(often.size):
        starts[person + 1] = starts[person] + (often[person] if often[person] > 1 else 0)
    sequences, free = np.empty(starts[-1], np.int64), starts.copy()
    for s in range(alone.size):
        for i in range(people.offsets[s], people.offsets[s + 1]):
            person = people.numbers[i]
            if often[person] == 1:
                alone[s] += 1
            else:
                sequences[free[person]] = s
                free[person] += 1
    supports = count_people_by_label(symbols, offsets, alone, above)
    last = np.full(above.size, -1, np.int64)  # the last person who has the label
    for person in range(often.size):
        for s in sequences[starts[person] : starts[person + 1]]:
            for i in range(offsets[s], offsets[s + 1]):
                label = symbols[i] >> 1
                while label >= 0 and last[label] != person:
                    last[label] = person
                    supports[label] += 1
                    label = above[label]
    return supports


@compiled
def _common_labels(supports: Array, above: Array, is_shown: Array, k: int) -> Array:
    """Return for each label itself or the next one above that k people have; -1 for none."""
    instead = np.full(above.size, -1, np.int64)
    for label in range(above.size):  # what is above has a smaller number
        if supports[label] >= k and is_shown[label]:
            instead[label] = label
        elif above[label] >= 0:
            instead[label] = instead[above[label]]
    return instead


@compiled
def _put_in_order(kept: Array, element: int, size: int, label: int, end: Array) -> int:
    """Write a label into its place in the last element, unless it says nothing more; returns the new end."""
    for i in range(element, size):
        if label <= kept[i] >> 1 < end[label]:
            return size
    place = element
    for i in range(element, size):
        other = kept[i] >> 1
        if not other <= label < end[other]:  # else the other one says nothing more
            kept[place] = 2 * other
            place += 1
    size = place + 1
    while place > element and kept[place - 1] >> 1 > label:
        kept[place] = kept[place - 1]
        place -= 1
    kept[place] = 2 * label
    kept[element] |= 1
    return size
