"""What original and release say besides the sequences, and what of it fits; no operation uses this."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import ORIGINAL, RELEASED
from pdseqpriv.errors import refusal, said_of, wrong_parameter
from pdseqpriv.parameters import KEPT
from pdseqpriv.sequences.kept_values import of_several_values, problem_of_kept_values
from pdseqpriv.sequences.ragged import Flags, Ints, distinct
from pdseqpriv.sequences.rules import Problem
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.of_kept_columns import taxonomies_to_keep
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# What a column says: nothing, if it is null; or a name that its taxonomy does not have.
_NULL, _UNKNOWN = -1, -2


class Told(NamedTuple):
    """What each row of both tables says, as the number of a combination of values.

    A combination is a row of ``values``, a number for each column. ``parents`` has what is above each number
    of a column that has a taxonomy, None for the others. ``is_whole``: null must be what the person has, but
    for a combination of nothing but nulls, which says nothing. Otherwise any null says nothing.
    """

    original: Ints
    released: Ints
    values: Ints
    parents: list[Ints | None]
    is_whole: bool

    def fitting(self, number: int) -> Flags:
        """Return which combinations fit what is told: they say the same, or something below it."""
        told = self.values[number]
        if self.is_whole and (told != _NULL).any():
            same: Flags = np.arange(len(self.values)) == number
            return same
        fits: Flags = np.ones(len(self.values), np.bool_)
        for place in np.flatnonzero(told != _NULL):
            fits &= _is_below(self.values[:, place], told[place], self.parents[place])
        return fits


def _is_below(values: Ints, told: int, parents: Ints | None) -> Flags:
    """Return which values are what is told, or are below it."""
    at = values
    found: Flags = values == told
    while parents is not None and (at > 0).any():
        at = np.where(at > 0, parents[at], at)
        found |= at == told
    return found


def read_told(
    keep: object, frames: tuple[pd.DataFrame, pd.DataFrame], with_role: Collection[Hashable]
) -> Told:
    """Return what the kept columns of original and release say, row by row; none of them has a role."""
    taxonomies = taxonomies_to_keep(keep)
    for which, frame in zip((ORIGINAL, RELEASED), frames, strict=True):
        for name in taxonomies:
            problem = _problem_of(name, frame, with_role)
            if problem is not None:
                raise said_of(which, problem)
    values, numbers = np.unique(
        np.stack([_numbers_of(name, frames, taxonomy) for name, taxonomy in taxonomies.items()], axis=1),
        axis=0,
        return_inverse=True,
    )
    before, after = np.split(numbers.reshape(-1), [len(frames[0])])
    parents = [None if one is None else one.parents.astype(np.int64) for one in taxonomies.values()]
    return Told(before, after, values, parents, not isinstance(keep, Mapping))


def _problem_of(name: Hashable, frame: pd.DataFrame, with_role: Collection[Hashable]) -> Problem:
    if name in with_role:
        return wrong_parameter("keep", KEPT, f"{name!r}, which has a role of its own")
    if list(frame.columns).count(name) != 1:
        there = ", ".join(map(repr, frame.columns))
        return wrong_parameter("keep", "columns of both tables", f"{name!r}", f"The columns are: {there}.")
    return problem_of_kept_values(frame[name])


def _numbers_of(name: Hashable, frames: tuple[pd.DataFrame, pd.DataFrame], taxonomy: Taxonomy | None) -> Ints:
    """Number the values of a column in both tables: by their places in the taxonomy, if there is one."""
    values = pd.concat([frame[name].astype(object) for frame in frames], ignore_index=True)
    codes, different = pd.factorize(values, use_na_sentinel=True)
    numbers: Ints = codes.astype(np.int64)
    if taxonomy is None:
        return numbers
    places = np.append(taxonomy.find(pd.Index(different)), _NULL)
    of_original = distinct(numbers[: len(frames[0])])
    missing = int((places[of_original[of_original >= 0]] < 0).sum())
    if missing:
        have = "value" if missing == 1 else "values"
        raise said_of(ORIGINAL, refusal(f"the taxonomy of column {name!r} lacks {missing} {have}. Add them."))
    places[:-1][places[:-1] < 0] = _UNKNOWN
    return places[numbers]


def one_for_each(numbers: Ints, sequences: Sequences, which: str) -> Ints:
    """Return the one number of each sequence; the same for all sequences of a person, who are known."""
    ordered = numbers[sequences.rows]
    people = sequences.whose
    owners = people[sequences.owners]
    first = np.zeros(people.max(initial=-1) + 1, np.int64)
    first[owners[::-1]] = ordered[::-1]
    varying = distinct(owners[ordered != first[owners]]).size
    if varying:
        noun = "sequence" if sequences.people is None else "person"
        raise said_of(which, of_several_values(varying, noun))
    return first[people]
