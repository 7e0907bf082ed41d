"""Grow groups by joining each cluster with its nearest: algorithm 1, and algorithm 2, which is faster."""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.search import GroupSearch
from pdseqpriv.generalization.kernels.clusters import SIZE, Clusters, labels, new_clusters
from pdseqpriv.generalization.kernels.growing import LISTED, MENDED, SEEN, Walk, grow_clusters, mend
from pdseqpriv.generalization.kernels.nearest_clusters import ClusterIndex, index_along_curve
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints

# Clusters that are processed between two updates of the progress bar.
CHUNK = 200_000
# The same if most of them are skipped.
CHUNK_INDEXED = 4_000_000
# An index is rebuilt once only this share of its clusters is left: others have grown and are misplaced.
WORN = 0.5


def baseline(search: GroupSearch, bar: Bar) -> Ints:
    """Try every cluster."""
    return _nearest_first(search, bar, indexed=False)


def indexed(search: GroupSearch, bar: Bar) -> Ints:
    """Skip clusters that are too far away."""
    return _nearest_first(search, bar, indexed=True)


def _nearest_first(search: GroupSearch, bar: Bar, *, indexed: bool) -> Ints:
    clusters = new_clusters(search.model, search.sequences, search.occurrences)
    grow_all(search, clusters, np.arange(search.sequences.totals.size), bar, indexed=indexed)
    return mend_all(search, clusters, bar, indexed=indexed)


def grow_all(search: GroupSearch, clusters: Clusters, slots: Ints, bar: Bar, *, indexed: bool) -> None:
    """Grow some clusters until they are large enough or nothing may join them (step 1)."""
    walk, n_indexed = _walk(search, clusters, slots, indexed=indexed), slots.size
    choices = search.random.random(2 * slots.size)
    while walk.state[LISTED]:
        before = int(walk.state[LISTED])
        if indexed and before < WORN * n_indexed:
            left, n_indexed = walk.listed[0, :before], before
            walk = walk._replace(blocks=_index(search, clusters, left, indexed=True))
        grow_clusters(walk, choices, 1 + (CHUNK_INDEXED if indexed else CHUNK) // before)
        bar.update(before - int(walk.state[LISTED]))


def mend_all(search: GroupSearch, clusters: Clusters, bar: Bar, *, indexed: bool) -> Ints:
    """Join clusters that may not be released with their nearest until they may (step 2).

    Returns the slot of the cluster that each sequence is in.
    """
    walk = _walk(search, clusters, np.flatnonzero(clusters.slots[SIZE]), indexed=indexed)
    while walk.state[SEEN] < search.sequences.totals.size:
        before = int(walk.state[SEEN])
        mend(walk, 1 + CHUNK // int(walk.state[LISTED]))
        bar.update(int(walk.state[SEEN]) - before)
    found: Ints = labels(clusters)
    return found


def _walk(search: GroupSearch, clusters: Clusters, slots: Ints, *, indexed: bool) -> Walk:
    """List clusters, with the place of each in the list, and put them into an index."""
    listed = np.zeros((2, search.sequences.totals.size), np.int64)
    listed[0, : slots.size] = slots
    listed[1, slots] = np.arange(slots.size)
    state = np.zeros(4, np.int64)
    state[LISTED], state[MENDED] = slots.size, -1
    index = _index(search, clusters, slots, indexed=indexed)
    return Walk(search.model, search.rules, clusters, index, listed, state)


def _index(search: GroupSearch, clusters: Clusters, slots: Ints, *, indexed: bool) -> ClusterIndex:
    """Put clusters into an index; an index without blocks means that all clusters are tried."""
    slots = slots if indexed else slots[:0]
    index: ClusterIndex = index_along_curve(search.model, clusters, slots, search.sequences.span)
    return index
