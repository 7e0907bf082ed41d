"""Groups grown by joining each cluster with its nearest: algorithm 1, and 2 which finds them faster."""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.curve import hilbert_order
from pdseqpriv.generalization.grouping.problem import Problem
from pdseqpriv.generalization.kernels.clusters import SIZE, Clusters, labels
from pdseqpriv.generalization.kernels.growing import LISTED, MENDED, SEEN, grow, mend
from pdseqpriv.generalization.kernels.nearest_clusters import Index, new_index
from pdseqpriv.generalization.people import Ints
from pdseqpriv.progress import progress

# Clusters that are looked at between two signs of life.
CHUNK = 200_000
# The same where most of them are skipped.
CHUNK_INDEXED = 4_000_000
# An index is made anew when so many of its clusters are left: others have grown, and stand in wrong places.
WORN = 0.5


def baseline(problem: Problem) -> Ints:
    """Try every cluster."""
    return _nearest_first(problem, indexed=False)


def indexed(problem: Problem) -> Ints:
    """Skip clusters that are too far."""
    return _nearest_first(problem, indexed=True)


def _nearest_first(problem: Problem, *, indexed: bool) -> Ints:
    clusters = problem.new_clusters()
    everyone = np.arange(problem.people.totals.size)
    grow_all(problem, clusters, everyone, indexed=indexed)
    mend_all(problem, clusters, indexed=indexed)
    found: Ints = labels(clusters)
    return found


def grow_all(problem: Problem, clusters: Clusters, slots: Ints, *, indexed: bool) -> None:
    """Grow some clusters until they are large enough or nothing may join them (step 1)."""
    listed, state = _listed(problem, slots)
    index, n_indexed = _index(problem, clusters, slots, indexed=indexed), slots.size
    choices = problem.random.random(2 * slots.size)
    with progress(slots.size, "joining clusters") as bar:
        while state[LISTED]:
            before = int(state[LISTED])
            if indexed and before < WORN * n_indexed:
                index, n_indexed = _index(problem, clusters, listed[0, :before], indexed=True), before
            n_steps = 1 + (CHUNK_INDEXED if indexed else CHUNK) // before
            grow(problem.measure, problem.rules, clusters, choices, listed, index, state, n_steps)
            bar.update(before - int(state[LISTED]))


def mend_all(problem: Problem, clusters: Clusters, *, indexed: bool) -> None:
    """Join clusters that may not be released with their nearest until they may (step 2)."""
    slots = np.flatnonzero(clusters.slots[SIZE])
    listed, state = _listed(problem, slots)
    index = _index(problem, clusters, slots, indexed=indexed)
    n = problem.people.totals.size
    with progress(n, "mending groups") as bar:
        while state[SEEN] < n:
            before = int(state[SEEN])
            n_steps = 1 + CHUNK // int(state[LISTED])
            mend(problem.measure, problem.rules, clusters, listed, index, state, n_steps)
            bar.update(int(state[SEEN]) - before)


def _listed(problem: Problem, slots: Ints) -> tuple[Ints, Ints]:
    """Give the list of clusters with the place of each in it, and where the walk begins."""
    listed = np.zeros((2, problem.people.totals.size), np.int64)
    listed[0, : slots.size] = slots
    listed[1, slots] = np.arange(slots.size)
    state = np.zeros(4, np.int64)
    state[LISTED], state[MENDED] = slots.size, -1
    return listed, state


def _index(problem: Problem, clusters: Clusters, slots: Ints, *, indexed: bool) -> Index:
    order = hilbert_order(clusters, slots, problem.people.span) if indexed else slots[:0]
    index: Index = new_index(problem.measure, clusters, order, problem.people.span)
    return index
