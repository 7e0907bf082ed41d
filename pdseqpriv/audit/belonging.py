"""Which sequences are whose, where people have several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.linkage import DROPPED
from pdseqpriv.sequences.ragged import Ints, distinct
from pdseqpriv.sequences.sequences import Sequences


class Belonging(NamedTuple):
    """Pairs of a sequence and a person who has it; people are numbered, those of the original first."""

    sequences: Ints
    people: Ints
    n_people: int

    def renumbered(self, numbers: Ints) -> Belonging:
        """Give sequences other numbers, equal ones the same; a person has each once, and they are sorted."""
        pairs = distinct(numbers[self.sequences] * self.n_people + self.people)
        return Belonging(*np.divmod(pairs, max(1, self.n_people)), self.n_people)


def belonging_of(original: Sequences) -> Belonging | None:
    """Say whose the sequences of a table are; None if each is a person of its own."""
    if original.people is None:
        return None
    return Belonging(np.arange(original.n_sequences), original.people, original.n_people)


def belonging_of_records(original: Sequences, released: Sequences, own: Ints) -> Belonging:
    """Say whose the records of a release are, given which one each sequence of the original has.

    Records that are nobody's are those of people who are not in the original.
    """
    there = np.flatnonzero(own != DROPPED)
    nobodys = np.setdiff1d(np.arange(released.n_sequences), own[there])
    others = original.n_people + np.arange(nobodys.size)
    return Belonging(
        np.concatenate((own[there], nobodys)),
        np.concatenate((original.whose[there], others)),
        original.n_people + nobodys.size,
    )
