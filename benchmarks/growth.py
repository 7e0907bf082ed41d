"""How time grows: every operation at three sizes, a factor of about three apart, on generated tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks import generalize, mine
from benchmarks.cases import Case, Measured, Memory, Target, in_units
from benchmarks.data import visits

SMALL = 1_000  # sequences or patterns for the first call, which loads compiled code
SIZES = (30_000, 100_000, 300_000)
LARGE = (100_000, 300_000, 1_000_000)
SHORT = (10_000, 30_000, 100_000)
KINDS = ("parquet", "csv", "spmf")
SOME = (3_000, 10_000, 30_000)
ALLOWED = {  # the largest exponent that holds; linear growth is taken to end at 1.2
    "k_anonymize, 17 pages": 1.2,
    "k_anonymize, 200 pages": 1.2,
    "k_anonymize, identical, 17 pages": 1.2,
    "k_anonymize, identical, 200 pages": 1.2,
    "hide, by rows of msnbc": 1.2,
    "hide, by pattern length": 1.2,
    "generalize, hybrid, clustered, k=16": 1.2,
    "generalize, hybrid, scattered, k=16": 1.2,
    "generalize, two long sequences": 1.2,
}
PRIVACY: dict[str, Any] = {"k": 5, "alpha": 0.95}


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


def with_groups(n_sequences: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Make visits to a monitored site, a release in groups, and its key."""
    frame = generalize.visits(n_sequences)
    asked = {"k": 5, "monitored": generalize.SITE, "method": "hilbert", "with_key": True}
    return frame, *frame.seqpriv.generalize(**asked)


def in_one_group(task: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]) -> pdseqpriv.Verdict:
    """Check a release in groups."""
    return pdseqpriv.verify.is_generalized(*task, k=5, monitored=generalize.SITE)


def one_after_the_other(n_rows: int) -> pd.DataFrame:
    """Make two sequences with one common time, of which one ends before the other goes on."""
    half = n_rows // 2
    whose = np.repeat([0, 1], [half + 1, half])
    time = np.r_[: half + 1, 0, half + 1 : 2 * half]
    return pd.DataFrame({"seq_id": whose, "event": time * 7919 % 8, "time": time})


def safe(n_patterns: int) -> pd.DataFrame:
    """Return patterns that are fit for release."""
    return pdseqpriv.release_patterns(mine.most_frequent(n_patterns), **PRIVACY)


def on_disk(kind: str, n_sequences: int) -> Path:
    """Write visits to a file."""
    path = Path(tempfile.mkdtemp()) / f"visits.{kind}"
    getattr(pdseqpriv, f"write_{kind}")(visits(n_sequences), path)
    return path


def write(kind: str, frame: pd.DataFrame) -> None:
    """Write a table to a file that is forgotten at once."""
    with tempfile.TemporaryDirectory() as folder:
        getattr(pdseqpriv, f"write_{kind}")(frame, Path(folder) / f"visits.{kind}")


class Line(NamedTuple):
    """What is run at which sizes."""

    prepare: Callable[[int], Any]
    run: Callable[[Any], Any]
    sizes: tuple[int, ...] = SIZES
    counted: str = "generated sequences"
    repeats: int = 3
    at_the_largest: tuple[Target | Memory, ...] = ()


CURVES = {
    "k_anonymize, prefix_tree, 17 pages": Line(
        pages, lambda df: df.seqpriv.k_anonymize(10, method="prefix_tree"), SHORT
    ),
    **{
        f"generalize, {method}, clustered, k=5": Line(generalize.visits, generalize.by_time(method, 5), SHORT)
        for method in ("hilbert", "partition")
    },
    "generalize, two long sequences": Line(
        one_after_the_other, lambda df: df.seqpriv.generalize(k=2), SHORT, "rows"
    ),
    "hide": Line(with_patterns, lambda task: task[0].seqpriv.hide(task[1])),
    "sanitize, per sequence": Line(
        with_events, lambda task: task[0].seqpriv.sanitize(0.3, events=task[1], scope="sequence")
    ),
    "sanitize, pooled": Line(  # every visit has a time of its own
        with_events, lambda task: task[0].seqpriv.sanitize(0.02, events=task[1], scope="table"), SOME
    ),
    "mine": Line(visits, lambda df: df.seqpriv.mine(0.01)),
    "release_patterns, mined at once": Line(visits, lambda df: df.seqpriv.release_patterns(0.01, **PRIVACY)),
    "describe": Line(visits, lambda df: df.seqpriv.describe()),
    "risk": Line(visits, lambda df: df.seqpriv.risk(2), SHORT),
    "compare": Line(with_release, lambda pair: pdseqpriv.compare(*pair, min_support=0.02), SHORT),
    "is_k_anonymous": Line(
        with_release, lambda pair: pdseqpriv.verify.is_k_anonymous(pair[0], pair[1], 10), SHORT
    ),
    "is_hidden": Line(with_patterns, lambda task: pdseqpriv.verify.is_hidden(*task)),
    "is_generalized": Line(with_groups, in_one_group, SHORT),
    "is_sanitized": Line(
        with_events, lambda task: pdseqpriv.verify.is_sanitized(task[0], 0.3, events=task[1])
    ),
    "are_patterns_safe": Line(
        safe,
        lambda patterns: pdseqpriv.verify.are_patterns_safe(patterns, **PRIVACY),
        SOME,
        "patterns of leviathan",
    ),
    "inference_channels": Line(
        mine.most_frequent,
        lambda patterns: pdseqpriv.inference_channels(patterns, **PRIVACY),
        SOME,
        "patterns of leviathan",
    ),
    **{f"write_{kind}": Line(visits, partial(write, kind), SHORT) for kind in KINDS},
    **{
        f"read_{kind}": Line(partial(on_disk, kind), getattr(pdseqpriv, f"read_{kind}"), SHORT)
        for kind in KINDS
    },
    **{
        f"k_anonymize, {n_pages} pages": Line(
            partial(visits, n_pages=n_pages),
            lambda df: df.seqpriv.k_anonymize(10),
            LARGE,
            repeats=1,
            at_the_largest=(in_units(64), Memory(2000)),
        )
        for n_pages in (17, 200)
    },
    **{
        f"k_anonymize, identical, {n_pages} pages": Line(
            partial(visits, n_pages=n_pages),
            lambda df: df.seqpriv.k_anonymize(10, guarantee="identical"),
            LARGE,
            repeats=1,
        )
        for n_pages in (17, 200)
    },
}

CASES = [
    Case(
        f"{curve}, {size:,} {line.counted}",
        partial(line.prepare, size),
        line.run,
        line.at_the_largest if size == max(line.sizes) else (),
        repeats=line.repeats,
        warm_up=partial(line.prepare, SMALL),
        curve=curve,
        size=size,
        counted=line.counted.removeprefix("generated "),
    )
    for curve, line in CURVES.items()
    for size in line.sizes
]


def points_of(cases: Iterable[Case], measured: dict[str, Measured]) -> dict[str, list[tuple[Case, Measured]]]:
    """Return what was measured by curve."""
    curves: dict[str, list[tuple[Case, Measured]]] = {}
    for case in cases:
        if case.curve and case.name in measured:
            curves.setdefault(case.curve, []).append((case, measured[case.name]))
    return curves


def amount(size: float) -> str:
    """Write a size.

    Examples
    --------
    >>> amount(1_000_000), amount(1 / 9)
    ('1,000,000', '0.111')
    """
    return f"{size:,.0f}" if size >= 1 else f"{size:.3f}"


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
