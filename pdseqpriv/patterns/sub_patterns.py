"""Which patterns of a table remain when one event is left out of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdseqpriv.patterns.kernels.pattern_index import count_repeats, link_sub_patterns
from pdseqpriv.patterns.kernels.pattern_tree import link_along_tree, number_links
from pdseqpriv.patterns.scratch import scratch
from pdseqpriv.patterns.tables import PatternArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdseqpriv.patterns.known_patterns import KnownPatterns
    from pdseqpriv.patterns.numbered import NumberedPatterns


def find_sub_patterns(
    numbered: NumberedPatterns, patterns: PatternArrays | KnownPatterns
) -> NDArray[np.int32]:
    """Look all of them up.

    Gives one number per event of each pattern, in the order of numbers: what remains without it; 0 where that
    is nothing, or is missing. What remains of the shortest patterns may have a number too, for the tree only.
    """
    if numbered.tree is not None:
        links = scratch(_n_links(numbered.levels), np.int32)
        if link_along_tree(numbered.levels, *numbered.tree, links):
            return links
    if not isinstance(patterns, PatternArrays):
        raise TypeError("what is known of a table must be complete")
    # Without short patterns, or wrong: the index finds what is there and what is not.
    by_index = link_sub_patterns(patterns.codes, patterns.offsets, patterns.joined)
    by_number: NDArray[np.int32] = number_links(
        by_index, patterns.offsets, numbered.places, numbered.in_order
    )
    return by_number


def count_missing(numbered: NumberedPatterns, patterns: PatternArrays, links: NDArray[np.int32]) -> int:
    """Count the patterns that are missing and one event shorter than one that is there; each counts once."""
    lengths = np.repeat(np.arange(len(numbered.levels) - 1), np.diff(numbered.levels))
    owners = np.repeat(np.arange(len(lengths)), lengths)
    lost = np.flatnonzero((links == 0) & (lengths[owners] > numbered.shortest))
    whole = patterns.take(numbered.places[owners[lost]].astype(np.int64))
    left_out = whole.offsets[:-1] + lost - (np.cumsum(lengths) - lengths)[owners[lost]]
    # Without the event that opened an element the next one opens it.
    inside = left_out + 1 < whole.offsets[1:]
    whole.joined[left_out[inside] + 1] &= whole.joined[left_out[inside]]
    codes, joined = np.delete(whole.codes, left_out), np.delete(whole.joined, left_out)
    return len(lost) - int(count_repeats(codes, whole.offsets - np.arange(len(lost) + 1), joined))


def _n_links(levels: NDArray[np.int64]) -> int:
    """Count the events of all patterns."""
    return int(np.diff(levels)[1:] @ np.arange(1, len(levels) - 1))
