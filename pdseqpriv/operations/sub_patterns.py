"""Which patterns of a table remain when one event is left out of another."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pdseqpriv.kernels.pattern_index import link_sub_patterns
from pdseqpriv.kernels.pattern_tree import (
    find_parents,
    link_along_tree,
    number_by_length,
    number_children,
    number_links,
)
from pdseqpriv.kernels.raise_supports import are_closed
from pdseqpriv.options import options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdseqpriv.table.patterns import PatternArrays

# Fewer patterns than this are linked before a second thread has begun.
SMALL = 1 << 14

Item = TypeVar("Item", bound=np.generic)


@dataclass(frozen=True)
class SubPatterns:
    """Patterns numbered from 1 by length, and what remains of each without one event.

    Attributes
    ----------
    order : numpy.ndarray of int32
        At which place the pattern of each number stands; number 0 is none.
    numbers : numpy.ndarray of int32
        The number of the pattern at each place.
    levels : numpy.ndarray of int64
        The first number of each length, and at the end one past the last.
    links : numpy.ndarray of int32
        One number per event of each pattern, in the order of numbers: what remains without it; 0 where that
        is not in the table, or nothing.
    """

    order: NDArray[np.int32]
    numbers: NDArray[np.int32]
    levels: NDArray[np.int64]
    links: NDArray[np.int32]

    def by_number(self, values: NDArray[Item]) -> NDArray[Item]:
        """Give values of places to the numbers; what number 0 gets is never looked at."""
        return values[self.order] if len(values) else np.zeros(1, values.dtype)

    def by_place(self, numbered: NDArray[Item]) -> NDArray[Item]:
        """Give values of numbers back to the places."""
        return numbered[self.numbers]

    def are_closed(self, supports: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which patterns have more support than any pattern with one event more."""
        return self.by_place(are_closed(self.by_number(supports), self.levels, self.links))


def find_sub_patterns(patterns: PatternArrays) -> SubPatterns:
    """Look all of them up; the patterns must be in the order of patterns."""
    order, numbers, levels = number_by_length(patterns.offsets)
    links = _along_tree(patterns, order, numbers, levels)
    if links is None:
        # Without short patterns, or wrong: the index finds what is there and what is not.
        by_index = link_sub_patterns(patterns.codes, patterns.offsets, patterns.joined)
        links = number_links(by_index, patterns.offsets, order, numbers)
    return SubPatterns(order, numbers, levels, links)


def _along_tree(
    patterns: PatternArrays, order: NDArray[np.int32], numbers: NDArray[np.int32], levels: NDArray[np.int64]
) -> NDArray[np.int32] | None:
    """Link a complete table, on all cores; None when it is not complete."""
    arrays = patterns.codes, patterns.offsets, patterns.joined
    parents, has_all = (patterns.parents, True) if patterns.parents is not None else find_parents(*arrays)
    if not has_all:
        return None
    n_events, links = len(patterns.vocabulary), np.zeros(len(patterns.codes), np.int32)
    tokens, children = number_children(parents, *arrays, n_events, order, numbers)

    def work(part: tuple[int, int]) -> bool:
        return link_along_tree(*part, order, levels, tokens, children, links, n_events)

    parts = _parts(patterns.offsets, order[1 : levels[min(2, len(levels) - 1)]])
    if len(parts) == 1:
        return links if work(parts[0]) else None
    link_along_tree.dispatcher()  # type: ignore[attr-defined] # brought in from one thread only
    with ThreadPoolExecutor(len(parts)) as pool:
        return links if all(pool.map(work, parts)) else None


def _parts(offsets: NDArray[np.int64], singles: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Cut a table at places of single events into one part per core, of about as many events each."""
    threads = min(options.threads or os.cpu_count() or 1, 1 + len(offsets) // SMALL)
    wanted = np.arange(1, threads) * offsets[-1] // threads
    cuts = singles[np.minimum(np.searchsorted(offsets[singles], wanted), len(singles) - 1)]
    return list(pairwise([0, *cuts.tolist(), len(offsets) - 1]))
