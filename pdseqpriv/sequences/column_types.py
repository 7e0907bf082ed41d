"""What a column holds, told from its dtype: the rules that both the arrays and the schemas follow."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal

import pandas as pd
from pandas.api import types

Kind = Literal["int", "float", "text", "datetime", "category", "empty", "mixed", "other"]

_BYTES = 8

# What an object column may turn out to hold, in pandas' words.
_INFERRED: dict[str, Kind] = {"string": "text", "integer": "int", "empty": "empty"}


def kind_of(column: pd.Series) -> Kind:
    """Say what a column holds; "mixed" when its values are of several types.

    Examples
    --------
    >>> kind_of(pd.Series(["a", None])), kind_of(pd.Series([1, "a"], dtype=object))
    ('text', 'mixed')
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if types.is_object_dtype(dtype):
        return _kind_of_objects(column)
    for kind, is_kind in _TESTS:
        if is_kind(dtype):
            return kind
    return "other"


def holds_names(column: pd.Series) -> bool:
    """Whether all values are text, or all are whole numbers, perhaps as categories, perhaps all null."""
    column = without_dictionary(column)
    kind = kind_of(column)
    if kind == "category":
        return kind_of(_categories(column)) in ("text", "int", "empty")
    if kind in ("text", "int", "empty") or not len(column):
        return True
    return kind == "float" and bool(column.isna().all())  # what pandas makes of nothing but nulls


def without_dictionary(column: pd.Series) -> pd.Series:
    """Write an arrow dictionary out: its nulls may hide among its values."""
    if not is_dictionary(column.dtype):
        return column
    import pyarrow as pa

    values = pa.chunked_array(column.array.__arrow_array__()).cast(column.dtype.pyarrow_dtype.value_type)
    return pd.Series(pd.arrays.ArrowExtensionArray(values), index=column.index, name=column.name)


def without_dictionaries(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[Hashable, Any]]:
    """Write all arrow dictionaries of a frame out; also gives the types that these columns had."""
    if not any(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes):
        return frame, {}
    packed = {name: dtype for name, dtype in frame.dtypes.items() if is_dictionary(dtype)}
    return frame.assign(**{name: without_dictionary(frame[name]) for name in packed}), packed


def _categories(column: pd.Series) -> pd.Series:
    categories = column.cat.categories
    return pd.Series(categories.array if len(categories) else [], dtype=None if len(categories) else object)


def describe_kind(column: pd.Series) -> str:
    """Say in words what a column holds, for messages; never a value."""
    kind = kind_of(column)
    if kind == "mixed":
        return "it holds values of several types"
    if kind == "category":
        return "its categories are neither all text nor all whole numbers"
    if kind == "empty":
        return "it holds nothing but nulls"
    return f"its type is {_dtype_name(column)}"


def _dtype_name(column: pd.Series) -> str:
    dtype = column.dtype
    if types.is_object_dtype(dtype):
        return f"object ({pd.api.types.infer_dtype(column, skipna=True)})"
    # A sparse type's own name quotes the value that fills it.
    return "sparse" if isinstance(dtype, pd.SparseDtype) else str(dtype)


def _kind_of_objects(column: pd.Series) -> Kind:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred.startswith("mixed"):
        return "mixed"
    return _INFERRED.get(inferred, "other")


def is_dictionary(dtype: object) -> bool:
    """Whether a column is a dictionary of arrow."""
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    import pyarrow as pa

    return bool(pa.types.is_dictionary(dtype.pyarrow_dtype))


def _is_float(dtype: object) -> bool:
    """Refuse floats that 64 bits cannot hold: they would be rounded."""
    return bool(types.is_float_dtype(dtype)) and getattr(dtype, "itemsize", 8) <= _BYTES


def _is_datetime(dtype: object) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.kind == "M" and str(dtype).startswith("timestamp")
    return bool(types.is_datetime64_any_dtype(dtype))


_TESTS: list[tuple[Kind, Callable[[object], bool]]] = [
    ("int", types.is_integer_dtype),
    ("float", _is_float),
    ("text", types.is_string_dtype),
    ("datetime", _is_datetime),
]
