"""Grow clusters by joining each with its nearest (algorithm 1)."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import (
    MEMBER,
    PLACE,
    PLACES_BEGIN,
    PLACES_END,
    SIZE,
    Clusters,
    GroupRules,
    join_clusters,
    loss_of_union,
    may_join,
    most_in_a_window,
    satisfies,
)
from pdseqpriv.generalization.kernels.loss import LossModel
from pdseqpriv.generalization.kernels.nearest_clusters import ClusterIndex, forget, nearest_indexed, renew

# Places in the state: random choices made, clusters in the list, slots that need no more mending, and the
# slot that is being mended, or -1.
STEP, LISTED, SEEN, MENDED = range(4)
# Rows of the list: slots, and where each slot is.
SLOT, SPOT = range(2)


@compiled
def nearest(
    model: LossModel,
    rules: GroupRules,
    clusters: Clusters,
    listed: Array,
    n_listed: int,
    slot: int,
    verify: bool,
) -> int:
    """Give the listed cluster whose union with this one loses least, or -1; the lowest slot wins."""
    best, best_slot = np.inf, -1
    for candidate in listed[SLOT, :n_listed]:
        if candidate == slot:
            continue
        loss = loss_of_union(model, clusters, slot, candidate)
        if loss < best or (loss == best and candidate < best_slot):
            if verify and not may_join(rules, clusters, slot, candidate):
                continue
            best, best_slot = loss, candidate
    return best_slot


@compiled
def grow(
    model: LossModel,
    rules: GroupRules,
    clusters: Clusters,
    choices: Array,
    listed: Array,
    index: ClusterIndex,
    state: Array,
    n_steps: int,
) -> None:
    """Take random clusters from the list and join each with its nearest, until they are large enough.

    So many steps of step 1 of algorithm 1. An index without blocks means that all clusters are tried.
    """
    for _ in range(n_steps):
        if state[LISTED] == 0:
            return
        slot = listed[SLOT, int(choices[state[STEP]] * state[LISTED])]
        state[STEP] += 1
        if index.filled.size:
            other = nearest_indexed(model, rules, clusters, index, slot, True)
        else:
            other = nearest(model, rules, clusters, listed, state[LISTED], slot, True)
        if other < 0:
            _take_out(listed, slot, index, state)
            continue
        kept = join_clusters(model, clusters, slot, other)
        _take_out(listed, slot + other - kept, index, state)
        if clusters.slots[SIZE, kept] >= rules.target:
            _take_out(listed, kept, index, state)
        elif index.filled.size:
            renew(model, clusters, index, kept)


@compiled
def _take_out(listed: Array, slot: int, index: ClusterIndex, state: Array) -> None:
    """Take a cluster off the list; the last one fills the gap."""
    if index.filled.size:
        forget(index, slot)
    state[LISTED] -= 1
    last = listed[SLOT, state[LISTED]]
    listed[SLOT, listed[SPOT, slot]] = last
    listed[SPOT, last] = listed[SPOT, slot]


@compiled
def mend(
    model: LossModel,
    rules: GroupRules,
    clusters: Clusters,
    listed: Array,
    index: ClusterIndex,
    state: Array,
    n_steps: int,
) -> None:
    """Join each cluster that may not be released with its nearest, until it may.

    So many steps of step 2 of algorithm 1; all clusters are listed.
    """
    steps = 0
    while state[SEEN] < clusters.slots.shape[1] and steps < n_steps:
        slot = state[MENDED] if state[MENDED] >= 0 else state[SEEN]
        if clusters.slots[SIZE, slot] == 0 or satisfies(rules, clusters, slot):
            state[MENDED] = -1
            state[SEEN] += 1
            continue
        steps += 1
        if index.filled.size:
            other = nearest_indexed(model, rules, clusters, index, slot, False)
        else:
            other = nearest(model, rules, clusters, listed, state[LISTED], slot, False)
        if other < 0:
            raise RuntimeError("all sequences together may not be released")
        kept = join_clusters(model, clusters, slot, other)
        _take_out(listed, slot + other - kept, index, state)
        if index.filled.size:
            renew(model, clusters, index, kept)
        state[MENDED] = kept


@compiled
def join_all(model: LossModel, clusters: Clusters, order: Array, ends: Array) -> None:
    """Make one cluster of each stretch of an order of clusters; stretches end at ``ends``."""
    begin = 0
    for end in ends:
        slot = order[begin]
        for i in range(begin + 1, end):
            slot = join_clusters(model, clusters, slot, order[i])
        begin = end


@compiled
def may_be_released(rules: GroupRules, clusters: Clusters, order: Array, ends: Array) -> Array:
    """Tell which stretches of an order of sequences would be groups that satisfy the rules."""
    slots, places = clusters.slots, clusters.places
    found = np.ones(ends.size, np.bool_)
    begin = 0
    for stretch in range(ends.size):
        n = 0
        for slot in order[begin : ends[stretch]]:
            n += slots[PLACES_END, slot] - slots[PLACES_BEGIN, slot]
        theirs, n = np.empty((2, n), np.int64), 0
        for slot in order[begin : ends[stretch]]:
            for p in range(slots[PLACES_BEGIN, slot], slots[PLACES_END, slot]):
                theirs[PLACE, n], theirs[MEMBER, n] = places[PLACE, p], places[MEMBER, p]
                n += 1
        theirs = theirs[:, np.argsort(theirs[PLACE])]
        most = most_in_a_window(theirs, 0, n, rules.until, clusters.inside)
        size = ends[stretch] - begin
        found[stretch] = size >= rules.k and most <= rules.allowed[size]
        begin = ends[stretch]
    return found
