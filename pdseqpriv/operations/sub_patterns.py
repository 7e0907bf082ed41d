"""Which patterns of a table remain when one event is left out of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pdseqpriv.kernels.pattern_index import link_sub_patterns
from pdseqpriv.kernels.pattern_tree import find_parents, link_along_tree, number_links
from pdseqpriv.table.patterns import shortest_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdseqpriv.table.patterns import PatternArrays

Item = TypeVar("Item", bound=np.generic)


@dataclass(frozen=True)
class SubPatterns:
    """Patterns numbered from 1 by length, and what remains of each without one event.

    Attributes
    ----------
    order : numpy.ndarray of int64
        Number ``i`` is the pattern at the place ``order[i - 1]``.
    begins : numpy.ndarray of int64
        The links of number ``i`` are ``links[begins[i]:begins[i + 1]]``, one per event.
    links : numpy.ndarray of int32
        Numbers of patterns; 0 where what remains is not in the table, or nothing.
    """

    order: NDArray[np.int64]
    begins: NDArray[np.int64]
    links: NDArray[np.int32]

    def by_number(self, values: NDArray[Item]) -> NDArray[Item]:
        """Give values of places to the numbers; number 0 gets a zero."""
        numbered = np.zeros(len(values) + 1, values.dtype)
        np.take(values, self.order, out=numbered[1:])
        return numbered

    def by_place(self, numbered: NDArray[Item]) -> NDArray[Item]:
        """Give values of numbers back to the places."""
        values: NDArray[Any] = np.empty(len(self.order), numbered.dtype)
        values[self.order] = numbered[1:]
        return values


def find_sub_patterns(patterns: PatternArrays) -> SubPatterns:
    """Look all of them up; the patterns must be in the order of patterns."""
    arrays = patterns.codes, patterns.offsets, patterns.joined
    order = shortest_first(patterns.lengths)
    parents, complete = patterns.parents, True
    if parents is None:
        parents, complete = find_parents(*arrays)
    if complete:
        links, begins, complete = link_along_tree(parents, *arrays, len(patterns.vocabulary), order)
    if not complete:
        # Without short patterns, or wrong: the index finds what is there and what is not.
        links, begins = number_links(link_sub_patterns(*arrays), patterns.offsets, order)
    return SubPatterns(order, begins, links)
