"""Recognise a table whose sequences already stand one after the other, in the order of their ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# A shuffled table shows itself in its first rows.
_GLANCE = 1000


def runs_of(seq_id: pd.Series) -> tuple[pd.Index, NDArray[np.int64]] | None:
    """Give ids and offsets if ids never decrease down the table, else None.

    Only neighbours are compared, so a sorted table costs a fraction of numbering its ids.

    Examples
    --------
    >>> ids, offsets = runs_of(pd.Series([3, 3, 8]))
    >>> list(ids), offsets.tolist()
    ([3, 8], [0, 2, 3])
    >>> runs_of(pd.Series([8, 3])) is None
    True
    """
    if seq_id.dtype == object or isinstance(seq_id.dtype, pd.CategoricalDtype):
        return None
    if not len(seq_id):
        return pd.Index([], dtype=object), np.zeros(1, np.int64)
    if len(seq_id) > _GLANCE and runs_of(seq_id.iloc[:_GLANCE]) is None:
        return None
    values = seq_id.array
    changes = np.flatnonzero(np.asarray(values[1:] != values[:-1], dtype=bool)) + 1
    starts = np.concatenate(([0], changes))
    first = values.take(starts)
    if not np.asarray(first[1:] > first[:-1], dtype=bool).all():
        return None
    return pd.Index(first), np.concatenate((starts, [len(values)]))
