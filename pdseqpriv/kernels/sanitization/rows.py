"""Sanitize one pooled event sequence, or each of many sequences in one call."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled
from pdseqpriv.kernels.sanitization.build import CODE, TIME, TIMES, Pairs, Terms, build
from pdseqpriv.kernels.sanitization.event import iterate_essa
from pdseqpriv.kernels.sanitization.joint import solve_joint
from pdseqpriv.kernels.sanitization.problem import complete, new_state


@compiled
def count_sorted(keys: Array) -> tuple[Array, Array]:
    """Distinct numbers of a sorted list, and how often each stands there."""
    size = 0
    for i in range(keys.size):
        size += i == 0 or keys[i] != keys[i - 1]
    distinct, counts = np.empty(size, np.int64), np.zeros(size, np.int64)
    place = -1
    for i in range(keys.size):
        if i == 0 or keys[i] != keys[i - 1]:
            place += 1
            distinct[place] = keys[i]
        counts[place] += 1
    return distinct, counts


@compiled
def sanitize_pairs(pairs: Pairs, terms: Terms, is_joint: bool, limit: int) -> Array:
    """How many occurrences of every pair to delete."""
    return sanitize_watched(pairs, terms, is_joint, limit, np.zeros(2, np.int64))


@compiled
def sanitize_watched(pairs: Pairs, terms: Terms, is_joint: bool, limit: int, pulse: Array) -> Array:
    """The same, with a pulse; what is returned after a stop is of no use but below delta."""
    problem, origin = build(pairs, terms, pulse)
    deleted = np.zeros(origin.size, np.int64)
    if is_joint:
        solve_joint(problem, deleted, limit)
    else:
        state = new_state(problem)
        iterate_essa(problem, state, np.arange(problem.event_offsets.size - 1))
        deleted[:] = state.deleted
    complete(problem, deleted)  # adds nothing; the guarantee rests on this loop alone
    chosen = np.zeros(pairs.rows.shape[0], np.int64)
    for i in range(origin.size):
        chosen[origin[i]] = deleted[i]
    return chosen


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
def drop_singles(codes: Array, first: int, last: int, terms: Terms, kept: Array, drop: Array) -> int:
    """Sensitive rows alone in their elements all cost the same: delete the fewest.

    A row that would make its event frequent goes; that is the least number.
    """
    length, dropped = 0, 0
    for row in range(first, last):
        code = codes[row]
        if code < 0:
            continue
        length += 1
        if terms.rank[code] >= 0:
            left = kept[terms.rank[code]] + 1
            if terms.denominator * left >= terms.numerator * length:
                drop[row] = True
                dropped += 1
                length -= 1
            else:
                kept[terms.rank[code]] = left
    for row in range(first, last):
        if is_sensitive(codes[row], terms):
            kept[terms.rank[codes[row]]] = 0
    return dropped


@compiled
def pair_up(codes: Array, elements: Array, first: int, last: int) -> tuple[Pairs, Array]:
    """The pairs of one sequence (rows of an element are sorted by code), and where each ends."""
    rows, end = np.empty((last - first, 3), np.int64), np.empty(last - first, np.int64)
    size = 0
    for row in range(first, last):
        if codes[row] < 0:
            continue
        if size and rows[size - 1, TIME] == elements[row] and rows[size - 1, CODE] == codes[row]:
            rows[size - 1, TIMES] += 1
        else:
            rows[size, TIME], rows[size, CODE], rows[size, TIMES] = elements[row], codes[row], 1
            size += 1
        end[size - 1] = row + 1
    return Pairs(rows[:size]), end


@compiled
def sanitize_sequences(
    codes: Array,
    elements: Array,
    offsets: Array,
    terms: Terms,
    is_joint: bool,
    limit: int,
    drop: Array,
) -> int:
    """Mark the rows to delete, sequence by sequence; the number of rows."""
    most = -1
    for code in range(terms.rank.size):
        most = max(most, terms.rank[code])
    kept = np.zeros(most + 1, np.int64)
    dropped = 0
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        present = False
        for row in range(first, last):
            if is_sensitive(codes[row], terms):
                present = True
                break
        if not present:
            continue
        if is_joint and terms.camouflage == 0 and occurs_alone(codes, elements, first, last, terms):
            dropped += drop_singles(codes, first, last, terms, kept, drop)
            continue
        pairs, end = pair_up(codes, elements, first, last)
        chosen = sanitize_pairs(pairs, terms, is_joint, limit)
        for j in range(chosen.size):
            if chosen[j] > 0:
                # Equal events of an element stand in the order of the table: the last ones go.
                drop[end[j] - chosen[j] : end[j]] = True
                dropped += chosen[j]
    return dropped
