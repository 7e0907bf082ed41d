"""What a column must hold that is kept beside the sequences: one name for each person, or null."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from pdseqpriv.errors import wrong_column
from pdseqpriv.sequences.rules import Problem, describe_kind, holds_names, kind_of, problem_of_events

_MUST = "all text or all whole numbers, perhaps as categories"
_TO_TEXT = "Convert it with .astype(str)."
_TO_NUMBERS = (
    "Convert it to whole numbers with .astype('Int64'), or make ranges of it: pd.cut(...).astype(str)."
)


def problem_of_kept_values(column: pd.Series) -> Problem:
    """Return what is wrong with a column that is kept, or None."""
    if isinstance(column.dtype, pd.SparseDtype):
        return wrong_column(column.name, _MUST, "it is sparse", "Convert it with .sparse.to_dense().")
    if holds_names(column):
        return problem_of_events(column)  # only of its text there may be something to say
    if kind_of(column) == "float":
        return wrong_column(column.name, _MUST, describe_kind(column), _TO_NUMBERS)
    first = column.iloc[column.notna().argmax()]
    if isinstance(first, Collection) and not isinstance(first, str | bytes):
        do = "Make a name of each, for example with .map(str)."
        return wrong_column(column.name, _MUST, "it holds lists, dicts or the like", do)
    return wrong_column(column.name, _MUST, describe_kind(column), _TO_TEXT)
