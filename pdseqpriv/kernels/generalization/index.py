"""Find the nearest cluster without looking at most of them (algorithm 2).

Clusters stand in blocks, neighbours on the Hilbert curve side by side. A block is skipped when its extent
shows that all in it are too far, a cluster when its facts do, and only what is left is joined in earnest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled
from pdseqpriv.kernels.generalization.bounds import (
    ALL_ROWS,
    FIRST,
    FIRST_END,
    FIRST_ROWS,
    LAST,
    LAST_BEGIN,
    LAST_ROWS,
    N_FACTS,
    OWN,
    ROWS,
    SLOT,
    extent_bound,
    extent_bound_with_events,
    facts_of,
    fingerprint,
    fingerprint_loss,
)
from pdseqpriv.kernels.generalization.clusters import BEGIN, END, Clusters, Rules, loss_of_union, may_join
from pdseqpriv.kernels.generalization.loss import Measure

BLOCK = 16
BUCKETS = 64
# Bounds and losses are sums of rounded numbers; a bound counts only where it is above by more than that.
SAFETY = 1 - 1e-9


class Index(NamedTuple):
    """Where each cluster stands, and what is known of each and of each block."""

    facts: Array  # float64 per place, block by block
    slot: Array  # int64 per place
    place: Array  # int64 per slot
    filled: Array  # int64 per block, how many clusters it holds: its first places
    low: Array  # float64 per block and fact, the least
    high: Array  # float64 per block and fact, the most
    prints: Array  # float64 per place and bucket of time, fingerprints
    bucket: float  # length of a bucket


@compiled
def new_index(measure: Measure, clusters: Clusters, order: Array, span: float) -> Index:
    """Put clusters, given in an order in which neighbours are alike, into blocks."""
    n_blocks = (order.size + BLOCK - 1) // BLOCK
    facts = np.zeros((n_blocks * BLOCK, N_FACTS), np.float64)
    slot, place = np.full(n_blocks * BLOCK, -1), np.full(clusters.slots.shape[1], -1)
    filled = np.zeros(n_blocks, np.int64)
    prints, bucket = np.empty((n_blocks * BLOCK, BUCKETS), np.float64), (span if span > 0 else 1.0) / BUCKETS
    for i in range(order.size):
        slot[i], place[order[i]] = order[i], i
        facts_of(measure, clusters, order[i], facts, i)
        fingerprint(clusters, order[i], bucket, prints[i])
        filled[i // BLOCK] += 1
    index = Index(
        facts,
        slot,
        place,
        filled,
        np.empty((n_blocks, N_FACTS)),
        np.empty((n_blocks, N_FACTS)),
        prints,
        bucket,
    )
    for block in range(n_blocks):
        _measure_block(index, block)
    return index


@compiled
def _measure_block(index: Index, block: int) -> None:
    facts, low, high = index.facts, index.low, index.high
    begin = block * BLOCK
    for fact in range(N_FACTS):
        least, most = np.inf, -np.inf
        for place in range(begin, begin + index.filled[block]):
            least, most = min(least, facts[place, fact]), max(most, facts[place, fact])
        low[block, fact], high[block, fact] = least, most


@compiled
def forget(index: Index, slot: int) -> None:
    """Take a cluster out; the last of its block fills the gap."""
    place = index.place[slot]
    block = place // BLOCK
    index.filled[block] -= 1
    last = block * BLOCK + index.filled[block]
    index.facts[place] = index.facts[last]
    index.prints[place] = index.prints[last]
    index.slot[place] = index.slot[last]
    index.place[index.slot[last]] = place
    index.place[slot] = -1
    _measure_block(index, block)


@compiled
def renew(measure: Measure, clusters: Clusters, index: Index, slot: int) -> None:
    """Learn the facts of a cluster that has grown."""
    facts_of(measure, clusters, slot, index.facts, index.place[slot])
    fingerprint(clusters, slot, index.bucket, index.prints[index.place[slot]])
    _measure_block(index, index.place[slot] // BLOCK)


@compiled
def block_bound(facts: Array, low: Array, high: Array, per_time: float, here: int, block: int) -> float:
    """Give a lower bound of CP of a cluster with any cluster of a block."""
    first, last = min(facts[here, FIRST], high[block, FIRST]), max(facts[here, LAST], low[block, LAST])
    first_end = max(facts[here, FIRST_END], low[block, FIRST_END])
    last_begin = min(facts[here, LAST_BEGIN], high[block, LAST_BEGIN])
    one = (facts[here, ROWS] + low[block, ROWS]) * max(0.0, last - first)
    several = (facts[here, FIRST_ROWS] + low[block, FIRST_ROWS]) * max(0.0, first_end - first)
    several += (facts[here, LAST_ROWS] + low[block, LAST_ROWS]) * max(0.0, last - last_begin)
    loss = per_time * (one if first_end >= last_begin else min(one, several))
    loss = max(loss, facts[here, OWN] + low[block, OWN])
    return float(loss / (facts[here, ALL_ROWS] + high[block, ALL_ROWS]))


@compiled
def nearest_indexed(
    measure: Measure, rules: Rules, clusters: Clusters, index: Index, slot: int, verify: bool
) -> int:
    """Give what ``nearest`` gives: the cluster whose union with this one loses least, or -1.

    Blocks are visited outwards from the cluster's own, so that near clusters come early.
    """
    facts, low, high, slots, filled = index.facts, index.low, index.high, index.slot, index.filled
    # All arrays are taken out here: inside the loop each would cost more than a bound.
    times, rows = clusters.summaries.times, clusters.summaries.rows
    ends, prints = clusters.slots, index.prints
    per_time, per_bucket, with_events = measure.per_time, 1 / index.bucket, measure.per_event > 0
    here = index.place[slot]
    n_blocks, home = filled.size, here // BLOCK
    best, best_slot = np.inf, -1
    for step in range(2 * n_blocks):
        block = home + (step + 1) // 2 * (1 if step % 2 else -1)
        if block < 0 or block >= n_blocks or filled[block] == 0:
            continue
        bound = block_bound(facts, low, high, per_time, here, block) * SAFETY
        if bound > best or (bound == best and low[block, SLOT] > best_slot):
            continue
        for place in range(block * BLOCK, block * BLOCK + filled[block]):
            bound = extent_bound(facts, per_time, here, place) * SAFETY
            if place == here or bound > best or (bound == best and slots[place] > best_slot):
                continue
            if with_events and extent_bound_with_events(measure, facts, here, place) * SAFETY > best:
                continue
            # Time that rows may lose before the bound is above the best.
            all_rows = facts[here, ALL_ROWS] + facts[place, ALL_ROWS]
            limit = best * all_rows / (SAFETY * per_time) if per_time > 0 else np.inf
            begin, end = ends[BEGIN, slots[place]], ends[END, slots[place]]
            theirs = fingerprint_loss(times, rows, begin, end, facts, here, place, per_bucket, prints, limit)
            theirs = max(per_time * theirs, facts[place, OWN])
            bound = (facts[here, OWN] + theirs) / all_rows * SAFETY
            if bound > best or (bound == best and slots[place] > best_slot):
                continue
            limit -= theirs / per_time if per_time > 0 else 0.0
            begin, end = ends[BEGIN, slot], ends[END, slot]
            ours = fingerprint_loss(times, rows, begin, end, facts, here, place, per_bucket, prints, limit)
            bound = (max(per_time * ours, facts[here, OWN]) + theirs) / all_rows * SAFETY
            if bound > best or (bound == best and slots[place] > best_slot):
                continue
            best, best_slot = _try(measure, rules, clusters, slot, slots[place], verify, best, best_slot)
    return best_slot


@compiled
def _try(
    measure: Measure,
    rules: Rules,
    clusters: Clusters,
    slot: int,
    candidate: int,
    verify: bool,
    best: float,
    best_slot: int,
) -> tuple[float, int]:
    """Give the better of the best so far and a candidate."""
    loss = loss_of_union(measure, clusters, slot, candidate)
    if loss > best or (loss == best and candidate > best_slot):
        return best, best_slot
    if verify and not may_join(rules, clusters, slot, candidate):
        return best, best_slot
    return loss, candidate
