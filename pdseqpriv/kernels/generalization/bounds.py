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
def facts_of(measure: Measure, clusters: Clusters, slot: int, out: Array) -> None:
    """Write the facts of one cluster."""
    times, rows = clusters.summaries.times, clusters.summaries.rows
    begin, end = clusters.slots[BEGIN, slot], clusters.slots[END, slot]
    reached = begin
    while times[LATEST, reached] == -np.inf:
        reached += 1
    out[FIRST], out[FIRST_END] = times[TIME, begin], times[TIME, reached]
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
def extent_bound(measure: Measure, a: Array, b: Array) -> float:
    """Give a lower bound of CP of a union from the facts of its two parts."""
    parent, category = measure.parent, measure.category
    first, first_end = min(a[FIRST], b[FIRST]), max(a[FIRST_END], b[FIRST_END])
    last_begin, last = min(a[LAST_BEGIN], b[LAST_BEGIN]), max(a[LAST], b[LAST])
    if first_end >= last_begin:
        loss = measure.per_time * (last - first)
        if measure.per_event > 0:
            loss += measure.per_event * category[common_ancestor(parent, int(a[TOP]), int(b[TOP]))]
        return float((a[ROWS] + b[ROWS]) * loss / (a[ALL_ROWS] + b[ALL_ROWS]))
    in_first, in_last = measure.per_time * (first_end - first), measure.per_time * (last - last_begin)
    if measure.per_event > 0:
        first_top = common_ancestor(parent, int(a[FIRST_TOP]), int(b[FIRST_TOP]))
        last_top = common_ancestor(parent, int(a[LAST_TOP]), int(b[LAST_TOP]))
        in_first += measure.per_event * category[first_top]
        in_last += measure.per_event * category[last_top]
    loss = (a[FIRST_ROWS] + b[FIRST_ROWS]) * in_first + (a[LAST_ROWS] + b[LAST_ROWS]) * in_last
    return float(max(loss, a[OWN] + b[OWN]) / (a[ALL_ROWS] + b[ALL_ROWS]))
