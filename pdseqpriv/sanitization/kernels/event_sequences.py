"""Sanitize one pooled event sequence, or each of many sequences in one call."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.sanitization.kernels.build import CODE, TIME, TIMES, Pairs, Terms, build
from pdseqpriv.sanitization.kernels.joint import solve_joint
from pdseqpriv.sanitization.kernels.one_event import iterate_essa
from pdseqpriv.sanitization.kernels.problem import complete, new_state


@compiled
def count_distinct(keys: Array) -> int:
    """How many different numbers a sorted list holds."""
    size = 0
    for i in range(keys.size):
        size += i == 0 or keys[i] != keys[i - 1]
    return size


@compiled
def count_sorted(keys: Array, width: int, rows: Array) -> None:
    """Write the rows of the pairs, from sorted keys that are time * width + code."""
    place = -1
    for i in range(keys.size):
        if i == 0 or keys[i] != keys[i - 1]:
            place += 1
            rows[place, TIME], rows[place, CODE] = keys[i] // width, keys[i] % width
            rows[place, TIMES] = 0
        rows[place, TIMES] += 1


@compiled
def sanitize_watched(pairs: Pairs, terms: Terms, is_joint: bool, limit: int, pulse: Array) -> Array:
    """How many occurrences of every pair to delete; after a stop of no use, but below delta."""
    problem, origin = build(pairs, terms, pulse)
    state = new_state(problem)
    if is_joint:
        solve_joint(problem, state, limit)
    else:
        iterate_essa(problem, state, np.arange(problem.event_offsets.size - 1))
    complete(problem, state.deleted)  # adds nothing; the guarantee rests on this loop alone
    chosen = np.zeros(pairs.rows.shape[0], pairs.rows.dtype)
    for i in range(origin.size):
        chosen[origin[i]] = state.deleted[i]
    return chosen


def sanitize_pairs(pairs: Pairs, terms: Terms, is_joint: bool, limit: int) -> Array:
    """The same when nobody waits; not compiled, which would take as long as all that it calls."""
    return sanitize_watched(pairs, terms, is_joint, limit, np.zeros(2, np.int64))


@compiled
def sanitize_all(
    pairs: Pairs, offsets: Array, terms: Terms, is_joint: bool, limit: int, pulse: Array, chosen: Array
) -> None:
    """The same for many event sequences, which begin at the offsets."""
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        chosen[first:last] = sanitize_watched(Pairs(pairs.rows[first:last]), terms, is_joint, limit, pulse)


@compiled
def is_sensitive(code: int, terms: Terms) -> bool:
    """Marked rows (-1) are not."""
    return code >= 0 and terms.rank[code] >= 0


@compiled
def occurs_alone(codes: Array, elements: Array, first: int, last: int, terms: Terms) -> bool:
    """Whether every sensitive row is alone in its element."""
    for row in range(first, last):
        if is_sensitive(codes[row], terms):
            if row > first and elements[row - 1] == elements[row]:
                return False
            if row + 1 < last and elements[row + 1] == elements[row]:
                return False
    return True


@compiled
def drop_singles(codes: Array, first: int, last: int, terms: Terms, kept: Array, drop: Array) -> None:
    """Sensitive rows alone in their elements all cost the same: delete the fewest.

    A row that would make its event frequent goes; that is the least number.
    """
    length = 0
    for row in range(first, last):
        code = codes[row]
        if code < 0:
            continue
        length += 1
        if terms.rank[code] >= 0:
            left = kept[terms.rank[code]] + 1
            if terms.denominator * left >= terms.numerator * length:
                drop[row] = True
                length -= 1
            else:
                kept[terms.rank[code]] = left
    for row in range(first, last):
        if is_sensitive(codes[row], terms):
            kept[terms.rank[codes[row]]] = 0


@compiled
def has_sensitive(codes: Array, first: int, last: int, terms: Terms) -> bool:
    """Whether there is anything to look at."""
    for row in range(first, last):
        if is_sensitive(codes[row], terms):
            return True
    return False


@compiled
def drop_or_pair_up(
    codes: Array, elements: Array, offsets: Array, terms: Terms, is_joint: bool, drop: Array
) -> tuple[Array, Array, Array]:
    """Mark the rows to delete where that is simple; else list pairs, where each ends, and the offsets.

    Rows of an element are sorted by code.
    """
    rows, ends = np.empty((codes.size, 3), np.int32), np.empty(codes.size, np.int64)
    begins = np.zeros(offsets.size, np.int64)
    kept = np.zeros(terms.rank.max() + 1, np.int64)
    size, left = 0, 0
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        if not has_sensitive(codes, first, last, terms):
            continue
        if is_joint and terms.camouflage == 0 and occurs_alone(codes, elements, first, last, terms):
            drop_singles(codes, first, last, terms, kept, drop)
            continue
        for row in range(first, last):
            if codes[row] < 0:
                continue
            if (
                size > begins[left]
                and rows[size - 1, TIME] == elements[row]
                and rows[size - 1, CODE] == codes[row]
            ):
                rows[size - 1, TIMES] += 1
            else:
                rows[size, TIME], rows[size, CODE], rows[size, TIMES] = elements[row], codes[row], 1
                size += 1
            ends[size - 1] = row + 1
        left += 1
        begins[left] = size
    return rows[:size], ends[:size], begins[: left + 1]


@compiled
def drop_chosen(ends: Array, chosen: Array, drop: Array) -> None:
    """Mark the chosen rows: equal events of an element stand in the order of the table, the last ones go."""
    for j in range(chosen.size):
        drop[ends[j] - chosen[j] : ends[j]] = True
