"""One numbering of events for summaries that come from different partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError

Renumbering = NDArray[np.int32]


def merge_vocabularies(first: pd.Index, second: pd.Index) -> tuple[pd.Index, Renumbering, Renumbering]:
    """Give the sorted union and, for each side, the new code of each old one.

    Examples
    --------
    >>> union, first, second = merge_vocabularies(pd.Index(["a", "c"]), pd.Index(["b", "c"]))
    >>> list(union), first.tolist(), second.tolist()
    (['a', 'b', 'c'], [0, 2], [1, 2])
    """
    if first.equals(second):
        same = np.arange(len(first), dtype=np.int32)
        return first, same, same
    try:
        union = first.union(second, sort=True)
    except TypeError:
        raise SeqPrivError("merge: one part of the table has text as events and another numbers.") from None
    return union, _places(union, first), _places(union, second)


def _places(union: pd.Index, part: pd.Index) -> Renumbering:
    return np.asarray(union.get_indexer(part), dtype=np.int32)
