"""Parts of a table: what all engines do with one of them, and how what they find is put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences, sequences_of

Summary = TypeVar("Summary")


class RowNumbers(str):
    """The name of the index by which rows of a part find back to their place: no index of a user has it."""

    __slots__ = ()


ROW = RowNumbers("row")


def sequences_of_part(part: pd.DataFrame, columns: Columns, places: Ints) -> Sequences:
    """Return the sequences of a part; ``places`` are the positions of its rows in the whole table."""
    return replace(sequences_of(part, columns), places=places)


def said_of_all(error: SeqPrivError, collected: Callable[[], pd.DataFrame], columns: Columns) -> SeqPrivError:
    """Say of all rows what is wrong with a part, as a frame would say it, if there is room for them here."""
    from pdseqpriv.schemas import validate

    try:
        whole = collected()
    except SeqPrivError:
        return error
    try:
        validate(whole, "sequences", columns)
    except SeqPrivError as of_all:
        return of_all
    return error


def without_person(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Leave out who the person is: no operation releases it."""
    return frame if columns.person is None else frame.drop(columns=columns.person)


def released_part(rows: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Check rows that are to be released, and write categories, which parts do not share, as their values."""
    from pdseqpriv.schemas import kind_of_table, validate_output

    bare = without_categories(rows)
    kind = kind_of_table(bare, columns.of_release)
    return validate_output(bare, kind, columns, None)


def without_categories(rows: pd.DataFrame) -> pd.DataFrame:
    """Write categories as their values, and leave the attributes out."""
    plain = rows.copy(deep=False)
    plain.attrs = {}
    for place, dtype in enumerate(rows.dtypes):
        if isinstance(dtype, pd.CategoricalDtype):
            plain.isetitem(place, _values_of(rows.iloc[:, place]))
    return plain


def _values_of(column: pd.Series) -> pd.Series:
    """Write categories as their values; whole numbers become nullable."""
    kind = column.dtype.categories.dtype
    if not pd.api.types.is_integer_dtype(kind):
        return column.astype(kind)
    # Where there are nulls, astype would count in decimals, and round what has more than 53 bits.
    is_widest = kind.kind == "u" and kind.itemsize == np.dtype("uint64").itemsize
    whole = column.cat.categories.astype("UInt64" if is_widest else "Int64")
    values = whole.array.take(column.cat.codes.to_numpy(), allow_fill=True)
    return pd.Series(values, index=column.index, name=column.name)


def cuts(sizes: Ints, most: int) -> list[int]:
    """Cut items, of which each has so many rows, into pieces of about as many rows as allowed.

    Examples
    --------
    >>> cuts(np.array([2, 2, 2, 5, 1]), 4)
    [0, 2, 4, 5]
    """
    ends = np.cumsum(sizes)
    wanted = np.arange(0, ends[-1] if ends.size else 0, most)
    found: list[int] = np.unique([0, *np.searchsorted(ends - sizes, wanted), sizes.size]).tolist()
    return found if len(found) > 1 else [0, 0]


def merged(summaries: Iterable[Summary], merge: Callable[[Summary, Summary], Summary]) -> Summary:
    """Merge summaries, in their order, as a tree: a long one is merged a few times only.

    Only as many are held as the tree has levels, however many there are.

    Examples
    --------
    >>> merged("abcde", lambda first, second: f"({first}{second})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, Summary]] = []  # how many parts each stands for
    for summary in summaries:
        size, whole = 1, summary
        while waiting and waiting[-1][0] == size:
            whole = merge(waiting.pop()[1], whole)
            size *= 2
        waiting.append((size, whole))
    _, whole = waiting.pop()
    while waiting:
        whole = merge(waiting.pop()[1], whole)
    return whole
