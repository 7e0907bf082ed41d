"""Frames to arrays, description, risk."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Target, in_units, msnbc, shuffled
from pdseqpriv.table.columns import Columns
from pdseqpriv.table.sequences import Sequences, sequences_of

ROWS, SEQUENCES, PAGES = 5_000_000, 500_000, 1_000
MILLION = {"make_clickstream": 125_000, "make_trajectories": 59_000, "make_event_log": 126_000}  # sequences
ALLOWED_MB = 3 * 3 * 8 * ROWS / 1e6  # three times the three columns as int64


def five_million(*, text_ids: bool = False) -> pd.DataFrame:
    """Make 5 million shuffled rows of 500,000 sequences with text events."""
    rng = np.random.default_rng(0)
    ids = pd.Series(rng.integers(0, SEQUENCES, ROWS))
    pages = pd.Series([f"page{i}" for i in range(PAGES)], dtype="str")
    if text_ids:
        ids = pd.Series([f"user{i}" for i in range(SEQUENCES)], dtype="str").take(ids).reset_index(drop=True)
    events = pages.take(rng.integers(0, PAGES, ROWS)).reset_index(drop=True)
    return pd.DataFrame({"seq_id": ids, "event": events, "time": rng.integers(0, 10**9, ROWS)})


def in_order() -> pd.DataFrame:
    """Give the same rows sorted."""
    return five_million().sort_values(["seq_id", "time"], ignore_index=True)


def arrays(frame: pd.DataFrame) -> Sequences:
    """Turn the frame into arrays."""
    return sequences_of(frame, Columns(), "benchmark")


def pandas_sort(frame: pd.DataFrame) -> pd.DataFrame:
    """Do what a pandas user would."""
    return frame.sort_values(["seq_id", "time"])


CASES = [
    Case("pandas sort, 5M shuffled", five_million, pandas_sort),
    Case(
        "arrays, 5M shuffled", five_million, arrays, Target(0.5, ("pandas sort, 5M shuffled",)), 3, ALLOWED_MB
    ),
    Case("pandas sort, 5M shuffled, text ids", lambda: five_million(text_ids=True), pandas_sort),
    Case(
        "arrays, 5M shuffled, text ids",
        lambda: five_million(text_ids=True),
        arrays,
        Target(0.5, ("pandas sort, 5M shuffled, text ids",)),
        memory_target=ALLOWED_MB,
    ),
    Case("pandas sort, 5M in order", in_order, pandas_sort),
    Case("arrays, 5M in order", in_order, arrays, Target(0.2, ("pandas sort, 5M in order",)), 3, ALLOWED_MB),
    *(
        Case(f"{maker}, about a million rows", partial(int, size), getattr(pdseqpriv.datasets, maker))
        for maker, size in MILLION.items()
    ),
    Case("describe, msnbc", lambda: shuffled(msnbc()), lambda df: df.seqpriv.describe()),
    Case("risk(known=2), msnbc", lambda: shuffled(msnbc()), lambda df: df.seqpriv.risk(2), in_units(10)),
]
