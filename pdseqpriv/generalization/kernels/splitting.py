"""Split sequences by what they do and by when (algorithms 4 to 6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import Clusters, loss_of_union
from pdseqpriv.generalization.kernels.loss import Measure


class Events(NamedTuple):
    """Of each sequence its events and all categories above them, descending, with the rows under each."""

    node: Array  # int32
    rows: Array  # int64
    offsets: Array  # int64
    lost: Array  # float64 per node, all 0: what the rows under a category lose
    is_mixed: Array  # bool per node, all False: some child has rows of only one of two sequences


@compiled
def event_distance(measure: Measure, events: Events, one: int, other: int) -> float:
    """Give the least share lost by categories that make the events of two sequences equal (algorithm 5).

    From below: a category whose children all have rows of both sequences, or of none, loses what they lose;
    if a child has rows of only one of them, the category itself has to stand for all rows under it.
    """
    node, rows, lost, is_mixed = events.node, events.rows, events.lost, events.is_mixed
    i, i_end = events.offsets[one], events.offsets[one + 1]
    j, j_end = events.offsets[other], events.offsets[other + 1]
    loss = 0.0
    while i < i_end or j < j_end:
        in_one = i < i_end and (j == j_end or node[i] >= node[j])
        in_other = j < j_end and (i == i_end or node[j] >= node[i])
        here = node[i] if in_one else node[j]
        above = measure.parent[here]
        if in_one and in_other:
            loss = lost[here]
            if is_mixed[here]:
                loss = measure.category[here] * (rows[i] + rows[j])
            lost[above] += loss
        else:
            is_mixed[above] = True
        lost[here] = 0
        is_mixed[here] = False
        i += in_one
        j += in_other
    # The root comes last, and both sequences have all their rows under it.
    return float(loss / (rows[i_end - 1] + rows[j_end - 1]))


@compiled
def _distance(
    measure: Measure, clusters: Clusters, events: Events, by_events: bool, one: int, other: int
) -> float:
    if by_events:
        return event_distance(measure, events, one, other)
    if one == other:
        return 0.0
    return loss_of_union(measure, clusters, one, other)


@compiled
def split(
    measure: Measure,
    clusters: Clusters,
    events: Events,
    curve: Array,
    ranks: Array,
    least: int,
    by_events: bool,
    choice: float,
) -> int:
    """Order sequences, given by their ranks on a curve, so that two parts are alike; give where to cut.

    One pivot is chosen at random, the other is the farthest from it, and sequences stand in order of how much
    nearer they are to the first. By events the cut is where the second becomes the nearer one; where many
    are as near to both, in the midst of them if possible. By time it is in the middle, as groups of at least
    half the sequences have it. No part is smaller than ``least`` or an eighth.
    """
    n = ranks.size
    first = curve[ranks[int(choice * n)]]
    nearer = np.empty(n, np.float64)
    far = 0
    for i in range(n):
        nearer[i] = _distance(measure, clusters, events, by_events, first, curve[ranks[i]])
        if nearer[i] > nearer[far]:
            far = i
    second = curve[ranks[far]]
    for i in range(n):
        nearer[i] -= _distance(measure, clusters, events, by_events, second, curve[ranks[i]])
    cut = n // 2
    if by_events:
        below, equal = 0, 0
        for i in range(n):
            below += nearer[i] < 0
            equal += nearer[i] == 0
        cut = min(max(cut, below), below + equal)
    smallest = max(least, n // 8)
    cut = min(max(cut, smallest), n - smallest)
    # As many groups fit into both parts as into the whole.
    cut -= max(0, cut % least - n % least)
    ranks[:] = ranks[np.argsort(nearer, kind="mergesort")]
    ranks[:cut] = np.sort(ranks[:cut])
    ranks[cut:] = np.sort(ranks[cut:])
    return cut


@compiled
def split_all(
    measure: Measure,
    clusters: Clusters,
    events: Events,
    curve: Array,
    ranks: Array,
    bounds: Array,
    cuts: Array,
    least: int,
    by_events: bool,
    choices: Array,
    begin: int,
    end: int,
) -> None:
    """Split some stretches that are large enough; ``cuts`` gets where, or the end of a stretch that stays."""
    for s in range(begin, end):
        cuts[s] = bounds[s + 1]
        if bounds[s + 1] - bounds[s] >= 2 * least:
            stretch = ranks[bounds[s] : bounds[s + 1]]
            at = split(measure, clusters, events, curve, stretch, least, by_events, choices[s])
            cuts[s] = bounds[s] + at
