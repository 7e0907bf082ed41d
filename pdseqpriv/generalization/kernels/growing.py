"""Grow clusters by joining each with its nearest (algorithm 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import (
    PERSON,
    PLACE,
    PLACES_BEGIN,
    PLACES_END,
    SIZE,
    Clusters,
    GroupRules,
    count_people_of,
    join_clusters,
    loss_of_union,
    may_join,
    most_in_a_window,
    satisfies,
)
from pdseqpriv.generalization.kernels.nearest_clusters import (
    ClusterIndex,
    forget_cluster,
    nearest_indexed,
    renew,
)
from pdseqpriv.generalization.kernels.profiles import LossModel

# Places in Walk.state: random choices made, clusters in the list, slots that need no more mending, and the
# slot that is being mended, or -1.
STEP, LISTED, SEEN, MENDED = range(4)
# Rows of Walk.listed: slots, and where each slot is.
SLOT, SPOT = range(2)


class Walk(NamedTuple):
    """A walk over clusters, each of which is joined with its nearest."""

    model: LossModel
    rules: GroupRules
    clusters: Clusters
    blocks: ClusterIndex  # an index; one without blocks means that all clusters are tried
    listed: Array  # int64, 2 x sequences
    state: Array  # int64


@compiled
def nearest(walk: Walk, slot: int, verify: bool) -> int:
    """Return the listed cluster whose union with this one loses least, or -1; the lowest slot wins."""
    if walk.blocks.filled.size:
        return nearest_indexed(walk.model, walk.rules, walk.clusters, walk.blocks, slot, verify)
    best, best_slot = np.inf, -1
    for candidate in walk.listed[SLOT, : walk.state[LISTED]]:
        if candidate == slot:
            continue
        loss = loss_of_union(walk.model, walk.clusters, slot, candidate)
        if loss < best or (loss == best and candidate < best_slot):
            if verify and not may_join(walk.rules, walk.clusters, slot, candidate):
                continue
            best, best_slot = loss, candidate
    return best_slot


@compiled
def grow_clusters(walk: Walk, choices: Array, n_steps: int) -> None:
    """Take random clusters from the list and join each with its nearest, until they are large enough.

    So many steps of step 1 of algorithm 1.
    """
    listed, state = walk.listed, walk.state
    for _ in range(n_steps):
        if state[LISTED] == 0:
            return
        slot = listed[SLOT, int(choices[state[STEP]] * state[LISTED])]
        state[STEP] += 1
        other = nearest(walk, slot, True)
        if other < 0:
            _take_out(walk, slot)
            continue
        kept = _join(walk, slot, other)
        if walk.clusters.slots[SIZE, kept] >= walk.rules.target:
            _take_out(walk, kept)


@compiled
def _join(walk: Walk, slot: int, other: int) -> int:
    """Join two listed clusters under one of their slots, which is given; the other leaves the list."""
    kept = join_clusters(walk.model, walk.clusters, slot, other)
    _take_out(walk, slot + other - kept)
    if walk.blocks.filled.size:
        renew(walk.model, walk.clusters, walk.blocks, kept)
    return kept


@compiled
def _take_out(walk: Walk, slot: int) -> None:
    """Take a cluster off the list; the last one fills the gap."""
    listed, state = walk.listed, walk.state
    if walk.blocks.filled.size:
        forget_cluster(walk.blocks, slot)
    state[LISTED] -= 1
    last = listed[SLOT, state[LISTED]]
    listed[SLOT, listed[SPOT, slot]] = last
    listed[SPOT, last] = listed[SPOT, slot]


@compiled
def mend(walk: Walk, n_steps: int) -> None:
    """Join each cluster that may not be released with its nearest, until it may.

    So many steps of step 2 of algorithm 1; all clusters are listed.
    """
    slots, state, steps = walk.clusters.slots, walk.state, 0
    while state[SEEN] < slots.shape[1] and steps < n_steps:
        slot = state[MENDED] if state[MENDED] >= 0 else state[SEEN]
        if slots[SIZE, slot] == 0 or satisfies(walk.rules, walk.clusters, slot):
            state[MENDED] = -1
            state[SEEN] += 1
            continue
        steps += 1
        other = nearest(walk, slot, False)
        if other < 0:
            raise RuntimeError("all sequences together may not be released")
        state[MENDED] = _join(walk, slot, other)


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
    """Return which stretches of an order of sequences would be groups that satisfy the rules."""
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
                theirs[PLACE, n], theirs[PERSON, n] = places[PLACE, p], places[PERSON, p]
                n += 1
        theirs = theirs[:, np.argsort(theirs[PLACE])]
        most = most_in_a_window(theirs, 0, n, rules.until, clusters.inside)
        size = count_people_of(clusters, order[begin : ends[stretch]])
        found[stretch] = size >= rules.k and most <= rules.allowed[size]
        begin = ends[stretch]
    return found
