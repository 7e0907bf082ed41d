"""What a caller of ``sanitize`` asks for, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd

from pdseqpriv.errors import warn, wrong_parameter
from pdseqpriv.exact import round_up
from pdseqpriv.parameters import choices, list_of_events, share, whole_number
from pdseqpriv.sanitization.kernels.build_timeline import Requirement
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.named_events import warn_of_absent

Scope = Literal["sequence", "person", "table"]
Method = Literal["joint", "essa"]


@dataclass(frozen=True)
class Request:
    """The parameters of one call."""

    delta: Fraction
    events: pd.Index
    scope: Scope
    method: Method
    alphabet: pd.Index
    camouflage: int  # 0 for none

    def events_in(self, vocabularies: Iterable[pd.Index]) -> pd.Index:
        """Return the sensitive events that occur in any part of a table."""
        occurs = np.zeros(len(self.events), np.bool_)
        for vocabulary in vocabularies:
            occurs |= find_events(self.events, vocabulary) >= 0
        return self.events[occurs]

    def has_all(self, vocabularies: Sequence[pd.Index]) -> bool:
        """Return whether every event of a table is sensitive."""
        named = (find_events(self.events, vocabulary) for vocabulary in vocabularies)
        sizes = (np.unique(codes[codes >= 0]).size for codes in named)
        return all(size == len(vocabulary) for size, vocabulary in zip(sizes, vocabularies, strict=True))


def requirement_for(request: Request, vocabulary: pd.Index, n_rows: int) -> Requirement:
    """Express what is asked for in the codes of one table, whose prefixes have at most ``n_rows`` rows."""
    codes = find_events(request.events, vocabulary)
    warn_of_absent(request.events[codes < 0], codes.size)
    codes = pd.unique(codes[codes >= 0])  # "7" and 7 are one event
    if request.method == "joint":  # the order of the caller must not matter
        codes = np.sort(codes)
    rank = np.full(len(vocabulary), -1, np.int64)
    rank[codes] = np.arange(codes.size)
    wider = int((find_events(request.alphabet, vocabulary) < 0).sum())
    delta = round_up(request.delta, max(1, n_rows))
    alphabet = len(vocabulary) + wider
    return Requirement(rank, alphabet, delta.numerator, delta.denominator, request.camouflage)


def check_scope(scope: str, *, has_people: bool) -> None:
    """Refuse to pool people nobody named; warn where they are named and not pooled."""
    if scope == "person" and not has_people:
        do = "Say with using(person=...) whose each sequence is."
        raise wrong_parameter(
            "scope", '"sequence" or "table" for a table that names no person', '"person"', do
        )
    if scope == "sequence" and has_people:
        warn(
            "each sequence is protected on its own, but a person's sequences are not pooled: together they "
            'may show a sensitive event more often than delta. Use scope="person" to protect people.'
        )


def read_request(
    delta: object, *, events: object, scope: object, method: object, alphabet: object, camouflage: object
) -> Request:
    """Check the parameters of a call."""
    chosen = list_of_events("events", events)
    if not len(chosen):
        do = "Name the events that must not be frequent."
        raise wrong_parameter("events", "a list of at least one event", "an empty list", do)
    choices(scope=(scope, Scope), method=(method, Method))
    return Request(
        share("delta", delta),
        chosen,
        scope,  # type: ignore[arg-type]
        method,  # type: ignore[arg-type]
        list_of_events("alphabet", [] if alphabet is None else alphabet),
        0 if camouflage is None else whole_number("camouflage", camouflage, least=2),
    )
