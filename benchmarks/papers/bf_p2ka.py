"""BF-P2kA (Monreale et al. 2014, algorithms 1 to 4): a dynamic programme per cut sequence and path."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.papers.variants import as_table, sorted_variants
from pdseqpriv.compiled import Array, compiled

NONE = -1


def bf_p2ka(frame: pd.DataFrame, k: int) -> pd.DataFrame:
    """Return the k-anonymous version of a table."""
    codes, offsets, counts, vocabulary = sorted_variants(frame)
    released, released_offsets = anonymize(codes, offsets, counts, k)
    return as_table(released, released_offsets, counts, vocabulary)


@compiled
def build(codes: Array, offsets: Array, counts: Array) -> tuple[Array, Array, Array, Array]:
    """Insert every distinct sequence into the tree; node 0 is the root.

    Gives item, parent and support of each node, and the node at which each sequence ends. Sequences come in
    order, so a child that exists already is the one that was made last.
    """
    size = codes.size + 1
    item, parent = np.full(size, NONE, np.int64), np.zeros(size, np.int64)
    support, newest_child = np.zeros(size, np.int64), np.zeros(size, np.int64)
    last = np.zeros(offsets.size - 1, np.int64)
    nodes = 1
    for s in range(offsets.size - 1):
        current = 0
        for place in range(offsets[s], offsets[s + 1]):
            child = newest_child[current]
            if child == 0 or item[child] != codes[place]:
                child = nodes
                nodes += 1
                item[child], parent[child] = codes[place], current
                newest_child[current] = child
            support[child] += counts[s]
            current = child
        last[s] = current
    return item[:nodes], parent[:nodes], support[:nodes], last


@compiled
def spell_out(item: Array, parent: Array, nodes: Array) -> tuple[Array, Array]:
    """Return the paths from the root to some nodes, one after the other."""
    offsets = np.zeros(nodes.size + 1, np.int64)
    for i in range(nodes.size):
        node, depth = nodes[i], 0
        while node != 0:
            node, depth = parent[node], depth + 1
        offsets[i + 1] = offsets[i] + depth
    codes = np.empty(offsets[-1], np.int64)
    for i in range(nodes.size):
        node, place = nodes[i], offsets[i + 1]
        while node != 0:
            place -= 1
            codes[place] = item[node]
            node = parent[node]
    return codes, offsets


@compiled
def anonymize(codes: Array, offsets: Array, counts: Array, k: int) -> tuple[Array, Array]:
    """Prune the tree and give the path that replaces each sequence; an empty one where there is none."""
    item, parent, support, last = build(codes, offsets, counts)
    is_leaf = support >= k
    for node in range(1, item.size):
        if support[node] >= k:
            is_leaf[parent[node]] = False
    leaves = np.flatnonzero(is_leaf[1:]) + 1
    paths, path_offsets = spell_out(item, parent, leaves)
    target = last.copy()
    for s in range(last.size):
        if last[s] == 0 or support[last[s]] >= k:
            continue
        own = codes[offsets[s] : offsets[s + 1]]
        leaf, depth = closest(own, paths, path_offsets)
        node = 0
        if leaf != NONE:
            node = leaves[leaf]
            for _ in range(path_offsets[leaf + 1] - path_offsets[leaf] - depth):
                node = parent[node]
        target[s] = node
    return spell_out(item, parent, target)


@compiled
def closest(own: Array, paths: Array, offsets: Array) -> tuple[int, int]:
    """Return the path with the longest common subsequence, and how much of it contains that.

    Ties: the edit distance between the common subsequence and its minimum prefix of the path, which is the
    number of further nodes; then the first path.
    """
    best_leaf, best_common, best_depth = NONE, 0, 0
    for leaf in range(offsets.size - 1):
        path = paths[offsets[leaf] : offsets[leaf + 1]]
        common, depth = longest_common(own, path)
        if common > best_common or (common == best_common and common > 0 and depth < best_depth):
            best_leaf, best_common, best_depth = leaf, common, depth
    return best_leaf, best_depth


@compiled
def longest_common(own: Array, path: Array) -> tuple[int, int]:
    """Fill the table of the longest common subsequence, and return the length of the minimum prefix."""
    table = np.zeros((path.size + 1, own.size + 1), np.int64)
    for j in range(1, path.size + 1):
        for i in range(1, own.size + 1):
            if path[j - 1] == own[i - 1]:
                table[j, i] = table[j - 1, i - 1] + 1
            else:
                table[j, i] = max(table[j - 1, i], table[j, i - 1])
    common, depth = table[path.size, own.size], path.size
    while depth > 0 and table[depth - 1, own.size] == common:
        depth -= 1
    return common, depth
