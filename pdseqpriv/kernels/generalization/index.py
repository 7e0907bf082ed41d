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
    extent_bound,
    facts_of,
)
from pdseqpriv.kernels.generalization.clusters import Clusters, Rules, loss_of_union, may_join
from pdseqpriv.kernels.generalization.loss import Measure

BLOCK = 32
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


@compiled
def new_index(measure: Measure, clusters: Clusters, order: Array) -> Index:
    """Put clusters, given in an order in which neighbours are alike, into blocks."""
    n_blocks = (order.size + BLOCK - 1) // BLOCK
    facts = np.zeros((n_blocks * BLOCK, N_FACTS), np.float64)
    slot, place = np.full(n_blocks * BLOCK, -1), np.full(clusters.slots.shape[1], -1)
    filled = np.zeros(n_blocks, np.int64)
    for i in range(order.size):
        slot[i], place[order[i]] = order[i], i
        facts_of(measure, clusters, order[i], facts[i])
        filled[i // BLOCK] += 1
    index = Index(facts, slot, place, filled, np.empty((n_blocks, N_FACTS)), np.empty((n_blocks, N_FACTS)))
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
    facts_of(measure, clusters, slot, index.facts[index.place[slot]])
    _measure_block(index, index.place[slot] // BLOCK)


@compiled
def block_bound(measure: Measure, query: Array, low: Array, high: Array) -> float:
    """Give a lower bound of CP of a cluster with any cluster of a block."""
    first, first_end = min(query[FIRST], high[FIRST]), max(query[FIRST_END], low[FIRST_END])
    last_begin, last = min(query[LAST_BEGIN], high[LAST_BEGIN]), max(query[LAST], low[LAST])
    one = (query[ROWS] + low[ROWS]) * (last - first)
    several = (query[FIRST_ROWS] + low[FIRST_ROWS]) * max(0.0, first_end - first)
    several += (query[LAST_ROWS] + low[LAST_ROWS]) * max(0.0, last - last_begin)
    loss = measure.per_time * (one if first_end >= last_begin else min(one, several))
    return float(max(loss, query[OWN] + low[OWN]) / (query[ALL_ROWS] + high[ALL_ROWS]))


@compiled
def nearest_indexed(
    measure: Measure, rules: Rules, clusters: Clusters, index: Index, slot: int, verify: bool
) -> int:
    """Give what ``nearest`` gives; blocks are visited outwards from the cluster's own."""
    n_blocks, query = index.filled.size, index.facts[index.place[slot]]
    home = index.place[slot] // BLOCK
    best, best_slot = np.inf, -1
    for step in range(2 * n_blocks):
        block = home + (step + 1) // 2 * (1 if step % 2 else -1)
        if block < 0 or block >= n_blocks or index.filled[block] == 0:
            continue
        if block_bound(measure, query, index.low[block], index.high[block]) * SAFETY > best:
            continue
        for place in range(block * BLOCK, block * BLOCK + index.filled[block]):
            candidate = index.slot[place]
            bound = extent_bound(measure, query, index.facts[place]) * SAFETY
            if bound > best or (bound == best and candidate > best_slot) or candidate == slot:
                continue
            loss = loss_of_union(measure, clusters, slot, candidate)
            if loss < best or (loss == best and candidate < best_slot):
                if verify and not may_join(rules, clusters, slot, candidate):
                    continue
                best, best_slot = loss, candidate
    return best_slot
