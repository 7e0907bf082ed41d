"""Two threads beside one, 300,000 visits; what is left to one core, such as reading columns, counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Target
from benchmarks.data import visits

SEQUENCES, FEW = 300_000, 300
FASTER = 1.6


def on_one_thread(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what does the same on one core."""

    def run(given: Any) -> Any:  # noqa: ANN401 (whatever the work takes and gives)
        pdseqpriv.options.threads = 1
        try:
            return work(given)
        finally:
            pdseqpriv.options.threads = None

    return run


def with_frequent(n_sequences: int) -> tuple[pd.DataFrame, list[str]]:
    """Return visits, and the pages, the most frequent first."""
    frame = visits(n_sequences)
    return frame, frame["event"].value_counts().index.tolist()


def hide(task: tuple[pd.DataFrame, list[str]]) -> pd.DataFrame:
    """Hide two patterns of frequent pages that are close to each other."""
    frame, pages = task
    return frame.seqpriv.hide([pages[:2], pages[2:4]], max_support=100, max_gap=3)


def sanitize(task: tuple[pd.DataFrame, list[str]]) -> pd.DataFrame:
    """Sanitize three frequent pages."""
    frame, pages = task
    return frame.seqpriv.sanitize(0.3, events=pages[:3])


def risk(frame: pd.DataFrame) -> pd.DataFrame:
    """Measure what three known events tell."""
    return frame.seqpriv.risk(3)


def released(n_sequences: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return visits and their release."""
    frame = visits(n_sequences)
    return frame, frame.seqpriv.k_anonymize(10)


def check_k(tables: tuple[pd.DataFrame, pd.DataFrame]) -> object:
    """Check a release."""
    return pdseqpriv.verify.is_k_anonymous(*tables, 10)


def check_hidden(task: tuple[pd.DataFrame, list[str]]) -> object:
    """Look for two patterns."""
    frame, pages = task
    return pdseqpriv.verify.is_hidden(frame, [pages[:2], pages[2:4]], max_gap=3)


def beside_one(name: str, prepare: Callable[[int], Any], work: Callable[[Any], Any]) -> list[Case]:
    """Measure one piece of work on one core and on two."""
    whole, few = partial(prepare, SEQUENCES), partial(prepare, FEW)
    alone = f"{name}, {SEQUENCES:,} visits, one thread"
    target = Target(1 / FASTER, (alone,))
    return [
        Case(alone, whole, on_one_thread(work), warm_up=few),
        Case(f"{name}, {SEQUENCES:,} visits, two threads", whole, work, (target,), warm_up=few),
    ]


CASES = [
    *beside_one("hide, two patterns with gaps", with_frequent, hide),
    *beside_one("sanitize, three events", with_frequent, sanitize),
    *beside_one("risk(known=3)", visits, risk),
    *beside_one("is_k_anonymous", released, check_k),
    *beside_one("is_hidden", with_frequent, check_hidden),
]
