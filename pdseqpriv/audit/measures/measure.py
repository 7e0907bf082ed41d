"""What a measure is, and what measures are taken of."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

import pandas as pd

from pdseqpriv.table.sequences import Sequences


class Measure(NamedTuple):
    """One row of what :func:`pdseqpriv.compare` returns."""

    measure: str
    value: float
    better: Literal["lower", "higher"]
    paper: str
    meaning: str


@dataclass(frozen=True)
class Comparison:
    """Two tables side by side."""

    original: Sequences
    released: Sequences
    scope: Literal["sequence", "table"] = "sequence"
    delta: Fraction | None = None
    events: pd.Index = field(default_factory=lambda: pd.Index([], dtype=object))
    min_support: float | None = None
