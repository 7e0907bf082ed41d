"""Records of tables that cannot carry one: a DataFrame of Polars has no place for notes.

This process remembers them by the content of the rows, and a table with the same rows gets its record back.
Rows that were changed since, and those that another process made, have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdseqpriv.sequences.content import seal_of_arrow
from pdseqpriv.sequences.named_events import note_names
from pdseqpriv.sequences.record import attach, claims_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from pdseqpriv.sequences.record import Record

_by_rows: dict[int, Record] = {}
# A process that runs for months must not remember everything.
_MOST = 1000


def remember(table: pa.Table, record: Record) -> None:
    """Remember the record of a table."""
    if record["applied"]:
        rows = seal_of_arrow(table)
        _by_rows.pop(rows, None)
        _by_rows[rows] = record
    while len(_by_rows) > _MOST:
        _by_rows.pop(next(iter(_by_rows)))


def recall(table: pa.Table, frame: pd.DataFrame) -> None:
    """Give a frame the record of the last table with its rows, if there was one."""
    record = _by_rows.get(seal_of_arrow(table)) if _by_rows else None
    if record is not None:
        attach(frame, record)
        note_names(claims_of(frame).get("seal"), (), record["seal"])
