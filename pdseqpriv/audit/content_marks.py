"""Numbers that stand for the content of sequences: equal sequences have the same one, wherever they are.

Two that differ have the same number in one of 10**19 cases. People are drawn in the order of these numbers,
so that the same ones are drawn however a table is divided. No candidate is counted by them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.ragged import Flags, Ints, owners_of

Marks = NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def marks_of_events(vocabulary: pd.Index) -> Marks:
    """Return a number for each event, the same in every table; 7 and "7" are the same event."""
    names = np.array([str(name) for name in vocabulary], dtype=object)
    return np.asarray(pd.util.hash_array(names, categorize=False), np.uint64)


def marks_of_moments(moments: NDArray[Any]) -> Marks:
    """Return a number for each time."""
    return mixed((moments + moments.dtype.type(0)).view(np.uint64))  # minus zero is zero


def marks_of_sequences(things: Marks, offsets: Ints, begins: Flags, *, in_order: bool) -> Marks:
    """Return a number for each sequence of things, which may begin an element; or for each bag of them."""
    if in_order:
        place = np.arange(things.size) - offsets[owners_of(offsets)]
        things = things ^ mixed((2 * place + begins).astype(np.uint64))
    ends = np.zeros(things.size + 1, np.uint64)
    np.cumsum(mixed(things), out=ends[1:])
    return mixed(ends[offsets[1:]] - ends[offsets[:-1]])


def mixed(numbers: Marks) -> Marks:
    """Spread numbers over all 64 bits."""
    numbers = numbers + _STEP
    for shift, factor in _MIXERS:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    spread: Marks = numbers ^ (numbers >> np.uint64(31))
    return spread
