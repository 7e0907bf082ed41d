"""Gaps and windows measured on a time column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdseqpriv.errors import wrong_parameter
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import Gap, Span
from pdseqpriv.sequences.times import TICKS, Times

_LONGEST = 2**63 - 1
# More than decimals lose, relative to their size, when they become floats and are subtracted.
_ROUNDING = 2.0**-51


@dataclass(frozen=True)
class Clock:
    """The unit and number type of a time column."""

    unit: str | None
    dtype: np.dtype[np.int64] | np.dtype[np.float64]

    @property
    def longest(self) -> float:
        """A span that no two times exceed."""
        return np.inf if self.dtype.kind == "f" else _LONGEST

    def shortest_allowed(self, span: Span | None) -> float:
        """The least difference between two times that are at least the span apart."""
        return 0 if span is None or not span.by_time else self._measure(span, up=True)

    def longest_allowed(self, span: Span | None) -> float:
        """The largest difference between two times that are at most the span apart."""
        return self.longest if span is None or not span.by_time else self._measure(span, up=False)

    def _measure(self, span: Span, *, up: bool) -> float:
        """Convert a span; where times are whole numbers, round it so that it still means the same."""
        if isinstance(span.value, pd.Timedelta):
            size = TICKS["ns"] // TICKS[str(self.unit)]
            return int(span.value.value + (size - 1 if up else 0)) // size
        if self.dtype.kind == "f":
            return float(span.value)
        return min(math.ceil(span.value) if up else math.floor(span.value), _LONGEST)


def clock_of(sequences: Sequences) -> Clock:
    """Return the clock of a table."""
    return Clock(sequences.time_unit, sequences.times.dtype)


def rounded_times(times: Times) -> tuple[Times, Times]:
    """Return times rounded down and up by what decimals may lose as floats; whole numbers stay as they are.

    A gap is measured from the later edge of its first time to the earlier edge of its last one if it must not
    be too long, and the other way round if it must not be too short: one that is exactly as long as allowed
    is allowed, so 0.1 and 0.4 are at most 0.3 apart, and at least. What might be a match is one.

    Examples
    --------
    >>> down, up = rounded_times(np.array([0.1, 0.4]))
    >>> bool(0.4 - 0.1 <= 0.3), bool(down[1] - up[0] <= 0.3)
    (False, True)
    """
    if times.dtype.kind != "f":
        return times, times
    error = np.copysign(_ROUNDING, times)
    with np.errstate(over="ignore"):  # beyond the largest float there is infinity, which is safe
        return times * (1 - error), times * (1 + error)


def time_bounds(gaps: Sequence[Gap], sequences: Sequences) -> Times:
    """Return the shortest and longest time that each gap allows, in the units of a table's time column.

    They are for times as ``rounded_times`` gives them.
    """
    clock = clock_of(sequences)
    for bound in (bound for gap in gaps for bound in (gap.least, gap.most)):
        _check_unit(bound, clock)
    bounds = [(clock.shortest_allowed(gap.least), clock.longest_allowed(gap.most)) for gap in gaps]
    limits: Times = np.array(bounds, clock.dtype).reshape(-1, 2)  # type: ignore[assignment]
    down, up = rounded_times(limits)
    return np.stack((down[:, 0], up[:, 1]), axis=1)  # type: ignore[return-value]


def _check_unit(bound: Span | None, clock: Clock) -> None:
    """Raise for a span that cannot be measured on the time column."""
    if bound is None or not bound.by_time:
        return
    if bound.kind == "timedelta" and clock.unit is None:
        must = "counts of elements, or numbers with gap_unit='time'"
        came = "a time span, but the time column holds plain numbers"
        raise wrong_parameter("gaps and windows", must, came)
    if bound.kind == "number" and clock.unit is not None:
        must = "counts of elements, or time spans such as '30min', because time is a datetime"
        raise wrong_parameter("gaps and windows", must, "a number with gap_unit='time'")
