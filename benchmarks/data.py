"""The tables: real ones, or generated ones of about their size where the data folder is absent."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import pdseqpriv

DATA = Path(os.environ.get("PDSEQPRIV_DATA", Path(__file__).parents[2] / "shared" / "data"))

# Sequences, distinct events and mean length of what stands in for a table.
LIKE = {
    "msnbc": (989_818, 17, 4.75),
    "sign": (730, 267, 8.0),
    "leviathan": (5_834, 1_000, 8.0),
    "bmswebview1": (59_601, 497, 2.5),
    "kosarak10k": (10_000, 2_000, 8.0),
    "quest_itemsets": (10_000, 907, 8.0),
}
LOGS = {"sepsis": 1_050, "bpic2012": 13_087}
PAGES = [
    "frontpage",
    "news",
    "tech",
    "local",
    "opinion",
    "on-air",
    "misc",
    "weather",
    "msn-news",
    "health",
    "living",
    "business",
    "msn-sports",
    "sports",
    "summary",
    "bbs",
    "travel",
]
stand_ins: set[str] = set()  # which tables this process made up


class SkippedError(Exception):
    """What is needed is not there; the text says what."""


@cache
def needed(name: str) -> pd.DataFrame:
    """Read a real table; where it is absent, nothing can stand in for it."""
    path = DATA / f"{name}.parquet"
    if not path.exists():
        raise SkippedError(f"the real table {name} is absent")
    return pdseqpriv.read_parquet(path)


def real(name: str) -> pd.DataFrame | None:
    """Read a real table, or give None where it is absent and a generated one is to stand in."""
    try:
        return needed(name)
    except SkippedError:
        stand_ins.add(name)
        return None


def table(name: str) -> pd.DataFrame:
    """Read a real table, or make one of about its size."""
    frame = real(name)
    if frame is None and name in LOGS:
        return plain(pdseqpriv.datasets.make_event_log(LOGS[name], seed=0))
    if frame is None:
        sequences, pages, length = LIKE[name]
        frame = plain(
            pdseqpriv.datasets.make_clickstream(sequences, n_pages=pages, mean_length=length, seed=0)
        )
        if name == "quest_itemsets":
            frame["time"] //= 2
        if name == "msnbc":  # the patterns that are hidden are about its pages
            frame["event"] = frame["event"].map(
                dict(zip(frame["event"].value_counts().index, PAGES, strict=True))
            )
    return frame


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the three columns with positions for times, so that no two events are simultaneous."""
    frame = frame[["seq_id", "event", "time"]].sort_values(
        ["seq_id", "time"], kind="stable", ignore_index=True
    )
    return frame.assign(time=frame.groupby("seq_id").cumcount())


def msnbc() -> pd.DataFrame:
    """Return the msnbc table, or a generated one of the same size and alphabet."""
    return table("msnbc")


def msnbc_5_to_25() -> pd.DataFrame:
    """Return the sequences of 5 to 25 events, as in the k-anonymity paper."""
    frame = msnbc()
    return frame[frame.groupby("seq_id")["event"].transform("size").between(5, 25)]


def first_sequences(frame: pd.DataFrame, n_sequences: int) -> pd.DataFrame:
    """Return the sequences with the lowest ids."""
    chosen = np.sort(frame["seq_id"].unique())[:n_sequences]
    return frame[frame["seq_id"] <= chosen[-1]]


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in random order, with the index that this leaves."""
    return frame.iloc[np.random.default_rng(0).permutation(len(frame))]


def visits(n_sequences: int, n_pages: int = 200) -> pd.DataFrame:
    """Make visits to a site."""
    return pdseqpriv.datasets.make_clickstream(n_sequences, n_pages=n_pages, seed=0)
