"""How much memory there is for a table, and what to say where it is not enough."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import os
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import refusal, wrong_parameter

_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_LEAST = 64 * 10**6
_GIGA = 10**9
# Rows that are brought here are there several times while they are worked on.
_COPIES = 3
# So are sequences of which only numbers are brought here.
COPIES_OF_NUMBERS = 8


def read_memory_limit(given: object) -> int:
    """Read a number of bytes, as a number or as text; half of the machine's memory by default."""
    if given is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    must = 'a size such as "2GB", or a number of bytes, of at least "64MB"'
    wanted = given if isinstance(given, int) and not isinstance(given, bool) else 0
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKMGT]i?B)\s*", given)
        wanted = int(float(found[1]) * _UNITS.get(found[2].replace("K", "k"), 0)) if found else 0
    if wanted < _LEAST:
        shown = repr(given) if isinstance(given, str | int) else type(given).__name__
        raise wrong_parameter("memory_limit", must, shown)
    return wanted


def how_to_allow(needed: float | None) -> str:
    """Say how more memory is allowed, and how much will do if that is known.

    Examples
    --------
    >>> how_to_allow(10.2e9)[:75]
    'If there is more memory, allow it by scan_parquet(..., memory_limit="11GB")'
    """
    unit, bytes_in_it = ("GB", _GIGA) if (needed or 0) >= _GIGA else ("MB", _GIGA // 1000)
    size = "..." if needed is None else f'"{math.ceil(needed / bytes_in_it)}{unit}"'
    return (
        f"If there is more memory, allow it by scan_parquet(..., memory_limit={size}); write a table of Dask "
        "or Spark to files for that."
    )


def refuse_too_much(rows: int, size: float, limit: int) -> None:
    """Raise if so many rows, which take so many bytes, cannot be worked on here."""
    if size * _COPIES > limit:
        raise refusal(
            f"all {rows} rows are needed in memory at once, about {size * _COPIES / _GIGA:.1f} GB, but only "
            f"{limit / _GIGA:.1f} GB may be used. {how_to_allow(size * _COPIES)}"
        )


def gathered(answers: Iterable[tuple[pd.DataFrame, Any]], limit: int) -> tuple[pd.DataFrame, Any]:
    """Put rows from all parts one after the other, if they can be worked on here, and add up the tallies."""
    found, tallies = zip(*answers, strict=True)
    size = sum(int(rows.memory_usage(deep=True, index=False).sum()) for rows in found)
    refuse_too_much(sum(map(len, found)), size, limit)
    return pd.concat(found, ignore_index=True), functools.reduce(operator.add, tallies)


def refuse_many_sequences(size: float, limit: int) -> None:
    """Raise if sequences, which take so many bytes as numbers, cannot be worked on here."""
    needed = size * COPIES_OF_NUMBERS
    if needed > limit:
        raise refusal(
            "all sequences are needed in memory at once, and as numbers they take more than "
            f"{needed / _GIGA:.1f} GB, but only {limit / _GIGA:.1f} GB may be used. {how_to_allow(None)}"
        )


def refuse_large_plan(found: object, copies: int, limit: int) -> None:
    """Raise if a plan, which takes so many copies of what was found in the parts, does not fit here."""
    refuse_plan_of(bytes_in(found) * copies if copies else 0, limit)


def refuse_plan_of(needed: float, limit: int) -> None:
    """Raise if a plan that needs so many bytes does not fit here."""
    if needed > limit:
        raise refusal(
            f"the plan is made in one place and needs about {needed / _GIGA:.1f} GB of memory, but only "
            f"{limit / _GIGA:.1f} GB may be used. {how_to_allow(needed)}"
        )


def bytes_in(found: Any) -> int:  # noqa: ANN401 (whatever parts were summarised as)
    """Return about how many bytes the arrays of a summary take.

    Examples
    --------
    >>> bytes_in((np.zeros(3), {"ids": pd.Index([1, 2])}))
    40
    """
    if isinstance(found, np.ndarray):
        return found.nbytes
    if isinstance(found, pd.Index | pd.Series):
        return _bytes_of_values(found)
    if isinstance(found, dict):
        found = list(found.values())
    if dataclasses.is_dataclass(found):
        found = [getattr(found, field.name) for field in dataclasses.fields(found)]
    return sum(map(bytes_in, found)) if isinstance(found, list | tuple) else 0


def _bytes_of_values(values: pd.Index | pd.Series) -> int:
    options = {"index": False} if isinstance(values, pd.Series) else {}
    return int(values.memory_usage(deep=True, **options))
