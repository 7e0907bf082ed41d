"""The intervals of each group that lose the least (section 7 of the paper, corrected)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.loss import Measure, intervals_of_groups
from pdseqpriv.generalization.people import Floats, Ints, People, Tree, Weights
from pdseqpriv.progress import progress

# Rows between two signs of life.
CHUNK = 200_000


@dataclass(frozen=True)
class Intervals:
    """What is released of the monitored rows.

    Attributes
    ----------
    interval_of_row : int64 per monitored row
        Its interval; those of one group follow each other in order of time, groups in order of their number.
    interval_group : int64 per interval
    interval_node : int32 per interval
        The lowest common ancestor of its events.
    group_loss : float64 per group
        CP of the paper: the loss of an average row of the group, monitored or not.
    """

    interval_of_row: Ints
    interval_group: Ints
    interval_node: NDArray[np.int32]
    group_loss: Floats


def measure_of(people: People, tree: Tree, weights: Weights) -> Measure:
    """Give how loss is measured: equations 1 and 2 with their divisions done once.

    Where there is only one time no interval has a length, and where both weights are 0 nothing is lost.
    """
    both = weights.time + weights.event
    per_time = weights.time / both / people.span if both > 0 and people.span > 0 else 0.0
    per_event = weights.event / both if both > 0 else 0.0
    return Measure(tree.parent, tree.loss, float(per_time), float(per_event))


def optimal_intervals(people: People, tree: Tree, weights: Weights, groups: Ints) -> Intervals:
    """Find in each group the feasible intervals with the least loss.

    Feasible: each interval holds a row of every member, each row is in exactly one (property 2.3). Of equal
    ways the one with the shorter intervals at the end is taken.

    Parameters
    ----------
    people, tree, weights
        As everywhere.
    groups
        The group of each sequence, from 0 on.
    """
    n_groups = int(groups.max(initial=-1)) + 1
    sizes, place = _places_in_groups(groups, n_groups)
    owner = np.repeat(np.arange(groups.size), np.diff(people.offsets))
    order = np.lexsort((people.when, groups[owner]))
    owner = owner[order]
    ends = np.cumsum(np.bincount(groups[owner], minlength=n_groups))
    offsets = np.append(0, ends).astype(np.int64)
    interval, category = np.zeros(order.size, np.int64), np.zeros(order.size, np.int32)
    losses = np.zeros(n_groups)
    measure = measure_of(people, tree, weights)
    when, node = people.when[order], people.node[order].astype(np.int32)
    with progress(order.size, "finding intervals") as bar:
        for begin, end in pairwise(_chunks(offsets)):
            state = (interval, category, losses)
            intervals_of_groups(measure, when, node, place[owner], offsets, sizes, begin, end, state)
            bar.update(int(offsets[end] - offsets[begin]))
    totals = np.bincount(groups, weights=people.totals, minlength=n_groups)
    return _numbered(order, offsets, interval, category, losses / np.maximum(totals, 1))


def _places_in_groups(groups: Ints, n_groups: int) -> tuple[Ints, Ints]:
    sizes = np.bincount(groups, minlength=n_groups).astype(np.int64)
    by_group = np.argsort(groups, kind="stable")
    place = np.empty(groups.size, np.int64)
    place[by_group] = np.arange(groups.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return sizes, place


def _chunks(offsets: Ints) -> list[int]:
    """Give the groups at which a new chunk of rows begins."""
    wanted = np.arange(0, offsets[-1] + CHUNK, CHUNK)
    ends: list[int] = np.unique(np.minimum(np.searchsorted(offsets, wanted), offsets.size - 1)).tolist()
    return ends


def _numbered(
    order: Ints, offsets: Ints, interval: Ints, category: NDArray[np.int32], group_loss: Floats
) -> Intervals:
    """Number the intervals over all groups; rows go back to their own order."""
    group = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    n_intervals = interval[offsets[1:] - 1] + 1
    first = np.cumsum(n_intervals) - n_intervals
    interval_of_row = np.empty(order.size, np.int64)
    interval_of_row[order] = interval + first[group]
    interval_group = np.repeat(np.arange(n_intervals.size), n_intervals)
    rows = np.repeat(offsets[:-1] - first, n_intervals) + np.arange(interval_group.size)
    return Intervals(interval_of_row, interval_group, category[rows], group_loss)
