"""Leave rows out of a frame so that nothing tells which."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def without_rows(frame: pd.DataFrame, dropped: NDArray[np.int64]) -> pd.DataFrame:
    """Give the frame without the rows at these positions; dtypes, order and other rows stay."""
    keep = np.ones(len(frame), bool)
    keep[dropped] = False
    return frame.iloc[np.flatnonzero(keep)]


def without_traces(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the frame without what dropped rows leave behind.

    Categories that are not in use are removed. An index that only numbers the rows (whole numbers, each
    once, without a name) is numbered anew, because gaps would tell where rows are missing; any other index
    belongs to the rows and stays.

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
        elif isinstance(dtype, pd.ArrowDtype) and hasattr(dtype.pyarrow_dtype, "value_type"):
            # A dictionary of arrow keeps every value; going through its values builds a new one.
            values = frame.iloc[:, place].astype(pd.ArrowDtype(dtype.pyarrow_dtype.value_type))
            bare.isetitem(place, values.astype(dtype))
    bare.index = _bare_index(frame.index)
    bare.attrs = {}
    return bare


def _bare_index(index: pd.Index) -> pd.Index:
    if isinstance(index, pd.MultiIndex):
        return index.remove_unused_levels()
    if isinstance(index, pd.CategoricalIndex):
        return index.remove_unused_categories()
    numbers = pd.api.types.is_integer_dtype(index.dtype) and index.name is None
    return pd.RangeIndex(len(index)) if numbers and index.is_unique else index
