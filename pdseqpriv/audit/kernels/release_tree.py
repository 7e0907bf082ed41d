"""The records of a release as a prefix tree, in pre-order: what records begin alike with is looked at once.

Node 0 is the root. The path of a node is the list of elements from the root to it; an element is a set of
labels, and elements are numbered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

ROOT = 0


class ReleaseTree(NamedTuple):
    """What is known of each node."""

    element: Array  # the last one of its path
    parent: Array
    depth: Array  # how many elements its path has
    length: Array  # how many labels its path has
    vague: Array  # for how many other events the labels of its path could stand
    end: Array  # the node after its subtree
    ending: Array  # how many records end here
    longest: Array  # most labels of a record in its subtree
    shortest: Array  # fewest labels of a record in its subtree
    deepest: Array  # most elements of a record in its subtree


@compiled
def release_tree(
    elements: Array, offsets: Array, counts: Array, shared: Array, sizes: Array, vague: Array
) -> tuple[ReleaseTree, Array]:
    """Return the tree of distinct records in lexicographic order, and the node at which each of them ends.

    ``shared`` tells how many first elements each record has in common with the one before it, ``sizes`` and
    ``vague`` are those of each element.
    """
    n_records = offsets.size - 1
    n_nodes = 1 + elements.size - shared.sum()
    element, parent = np.full(n_nodes, -1, np.int64), np.zeros(n_nodes, np.int64)
    depth, length, vagueness = (
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
    )
    ending, last = np.zeros(n_nodes, np.int64), np.zeros(n_records, np.int64)
    path = np.zeros(1 + _longest(offsets), np.int64)
    node = 1
    for r in range(n_records):
        for d in range(shared[r], offsets[r + 1] - offsets[r]):
            here = elements[offsets[r] + d]
            element[node], parent[node], depth[node] = here, path[d], d + 1
            length[node] = length[path[d]] + sizes[here]
            vagueness[node] = vagueness[path[d]] + vague[here]
            path[d + 1] = node
            node += 1
        last[r] = path[offsets[r + 1] - offsets[r]]
        ending[last[r]] = counts[r]
    end, longest, shortest, deepest = _subtrees(parent, depth, length, ending)
    tree = ReleaseTree(element, parent, depth, length, vagueness, end, ending, longest, shortest, deepest)
    return tree, last


@compiled
def _longest(offsets: Array) -> int:
    longest = 0
    for i in range(offsets.size - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest


@compiled
def _subtrees(parent: Array, depth: Array, length: Array, ending: Array) -> tuple[Array, Array, Array, Array]:
    """Return where each subtree ends, and the extremes of the records in it; every leaf is a record."""
    end = np.arange(1, parent.size + 1)
    longest, deepest = length.copy(), depth.copy()
    shortest = np.where(ending > 0, length, np.iinfo(np.int64).max)
    for node in range(parent.size - 1, ROOT, -1):
        above = parent[node]
        end[above] = max(end[above], end[node])
        longest[above] = max(longest[above], longest[node])
        shortest[above] = min(shortest[above], shortest[node])
        deepest[above] = max(deepest[above], deepest[node])
    return end, longest, shortest, deepest
