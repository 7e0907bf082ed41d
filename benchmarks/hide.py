"""Hiding on trucks and on the whole msnbc table, and beside the paper's algorithm on longer sequences."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown, in_units
from benchmarks.data import msnbc, needed, plain, shuffled
from benchmarks.papers.sequence_hiding import hide_sequences
from benchmarks.races import Runner, race

PATTERNS = ["frontpage -> news -> sports", "frontpage -> local -> misc"]
TRUCKS = ["x6y3 -> x7y2", "x4y3 -> x5y3"]
PAPER = {"marking": "greedy", "selection": "shared"}
LEFT = 100


def patterns(events: int) -> list[str]:
    """Return two patterns of so many events each."""
    first, second = ["frontpage", "news", "sports"], ["frontpage", "local", "misc"]
    return [" -> ".join((pages * events)[:events]) for pages in (first, second)]


def part(share: float) -> pd.DataFrame:
    """Return the first sequences, shuffled."""
    frame = msnbc()
    return shuffled(frame[frame["seq_id"] < share * (frame["seq_id"].max() + 1)])


def hide(wanted: list[str], options: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """Hide them; where a table is generated it may lack some pages."""
    return frame.seqpriv.hide(wanted, **options)


def long_visits(mean_length: int) -> tuple[pd.DataFrame, list[str]]:
    """Make 1,000 visits of some length, and two patterns of three frequent pages."""
    frame = plain(
        pdseqpriv.datasets.make_clickstream(1_000, n_pages=17, mean_length=float(mean_length), seed=0)
    )
    pages = frame["event"].value_counts().index[:6]
    return frame, [" -> ".join(pages[:3]), " -> ".join(pages[3:])]


def still_there(_: pd.DataFrame, hidden: pd.DataFrame) -> dict[str, Any]:
    """Return how many patterns the independent check still finds."""
    return {"violations": int(pdseqpriv.verify.is_hidden(hidden, PATTERNS).violations)}


def marks(table: pd.DataFrame) -> int:
    """Count the marks."""
    return int(table["event"].isna().sum())


def on_trucks(trucks: pd.DataFrame, hidden: pd.DataFrame) -> dict[str, Any]:
    """Tell the numbers of the paper's section 6, and marks beside its rule at every threshold."""
    ours, papers = (
        [marks(hide(TRUCKS, {**options, "max_support": most}, trucks)) for most in range(66)]
        for options in ({}, PAPER)
    )
    first, second = pdseqpriv.verify.is_hidden(trucks, TRUCKS).details["support"].tolist()
    return {
        "support of the first pattern": first,
        "support of the second": second,
        "support of either": int(trucks.loc[hidden["event"].isna().to_numpy(), "seq_id"].nunique()),
        "marks at 0": marks(hidden),
        "marks at 30": ours[30],
        "by the paper's rule": papers[30],
        "thresholds 0 to 65 with more marks than by the paper's rule": sum(
            our > their for our, their in zip(ours, papers, strict=True)
        ),
    }


CASES = [
    Case(
        "hide, two patterns, trucks",
        partial(needed, "trucks"),
        partial(hide, TRUCKS, {}),
        (
            Shown("support of the first pattern", "exactly", 36),
            Shown("support of the second", "exactly", 38),
            Shown("support of either", "exactly", 66),
            Shown("marks at 0", "exactly", 103),
            Shown("marks at 30", "at most", 14, beside=("by the paper's rule",)),
            Shown("thresholds 0 to 65 with more marks than by the paper's rule", "exactly", 0),
        ),
        facts=on_trucks,
    ),
    *(
        Case(
            f"hide, two patterns of three, {name}",
            partial(part, share),
            partial(hide, PATTERNS, {}),
            (in_units(1), Shown("violations", "exactly", 0)) if share == 1 else (),
            facts=still_there if share == 1 else None,
            curve="hide, by rows of msnbc",
            size=share,
            counted="share of msnbc",
        )
        for name, share in {"a ninth of msnbc": 1 / 9, "a third of msnbc": 1 / 3, "msnbc": 1}.items()
    ),
    *(
        Case(
            f"hide, two patterns of {events}, msnbc",
            partial(part, 1),
            partial(hide, patterns(events), {}),
            curve="hide, by pattern length",
            size=2 * events,
            counted="events in all patterns",
        )
        for events in (2, 6, 18)
    ),
    *race(
        Runner(
            "hide, greedy and shared", lambda task: hide(task[1], {**PAPER, "max_support": LEFT}, task[0])
        ),
        Runner("Abul et al. as printed", lambda task: hide_sequences(task[0], task[1], LEFT)),
        sizes=(20, 60, 180),
        counted="events per sequence",
        prepare=long_visits,
    ),
]
