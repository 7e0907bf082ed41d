"""What the record says of a generalization: parameters that may be disclosed, and counts."""

from __future__ import annotations

import pandas as pd

from pdseqpriv.generalization.planned import Plan
from pdseqpriv.generalization.request import Request
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.sequences.record import Record, Value, record_step
from pdseqpriv.sequences.times import TICKS

_ENDLESS = 2**63


def note_step(
    released: pd.DataFrame, request: Request, plan: Plan, summary: Summary, previous: Record
) -> int:
    """Set the record of a release; return how many sequences were dropped."""
    dropped = int((plan.group < 0).sum())
    counts = _counts(summary, plan, dropped, len(released))
    record_step(released, "generalize", _parameters(request, plan, summary), counts, previous)
    return dropped


def _parameters(request: Request, plan: Plan, summary: Summary) -> dict[str, Value]:
    """Return the parameters that may be disclosed."""
    return {
        "k": request.k,
        "diversity_g": None if request.window is None else _recorded(plan.window, summary.time_unit),
        "diversity_l": None if request.one_in is None else float(request.one_in),
        "method": plan.method,
        "time_weight": request.weights.time,
        "event_weight": request.weights.event,
        **summary.columns.noted,
    }


def _recorded(window: float | None, unit: str | None) -> float | None:
    """Return g for the record, in seconds for datetimes; None if it is too long for a record."""
    told = window if window is None or unit is None else window / TICKS[unit]
    return told if told is not None and told < _ENDLESS else None


def _counts(summary: Summary, plan: Plan, dropped: int, rows: int) -> dict[str, int]:
    """Count sequences, events and groups before and after."""
    return {
        "sequences_in": summary.ids.size,
        "sequences_out": summary.ids.size - dropped,
        "sequences_dropped": dropped,
        "events_in": summary.codes.size,
        "events_out": rows,
        "rows_dropped": summary.marked,
        "groups": int(plan.group.max()) + 1,
    }
