"""What no part can see of itself: that times are not too far apart, and sequences and people not divided."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.rules import of_several_people
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.times import problem_of_times

Hashes = NDArray[np.uint64]


class Look(NamedTuple):
    """The first and the last time of some parts, and numbers for the ids of their sequences and people.

    Two ids that differ have the same number in one of 10**19 cases. Where none can be divided, there are no
    numbers.
    """

    times: NDArray[Any]
    ids: Hashes
    people: Hashes


def look_at(sequences: Sequences, *, with_ids: bool) -> Look:
    """Look at one part, in which everybody is there once; at ids only if any may be elsewhere, too."""
    times = sequences.times
    ends = times[[times.argmin(), times.argmax()]] if times.size else times
    ids = sequences.ids if with_ids else None
    return Look(ends, hashed_ids(ids), hashed_ids(sequences.person_ids if with_ids else None))


def hashed_ids(ids: pd.Index | None) -> Hashes:
    """Return a number for each id, whatever its type; none if there are no ids."""
    if ids is None:
        return np.zeros(0, np.uint64)
    is_number = isinstance(ids.dtype, np.dtype) and ids.dtype.kind in "iu"
    return np.asarray(pd.util.hash_array(ids.to_numpy(None if is_number else object), categorize=False))


def merge_looks(first: Look, second: Look) -> Look:
    """Put what was seen of two parts together."""
    times = np.concatenate((first.times, second.times))
    ends = times[[times.argmin(), times.argmax()]] if times.size else times
    ids, people = (np.concatenate(both) for both in zip(first[1:], second[1:], strict=True))
    return Look(ends, ids, people)


def refuse_wrong_whole(look: Look, columns: Columns) -> None:
    """Raise if parts that are right on their own are not right together."""
    problem = problem_of_times(pd.Series(look.times, name=columns.time))
    if problem is not None:
        raise problem
    sequences, people = _in_several(look.ids), _in_several(look.people)
    if sequences and columns.person is not None:
        raise of_several_people(sequences, columns.person)
    if sequences or people:
        who = counted(sequences, "sequence") if sequences else counted(people, "person")
        are = "is" if 1 in (sequences, people) else "are"
        raise refusal(
            f"{who.replace('persons', 'people')} {are} in several parts of the table, so that nothing can be "
            "promised. Leave out whole_sequences=True, and an index that says so: ddf.reset_index(drop=True)."
        )


def _in_several(hashes: Hashes) -> int:
    return int((np.unique(hashes, return_counts=True)[1] > 1).sum())
