"""How time grows: every operation at three sizes, a factor of about three apart, on generated tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Measured
from benchmarks.data import visits

SMALL = 1_000  # sequences for the first call, which loads compiled code
SIZES = (30_000, 100_000, 300_000)
LARGE = (100_000, 300_000, 1_000_000)
SHORT = (10_000, 30_000, 100_000)
SLOW = {"generalize", "sanitize, pooled"}  # every visit has a time of its own
ALLOWED = {  # the largest exponent that holds; linear growth is taken to end at 1.2
    "k_anonymize, 17 pages": 1.2,
    "k_anonymize, 200 pages": 1.2,
    "hide, by rows of msnbc": 1.2,
    "hide, by pattern length": 1.2,
}


def pages(n_sequences: int) -> pd.DataFrame:
    """Make visits to few pages."""
    return visits(n_sequences, 17)


def with_patterns(n_sequences: int) -> tuple[pd.DataFrame, list[str]]:
    """Make visits, and two patterns of frequent pages."""
    frame = visits(n_sequences)
    names = frame["event"].value_counts().index[:5]
    return frame, [" -> ".join(names[:3]), " -> ".join(names[3:])]


def with_release(n_sequences: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make visits, and a release of them."""
    original = pages(n_sequences)
    return original, original.seqpriv.k_anonymize(10, method="prefix_tree")


def with_events(n_sequences: int) -> tuple[pd.DataFrame, list[str]]:
    """Make visits, and three frequent pages."""
    frame = visits(n_sequences)
    return frame, list(frame["event"].value_counts().index[:3])


def on_disk(n_sequences: int) -> Path:
    """Write visits to a file."""
    path = Path(tempfile.mkdtemp()) / "visits.parquet"
    pdseqpriv.write_parquet(visits(n_sequences), path)
    return path


def write(frame: pd.DataFrame) -> None:
    """Write a table to a file that is forgotten at once."""
    with tempfile.TemporaryDirectory() as folder:
        pdseqpriv.write_parquet(frame, Path(folder) / "visits.parquet")


CURVES: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]] = {
    "k_anonymize, prefix_tree, 17 pages": (
        pages,
        lambda df: df.seqpriv.k_anonymize(10, method="prefix_tree"),
    ),
    "generalize": (visits, lambda df: df.seqpriv.generalize(k=5, monitored=list(df["event"].unique()[:1]))),
    "hide": (with_patterns, lambda task: task[0].seqpriv.hide(task[1])),
    "sanitize": (with_events, lambda task: task[0].seqpriv.sanitize(0.3, events=task[1])),
    "sanitize, pooled": (
        with_events,
        lambda task: task[0].seqpriv.sanitize(0.02, events=task[1], scope="table"),
    ),
    "mine": (visits, lambda df: df.seqpriv.mine(0.01)),
    "describe": (visits, lambda df: df.seqpriv.describe()),
    "risk": (visits, lambda df: df.seqpriv.risk(2)),
    "compare": (with_release, lambda pair: pdseqpriv.compare(*pair, min_support=0.02)),
    "is_k_anonymous": (with_release, lambda pair: pdseqpriv.verify.is_k_anonymous(*pair, 10)),
    "is_hidden": (with_patterns, lambda task: pdseqpriv.verify.is_hidden(*task)),
    "write_parquet": (visits, write),
    "read_parquet": (on_disk, pdseqpriv.read_parquet),
}


def cases_of(
    curve: str,
    sizes: Iterable[int],
    prepare: Callable[[int], Any],
    run: Callable[[Any], Any],
    repeats: int = 3,
) -> list[Case]:
    """Make one case per size."""
    return [
        Case(
            f"{curve}, {size:,} generated sequences",
            partial(prepare, size),
            run,
            repeats=repeats,
            warm_up=partial(prepare, SMALL),
            curve=curve,
            size=size,
        )
        for size in sizes
    ]


CASES = [
    case
    for curve, (prepare, run) in CURVES.items()
    for case in cases_of(curve, SHORT if curve in SLOW else SIZES, prepare, run)
]
for n_pages in (17, 200):
    CASES += cases_of(
        f"k_anonymize, {n_pages} pages",
        LARGE,
        partial(visits, n_pages=n_pages),
        lambda df: df.seqpriv.k_anonymize(10),
        repeats=1,
    )


def points_of(cases: Iterable[Case], measured: dict[str, Measured]) -> dict[str, list[tuple[Case, Measured]]]:
    """Give what was measured by curve."""
    curves: dict[str, list[tuple[Case, Measured]]] = {}
    for case in cases:
        if case.curve and case.name in measured:
            curves.setdefault(case.curve, []).append((case, measured[case.name]))
    return curves


def exponent(sizes: list[float], seconds: list[float]) -> float:
    """Fit seconds = c * size ** exponent by least squares on logarithms; nan with fewer than two points.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [3, 30, 300]), 6)
    1.0
    """
    both = np.log(np.array([sizes, seconds], float))
    both = both[:, np.isfinite(both).all(axis=0)]
    if both.shape[1] < 2:  # noqa: PLR2004 (a line has two ends)
        return float("nan")
    return float(np.polyfit(both[0], both[1], 1)[0])
