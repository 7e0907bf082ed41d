"""An original and its release: whether they look like it, and their names."""

from __future__ import annotations

from dataclasses import replace

from pdseqpriv.engines.engine import BoundTable, Table, bind, read
from pdseqpriv.errors import speaking_of, warn
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import record_of
from pdseqpriv.sequences.sequences import Sequences

# Which of two tables an error is about; stands behind the name of the function.
ORIGINAL = "in the original"
RELEASED = "in the release"


def bind_both(original: Table, released: Table) -> tuple[BoundTable, BoundTable]:
    """Bind both; a release has the column names of its original where it does not have the usual ones."""
    with speaking_of(ORIGINAL):
        before = bind(original)
    with speaking_of(RELEASED):
        after = bind(released)
    there, usual = set(after.frame.columns), Columns()
    if after.columns != usual or there >= set(usual.names) or not there >= set(before.columns.names):
        return before, after
    return before, replace(after, columns=before.columns)


def read_both(original: Table, released: Table) -> tuple[Sequences, Sequences]:
    """Check both tables and give their sequences; an error says in which of them something is wrong."""
    before, after = bind_both(original, released)
    with speaking_of(ORIGINAL):
        first = read(before)
    with speaking_of(RELEASED):
        return first, read(after)


def warn_if_swapped(original: Table, released: Table) -> None:
    """Warn where the original is the result of an operation that the release has not gone through, too."""
    before, after = (record_of(bind(table).frame)["applied"] for table in (original, released))
    if before and (len(after) <= len(before) or after[: len(before)] != before):
        message = (
            f"the original itself is the result of {before[-1]['operation']}, and the release "
            "was not made from it. Was a release given as the original, or were the tables swapped?"
        )
        warn(message)
