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
    distance_loss,
    extent_bound,
    facts_of,
    fingerprint,
    fingerprint_loss,
)
from pdseqpriv.kernels.generalization.clusters import Clusters, Rules, loss_of_union, may_join
from pdseqpriv.kernels.generalization.loss import Measure

BLOCK = 32
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
    left: Array  # int64 per place, room for a search
    bounds: Array  # float64 per place, room for a search
    least: Array  # float64 per bucket of time, room for a fingerprint
    bucket: float  # length of a bucket


@compiled
def new_index(measure: Measure, clusters: Clusters, order: Array, span: float) -> Index:
    """Put clusters, given in an order in which neighbours are alike, into blocks."""
    n_blocks = (order.size + BLOCK - 1) // BLOCK
    facts = np.zeros((n_blocks * BLOCK, N_FACTS), np.float64)
    slot, place = np.full(n_blocks * BLOCK, -1), np.full(clusters.slots.shape[1], -1)
    filled = np.zeros(n_blocks, np.int64)
    for i in range(order.size):
        slot[i], place[order[i]] = order[i], i
        facts_of(measure, clusters, order[i], facts, i)
        filled[i // BLOCK] += 1
    index = Index(
        facts,
        slot,
        place,
        filled,
        np.empty((n_blocks, N_FACTS)),
        np.empty((n_blocks, N_FACTS)),
        np.empty(n_blocks * BLOCK, np.int64),
        np.empty(n_blocks * BLOCK, np.float64),
        np.empty(BUCKETS, np.float64),
        (span if span > 0 else 1.0) / BUCKETS,
    )
    for block in range(n_blocks):
        _measure_block(index, block)
    return index


@compiled
def _measure_block(index: Index, block: int) -> None:
    index.low[block] = np.inf
    index.high[block] = -np.inf
    for place in range(block * BLOCK, block * BLOCK + index.filled[block]):
        for fact in range(N_FACTS):
            index.low[block, fact] = min(index.low[block, fact], index.facts[place, fact])
            index.high[block, fact] = max(index.high[block, fact], index.facts[place, fact])


@compiled
def forget(index: Index, slot: int) -> None:
    """Take a cluster out; the last of its block fills the gap."""
    place = index.place[slot]
    block = place // BLOCK
    index.filled[block] -= 1
    last = block * BLOCK + index.filled[block]
    index.facts[place] = index.facts[last]
    index.slot[place] = index.slot[last]
    index.place[index.slot[last]] = place
    index.place[slot] = -1
    _measure_block(index, block)


@compiled
def renew(measure: Measure, clusters: Clusters, index: Index, slot: int) -> None:
    """Learn the facts of a cluster that has grown."""
    facts_of(measure, clusters, slot, index.facts, index.place[slot])
    _measure_block(index, index.place[slot] // BLOCK)


@compiled
def block_bound(measure: Measure, index: Index, here: int, block: int) -> float:
    """Give a lower bound of CP of a cluster with any cluster of a block."""
    facts, low, high = index.facts, index.low, index.high
    first, first_end = (
        min(facts[here, FIRST], high[block, FIRST]),
        max(facts[here, FIRST_END], low[block, FIRST_END]),
    )
    last_begin, last = (
        min(facts[here, LAST_BEGIN], high[block, LAST_BEGIN]),
        max(facts[here, LAST], low[block, LAST]),
    )
    one = (facts[here, ROWS] + low[block, ROWS]) * max(0.0, last - first)
    several = (facts[here, FIRST_ROWS] + low[block, FIRST_ROWS]) * max(0.0, first_end - first)
    several += (facts[here, LAST_ROWS] + low[block, LAST_ROWS]) * max(0.0, last - last_begin)
    loss = measure.per_time * (one if first_end >= last_begin else min(one, several))
    loss = max(loss, facts[here, OWN] + low[block, OWN])
    return float(loss / (facts[here, ALL_ROWS] + high[block, ALL_ROWS]))


@compiled
def nearest_indexed(
    measure: Measure, rules: Rules, clusters: Clusters, index: Index, slot: int, verify: bool
) -> int:
    """Give what ``nearest`` gives: the cluster whose union with this one loses least, or -1.

    Blocks are visited outwards from the cluster's own. A cluster with a lower bound than all before it is
    tried at once; the others wait until the best of those is known.
    """
    facts, here = index.facts, index.place[slot]
    n_blocks, home = index.filled.size, here // BLOCK
    best, best_slot, lowest, n_left = np.inf, -1, np.inf, 0
    for step in range(2 * n_blocks):
        block = home + (step + 1) // 2 * (1 if step % 2 else -1)
        if block < 0 or block >= n_blocks or index.filled[block] == 0:
            continue
        if block_bound(measure, index, here, block) * SAFETY > best:
            continue
        for place in range(block * BLOCK, block * BLOCK + index.filled[block]):
            bound = extent_bound(measure, facts, here, place) * SAFETY
            if place == here or bound > best or (bound == best and index.slot[place] > best_slot):
                continue
            if bound < lowest:
                lowest = bound
                best, best_slot = _try(
                    measure, rules, clusters, slot, index.slot[place], verify, best, best_slot
                )
            else:
                index.left[n_left], index.bounds[n_left] = place, bound
                n_left += 1
    if n_left:
        fingerprint(clusters, slot, index.bucket, index.least)
    for i in range(n_left):
        candidate = index.slot[index.left[i]]
        if index.bounds[i] > best or (index.bounds[i] == best and candidate > best_slot):
            continue
        bound = _closer_bound(measure, clusters, index, slot, candidate, best)
        if bound > best or (bound == best and candidate > best_slot):
            continue
        best, best_slot = _try(measure, rules, clusters, slot, candidate, verify, best, best_slot)
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


@compiled
def _closer_bound(
    measure: Measure, clusters: Clusters, index: Index, slot: int, candidate: int, best: float
) -> float:
    """Bound CP by the fingerprint and, if that is not yet above the best, by distances of single rows."""
    facts, here, there = index.facts, index.place[slot], index.place[candidate]
    all_rows = facts[here, ALL_ROWS] + facts[there, ALL_ROWS]
    theirs = fingerprint_loss(clusters, candidate, facts, here, there, index.bucket, index.least)
    theirs = max(measure.per_time * theirs, facts[there, OWN])
    bound = (facts[here, OWN] + theirs) / all_rows * SAFETY
    if bound > best:
        return float(bound)
    ours = measure.per_time * distance_loss(clusters, slot, candidate, facts, here, there)
    return float((max(ours, facts[here, OWN]) + theirs) / all_rows * SAFETY)
