"""What a measurement is: how to get ready, what to time, and what to hold it against."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv

UNIT = "unit"
DATA = Path(os.environ.get("PDSEQPRIV_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True)
class Target:
    """At most ``factor`` times what the quickest of ``of`` took in the same run."""

    factor: float
    of: tuple[str, ...]

    def __str__(self) -> str:
        quickest = self.of[0] if len(self.of) == 1 else f"the best of {', '.join(self.of)}"
        return f"at most {self.factor:g} x {quickest}"


@dataclass(frozen=True)
class Case:
    """One row of the results."""

    name: str
    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    target: Target | None = None
    repeats: int = 3
    memory_target: float | None = None  # MB above what was there before
    reported: Callable[[Any], float] | None = (
        None  # seconds that the answer tells, where a start does not count
    )


def in_units(factor: float) -> Target:
    """Hold a case against sorting the shuffled msnbc table with pandas."""
    return Target(factor, (UNIT,))


@cache
def real(name: str) -> pd.DataFrame | None:
    """Read a real table, or give None where the data folder is absent."""
    path = DATA / f"{name}.parquet"
    return pdseqpriv.read_parquet(path) if path.exists() else None


def msnbc() -> pd.DataFrame:
    """Give the msnbc table, or a generated one of the same size and alphabet."""
    frame = real("msnbc")
    if frame is None:
        frame = pdseqpriv.datasets.make_clickstream(989_818, n_pages=17, mean_length=4.75, seed=0)
        frame = frame.assign(time=frame.groupby("seq_id").cumcount())
    return frame


def msnbc_5_to_25() -> pd.DataFrame:
    """Give the sequences of 5 to 25 events, as in the k-anonymity paper."""
    frame = msnbc()
    return frame[frame.groupby("seq_id")["event"].transform("size").between(5, 25)]


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the rows in random order, with the index that this leaves."""
    return frame.iloc[np.random.default_rng(0).permutation(len(frame))]


UNIT_CASE = Case(UNIT, lambda: shuffled(msnbc()), lambda df: df.sort_values(["seq_id", "time"]))
