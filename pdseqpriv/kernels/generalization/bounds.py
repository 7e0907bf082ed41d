"""What a union of clusters loses at least, from few facts about each.

The first interval of a union begins at its first time and reaches the last of its members' first times; the
last interval begins no later than the first of their last times. If these two overlap there is only one
interval and its loss is exact. Otherwise rows in the first and in the last interval lose at least that
much; and each part of a union loses in it at least what it loses alone.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled
from pdseqpriv.kernels.generalization.clusters import BEGIN, END, TOTAL, Clusters
from pdseqpriv.kernels.generalization.loss import (
    COUNT,
    LATEST,
    NODE,
    TIME,
    Measure,
    common_ancestor,
    least_loss,
)

# Facts of a cluster: the first and last of its members' first times, the first and last of their last times;
# its monitored rows, those up to the last first time and those from the first last time on; all rows; its
# own loss; and the common ancestors of all events and of those in the first and the last interval.
FIRST, FIRST_END, LAST_BEGIN, LAST = range(4)
ROWS, FIRST_ROWS, LAST_ROWS, ALL_ROWS, OWN = range(4, 9)
TOP, FIRST_TOP, LAST_TOP = range(9, 12)
N_FACTS = 12


@compiled
def facts_of(measure: Measure, clusters: Clusters, slot: int, facts: Array, place: int) -> None:
    """Write the facts of one cluster."""
    times, rows = clusters.summaries.times, clusters.summaries.rows
    begin, end = clusters.slots[BEGIN, slot], clusters.slots[END, slot]
    out = facts[place]
    out[FIRST], out[FIRST_END] = times[TIME, begin], times[TIME, first_cover(clusters, slot)]
    out[LAST_BEGIN], out[LAST] = times[LATEST, end - 1], times[TIME, end - 1]
    out[ROWS:ALL_ROWS] = 0
    top = rows[NODE, begin]
    first_top, last_top = top, rows[NODE, end - 1]
    for t in range(begin, end):
        out[ROWS] += rows[COUNT, t]
        top = common_ancestor(measure.parent, top, rows[NODE, t])
        if times[TIME, t] <= out[FIRST_END]:
            out[FIRST_ROWS] += rows[COUNT, t]
            first_top = top
        if times[TIME, t] >= out[LAST_BEGIN]:
            out[LAST_ROWS] += rows[COUNT, t]
            last_top = common_ancestor(measure.parent, last_top, rows[NODE, t])
    out[ALL_ROWS] = clusters.slots[TOTAL, slot]
    out[OWN] = least_loss(measure, clusters.summaries, begin, end, clusters.table)
    out[TOP], out[FIRST_TOP], out[LAST_TOP] = top, first_top, last_top


@compiled
def first_cover(clusters: Clusters, slot: int) -> int:
    """Give the first time by which every member has a row."""
    t = clusters.slots[BEGIN, slot]
    while clusters.summaries.times[LATEST, t] == -np.inf:
        t += 1
    return int(t)


@compiled
def extent_bound(measure: Measure, facts: Array, a: int, b: int) -> float:
    """Give a lower bound of CP of a union from the facts of its two parts."""
    parent, category = measure.parent, measure.category
    first, first_end = min(facts[a, FIRST], facts[b, FIRST]), max(facts[a, FIRST_END], facts[b, FIRST_END])
    last_begin, last = min(facts[a, LAST_BEGIN], facts[b, LAST_BEGIN]), max(facts[a, LAST], facts[b, LAST])
    all_rows = facts[a, ALL_ROWS] + facts[b, ALL_ROWS]
    if first_end >= last_begin:
        loss = measure.per_time * (last - first)
        if measure.per_event > 0:
            loss += (
                measure.per_event * category[common_ancestor(parent, int(facts[a, TOP]), int(facts[b, TOP]))]
            )
        return float((facts[a, ROWS] + facts[b, ROWS]) * loss / all_rows)
    in_first, in_last = measure.per_time * (first_end - first), measure.per_time * (last - last_begin)
    if measure.per_event > 0:
        first_top = common_ancestor(parent, int(facts[a, FIRST_TOP]), int(facts[b, FIRST_TOP]))
        last_top = common_ancestor(parent, int(facts[a, LAST_TOP]), int(facts[b, LAST_TOP]))
        in_first += measure.per_event * category[first_top]
        in_last += measure.per_event * category[last_top]
    loss = (facts[a, FIRST_ROWS] + facts[b, FIRST_ROWS]) * in_first
    loss += (facts[a, LAST_ROWS] + facts[b, LAST_ROWS]) * in_last
    return float(max(loss, facts[a, OWN] + facts[b, OWN]) / all_rows)


@compiled
def fingerprint(clusters: Clusters, slot: int, bucket: float, least: Array) -> None:
    """Write for each bucket of time the least length of an interval that holds a time of it and all members.

    The shortest intervals with all members go from a latest start to its end. For the first time of a bucket
    the best of them ends before, begins after, or holds it; other times of the bucket need less by at most
    the bucket's length.
    """
    end, first = clusters.slots[END, slot], first_cover(clusters, slot)
    before, after = first - 1, first
    for b in range(least.size):
        before, after, length = _shortest(clusters.summaries.times, first, end, before, after, b * bucket)
        least[b] = max(0.0, length - bucket)


@compiled
def _shortest(
    times: Array, first: int, end: int, before: int, after: int, time: float
) -> tuple[int, int, float]:
    """Give the length of the shortest interval that holds a time and all members.

    ``before`` and ``after`` only move on as times grow: the last interval that ends by this time, the first
    that begins at it or later.
    """
    while before + 1 < end and times[TIME, before + 1] <= time:
        before += 1
    while after < end and times[LATEST, after] < time:
        after += 1
    length = np.inf
    if before >= first:
        length = time - times[LATEST, before]
    if after < end:
        length = min(length, times[TIME, after] - time)
    for i in range(before + 1, after):
        length = min(length, times[TIME, i] - times[LATEST, i])
    return before, after, length


@compiled
def fingerprint_loss(
    clusters: Clusters, slot: int, facts: Array, a: int, b: int, bucket: float, least: Array
) -> float:
    """Give what the rows of the second cluster lose at least, in time, by the fingerprint of the first.

    Rows of the first and the last interval lose their least lengths, all others what the fingerprint says.
    """
    times, rows = clusters.summaries.times, clusters.summaries.rows
    first_end = max(facts[a, FIRST_END], facts[b, FIRST_END])
    last_begin = min(facts[a, LAST_BEGIN], facts[b, LAST_BEGIN])
    in_first = first_end - min(facts[a, FIRST], facts[b, FIRST])
    in_last = max(facts[a, LAST], facts[b, LAST]) - last_begin
    loss = 0.0
    for t in range(clusters.slots[BEGIN, slot], clusters.slots[END, slot]):
        time = times[TIME, t]
        if time <= first_end:
            loss += rows[COUNT, t] * in_first
        elif time >= last_begin:
            loss += rows[COUNT, t] * in_last
        else:
            loss += rows[COUNT, t] * least[min(int(time / bucket), least.size - 1)]
    return loss


@compiled
def distance_loss(clusters: Clusters, i: int, j: int, facts: Array, a: int, b: int) -> float:
    """Give what the rows of the first cluster lose at least, in time, with all members of the second."""
    times, rows = clusters.summaries.times, clusters.summaries.rows
    first_end = max(facts[a, FIRST_END], facts[b, FIRST_END])
    last_begin = min(facts[a, LAST_BEGIN], facts[b, LAST_BEGIN])
    in_first = first_end - min(facts[a, FIRST], facts[b, FIRST])
    in_last = max(facts[a, LAST], facts[b, LAST]) - last_begin
    end, first = clusters.slots[END, j], first_cover(clusters, j)
    before, after = first - 1, first
    loss = 0.0
    for t in range(clusters.slots[BEGIN, i], clusters.slots[END, i]):
        time = times[TIME, t]
        if time <= first_end:
            loss += rows[COUNT, t] * in_first
        elif time >= last_begin:
            loss += rows[COUNT, t] * in_last
        else:
            before, after, length = _shortest(times, first, end, before, after, time)
            loss += rows[COUNT, t] * length
    return loss
