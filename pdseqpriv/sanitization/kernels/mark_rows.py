"""From rows of sequences to counts, and from deletions back to rows; where it is simple, without counts."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.build_timeline import CODE, COUNT, TIME, Requirement


@compiled
def is_sensitive(code: int, requirement: Requirement) -> bool:
    """Return whether the event is sensitive; marked rows (-1) are not."""
    return code >= 0 and requirement.rank[code] >= 0


@compiled
def occurs_alone(codes: Array, elements: Array, first: int, last: int, requirement: Requirement) -> bool:
    """Return whether every sensitive row is alone in its element."""
    for row in range(first, last):
        if is_sensitive(codes[row], requirement):
            if row > first and elements[row - 1] == elements[row]:
                return False
            if row + 1 < last and elements[row + 1] == elements[row]:
                return False
    return True


@compiled
def drop_singles(
    codes: Array, first: int, last: int, requirement: Requirement, kept: Array, drop: Array
) -> None:
    """Delete the fewest rows: where each is alone in its element, all cost the same.

    A row that would make its event frequent goes; that is the least number.
    """
    length = 0
    for row in range(first, last):
        code = codes[row]
        if code < 0:
            continue
        length += 1
        if requirement.rank[code] >= 0:
            left = kept[requirement.rank[code]] + 1
            if requirement.denominator * left >= requirement.numerator * length:
                drop[row] = True
                length -= 1
            else:
                kept[requirement.rank[code]] = left
    for row in range(first, last):
        if is_sensitive(codes[row], requirement):
            kept[requirement.rank[codes[row]]] = 0


@compiled
def has_sensitive(codes: Array, first: int, last: int, requirement: Requirement) -> bool:
    """Return whether there is any sensitive row."""
    for row in range(first, last):
        if is_sensitive(codes[row], requirement):
            return True
    return False


@compiled
def drop_or_count(
    codes: Array, elements: Array, offsets: Array, requirement: Requirement, is_joint: bool, drop: Array
) -> tuple[Array, Array, Array]:
    """Mark the rows to delete where that is simple; elsewhere give counts, where each ends, and offsets.

    Rows of an element are sorted by code.
    """
    rows, ends = np.empty((codes.size, 3), np.int32), np.empty(codes.size, np.int64)
    begins = np.zeros(offsets.size, np.int64)
    kept = np.zeros(requirement.rank.max() + 1, np.int64)
    size, left = 0, 0
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        if not has_sensitive(codes, first, last, requirement):
            continue
        if (
            is_joint
            and requirement.camouflage == 0
            and occurs_alone(codes, elements, first, last, requirement)
        ):
            drop_singles(codes, first, last, requirement, kept, drop)
            continue
        for row in range(first, last):
            if codes[row] < 0:
                continue
            if (
                size > begins[left]
                and rows[size - 1, TIME] == elements[row]
                and rows[size - 1, CODE] == codes[row]
            ):
                rows[size - 1, COUNT] += 1
            else:
                rows[size, TIME], rows[size, CODE], rows[size, COUNT] = elements[row], codes[row], 1
                size += 1
            ends[size - 1] = row + 1
        left += 1
        begins[left] = size
    return rows[:size], ends[:size], begins[: left + 1]


@compiled
def drop_chosen(ends: Array, chosen: Array, drop: Array) -> None:
    """Mark the chosen rows: the last ones, in the order of the table, of equal events in an element."""
    for j in range(chosen.size):
        drop[ends[j] - chosen[j] : ends[j]] = True
