"""A prefix tree as arrays in pre-order, and the path in it that is closest to a sequence.

Node 0 is the root; the path of a node is the sequence of symbols from the root to it. Sequences come in
lexicographic order, which makes the tree one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

ROOT = 0
ONE = np.uint64(1)
ALL = ~np.uint64(0)


class Tree(NamedTuple):
    """What is known of each node."""

    symbol: Array
    depth: Array
    parent: Array
    end: Array  # the node after its subtree
    row: Array  # where its line of the LCS is kept
    row_above: Array  # where its parent's line is kept


@compiled
def build_tree(symbols: Array, offsets: Array, shared: Array) -> tuple[Array, Array, Array, Array]:
    """Give symbol, depth and parent of each node, and for each sequence the node where it ends.

    ``shared`` tells how many first symbols each sequence has in common with the one before it.
    """
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
def count_people(parent: Array, last: Array, counts: Array, k: int, strict: bool) -> Array:
    """Count the people whose sequence passes through each node.

    With strict only those count whose sequence ends in a node that is kept itself: then k of them are left at
    every node after cutting. Children come after their parents, hence one backward pass is enough.
    """
    people = np.zeros(parent.size, np.int64)
    for s in range(last.size):
        people[last[s]] += counts[s]
    for node in range(parent.size - 1, ROOT, -1):
        if people[node] >= k or not strict:
            people[parent[node]] += people[node]
    return people


@compiled
def prune(symbol: Array, depth: Array, parent: Array, kept: Array) -> tuple[Array, Array, Array, Array]:
    """Give symbol, depth, parent of the kept nodes, and the deepest of them on the path of each old node."""
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
def measure_tree(parent: Array) -> tuple[Array, Array, Array]:
    """Give the end of each subtree, and the line of the LCS of each node and of its parent.

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


@compiled
def letter_sets(symbols: Array, offsets: Array, letters: Array) -> Array:
    """Give which letters each sequence has: 64 classes of letters in one word."""
    sets = np.zeros(offsets.size - 1, np.uint64)
    for s in range(offsets.size - 1):
        for i in range(offsets[s], offsets[s + 1]):
            letter = letters[symbols[i]]
            if letter >= 0:
                sets[s] |= ONE << np.uint64(letter & 63)
    return sets


@compiled
def closest_paths(
    tree: Tree, symbols: Array, offsets: Array, start: Array, letters: Array, sets: Array, order: Array
) -> Array:
    """Give for each sequence of order the node whose path has the longest common subsequence with it.

    Ties: the shallowest node, then the first in pre-order; the root when nothing is common. ``letters``
    numbers the symbols of the tree, -1 for others, which can match nothing and are left out. Branch and bound
    over the tree in pre-order. Solutions to begin with are the deepest kept prefix of the sequence
    (``start``) and, as neighbours are alike, the answer of the sequence before. The bound is the height below
    a node, counted in nodes whose letter the sequence may have; it is made once for all sequences with the
    same set of letters, hence ``order`` is by set.
    """
    depth, end, row, row_above = tree.depth, tree.end, tree.row, tree.row_above
    size = depth.size
    node_letter = np.zeros(size, np.int64)
    for node in range(1, size):
        node_letter[node] = letters[tree.symbol[node]]
    words = 1
    for s in order:
        words = max(words, (offsets[s + 1] - offsets[s] + 63) // 64)
    masks = np.zeros((letters.max() + 1, words), np.uint64)
    lines = np.empty((max(row.max() + 1, 2), words), np.uint64)
    grown = np.zeros(row.max() + 1, np.int64)
    path = np.empty(depth.max() + 1, np.int64)
    height = np.empty(size, np.int64)
    chosen = np.zeros(order.size, np.int64)
    previous = ROOT
    for i in range(order.size):
        s = order[i]
        if i == 0 or sets[s] != sets[order[i - 1]]:
            _matching_height(tree.parent, node_letter, sets[s], height)
        own = symbols[offsets[s] : offsets[s + 1]]
        length = _set_masks(masks, own, letters)
        words = (length + 63) // 64
        best, best_node = _common_with(tree.parent, node_letter, masks, lines, words, path, previous)
        if depth[start[s]] > best or (depth[start[s]] == best and depth[start[s]] < depth[best_node]):
            best, best_node = depth[start[s]], start[s]
        lines[0, :words] = ALL
        node = 1
        while node < size and length > 0:
            here = depth[node]
            common = grown[row_above[node]] + _advance(
                lines, row_above[node], row[node], masks, node_letter[node], words
            )
            grown[row[node]] = common
            if common > best or (common == best and (here, node) < (depth[best_node], best_node)):
                best, best_node = common, node
            missing = best - common
            gain = min(height[node], length - common)
            # Equal is only enough for a path that comes first among equals.
            is_worth = gain > missing or (
                gain == missing and (here + missing, node) < (depth[best_node], best_node)
            )
            node = node + 1 if is_worth else end[node]
        _clear_masks(masks, own, letters, words)
        previous = best_node if best > 0 else ROOT
        chosen[i] = previous
    return chosen


@compiled
def _advance(lines: Array, source: int, target: int, masks: Array, letter: int, words: int) -> np.int64:
    """Go one node down in the bit-parallel LCS; gives 1 when the common subsequence grows.

    A zero bit marks a place of the sequence where it has grown. The bits past the end of the sequence stay
    one, so growth shows as the carry out of the last word.
    """
    carry = np.uint64(0)
    for w in range(words):
        line = lines[source, w]
        mask = masks[letter, w]
        part = line + (line & mask)
        total = part + carry
        carry = ONE if part < line or total < part else np.uint64(0)
        lines[target, w] = total | (line & ~mask)
    return np.int64(carry)


@compiled
def _common_with(
    parent: Array, node_letter: Array, masks: Array, lines: Array, words: int, path: Array, node: int
) -> tuple[int, int]:
    """Give the length of the LCS with one path, and the first node of the path where it is reached."""
    length = 0
    while node != ROOT:
        path[length] = node
        length += 1
        node = parent[node]
    lines[1, :words] = ALL
    common, reached = 0, ROOT
    for i in range(length - 1, -1, -1):
        if _advance(lines, 1, 1, masks, node_letter[path[i]], words) == 1:
            common, reached = common + 1, path[i]
    return common, reached


@compiled
def _matching_height(parent: Array, node_letter: Array, letters: np.uint64, height: Array) -> None:
    """Count the most nodes below each node, on one path, that may match a sequence with these letters."""
    height[:] = 0
    for node in range(parent.size - 1, ROOT, -1):
        may_match = np.int64((letters >> np.uint64(node_letter[node] & 63)) & ONE)
        height[parent[node]] = max(height[parent[node]], height[node] + may_match)


@compiled
def _set_masks(masks: Array, own: Array, letters: Array) -> int:
    """Set for each letter the bits of its places in the sequence; gives how many places have a letter."""
    length = 0
    for symbol in own:
        if letters[symbol] >= 0:
            masks[letters[symbol], length >> 6] |= ONE << np.uint64(length & 63)
            length += 1
    return length


@compiled
def _clear_masks(masks: Array, own: Array, letters: Array, words: int) -> None:
    for symbol in own:
        if letters[symbol] >= 0:
            masks[letters[symbol], :words] = 0
