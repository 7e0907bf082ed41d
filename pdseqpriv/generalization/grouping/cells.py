"""Groups within cells: sequences that earlier releases did not tell apart, and that stay together.

A new group is within a single cell, so its intersection with the groups of the earlier releases is the group
itself: all that is asked of groups holds for every intersection. No other way loses less for ``k``: where a
new group had members of several cells, it would need enough of each, and these would be groups already.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.grouping.group import GroupingMethod, group
from pdseqpriv.generalization.grouping.search import GroupSearch, part_of
from pdseqpriv.generalization.kernels.clusters import new_clusters
from pdseqpriv.generalization.kernels.growing import may_be_released
from pdseqpriv.progress import Bar
from pdseqpriv.sequences.earlier_releases import IN_NONE
from pdseqpriv.sequences.ragged import Flags, Ints, count_different

# The group of those who are in none.
NO_GROUP = -1


def group_within(search: GroupSearch, cells: Ints, method: GroupingMethod, bar: Bar) -> Ints:
    """Put the sequences of each cell into groups; those of a cell that cannot be a group are in none.

    ``cells`` has the number of each sequence's cell. Cells that are too small to be divided are a group.
    """
    if not cells.size:
        return cells
    lists = lists_by_cell(cells, np.arange(cells.size))
    groups, free = np.full(cells.size, NO_GROUP), 0
    for members, may_be_group in zip(lists, are_groups(search, lists), strict=True):
        if not may_be_group:
            continue
        found = np.zeros(members.size, np.int64)
        if members.size >= 2 * search.rules.target:
            found = group(part_of(search, members), method, bar)
        groups[members] = free + found
        free += int(found.max()) + 1
    return groups


def are_groups(search: GroupSearch, lists: list[Ints]) -> list[bool]:
    """Return whether the sequences of each list, none of them empty, would be a group as it must be."""
    clusters = new_clusters(search.model, search.sequences, search.occurrences)
    ends = np.cumsum([members.size for members in lists])
    found: list[bool] = may_be_released(search.rules, clusters, np.concatenate(lists), ends).tolist()
    return found


def lists_by_cell(cells: Ints, chosen: Ints) -> list[Ints]:
    """Return the chosen sequences of each cell that has some."""
    sizes = np.bincount(cells[chosen])
    order = np.argsort(cells[chosen], kind="stable")
    return np.split(chosen[order], np.cumsum(sizes[sizes > 0])[:-1]) if chosen.size else []


def in_torn_cells(cells: Ints, people: Ints, group_of: Ints, least: int) -> Flags:
    """Return which sequences are in a cell of which only a few people are dropped.

    Those few would be found as the ones who are missing, so their cell cannot be released without them.
    """
    dropped = (group_of == NO_GROUP) & (cells != IN_NONE)
    missing = count_different(cells[dropped], people[dropped], int(cells.max(initial=IN_NONE)) + 1)
    torn: Flags = ((missing > 0) & (missing < least))[cells]
    return torn
