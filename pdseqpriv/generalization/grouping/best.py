"""Which method loses least differs from table to table: try those that do not take long, and see."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np

from pdseqpriv.generalization.grouping.cells import NO_GROUP, group_within
from pdseqpriv.generalization.grouping.group import GroupingMethod, group
from pdseqpriv.generalization.grouping.hybrid import GRAINS
from pdseqpriv.generalization.grouping.same_categories import cells_of_categories
from pdseqpriv.generalization.grouping.search import GroupSearch, part_of
from pdseqpriv.generalization.intervals import optimal_intervals
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.ragged import Ints

# A method, and the cells within which it groups, if there are any.
Way = tuple[GroupingMethod, Ints | None]

# How much work a method may be, in comparisons of rows: some five seconds each (2026-11-17, 2 cores).
MOST_CUTTING, MOST_GROWING = 5e8, 1e10


def methods_to_try(search: GroupSearch, *, only_time: bool) -> list[GroupingMethod]:
    """Return the methods that are worth it: the one for tables of any size, and what is quick enough."""
    methods: list[GroupingMethod] = ["hybrid" if only_time else "partition"]
    n, least = search.sequences.totals.size, max(1, search.rules.target)
    squares = float((np.diff(search.sequences.offsets).astype(np.float64) ** 2).sum())
    # The curve can end a group after every grain, with all groups up to twice the least size before it.
    grains = 2 * least / -(-least // GRAINS)
    if squares * grains**2 / 2 <= MOST_CUTTING:
        methods.append("hilbert")
    if not only_time and squares * n <= MOST_GROWING:
        methods.append("indexed")
    return methods


def ways_to_try(search: GroupSearch, cells: Ints | None, *, only_time: bool) -> list[Way]:
    """Return the methods that are worth it, within cells if there are any.

    If events may be separated by category, each is also tried within cells of sequences with events of the
    same categories.
    """
    methods = methods_to_try(search, only_time=only_time)
    tried = [cells, cells_of_categories(search, cells)] if search.by_category else [cells]
    return [(method, within) for within in tried for method in methods]


def best_groups(search: GroupSearch, ways: list[Way], bar: Bar) -> tuple[Ints, GroupingMethod]:
    """Group in each way; return the groups that lose least, and by which method they were found."""
    best: tuple[float, Ints, GroupingMethod] | None = None
    for method, cells in ways:
        alike = search if len(ways) == 1 else replace(search, random=deepcopy(search.random))
        groups = group(alike, method, bar) if cells is None else group_within(alike, cells, method, bar)
        loss = 0.0 if len(ways) == 1 else _loss_of(search, groups, bar)
        if best is None or loss < best[0]:
            best = loss, groups, method
    _, groups, method = best or (0.0, np.zeros(0, np.int64), ways[0][0])
    return groups, method


def _loss_of(search: GroupSearch, groups: Ints, bar: Bar) -> float:
    """Return what each sequence loses, a row of its group on average (equation 3), all added up.

    Groups are judged by the intervals that are released of them.
    """
    left = np.flatnonzero(groups != NO_GROUP)
    theirs = search.sequences if left.size == groups.size else part_of(search, left).sequences
    losses = optimal_intervals(theirs, search.model, groups[left], bar, by_category=search.by_category).loss
    rows = np.bincount(groups[left], theirs.totals)
    return float((losses / rows * np.bincount(groups[left])).sum())
