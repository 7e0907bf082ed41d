"""A taxonomy for checks and measures: names, and which is below which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.events import text_of_names
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# The node of a name that is not there.
UNKNOWN = -1


@dataclass(frozen=True)
class CategoryTree:
    """The names of a taxonomy, followed by the events outside it, each as a separate tree.

    ``parent`` has the position of each name's parent; the root is its own parent, and so is an event outside
    the taxonomy. ``n_inside`` counts the names of the taxonomy itself, ``share`` is the share of all its
    events below each name, 0 for an event, and ``height`` is how many steps lead from the deepest event to
    the root.
    """

    names: pd.Index
    parent: Ints
    n_inside: int
    share: NDArray[np.float64]
    height: int

    def find(self, names: pd.Index) -> Ints:
        """Return the position of each name, UNKNOWN if it is not in the tree; 7 and "7" are the same."""
        text = text_of_names(names, "events")
        return np.where(text.isna(), UNKNOWN, self.names.get_indexer(text)).astype(np.int64)

    @cached_property
    def is_leaf(self) -> Flags:
        """Whether nothing is below each node."""
        children = self.parent[self.parent != np.arange(self.parent.size)]
        leaf: Flags = np.bincount(children, minlength=self.parent.size) == 0
        return leaf


def category_tree(vocabulary: pd.Index, taxonomy: Taxonomy | None) -> CategoryTree:
    """Return the tree of a taxonomy, or of the flat one, with the events of a table that are not in it."""
    known = Taxonomy.flat(vocabulary) if taxonomy is None else taxonomy
    text = text_of_names(vocabulary, "events")
    outside = text[known.names.get_indexer(text) < 0]
    parents = np.concatenate((known.parents, np.arange(len(known), len(known) + len(outside))))
    shares = np.concatenate((known.shares, np.zeros(len(outside))))
    names, height = known.names.append(outside), int(known.depths[-1])
    return CategoryTree(names, parents.astype(np.int64), len(known), shares, height)
