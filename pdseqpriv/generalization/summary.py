"""What the parts of a table contribute to its generalization, and how that is combined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.differences import times_since
from pdseqpriv.sequences.encoding import one_after_the_other
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Ints, offsets_of
from pdseqpriv.sequences.sequences import Dtypes, Sequences
from pdseqpriv.sequences.times import Times


@dataclass(frozen=True)
class Summary:
    """The sequences of a part as arrays, without marked events and without other columns.

    A part contributes every row: 12 bytes each, for the event's number (4) and the time (8). In addition,
    each sequence contributes its length (8 bytes) and its id, and each part its distinct events; if people
    have several sequences, each sequence also contributes its person's number and each person an id. Merging
    appends the sequences of one part to those of the other and numbers events by the vocabulary of both.

    Nothing smaller will do. Which sequences form a group depends on the monitored rows of all of them, so
    grouping needs all monitored and all sensitive rows in one place; and the numbering of the released
    sequences also depends on the other rows.

    Attributes
    ----------
    codes : int32 per row
        Its event, by the place in ``vocabulary``; one sequence after the other.
    times : int64 or float64 per row
        Datetimes as counts of ``time_unit``.
    offsets : int64
        Sequence ``i`` is ``offsets[i]:offsets[i + 1]``; it may have no row left.
    vocabulary, ids : pandas.Index
        The events, sorted, and the id of each sequence.
    time_unit : str or None
        "s", "ms", "us" or "ns" for datetimes, None for numbers.
    columns, dtypes
        The names and types of the three columns, which are the same in all parts.
    people : int64 per sequence, or None
        Number of the person in ``person_ids``. None if each sequence is a person of its own.
    person_ids : pandas.Index or None
        Id of each person. All sequences of a person are in one part.
    """

    codes: NDArray[np.int32]
    times: Times
    offsets: NDArray[np.int64]
    vocabulary: pd.Index
    ids: pd.Index
    time_unit: str | None
    columns: Columns
    dtypes: Dtypes
    people: Ints | None
    person_ids: pd.Index | None


def summarise(sequences: Sequences) -> Summary:
    """Take the sequences of a part without their marked events."""
    kept = sequences.codes >= 0
    return Summary(
        sequences.codes[kept],
        sequences.times[kept],
        offsets_of(kept)[sequences.offsets],
        sequences.vocabulary,
        sequences.ids,
        sequences.time_unit,
        sequences.columns,
        sequences.dtypes,
        sequences.people,
        sequences.person_ids,
    )


def merge(first: Summary, second: Summary) -> Summary:
    """Put the sequences of two parts one after the other."""
    if not first.ids.size or not second.ids.size:  # types of empty parts are made up
        return first if first.ids.size else second
    vocabulary, code_of_first, code_of_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    times: Times = np.concatenate((first.times, second.times))  # type: ignore[assignment]
    return replace(
        first,
        codes=np.concatenate((code_of_first[first.codes], code_of_second[second.codes])),
        times=times,
        offsets=np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1])),
        vocabulary=vocabulary,
        ids=one_after_the_other(first.ids, second.ids),
        **_people_of_both(first, second),
    )


def since_start(summary: Summary) -> Summary:
    """Count times from the first event of each sequence; how exactly depends on all times of the table."""
    lengths, times = np.diff(summary.offsets), summary.times
    began: Times = times[summary.offsets[:-1][lengths > 0]]
    first: Times = np.repeat(began, lengths[lengths > 0])  # type: ignore[assignment]
    return replace(summary, times=times_since(times, first, summary.dtypes.time))


def _people_of_both(first: Summary, second: Summary) -> dict[str, Any]:
    """Number people one part after the other: people of two parts are different people."""
    if first.people is None or second.people is None or first.person_ids is None or second.person_ids is None:
        return {}
    return {
        "people": np.concatenate((first.people, second.people + len(first.person_ids))),
        "person_ids": one_after_the_other(first.person_ids, second.person_ids),
    }
