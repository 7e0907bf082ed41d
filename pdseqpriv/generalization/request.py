"""What a caller of ``generalize`` asks for, checked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import pandas as pd

from pdseqpriv.engines.arrow import as_frames
from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.generalization.grouping.search import Weights
from pdseqpriv.parameters import LARGEST, list_of_events, number_between
from pdseqpriv.sequences.columns import GROUP, INTERVAL, RELEASED_ID, Columns
from pdseqpriv.sequences.record import Value
from pdseqpriv.sequences.span import Span
from pdseqpriv.sequences.times import TICKS

Method = Literal["auto", "baseline", "indexed", "hybrid", "hilbert", "partition"]
TimeOf = Literal["real", "since_start"]
IntervalsOf = Literal["apart", "by_category"]
# A window that is longer than any table is not in the record.
_ENDLESS = 2**63


@dataclass(frozen=True)
class Request:
    """The parameters of one call.

    ``window`` is None if g is infinite, ``one_in`` (l) is None if no diversity is asked for; ``monitored``
    and ``sensitive`` are None if the caller leaves them out, ``previous`` if there is no earlier release.
    """

    k: int | None
    window: Span | None
    one_in: Fraction | None
    monitored: pd.Index | None
    sensitive: pd.Index | None
    method: Method
    weights: Weights
    seed: int  # of the search
    with_key: bool
    previous: Sequence[pd.DataFrame] | None = None
    time: TimeOf = "real"
    intervals: IntervalsOf = "apart"

    def disclosed(self, method: str, window: float | None, time_unit: str | None) -> dict[str, Value]:
        """Return what a record may say; ``window`` is g in the table's units."""
        return {
            "k": self.k,
            "diversity_g": None if self.window is None else _recorded(window, time_unit),
            "diversity_l": None if self.one_in is None else float(self.one_in),
            "method": method,
            "time": self.time,
            "intervals": self.intervals,
            "time_weight": self.weights.time,
            "event_weight": self.weights.event,
        }


def _recorded(window: float | None, unit: str | None) -> float | None:
    """Return g for the record, in seconds for datetimes; None if it is too long for a record."""
    told = window if window is None or unit is None else window / TICKS[unit]
    return told if told is not None and told < _ENDLESS else None


def read_weights(time_weight: object, event_weight: object) -> Weights:
    """Read how much each kind of loss counts; not both may be 0."""
    must = f"a number from 0 to {LARGEST}"
    for_time = float(number_between("time_weight", time_weight, 0, LARGEST, must))
    for_event = float(number_between("event_weight", event_weight, 0, LARGEST, must))
    if not for_time + for_event > 0:
        raise wrong_parameter("time_weight", "above 0 when event_weight is 0", "0")
    return Weights(for_time, for_event)


def read_sensitive(events: object, diversity: object) -> pd.Index:
    """Read the events that diversity protects."""
    if diversity is None:
        raise refusal("sensitive names the events that diversity protects. Give diversity as well.")
    names = list_of_events("sensitive", events)
    if not len(names):
        raise wrong_parameter("sensitive", "a list of at least one event, or None", "an empty list")
    return names


def read_previous(keys: object) -> Sequence[pd.DataFrame] | None:
    """Read the keys of earlier releases; None if there are none. Each is checked beside the table's ids."""
    if keys is None or (isinstance(keys, list | tuple) and not keys):
        return None
    return as_frames(keys)  # type: ignore[no-any-return]


def check_release_names(columns: Columns, kept: list[Hashable], *, with_key: bool) -> None:
    """Refuse columns with names that the release, or its key, has for something else."""
    taken = next((name for name in (columns.seq_id, columns.event, *kept) if name in INTERVAL), None)
    if taken is None and with_key:
        of_key = (RELEASED_ID, GROUP)
        taken = next((name for name in (columns.seq_id, columns.person) if name in of_key), None)
    if taken is not None:
        raise refusal(f"the release needs the column name {taken!r}. Rename the column.")
