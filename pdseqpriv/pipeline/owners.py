"""Whose the sequences of a table are, on its way through steps that give new ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID, Columns
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.record import hand_on


@dataclass(frozen=True, eq=False)
class Owners:
    """The ids of sequences, and the person of each."""

    ids: pd.Index
    people: pd.Series

    def bind(self, frame: pd.DataFrame, columns: Columns) -> BoundTable:
        """Give a table its column of people again, which no operation returns."""
        places = find_values(pd.Index(frame[columns.seq_id]), self.ids)
        unknown = int((places < 0).sum())
        if unknown:
            belong = "belongs to a sequence that was" if unknown == 1 else "belong to sequences that were"
            raise refusal(
                f"{counted(unknown, 'row')} of a table between two steps {belong} not there before, so it is "
                "not known whose they are. A function must not make new ids."
            )
        named = frame.copy(deep=False)
        named[columns.person] = self.people.array[places]
        hand_on(frame, named)
        return BoundTable(named, columns)


def owners_in_rows(frame: pd.DataFrame, columns: Columns) -> Owners:
    """Return the person of each sequence of a table that names them."""
    pairs = frame[[columns.seq_id, columns.person]].drop_duplicates(columns.seq_id)
    return Owners(pd.Index(pairs[columns.seq_id]), pairs[columns.person].reset_index(drop=True))


def owners_by_key(key: pd.DataFrame, columns: Columns) -> Owners:
    """Return the person of each released sequence."""
    released = key[key[RELEASED_ID].notna()]
    ids = pd.Index(released[RELEASED_ID].astype("int64"))
    return Owners(ids, released[columns.person].reset_index(drop=True))


def followed(
    key: pd.DataFrame, later: Sequence[pd.DataFrame], final: pd.Index, columns: Columns
) -> pd.DataFrame:
    """Follow a key through later ones to the ids of the final table; who is not there has none.

    The group is that of the last key, if it has any.
    """
    ids = key[RELEASED_ID]
    group = key.get(GROUP)
    for one in later:
        places = find_values(pd.Index(ids), pd.Index(one[columns.seq_id]))
        ids = _taken(one[RELEASED_ID], places)
        group = None if GROUP not in one else _taken(one[GROUP], places)
    is_gone = find_values(pd.Index(ids), final) < 0
    moved = key.drop(columns=[RELEASED_ID, GROUP], errors="ignore")
    moved[RELEASED_ID] = _without(ids, is_gone)
    if group is not None:
        moved[GROUP] = _without(group, is_gone)
    return moved


def with_all(key: pd.DataFrame, original: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Add the sequences of the original that were gone before the key was made."""
    names = [name for name in (columns.seq_id, columns.person) if name is not None]
    everybody = original[names].drop_duplicates(columns.seq_id)
    ids, named = pd.Index(everybody[columns.seq_id]), pd.Index(key[columns.seq_id])
    if (find_values(named, ids) < 0).any():
        raise refusal("a function changed the ids of sequences, so the key could not say whose they are.")
    is_missing = find_values(ids, named) < 0
    if not is_missing.any():
        return key
    missing = everybody[is_missing].reset_index(drop=True)
    for name in (one for one in (RELEASED_ID, GROUP) if one in key):
        missing[name] = pd.array([None] * len(missing), dtype="Int64")
    return pd.concat([key, missing], ignore_index=True)


def _taken(column: pd.Series, places: NDArray[np.int64]) -> pd.Series:
    return pd.Series(pd.array(column, dtype="Int64").take(places, allow_fill=True))


def _without(column: pd.Series, is_gone: NDArray[np.bool_]) -> pd.arrays.IntegerArray:
    values = pd.array(column, dtype="Int64")
    values[is_gone] = pd.NA
    return values
