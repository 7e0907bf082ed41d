"""BF-P2kA: cut the prefix tree below k people and re-attach what was cut to the closest path."""

from __future__ import annotations

import numpy as np

from pdseqpriv.k_anonymity.distinct import Distinct, Ints, Lists
from pdseqpriv.k_anonymity.kernels import closest_path as kernel
from pdseqpriv.progress import progress

CHUNK = 4096


def attach(distinct: Distinct, k: int, *, strict: bool) -> Lists:
    """Give for each sequence the path of the tree that is released; empty when none has a symbol of it."""
    symbol, depth, parent, last = kernel.build_tree(*distinct.lists, distinct.shared)
    people = kernel.count_people(parent, last, distinct.counts, k, strict)
    symbol, depth, parent, kept = kernel.prune(symbol, depth, parent, people >= k)
    tree = kernel.Tree(symbol, depth, parent, *kernel.measure_tree(parent))
    target = kept[last]
    cut = np.flatnonzero(depth[target] < distinct.lists.lengths)
    if depth.size > 1 and cut.size:
        target[cut] = _closest(tree, distinct.lists.take(cut), target[cut])
    elif cut.size:
        target[cut] = kernel.ROOT
    # Written out as sequences: the path of every node that is used.
    used, place = np.unique(target, return_inverse=True)
    return _paths(tree, used).take(place)


def _closest(tree: kernel.Tree, lists: Lists, start: Ints) -> Ints:
    letters = np.full(1 + max(tree.symbol.max(), lists.symbols.max()), -1, np.int64)
    in_tree = np.unique(tree.symbol[1:])
    letters[in_tree] = np.arange(in_tree.size)
    sets = kernel.letter_sets(*lists, letters)
    order = np.argsort(sets, kind="stable")
    target = np.empty(order.size, np.int64)
    with progress(order.size, "re-attaching sequences") as bar:
        for begin in range(0, order.size, CHUNK):
            part = order[begin : begin + CHUNK]
            target[part] = kernel.closest_paths(tree, *lists, start, letters, sets, part)
            bar.update(part.size)
    return target


def _paths(tree: kernel.Tree, nodes: Ints) -> Lists:
    lengths = tree.depth[nodes]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    symbols = np.empty(offsets[-1], np.int64)
    here, place = nodes.copy(), offsets[1:] - 1
    for _ in range(lengths.max(initial=0)):
        going = here != kernel.ROOT
        here, place = here[going], place[going]
        symbols[place] = tree.symbol[here]
        here, place = tree.parent[here], place - 1
    return Lists(symbols, offsets)
