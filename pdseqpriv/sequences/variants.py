"""Distinct sequences with the number of people who have each: the summary that parts of a table share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels.lexicographic import count_variants, distinct_sequences, symbols_of_rows
from pdseqpriv.sequences.ragged import Ragged
from pdseqpriv.sequences.sequences import Sequences

Ints = NDArray[np.int64]


class Variants(NamedTuple):
    """Distinct sequences of events, without ids and times, in lexicographic order.

    Marked events are left out.

    Attributes
    ----------
    symbols, offsets
        Variant ``i`` is ``symbols[offsets[i]:offsets[i + 1]]``. A symbol is ``2 * code + 1`` when its event
        begins an element and ``2 * code`` when it joins the element before it; in a table without
        simultaneous events every symbol is odd.
    counts
        How many people have each variant.
    shared
        How many first symbols each variant has in common with the one before it.
    vocabulary
        The event of each code.
    event_dtype
        The original type of the events.
    """

    symbols: Ints
    offsets: Ints
    counts: Ints
    shared: Ints
    vocabulary: pd.Index
    event_dtype: object


def variants_of(sequences: Sequences) -> Variants:
    """Count the distinct sequences of a part."""
    by_time = sequences.columns.ties == "element"
    counted = count_variants(sequences.codes, sequences.times, sequences.offsets, by_time)
    return Variants(*counted, sequences.vocabulary, sequences.dtypes.event)


def merge_variants(first: Variants, second: Variants) -> Variants:
    """Add up the variants of two parts."""
    vocabulary, *new_codes = merge_vocabularies(first.vocabulary, second.vocabulary)
    both = Ragged.concat(
        [
            Ragged(_renumbered(part.symbols, codes), part.offsets)
            for part, codes in zip((first, second), new_codes, strict=True)
        ]
    )
    counts = np.concatenate((first.counts, second.counts))
    counted = distinct_sequences(both.values, both.offsets, counts)
    return Variants(*counted[:4], vocabulary, first.event_dtype)


def find_variants(sequences: Sequences, variants: Variants) -> Ints:
    """Return the variant of each sequence of a part, which may lack events and so number them differently."""
    by_time = sequences.columns.ties == "element"
    symbols, offsets = symbols_of_rows(sequences.codes, sequences.times, sequences.offsets, by_time)
    codes = variants.vocabulary.get_indexer(sequences.vocabulary)
    both = Ragged.concat(
        [Ragged(variants.symbols, variants.offsets), Ragged(_renumbered(symbols, codes), offsets)]
    )
    # All sequences of the part are among the variants, which are distinct and sorted: positions are numbers.
    place: Ints = distinct_sequences(both.values, both.offsets, np.zeros(len(both), np.int64))[-1]
    return place[variants.counts.size :]


def count_nodes(variants: Variants) -> int:
    """Count the nodes of the prefix tree of all variants, not including its root."""
    return int(variants.symbols.size - variants.shared.sum())


def _renumbered(symbols: Ints, new_codes: NDArray[np.integer]) -> Ints:
    renumbered: Ints = 2 * new_codes.astype(np.int64)[symbols >> 1] + (symbols & 1)
    return renumbered
