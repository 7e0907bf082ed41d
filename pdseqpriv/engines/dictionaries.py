"""Arrow's dictionaries: pandas cannot work on them, so operations see categories, or values written out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.rules import is_dictionary

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Dictionaries:
    """The columns of a frame that were dictionaries, with the types that they had."""

    types: dict[Hashable, Any]

    def give_back(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Make columns dictionaries that were some in the input."""
        import pyarrow as pa

        result = frame.copy(deep=False)
        for place, name in enumerate(frame.columns):
            if name in self.types:
                column = frame.iloc[:, place]
                values = as_dictionary(pa.chunked_array([pa.array(column)]), self.types[name])
                if pa.types.is_dictionary(values.type):
                    packed_column = pd.arrays.ArrowExtensionArray(values)
                    result.isetitem(place, pd.Series(packed_column, index=column.index))
        return result


def without_dictionaries(frame: pd.DataFrame) -> tuple[pd.DataFrame, Dictionaries | None]:
    """Put what pandas can work on into the place of dictionaries, and remember them if there are any."""
    import pyarrow as pa

    result, types = frame.copy(deep=False), {}
    for place, (name, dtype) in enumerate(frame.dtypes.items()):
        if is_dictionary(dtype):
            values = pa.chunked_array(frame.iloc[:, place].array.__arrow_array__())
            result.isetitem(place, as_categories(values).set_axis(frame.index))
            types[name] = dtype.pyarrow_dtype
    return result, Dictionaries(types) if types else None


def as_categories(column: pa.ChunkedArray) -> pd.Series:
    """Return text and whole numbers as categories, in sorted order unless theirs means something.

    An order in which values came up for the first time would tell something of rows that are no longer there.
    A dictionary is made of text that is none.
    """
    import pyarrow as pa

    is_new = not pa.types.is_dictionary(column.type)
    column = column.dictionary_encode() if is_new else column
    if not is_of_names(column.type.value_type):
        return pd.Series(pd.arrays.ArrowExtensionArray(column.cast(column.type.value_type)))
    if not len(column):
        none = pa.array([], column.type.value_type)
        return pd.Series(pd.Categorical([], _index(none), ordered=column.type.ordered))
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    # Arrow allows nulls and repetitions in a dictionary, pandas neither; a new one has none.
    values, new_code = _distinct(array.dictionary, is_ordered=column.type.ordered, is_new=is_new)
    codes = array.indices.fill_null(0).to_numpy() if array.null_count else array.indices.to_numpy()
    codes = codes if new_code is None else new_code[codes]
    if array.null_count:
        codes = np.where(array.is_valid().to_numpy(zero_copy_only=False), codes.astype(np.int32), -1)
    # To see that they are distinct, pandas would make a Python object of each.
    dtype = pd.CategoricalDtype._from_fastpath(values, column.type.ordered)  # noqa: SLF001
    return pd.Series(pd.Categorical.from_codes(codes, dtype=dtype), copy=False)


def _distinct(
    values: pa.Array, *, is_ordered: bool, is_new: bool
) -> tuple[pd.Index, NDArray[np.int32] | None]:
    """Return distinct values, and the new code of each old one where they change; nulls get -1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = values.cast(pa.large_string()) if is_text(values.type) else values
    if not values.null_count and pc.all(pc.less(values[:-1], values[1:]), min_count=0).as_py():
        return _index(values), None
    distinct = values if is_new else values.drop_null().unique()
    order = np.arange(len(distinct)) if is_ordered else pc.array_sort_indices(distinct).to_numpy()
    new_code = np.empty(order.size, np.int32)
    new_code[order] = np.arange(order.size, dtype=np.int32)
    if len(distinct) < len(values):
        places = pc.fill_null(pc.index_in(values, distinct), -1).to_numpy()
        new_code = np.append(new_code, np.int32(-1))[places]
    return _index(distinct.take(order)), new_code


def _index(values: pa.Array) -> pd.Index:
    return pd.Index(pd.array(values, dtype="str") if is_text(values.type) else values.to_numpy())


def as_dictionary(values: pa.ChunkedArray, wanted: pa.DictionaryType) -> pa.ChunkedArray:
    """Make a dictionary of values that are what the wanted one held; give others as they are."""
    import pyarrow as pa

    found = values.type
    if pa.types.is_dictionary(found):
        if not _same_names(found.value_type, wanted.value_type):
            return values
    elif is_of_names(found) or found != wanted.value_type:  # names that are no categories are new
        return values
    if not len(values):
        return pa.chunked_array([], wanted)
    array = values.dictionary_encode().combine_chunks()
    is_ordered = wanted.ordered and array.type.ordered
    try:
        indices = array.indices.cast(wanted.index_type)
    except pa.ArrowInvalid:  # there are more values than before
        indices = array.indices
    listed = array.dictionary.cast(wanted.value_type)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, listed, ordered=is_ordered)])


def _same_names(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether both are text, or both whole numbers; nulls alone are either."""
    import pyarrow as pa

    both_whole = pa.types.is_integer(found) and pa.types.is_integer(wanted)
    return (is_text(found) and is_text(wanted)) or both_whole or pa.types.is_null(found)


def is_of_names(kind: pa.DataType) -> bool:
    """Return whether it is text, or whole numbers."""
    import pyarrow as pa

    return is_text(kind) or bool(pa.types.is_integer(kind))


def is_text(kind: pa.DataType) -> bool:
    """Return whether it is one of Arrow's types for text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
