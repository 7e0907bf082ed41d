"""Hiding on the whole msnbc table, and beside the paper's algorithm on longer and longer sequences."""

from __future__ import annotations

from functools import partial

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, in_units, msnbc, shuffled
from benchmarks.data import plain
from benchmarks.papers.sequence_hiding import hide_sequences
from benchmarks.races import Runner, race

PATTERNS = ["frontpage -> news -> sports", "frontpage -> local -> misc"]
PAPER = {"marking": "greedy", "selection": "shared"}
LEFT = 100


def patterns(events: int) -> list[str]:
    """Give two patterns of so many events each."""
    first, second = ["frontpage", "news", "sports"], ["frontpage", "local", "misc"]
    return [" -> ".join((pages * events)[:events]) for pages in (first, second)]


def part(share: float) -> pd.DataFrame:
    """Give the first sequences, shuffled."""
    frame = msnbc()
    return shuffled(frame[frame["seq_id"] < share * (frame["seq_id"].max() + 1)])


def hide(wanted: list[str], options: dict[str, object], frame: pd.DataFrame) -> pd.DataFrame:
    """Hide them; where a table is generated it may lack some pages."""
    return frame.seqpriv.hide(wanted, **options)


def long_visits(mean_length: int) -> tuple[pd.DataFrame, list[str]]:
    """Make 1,000 visits of some length, and two patterns of three frequent pages."""
    frame = plain(
        pdseqpriv.datasets.make_clickstream(1_000, n_pages=17, mean_length=float(mean_length), seed=0)
    )
    pages = frame["event"].value_counts().index[:6]
    return frame, [" -> ".join(pages[:3]), " -> ".join(pages[3:])]


CASES = [
    Case("hide, two patterns of three, msnbc", lambda: part(1), partial(hide, PATTERNS, {}), in_units(1)),
    *(
        Case(
            f"hide, two patterns of three, {share:g} of msnbc",
            partial(part, share),
            partial(hide, PATTERNS, {}),
            curve="hide, by rows of msnbc",
            size=share,
            counted="share of msnbc",
        )
        for share in (0.11, 0.33, 0.99)
    ),
    *(
        Case(
            f"hide, two patterns of {events}, msnbc",
            lambda: part(1),
            partial(hide, patterns(events), {}),
            curve="hide, by pattern length",
            size=2 * events,
            counted="events in all patterns",
        )
        for events in (2, 6, 18)
    ),
    Case("hide, 1,000 allowed, msnbc", lambda: part(1), partial(hide, PATTERNS, {"max_support": 1_000})),
    Case(
        "hide as the paper does, 1,000 allowed, msnbc",
        lambda: part(1),
        partial(hide, PATTERNS, {**PAPER, "max_support": 1_000}),
    ),
    *race(
        Runner(
            "hide, greedy and shared", lambda task: hide(task[1], {**PAPER, "max_support": LEFT}, task[0])
        ),
        Runner("Abul et al. as printed", lambda task: hide_sequences(*task, LEFT)),
        sizes=(20, 60, 180),
        counted="events per sequence",
        prepare=long_visits,
    ),
]
