"""Frames to arrays, generated tables, description."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Memory, Shown, Target, in_units
from benchmarks.data import msnbc, msnbc_5_to_25, shuffled
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import Sequences, sequences_of

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
    """Return the same rows sorted."""
    return five_million().sort_values(["seq_id", "time"], ignore_index=True)


def arrays(frame: pd.DataFrame) -> Sequences:
    """Turn the frame into arrays."""
    return sequences_of(frame, Columns())


def pandas_sort(frame: pd.DataFrame) -> pd.DataFrame:
    """Do what a pandas user would."""
    return frame.sort_values(["seq_id", "time"])


def beside_pandas(kind: str, prepare: Callable[[], pd.DataFrame], most: float) -> list[Case]:
    """Race against the sort of pandas."""
    theirs = f"pandas sort, {kind}"
    targets = Target(most, (theirs,)), Memory(ALLOWED_MB)
    return [Case(theirs, prepare, pandas_sort), Case(f"arrays, {kind}", prepare, arrays, targets)]


def known_counts(_: pd.DataFrame, found: pd.Series) -> dict[str, Any]:
    """Return what the k-anonymity paper says of this table; density is 1 - nodes / events."""
    events, sequences = int(found["events"]), int(found["sequences"])
    nodes = round((1 - found["density"]) * events)
    return {
        "sequences": sequences,
        "mean length, two digits": round(events / sequences, 2),
        "tree nodes": nodes,
    }


CASES = [
    *beside_pandas("5M shuffled", five_million, 0.5),
    *beside_pandas("5M shuffled, text ids", partial(five_million, text_ids=True), 0.5),
    *beside_pandas("5M in order", in_order, 0.2),
    *(
        Case(f"{maker}, about a million rows", partial(int, size), getattr(pdseqpriv.datasets, maker))
        for maker, size in MILLION.items()
    ),
    Case("describe, msnbc", lambda: shuffled(msnbc()), lambda df: df.seqpriv.describe(), (in_units(0.6),)),
    Case(
        "describe, msnbc 5 to 25",
        msnbc_5_to_25,
        lambda df: df.seqpriv.describe(),
        (
            Shown("sequences", "exactly", 286_260),
            Shown("mean length, two digits", "exactly", 9.37),
            Shown("tree nodes", "exactly", 661_875),
        ),
        facts=known_counts,
    ),
]
