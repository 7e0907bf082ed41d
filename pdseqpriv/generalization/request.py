"""What a caller of ``generalize`` asks for, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError, refusal, wrong_parameter
from pdseqpriv.generalization.people import Privacy, Weights
from pdseqpriv.parameters import (
    LARGEST,
    SMALLEST_K,
    diversity_pair,
    list_of_events,
    number_between,
    one_of,
    whole_number,
)
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.span import Span, span

Method = Literal["auto", "baseline", "indexed", "hybrid", "hilbert", "partition"]

_ENDLESS = 2**63
_LENGTH_MUST = "a pair (g, l) whose g is {kind} of at least 0, or float('inf')"
_SECONDS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True)
class Request:
    """The parameters of one call.

    ``window`` is None when g is infinite, ``certainty`` is None when no diversity is asked; ``monitored`` and
    ``sensitive`` are None where the caller leaves them open.
    """

    k: int | None
    window: Span | None
    certainty: Fraction | None
    monitored: pd.Index | None
    sensitive: pd.Index | None
    method: Method
    time_weight: float
    event_weight: float
    seed: int

    @property
    def weights(self) -> Weights:
        """The weights on a scale where nothing overflows."""
        larger = max(self.time_weight, self.event_weight)
        return Weights(self.time_weight / larger, self.event_weight / larger)

    def privacy(self, clock: Clock) -> Privacy:
        """Say it in the numbers of one table's times."""
        k = 1 if self.k is None else self.k
        return Privacy(k) if self.certainty is None else Privacy(k, self._length(clock), self.certainty)

    def recorded_window(self, clock: Clock) -> float | None:
        """Give g as it may be told: datetimes in seconds, None when it is infinite or not asked."""
        if self.certainty is None or self.window is None:
            return None
        length = self._length(clock)
        told = length if clock.unit is None else length / _SECONDS[clock.unit]
        return told if told < _ENDLESS else None

    def _length(self, clock: Clock) -> float:
        if self.window is None:
            return clock.longest
        fits = "number" if clock.unit is None else "timedelta"
        if self.window.kind != fits:
            is_number = clock.unit is None
            kind = "a number" if is_number else "a time span such as '30min' or a Timedelta"
            came = "a time span while time is a number" if is_number else "a number while time is a datetime"
            raise wrong_parameter("diversity", _LENGTH_MUST.format(kind=kind), came)
        if isinstance(self.window.value, int) and clock.dtype.kind == "f":
            return self.window.value  # as a float it might be shorter than asked
        return clock.longest_allowed(self.window)


def read_request(
    *,
    k: object,
    diversity: object,
    monitored: object,
    sensitive: object,
    method: object,
    time_weight: object,
    event_weight: object,
    seed: object,
) -> Request:
    """Check the parameters of a call."""
    if k is None and diversity is None:
        raise refusal("give k, diversity or both: without them nothing is protected.")
    window, certainty = (None, None)
    if diversity is not None:
        length, certainty = diversity_pair(diversity)
        window = _read_length(length)
    if sensitive is not None and diversity is None:
        raise refusal("sensitive says which events diversity protects. Give diversity too.")
    one_of("method", method, get_args(Method))
    for_time, for_event = _read_weight(time_weight, "time_weight"), _read_weight(event_weight, "event_weight")
    if not for_time + for_event > 0:
        raise wrong_parameter("time_weight", "above 0 when event_weight is 0", "0")
    return Request(
        None if k is None else whole_number("k", k, least=SMALLEST_K),
        window,
        certainty,
        None if monitored is None else list_of_events("monitored", monitored),
        _read_sensitive(sensitive),
        method,  # type: ignore[arg-type]
        for_time,
        for_event,
        whole_number("seed", seed, least=0),
    )


def _read_length(length: object) -> Span | None:
    if isinstance(length, float | np.floating) and length == math.inf:
        return None
    try:
        read = span(length, "time", "diversity")
    except SeqPrivError:
        read = None
    if read is None or not read.by_time:
        kind = "a number, or for datetimes a time span such as '30min',"
        is_short = isinstance(length, int | float) and abs(length) < _ENDLESS
        came = repr(length) if is_short else f"another {type(length).__name__}"
        raise wrong_parameter("diversity", _LENGTH_MUST.format(kind=kind), came) from None
    return read


def _read_weight(value: object, parameter: str) -> float:
    must = f"a number from 0 to {LARGEST}"
    return float(number_between(parameter, value, 0, LARGEST, must))


def _read_sensitive(events: object) -> pd.Index | None:
    names = None if events is None else list_of_events("sensitive", events)
    if names is not None and not len(names):
        raise wrong_parameter("sensitive", "a list of at least one event, or None", "an empty list")
    return names
