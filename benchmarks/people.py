"""Counting people instead of sequences, on msnbc with people made by pairing visitors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown, Target
from benchmarks.data import msnbc
from benchmarks.hide import PATTERNS

Operation = Callable[[Any], pd.DataFrame]
SUPPORT = 14_848  # 1.5 % of the visits
LEFT = 1_000
SENSITIVE: dict[str, Any] = {"delta": 0.3, "events": ["health", "news"]}


def in_pairs() -> pd.DataFrame:
    """Return msnbc with people: every two visitors, drawn at random, are one."""
    frame = msnbc()
    number, ids = pd.factorize(frame["seq_id"], sort=True)
    return frame.assign(person=np.random.default_rng(0).permutation(len(ids))[number] // 2)


def mine(table: Any) -> pd.DataFrame:  # noqa: ANN401 (a frame, or one with names)
    """Find what is frequent."""
    return pdseqpriv.mine(table, SUPPORT)


def hide(table: Any) -> pd.DataFrame:  # noqa: ANN401 (a frame, or one with names)
    """Leave two patterns to some, and hide them in all others."""
    return pdseqpriv.hide(table, PATTERNS, max_support=LEFT)


def sanitize(table: Any) -> pd.DataFrame:  # noqa: ANN401 (a frame, or one with names)
    """Delete what is too frequent in all visits of a person."""
    return pdseqpriv.sanitize(table, **SENSITIVE, scope="person")


def still_there(frame: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Return what the independent checks find, counting people."""
    named = frame.seqpriv.using(person="person")
    verify, step = pdseqpriv.verify, released.attrs["pdseqpriv"]["applied"][-1]["operation"]
    if step == "hide":
        verdict = verify.is_hidden(released, PATTERNS, LEFT, original=named)
    else:
        verdict = verify.is_sanitized(released, **SENSITIVE, scope="person", original=named)
    return {"violations": int(verdict.violations)}


def as_sequences(frame: pd.DataFrame) -> pd.DataFrame:
    """Delete what is too frequent where each person's visits are written as one sequence."""
    return pdseqpriv.sanitize(frame.assign(seq_id=frame["person"]), **SENSITIVE)


def pair_of(operation: Operation, alone: Operation, *, is_checked: bool) -> list[Case]:
    """Measure an operation on sequences, and on people."""
    name = f"{operation.__name__}, msnbc in pairs"
    checks = (Shown("violations", "exactly", 0),) if is_checked else ()
    return [
        Case(f"{name}, sequences counted", in_pairs, alone),
        Case(
            f"{name}, people counted",
            in_pairs,
            lambda df: operation(df.seqpriv.using(person="person")),
            (Target(1.5, (f"{name}, sequences counted",)), *checks),
            facts=still_there if is_checked else None,
        ),
    ]


# Pooled visits are another problem than single ones, so sanitize is held against people of one sequence each.
CASES = [
    *pair_of(mine, mine, is_checked=False),
    *pair_of(hide, hide, is_checked=True),
    *pair_of(sanitize, as_sequences, is_checked=True),
]
