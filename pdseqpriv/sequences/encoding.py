"""Encode a column of ids or events as numbers that point into its sorted distinct values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import refusal
from pdseqpriv.sequences.rules import without_dictionary

Codes = NDArray[np.int32]

# Whole numbers whose range is at most this many times their count are looked up instead of hashed.
_COMPACT = 2


class Encoded(NamedTuple):
    """Codes into ``values``, which are distinct, sorted and all in use; -1 is null."""

    codes: Codes
    values: pd.Index


def encode(column: pd.Series) -> Encoded:
    """Number the values of a column in sorted order.

    Examples
    --------
    >>> codes, values = encode(pd.Series(["b", None, "a", "b"]))
    >>> codes.tolist(), list(values)
    ([1, -1, 0, 1], ['a', 'b'])
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _encode_categories(column)
    if not len(column):  # whatever its type
        return Encoded(np.empty(0, np.int32), pd.Index([], dtype=object))
    if isinstance(column.dtype, pd.ArrowDtype):
        column = without_dictionary(column)
    compact = _encode_compact(column)
    if compact is not None:
        return compact
    try:
        codes, values = pd.factorize(_comparable(column), use_na_sentinel=True)
        return _sorted(codes, pd.Index(values))
    except (TypeError, UnicodeError):  # their own words may quote the data
        raise refusal(f"column {column.name!r} holds values that pandas cannot compare.") from None


def decode(codes: Codes, values: pd.Index, dtype: object) -> pd.Series:
    """Turn codes back into values of the original dtype, without unused categories."""
    if not codes.size and not isinstance(dtype, pd.CategoricalDtype):
        return pd.Series([], dtype=dtype)
    if isinstance(dtype, pd.CategoricalDtype):
        used = np.unique(codes[codes >= 0])
        ranked = dtype.categories.get_indexer(values[used])
        order = used[np.argsort(ranked)]
        new_code = np.full(len(values) + 1, -1, np.int32)  # the last entry is for code -1
        new_code[order] = np.arange(order.size, dtype=np.int32)
        return pd.Series(pd.Categorical.from_codes(new_code[codes], values[order], ordered=dtype.ordered))
    has_nulls = bool(codes.size) and bool(codes.min() < 0)
    decoded = pd.Series(values.array.take(codes, allow_fill=has_nulls)).astype(dtype)
    if has_nulls and pd.api.types.is_object_dtype(dtype):
        decoded[codes < 0] = None  # objects keep None as null, where pandas fills in NaN
    return decoded


def find_values(values: pd.Index, known: pd.Index) -> NDArray[np.int64]:
    """Return the position of each value among the known ones, -1 where it is missing.

    Examples
    --------
    >>> find_values(pd.Index(["b", 1], dtype=object), pd.Index(["a", "b"])).tolist()
    [1, -1]
    """
    return np.asarray(known.astype(object).get_indexer(values.astype(object)), dtype=np.int64)


def one_after_the_other(first: pd.Index, second: pd.Index) -> pd.Index:
    """Put the values of two parts together; the type of a part without values is made up.

    Examples
    --------
    >>> one_after_the_other(pd.Index([7], dtype="int32"), pd.Index([], dtype=object)).dtype
    dtype('int32')
    """
    if not len(first) or not len(second):
        return first if len(first) else second
    together = first.append(second)
    if together.dtype.kind == "f":  # as of numbers with and without a sign: large ones would look alike
        together = first.astype(object).append(second.astype(object))
    return together


def in_order(first: pd.Index, second: pd.Index) -> tuple[pd.Index, NDArray[np.int64]]:
    """Put the values of two parts together and sort them; return them, and which place each had."""
    together = one_after_the_other(first, second)
    order = np.asarray(together.argsort(), np.int64)
    return together[order], order


def _encode_categories(column: pd.Series) -> Encoded:
    codes, categories = column.array.codes, column.array.categories  # where .cat gives a copy
    in_use = np.zeros(len(categories) + 1, bool)
    in_use[codes] = True
    if in_use[:-1].all():
        return _sorted(codes, categories)
    used = np.flatnonzero(in_use[:-1])
    new_code = np.full(in_use.size, -1, np.int32)  # the last entry is for code -1
    new_code[used] = np.arange(used.size, dtype=np.int32)
    return _sorted(new_code[codes], categories[used])


def _encode_compact(column: pd.Series) -> Encoded | None:
    """Encode whole numbers from a small range by looking them up; None if that does not apply."""
    is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
    if not is_plain or not len(column) or not np.can_cast(column.dtype, np.int64):
        return None
    numbers = column.to_numpy().astype(np.int64, copy=False)
    lowest, highest = int(numbers.min()), int(numbers.max())
    if highest - lowest > _COMPACT * numbers.size:
        return None
    places = numbers - lowest
    in_use = np.zeros(highest - lowest + 1, bool)
    in_use[places] = True
    rank = np.cumsum(in_use, dtype=np.int32) - np.int32(1)
    values = (np.flatnonzero(in_use) + lowest).astype(column.dtype)
    return Encoded(rank[places], pd.Index(values))


def _comparable(column: pd.Series) -> pd.Series:
    """Convert objects to types that are fast and compare by value."""
    if column.dtype != object:
        return column
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred == "integer":
        return _whole_numbers(column)
    # Older versions of pandas compare text in objects only up to its first NUL character.
    return column.astype("string[pyarrow]") if inferred == "string" else column


def _whole_numbers(column: pd.Series) -> pd.Series:
    try:
        return column.astype("Int64")
    except OverflowError:  # beyond 64 bits: stay Python ints
        return column


def _is_sorted(values: pd.Index) -> bool:
    """Compare neighbours; an index would make a Python object of each text first."""
    array = values.array
    return bool(np.asarray(array[1:] > array[:-1], dtype=bool).all())


def _sorted(codes: NDArray[np.int64], values: pd.Index) -> Encoded:
    if _is_sorted(values):
        return Encoded(codes.astype(np.int32, copy=False), values)
    order = np.asarray(values.argsort())
    rank = np.empty(order.size + 1, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    rank[-1] = -1  # the last entry is for code -1
    return Encoded(rank[codes], values[order])
