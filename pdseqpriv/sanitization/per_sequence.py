"""Treat every sequence, or all sequences of a person together, as a separate event sequence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.sanitization.kernels.build_timeline import Requirement
from pdseqpriv.sanitization.kernels.choose_deletions import choose_for_each
from pdseqpriv.sanitization.kernels.mark_rows import drop_chosen, drop_or_count
from pdseqpriv.sanitization.pooled_by_person import pooled_by_person
from pdseqpriv.sanitization.request import Request, requirement_for
from pdseqpriv.sequences.events import find_events, merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.threads import on_all_cores

# How much work an exact search may do per sequence, in ways of deleting that it tries.
_SEARCH = 1 << 17
# Rows per compiled call: this limits memory, cores share such chunks, and between calls the bar moves.
_CHUNK = 1 << 18


class EventsAndRows(NamedTuple):
    """What all sequences have in common: which events occur, and how many rows there are."""

    vocabulary: pd.Index
    rows: int


def summarise(sequences: Sequences) -> EventsAndRows:
    """Return the events and the number of rows of a part."""
    return EventsAndRows(sequences.vocabulary, sequences.codes.size)


def merge(first: EventsAndRows, second: EventsAndRows) -> EventsAndRows:
    """Unite events, add up rows."""
    return EventsAndRows(merge_vocabularies(first.vocabulary, second.vocabulary)[0], first.rows + second.rows)


@dataclass(frozen=True)
class PerSequencePlan:
    """What every sequence must satisfy, with events numbered as in the whole table."""

    vocabulary: pd.Index
    requirement: Requirement
    is_joint: bool
    by_person: bool

    def rows_to_delete(self, sequences: Sequences) -> NDArray[np.int64]:
        """Return the positions in the frame of the rows to delete: the last of each time and event."""
        place = find_events(sequences.vocabulary, self.vocabulary)
        own = self.requirement._replace(rank=self.requirement.rank[place])
        if self.by_person:
            sequences = pooled_by_person(sequences, own.rank >= 0)
        drop = np.zeros(sequences.codes.size, bool)
        if bool((own.rank >= 0).any()):
            _mark(sequences, own, drop, is_joint=self.is_joint)
        return sequences.rows[drop]


def make_plan(events: EventsAndRows, request: Request) -> PerSequencePlan:
    """Number the sensitive events of the whole table."""
    requirement = requirement_for(request, events.vocabulary, events.rows)
    by_person = request.scope == "person"
    return PerSequencePlan(events.vocabulary, requirement, request.method == "joint", by_person)


def _mark(sequences: Sequences, requirement: Requirement, drop: NDArray[np.bool_], *, is_joint: bool) -> None:
    """Mark the rows to delete, chunk by chunk; each chunk has its own rows."""
    offsets, elements = sequences.offsets, sequences.elements

    def mark_chunk(chunk: tuple[int, int], pulse: Pulse) -> None:
        first, last = chunk
        rows = slice(offsets[first], offsets[last])
        own_offsets = offsets[first : last + 1] - offsets[first]
        counts, ends, begins = drop_or_count(
            sequences.codes[rows], elements[rows], own_offsets, requirement, is_joint, drop[rows]
        )
        if ends.size:
            chosen = np.zeros_like(ends)
            choose_for_each(counts, begins, requirement, is_joint, _SEARCH, chosen, pulse)
            drop_chosen(ends, chosen, drop[rows])
        pulse[DONE] = own_offsets[-1]

    with progress(drop.size, "sanitizing") as bar:
        on_all_cores(mark_chunk, list(pairwise(_cuts(offsets))), bar)


def _cuts(offsets: NDArray[np.int64]) -> list[int]:
    """Split between sequences, after about as many rows as a chunk has."""
    wanted = np.arange(0, offsets[-1], _CHUNK)
    cuts: list[int] = np.unique(np.append(np.searchsorted(offsets, wanted), offsets.size - 1)).tolist()
    return cuts
