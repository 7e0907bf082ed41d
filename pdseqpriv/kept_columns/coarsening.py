"""Say as much of everybody as enough people share.

At first nothing is said: all who start together are one cell, and everything is null. A cell is then divided
by one of the trees, from a node to those below it, and each part with enough people becomes a cell; of
several trees it is the one by which most people get there, and of those the first. The rest stays as it is;
if it is too small, the smallest part stays with it, so that nobody is alone with a null or a category. This
is repeated until no cell can be divided. All cells are divided at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.kept_columns.reading import Kept
from pdseqpriv.sequences.ragged import Flags, Ints, count_different


def shown_nodes(kept: Kept, start: Ints, k: int, who_counts: Flags | None = None) -> Ints:
    """Return what is shown of each sequence, a node in each tree.

    Of those who start together, at least ``k`` people are shown the same, or nothing is shown of anybody.
    Only the people of sequences that count are counted.
    """
    size = len(kept.leaves)
    units, unit = np.unique(start * size + kept.numbers, return_inverse=True)
    some = np.ones(unit.size, np.bool_) if who_counts is None else who_counts
    people = count_different(unit[some], kept.people[some], units.size)
    cells = np.unique(units // size, return_inverse=True)[1].astype(np.int64)
    return _divide(kept, kept.leaves[units % size], cells, people, k)[unit]


def _divide(kept: Kept, leaves: Ints, cells: Ints, people: Ints, k: int) -> Ints:
    """Divide cells until none can be divided; return a node in each tree for each combination."""
    paths = [_paths_of(tree.parents) for tree in kept.trees]
    nodes, some = np.zeros_like(leaves), np.arange(cells.size)  # those whose cell may be divided further
    while some.size:
        parts = [
            _part(path, _Places(nodes[some, tree], leaves[some, tree]), cells, people[some], k)
            for tree, path in enumerate(paths)
        ]
        moved = np.stack([part.moved for part in parts])
        best, is_divided = moved.argmax(axis=0)[cells], moved.max(axis=0)[cells] > 0
        below = np.stack([part.below for part in parts])[best, np.arange(cells.size)]
        goes = np.stack([part.goes for part in parts])[best, np.arange(cells.size)] & is_divided
        nodes[some[goes], best[goes]] = below[goes]
        part_of_cell = cells * (int(below.max(initial=0)) + 2) + np.where(goes, below + 1, 0)
        some, part_of_cell = some[is_divided], part_of_cell[is_divided]
        cells = np.unique(part_of_cell, return_inverse=True)[1].astype(np.int64)
    return nodes


class _Places(NamedTuple):
    """For each combination its node in one tree as it is shown so far, and the node of its own value."""

    shown: Ints
    own: Ints


class _Part(NamedTuple):
    """For each combination the node below, and whether it can go there; for each cell, how many people do."""

    below: Ints
    goes: Flags
    moved: Ints


def _part(path: Ints, places: _Places, cells: Ints, people: Ints, k: int) -> _Part:
    """See what dividing every cell by one tree would give."""
    depths = (path != np.arange(len(path))[:, None]).sum(axis=1)
    below = path[places.own, np.minimum(depths[places.shown] + 1, path.shape[1] - 1)]
    n_nodes = len(path)
    families, family = np.unique(cells * n_nodes + below, return_inverse=True)
    sizes = np.bincount(family, weights=people, minlength=families.size).astype(np.int64)
    stays = np.zeros(families.size, np.bool_)
    stays[family[below == places.shown]] = True
    cell = families // n_nodes
    left, has_rest = _left_before(cell, np.where(stays, -1, sizes), sizes)
    is_left = stays | (sizes < k) | (has_rest & (left < k))
    moved = np.bincount(cell, weights=np.where(is_left, 0, sizes)).astype(np.int64)
    return _Part(below, ~is_left[family], moved)


def _left_before(cell: Ints, ranks: Ints, sizes: Ints) -> tuple[Ints, Flags]:
    """Add up, in each cell, the sizes that come before in the order of ranks; say if there are any."""
    order = np.lexsort((ranks, cell))
    sums = np.cumsum(sizes[order]) - sizes[order]
    begins = np.searchsorted(cell[order], cell[order])
    before, is_any = np.empty_like(sizes), np.empty(sizes.size, np.bool_)
    before[order], is_any[order] = sums - sums[begins], begins < np.arange(sizes.size)
    return before, is_any


def _paths_of(parents: Ints) -> Ints:
    """Return for each node the way down to it: the root, the next one, ..., itself, and itself again."""
    ways = [np.arange(parents.size)]
    while (ways[-1] != 0).any():
        ways.append(parents[ways[-1]])
    upwards = np.stack(ways, axis=1)
    depths = (upwards != 0).sum(axis=1)
    steps = np.maximum(depths[:, None] - np.arange(upwards.shape[1])[None, :], 0)
    paths: Ints = np.take_along_axis(upwards, steps, axis=1)
    return paths
