"""Patterns by number: what finding sub-patterns, raising supports and sorting rows work on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdseqpriv.patterns.kernels.highest_first import highest_first
from pdseqpriv.patterns.kernels.pattern_tree import by_number, find_parents, grow_tree, number_by_length
from pdseqpriv.patterns.scratch import scratch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdseqpriv.patterns.tables import PatternArrays

# Supports up to here are kept in 32 bits, which are read faster, and others in 64.
NARROW = np.iinfo(np.int32).max
Supports: TypeAlias = "NDArray[Any]"


class PatternTree(NamedTuple):
    """Which events lead from each pattern to one that is longer; see ``kernels.pattern_tree``."""

    begins: NDArray[np.int32]
    words: NDArray[np.int64]
    n_words: int


class Rows(NamedTuple):
    """A sorted table: supports and lengths row by row, and the row of what stood at each place (-1: none)."""

    supports: NDArray[np.int64]
    lengths: NDArray[np.int64]
    moved: NDArray[np.intp]


@dataclass(frozen=True)
class NumberedPatterns:
    """Patterns numbered from 1 by length, the shortest first and else in the order of patterns.

    Attributes
    ----------
    places : numpy.ndarray of int32
        At which place the pattern of each number stands; number 0 is none.
    in_order : numpy.ndarray of int32
        The numbers, in the order of patterns.
    levels : numpy.ndarray of int64
        The first number of each length, and at the end one past the last.
    shortest : int
        The length of the shortest patterns. What is shorter has numbers too, but only for the tree.
    tree : PatternTree, optional
        What leads from one to the other; None where a pattern without its last event, or an event of it as a
        pattern of its own, is missing.
    """

    places: NDArray[np.int32]
    in_order: NDArray[np.int32]
    levels: NDArray[np.int64]
    shortest: int
    tree: PatternTree | None

    def __len__(self) -> int:
        return len(self.in_order)

    @property
    def first(self) -> int:
        """The lowest number of a pattern."""
        return int(self.levels[self.shortest])

    def up_to_length(self, length: int | None) -> int:
        """One past the highest number of patterns up to this length."""
        return int(self.levels[-1 if length is None else min(length + 1, len(self.levels) - 1)])

    def from_length(self, length: int) -> NumberedPatterns:
        """Leave shorter patterns out."""
        if length <= self.shortest:
            return self
        shortest = min(length, len(self.levels) - 1)
        in_order = self.in_order[self.in_order >= self.levels[shortest]]
        return replace(self, in_order=in_order, shortest=shortest)

    def by_number(self, supports: NDArray[np.int64], room: Supports | None = None) -> Supports:
        """Give the supports at places to the numbers."""
        if room is None:
            room = np.empty(len(self.places), np.int32 if supports.max(initial=0) <= NARROW else np.int64)
        by_number(supports, self.places, self.first, room)
        return room

    def highest_first(self, supports: Supports, kept: NDArray[np.bool_] | None, n_places: int) -> Rows:
        """Sort by support, then by pattern; supports and what is kept belong to numbers."""
        numbers = self.in_order if kept is None else self.in_order[kept[self.in_order]]
        room = scratch(len(supports) + n_places, np.intp)
        rows, moved = room[: len(supports)], room[len(supports) :]
        table = scratch((2, len(numbers)), np.int64)
        highest_first(supports, numbers, self.levels, self.places, rows, moved, table)
        return Rows(table[0], table[1], moved)


def number_patterns(patterns: PatternArrays) -> NumberedPatterns:
    """Number patterns that are in their order."""
    places, in_order, levels = number_by_length(patterns.offsets)
    shortest = int(np.searchsorted(levels, 1, side="right")) - 1
    return NumberedPatterns(places, in_order, levels, shortest, _tree_of(patterns, places, in_order))


def _tree_of(
    patterns: PatternArrays, places: NDArray[np.int32], in_order: NDArray[np.int32]
) -> PatternTree | None:
    arrays = patterns.codes, patterns.offsets, patterns.joined
    parents, has_all = (patterns.parents, True) if patterns.parents is not None else find_parents(*arrays)
    if not has_all:
        return None
    tree = PatternTree(*grow_tree(parents, *arrays, len(patterns.vocabulary), places, in_order))
    return tree if tree.n_words >= 0 else None
