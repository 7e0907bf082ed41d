"""One numbering of events for summaries that come from different partitions."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

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
    if len(first) and len(second) and _are_numbers(first) != _are_numbers(second):
        raise SeqPrivError("One table, or one part of it, has text as events and another has numbers.")
    if first.dtype != second.dtype:  # as floats, to which pandas turns some pairs, large numbers are alike
        first, second = first.astype(object), second.astype(object)
    union = first.union(second).sort_values()
    return union, _places(union, first), _places(union, second)


def _are_numbers(values: pd.Index) -> bool:
    return isinstance(values[0], Integral)


def _places(union: pd.Index, part: pd.Index) -> Renumbering:
    return np.asarray(union.get_indexer(part), dtype=np.int32)


def codes_of(events: Iterable[str | int], vocabulary: pd.Index) -> NDArray[np.int32]:
    """Give the code of each event, -2 for one that does not occur.

    A table holds either text or whole numbers, so 1 and "1" cannot both be meant: they are taken for the
    same.

    Examples
    --------
    >>> codes_of(["b", "z"], pd.Index(["a", "b"])).tolist(), codes_of(["7"], pd.Index([7])).tolist()
    ([1, -2], [0])
    """
    as_text = pd.Index([str(event) for event in vocabulary], dtype=object)
    codes = as_text.get_indexer(pd.Index([str(event) for event in events], dtype=object))
    return np.where(codes < 0, -2, codes).astype(np.int32)


def find_events(vocabulary: pd.Index, events: pd.Index) -> NDArray[np.int64]:
    """Give the code of each event, -1 where the vocabulary does not have it.

    Text and numbers are different: "1" is not found among numbers.

    Examples
    --------
    >>> find_events(pd.Index(["a", "b"]), pd.Index(["b", 1], dtype=object)).tolist()
    [1, -1]
    """
    return np.asarray(vocabulary.astype(object).get_indexer(events.astype(object)), dtype=np.int64)
