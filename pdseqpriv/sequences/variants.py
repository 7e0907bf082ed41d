"""Distinct sequences with the number of people who share them: the summary that partitions exchange."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True)
class Variants:
    """Distinct sequences of events, without ids and times.

    A symbol is ``2 * code + 1`` when its event begins an element and ``2 * code`` when it joins the element
    before it; on a table without simultaneous events every symbol is odd. Marked events are left out.
    """

    symbols: NDArray[np.int64]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    vocabulary: pd.Index

    @property
    def n_variants(self) -> int:
        """How many distinct sequences there are."""
        return self.counts.size


def variants_of(sequences: Sequences) -> Variants:
    """Count the distinct sequences of a part."""
    symbols, offsets = symbols_of(sequences)
    ones = np.ones(sequences.n_sequences, np.int64)
    return _distinct(symbols, offsets, ones, sequences.vocabulary)


def merge_variants(first: Variants, second: Variants) -> Variants:
    """Add up the variants of two parts."""
    vocabulary, code_of_first, code_of_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    symbols = np.concatenate((_renumber(first, code_of_first), _renumber(second, code_of_second)))
    offsets = np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1]))
    counts = np.concatenate((first.counts, second.counts))
    return _distinct(symbols, offsets, counts, vocabulary)


def count_nodes(variants: Variants) -> int:
    """Count the nodes of the prefix tree of all variants, its root not included."""
    return int(end_nodes(variants.symbols, variants.offsets)[1])


def symbols_of(sequences: Sequences) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the symbols of all sequences, one after the other, and where each sequence starts."""
    owner = sequences.owners
    kept = np.flatnonzero(sequences.codes >= 0)
    owner, elements = owner[kept], sequences.elements[kept]
    begins = np.ones(kept.size, bool)
    begins[1:] = (owner[1:] != owner[:-1]) | (elements[1:] != elements[:-1])
    symbols = 2 * sequences.codes[kept].astype(np.int64) + begins
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=sequences.n_sequences))))
    return symbols, offsets


def _distinct(
    symbols: NDArray[np.int64],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    vocabulary: pd.Index,
) -> Variants:
    ends, nodes = end_nodes(symbols, offsets)
    totals = np.zeros(nodes + 1, np.int64)
    np.add.at(totals, ends, counts)
    _, first = np.unique(ends, return_index=True)
    kept, kept_offsets = _take(symbols, offsets, first)
    return Variants(kept, kept_offsets, totals[ends[first]], vocabulary)


def _take(
    symbols: NDArray[np.int64], offsets: NDArray[np.int64], chosen: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lengths = np.diff(offsets)[chosen]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    places = np.arange(new_offsets[-1]) + np.repeat(offsets[chosen] - new_offsets[:-1], lengths)
    return symbols[places], new_offsets


def _renumber(variants: Variants, new_code: NDArray[np.int32]) -> NDArray[np.int64]:
    codes, begins = variants.symbols // 2, variants.symbols % 2
    return 2 * new_code.astype(np.int64)[codes] + begins
