"""Which patterns of a table are left when one event is taken out of another pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdseqpriv.patterns.kernels.pattern_index import link_sub_patterns
from pdseqpriv.patterns.kernels.pattern_tree import (
    are_closed,
    find_parents,
    link_by_tree,
    number_by_length,
    number_links,
)
from pdseqpriv.patterns.tables import PatternArrays, sort_patterns
from pdseqpriv.sequences.ragged import offsets_of, owners_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SubPatterns:
    """Patterns numbered from 1, by length and then in pattern order, and their links.

    Attributes
    ----------
    places : numpy.ndarray of int32
        The position of the pattern with each number; number 0 stands for no pattern.
    numbers : numpy.ndarray of int32
        The number of the pattern at each position.
    levels : numpy.ndarray of int64
        The first number of each length, followed by one past the last.
    links : numpy.ndarray of int32
        One number per event of each pattern, in the order of numbers: the pattern that is left without this
        event; 0 if nothing is left, or if that pattern is missing.
    """

    places: NDArray[np.int32]
    numbers: NDArray[np.int32]
    levels: NDArray[np.int64]
    links: NDArray[np.int32]

    def by_number(self, supports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the supports, given by position, by number; 0 for number 0."""
        return np.append(0, supports[self.places[1:]])

    def are_closed(self, supports: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return, by position, which patterns have no pattern with one more event and the same support."""
        closed: NDArray[np.bool_] = are_closed(self.by_number(supports), self.levels, self.links)
        return closed[self.numbers]


def find_sub_patterns(patterns: PatternArrays) -> SubPatterns:
    """Find what is left of each pattern without each of its events; the patterns must be in order."""
    arrays = patterns.codes, patterns.offsets, patterns.joined
    places, numbers, levels = number_by_length(patterns.offsets)
    parents, is_complete = (patterns.parents, True) if patterns.parents is not None else find_parents(*arrays)
    if is_complete:
        n_events = len(patterns.vocabulary)
        links, is_complete = link_by_tree(parents, *arrays, n_events, places, numbers, levels)
    if not is_complete:  # the index also copes with missing patterns
        links = number_links(link_sub_patterns(*arrays), patterns.offsets, places, numbers)
    return SubPatterns(places, numbers, levels, links)


def count_missing(patterns: PatternArrays, sub_patterns: SubPatterns, shortest: int) -> int:
    """Count the missing patterns that are one event shorter than one in the table, each once."""
    lengths = owners_of(sub_patterns.levels)
    offsets = offsets_of(lengths)
    owners = owners_of(offsets)
    lost = np.flatnonzero((sub_patterns.links == 0) & (lengths[owners] > shortest))
    whole = patterns.take(sub_patterns.places[owners[lost]])
    left_out = whole.offsets[:-1] + lost - offsets[owners[lost]]
    # Without the event that begins an element, the next one begins it.
    inside = left_out + 1 < whole.offsets[1:]
    whole.joined[left_out[inside] + 1] &= whole.joined[left_out[inside]]
    codes, joined = np.delete(whole.codes, left_out), np.delete(whole.joined, left_out)
    shorter = whole.offsets - np.arange(len(lost) + 1)
    _, repeated = sort_patterns(codes, shorter, joined, len(patterns.vocabulary))
    return len(lost) - repeated
