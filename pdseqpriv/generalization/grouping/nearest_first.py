"""Groups grown by joining each cluster with its nearest: algorithm 1, and 2 which finds them faster."""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.search import GroupSearch, Ints
from pdseqpriv.generalization.kernels.clusters import SIZE, Clusters, labels, new_clusters
from pdseqpriv.generalization.kernels.growing import LISTED, MENDED, SEEN, grow, mend
from pdseqpriv.generalization.kernels.nearest_clusters import ClusterIndex, index_along_curve
from pdseqpriv.progress import Bar

# Clusters that are looked at between two updates of the progress bar.
CHUNK = 200_000
# The same where most of them are skipped.
CHUNK_INDEXED = 4_000_000
# An index is rebuilt when only this share of its clusters is left: others have grown, and are misplaced.
WORN = 0.5


def baseline(search: GroupSearch, bar: Bar) -> Ints:
    """Try every cluster."""
    return _nearest_first(search, bar, indexed=False)


def indexed(search: GroupSearch, bar: Bar) -> Ints:
    """Skip clusters that are too far."""
    return _nearest_first(search, bar, indexed=True)


def _nearest_first(search: GroupSearch, bar: Bar, *, indexed: bool) -> Ints:
    clusters = new_clusters(search.model, search.sequences, search.occurrences)
    grow_all(search, clusters, np.arange(search.sequences.totals.size), bar, indexed=indexed)
    return mend_all(search, clusters, bar, indexed=indexed)


def grow_all(search: GroupSearch, clusters: Clusters, slots: Ints, bar: Bar, *, indexed: bool) -> None:
    """Grow some clusters until they are large enough or nothing may join them (step 1)."""
    listed, state = _listed(search, slots)
    index, n_indexed = _index(search, clusters, slots, indexed=indexed), slots.size
    choices = search.random.random(2 * slots.size)
    while state[LISTED]:
        before = int(state[LISTED])
        if indexed and before < WORN * n_indexed:
            index, n_indexed = _index(search, clusters, listed[0, :before], indexed=True), before
        n_steps = 1 + (CHUNK_INDEXED if indexed else CHUNK) // before
        grow(search.model, search.rules, clusters, choices, listed, index, state, n_steps)
        bar.update(before - int(state[LISTED]))


def mend_all(search: GroupSearch, clusters: Clusters, bar: Bar, *, indexed: bool) -> Ints:
    """Join clusters that may not be released with their nearest until they may (step 2).

    Gives the slot of the cluster that each sequence is in.
    """
    slots = np.flatnonzero(clusters.slots[SIZE])
    listed, state = _listed(search, slots)
    index = _index(search, clusters, slots, indexed=indexed)
    n = search.sequences.totals.size
    while state[SEEN] < n:
        before = int(state[SEEN])
        n_steps = 1 + CHUNK // int(state[LISTED])
        mend(search.model, search.rules, clusters, listed, index, state, n_steps)
        bar.update(int(state[SEEN]) - before)
    found: Ints = labels(clusters)
    return found


def _listed(search: GroupSearch, slots: Ints) -> tuple[Ints, Ints]:
    """Give the list of clusters with the place of each in it, and where the walk begins."""
    listed = np.zeros((2, search.sequences.totals.size), np.int64)
    listed[0, : slots.size] = slots
    listed[1, slots] = np.arange(slots.size)
    state = np.zeros(4, np.int64)
    state[LISTED], state[MENDED] = slots.size, -1
    return listed, state


def _index(search: GroupSearch, clusters: Clusters, slots: Ints, *, indexed: bool) -> ClusterIndex:
    """Put clusters into an index; one without blocks means that all clusters are tried."""
    slots = slots if indexed else slots[:0]
    index: ClusterIndex = index_along_curve(search.model, clusters, slots, search.sequences.span)
    return index
