"""Times as int64 or float64 numbers that can be sorted, subtracted without overflow, and converted back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError, counted, wrong_column
from pdseqpriv.sequences.rules import describe_kind, kind_of

Times = NDArray[np.int64] | NDArray[np.float64]

# How many of each unit are in a second.
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

_MUST = "whole numbers, floats or datetimes"
_LARGEST = 2**63 - 1
_HALF = np.finfo(np.float64).max / 2


class EncodedTimes(NamedTuple):
    """Numbers, and the unit ("s", "ms", "us", "ns") that they count when they are datetimes."""

    numbers: Times
    unit: str | None


def encode_times(column: pd.Series) -> EncodedTimes:
    """Turn a time column that fits its rule into numbers.

    Examples
    --------
    >>> encode_times(pd.Series(pd.to_datetime(["1970-01-02"]).as_unit("s")))
    EncodedTimes(numbers=array([86400]), unit='s')
    """
    unit = _unit(column.dtype)
    if not len(column) and unit is None:
        return EncodedTimes(np.empty(0, np.int64), None)
    return EncodedTimes(_numbers(column), unit)


def problem_of_times(column: pd.Series) -> SeqPrivError | None:
    """Times must be numbers or datetimes that can be subtracted from each other, and every row has one."""
    kind = kind_of(column)
    if not len(column) and kind != "datetime":  # an empty table may have any dtypes: pandas makes them up
        return None
    nulls = int(column.isna().sum())
    if nulls:
        came = f"{counted(nulls, 'row')} {'has' if nulls == 1 else 'have'} no time"
        return wrong_column(column.name, "free of nulls", came, "Drop these rows or fill in the times.")
    if kind not in ("int", "float", "datetime"):
        do = f"Convert it with {_conversion(column)}."
        return wrong_column(column.name, _MUST, describe_kind(column), do)
    if kind == "int" and not _fits_64_bits(column):
        return wrong_column(column.name, "within the range of signed 64 bits", "some times are outside it")
    numbers = _numbers(column)
    problem = _problem_of_range(numbers, column)
    if problem is None and kind == "datetime" and numbers.size:
        return _problem_of_calendar(numbers, column)
    return problem


def _fits_64_bits(column: pd.Series) -> bool:
    return not len(column) or -_LARGEST <= int(column.min()) <= int(column.max()) <= _LARGEST


def _conversion(column: pd.Series) -> str:
    if isinstance(column.dtype, pd.PeriodDtype):
        return ".dt.to_timestamp()"
    if "decimal" in describe_kind(column):  # pd.to_numeric leaves those of Arrow as they are
        return '.astype("float64")'
    is_duration = getattr(column.dtype, "kind", "") == "m"
    return ".dt.total_seconds()" if is_duration else "pd.to_datetime or pd.to_numeric"


def decode_times(numbers: Times, dtype: object) -> pd.Series:
    """Turn numbers back into times of the original dtype."""
    if not numbers.size:
        return pd.Series([], dtype=dtype)
    if isinstance(dtype, pd.ArrowDtype) and dtype.kind == "M":
        import pyarrow as pa

        return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(numbers).cast(dtype.pyarrow_dtype)))
    if getattr(dtype, "kind", "") == "M":
        clock = pd.Series(numbers.view(f"datetime64[{_unit(dtype)}]"))
        return clock.dt.tz_localize("UTC").astype(dtype) if isinstance(dtype, pd.DatetimeTZDtype) else clock
    return pd.Series(numbers).astype(dtype)


def ticks_of_seconds(seconds: Times, unit: str, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ticks that seconds were made of: some of those that are known, sorted, or else the nearest.

    Multiplying is not enough, because floats hold no more than 104 days of nanoseconds.

    Examples
    --------
    >>> ticks_of_seconds(np.array([0.5, 9007199.254740993]), "ns", np.array([9007199254740993])).tolist()
    [500000000, 9007199254740993]
    """
    told, ticks = known / TICKS[unit], np.round(seconds * float(TICKS[unit])).astype(np.int64)
    place = np.searchsorted(told, seconds)
    place[place == told.size] = 0
    return np.where(told[place] == seconds, known[place], ticks) if told.size else ticks


def _numbers(column: pd.Series) -> Times:
    if column.dtype.kind == "f":
        return np.ascontiguousarray(column.to_numpy(np.float64))
    if column.dtype.kind != "M":
        return np.ascontiguousarray(column.to_numpy(np.int64))
    if isinstance(column.dtype, pd.ArrowDtype):
        import pyarrow as pa

        counts = pa.chunked_array(column.array.__arrow_array__()).cast(pa.int64())
        return np.ascontiguousarray(counts.to_numpy())
    return np.ascontiguousarray(column.astype("int64").to_numpy())


def _problem_of_range(numbers: Times, column: pd.Series) -> SeqPrivError | None:
    """Return an error if times are infinite, or too far apart to be subtracted."""
    if not numbers.size:
        return None
    earliest, latest = numbers.min(), numbers.max()
    far = "the first and the last are too far apart"
    if numbers.dtype == np.float64:
        if not np.isfinite(earliest) or not np.isfinite(latest):
            odd = int((~np.isfinite(numbers)).sum())
            came = f"{counted(odd, 'value')} {'is' if odd == 1 else 'are'} infinite or not a number"
            return wrong_column(column.name, "finite", came, "Drop these rows or correct the times.")
        is_far = latest / 2 - earliest / 2 > _HALF
        return wrong_column(column.name, "within the span of a float", far) if is_far else None
    is_far = int(latest) - int(earliest) > _LARGEST
    return wrong_column(column.name, "within a span of 64 bits", far) if is_far else None


def _problem_of_calendar(numbers: Times, column: pd.Series) -> SeqPrivError | None:
    """Return an error for datetimes that pandas can hold, but not show or subtract."""
    extremes = numbers[[numbers.argmin(), numbers.argmax()]]
    try:
        first, last = decode_times(extremes, column.dtype)
        _ = f"{first} {last} {last - first}"
    except Exception:  # noqa: BLE001 (pandas raises many kinds, and some quote the value)
        came = "some are outside what pandas can show"
        return wrong_column(column.name, "datetimes of the years 1 to 9999", came)
    return None


def _unit(dtype: object) -> str | None:
    """Return the unit of datetimes; dates without a time of day are not datetimes."""
    if getattr(dtype, "kind", "") != "M":
        return None
    if isinstance(dtype, pd.ArrowDtype):
        return getattr(dtype.pyarrow_dtype, "unit", None)
    return str(dtype.unit) if isinstance(dtype, pd.DatetimeTZDtype) else np.datetime_data(dtype)[0]  # type: ignore[arg-type]
