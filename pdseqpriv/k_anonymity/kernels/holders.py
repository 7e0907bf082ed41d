"""Which sequences have each label, and so the rarest label of a sequence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import DifferentPeople, heads_of


class LabelHolders(NamedTuple):
    """Sequences, the longest first, and which of them have each label."""

    symbols: Array
    offsets: Array
    counts: Array  # different people per sequence
    people: DifferentPeople
    above: Array
    end: Array  # per label: it covers those from itself up to here
    is_one_by_one: bool  # every element is one event, and every label covers only itself
    at_least: Array  # per number of elements: how many sequences have as many
    starts: Array  # where the list of each label starts
    having: Array  # who has it


@compiled
def index_sequences(
    symbols: Array, offsets: Array, counts: Array, people: DifferentPeople, above: Array, end: Array
) -> LabelHolders:
    """Index sequences that come in order of their number of elements, the longest first."""
    is_one_by_one = bool((symbols & 1).all()) and not (above >= 0).any()
    starts = np.zeros(above.size + 1, np.int64)
    having = np.empty(0, np.int32)
    for fills in (False, True):
        free, last = starts.copy(), np.full(above.size, -1, np.int64)
        for s in range(counts.size):
            for i in range(offsets[s], offsets[s + 1]):
                label = symbols[i] >> 1
                while label >= 0 and last[label] != s:
                    last[label] = s
                    if fills:
                        having[free[label]] = s
                        free[label] += 1
                    else:
                        starts[label + 1] += 1
                    label = above[label]
        if not fills:
            starts = np.cumsum(starts)
            having = np.empty(starts[-1], np.int32)
    at_least = np.zeros(2 + (size_of(symbols, offsets, 0) if counts.size else 0), np.int64)
    for s in range(counts.size):
        at_least[size_of(symbols, offsets, s)] += 1
    at_least = np.cumsum(at_least[::-1])[::-1]
    heads = heads_of(people, counts)
    return LabelHolders(symbols, offsets, heads, people, above, end, is_one_by_one, at_least, starts, having)


@compiled
def size_of(symbols: Array, offsets: Array, s: int) -> int:
    """Return how many elements a sequence has."""
    size = 0
    for i in range(offsets[s], offsets[s + 1]):
        size += symbols[i] & 1
    return size


@compiled
def sizes_of(symbols: Array, offsets: Array) -> Array:
    """Return how many elements each sequence has."""
    sizes = np.empty(offsets.size - 1, np.int64)
    for s in range(sizes.size):
        sizes[s] = size_of(symbols, offsets, s)
    return sizes


@compiled
def pivots_of(index: LabelHolders, chosen: Array) -> Array:
    """Return the rarest label of each chosen sequence; the first one if it is empty."""
    pivots = np.zeros(chosen.size, np.int64)
    for c in range(chosen.size):
        least = index.having.size + 1
        for i in range(index.offsets[chosen[c]], index.offsets[chosen[c] + 1]):
            label = index.symbols[i] >> 1
            size = index.starts[label + 1] - index.starts[label]
            if size < least:
                least, pivots[c] = size, label
    return pivots
