"""Split sequences into groups, by events and by time in turn (algorithms 4 and 6)."""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.nearest_first import mend_all
from pdseqpriv.generalization.grouping.search import GroupSearch
from pdseqpriv.generalization.kernels.clusters import MonitoredSequences, new_clusters
from pdseqpriv.generalization.kernels.growing import join_all
from pdseqpriv.generalization.kernels.hilbert import clusters_along_curve
from pdseqpriv.generalization.kernels.splitting import (
    BOTH,
    DRAWN,
    IDLE,
    NEXT,
    STRETCHES,
    CategoryCounts,
    Halving,
    halve,
)
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints, owners_of

# Sequences between two updates of the progress bar, and random numbers drawn at a time.
CHUNK = 20_000


def partition(search: GroupSearch, bar: Bar) -> Ints:
    """Split until the parts would be too small, then mend groups that may not be released."""
    clusters, curve = clusters_along_curve(search.model, search.sequences, search.occurrences)
    ranks, bounds = _halved(search, curve, bar)
    join_all(search.model, clusters, curve[ranks], bounds[1:])
    return mend_all(search, clusters, bar, indexed=True)


def _halved(search: GroupSearch, curve: Ints, bar: Bar) -> tuple[Ints, Ints]:
    """Return sequences, by rank on the curve, ordered so that groups are stretches, and their bounds."""
    span, weights = search.sequences.span, search.weights
    by_time = search.model._replace(per_time=1 / span if span > 0 else 0.0, per_event=0.0)
    clusters = new_clusters(by_time, search.sequences, search.occurrences)
    counts = category_counts(search.sequences, search.model.parent)
    event_share = -1.0 if weights.time == weights.event else weights.event / (weights.time + weights.event)
    halving = Halving(by_time, clusters, counts, curve, search.rules.target, event_share)
    ranks, bounds, cuts = np.arange(curve.size), np.zeros(curve.size + 1, np.int64), np.empty_like(curve)
    state, choices = np.zeros(6, np.int64), np.empty(0)
    bounds[1], state[STRETCHES], state[NEXT] = curve.size, 1, -1
    while state[IDLE] < BOTH:
        if state[DRAWN] == choices.size:
            choices, state[DRAWN] = search.random.random(CHUNK), 0
        bar.update(halve(halving, ranks, bounds, cuts, choices, state, CHUNK))
    return ranks, bounds[: state[STRETCHES] + 1]


def category_counts(sequences: MonitoredSequences, parent: Ints) -> CategoryCounts:
    """Return, for each sequence, its events and the categories above them, with the rows under each."""
    n, n_nodes = sequences.totals.size, parent.size
    owner, node = owners_of(sequences.offsets), sequences.node.astype(np.int64)
    keys = []
    while True:
        keys.append(owner * n_nodes + (n_nodes - 1 - node))
        climbs = node > 0
        if not climbs.any():
            break
        owner, node = owner[climbs], parent[node[climbs]].astype(np.int64)
    key, count = np.unique(np.concatenate(keys), return_counts=True)
    offsets = np.searchsorted(key, np.arange(n + 1) * n_nodes)
    descending = (n_nodes - 1 - key % n_nodes).astype(np.int32)
    lost, is_mixed = np.zeros(n_nodes), np.zeros(n_nodes, np.bool_)
    return CategoryCounts(descending, count.astype(np.int64), offsets, lost, is_mixed)
