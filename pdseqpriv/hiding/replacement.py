"""Events that replace marks (stage two of the paper)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Digits
from pdseqpriv.sequences.encoding import Codes
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.sequences.sequences import Sequences


def draw_events(seeds: Digits, owner: Ints, frequencies: Ints, named: Flags) -> Codes:
    """Draw an event per mark, by its frequency in the table, if possible one that no pattern names.

    ``owner`` says which seed each mark draws from; marks of one owner are next to each other.
    """
    others = np.where(named, 0, frequencies)
    limits = np.cumsum(others if others.any() else frequencies).astype(np.float64)
    chance = _mixed(seeds[owner] + _numbers(owner)) / 2.0**64
    drawn = np.searchsorted(limits, chance * limits[-1], side="right")
    return np.asarray(drawn.clip(max=limits.size - 1), np.int32)


def _numbers(owner: Ints) -> Digits:
    """Number the marks of each sequence."""
    place = np.arange(owner.size)
    begins = np.append(True, owner[1:] != owner[:-1])[: owner.size]
    return (place - np.maximum.accumulate(np.where(begins, place, 0))).astype(np.uint64)


def _mixed(numbers: Digits) -> Digits:
    """Mix 64-bit numbers well (splitmix64)."""
    z = numbers * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def write_events(
    released: pd.DataFrame, frame: pd.DataFrame, sequences: Sequences, places: Ints, values: pd.Index
) -> pd.DataFrame:
    """Put events into a release; if no null is left, the column gets its old dtype back."""
    place = int(np.flatnonzero(frame.columns == sequences.columns.event)[0])
    column = released.iloc[:, place].copy()
    column.iloc[sequences.rows[places]] = pd.Series(values).astype(column.dtype).array
    if not column.isna().any():
        column = column.astype(frame.dtypes.iloc[place])
    released.isetitem(place, column)
    return released
