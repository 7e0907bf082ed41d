"""The least loss of a group, and the intervals that have it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.long_groups import least_loss_of_long_group
from pdseqpriv.generalization.kernels.profiles import (
    BEFORE,
    COUNT,
    LAST_START,
    LATEST,
    NODE,
    POSSIBLE,
    SINCE,
    START,
    TAIL,
    TIME,
    LossModel,
    LossTable,
    Profiles,
    common_ancestor,
    new_loss_table,
    new_profiles,
    profile_of_members,
)

# Starts that are tried, on average over the ends, before a group is handed to what grows more slowly with its
# length but takes longer for short ones.
TRIED = 64


@compiled
def least_loss(model: LossModel, group: Profiles, begin: int, end: int, table: LossTable) -> float:
    """Return the least loss of a group, summed over its rows, and leave the way to it in ``table``.

    An interval that can be cut into two feasible ones costs at least as much as both, so only starts after
    the latest start of the time before this end's own latest start are tried. And as an interval costs
    more the earlier it starts, the search stops when it alone costs what is already reached. Where events
    cost nothing, a later end never has an earlier best start: lengths and rows both add up, so what a longer
    interval costs more than a shorter one only grows as both are stretched. Of equally good ways the one
    with the shortest last interval is taken. Starts before which rows are left over are skipped. Where many
    starts have to be tried all the same, the group is handed to ``least_loss_of_long_group``.
    """
    times, rows, least, places = group.times, group.rows, table.least, table.places
    to_try = TRIED * (end - begin)
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
            to_try -= 1
        least[i + 1] = best
        places[START, i] = best_start
        if to_try < 0:
            return float(least_loss_of_long_group(model, group, begin, end, table))
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
