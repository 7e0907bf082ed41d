"""The prefix tree of the sequences, cut down to what at least k people share, as arrays in pre-order.

Node 0 is the root; the path of a node is the sequence of symbols from the root to it. Sequences come in
lexicographic order, which makes the tree one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import (
    DifferentPeople,
    are_counted,
    begin_count,
    heads_of,
    meet,
)

ROOT = 0
NOBODY = -1
CONTAINED, MUTUAL, IDENTICAL = range(3)
LEVELS = {"contained": CONTAINED, "mutual": MUTUAL, "identical": IDENTICAL}


class PrefixTree(NamedTuple):
    """What is known of each node."""

    symbol: Array
    depth: Array
    parent: Array
    end: Array  # the node after its subtree
    row: Array  # where its line of the LCS is kept
    row_above: Array  # where its parent's line is kept


@compiled
def common_prefixes(
    symbols: Array, offsets: Array, counts: Array, shared: Array, people: DifferentPeople, k: int, level: int
) -> tuple[PrefixTree, Array]:
    """Return the tree of prefixes that k people share, and the deepest node on the path of each sequence.

    ``shared`` tells how many first symbols each sequence has in common with the one before it.
    """
    symbol, depth, parent, last = _build(symbols, offsets, shared)
    shared_by_enough = _find_common(parent, last, heads_of(people, counts), people, k, level)
    ends = _nearest_above(parent, shared_by_enough)
    symbol, depth, parent, kept = _prune(symbol, depth, parent, _with_all_above(parent, shared_by_enough))
    end, row, row_above = _measure(parent)
    return PrefixTree(symbol, depth, parent, end, row, row_above), kept[ends[last]]


@compiled
def write_paths(tree: PrefixTree, nodes: Array) -> tuple[Array, Array]:
    """Return the symbols on the paths of these nodes, and the offsets."""
    offsets = np.zeros(nodes.size + 1, np.int64)
    for i in range(nodes.size):
        offsets[i + 1] = offsets[i] + tree.depth[nodes[i]]
    symbols = np.empty(offsets[-1], np.int64)
    for i in range(nodes.size):
        node = nodes[i]
        for place in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            symbols[place] = tree.symbol[node]
            node = tree.parent[node]
    return symbols, offsets


@compiled
def _build(symbols: Array, offsets: Array, shared: Array) -> tuple[Array, Array, Array, Array]:
    """Return symbol, depth and parent of each node, and for each sequence the node where it ends."""
    lengths = offsets[1:] - offsets[:-1]
    size = 1 + np.sum(lengths - shared)
    symbol = np.full(size, -1, np.int64)
    depth = np.zeros(size, np.int64)
    parent = np.zeros(size, np.int64)
    last = np.zeros(lengths.size, np.int64)
    path = np.zeros(1 + (lengths.max() if lengths.size else 0), np.int64)
    node = 1
    for s in range(lengths.size):
        for d in range(shared[s], lengths[s]):
            symbol[node] = symbols[offsets[s] + d]
            depth[node] = d + 1
            parent[node] = path[d]
            path[d + 1] = node
            node += 1
        last[s] = path[lengths[s]]
    return symbol, depth, parent, last


@compiled
def _find_common(
    parent: Array, last: Array, heads: Array, people: DifferentPeople, k: int, level: int
) -> Array:
    """Return the nodes where at least k people pass through, or end after cutting.

    CONTAINED counts all who pass through. MUTUAL counts those who end in a node that is kept itself: then k
    of them are left at every node after cutting. IDENTICAL counts those who end in a node, their own one or
    the next above that is kept. Children come after their parents, hence one backward pass is enough. The
    sequences that a node counts are handed up as a list.
    """
    counted = np.zeros(parent.size, np.int64)
    first, final = np.full(parent.size, NOBODY, np.int64), np.full(parent.size, NOBODY, np.int64)
    after = np.full(last.size, NOBODY, np.int64)
    for s in range(last.size):  # sequences are distinct: no two of them end in the same node
        counted[last[s]], first[last[s]], final[last[s]] = heads[s], s, s
    is_common = np.zeros(parent.size, np.bool_)
    for node in range(parent.size - 1, ROOT, -1):
        up = parent[node]
        if not is_common[node] and counted[node] >= k:
            is_common[node] = _are_enough(people, first[node], after, k)
        if is_common[node] and level != IDENTICAL:
            is_common[up] = True
        elif not is_common[node] and level != MUTUAL and first[node] != NOBODY:
            counted[up] += counted[node]
            if first[up] == NOBODY:
                first[up] = first[node]
            else:
                after[final[up]] = first[node]
            final[up] = final[node]
    return is_common


@compiled
def _are_enough(people: DifferentPeople, s: int, after: Array, k: int) -> bool:
    """Return whether the sequences of a list, of which at least k count, belong to k different people."""
    if not are_counted(people):
        return True
    begin_count(people)
    found = 0
    while s != NOBODY and found < k:
        found += meet(people, s, k - found)
        s = after[s]
    return found >= k


@compiled
def _nearest_above(parent: Array, chosen: Array) -> Array:
    """Return for each node the deepest chosen one on its path; the root if there is none."""
    nearest = np.zeros(parent.size, np.int64)
    for node in range(1, parent.size):
        nearest[node] = node if chosen[node] else nearest[parent[node]]
    return nearest


@compiled
def _with_all_above(parent: Array, chosen: Array) -> Array:
    """Return the chosen nodes and all that are on their paths."""
    kept = chosen.copy()
    for node in range(parent.size - 1, ROOT, -1):
        kept[parent[node]] |= kept[node]
    return kept


@compiled
def _prune(symbol: Array, depth: Array, parent: Array, kept: Array) -> tuple[Array, Array, Array, Array]:
    """Return symbol, depth and parent of the kept nodes, and the deepest on the path of each old node."""
    new = np.zeros(symbol.size, np.int64)
    n = 1
    for node in range(1, symbol.size):
        new[node] = n if kept[node] else new[parent[node]]
        n += 1 if kept[node] else 0
    new_symbol = np.full(n, -1, np.int64)
    new_depth = np.zeros(n, np.int64)
    new_parent = np.zeros(n, np.int64)
    for node in range(1, symbol.size):
        if kept[node]:
            new_symbol[new[node]] = symbol[node]
            new_depth[new[node]] = depth[node]
            new_parent[new[node]] = new[parent[node]]
    return new_symbol, new_depth, new_parent, new


@compiled
def _measure(parent: Array) -> tuple[Array, Array, Array]:
    """Return the end of each subtree, and the line of the LCS of each node and of its parent.

    An only child writes over its parent's line: there are as many lines as the tree is branched, not as it is
    deep.
    """
    end = np.arange(1, parent.size + 1)
    children = np.zeros(parent.size, np.int64)
    for node in range(parent.size - 1, ROOT, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
        children[parent[node]] += 1
    row = np.zeros(parent.size, np.int64)
    row_above = np.zeros(parent.size, np.int64)
    for node in range(1, parent.size):
        up = parent[node]
        row_above[node] = row[up]
        row[node] = row[up] if children[up] == 1 and up != ROOT else row[up] + 1
    return end, row, row_above
