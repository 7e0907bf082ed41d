"""Blank rows of a frame, or leave them out, so that nothing tells what they held."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import in_our_words, wrong_column
from pdseqpriv.table.columns import Columns
from pdseqpriv.table.kinds import without_dictionary


def without_rows(frame: pd.DataFrame, dropped: NDArray[np.int64]) -> pd.DataFrame:
    """Give the frame without the rows at these positions; dtypes, order and other rows stay."""
    keep = np.ones(len(frame), bool)
    keep[dropped] = False
    return frame.iloc[np.flatnonzero(keep)]


def with_blanks(frame: pd.DataFrame, columns: Columns, blanked: NDArray[np.int64]) -> pd.DataFrame:
    """Give the frame with all but ``seq_id`` and ``time`` null in these rows.

    Whole numbers and switches become nullable, everything else keeps its dtype.
    """
    gone = np.zeros(len(frame), bool)
    gone[blanked] = True
    result = frame.copy()
    for place, name in enumerate(frame.columns):
        if name not in (columns.seq_id, columns.time):
            result.isetitem(place, _blanked(frame.iloc[:, place], gone))
    return result


def _blanked(column: pd.Series, gone: NDArray[np.bool_]) -> pd.Series:
    nullable = _nullable(column)
    dtype = nullable.dtype
    if isinstance(dtype, pd.api.extensions.ExtensionDtype) and dtype.kind in "iufb":
        nullable = nullable.mask(gone, dtype.type(0))  # a null only covers the number, which stays beneath it
    result = nullable.mask(gone)
    if column.dtype == object:
        result.array[gone] = None  # the plain null of objects, where pandas fills in NaN
    return result


def _nullable(column: pd.Series) -> pd.Series:
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "iu":
        return column.astype(f"{'U' if kind == 'u' else ''}Int{8 * column.dtype.itemsize}")
    return column.astype("boolean") if kind == "b" else column


def with_blank_labels(index: pd.Index, blanked: NDArray[np.int64], *, events_are_numbers: bool) -> pd.Index:
    """Give the index with null labels in these rows, unless it only numbers rows.

    A label may say what the row did, as other columns may. A range says nothing; nor do whole numbers, each
    once and without a name, where they cannot be events.

    Examples
    --------
    >>> list(with_blank_labels(pd.Index(["a", "b"], dtype=object), np.array([1]), events_are_numbers=False))
    ['a', None]
    """
    only_numbers = isinstance(index, pd.RangeIndex) or (_numbers_rows(index) and not events_are_numbers)
    if only_numbers or not blanked.size:
        return index
    gone = np.zeros(len(index), bool)
    gone[blanked] = True
    if not isinstance(index, pd.MultiIndex):
        return _blank_level(index, gone)
    levels = [_blank_level(index.get_level_values(i), gone) for i in range(index.nlevels)]
    return pd.MultiIndex.from_arrays(levels, names=index.names)


def _blank_level(labels: pd.Index, gone: NDArray[np.bool_]) -> pd.Index:
    blank = _blanked(without_dictionary(pd.Series(labels)), gone)
    return pd.Index(blank, dtype=blank.dtype, name=labels.name, tupleize_cols=False)


def without_traces(frame: pd.DataFrame, *, same_rows: bool = False) -> pd.DataFrame:
    """Give the frame without what dropped rows leave behind.

    Categories that are not in use are removed. An index that only numbers the rows (whole numbers, each
    once, without a name) is numbered anew, because gaps would tell where rows are missing; any other index
    belongs to the rows and stays. With the ``same_rows`` as before, the numbers stay too.

    Examples
    --------
    >>> frame = pd.DataFrame({"event": pd.Categorical(["a", "b"])}).iloc[1:]
    >>> bare = without_traces(frame)
    >>> list(bare.index), list(bare["event"].cat.categories)
    ([0], ['b'])
    """
    bare = frame.copy(deep=False)
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.CategoricalDtype):
            bare.isetitem(place, frame.iloc[:, place].cat.remove_unused_categories())
        elif isinstance(dtype, pd.ArrowDtype):
            bare.isetitem(place, _rebuilt(frame.iloc[:, place]))
    bare.index = _bare_index(frame.index, same_rows=same_rows)
    bare.attrs = {}
    return bare


def _rebuilt(column: pd.Series) -> pd.Series:
    """Build a nested column anew from its values: dictionaries inside it would keep every value."""
    import pyarrow as pa

    kind = column.dtype.pyarrow_dtype
    if not pa.types.is_nested(kind):
        return column
    must, do = "free of dictionaries inside nested values", "Drop it, or turn it into plain columns."
    with in_our_words(wrong_column("release", column.name, must, "it cannot be built anew", do)):
        values = pa.array(pa.chunked_array(column.array.__arrow_array__()).to_pylist(), kind)
    return pd.Series(pd.arrays.ArrowExtensionArray(values), index=column.index, name=column.name)


def _bare_index(index: pd.Index, *, same_rows: bool) -> pd.Index:
    if isinstance(index, pd.MultiIndex):
        levels = [_bare_index(index.get_level_values(i), same_rows=True) for i in range(index.nlevels)]
        return pd.MultiIndex.from_arrays(levels, names=index.names)
    if isinstance(index, pd.CategoricalIndex):
        return index.remove_unused_categories()
    if isinstance(index.dtype, pd.ArrowDtype):  # a dictionary would keep every value
        return pd.Index(without_dictionary(index.to_series()).array, name=index.name)
    if same_rows:
        return index
    return pd.RangeIndex(len(index)) if _numbers_rows(index) else index


def _numbers_rows(index: pd.Index) -> bool:
    return pd.api.types.is_integer_dtype(index.dtype) and index.name is None and index.is_unique
