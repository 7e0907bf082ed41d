"""The only bridge between a frame and arrays.

``Sequences`` is canonical: two frames with the same rows in a different order yield the same codes, offsets
and times. Sequences are sorted by id, rows by time, and rows of one element by event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError
from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.sequences.columns import Columns, Ties
from pdseqpriv.sequences.encoding import Codes, encode
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels import ordering
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of, places_of
from pdseqpriv.sequences.times import Times, encode_times
from pdseqpriv.threads import number_of_threads, on_all_cores

# Whether a table is shuffled usually shows in its first rows.
_GLANCE = 1000
# Below so many rows, starting a thread takes longer than what it does.
_ROWS_OF_A_STRETCH = 100_000


class Dtypes(NamedTuple):
    """The original dtypes of the three columns."""

    seq_id: object
    event: object
    time: object


@dataclass(frozen=True)
class Sequences:
    """Events of all sequences, one after the other.

    Attributes
    ----------
    codes : int32 per row
        Number of the event in ``vocabulary``; -1 is a marked (null) event, which matches nothing.
    offsets : int64
        Sequence ``i`` is ``codes[offsets[i]:offsets[i + 1]]``.
    times : int64 or float64 per row
        Datetimes as counts of ``time_unit``.
    rows : int64 per row
        The position of the row in the frame; empty if the frame is elsewhere.
    vocabulary, ids : pandas.Index
        Event of each code, id of each sequence; both sorted.
    time_unit : str or None
        "s", "ms", "us" or "ns" for datetimes, None for numbers.
    places : int64 per row of the frame, or None
        For a part: the positions of the frame's rows in the whole table.
    people : int64 per sequence, or None
        Number of the person in ``person_ids``. None if each sequence is a person of its own.
    person_ids : pandas.Index or None
        Id of each person, sorted. All sequences of a person are in one part.
    """

    codes: Codes
    offsets: Ints
    times: Times
    rows: Ints
    vocabulary: pd.Index
    ids: pd.Index
    time_unit: str | None
    columns: Columns
    dtypes: Dtypes
    places: Ints | None = None
    people: Ints | None = None
    person_ids: pd.Index | None = None

    @property
    def numbers(self) -> Ints:
        """The position of each row in the whole table, as far as it is known."""
        return self.rows if self.places is None else self.places[self.rows]

    @property
    def n_sequences(self) -> int:
        """How many sequences there are."""
        return self.offsets.size - 1

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return self.n_sequences if self.person_ids is None else len(self.person_ids)

    @property
    def whose(self) -> Ints:
        """For each sequence, the number of its person: its own where each is a person."""
        return np.arange(self.n_sequences) if self.people is None else self.people

    @property
    def n_rows(self) -> int:
        """How many rows there are, including marked ones."""
        return self.codes.size

    @property
    def lengths(self) -> Ints:
        """How many rows each sequence has."""
        return np.diff(self.offsets)

    @property
    def unmarked_lengths(self) -> Ints:
        """How many rows each sequence has that are not marked."""
        return np.diff(offsets_of(self.codes >= 0)[self.offsets])

    @property
    def owners(self) -> Ints:
        """For each row, the number of its sequence."""
        return owners_of(self.offsets)

    def take(self, chosen: NDArray[np.int64]) -> Sequences:
        """Return the chosen sequences."""
        places = places_of(self.offsets, chosen)
        return replace(
            self,
            codes=self.codes[places],
            offsets=offsets_of(self.lengths[chosen]),
            times=self.times[places],
            rows=self.rows[places] if self.rows.size else self.rows,
            ids=self.ids[chosen],
            people=None if self.people is None else self.people[chosen],
        )

    @cached_property
    def elements(self) -> NDArray[np.int32]:
        """For each row, the number of its element within its sequence."""
        if self.columns.ties == "order":
            return ordering.number_rows(self.offsets)
        return ordering.number_elements(self.times, self.offsets)


def sequences_of(frame: pd.DataFrame, columns: Columns) -> Sequences:
    """Turn a frame that fits its schema into sequences; it is not changed.

    Examples
    --------
    >>> frame = pd.DataFrame({"seq_id": [7, 3, 7], "event": ["b", "a", "a"], "time": [5, 1, 2]})
    >>> sequences = sequences_of(frame, Columns())
    >>> sequences.codes.tolist(), sequences.offsets.tolist(), list(sequences.ids)
    ([0, 0, 1], [0, 1, 3], [3, 7])
    """
    seq_id, event, time = (frame[name] for name in columns.names)
    dtypes = Dtypes(seq_id.dtype, event.dtype, time.dtype)
    times, unit = encode_times(time)
    codes, vocabulary = encode(event)
    ids, offsets, rows, times, codes = _lay_out(seq_id, times, codes, columns.ties)
    laid_out = Sequences(codes, offsets, times, rows, vocabulary, ids, unit, columns, dtypes)
    return laid_out if columns.person is None else _with_people(laid_out, frame[columns.person])


def _with_people(sequences: Sequences, person: pd.Series) -> Sequences:
    """Say whose each sequence is; all its rows say the same."""
    first_rows = sequences.rows[sequences.offsets[:-1]]
    people, person_ids = encode(person.iloc[first_rows])
    return replace(sequences, people=people.astype(np.int64), person_ids=person_ids)


def numbered_alike(first: Sequences, second: Sequences) -> tuple[Sequences, Sequences]:
    """Give both tables one vocabulary, so that an event has the same code in both."""
    vocabulary, *renumberings = merge_vocabularies(first.vocabulary, second.vocabulary)
    one, other = (
        # The last entry is for -1, the code of a marked event.
        replace(table, codes=np.append(new_codes, np.int32(-1))[table.codes], vocabulary=vocabulary)
        for table, new_codes in zip((first, second), renumberings, strict=True)
    )
    return one, other


class _Layout(NamedTuple):
    ids: pd.Index
    offsets: Ints
    rows: Ints
    times: Times
    codes: Codes


def _lay_out(seq_id: pd.Series, times: Times, codes: Codes, ties: Ties) -> _Layout:
    """Bring rows into canonical order; a table that is already in order is only copied."""
    by_code = ties == "element"
    runs = runs_of(seq_id)
    if runs is None:
        return _grouped(*encode(seq_id), times, codes, by_code=by_code)
    ids, offsets = runs
    # Frames return read-only arrays; the copies can be sorted.
    rows, times, codes = np.arange(codes.size), times.copy(), codes.copy()
    if not ordering.is_laid_out(offsets, times, codes, by_code):
        ordering.sort_inside(rows, offsets, times, codes, by_code)
    return _Layout(ids, offsets, rows, times, codes)


def _grouped(groups: Codes, ids: pd.Index, times: Times, codes: Codes, *, by_code: bool) -> _Layout:
    """Put the rows of each sequence next to each other, and in order; cores share the sequences."""
    if groups.size and groups.min() < 0:  # compiled code must never see it
        raise SeqPrivError("A row has no sequence.")
    offsets = ordering.offsets_of_groups(groups, len(ids))
    laid = np.empty(codes.size, np.int64), np.empty_like(times), np.empty_like(codes)

    def lay_out(some: slice, pulse: Pulse) -> None:
        theirs = offsets[some.start : some.stop + 1]
        ordering.lay_out_some(groups, some.start, theirs, times, codes, *laid)
        ordering.sort_inside(laid[0], theirs, *laid[1:], by_code)
        pulse[DONE] += theirs[-1] - theirs[0]

    with progress(codes.size, "sorting rows") as bar:
        on_all_cores(lay_out, _stretches(offsets), bar)
    return _Layout(ids, offsets, *laid)


def _stretches(offsets: Ints) -> list[slice]:
    """Divide sequences into one stretch for each core, with about as many rows each."""
    n_rows = int(offsets[-1])
    n = max(1, min(number_of_threads(), n_rows // _ROWS_OF_A_STRETCH))
    cuts = [0, *np.searchsorted(offsets, np.arange(1, n) * (n_rows / n)).tolist(), offsets.size - 1]
    return [slice(begin, end) for begin, end in pairwise(cuts)]


def runs_of(seq_id: pd.Series) -> tuple[pd.Index, NDArray[np.int64]] | None:
    """Return ids and offsets if the ids never decrease from row to row, else None.

    Only neighbours are compared, so for a sorted table this is much faster than encoding its ids.

    Examples
    --------
    >>> ids, offsets = runs_of(pd.Series([3, 3, 8]))
    >>> list(ids), offsets.tolist()
    ([3, 8], [0, 2, 3])
    >>> runs_of(pd.Series([8, 3])) is None
    True
    """
    if seq_id.dtype == object or isinstance(seq_id.dtype, pd.CategoricalDtype):
        return None
    if not len(seq_id):
        return pd.Index([], dtype=object), np.zeros(1, np.int64)
    if len(seq_id) > _GLANCE and runs_of(seq_id.iloc[:_GLANCE]) is None:
        return None
    values = seq_id.array
    changes = np.flatnonzero(np.asarray(values[1:] != values[:-1], dtype=bool)) + 1
    starts = np.concatenate(([0], changes))
    first = values.take(starts)
    if not np.asarray(first[1:] > first[:-1], dtype=bool).all():
        return None
    return pd.Index(first), np.concatenate((starts, [len(values)]))
