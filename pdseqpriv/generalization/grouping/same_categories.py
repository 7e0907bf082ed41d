"""Cells of sequences with events of the same categories: no event in them needs a broader category.

Where events may be separated by category, a category can have intervals of its own only if every member has
such an event. Sequences that agree in their events are put together first, those that are left over if they
agree in the categories above these, and so on up the taxonomy.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.cells import are_groups, lists_by_cell
from pdseqpriv.generalization.grouping.search import GroupSearch
from pdseqpriv.generalization.kernels.content_order import ranks_of_lists
from pdseqpriv.sequences.ragged import Ints, distinct, owners_of

_OPEN = -1


def cells_of_categories(search: GroupSearch, given: Ints | None) -> Ints:
    """Divide the given cells, or all sequences, by what categories they have events of.

    A cell that could be a group is divided into cells that could be one, or stays as it is.
    """
    n = search.sequences.totals.size
    given = np.zeros(n, np.int64) if given is None else given
    cells, free = np.full(n, _OPEN, np.int64), 0
    for level in range(int(_depths(search.model.parent).max(initial=0)), 0, -1):
        numbers = np.where(cells == _OPEN, _numbers(given, _sets(search, level)), n)
        enough = np.bincount(numbers)[numbers] >= search.rules.k
        lists = lists_by_cell(numbers, np.flatnonzero(enough & (cells == _OPEN)))
        for members, may_be_group in zip(lists, are_groups(search, lists) if lists else [], strict=True):
            if may_be_group:
                cells[members], free = free, free + 1
    return _with_the_rest(search, given, cells, free)


def _with_the_rest(search: GroupSearch, given: Ints, cells: Ints, free: int) -> Ints:
    """Make cells of those who are left over, together with the smallest other cell if they are too few."""
    wholes = lists_by_cell(given, np.arange(given.size))
    rests = [whole[cells[whole] == _OPEN] for whole in wholes]
    there = [number for number, rest in enumerate(rests) if rest.size]
    for wanted in ("alone", "with another", "all"):
        tried = [_joined(wholes[number], cells, wanted) for number in there]
        fits = are_groups(search, tried) if tried and wanted != "all" else [True] * len(tried)
        for members, may_be_group in zip(tried, fits, strict=True):
            if may_be_group:
                cells[members], free = free, free + 1
        there = [number for number, fit in zip(there, fits, strict=True) if not fit]
    return cells


def _joined(whole: Ints, cells: Ints, wanted: str) -> Ints:
    """Return those of a cell who are left over, with those of the smallest cell in it, or all of them."""
    rest: Ints = whole[cells[whole] == _OPEN]
    others: Ints = whole[cells[whole] != _OPEN]
    if wanted == "all" or not others.size:
        return whole
    if wanted == "alone":
        return rest
    smallest: Ints = min(lists_by_cell(cells, others), key=len)
    return np.concatenate((rest, smallest))


def _numbers(given: Ints, sets: Ints) -> Ints:
    """Number the pairs of a cell and a set of categories."""
    both = given * (int(sets.max(initial=0)) + 1) + sets
    numbers: Ints = np.unique(both, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def _sets(search: GroupSearch, level: int) -> Ints:
    """Number the sets of categories, this many steps below the root, that sequences have events of."""
    parent, depths = search.model.parent, _depths(search.model.parent)
    node = search.sequences.node.astype(np.int64)
    while (depths[node] > level).any():
        node = np.where(depths[node] > level, parent[node], node)
    pairs = distinct(owners_of(search.sequences.offsets) * parent.size + node)
    lengths = np.bincount(pairs // parent.size, minlength=search.sequences.totals.size)
    ranks: Ints = ranks_of_lists(pairs % parent.size, lengths)
    return ranks


def _depths(parent: Ints) -> Ints:
    """Count the steps from the root to each node."""
    depths, at = np.zeros(parent.size, np.int64), np.arange(parent.size)
    while (at > 0).any():
        depths += at > 0
        at = parent[at]
    return depths
