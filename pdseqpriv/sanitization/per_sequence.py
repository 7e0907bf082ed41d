"""Every sequence as an event sequence of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.progress import progress
from pdseqpriv.sanitization.kernels.build import Pairs, Terms
from pdseqpriv.sanitization.kernels.event_sequences import drop_chosen, drop_or_pair_up, sanitize_all
from pdseqpriv.sanitization.request import Request
from pdseqpriv.sequences.events import find_events, merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences

# How much work an exact search may do per sequence, in ways to delete that it looks at.
_SEARCH = 1 << 17
# Rows per compiled call: bounds memory, and between calls an interrupt is heard and the bar moves.
_CHUNK = 1 << 18


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
    place = find_events(sequences.vocabulary, plan.vocabulary)
    own = plan._replace(terms=plan.terms._replace(rank=plan.terms.rank[place]))
    if bool((own.terms.rank >= 0).any()):
        with progress(sequences.n_rows, "sanitizing") as bar:
            for first, last in _chunks(sequences.offsets):
                bar.update(_mark(own, sequences, first, last, drop))
    return sequences.rows[drop]


def _mark(plan: Plan, sequences: Sequences, first: int, last: int, drop: NDArray[np.bool_]) -> int:
    """Mark the rows to delete of some sequences; how many rows were looked at."""
    start, end = sequences.offsets[first], sequences.offsets[last]
    offsets = sequences.offsets[first : last + 1] - start
    codes, elements = sequences.codes[start:end], sequences.elements[start:end]
    rows, ends, begins = drop_or_pair_up(codes, elements, offsets, plan.terms, plan.is_joint, drop[start:end])
    if ends.size:
        chosen, pulse = np.zeros_like(ends), np.zeros(2, np.int64)
        sanitize_all(Pairs(rows), begins, plan.terms, plan.is_joint, _SEARCH, pulse, chosen)
        drop_chosen(ends, chosen, drop[start:end])
    return int(end - start)


def _chunks(offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut at sequences, after about as many rows as a chunk has."""
    wanted = np.arange(0, offsets[-1], _CHUNK)
    cuts = np.unique(np.append(np.searchsorted(offsets, wanted), offsets.size - 1))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
