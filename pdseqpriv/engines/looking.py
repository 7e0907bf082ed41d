"""What no part can see of itself: that times are not too far apart, and sequences not divided."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import problem_of_times


class Look(NamedTuple):
    """The first and the last time of some parts, and numbers for the ids of their sequences.

    Two ids that differ have the same number in one of 10**19 cases. Where no sequence can be divided, there
    are no numbers.
    """

    times: NDArray[Any]
    ids: NDArray[np.uint64]


def look_at(sequences: Sequences, *, with_ids: bool) -> Look:
    """Look at one part, in which every sequence is there once; at ids only if any may be elsewhere, too."""
    times = sequences.times
    ends = times[[times.argmin(), times.argmax()]] if times.size else times
    if not with_ids:
        return Look(ends, np.zeros(0, np.uint64))
    is_number = isinstance(sequences.ids.dtype, np.dtype) and sequences.ids.dtype.kind in "iu"
    ids = sequences.ids.to_numpy(None if is_number else object)
    return Look(ends, pd.util.hash_array(ids, categorize=False))


def merge_looks(first: Look, second: Look) -> Look:
    """Put what was seen of two parts together."""
    times = np.concatenate((first.times, second.times))
    ends = times[[times.argmin(), times.argmax()]] if times.size else times
    return Look(ends, np.concatenate((first.ids, second.ids)))


def refuse_wrong_whole(look: Look, columns: Columns) -> None:
    """Raise if parts that are right on their own are not right together."""
    problem = problem_of_times(pd.Series(look.times, name=columns.time))
    if problem is not None:
        raise problem
    divided = int((np.unique(look.ids, return_counts=True)[1] > 1).sum())
    if divided and columns.person is not None:
        belong = "belongs" if divided == 1 else "belong"
        raise refusal(
            f"{counted(divided, 'sequence')} {belong} to several people. Every sequence must have the same "
            f"{columns.person!r} in all its rows."
        )
    if divided:
        are = "is" if divided == 1 else "are"
        raise refusal(
            f"{counted(divided, 'sequence')} {are} in several parts of the table, so that nothing can be "
            "promised. Leave out whole_sequences=True."
        )
