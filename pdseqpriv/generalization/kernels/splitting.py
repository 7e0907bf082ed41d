"""Split sequences by what they do and by when (algorithms 4 to 6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.clusters import Clusters, loss_of_union
from pdseqpriv.generalization.kernels.profiles import LossModel

# Places in the state of halving: stretches there are, the one that comes next (-1: a new level begins),
# levels that are done, levels without a cut in a row, random choices made, and whether this level goes by
# events.
STRETCHES, NEXT, LEVEL, IDLE, DRAWN, BY_EVENTS = range(6)
# Halving ends after this many levels in a row without a cut: one by events, one by time.
BOTH = 2


class CategoryCounts(NamedTuple):
    """Of each sequence its events and all categories above them, descending, with the rows under each."""

    node: Array  # int32
    rows: Array  # int64
    offsets: Array  # int64
    lost: Array  # float64 per node, all 0: what the rows under a category lose
    is_mixed: Array  # bool per node, all False: some child has rows of only one of two sequences


@compiled
def event_distance(model: LossModel, counts: CategoryCounts, one: int, other: int) -> float:
    """Return the least share lost by categories that make the events of two sequences equal (algorithm 5).

    From below: a category whose children all have rows of both sequences, or of none, loses what they lose;
    if a child has rows of only one of them, the category itself has to stand for all rows under it.
    """
    node, rows, lost, is_mixed = counts.node, counts.rows, counts.lost, counts.is_mixed
    i, i_end = counts.offsets[one], counts.offsets[one + 1]
    j, j_end = counts.offsets[other], counts.offsets[other + 1]
    loss = 0.0
    while i < i_end or j < j_end:
        in_one = i < i_end and (j == j_end or node[i] >= node[j])
        in_other = j < j_end and (i == i_end or node[j] >= node[i])
        here = node[i] if in_one else node[j]
        above = model.parent[here]
        if in_one and in_other:
            loss = lost[here]
            if is_mixed[here]:
                loss = model.category[here] * (rows[i] + rows[j])
            lost[above] += loss
        else:
            is_mixed[above] = True
        lost[here] = 0
        is_mixed[here] = False
        i += in_one
        j += in_other
    # The root comes last, and both sequences have all their rows under it.
    return float(loss / (rows[i_end - 1] + rows[j_end - 1]))


class Halving(NamedTuple):
    """What is split, and how."""

    model: LossModel
    clusters: Clusters
    counts: CategoryCounts
    curve: Array  # int64, sequences in their order on the curve; others know them by their rank there
    least: int  # different people in a part
    event_share: float  # how many levels go by events (algorithm 6); below 0: every other one


@compiled
def _distance(halving: Halving, by_events: bool, one: int, other: int) -> float:
    if by_events:
        return event_distance(halving.model, halving.counts, one, other)
    if one == other:
        return 0.0
    return loss_of_union(halving.model, halving.clusters, one, other)


@compiled
def split(halving: Halving, ranks: Array, by_events: bool, choice: float) -> int:
    """Order sequences, given by their ranks on a curve, so that two parts are alike; return where to cut.

    One pivot is chosen at random, the other is the farthest from it, and sequences stand in order of how much
    nearer they are to the first. By events the cut is where the second becomes the nearer one; where many
    are as near to both, in the midst of them if possible. By time it is in the middle, as groups of at least
    half the sequences have it. No part is smaller than ``least`` or an eighth. If one part or the other has
    too few different people wherever the cut is, it is at the end.
    """
    n, curve, least = ranks.size, halving.curve, halving.least
    first = curve[ranks[int(choice * n)]]
    nearer = np.empty(n, np.float64)
    far = 0
    for i in range(n):
        nearer[i] = _distance(halving, by_events, first, curve[ranks[i]])
        if nearer[i] > nearer[far]:
            far = i
    second = curve[ranks[far]]
    for i in range(n):
        nearer[i] -= _distance(halving, by_events, second, curve[ranks[i]])
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
    if halving.clusters.people.size:
        cut = _with_enough_people(halving, ranks, cut)
    ranks[:cut] = np.sort(ranks[:cut])
    ranks[cut:] = np.sort(ranks[cut:])
    return cut


@compiled
def _with_enough_people(halving: Halving, ranks: Array, cut: int) -> int:
    """Return the nearest place for a cut that leaves enough different people on both sides, else the end."""
    n = ranks.size
    first = _until_enough(halving, ranks)
    last = n - _until_enough(halving, ranks[::-1])
    return min(max(cut, first), last) if first <= last else n


@compiled
def _until_enough(halving: Halving, ranks: Array) -> int:
    """Return how many sequences it takes to have enough different people, one more than all if none do."""
    people, inside = halving.clusters.people, halving.clusters.inside
    found, n = 0, 0
    while n < ranks.size and found < halving.least:
        person = people[halving.curve[ranks[n]]]
        found += inside[person] == 0
        inside[person] = 1
        n += 1
    for i in range(n):
        inside[people[halving.curve[ranks[i]]]] = 0
    return n if found == halving.least else ranks.size + 1


@compiled
def halve(
    halving: Halving, ranks: Array, bounds: Array, cuts: Array, choices: Array, state: Array, n_sequences: int
) -> int:
    """Go on splitting stretches of ``ranks``, level by level, until nothing can be split any more.

    It stops early when ``n_sequences`` have been looked at or all random choices are used up, and returns how
    many were looked at. ``bounds`` has the ends of the stretches, 0 first.
    """
    seen = 0
    while state[IDLE] < BOTH and seen < n_sequences and state[DRAWN] < choices.size:
        if state[NEXT] < 0:
            state[BY_EVENTS] = state[LEVEL] % 2 == 0
            if halving.event_share >= 0:
                state[BY_EVENTS] = choices[state[DRAWN]] < halving.event_share
                state[DRAWN] += 1
            state[NEXT] = 0
        elif state[NEXT] < state[STRETCHES]:
            s = state[NEXT]
            begin, end = bounds[s], bounds[s + 1]
            cuts[s] = end
            if end - begin >= 2 * halving.least:
                by_events, choice = state[BY_EVENTS] == 1, choices[state[DRAWN]]
                cuts[s] = begin + split(halving, ranks[begin:end], by_events, choice)
            state[DRAWN] += 1
            state[NEXT] += 1
            seen += end - begin
        else:
            _end_level(bounds, cuts, state)
    return seen


@compiled
def _end_level(bounds: Array, cuts: Array, state: Array) -> None:
    """Put the cuts of a level between the bounds, from the last to the first: each only moves back."""
    n_cuts = 0
    for s in range(state[STRETCHES]):
        n_cuts += cuts[s] < bounds[s + 1]
    free = state[STRETCHES] + n_cuts
    for s in range(state[STRETCHES] - 1, -1, -1):
        end = bounds[s + 1]
        bounds[free] = end
        free -= 1
        if cuts[s] < end:
            bounds[free] = cuts[s]
            free -= 1
    state[STRETCHES] += n_cuts
    state[IDLE] = 0 if n_cuts else state[IDLE] + 1
    state[LEVEL] += 1
    state[NEXT] = -1
