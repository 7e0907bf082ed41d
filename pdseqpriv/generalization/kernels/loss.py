"""The least loss of a group, and the intervals that have it.

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


@compiled
def least_loss(model: LossModel, group: Profiles, begin: int, end: int, table: LossTable) -> float:
    """Return the least loss of a group, summed over its rows, and leave the way to it in ``table``.

    An interval that can be cut into two feasible ones costs at least as much as both, so only starts after
    the latest start of the time before this end's own latest start are tried. And as an interval costs
    more the earlier it starts, the search stops when it alone costs what is already reached. Where events
    cost nothing, a later end never has an earlier best start: lengths and rows both add up, so what a longer
    interval costs more than a shorter one only grows as both are stretched. Of equally good ways the one
    with the shortest last interval is taken. Starts before which rows are left over are skipped.
    """
    times, rows, least, places = group.times, group.rows, table.least, table.places
    with_events = model.per_event > 0
    latest, node, category = -1, 0, 0.0
    tail, head = -1, 0  # where the tail ends, and the common ancestor of what comes after it
    for i in range(end - begin):
        time = times[TIME, begin + i]
        while latest < i and times[TIME, begin + latest + 1] <= times[LATEST, begin + i]:
            latest += 1
        places[LAST_START, i] = latest
        places[BEFORE, i + 1] = places[BEFORE, i] + rows[COUNT, begin + i]
        places[POSSIBLE, i] = i if least[i] < np.inf else places[POSSIBLE, i - 1]
        least[i + 1] = np.inf
        if with_events:
            own = rows[NODE, begin + i]
            is_possible = places[POSSIBLE, i] == i
            places[SINCE, i] = (
                own if is_possible else common_ancestor(model.parent, places[SINCE, i - 1], own)
            )
            # An interval that ends here holds at least the times after the latest start. Ancestors are known
            # from each time of the tail to its end, and of what comes after it.
            first = min(latest + 1, i)
            if first > tail:
                node = own
                for j in range(i, first - 1, -1):
                    node = common_ancestor(model.parent, node, rows[NODE, begin + j])
                    places[TAIL, j] = node
                tail = i
            else:
                head = own if i == tail + 1 else common_ancestor(model.parent, head, own)
                node = common_ancestor(model.parent, places[TAIL, first], head)
        if latest < 0:
            continue
        earliest = places[LAST_START, latest - 1] + 1 if latest > 0 else 0
        if not with_events and least[i] < np.inf and i > 0:
            earliest = max(earliest, places[START, i - 1])
        best, best_start, at = np.inf, -1, latest
        while at >= earliest and places[POSSIBLE, at] >= earliest:
            start = places[POSSIBLE, at]
            if with_events:
                node = common_ancestor(model.parent, node, places[SINCE, at])
                category = model.per_event * model.category[node]
            length = model.per_time * (time - times[TIME, begin + start])
            loss = (places[BEFORE, i + 1] - places[BEFORE, start]) * (length + category)
            if loss >= best:
                break
            loss += least[start]
            if loss < best:
                best, best_start = loss, start
            at = start - 1
        least[i + 1] = best
        places[START, i] = best_start
    return float(least[end - begin])


class Intervals(NamedTuple):
    """What is released of the monitored rows: intervals, numbered by group and then in order of time.

    Where events are separated by category, those of a category come before those of the next.
    """

    of_row: Array  # int64 per monitored row, its interval
    group: Array  # int64 per interval
    node: Array  # int32 per interval, the lowest common ancestor of its events
    loss: Array  # float64 per group, of all its monitored rows
    n_found: Array  # int64, the number of intervals


@compiled
def intervals_of_groups(
    model: LossModel,
    when: Array,
    node: Array,
    member: Array,
    rows: Array,
    offsets: Array,
    sizes: Array,
    inside: Array,
    begin: int,
    end: int,
    found: Intervals,
) -> None:
    """Find the intervals of some groups; ``rows`` names the rows of each group in order of time.

    Group ``g`` has the rows ``rows[offsets[g]:offsets[g + 1]]`` and ``sizes[g]`` members.
    """
    for g in range(begin, end):
        theirs = rows[offsets[g] : offsets[g + 1]]
        profile, table = new_profiles(theirs.size), new_loss_table(theirs.size)
        n = profile_of_members(model, when[theirs], node[theirs], member[theirs], sizes[g], inside, profile)
        found.loss[g] = least_loss(model, profile, 0, n, table)
        lay_out(model, profile, table, n, theirs, g, found)


@compiled
def lay_out(
    model: LossModel,
    profile: Profiles,
    table: LossTable,
    n: int,
    rows: Array,
    group: int,
    found: Intervals,
) -> None:
    """Follow the way back, and number the intervals in order of time."""
    total, end = 0, n - 1
    while end >= 0:
        total += 1
        end = table.places[START, end] - 1
    found.n_found[0] += total
    number, end, row = found.n_found[0], n - 1, rows.size
    while end >= 0:
        number -= 1
        start = table.places[START, end]
        top = profile.rows[NODE, end]
        for i in range(end, start - 1, -1):
            top = common_ancestor(model.parent, top, profile.rows[NODE, i])
            for _ in range(profile.rows[COUNT, i]):
                row -= 1
                found.of_row[rows[row]] = number
        found.group[number], found.node[number] = group, top
        end = start - 1
