"""What a column holds, told from its dtype: the rules that both the arrays and the schemas follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pandas as pd
from pandas.api import types

Kind = Literal["int", "float", "text", "datetime", "category", "empty", "mixed", "other"]

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
    if isinstance(dtype, pd.CategoricalDtype) or _is_dictionary(dtype):
        return "category"
    if types.is_object_dtype(dtype):
        return _kind_of_objects(column)
    for kind, is_kind in _TESTS:
        if is_kind(dtype):
            return kind
    return "other"


def is_identifier(column: pd.Series) -> bool:
    """Whether a column can say whose sequence a row belongs to."""
    return holds_names(column) and not bool(column.isna().any())


def is_event(column: pd.Series) -> bool:
    """Whether a column can hold events; null means marked."""
    return holds_names(column)


def is_time(column: pd.Series) -> bool:
    """Whether a column can order events: numbers or datetimes, none missing or infinite."""
    if not len(column):  # an empty table may have any dtypes: pandas makes them up
        return True
    kind = kind_of(column)
    if kind not in ("int", "float", "datetime") or bool(column.isna().any()):
        return False
    return kind != "float" or bool(column.abs().lt(float("inf")).all())


def holds_names(column: pd.Series) -> bool:
    """Whether all values are text, or all are whole numbers, perhaps as categories."""
    kind = kind_of(column)
    if not len(column):
        return True
    if kind == "category":
        return kind_of(categories_of(column)) in ("text", "int", "empty")
    return kind in ("text", "int", "empty")


def categories_of(column: pd.Series) -> pd.Series:
    """Give the categories of a categorical or dictionary column as a column of their own."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.to_series(index=range(len(column.cat.categories)))
    value_type = pd.ArrowDtype(column.dtype.pyarrow_dtype.value_type)
    return pd.Series(column.unique()).dropna().astype(value_type)


def describe_kind(column: pd.Series) -> str:
    """Say in words what a column holds, for messages; never a value."""
    kind = kind_of(column)
    if kind == "mixed":
        return "it holds values of several types"
    if kind == "category" and not holds_names(column):
        return "its categories are neither all text nor all whole numbers"
    if kind == "empty":
        return "it holds nothing but nulls"
    return f"its type is {_dtype_name(column)}"


def describe_problem(column: pd.Series) -> str:
    """Say in words what may be wrong with a column: nulls first, then its type."""
    nulls = int(column.isna().sum())
    return f"{nulls} of its rows are null" if nulls else describe_kind(column)


def _dtype_name(column: pd.Series) -> str:
    dtype = column.dtype
    if types.is_object_dtype(dtype):
        return f"object ({pd.api.types.infer_dtype(column, skipna=True)})"
    return "category" if isinstance(dtype, pd.CategoricalDtype) else str(dtype)


def _kind_of_objects(column: pd.Series) -> Kind:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred.startswith("mixed"):
        return "mixed"
    return _INFERRED.get(inferred, "other")


def _is_dictionary(dtype: object) -> bool:
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    import pyarrow as pa

    return bool(pa.types.is_dictionary(dtype.pyarrow_dtype))


def _is_datetime(dtype: object) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.kind == "M" and str(dtype).startswith("timestamp")
    return bool(types.is_datetime64_any_dtype(dtype))


_TESTS: list[tuple[Kind, Callable[[object], bool]]] = [
    ("int", types.is_integer_dtype),
    ("float", types.is_float_dtype),
    ("text", types.is_string_dtype),
    ("datetime", _is_datetime),
]
