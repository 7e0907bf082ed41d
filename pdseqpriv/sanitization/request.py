"""What a caller of ``sanitize`` asks for, checked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import pandas as pd

from pdseqpriv.errors import warn, wrong_parameter
from pdseqpriv.exact import round_up
from pdseqpriv.parameters import list_of_events, one_of, share, whole_number
from pdseqpriv.sanitization.kernels.build import Terms
from pdseqpriv.sequences.events import find_events

Scope = Literal["sequence", "table"]
Method = Literal["joint", "essa"]
_COMPANY = 2


@dataclass(frozen=True)
class Request:
    """The parameters of one call."""

    delta: Fraction
    events: pd.Index
    scope: Scope
    method: Method
    alphabet: pd.Index
    camouflage: int

    def terms(self, vocabulary: pd.Index, n_rows: int) -> Terms:
        """Say it in the numbers of one table, whose prefixes have at most ``n_rows`` rows."""
        codes = find_events(self.events, vocabulary)
        missing = int((codes < 0).sum())
        if missing:
            warn(f"{missing} of {len(codes)} events do not occur in the table. Check their spelling.")
        codes = pd.unique(codes[codes >= 0])  # "7" and 7 are one event
        if self.method == "joint":  # the order of the caller must not matter
            codes = np.sort(codes)
        rank = np.full(len(vocabulary), -1, np.int64)
        rank[codes] = np.arange(codes.size)
        wider = int((find_events(self.alphabet, vocabulary) < 0).sum())
        delta = round_up(self.delta, max(1, n_rows))
        return Terms(rank, len(vocabulary) + wider, delta.numerator, delta.denominator, self.camouflage)


def read_request(
    delta: object, *, events: object, scope: object, method: object, alphabet: object, camouflage: object
) -> Request:
    """Check the parameters of a call."""
    chosen = list_of_events("events", events)
    if not len(chosen):
        do = "Name the events that must not be frequent."
        raise wrong_parameter("events", "a list of at least one event", "an empty one", do)
    one_of("scope", scope, get_args(Scope))
    one_of("method", method, get_args(Method))
    return Request(
        share("delta", delta),
        chosen,
        scope,  # type: ignore[arg-type]
        method,  # type: ignore[arg-type]
        list_of_events("alphabet", [] if alphabet is None else alphabet),
        read_camouflage(camouflage),
    )


def read_camouflage(value: object) -> int:
    """Take None, or with how many events in all a sensitive one is to be confused."""
    if value is None:
        return 0
    return whole_number("camouflage", value, least=_COMPANY)
