"""Blank or drop rows of a frame so that nothing reveals what they held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import in_our_words, wrong_column
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.rules import without_dictionary

if TYPE_CHECKING:
    import pyarrow as pa


def without_rows(frame: pd.DataFrame, dropped: NDArray[np.int64]) -> pd.DataFrame:
    """Return the frame without the rows at these positions; dtypes, order and other rows stay."""
    keep = np.ones(len(frame), bool)
    keep[dropped] = False
    return frame.iloc[np.flatnonzero(keep)]


def with_blanks(frame: pd.DataFrame, columns: Columns, blanked: NDArray[np.int64]) -> pd.DataFrame:
    """Return the frame with everything but ``seq_id`` and ``time`` set to null in these rows.

    Columns of whole numbers and of True and False become nullable and sparse ones dense, all others keep
    their dtype.
    """
    gone = np.zeros(len(frame), bool)
    gone[blanked] = True
    result = frame.copy()
    for place, name in enumerate(frame.columns):
        if name not in (columns.seq_id, columns.time):
            result.isetitem(place, _blanked(frame.iloc[:, place], gone))
    return result


def _blanked(column: pd.Series, gone: NDArray[np.bool_]) -> pd.Series:
    column = _dense(column)
    dtype = nullable(column.dtype)
    result = column.astype(dtype)
    if isinstance(dtype, pd.api.extensions.ExtensionDtype) and dtype.kind in "iufb":
        result = result.mask(gone, dtype.type(0))  # a null only masks the number underneath
    result = result.mask(gone)
    if column.dtype == object:
        result.array[gone] = None  # objects keep None as null, where pandas fills in NaN
    return result


def _dense(column: pd.Series) -> pd.Series:
    return column.sparse.to_dense() if isinstance(column.dtype, pd.SparseDtype) else column


def nullable(dtype: Any) -> Any:  # noqa: ANN401 (a dtype)
    """Return the type that has room for nulls, of whole numbers and of True and False; others as they are."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iub":
        return dtype
    unsigned = "U" if dtype.kind == "u" else ""
    return pd.api.types.pandas_dtype("boolean" if dtype.kind == "b" else f"{unsigned}Int{8 * dtype.itemsize}")


def without_labels(index: pd.Index, hidden: pd.Series, shown: pd.Series) -> pd.Index:
    """Return the index with null where a label equals the hidden event of its row, as a value or as text.

    ``hidden`` holds the hidden events by position, ``shown`` the events of all rows as they are released. A
    range reveals nothing about events, and other labels belong to the rows.

    Examples
    --------
    >>> labels, shown = pd.Index(["a", "b", "b"], dtype=object), pd.Series(["a", "b", None])
    >>> list(without_labels(labels, pd.Series(["b"], index=[2]), shown))
    ['a', 'b', None]
    """
    if isinstance(index, pd.RangeIndex) or not len(hidden):
        return index
    levels = [index.get_level_values(i) for i in range(index.nlevels)]
    gone = [_are_labels(level, hidden, shown) for level in levels]
    if not any(places.any() for places in gone):
        return index
    bare = [_blank_level(level, places) for level, places in zip(levels, gone, strict=True)]
    return pd.MultiIndex.from_arrays(bare, names=index.names) if index.nlevels > 1 else bare[0]


def _are_labels(labels: pd.Index, hidden: pd.Series, shown: pd.Series) -> NDArray[np.bool_]:
    """Return the positions at which the label is the hidden event."""
    places = hidden.index.to_numpy()
    found = np.zeros(len(labels), bool)
    found[places] = _are_same(labels[places], hidden)
    if found.any() and pd.api.types.is_numeric_dtype(labels.dtype):
        # Row numbers may equal events by chance; labels that are really events are so in all rows.
        others = shown.notna().to_numpy(copy=True)
        others[places] = False
        found &= bool(_are_same(labels[others], shown[others]).all())
    return found


