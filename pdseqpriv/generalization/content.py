"""Sequences in an order that only their content decides, so that neither rows nor ids can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.people import Ints
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.sequences.kernels.lexicographic import shared_with_previous, sort_sequences, take_sequences
from pdseqpriv.sequences.kernels.ordering import sort_inside
from pdseqpriv.sequences.times import Times


@dataclass(frozen=True)
class Content:
    """All sequences, sorted by monitored rows and then by the others; equal ones by their ids.

    Inside a sequence monitored rows come first, then rows go by time and event.

    Attributes
    ----------
    codes, moments, monitored
        Of each row: event, place of its time in ``clock``, and whether it is monitored.
    offsets
        Sequence ``i`` is ``offsets[i]:offsets[i + 1]``.
    clock
        The times that occur, sorted.
    ids
        The place of each sequence's id in the summary.
    """

    codes: NDArray[np.int32]
    moments: Ints
    monitored: NDArray[np.bool_]
    offsets: Ints
    clock: Times
    ids: Ints

    @property
    def n_sequences(self) -> int:
        """How many sequences there are."""
        return self.offsets.size - 1

    @property
    def owners(self) -> Ints:
        """The sequence of each row."""
        return np.repeat(np.arange(self.n_sequences), np.diff(self.offsets))

    @property
    def times(self) -> Times:
        """The exact time of each row."""
        return self.clock[self.moments]


def content_of(summary: Summary, is_monitored: NDArray[np.bool_]) -> Content:
    """Sort sequences by what they hold; ``is_monitored`` tells it for every event."""
    clock, moments = np.unique(summary.times, return_inverse=True)
    monitored = is_monitored[summary.codes]
    symbols = (np.where(monitored, 0, clock.size) + moments) * max(1, len(summary.vocabulary)) + summary.codes
    rows = np.arange(symbols.size)
    sort_inside(rows, summary.offsets, symbols, np.zeros(symbols.size, np.int32), False)
    order = sort_sequences(*_signed(symbols, summary.offsets, _ranks(summary)))
    rows, offsets = take_sequences(rows, summary.offsets, order)
    return Content(
        summary.codes[rows],
        moments[rows].astype(np.int64),
        monitored[rows],
        offsets,
        clock,  # type: ignore[arg-type]
        order,
    )


def ranks_of_lists(symbols: Ints, offsets: Ints) -> Ints:
    """Number lists in lexicographic order; equal ones get the same number."""
    order = sort_sequences(symbols, offsets)
    is_new = shared_with_previous(symbols, offsets, order) >= 0
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.cumsum(is_new) - 1
    return ranks


def _ranks(summary: Summary) -> Ints:
    order = np.asarray(summary.ids.argsort())
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.arange(order.size)
    return ranks


def _signed(symbols: Ints, offsets: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """Put the rank of its id behind each sequence, below every symbol: it decides between equals only."""
    ends = offsets + np.arange(offsets.size)
    signed = np.empty(symbols.size + ranks.size, np.int64)
    is_rank = np.zeros(signed.size, bool)
    is_rank[ends[1:] - 1] = True
    signed[is_rank] = ranks
    signed[~is_rank] = symbols + ranks.size
    return signed, ends
