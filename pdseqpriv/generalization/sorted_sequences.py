"""Sequences in an order that depends only on their content, not on row order or ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.content_order import order_by_content
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.times import Times


class SortedSequences(NamedTuple):
    """All sequences, sorted by monitored rows, then by the other rows; equal ones by their ids.

    Within a sequence, monitored rows come first; rows are then sorted by time and event.

    Attributes
    ----------
    codes, moments, monitored, owners
        Of each row: event, place of its time in ``clock``, whether it is monitored, and its sequence.
    clock
        The times that occur, sorted.
    ids
        The place of each sequence's id in the summary.
    people
        The number of each sequence's person; None if each is a person of its own.
    """

    codes: NDArray[np.int32]
    moments: Ints
    monitored: NDArray[np.bool_]
    owners: Ints
    clock: Times
    ids: Ints
    people: Ints | None


def sorted_by_content(summary: Summary, is_monitored: NDArray[np.bool_]) -> SortedSequences:
    """Sort sequences by what they hold; ``is_monitored`` has a value per event."""
    clock, moments = _clock_and_moments(summary.times)
    monitored = is_monitored[summary.codes]
    symbols = (np.where(monitored, 0, clock.size) + moments) * max(1, is_monitored.size) + summary.codes
    by_id = np.asarray(summary.ids.argsort())
    ranks = np.empty(by_id.size, np.int64)
    ranks[by_id] = np.arange(by_id.size)
    rows, owners, order = order_by_content(symbols, summary.offsets, ranks)
    return SortedSequences(
        summary.codes[rows],
        moments[rows],
        monitored[rows],
        owners,
        clock,
        order,
        None if summary.people is None else summary.people[order],
    )


def _clock_and_moments(times: Times) -> tuple[Times, Ints]:
    """Return the times that occur, sorted, and the place of each time among them."""
    if times.dtype.kind == "i":  # faster than sorting all of them
        places, clock = pd.factorize(times, sort=True)
    else:
        clock, places = np.unique(times, return_inverse=True)
    return clock, places.astype(np.int64)


def number_people(sequences: SortedSequences, chosen: Ints) -> Ints:
    """Number the people of some sequences from 0; empty if each sequence is a person of its own."""
    if sequences.people is None:
        return np.zeros(0, np.int64)
    return numbered_without_gaps(sequences.people[chosen])


def numbered_without_gaps(people: Ints) -> Ints:
    """Number the people of some sequences from 0; empty if each sequence is a person of its own."""
    different, numbers = np.unique(people, return_inverse=True)
    return numbers.astype(np.int64) if different.size < people.size else np.zeros(0, np.int64)
