"""Find the nearest cluster without looking at most of them (algorithm 2).

Clusters are kept in blocks, neighbours on the Hilbert curve side by side. A block is skipped when its extent
shows that all in it are too far, a cluster when its extent and half of its fingerprint do, or its whole
fingerprint. What is left waits in a queue, the lowest bound first, and is joined: if D_LB of the union does
not rule it out, CP is worked out.

Of 5,400 clusters that an average search could try among 10,000 people with a few visits at any time, k=8,
the blocks leave 720, extents with half a fingerprint 100 (extents alone left 300), and 20 are joined, of
which D_LB spares 9 their CP (counted on 2026-11-16 over all searches).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.bounds import (
    BLOCK,
    LENGTHS,
    N_FACTS,
    block_bounds,
    extent_bound_with_events,
    extent_bounds,
    fingerprint,
    fingerprint_bound,
    rows_in_buckets,
    write_facts,
)
from pdseqpriv.generalization.kernels.clusters import (
    BEGIN,
    END,
    TOTAL,
    Clusters,
    GroupRules,
    loss_of_union,
    may_join,
)
from pdseqpriv.generalization.kernels.hilbert import hilbert_order
from pdseqpriv.generalization.kernels.pair_loss import distance_loss, join_times, least_loss_within
from pdseqpriv.generalization.kernels.profiles import NODE, TIME, LossModel
from pdseqpriv.sequences.kernels.heap import pop, push

BUCKETS = 64
# All buckets together are at least so long, so that nothing that is divided by it is too large: times are
# scaled so that the whole table takes about 1.
SHORTEST = 2.0**-64
# Bounds and losses are sums of rounded numbers; a bound counts only where it is above by more than that.
SAFETY = 1 - 1e-9


class ClusterIndex(NamedTuple):
    """Where each cluster is, and what is known of each and of each block."""

    facts: Array  # float64 per block, fact and place in the block
    slot: Array  # int64 per place, block by block
    place: Array  # int64 per slot
    filled: Array  # int64 per block, how many clusters it holds: its first places
    low: Array  # float64 per fact and block, the least
    high: Array  # float64 per fact and block, the most
    prints: Array  # int16 per place, fingerprints
    lengths: Array  # int16 per block, bucket and place in the block, the lengths of the fingerprints again
    origin: float  # where the first bucket of time begins
    bucket: float  # length of a bucket of time
    with_events: bool  # False where no union can lose anything by categories
    of_blocks: Array  # float64 per block, room for bounds
    waiting: Array  # float64, room for a bound per place and no more: the queue
    who: Array  # int64, the places that wait
    room: tuple[Array, ...]  # float64, room for the times of a union and its loss; the last is int64


@compiled
def index_along_curve(model: LossModel, clusters: Clusters, slots: Array, span: float) -> ClusterIndex:
    """Put clusters into blocks in the order of the Hilbert curve."""
    return new_cluster_index(model, clusters, hilbert_order(clusters, slots, span))


@compiled
def new_cluster_index(model: LossModel, clusters: Clusters, order: Array) -> ClusterIndex:
    """Put clusters, given in an order in which neighbours are alike, into blocks.

    Buckets divide the time of these clusters only: those that are alike would all be in a few buckets of the
    whole span, and fingerprints would tell nothing of them.
    """
    origin, last = _extent(clusters, order)
    n_blocks = (order.size + BLOCK - 1) // BLOCK
    n_places = n_blocks * BLOCK
    index = ClusterIndex(
        np.zeros((n_blocks, N_FACTS, BLOCK), np.float64),
        np.full(n_places, -1),
        np.full(clusters.slots.shape[1], -1),
        np.zeros(n_blocks, np.int64),
        np.empty((N_FACTS, n_blocks), np.float64),
        np.empty((N_FACTS, n_blocks), np.float64),
        np.zeros((n_places, 2, BUCKETS), np.int16),
        np.zeros((n_blocks, BUCKETS, BLOCK), np.int16),
        origin,
        max(last - origin, SHORTEST) / BUCKETS,
        _may_lose_events(model, clusters, order),
        np.empty(n_blocks, np.float64),
        np.empty(n_places, np.float64),
        np.empty(n_places, np.int64),
        _room(clusters.union.times.shape[1]),
    )
    for i in range(order.size):
        index.slot[i], index.place[order[i]] = order[i], i
        index.filled[i // BLOCK] += 1
        _learn(model, clusters, index, order[i])
    for block in range(n_blocks):
        _bound_block(index, block)
    return index


@compiled
def _extent(clusters: Clusters, order: Array) -> tuple[float, float]:
    """Return the first and the last time of some clusters."""
    times, slots = clusters.profiles.times, clusters.slots
    first, last = np.inf, -np.inf
    for slot in order:
        first = min(first, times[TIME, slots[BEGIN, slot]])
        last = max(last, times[TIME, slots[END, slot] - 1])
    return first, last


@compiled
def _may_lose_events(model: LossModel, clusters: Clusters, order: Array) -> bool:
    """Return whether events count and some clusters differ in them."""
    if model.per_event <= 0 or order.size == 0:
        return False
    rows = clusters.profiles.rows
    node = rows[NODE, clusters.slots[BEGIN, order[0]]]
    for slot in order:
        for t in range(clusters.slots[BEGIN, slot], clusters.slots[END, slot]):
            if rows[NODE, t] != node:
                return True
    return bool(model.category[node] > 0)


@compiled
def _room(n: int) -> tuple[Array, ...]:
    """Make room for the distinct times of a union and for what is known of each."""
    room = np.empty((6, n + 1))
    return room[0], room[1], room[2], room[3], room[4], room[5], np.empty(n + 1, np.int64)


@compiled
def _learn(model: LossModel, clusters: Clusters, index: ClusterIndex, slot: int) -> None:
    place = index.place[slot]
    write_facts(model, clusters, slot, index.facts[place // BLOCK, :, place % BLOCK])
    fingerprint(clusters, slot, index.origin, index.bucket, index.prints[place])
    _spread_lengths(index, place)


@compiled
def _spread_lengths(index: ClusterIndex, place: int) -> None:
    prints, lengths, block, i = index.prints, index.lengths, place // BLOCK, place % BLOCK
    for b in range(BUCKETS):
        lengths[block, b, i] = prints[place, LENGTHS, b]


@compiled
def _bound_block(index: ClusterIndex, block: int) -> None:
    facts, low, high = index.facts, index.low, index.high
    for fact in range(N_FACTS):
        least, most = np.inf, -np.inf
        for i in range(index.filled[block]):
            least, most = min(least, facts[block, fact, i]), max(most, facts[block, fact, i])
        low[fact, block], high[fact, block] = least, most


@compiled
def forget_cluster(index: ClusterIndex, slot: int) -> None:
    """Take a cluster out; the last of its block fills the gap."""
    place = index.place[slot]
    block = place // BLOCK
    index.filled[block] -= 1
    last = block * BLOCK + index.filled[block]
    index.facts[block, :, place % BLOCK] = index.facts[block, :, last % BLOCK]
    index.prints[place] = index.prints[last]
    _spread_lengths(index, place)
    index.slot[place] = index.slot[last]
    index.place[index.slot[last]] = place
    index.place[slot] = -1
    _bound_block(index, block)


@compiled
def renew(model: LossModel, clusters: Clusters, index: ClusterIndex, slot: int) -> None:
    """Bring the facts of a cluster that has grown up to date."""
    _learn(model, clusters, index, slot)
    _bound_block(index, index.place[slot] // BLOCK)


@compiled
def nearest_indexed(
    model: LossModel, rules: GroupRules, clusters: Clusters, index: ClusterIndex, slot: int, verify: bool
) -> int:
    """Return what ``nearest`` gives: the cluster whose union with this one loses least, or -1.

    Blocks are visited outwards from the cluster's own, so that near clusters come early. A cluster with the
    lowest bound so far is tried at once, the others wait; of those that wait the nearest comes first.
    """
    # All arrays are taken out here: inside the loop each would cost more than a bound.
    facts, prints, lengths, slots, filled = index.facts, index.prints, index.lengths, index.slot, index.filled
    of_blocks, waiting, who = index.of_blocks, index.waiting, index.who
    origin, bucket = index.origin, index.bucket
    ends, times, rows = clusters.slots, clusters.profiles.times, clusters.profiles.rows
    time, latest, count, least, before, rest, last_start = index.room
    per_time, with_events, in_order = model.per_time, index.with_events, model.per_event <= 0
    here = index.place[slot]
    home, n_blocks = here // BLOCK, filled.size
    mine, of_clusters = facts[home, :, here % BLOCK].copy(), np.empty(2 * BLOCK)
    rows_of_mine, ours = np.empty((3, BUCKETS), np.int32), np.empty(5 * BLOCK, np.int32)
    n_mine = rows_in_buckets(prints, here, rows_of_mine)
    block_bounds(mine, index.low, index.high, per_time, of_blocks)
    best, best_slot, lowest, n_waiting = np.inf, -1, np.inf, 0
    step, i, n_here, block = 0, 0, 0, home
    while True:
        # Either the next cluster of this block, or the next block, or in the end the first that waits.
        if i < n_here:
            place, bound = block * BLOCK + i, of_clusters[i] * SAFETY
            i += 1
            if place == here or bound > best:
                continue
            if with_events and extent_bound_with_events(model, mine, facts, block, i - 1) * SAFETY > best:
                continue
            fine = fingerprint_bound(mine, facts, prints, here, place, per_time, origin, bucket) * SAFETY
            bound = fine if fine > bound else bound
            if bound >= lowest:
                if bound <= best:
                    n_waiting = push(waiting, who, n_waiting, bound, place)
                continue
            lowest = bound
        elif step < 2 * n_blocks:
            block = home + (step + 1) // 2 * (1 if step % 2 else -1)
            step += 1
            if 0 <= block < n_blocks and filled[block] > 0 and of_blocks[block] * SAFETY <= best:
                extent_bounds(
                    mine,
                    rows_of_mine,
                    n_mine,
                    facts,
                    lengths,
                    block,
                    per_time,
                    origin,
                    bucket,
                    ours,
                    of_clusters,
                )
                i, n_here = 0, filled[block]
            continue
        elif n_waiting > 0 and waiting[0] <= best:
            n_waiting = pop(waiting, who, n_waiting)
            place = who[n_waiting]
        else:
            return best_slot
        other = slots[place]
        all_rows = ends[TOTAL, slot] + ends[TOTAL, other]
        limit = best / SAFETY * all_rows
        n = join_times(
            times,
            rows,
            ends[BEGIN, slot],
            ends[END, slot],
            ends[BEGIN, other],
            ends[END, other],
            time,
            latest,
            count,
        )
        if distance_loss(per_time, time, latest, count, n, rest, limit) > limit:
            continue
        loss = -1.0
        if not with_events:
            loss = least_loss_within(
                per_time, time, latest, count, n, least, before, rest, last_start, limit, in_order
            )
            loss /= all_rows
        if loss < 0:
            loss = loss_of_union(model, clusters, slot, other)
        if (loss < best or (loss == best and other < best_slot)) and (
            not verify or may_join(rules, clusters, slot, other)
        ):
            best, best_slot = loss, other
