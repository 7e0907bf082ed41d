"""Cells of sequences with the same kept columns, in which groups are formed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from pdseqpriv.generalization.grouping.cells import lists_by_cell
from pdseqpriv.kept_columns.coarsening import shown_nodes
from pdseqpriv.kept_columns.reading import Kept
from pdseqpriv.sequences.ragged import Ints

# Whether the sequences of each list can be a group.
Test = Callable[[list[Ints]], list[bool]]


def nodes_of_kept(
    kept: Kept, ids: pd.Index, earlier: Ints, parts: Sequence[tuple[Ints, Test]], least: int
) -> Ints:
    """Return what can be shown of each id: that of at least so many people, who can be a group.

    They were together in all earlier releases, and in the same part: no group has members of two parts.
    """
    place = kept.ids.get_indexer(ids)
    theirs = kept._replace(ids=ids, people=kept.people[place], numbers=kept.numbers[place])
    start = earlier * (len(parts) + 1)
    for number, (members, _) in enumerate(parts, 1):
        start[members] += number
    nodes = shown_nodes(theirs, start, least)
    for members, are_groups in parts:
        _show_less(nodes, start, members, are_groups)
    return nodes


def cells_of_nodes(start: Ints, nodes: Ints) -> Ints:
    """Number the cells of those who start together and are shown the same."""
    both = np.column_stack((start, nodes))
    return np.unique(both, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _show_less(nodes: Ints, start: Ints, members: Ints, are_groups: Test) -> None:
    """Show nothing of members whose cell cannot be a group, nor of the next ones until those can be.

    If not even all who start together can be a group, nothing is shown of any of them.
    """
    while members.size:
        lists = lists_by_cell(cells_of_nodes(start, nodes), members)
        wrong = [one for one, may_be in zip(lists, are_groups(lists), strict=True) if not may_be]
        told = [one for one in wrong if nodes[one[0]].any()]
        if not told:
            others = [one for one in lists if nodes[one[0]].any()]
            told = [_smallest(others, start, start[one[0]]) for one in wrong]
        if not sum(one.size for one in told):
            return
        nodes[np.concatenate(told)] = 0


def _smallest(lists: list[Ints], start: Ints, wanted: int) -> Ints:
    """Return the shortest list of those who start there, or an empty one."""
    there = [one for one in lists if start[one[0]] == wanted]
    return min(there, key=len, default=np.zeros(0, np.int64))
