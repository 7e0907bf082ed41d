"""The longest common subsequence of a list of events and the records of a release.

Where every released element is one label, a step down the tree is bit-parallel: one operation on a word for
64 places of the list. Else it is a line of the usual table, in which two elements are worth as many events as
they have in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.fitting_labels import NO_LINE, ONE, Fit
from pdseqpriv.audit.kernels.release_tree import ROOT, ReleaseTree
from pdseqpriv.compiled import Array, compiled

ALL = ~np.uint64(0)


class CommonSoFar(NamedTuple):
    """What is in common with the path above, by depth; of the two kinds of lines one is used."""

    bits: Array  # a zero marks a place where the common subsequence has grown
    sums: Array  # most in common up to each place
    total: Array  # most in common with the whole list
    nodes: Array  # which node a line is of


@compiled
def new_table(tree: ReleaseTree, n_places: int, is_plain: bool) -> CommonSoFar:
    """Make room for lists of up to so many places."""
    depth = tree.deepest[ROOT] + 1
    n_words = (n_places + 63) // 64 if is_plain else 0
    n_sums = 0 if is_plain else n_places + 1
    return CommonSoFar(
        np.empty((depth, n_words), np.uint64),
        np.zeros((depth, n_sums), np.int32),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
    )


@compiled
def most_in_common(
    tree: ReleaseTree, fit: Fit, table: CommonSoFar, height: Array, at_least: tuple[int, int], matches: Array
) -> int:
    """Write down the records with the most in common, of these the shortest, of these the least vague.

    Gives how many they are. Branch and bound: ``height`` is the most that can be gained below a node, and
    ``at_least`` what some record is known to have in common, and its length.
    """
    # Taken out of their tuples once: in the loop, that would take longer than all the rest.
    element, depth, lengths, vagueness = tree.element, tree.depth, tree.length, tree.vague
    ending, end = tree.ending, tree.end
    line, touches, in_elements = fit.line, fit.touches, fit.common
    bits, sums, total = table.bits, table.sums, table.total
    best, length = at_least
    vague, n = np.iinfo(np.int64).max, 0
    _begin(bits, sums, total)
    node = ROOT
    while node < element.size:
        here = depth[node]
        if node != ROOT:
            _step(bits, sums, total, touches, in_elements, line[element[node]], here)
        common = total[here]
        if ending[node] > 0:
            if _is_better(common, lengths[node], vagueness[node], best, length, vague):
                best, length, vague, n = common, lengths[node], vagueness[node], 0
            if common == best and lengths[node] == length and vagueness[node] == vague:
                matches[n] = node
                n += 1
        missing = best - common
        gain = min(height[node], fit.most - common)
        # What is missing needs as many more labels, and a record that gets there may not be longer.
        may_match = gain >= missing and (missing < gain or lengths[node] + missing <= length)
        node = node + 1 if may_match else end[node]
    return n


@compiled
def in_common_with(tree: ReleaseTree, fit: Fit, table: CommonSoFar, nodes: Array, common: Array) -> None:
    """Write down what each of some nodes, in pre-order, has in common with the list."""
    element, depth, parent = tree.element, tree.depth, tree.parent
    line, touches, in_elements = fit.line, fit.touches, fit.common
    bits, sums, total, on_path = table.bits, table.sums, table.total, table.nodes
    _begin(bits, sums, total)
    on_path[:] = -1
    on_path[0] = ROOT
    path = np.empty(on_path.size, np.int64)
    for i in range(nodes.size):
        node, n = nodes[i], 0
        while on_path[depth[node]] != node:
            path[n] = node
            n += 1
            node = parent[node]
        while n > 0:
            n -= 1
            here = depth[path[n]]
            _step(bits, sums, total, touches, in_elements, line[element[path[n]]], here)
            on_path[here] = path[n]
        common[i] = total[depth[nodes[i]]]


@compiled
def matching_height(tree: ReleaseTree, gains: Array, height: Array) -> None:
    """Write down the most that can be gained below each node, given what each element can add."""
    element, parent = tree.element, tree.parent
    height[:] = 0
    for node in range(element.size - 1, ROOT, -1):
        above = parent[node]
        height[above] = max(height[above], height[node] + gains[element[node]])


@compiled
def _is_better(
    common: int, length: int, vague: int, best_common: int, best_length: int, best_vague: int
) -> bool:
    if common != best_common:
        return common > best_common
    return length < best_length or (length == best_length and vague < best_vague)


@compiled
def _begin(bits: Array, sums: Array, total: Array) -> None:
    if bits.shape[1]:
        bits[0, :] = ALL
    if sums.shape[1]:
        sums[0, :] = 0
    total[0] = 0


@compiled
def _step(
    bits: Array, sums: Array, total: Array, touches: Array, common: Array, line: int, below: int
) -> None:
    """Go one element down."""
    if sums.shape[1]:
        _add_sums(sums, total, common, line, below)
    else:
        _add_bits(bits, total, touches, line, below)


@compiled
def _add_bits(bits: Array, total: Array, touches: Array, line: int, below: int) -> None:
    """Bits past the end of the list stay one, so growth shows as the carry out of the last word."""
    carry = np.uint64(0)
    for word in range(touches.shape[1]):
        before = bits[below - 1, word]
        mask = touches[line, word] if line != NO_LINE else np.uint64(0)
        part = before + (before & mask)
        added = part + carry
        carry = ONE if part < before or added < part else np.uint64(0)
        bits[below, word] = added | (before & ~mask)
    total[below] = total[below - 1] + np.int64(carry)


@compiled
def _add_sums(sums: Array, total: Array, common: Array, line: int, below: int) -> None:
    n_places = common.shape[1]
    for place in range(n_places):
        here = common[line, place] if line != NO_LINE else 0
        most = max(sums[below - 1, place + 1], sums[below - 1, place] + here)
        sums[below, place + 1] = max(most, sums[below, place])
    total[below] = sums[below, n_places]
