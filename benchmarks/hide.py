"""Hiding on the whole msnbc table, and how time grows with rows and with pattern length."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchmarks.cases import Case, in_units, msnbc, shuffled

PATTERNS = ["frontpage -> news -> sports", "frontpage -> local -> misc"]
LONG = [
    "frontpage -> news -> sports -> news -> sports -> news",
    "frontpage -> local -> misc -> local -> misc -> local",
]
PAPER = {"marking": "greedy", "selection": "shared", "max_support": 1_000}


def part(share: float) -> pd.DataFrame:
    """Give the first sequences, shuffled."""
    frame = msnbc()
    return shuffled(frame[frame["seq_id"] < share * (frame["seq_id"].max() + 1)])


def hide(patterns: list[str], options: dict[str, object], frame: pd.DataFrame) -> pd.DataFrame:
    """Hide them."""
    return frame.seqpriv.hide(patterns, **options)


CASES = [
    Case("hide, two patterns of three, msnbc", lambda: part(1), partial(hide, PATTERNS, {}), in_units(1)),
    Case("hide, two patterns of three, 1/2 of msnbc", lambda: part(0.5), partial(hide, PATTERNS, {})),
    Case("hide, two patterns of three, 1/4 of msnbc", lambda: part(0.25), partial(hide, PATTERNS, {})),
    Case("hide, two patterns of six, msnbc", lambda: part(1), partial(hide, LONG, {})),
    Case("hide, 1,000 allowed, msnbc", lambda: part(1), partial(hide, PATTERNS, {"max_support": 1_000})),
    Case("hide as the paper does, 1,000 allowed, msnbc", lambda: part(1), partial(hide, PATTERNS, PAPER)),
]
