"""BF-P2kA: cut the prefix tree below k people and re-attach what was cut to the closest path."""

from __future__ import annotations

import numpy as np

from pdseqpriv.k_anonymity.kernels.closest_path import closest_paths, letter_sets
from pdseqpriv.k_anonymity.kernels.common_prefixes import (
    LEVELS,
    ROOT,
    PrefixTree,
    common_prefixes,
    write_paths,
)
from pdseqpriv.k_anonymity.rare_events import different_people_of, without_rare_events
from pdseqpriv.parameters import Guarantee
from pdseqpriv.progress import progress
from pdseqpriv.sequences.ragged import Ints, Ragged
from pdseqpriv.sequences.variants import Variants, variants_of_lists
from pdseqpriv.taxonomy.labels import Labels

# Sequences per compiled call: between calls Ctrl-C is noticed and the bar moves.
CHUNK = 4096


def attach_to_paths(
    variants: Variants, k: int, labels: Labels, guarantee: Guarantee
) -> tuple[Variants, Ints]:
    """Return the paths of the tree that are released, and which of them replaces each variant.

    The empty path replaces a variant that has no symbol in common with any path. To make sequences
    identical, each is cut to its longest beginning that at least k people end up with; nothing is
    re-attached.
    """
    merged, place, _ = without_rare_events(variants, labels, 1)  # nothing is left out for being rare
    symbols, offsets, counts, shared = merged[:4]
    people = different_people_of(merged.people)
    tree, node = common_prefixes(symbols, offsets, counts, shared, people, k, LEVELS[guarantee])
    cut = np.flatnonzero(tree.depth[node] < np.diff(offsets))
    if cut.size and guarantee != "identical":
        node[cut] = _closest(tree, merged.lists.take(cut), node[cut])
    # Pre-order of the tree is the order of its paths, so the used ones are sorted and distinct.
    used, target = np.unique(node, return_inverse=True)
    paths, often = Ragged(*write_paths(tree, used)), np.bincount(target, counts).astype(np.int64)
    released, _ = variants_of_lists(paths, often, variants.vocabulary, variants.event_dtype)
    return released, target[place]


def _closest(tree: PrefixTree, cut: Ragged, start: Ints) -> Ints:
    target = np.full(start.size, ROOT)
    if tree.depth.size == 1:  # nothing but the root
        return target
    letters = np.full(1 + max(tree.symbol.max(), cut.values.max()), -1, np.int64)
    in_tree = np.unique(tree.symbol[1:])
    letters[in_tree] = np.arange(in_tree.size)
    sets = letter_sets(cut.values, cut.offsets, letters)
    order = np.argsort(sets, kind="stable")
    with progress(order.size, "re-attaching sequences") as bar:
        for begin in range(0, order.size, CHUNK):
            part = order[begin : begin + CHUNK]
            target[part] = closest_paths(tree, cut.values, cut.offsets, start, letters, sets, part)
            bar.update(part.size)
    return target
