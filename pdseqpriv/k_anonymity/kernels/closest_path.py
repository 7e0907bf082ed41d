"""The path of a prefix tree that is closest to a sequence: branch and bound on bit-parallel LCS."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.common_prefixes import ROOT, PrefixTree

ONE = np.uint64(1)
ALL = ~np.uint64(0)


@compiled
def letter_sets(symbols: Array, offsets: Array, letters: Array) -> Array:
    """Return which letters each sequence has: 64 classes of letters in one word."""
    sets = np.zeros(offsets.size - 1, np.uint64)
    for s in range(offsets.size - 1):
        for i in range(offsets[s], offsets[s + 1]):
            letter = letters[symbols[i]]
            if letter >= 0:
                sets[s] |= ONE << np.uint64(letter & 63)
    return sets


@compiled
def closest_paths(
    tree: PrefixTree, symbols: Array, offsets: Array, start: Array, letters: Array, sets: Array, order: Array
) -> Array:
    """Return for each sequence of order the node whose path has the longest common subsequence with it.

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
    """Go one node down in the bit-parallel LCS; returns 1 when the common subsequence grows.

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
    """Return the length of the LCS with one path, and the first node of the path where it is reached."""
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
    """Set for each letter the bits of its places in the sequence; returns how many places have a letter."""
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
