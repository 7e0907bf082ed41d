"""Who is under whom in a taxonomy, for checks and measures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int64]
UNKNOWN = -1


@dataclass(frozen=True)
class Ancestry:
    """The place of each name's parent; the root is its own parent, and so is an event outside the taxonomy.

    ``n_events`` counts the leaves of the taxonomy.
    """

    parent: Nodes
    n_events: int

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether nothing is under it."""
        children = self.parent[self.parent != np.arange(self.parent.size)]
        leaf: NDArray[np.bool_] = np.bincount(children, minlength=self.parent.size) == 0
        return leaf

    @cached_property
    def height(self) -> int:
        """How many steps lead from the deepest leaf to the root."""
        steps, at = 0, np.arange(self.parent.size)
        while (self.parent[at] != at).any():
            steps, at = steps + 1, self.parent[at]
        return steps

    @cached_property
    def events_under(self) -> Nodes:
        """How many leaves are under each node; one for a leaf."""
        counts, at = self.is_leaf.astype(np.int64), np.flatnonzero(self.is_leaf)
        moving = self.parent[at] != at
        while moving.any():
            at = self.parent[at[moving]]
            counts += np.bincount(at, minlength=counts.size)
            moving = self.parent[at] != at
        return counts

    def covers(self, categories: Nodes, events: Nodes) -> NDArray[np.bool_]:
        """Tell pair by pair whether the event is the category or is under it."""
        found, at = categories == events, events
        for _ in range(self.height):
            at = self.parent[at]
            found = found | (at == categories)
        known = (categories != UNKNOWN) & (events != UNKNOWN)
        covered: NDArray[np.bool_] = found & known
        return covered
