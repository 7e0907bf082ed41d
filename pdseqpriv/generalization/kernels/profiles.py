"""What a group is kept as, and what its loss is reckoned with.

A group is kept as a *profile*: its distinct times in ascending order and, for each, how many rows it has, the
lowest common ancestor of their events, and the latest start: the largest time s such that [s, time] holds a
row of every member (minus infinity while some member has none). An interval is feasible if and only if it
starts no later than the latest start of its end, so members themselves need not be kept: the latest starts
of a union are the lesser of those of its parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

# Rows of Profiles.times, and of Profiles.rows.
TIME, LATEST = range(2)
COUNT, NODE = range(2)


class Profiles(NamedTuple):
    """Room for profiles, side by side; the caller knows where each begins and ends."""

    times: Array  # float64, 2 x room
    rows: Array  # int32, 2 x room


class LossModel(NamedTuple):
    """How loss is measured: a row in an interval costs its length and its category, each by its weight."""

    parent: Array  # int32 per node, less than the node itself but for the root
    category: Array  # float64 per node, share of all events under it, 0 for an event
    per_time: float  # time weight over all weights, per unit of time
    per_event: float  # event weight over all weights


@compiled
def new_profiles(room: int) -> Profiles:
    """Make room for profiles with this many distinct times together."""
    return Profiles(np.empty((2, room), np.float64), np.empty((2, room), np.int32))


@compiled
def common_ancestor(parent: Array, one: int, other: int) -> int:
    """Climb from the larger number: an ancestor has a smaller one."""
    while one != other:
        if one > other:
            one = parent[one]
        else:
            other = parent[other]
    return one


@compiled
def profile_of_members(
    model: LossModel,
    when: Array,
    node: Array,
    member: Array,
    n_members: int,
    inside: Array,
    out: Profiles,
) -> int:
    """Write the profile of rows in ascending order of time into ``out``; return the number of distinct times.

    ``inside`` is all 0, with a place for every member, and is so again in the end.
    """
    n, missing, first = 0, n_members, 0
    for row in range(when.size):
        if n == 0 or when[row] != out.times[TIME, n - 1]:
            out.times[TIME, n] = when[row]
            out.rows[COUNT, n] = 0
            out.rows[NODE, n] = node[row]
            n += 1
        out.rows[COUNT, n - 1] += 1
        out.rows[NODE, n - 1] = common_ancestor(model.parent, out.rows[NODE, n - 1], node[row])
        if inside[member[row]] == 0:
            missing -= 1
        inside[member[row]] += 1
        # A member whose first row since the start has a later row no longer needs the first.
        while inside[member[first]] > 1:
            inside[member[first]] -= 1
            first += 1
        out.times[LATEST, n - 1] = when[first] if missing == 0 else -np.inf
    for who in member:
        inside[who] = 0
    return n


@compiled
def join(
    model: LossModel,
    a: Profiles,
    a_begin: int,
    a_end: int,
    b: Profiles,
    b_begin: int,
    b_end: int,
    out: Profiles,
) -> int:
    """Write the profile of the union of two groups into ``out``; return its number of distinct times."""
    i, j, n = a_begin, b_begin, 0
    a_latest, b_latest = -np.inf, -np.inf
    while i < a_end or j < b_end:
        a_now = i < a_end and (j == b_end or a.times[TIME, i] <= b.times[TIME, j])
        b_now = j < b_end and (i == a_end or b.times[TIME, j] <= a.times[TIME, i])
        if a_now:
            a_latest = a.times[LATEST, i]
            out.times[TIME, n] = a.times[TIME, i]
            out.rows[COUNT, n] = a.rows[COUNT, i]
            out.rows[NODE, n] = a.rows[NODE, i]
            if b_now:
                out.rows[COUNT, n] += b.rows[COUNT, j]
                out.rows[NODE, n] = common_ancestor(model.parent, a.rows[NODE, i], b.rows[NODE, j])
        else:
            out.times[TIME, n] = b.times[TIME, j]
            out.rows[COUNT, n] = b.rows[COUNT, j]
            out.rows[NODE, n] = b.rows[NODE, j]
        if b_now:
            b_latest = b.times[LATEST, j]
            j += 1
        if a_now:
            i += 1
        out.times[LATEST, n] = min(a_latest, b_latest)
        n += 1
    return n


# Rows of LossTable.places: rows before each time; the last time at which an interval that ends here may
# start; where the interval that ends here starts in the best way; the last time up to here before which all
# rows can be in intervals; the common ancestor from there to here; and that from here to the end of the tail.
BEFORE, LAST_START, START, POSSIBLE, SINCE, TAIL = range(6)


class LossTable(NamedTuple):
    """What the dynamic programme remembers of each distinct time as the end of an interval."""

    least: Array  # float64, the least loss of all rows before each time, and of all
    places: Array  # int64, 6 x room


@compiled
def new_loss_table(room: int) -> LossTable:
    """Make room for this many distinct times."""
    return LossTable(np.zeros(room + 1, np.float64), np.zeros((6, room + 1), np.int64))
