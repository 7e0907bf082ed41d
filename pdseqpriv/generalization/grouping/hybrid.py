"""Groups cut from the Hilbert curve where that loses little, grown elsewhere (algorithm 3)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.grouping.curve import hilbert_order
from pdseqpriv.generalization.grouping.nearest import grow_all, indexed, mend_all
from pdseqpriv.generalization.grouping.problem import Problem
from pdseqpriv.generalization.kernels.clusters import Clusters, labels
from pdseqpriv.generalization.kernels.growing import join_all, may_be_released
from pdseqpriv.generalization.kernels.hilbert import cut, neighbour_losses, way_back
from pdseqpriv.generalization.kernels.loss import new_summary
from pdseqpriv.generalization.people import Floats, Ints
from pdseqpriv.progress import progress

# Sequences between two signs of life.
CHUNK = 2_000
# A group cut from the curve that loses more than so many times the average is grown instead. That takes
# about twice the time; on generated visits, also scattered ones, the loss then was that of indexed and not a
# quarter above it. No rule says that it stays so on other tables.
PATIENCE = 1 + 1e-9
# Ways to cut grow with the square of the size of groups, so a curve of large groups is cut at fewer places: a
# group of the least size has at most so many grains. For 3,000 scattered visitors and k=200 that took 0.4 s
# instead of 20 (2026-11-16, 2 cores, busy); with 16, 32 or 64 grains the loss differed no more than by seed.
GRAINS = 16
# With fewer groups than this region A holds one or two of them, and what the curve leaves over makes those
# larger: then all is grown.
HANDFUL = 8


def hybrid(problem: Problem) -> Ints:
    """Cut region A, grow region B."""
    if problem.people.totals.size < HANDFUL * problem.rules.target:
        return indexed(problem)
    clusters = problem.new_clusters()
    order = hilbert_order(clusters, np.arange(problem.people.totals.size), problem.people.span)
    in_a = _is_in_region_a(problem, clusters, order)
    return _cut_and_grow(problem, clusters, order[in_a], order[~in_a], patience=PATIENCE)


def hilbert(problem: Problem) -> Ints:
    """Cut all: everyone is in region A."""
    clusters = problem.new_clusters()
    order = hilbert_order(clusters, np.arange(problem.people.totals.size), problem.people.span)
    return _cut_and_grow(problem, clusters, order, order[:0], patience=None)


def _is_in_region_a(problem: Problem, clusters: Clusters, order: Ints) -> NDArray[np.bool_]:
    """Say who loses no more than the average with the neighbour before, or has only one row."""
    if order.size == 1:
        return np.ones(1, bool)
    losses = np.zeros(order.size)
    with progress(order.size, "comparing neighbours") as bar:
        for begin, end in pairwise([*range(0, order.size, CHUNK), order.size]):
            neighbour_losses(problem.measure, clusters, order, losses, begin, end)
            bar.update(end - begin)
    rows = np.diff(problem.people.offsets)[order]
    near: NDArray[np.bool_] = (losses <= losses.mean()) | (rows == 1)
    return near


def _cut_and_grow(
    problem: Problem, clusters: Clusters, region_a: Ints, region_b: Ints, *, patience: float | None
) -> Ints:
    """Cut one region and grow the other, with what of the first may not be released or loses much.

    Much is ``patience`` times what an average sequence of the first region loses; without it, all that may be
    released stays. What is left is mended.
    """
    if region_a.size >= problem.rules.target:
        ends, losses = _cuts(problem, clusters, region_a)
        sizes = np.diff(ends, prepend=0)
        stays = may_be_released(problem.rules, clusters, region_a, ends)
        if patience is not None:
            stays &= losses <= patience * (losses * sizes).sum() / region_a.size
        member = np.repeat(stays, sizes)
        join_all(problem.measure, clusters, region_a[member], np.cumsum(sizes[stays]))
        region_a = region_a[~member]
    grow_all(problem, clusters, np.sort(np.concatenate([region_a, region_b])), indexed=True)
    mend_all(problem, clusters, indexed=True)
    found: Ints = labels(clusters)
    return found


def _cuts(problem: Problem, clusters: Clusters, order: Ints) -> tuple[Ints, Floats]:
    """Give where the groups end that lose least among all stretches of an order, and what each loses."""
    n, least = order.size, problem.rules.target
    best, sizes = np.zeros(n + 1), np.zeros(n + 1, np.int64)
    room, grain = clusters.union.times.shape[1], -(-least // GRAINS)
    rooms = (new_summary(room), new_summary(room))
    with progress(n, "cutting the curve") as bar:
        for begin, end in pairwise([*range(0, n, CHUNK), n]):
            cut(problem.measure, clusters, order, least, grain, rooms, best, sizes, begin, end)
            bar.update(end - begin)
    ends: Ints = way_back(sizes)
    return ends, np.diff(best[ends], prepend=0.0) / np.diff(ends, prepend=0)
