"""A short number for the rows of a table: a record belongs to these rows and to no others.

In memory the number is made with a secret of this process: it may go along with copies that no longer have
all of the rows, and nobody shall be able to try out what the others were. In a file a single byte has to do.
"""

from __future__ import annotations

import hashlib
import marshal
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

_SECRET = secrets.token_bytes(32)
_BLOCK = 1 << 16
_MIXING = 0x9E3779B97F4A7C15
_64_BITS = (1 << 64) - 1
# Nanoseconds per tick: times count the same in any unit.
_TICKS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def seal_of(frame: pd.DataFrame) -> int:
    """Return a number that these columns and rows have, in this order and in this process only.

    Examples
    --------
    >>> frame = pd.DataFrame({"event": ["a", "b"]})
    >>> seal_of(frame) == seal_of(frame.copy()), seal_of(frame) == seal_of(frame[::-1])
    (True, False)
    """
    return _sealed(_content_of(frame, _hash_of_objects))


def seal_of_arrow(table: pa.Table) -> int:
    """Return such a number of an Arrow table, which does not depend on what its columns are read as."""
    sums = [_arrays_of(_joined(column)) for column in table.columns]
    nested = [column.to_pylist() if not one else [] for one, column in zip(sums, table.columns, strict=True)]
    content = (table.num_rows, table.column_names, [[_sum_of(part) for part in one] for one in sums], nested)
    return _sealed(repr(content).encode(errors="surrogatepass"))


def _sealed(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8, key=_SECRET).digest())


def check_digit_of(frame: pd.DataFrame) -> int:
    """Return a byte that tells, anywhere, 255 of 256 other tables from this one, and little of its rows."""
    return hashlib.blake2b(_content_of(frame, _sum_of_objects), digest_size=1).digest()[0]


def _content_of(frame: pd.DataFrame, of_objects: Callable[[pd.Series], int]) -> bytes:
    sums = [(repr(name), _sums_of(frame.iloc[:, i], of_objects)) for i, name in enumerate(frame.columns)]
    return repr((len(frame), sums)).encode(errors="surrogatepass")


def _sums_of(column: pd.Series, of_objects: Callable[[pd.Series], int]) -> list[int]:
    arrays = _arrays_of(_as_arrow(column))
    return [_sum_of(one) for one in arrays] if arrays else [of_objects(column)]


def _sum_of(array: NDArray[Any]) -> int:
    """Add up all words, each with its own odd weight, so that no single change leaves the sum as it is."""
    raw = np.ascontiguousarray(array).view(np.uint8)
    whole = raw.size - raw.size % 8
    words, total = raw[:whole].view(np.uint64), int.from_bytes(raw[whole:].tobytes())
    weights = np.arange(min(_BLOCK, words.size), dtype=np.uint64) * np.uint64(_MIXING) | np.uint64(1)
    for start in range(0, words.size, _BLOCK):
        block = words[start : start + _BLOCK]
        total = (total * _MIXING + int(np.dot(block, weights[: block.size]))) & _64_BITS
    return total


def _as_arrow(column: pd.Series) -> pa.Array | None:
    """Return the column as one Arrow array, or None if it holds objects that Arrow has no plain type for."""
    import pyarrow as pa

    if column.dtype == object and len(column) and isinstance(column.iloc[0], tuple | list):
        return None
    try:
        array = pa.array(column, from_pandas=True)
        return _joined(array) if isinstance(array, pa.ChunkedArray) else array
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _joined(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _arrays_of(array: pa.Array | None) -> list[NDArray[Any]]:
    """Return numbers that are the same however the values are stored; none for types that are seldom."""
    import pyarrow as pa

    if array is None:
        return []
    if pa.types.is_dictionary(array.type):
        return _categories(array)
    valid = [np.packbits(array.is_valid().to_numpy(zero_copy_only=False))] if array.null_count else []
    if array.null_count == len(array):  # of any type
        return valid
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return valid + _text(array)
    numbers = _numbers(array)
    return [] if numbers is None else [*valid, numbers]


def _text(array: pa.Array) -> list[NDArray[Any]]:
    import pyarrow as pa

    plain = array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
    filled = plain.fill_null("") if plain.null_count else plain
    _, places, letters = filled.buffers()
    if not len(filled) or letters is None:
        return [np.zeros(len(filled), np.int32)]
    wide = np.int64 if pa.types.is_large_string(filled.type) else np.int32
    ends = np.frombuffer(places, wide)[filled.offset : filled.offset + len(filled) + 1]
    return [np.diff(ends).astype(np.int32), np.frombuffer(letters, np.uint8)[ends[0] : ends[-1]]]


def _categories(array: pa.DictionaryArray) -> list[NDArray[Any]]:
    """Number categories in sorted order, without those that are not in use."""
    codes, values = pd.factorize(array.dictionary.to_pandas().take(_used(array)), sort=True)
    ranks = np.full(len(array.dictionary) + 1, -1, np.int32)  # the last entry is for nulls
    ranks[_used(array)] = codes
    indices = array.indices.fill_null(len(array.dictionary)) if array.indices.null_count else array.indices
    return [ranks[indices.to_numpy()], np.frombuffer(repr(list(values)).encode(errors="surrogatepass"), "u1")]


def _used(array: pa.DictionaryArray) -> NDArray[np.int64]:
    return np.sort(array.indices.drop_null().unique().to_numpy()).astype(np.int64)


def _numbers(array: pa.Array) -> NDArray[Any] | None:
    import pyarrow as pa

    kind = array.type
    if pa.types.is_boolean(kind):
        array = array.cast(pa.int8())
    elif pa.types.is_date(kind):
        array = array.cast(pa.timestamp("s"))
    if pa.types.is_timestamp(array.type) or pa.types.is_duration(array.type):
        factor = np.int64(_TICKS[array.type.unit])
        ticks: NDArray[np.int64] = array.cast(pa.int64()).fill_null(0).to_numpy()
        with np.errstate(over="ignore"):
            return ticks if factor == 1 else ticks * factor
    if pa.types.is_floating(array.type):
        floats: NDArray[np.float64] = array.fill_null(0).to_numpy().astype(np.float64)
        return floats + 0.0  # there is one zero, not two
    if not pa.types.is_integer(array.type):
        return None
    numbers: NDArray[Any] = array.fill_null(0).to_numpy() if array.null_count else array.to_numpy()
    return numbers if numbers.dtype.itemsize == 8 else numbers.astype(np.int64)  # noqa: PLR2004 (64 bits)


def _hash_of_objects(column: pd.Series) -> int:
    """Return what tells objects apart in this process; of text it takes a third of the time."""
    first = column.iloc[0] if len(column) else ""
    while isinstance(first, tuple) and first:
        first = first[0]
    try:
        return hash(tuple(column)) if isinstance(first, str) else _sum_of_objects(column)
    except TypeError:  # a list has no hash
        return _sum_of_objects(column)


def _sum_of_objects(column: pd.Series) -> int:
    cells = column.tolist()
    try:
        written = marshal.dumps(cells, 2)
    except ValueError:  # an object that is not one of Python's own
        written = repr(cells).encode(errors="surrogatepass")
    return _sum_of(np.frombuffer(written, np.uint8))
