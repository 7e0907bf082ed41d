"""Distinct plain sequences with their counts, in lexicographic order: what tree algorithms begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.compiled import Array
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.kernels.lexicographic import sort_sequences, take_sequences
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import variants_of


class Sorted(NamedTuple):
    """Sequence ``i`` is ``codes[offsets[i]:offsets[i + 1]]``; ``counts[i]`` people have it."""

    codes: Array
    offsets: Array
    counts: Array
    vocabulary: pd.Index


def sorted_variants(frame: pd.DataFrame) -> Sorted:
    """Read a table without simultaneous events."""
    variants = variants_of(sequences_of(frame, Columns()))
    order = sort_sequences(variants.symbols, variants.offsets)
    symbols, offsets = take_sequences(variants.symbols, variants.offsets, order)
    return Sorted(symbols // 2, offsets, variants.counts[order], variants.vocabulary)


def as_table(codes: Array, offsets: Array, counts: Array, vocabulary: pd.Index) -> pd.DataFrame:
    """Write each sequence as often as it counts; the empty one is dropped."""
    order = np.repeat(np.arange(counts.size), counts)
    codes, offsets = take_sequences(codes, offsets, order)
    lengths = np.diff(offsets)
    owner = np.repeat(np.arange(order.size), lengths)
    time = np.arange(codes.size) - offsets[owner]
    return pd.DataFrame({"seq_id": owner, "event": vocabulary.take(codes), "time": time})
