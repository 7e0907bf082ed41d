"""Distinct plain sequences with their counts, in lexicographic order: what tree algorithms begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.compiled import Array
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.ragged import Ragged
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
    return Sorted(variants.symbols // 2, variants.offsets, variants.counts, variants.vocabulary)


def as_table(codes: Array, offsets: Array, counts: Array, vocabulary: pd.Index) -> pd.DataFrame:
    """Write each sequence as often as it counts; the empty one is dropped."""
    people = Ragged(codes, offsets).take(np.repeat(np.arange(counts.size), counts))
    owners = people.owners
    time = np.arange(owners.size) - people.offsets[owners]
    return pd.DataFrame({"seq_id": owners, "event": vocabulary.take(people.values), "time": time})
