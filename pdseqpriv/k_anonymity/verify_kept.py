"""What original and release say besides the sequences, as numbers that can be compared."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.engine import ORIGINAL, RELEASED
from pdseqpriv.errors import SeqPrivError, counted, missing_column, refusal, said_of, wrong_parameter
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences

# Where all values are null, nothing is told: everybody may be meant.
ANYTHING = 0


def kept_numbers(
    keep: object, frames: tuple[pd.DataFrame, pd.DataFrame], both: tuple[Sequences, Sequences]
) -> tuple[Ints, Ints]:
    """Return for each sequence of original and release the number of its combination of values.

    It is ANYTHING where all values are null.
    """
    if not isinstance(keep, list | tuple) or not keep:
        do = "Put a single column into a list."
        raise wrong_parameter("keep", "a list of columns of both tables", type(keep).__name__, do)
    for which, frame in zip((ORIGINAL, RELEASED), frames, strict=True):
        for name in keep:
            if list(frame.columns).count(name) != 1:
                raise said_of(which, missing_column("keep", name, frame.columns))
    codes = np.stack([_codes_of(name, frames) for name in keep], axis=1)
    nothing = np.full((1, len(keep)), -1)  # sorts first
    numbers = np.unique(np.concatenate((nothing, codes)), axis=0, return_inverse=True)[1].reshape(-1)[1:]
    before, after = np.split(numbers, [len(frames[0])])
    return _one_each(before, both[0], ORIGINAL), _one_each(after, both[1], RELEASED)


def _codes_of(name: Hashable, frames: tuple[pd.DataFrame, pd.DataFrame]) -> Ints:
    values = pd.concat([frame[name].astype(object) for frame in frames], ignore_index=True)
    codes: NDArray[np.int64] = pd.factorize(values, use_na_sentinel=True)[0]
    return codes


def _one_each(numbers: Ints, sequences: Sequences, which: str) -> Ints:
    """Return the one number of each sequence; the same for all sequences of a person, who are known."""
    ordered = numbers[sequences.rows]
    people = np.arange(sequences.n_sequences) if sequences.people is None else sequences.people
    owners = people[sequences.owners]
    first = np.zeros(people.max(initial=-1) + 1, np.int64)
    first[owners[::-1]] = ordered[::-1]
    varying = np.unique(owners[ordered != first[owners]]).size
    if varying:
        raise said_of(which, _several(varying, sequences))
    return first[people]


def _several(varying: int, sequences: Sequences) -> SeqPrivError:
    noun = "sequence" if sequences.people is None else "person"
    who, have = counted(varying, noun).replace("persons", "people"), "has" if varying == 1 else "have"
    return refusal(f"keep must name columns with one value for each {noun}, but {who} {have} several.")
