"""Describe what is in a sequence table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.notebook_html import table as table_html
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import decode_times
from pdseqpriv.sequences.variants import Variants, count_nodes, merge_variants, variants_of

# Copies of the summary that merging and counting take, about.
_COPIES = 3


class Description(pd.Series):
    """What describe found: a Series that shows as a table in notebooks, and equals the dict of its facts.

    Examples
    --------
    >>> Description({"sequences": 3, "events": 5}) == {"sequences": 3, "events": 5}
    True
    """

    def __eq__(self, other: object) -> Any:  # noqa: ANN401 (as of a Series)
        return self.to_dict() == other if isinstance(other, dict) else super().__eq__(other)

    def __ne__(self, other: object) -> Any:  # noqa: ANN401 (as of a Series)
        return self.to_dict() != other if isinstance(other, dict) else super().__ne__(other)

    __hash__ = None  # type: ignore[assignment]  # as of a Series

    def _repr_html_(self) -> str:
        return table_html((name.replace("_", " "), _told(value)) for name, value in self.items())


def _told(value: object) -> str:
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


@on_tables(anywhere=True)
def describe(table: Table, **_columns: Unpack[ColumnNames]) -> pd.Series:
    """Describe the sequences of a table: how many there are, how long and how similar.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.Series
        It shows as a table in notebooks, and is equal to the dict of its facts:

        - ``sequences``, ``rows``, ``events`` (rows that are not marked), ``marked``;
        - ``distinct_events``, ``elements`` (sets of simultaneous rows);
        - ``length_min``, ``length_25``, ``length_50``, ``length_75``, ``length_max``: events per sequence;
        - ``time_from``, ``time_to``, ``time_span``;
        - ``density``: 1 - nodes of the prefix tree / events (Monreale et al. 2014, definition 8). Near 1
          if people do the same things, near 0 if everybody is different;
        - ``unique_sequence_share``: the share of sequences that nobody else has, as a whole. For what a few
          known events give away see :func:`pdseqpriv.risk`.

        If the table names people (``using(person=...)``), also ``people`` and how many sequences each has:
        ``per_person_min``, ``per_person_25``, ``per_person_50``, ``per_person_75``, ``per_person_max``. The
        sequences of one person may then be alike and still be unique.

    Notes
    -----
    **Guarantee**: none; exact counts of the table as it is.

    **Large tables**: the same numbers; the distinct sequences are put together in one place, at about 10
    bytes per event, three times.

    **Not protected**: the numbers are for the owner of the data only. Counts, times and shares reveal
    something about the people in the table.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3], "event": list("ababc"), "time": [1, 2, 1, 5, 1]})
    >>> df.seqpriv.describe()[["sequences", "events", "density", "unique_sequence_share"]]
    sequences                       3
    events                          5
    density                       0.4
    unique_sequence_share    0.333333
    dtype: object
    """
    summary = start(table, others=()).reduce(summarise, merge, copies=_COPIES)
    variants = summary.variants
    lengths = np.diff(variants.offsets)
    events = int((lengths * variants.counts).sum())
    holders = variants.counts if variants.people is None else variants.people.lengths
    sequences, unique = int(variants.counts.sum()), variants.counts[holders == 1].sum()
    facts: dict[str, object] = {
        "sequences": sequences,
        "rows": summary.rows,
        "events": events,
        "marked": summary.rows - events,
        "distinct_events": len(variants.vocabulary),
        "elements": summary.elements,
        **_quartiles("length", np.repeat(lengths, variants.counts)),
        **_span(summary.times),
        "density": 1 - count_nodes(variants) / events if events else float("nan"),
        "unique_sequence_share": float(unique) / sequences if sequences else float("nan"),
    }
    if summary.per_person is not None:
        facts |= {"people": summary.per_person.size, **_quartiles("per_person", summary.per_person)}
    return Description(facts, dtype=object)


@dataclass(frozen=True)
class TableSummary:
    """What is needed from each part of a table.

    ``per_person`` is how many sequences each person has, or None if each sequence is a person of its own.
    """

    rows: int
    elements: int
    times: pd.Series
    variants: Variants
    per_person: Ints | None


def summarise(sequences: Sequences) -> TableSummary:
    """Summarise one part."""
    ends = sequences.offsets[1:][sequences.lengths > 0]
    elements = int((sequences.elements[ends - 1].astype(np.int64) + 1).sum())
    times = sequences.times
    if sequences.n_rows:
        times = times[[times.argmin(), times.argmax()]]
    extremes = decode_times(times, sequences.dtypes.time)
    per_person = None if sequences.people is None else np.bincount(sequences.people)
    return TableSummary(sequences.n_rows, elements, extremes, variants_of(sequences), per_person)


def merge(first: TableSummary, second: TableSummary) -> TableSummary:
    """Add up two parts."""
    both = [part.times for part in (first, second) if len(part.times)]
    times = pd.concat(both) if both else first.times
    return TableSummary(
        first.rows + second.rows,
        first.elements + second.elements,
        pd.Series([times.min(), times.max()], dtype=times.dtype) if len(times) else times,
        merge_variants(first.variants, second.variants),
        _joined(first.per_person, second.per_person),
    )


def _joined(first: Ints | None, second: Ints | None) -> Ints | None:
    return None if first is None or second is None else np.concatenate((first, second))


def _quartiles(of: str, lengths: Ints) -> dict[str, float]:
    names = [f"{of}_{name}" for name in ("min", "25", "50", "75", "max")]
    if not lengths.size:
        return dict.fromkeys(names, float("nan"))
    return dict(zip(names, np.quantile(lengths, [0, 0.25, 0.5, 0.75, 1]).tolist(), strict=True))


def _span(times: pd.Series) -> dict[str, object]:
    if not len(times):
        return {"time_from": None, "time_to": None, "time_span": None}
    earliest, latest = times.iloc[0], times.iloc[1]
    if isinstance(earliest, np.integer):  # small integer types would overflow
        earliest, latest = int(earliest), int(latest)
    return {"time_from": earliest, "time_to": latest, "time_span": latest - earliest}
