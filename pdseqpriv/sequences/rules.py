"""What the columns of our tables must hold: one function per rule, which says what is wrong or None.

The models in :mod:`pdseqpriv.schemas` are made of these rules, so what is checked and how it is said in an
error cannot differ. No rule quotes a value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, wrong_column
from pdseqpriv.sequences.column_types import describe_kind, holds_names, kind_of, without_dictionary
from pdseqpriv.sequences.times import problem_of_times

Problem = SeqPrivError | None

_NAMES = "all text or all whole numbers, perhaps as categories"
_PATTERNS = "tuples of events, without nulls"


def problem_of_ids(column: pd.Series) -> Problem:
    """Ids are names, and every row has one."""
    column = without_dictionary(column)
    nulls = int(column.isna().sum())
    if not nulls or not holds_names(column):
        return problem_of_events(column)
    do = "Drop these rows or say whose they are."
    return wrong_column(column.name, "free of nulls", f"{_rows(nulls)} no sequence", do)


def problem_of_events(column: pd.Series) -> Problem:
    """Events are all text or all whole numbers; null means marked."""
    column = without_dictionary(column)
    return None if holds_names(column) else wrong_column(column.name, _NAMES, *_advice(column))


def problem_of_counts(column: pd.Series) -> Problem:
    """Counts are whole numbers of at least 0."""
    return _problem_of_numbers(column, least=0, nulls=False)


def problem_of_supports(column: pd.Series) -> Problem:
    """Supports and lengths are whole numbers of at least 1."""
    return _problem_of_numbers(column, least=1, nulls=False)


def problem_of_fresh_ids(column: pd.Series) -> Problem:
    """Fresh ids are whole numbers of at least 0; null stands for a sequence that was dropped."""
    return _problem_of_numbers(column, least=0, nulls=True)


def problem_of_patterns(column: pd.Series) -> Problem:
    """Patterns are tuples with at least one element."""
    cells = column.tolist()
    kinds = set(map(type, cells)) - {tuple}
    if kinds:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        return wrong_column(column.name, _PATTERNS, f"it holds {names}")
    empty = sum(not cell for cell in cells)
    return wrong_column(column.name, _PATTERNS, f"{_rows(empty)} none") if empty else None


def problem_of_intervals(frame: pd.DataFrame) -> Problem:
    """No interval ends before it starts."""
    try:
        n_reversed = int((frame["time_to"] < frame["time_from"]).sum())
    except TypeError:
        must, came = "of the same kind as 'time_from'", f"it holds {frame['time_to'].dtype}"
        return wrong_column("time_to", must, came)
    if not n_reversed:
        return None
    must = "at or after 'time_from' in every row"
    return wrong_column("time_to", must, f"in {counted(n_reversed, 'row')} it is not")


# The rules of single columns by the name that models and schema files use.
COLUMN_RULES: dict[str, Callable[[pd.Series], Problem]] = {
    "holds_ids": problem_of_ids,
    "holds_events": problem_of_events,
    "holds_times": problem_of_times,
    "holds_counts": problem_of_counts,
    "holds_supports": problem_of_supports,
    "holds_fresh_ids": problem_of_fresh_ids,
    "holds_patterns": problem_of_patterns,
}
TABLE_RULES: dict[str, Callable[[pd.DataFrame], Problem]] = {"holds_intervals": problem_of_intervals}


def _problem_of_numbers(column: pd.Series, *, least: int, nulls: bool) -> Problem:
    must = f"whole numbers of at least {least}{', or null' if nulls else ''}"
    missing = int(column.isna().sum())
    if missing and not nulls:
        return wrong_column(column.name, must, f"{_rows(missing)} none")
    if kind_of(column) not in ("int", "empty") and len(column):
        return wrong_column(column.name, must, describe_kind(column))
    low = int(column.dropna().lt(least).sum()) if kind_of(column) == "int" else 0
    return wrong_column(column.name, must, f"{_rows(low)} less") if low else None


def _rows(number: int) -> str:
    return f"{counted(number, 'row')} {'has' if number == 1 else 'have'}"


def _advice(column: pd.Series) -> tuple[str, str]:
    """Say what a column holds that cannot be names, and what to do."""
    nulls = int(column.isna().sum())
    if kind_of(column) == "float" and nulls:
        do = "Drop or fill these rows; then whole numbers come back with .astype('Int64')."
        return f"{nulls} of its rows are null, and its type is {column.dtype}", do
    first = column.iloc[column.notna().argmax()]
    if isinstance(first, list | tuple | set | np.ndarray):
        return "it holds lists", f"Give every event its own row: df.explode({column.name!r})."
    return describe_kind(column), "Convert it with .astype(str), or to whole numbers with .astype('Int64')."
