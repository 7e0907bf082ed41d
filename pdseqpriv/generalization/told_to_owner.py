"""What ``generalize`` tells the owner beside the release."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from pdseqpriv.errors import counted, warn
from pdseqpriv.generalization.plan import Plan
from pdseqpriv.generalization.request import Request
from pdseqpriv.sequences.other_columns import warn_of_dropped_columns

# If more than half of the intervals are of the root, receivers learn of most events only that something
# happened. In small tables that may be chance.
_TOO_MANY = 0.5
_FEWEST = 100


def warn_of_losses(others: list[Hashable], plan: Plan, request: Request) -> None:
    """Warn of columns and sequences that are dropped, and of intervals that say too little."""
    if others:
        warn_of_dropped_columns(others)
    _warn_of_dropped_sequences(int((plan.group < 0).sum()), request)
    _warn_of_root(plan, request)


def _warn_of_dropped_sequences(dropped: int, request: Request) -> None:
    if dropped and request.previous is not None:
        # A number below k would say of how many people the earlier releases said too much.
        told = counted(dropped, "sequence") if dropped >= max(2, request.k or 0) else "some sequences"
        warn(f"dropped {told}: too few others were together with them in all earlier releases.")
    elif dropped:
        warn(
            f"dropped {counted(dropped, 'sequence')} without a monitored event: too few or too similar to "
            "form a group of their own."
        )


def _warn_of_root(plan: Plan, request: Request) -> None:
    """Warn if most rows of monitored events have the category of all events."""
    members = np.bincount(plan.group[plan.group >= 0], minlength=int(plan.group.max(initial=-1)) + 1)
    rows = members[plan.intervals.group]
    total, empty = int(rows.sum()), int(rows[plan.intervals.node == 0].sum())
    if total < _FEWEST or empty <= _TOO_MANY * total:
        return
    separated = 'intervals="by_category", ' if request.intervals == "apart" else ""
    since = 'time="since_start" if dates do not matter, ' if request.time == "real" else ""
    warn(
        f"{empty / total:.0%} of the rows for monitored events have the category of all events, which says "
        f"nothing but that something happened. Give {separated}{since}a taxonomy with categories in between, "
        "a smaller k, a higher event_weight, or fewer monitored events."
    )
