"""The least loss of a group whose events may first be separated by category, and the intervals that have it.

The events below a category can have intervals of their own if every member has such an event. A category then
loses the least that its events lose in intervals of their own, or what the categories right below it lose
together; the root can always be taken whole, which is the loss without any separation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.loss import Intervals, lay_out, least_loss
from pdseqpriv.generalization.kernels.profiles import (
    LATEST,
    LossModel,
    LossTable,
    Profiles,
    new_loss_table,
    new_profiles,
    profile_of_members,
)

# Rows of Cut.counts: the rows below each node, and where they begin in the list; how many rows are below the
# largest of its children.
BELOW, BEGIN, LARGEST = range(3)
# Rows of Cut.losses: of the children together, and of the node in the best way.
DIVIDED, BEST = range(2)
# Rows of Cut.flags: whether the events below a node stay together, and whether those above are separated.
WHOLE, OPEN = range(2)


class Cut(NamedTuple):
    """What is known of each node for the group at hand; all 0 for nodes without a row of it."""

    counts: Array  # int64, 3 x nodes
    losses: Array  # float64, 2 x nodes
    flags: Array  # bool, 2 x nodes


@compiled
def intervals_by_category(
    model: LossModel,
    when: Array,
    node: Array,
    member: Array,
    rows: Array,
    offsets: Array,
    sizes: Array,
    inside: Array,
    begin: int,
    end: int,
    found: Intervals,
) -> None:
    """Find the intervals of some groups, separated by category where that loses less.

    Arguments are those of ``intervals_of_groups``. Where both lose the same, events stay together, so that as
    much of their order as possible is told.
    """
    n = model.parent.size
    cut = Cut(np.zeros((3, n), np.int64), np.zeros((2, n), np.float64), np.zeros((2, n), np.bool_))
    for g in range(begin, end):
        theirs = rows[offsets[g] : offsets[g + 1]]
        nodes = _nodes_of(model.parent, node[theirs], cut)
        below = _rows_below(model.parent, node[theirs], nodes, cut)
        profile, table = new_profiles(theirs.size), new_loss_table(theirs.size)
        for i in range(nodes.size - 1, -1, -1):  # children have higher numbers
            at = nodes[i]
            some = theirs[below[cut.counts[BEGIN, at] : cut.counts[BEGIN, at] + cut.counts[BELOW, at]]]
            _choose(model, when, node, member, some, sizes[g], inside, at, profile, table, cut)
        found.loss[g] = cut.losses[BEST, 0]
        cut.flags[OPEN, 0] = True
        for at in nodes:
            above = model.parent[at]
            if at > 0:
                cut.flags[OPEN, at] = cut.flags[OPEN, above] and not cut.flags[WHOLE, above]
            if cut.flags[OPEN, at] and cut.flags[WHOLE, at]:
                some = theirs[below[cut.counts[BEGIN, at] : cut.counts[BEGIN, at] + cut.counts[BELOW, at]]]
                times = profile_of_members(
                    model, when[some], node[some], member[some], sizes[g], inside, profile
                )
                least_loss(model, profile, 0, times, table)
                lay_out(model, profile, table, times, some, g, found)
        for at in nodes:
            cut.counts[:, at] = 0
            cut.losses[:, at] = 0
            cut.flags[:, at] = False


@compiled
def _nodes_of(parent: Array, node: Array, cut: Cut) -> Array:
    """Count the rows below each node, and return the nodes that have some, in ascending order."""
    room, n = np.empty(parent.size, np.int64), 0
    for row in range(node.size):
        at, before = node[row], -1
        while at != before:
            if cut.counts[BELOW, at] == 0:
                room[n] = at
                n += 1
            cut.counts[BELOW, at] += 1
            before, at = at, parent[at]
    return np.sort(room[:n])


@compiled
def _rows_below(parent: Array, node: Array, nodes: Array, cut: Cut) -> Array:
    """List the rows below each node, in the order in which they come, one node after the other."""
    total = 0
    for at in nodes:
        cut.counts[BEGIN, at] = total
        total += cut.counts[BELOW, at]
        if at > 0:
            above = parent[at]
            cut.counts[LARGEST, above] = max(cut.counts[LARGEST, above], cut.counts[BELOW, at])
    below = np.empty(total, np.int64)
    for row in range(node.size):
        at, before = node[row], -1
        while at != before:
            below[cut.counts[BEGIN, at]] = row
            cut.counts[BEGIN, at] += 1
            before, at = at, parent[at]
    for at in nodes:
        cut.counts[BEGIN, at] -= cut.counts[BELOW, at]
    return below


@compiled
def _choose(
    model: LossModel,
    when: Array,
    node: Array,
    member: Array,
    rows: Array,
    n_members: int,
    inside: Array,
    at: int,
    profile: Profiles,
    table: LossTable,
    cut: Cut,
) -> None:
    """Decide whether the events below a node stay together; what is below it is decided already."""
    # A node with all its rows below one child is the child under another name.
    if cut.counts[LARGEST, at] < cut.counts[BELOW, at]:
        divided = cut.losses[DIVIDED, at] if cut.counts[LARGEST, at] > 0 else np.inf
        whole = np.inf
        if rows.size >= n_members:
            n = profile_of_members(model, when[rows], node[rows], member[rows], n_members, inside, profile)
            if profile.times[LATEST, n - 1] > -np.inf:
                whole = least_loss(model, profile, 0, n, table)
        cut.flags[WHOLE, at] = whole <= divided and whole < np.inf
        cut.losses[BEST, at] = min(whole, divided)
    else:
        cut.losses[BEST, at] = cut.losses[DIVIDED, at]
    if at > 0:
        cut.losses[DIVIDED, model.parent[at]] += cut.losses[BEST, at]
