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
# own loss; the common ancestors of all events and of those in the first and the last interval; its slot.
FIRST, FIRST_END, LAST_BEGIN, LAST = range(4)
ROWS, FIRST_ROWS, LAST_ROWS, ALL_ROWS, OWN = range(4, 9)
TOP, FIRST_TOP, LAST_TOP, SLOT = range(9, 13)
N_FACTS = 13
# Share of a bucket by which it is taken wider: far more than rounding, far less than matters.
ROUNDING = 1e-6


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
    out[TOP], out[FIRST_TOP], out[LAST_TOP], out[SLOT] = top, first_top, last_top, slot


@compiled
def first_cover(clusters: Clusters, slot: int) -> int:
    """Give the first time by which every member has a row."""
    t = clusters.slots[BEGIN, slot]
    while clusters.summaries.times[LATEST, t] == -np.inf:
        t += 1
    return int(t)


@compiled
def extent_bound(facts: Array, per_time: float, a: int, b: int) -> float:
    """Give a lower bound of CP of a union from what its two parts say of time."""
    first = facts[a, FIRST] if facts[a, FIRST] < facts[b, FIRST] else facts[b, FIRST]
    last = facts[a, LAST] if facts[a, LAST] > facts[b, LAST] else facts[b, LAST]
    first_end = facts[a, FIRST_END] if facts[a, FIRST_END] > facts[b, FIRST_END] else facts[b, FIRST_END]
    last_begin = facts[a, LAST_BEGIN] if facts[a, LAST_BEGIN] < facts[b, LAST_BEGIN] else facts[b, LAST_BEGIN]
    if first_end >= last_begin:
        loss = (facts[a, ROWS] + facts[b, ROWS]) * (last - first)
    else:
        loss = (facts[a, FIRST_ROWS] + facts[b, FIRST_ROWS]) * (first_end - first)
        loss += (facts[a, LAST_ROWS] + facts[b, LAST_ROWS]) * (last - last_begin)
    loss, own = per_time * loss, facts[a, OWN] + facts[b, OWN]
    return float((loss if loss > own else own) / (facts[a, ALL_ROWS] + facts[b, ALL_ROWS]))


@compiled
def extent_bound_with_events(measure: Measure, facts: Array, a: int, b: int) -> float:
    """Give a lower bound of CP of a union from what its two parts say of time and events."""
    first_end, last_begin = (
        max(facts[a, FIRST_END], facts[b, FIRST_END]),
        min(facts[a, LAST_BEGIN], facts[b, LAST_BEGIN]),
    )
    first, last = min(facts[a, FIRST], facts[b, FIRST]), max(facts[a, LAST], facts[b, LAST])
    if first_end >= last_begin:
        in_all = measure.per_time * (last - first) + _category_loss(measure, facts, a, b, TOP)
        loss = (facts[a, ROWS] + facts[b, ROWS]) * in_all
    else:
        in_first = measure.per_time * (first_end - first) + _category_loss(measure, facts, a, b, FIRST_TOP)
        in_last = measure.per_time * (last - last_begin) + _category_loss(measure, facts, a, b, LAST_TOP)
        loss = (facts[a, FIRST_ROWS] + facts[b, FIRST_ROWS]) * in_first
        loss += (facts[a, LAST_ROWS] + facts[b, LAST_ROWS]) * in_last
    return float(loss / (facts[a, ALL_ROWS] + facts[b, ALL_ROWS]))


@compiled
def _category_loss(measure: Measure, facts: Array, a: int, b: int, which: int) -> float:
    top = common_ancestor(measure.parent, int(facts[a, which]), int(facts[b, which]))
    return float(measure.per_event * measure.category[top])


@compiled
def fingerprint(clusters: Clusters, slot: int, bucket: float, least: Array) -> None:
    """Write for each bucket of time the least length of an interval that holds a time of it and all members.

    The shortest intervals with all members go from a latest start to its end. Where one ends before the
    bucket or begins after it, it is stretched to the bucket's near end. Buckets are taken a little wider than
    they are, so that rounding puts no time outside its own.
    """
    times = clusters.summaries.times
    end, first = clusters.slots[END, slot], first_cover(clusters, slot)
    before, after = first - 1, first
    for b in range(least.size):
        low, high = (b - ROUNDING) * bucket, (b + 1 + ROUNDING) * bucket
        # The last interval that ends by the low end, and the first that begins at the high end or later.
        while before + 1 < end and times[TIME, before + 1] <= low:
            before += 1
        while after < end and times[LATEST, after] < high:
            after += 1
        length = np.inf
        if before >= first:
            length = low - times[LATEST, before]
        if after < end:
            length = min(length, times[TIME, after] - high)
        for i in range(before + 1, after):
            length = min(length, times[TIME, i] - times[LATEST, i])
        least[b] = max(0.0, length)


@compiled
def fingerprint_loss(
    times: Array,
    rows: Array,
    begin: int,
    end: int,
    facts: Array,
    a: int,
    b: int,
    per_bucket: float,
    prints: Array,
    limit: float,
) -> float:
    """Give what the rows of one of two clusters lose at least, in time, by the fingerprints of both.

    Rows of the first and the last interval lose their least lengths, all others what the fingerprints say.
    It stops when the limit is passed. ``per_bucket`` is one over the length of a bucket.
    """
    first_end = max(facts[a, FIRST_END], facts[b, FIRST_END])
    last_begin = min(facts[a, LAST_BEGIN], facts[b, LAST_BEGIN])
    in_first = first_end - min(facts[a, FIRST], facts[b, FIRST])
    in_last = max(facts[a, LAST], facts[b, LAST]) - last_begin
    loss = 0.0
    for t in range(begin, end):
        time = times[TIME, t]
        if time <= first_end:
            loss += rows[COUNT, t] * in_first
        elif time >= last_begin:
            loss += rows[COUNT, t] * in_last
        else:
            bucket = min(int(time * per_bucket), prints.shape[1] - 1)
            length = prints[a, bucket] if prints[a, bucket] > prints[b, bucket] else prints[b, bucket]
            loss += rows[COUNT, t] * length
        if loss > limit:
            break
    return loss
