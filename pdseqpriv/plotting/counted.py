"""Frequencies of events and lengths of sequences, of sequence tables and of generalized ones."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from typing import TypeAlias

import pandas as pd

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import in_our_words, refusal
from pdseqpriv.sequences.columns import has_intervals

Frequencies: TypeAlias = "pd.Series"


def validated(table: BoundTable) -> BoundTable:
    """Return a table that fits its model."""
    from pdseqpriv.schemas import validate

    if has_intervals(table):
        validate(table.frame, "generalized", table.columns.of_release, None)
    else:
        validate(table.frame, "sequences", table.columns)
    return table


def frequencies_of(table: BoundTable) -> Frequencies:
    """Return how many rows each event has, the most frequent first; marked rows do not count."""
    with _comparing(table.columns.event):
        counts = table.frame[table.columns.event].value_counts()
        counts.index = counts.index.astype(object).map(str)  # 7 and "7" are the same event
    return counts[counts > 0].groupby(level=0, sort=True).sum().sort_values(ascending=False, kind="stable")


def lengths_of(table: BoundTable) -> pd.Series:
    """Return how many events each sequence has; marked rows do not count."""
    frame = table.frame
    with _comparing(table.columns.seq_id):
        return frame[table.columns.event].notna().groupby(frame[table.columns.seq_id], observed=True).sum()


def _comparing(column: Hashable) -> AbstractContextManager[None]:
    """Refuse text that is not Unicode, and the like, without quoting it."""
    return in_our_words(refusal(f"column {column!r} holds values that pandas cannot compare."))
