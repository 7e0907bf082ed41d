"""Who has which of the sequences that are attacked, where people may have several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.candidates import Whose
from pdseqpriv.audit.known_events import People
from pdseqpriv.sequences.ragged import offsets_of


def has_empty(people: People, n: int) -> NDArray[np.bool_]:
    """Return who has a sequence without events."""
    empty: NDArray[np.bool_] = people.lengths == 0
    if people.whose is not None:
        has_none = (empty & ~people.is_release)[people.whose.sequences]
        empty = np.bincount(people.whose.people[has_none], minlength=n) > 0
    return empty


def count_people(people: People, *, in_release: bool = False) -> int:
    """Count those who have a sequence, in the original or in the release."""
    is_there = people.is_release == in_release
    if people.whose is None:
        return int(people.counts[is_there].sum())
    return int(np.count_nonzero(np.bincount(people.whose.people[is_there[people.whose.sequences]])))


def count_everybody(people: People) -> tuple[int, int]:
    """Count the people of the original and of the release; without one, it is the same table."""
    in_original = count_people(people)
    return in_original, count_people(people, in_release=True) if people.has_release else in_original


def whose_are(people: People, wanted: NDArray[np.bool_]) -> Whose:
    """Return which people have each sequence; nothing if each is a person of its own."""
    nothing = np.empty(0, np.int64)
    if people.whose is None:
        return Whose(nothing, nothing, wanted[:0], np.empty((3, 0), np.int64), nothing)
    offsets = offsets_of(np.bincount(people.whose.sequences, minlength=people.counts.size))
    seen = np.zeros((3, int(people.whose.people.max(initial=-1)) + 1), np.int64)
    return Whose(people.whose.people, offsets, wanted, seen, np.zeros(1, np.int64))


def wanted_sequences(people: People, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which sequences somebody has who is measured; those of a release are not."""
    if people.whose is None:
        return wanted
    is_original = ~people.is_release[people.whose.sequences]
    sequences, those = people.whose.sequences[is_original], people.whose.people[is_original]
    return np.bincount(sequences[wanted[those]], minlength=people.counts.size) > 0
