"""Every sequence as an event sequence of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.kernels.sanitization.build import Terms
from pdseqpriv.kernels.sanitization.rows import sanitize_sequences
from pdseqpriv.operations.sanitize.request import Request
from pdseqpriv.progress import progress
from pdseqpriv.table.sequences import Sequences
from pdseqpriv.table.vocabulary import find_events, merge_vocabularies

# How much work an exact search may do per sequence, in ways to delete that it looks at.
_SEARCH = 1 << 17
# Rows per compiled call: between calls an interrupt is heard and the bar moves.
_CHUNK = 1 << 22


class Extent(NamedTuple):
    """What all sequences have in common: their events, and how many rows there are."""

    vocabulary: pd.Index
    rows: int


def summarise(sequences: Sequences) -> Extent:
    """Give the events and the number of rows."""
    return Extent(sequences.vocabulary, sequences.n_rows)


def merge(first: Extent, second: Extent) -> Extent:
    """Unite events, add up rows."""
    return Extent(
        merge_vocabularies(first.vocabulary, second.vocabulary)[0],
        first.rows + second.rows,
    )


class Plan(NamedTuple):
    """What to do with every sequence, in the numbers of the whole table's events."""

    vocabulary: pd.Index
    terms: Terms
    is_joint: bool


def plan(extent: Extent, request: Request) -> Plan:
    """Number the sensitive events of the whole table."""
    terms = request.terms(extent.vocabulary, extent.rows)
    return Plan(extent.vocabulary, terms, request.method == "joint")


def rows_to_delete(plan: Plan, sequences: Sequences) -> NDArray[np.int64]:
    """Give the positions in the frame of the rows to delete: the last ones of their time and event."""
    drop = np.zeros(sequences.n_rows, bool)
    place = find_events(plan.vocabulary, sequences.vocabulary)
    terms = plan.terms._replace(rank=plan.terms.rank[place])
    with progress(sequences.n_rows, "sanitizing") as bar:
        for first, last in _chunks(sequences.offsets):
            start, end = sequences.offsets[first], sequences.offsets[last]
            offsets = sequences.offsets[first : last + 1] - start
            codes, elements = sequences.codes[start:end], sequences.elements[start:end]
            sanitize_sequences(codes, elements, offsets, terms, plan.is_joint, _SEARCH, drop[start:end])
            bar.update(int(end - start))
    return sequences.rows[drop]


def _chunks(offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut at sequences, after about as many rows as a chunk has."""
    wanted = np.arange(0, offsets[-1], _CHUNK)
    cuts = np.unique(np.append(np.searchsorted(offsets, wanted), offsets.size - 1))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