def _are_same(labels: pd.Index, events: pd.Series) -> NDArray[np.bool_]:
    label, event = pd.Series(labels, dtype=object), events.astype(object).reset_index(drop=True)
    known = label.notna().to_numpy()
    same = np.zeros(len(label), bool)
    same[known] = label[known].to_numpy() == event[known].to_numpy()
    same[known] |= _texts(label[known]) == _texts(event[known])
    return same


def _texts(values: pd.Series) -> NDArray[np.object_]:
    try:
        return np.asarray(values.astype("str"), dtype=object)
    except UnicodeError:  # labels may be of any kind, also what no file of text can hold
        return np.array([str(value) for value in values], dtype=object)


def _blank_level(labels: pd.Index, gone: NDArray[np.bool_]) -> pd.Index:
    blank = _blanked(without_dictionary(pd.Series(labels)), gone)
    return pd.Index(blank, dtype=blank.dtype, name=labels.name, tupleize_cols=False)


def without_traces(frame: pd.DataFrame, *, same_rows: bool = False) -> pd.DataFrame:
    """Return the frame without the traces that dropped rows leave behind.

    Unused categories are removed. A sparse column becomes dense, because its type names a value, which may
    have been that of dropped rows only. An index that only numbers the rows (unique whole numbers, without a
    name) is renumbered, because gaps would show where rows are missing; any other index belongs to the rows
    and is kept. With ``same_rows``, no row was dropped and the numbers are kept as well.

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
        elif isinstance(dtype, pd.SparseDtype):
            bare.isetitem(place, _dense(frame.iloc[:, place]))
    bare.index = _bare_index(frame.index, same_rows=same_rows)
    bare.attrs = {}
    return bare


def _rebuilt(column: pd.Series) -> pd.Series:
    """Rebuild a nested column from its values: what else is inside, such as dictionaries, tells of others."""
    import pyarrow as pa

    kind = column.dtype.pyarrow_dtype
    if not pa.types.is_nested(kind):
        return column
    must, do = "free of dictionaries inside nested values", "Drop it, or turn it into plain columns."
    with in_our_words(wrong_column(column.name, must, "it cannot be rebuilt", do)):
        values = pa.array(pa.chunked_array(column.array.__arrow_array__()).to_pylist(), _bare_type(kind))
    return pd.Series(pd.arrays.ArrowExtensionArray(values), index=column.index, name=column.name)


def _bare_type(kind: pa.DataType) -> pa.DataType:
    """Return a nested type without the notes that the fields inside it may carry."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return pa.struct([_bare_field(kind.field(place)) for place in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_bare_field(kind.key_field), _bare_field(kind.item_field), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_bare_field(kind.value_field), kind.list_size)
    lists = (
        (pa.types.is_list, pa.list_),
        (pa.types.is_large_list, pa.large_list),
        (pa.types.is_list_view, pa.list_view),
        (pa.types.is_large_list_view, pa.large_list_view),
    )
    return next((make(_bare_field(kind.value_field)) for is_kind, make in lists if is_kind(kind)), kind)


def _bare_field(field: pa.Field) -> pa.Field:
    import pyarrow as pa

    return pa.field(field.name, _bare_type(field.type), field.nullable)


def _bare_index(index: pd.Index, *, same_rows: bool) -> pd.Index:
    if isinstance(index, pd.MultiIndex):
        levels = [_bare_index(index.get_level_values(i), same_rows=True) for i in range(index.nlevels)]
        return pd.MultiIndex.from_arrays(levels, names=index.names)
    if isinstance(index, pd.CategoricalIndex):
        return index.remove_unused_categories()
    if isinstance(index.dtype, pd.ArrowDtype):  # a dictionary would keep every value
        return pd.Index(without_dictionary(index.to_series()).array, name=index.name)
    if isinstance(index.dtype, pd.SparseDtype):
        index = pd.Index(_dense(index.to_series()).array, name=index.name)
    if same_rows:
        return index
    return pd.RangeIndex(len(index)) if _numbers_rows(index) else index


def _numbers_rows(index: pd.Index) -> bool:
    return pd.api.types.is_integer_dtype(index.dtype) and index.name is None and index.is_unique
