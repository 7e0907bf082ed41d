"""Warn about names that a check does not find in the table."""

from __future__ import annotations

from pdseqpriv.errors import warn
from pdseqpriv.sequences.record import Record

# Counts in a step that say that events were removed from the table.
_GONE = ("events_marked", "events_replaced", "events_deleted", "rows_dropped", "sequences_dropped")


def warn_of_absent(absent: str, record: Record) -> None:
    """Warn of names that may be misspelt, unless the record says that events were removed."""
    steps = [step["counts"] for step in record["applied"]]
    if not any(counts.get(name) for counts in steps for name in _GONE):
        message = f"{absent}. Check their spelling: an event that is not there cannot be frequent."
        warn(message)
