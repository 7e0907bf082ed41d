"""The least loss of a group with many distinct times, in n log n steps for every level of the categories.

Which start is best for an end is asked once per level. There, an interval whose events are all below the same
category of that level costs what this category does, even if a lower one holds them all. What a start costs
more than a later one then only grows as the end moves on, because lengths and rows both add up. So a later
start that is ahead once stays ahead, and the starts that will ever be best form a queue, each with the end
from which on it is best. The true cost of an interval is that of the lowest level at which its events are
together, and every other level costs more, so the least over all levels is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.profiles import (
    BEFORE,
    COUNT,
    LATEST,
    NODE,
    START,
    TIME,
    LossModel,
    LossTable,
    Profiles,
    common_ancestor,
)

# Columns of Queues.waiting: a start, and the first end for which it is best.
WHO, FROM = range(2)
# Rows of Queues.ends: the first and the next free place of each queue; and the time since which all events
# are below one category of that level.
FIRST, NEXT, SINCE_TIME = range(3)


class Queues(NamedTuple):
    """For each level, the starts that are or will be best."""

    waiting: Array  # int64, levels x room x 2
    ends: Array  # int64, 3 x levels
    cost: Array  # float64 per level, of the category of that level at hand


@compiled
def least_loss_of_long_group(
    model: LossModel, group: Profiles, begin: int, end: int, table: LossTable
) -> float:
    """Return the least loss of a group, and leave the way to it in ``table``, as ``least_loss`` does."""
    n = end - begin
    times, starts = group.times[TIME, begin:end], group.times[LATEST, begin:end]
    nodes, least, places = group.rows[NODE, begin:end], table.least, table.places
    for i in range(n):
        places[BEFORE, i + 1] = places[BEFORE, i] + group.rows[COUNT, begin + i]
    depth = _depths(model, nodes)
    queues = _new_queues(depth.max() + 1, n)
    latest = -1
    for i in range(n):
        _begin_levels(model, nodes, depth, i, queues)
        while latest < i and times[latest + 1] <= starts[i]:
            latest += 1
            if least[latest] < np.inf:
                for level in range(depth[i] + 1):
                    if latest >= queues.ends[SINCE_TIME, level]:
                        _join_queue(model, times, table, queues, level, latest, i)
        least[i + 1], places[START, i] = np.inf, -1
        for level in range(depth[i] + 1):
            start = _best_start(queues, level, i)
            if start >= 0:
                loss = _loss(model, times, table, queues.cost[level], start, i)
                if loss < least[i + 1] or (loss == least[i + 1] and start > places[START, i]):
                    least[i + 1], places[START, i] = loss, start
    return float(least[n])


@compiled
def _depths(model: LossModel, nodes: Array) -> Array:
    """Return how far below the root each node is; all 0 where events cost nothing."""
    depth = np.zeros(nodes.size, np.int64)
    if model.per_event > 0:
        for i in range(nodes.size):
            at = nodes[i]
            while model.parent[at] != at:
                at = model.parent[at]
                depth[i] += 1
    return depth


@compiled
def _new_queues(n_levels: int, n_times: int) -> Queues:
    return Queues(
        np.empty((n_levels, n_times, 2), np.int64), np.zeros((3, n_levels), np.int64), np.zeros(n_levels)
    )


@compiled
def _begin_levels(model: LossModel, nodes: Array, depth: Array, i: int, queues: Queues) -> None:
    """Empty the queues of levels at which the events of this time are not in the category of the last one."""
    kept = -1
    if i > 0:
        common = common_ancestor(model.parent, nodes[i - 1], nodes[i])
        kept = min(depth[i - 1], depth[i])
        at = nodes[i - 1] if depth[i - 1] < depth[i] else nodes[i]
        while kept > 0 and at != common:
            at = model.parent[at]
            kept -= 1
    at = nodes[i]
    for level in range(depth[i], kept, -1):
        queues.ends[FIRST, level] = queues.ends[NEXT, level] = 0
        queues.ends[SINCE_TIME, level] = i
        queues.cost[level] = model.per_event * model.category[at]
        at = model.parent[at]


@compiled
def _loss(model: LossModel, times: Array, table: LossTable, cost: float, start: int, end: int) -> float:
    """Return what all rows up to an end lose if the last interval has this start and this category's cost."""
    rows = table.places[BEFORE, end + 1] - table.places[BEFORE, start]
    return float(rows * (model.per_time * (times[end] - times[start]) + cost) + table.least[start])


@compiled
def _join_queue(
    model: LossModel, times: Array, table: LossTable, queues: Queues, level: int, start: int, now: int
) -> None:
    """Let a start wait for the first end for which it is at least as good as the others, if there is one."""
    waiting, ends, cost = queues.waiting[level], queues.ends, queues.cost[level]
    low, high = now, times.size
    while ends[NEXT, level] > ends[FIRST, level]:
        last = waiting[ends[NEXT, level] - 1]
        low = max(now, last[FROM])
        if _loss(model, times, table, cost, start, low) > _loss(model, times, table, cost, last[WHO], low):
            break
        ends[NEXT, level] -= 1
        high = low
    if ends[NEXT, level] == ends[FIRST, level]:
        high = now
    else:
        other = waiting[ends[NEXT, level] - 1, WHO]
        while high - low > 1:
            between = (low + high) // 2
            if _loss(model, times, table, cost, start, between) > _loss(
                model, times, table, cost, other, between
            ):
                low = between
            else:
                high = between
    if high < times.size:
        waiting[ends[NEXT, level], WHO] = start
        waiting[ends[NEXT, level], FROM] = high
        ends[NEXT, level] += 1


@compiled
def _best_start(queues: Queues, level: int, now: int) -> int:
    """Return the start that is best for this end, or -1; those before it are never best again."""
    waiting, ends = queues.waiting[level], queues.ends
    while ends[FIRST, level] + 1 < ends[NEXT, level] and waiting[ends[FIRST, level] + 1, FROM] <= now:
        ends[FIRST, level] += 1
    return int(waiting[ends[FIRST, level], WHO]) if ends[FIRST, level] < ends[NEXT, level] else -1
