"""Read an original and its release, find out what kind of tables they are, and detect mix-ups."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal

from pdseqpriv.engines.engine import BoundTable, Table, read
from pdseqpriv.errors import refusal, speaking_of, warn
from pdseqpriv.sequences.columns import INTERVAL, PATTERNS, Columns
from pdseqpriv.sequences.record import record_of
from pdseqpriv.sequences.sequences import Sequences

# Which of two tables an error is about; comes after the name of the function.
ORIGINAL = "in the original"
RELEASED = "in the release"
_USUAL = Columns()

Kind = Literal["sequences", "generalized", "patterns"]


def kind_of_pair(original: Table, released: Table) -> Kind:
    """Tell from the columns whether the tables hold patterns, sequences, or sequences and their groups."""
    before, after = _column_names(original), _column_names(released)
    if (before >= PATTERNS) != (after >= PATTERNS):
        raise refusal("one of the tables holds patterns and the other sequences.")
    if before >= PATTERNS:
        return "patterns"
    return "generalized" if after >= INTERVAL else "sequences"


def read_both(original: Table, released: Table) -> tuple[Sequences, Sequences]:
    """Check both tables and give their sequences; an error says in which of them something is wrong."""
    with speaking_of(ORIGINAL):
        first = read(original)
    with speaking_of(RELEASED):
        return first, read(_named_like(released, first.columns))


def _named_like(released: Table, columns: Columns) -> Table:
    """Give a release the column names of its original where it does not have the usual ones."""
    is_named = isinstance(released, BoundTable) and released.columns != _USUAL
    there = _column_names(released)
    if is_named or there >= set(_USUAL.names) or not there >= set(columns.names):
        return released
    return BoundTable(_frame_of(released), columns)


def warn_if_swapped(original: Table, released: Table) -> None:
    """Warn if the original is the result of an operation that the release did not go through."""
    before, after = (record_of(_frame_of(table))["applied"] for table in (original, released))
    if before and (len(after) <= len(before) or after[: len(before)] != before):
        message = (
            f"the original itself is the result of {before[-1]['operation']}, and the release "
            "was not made from it. Was a release given as the original, or were the tables swapped?"
        )
        warn(message)


def _column_names(table: Table) -> set[Hashable]:
    return set(getattr(_frame_of(table), "columns", ()))


def _frame_of(table: Table) -> Any:  # noqa: ANN401 (whatever a user takes for a table)
    return table.frame if isinstance(table, BoundTable) else table
