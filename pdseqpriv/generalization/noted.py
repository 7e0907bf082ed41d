"""What the record says of a generalization: parameters that may be disclosed."""

from __future__ import annotations

from pdseqpriv.generalization.planned import Plan
from pdseqpriv.generalization.request import Request
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.sequences.record import Value
from pdseqpriv.sequences.times import TICKS

_ENDLESS = 2**63


def disclosed(request: Request, plan: Plan, summary: Summary) -> dict[str, Value]:
    """Return the parameters that may be disclosed."""
    return {
        "k": request.k,
        "diversity_g": None if request.window is None else _recorded(plan.window, summary.time_unit),
        "diversity_l": None if request.one_in is None else float(request.one_in),
        "method": plan.method,
        "time": request.time,
        "intervals": request.intervals,
        "time_weight": request.weights.time,
        "event_weight": request.weights.event,
        **summary.columns.noted,
    }


def _recorded(window: float | None, unit: str | None) -> float | None:
    """Return g for the record, in seconds for datetimes; None if it is too long for a record."""
    told = window if window is None or unit is None else window / TICKS[unit]
    return told if told is not None and told < _ENDLESS else None
