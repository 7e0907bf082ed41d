"""Other events in the place of marks (stage two of the paper), as long as nothing comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.hiding.matcher import Digits, Ints, Matcher
from pdseqpriv.hiding.task import Task, part_of
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.sequences import Sequences


def draw_events(sequences: Sequences, task: Task, marked: Ints, events: pd.Series) -> tuple[Ints, pd.Index]:
    """Give the places that get another event, and the events; where a pattern would come back, none does."""
    part, places = part_of(sequences, task.chosen, np.empty(0, np.int64))
    part = _recoded(part, events.index)
    here = np.flatnonzero(np.isin(places, marked))
    owner = np.searchsorted(part.offsets, here, side="right") - 1
    drawn = _draw(part.codes[here], events, task.patterns, task.seeds(1)[owner] + _numbers(owner))
    codes = part.codes.copy()
    codes[here] = drawn
    found = Matcher(replace(part, codes=codes), task.patterns).supports() & ~task.allowed
    safe = (drawn >= 0) & ~found[owner].any(axis=1)
    return places[here[safe]], events.index[drawn[safe]]


def _recoded(sequences: Sequences, vocabulary: pd.Index) -> Sequences:
    """Number events as the whole table does."""
    if sequences.vocabulary.equals(vocabulary):
        return sequences
    new = np.append(vocabulary.get_indexer(sequences.vocabulary), -1).astype(np.int32)
    return replace(sequences, codes=new[sequences.codes], vocabulary=vocabulary)


def _numbers(owner: Ints) -> Digits:
    """Number the marks of each sequence."""
    place = np.arange(owner.size)
    begins = np.append(True, owner[1:] != owner[:-1])[: owner.size]
    return (place - np.maximum.accumulate(np.where(begins, place, 0))).astype(np.uint64)


def _draw(
    old: NDArray[np.int32], events: pd.Series, patterns: Sequence[Pattern], seeds: Digits
) -> NDArray[np.int32]:
    """Draw an event per mark, as often as it is in the table, and one that no pattern names if there is any.

    -1 where it would be the old one.
    """
    weights = events.to_numpy().astype(np.float64)
    named = find_events(frozenset().union(*(pattern.events for pattern in patterns)), events.index)
    others = weights.copy()
    others[named[named >= 0]] = 0
    limits = np.cumsum(others if others.any() else weights)
    chance = _mixed(seeds) / 2.0**64
    drawn = np.searchsorted(limits, chance * limits[-1], side="right").clip(max=limits.size - 1)
    return np.where(drawn == old, -1, drawn).astype(np.int32)


def _mixed(numbers: Digits) -> Digits:
    """Mix 64-bit numbers well (splitmix64)."""
    z = numbers * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def write_events(
    released: pd.DataFrame, frame: pd.DataFrame, sequences: Sequences, places: Ints, values: pd.Index
) -> pd.DataFrame:
    """Put events into a release, whose column gets its old dtype back when no null is left."""
    place = int(np.flatnonzero(frame.columns == sequences.columns.event)[0])
    column = released.iloc[:, place].copy()
    column.iloc[sequences.rows[places]] = pd.Series(values).astype(column.dtype).array
    if not column.isna().any():
        column = column.astype(frame.dtypes.iloc[place])
    released.isetitem(place, column)
    return released
