"""What ``release_patterns`` changes on tables like the paper's: 20,000 sequences of 10 events, support 40.

The paper's table came from a market-basket generator that is not at hand. Ten tables of two kinds stand for
it, all reported: "baskets" are made as such generators do, from a few favourite sequences with some events
left out; in "implied", nearly everybody with a certain rare event has another one right after it, so that
there is something to infer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown

SEQUENCES, EVENTS, SUPPORT = 20_000, "abcdefghij", 40
PRIVACY: dict[str, Any] = {"k": 2, "alpha": 0.95}
TABLES = 10
FAVOURITES, PICKS, KEPT = 50, 2, 0.6
ADJUSTED, DISTORTION = "largest share of supports adjusted", "largest average distortion"
TOLD = ("median", "tables without a change", "patterns")


def baskets(seed: int) -> pd.DataFrame:
    """Join, for each sequence, two favourite sequences of which most events are kept."""
    random = np.random.default_rng(seed)
    lengths = 1 + random.poisson(3, FAVOURITES)
    starts = np.cumsum(lengths) - lengths
    shares = random.exponential(size=len(EVENTS))
    favourites = random.choice(len(EVENTS), lengths.sum(), p=shares / shares.sum())
    weights = random.exponential(size=FAVOURITES)
    picked = random.choice(FAVOURITES, SEQUENCES * PICKS, p=weights / weights.sum())
    owner = np.repeat(np.arange(picked.size) // PICKS, lengths[picked])
    inside = np.arange(owner.size) - np.repeat(np.cumsum(lengths[picked]) - lengths[picked], lengths[picked])
    codes = favourites[np.repeat(starts[picked], lengths[picked]) + inside]
    kept = random.random(owner.size) < KEPT
    return table_of(owner[kept], codes[kept], np.arange(kept.sum()))


def implied(seed: int) -> pd.DataFrame:
    """Draw events of different frequency; after the rarest one, the second rarest follows nearly always."""
    random = np.random.default_rng(seed)
    lengths = random.geometric(0.3, SEQUENCES)
    shares = np.arange(len(EVENTS), 0, -1)
    codes = random.choice(len(EVENTS), lengths.sum(), p=shares / shares.sum())
    owner, rarest = np.repeat(np.arange(SEQUENCES), lengths), len(EVENTS) - 1
    followed = np.flatnonzero((codes == rarest) & (random.random(codes.size) < 0.97))  # noqa: PLR2004 (most)
    return table_of(
        np.concatenate([owner, owner[followed]]),
        np.concatenate([codes, np.full(followed.size, rarest - 1)]),
        np.concatenate([2 * np.arange(codes.size), 2 * followed + 1]),
    )


def table_of(owner: Any, codes: Any, times: Any) -> pd.DataFrame:  # noqa: ANN401 (arrays)
    """Make a table of arrays."""
    return pd.DataFrame({"seq_id": owner, "event": np.array(list(EVENTS))[codes], "time": times})


def mined(draw: Callable[[int], pd.DataFrame], tables: int) -> list[pd.DataFrame]:
    """Mine some tables."""
    return [draw(seed).seqpriv.mine(SUPPORT) for seed in range(tables)]


def release_all(tables: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Release them all."""
    return [pdseqpriv.release_patterns(patterns, **PRIVACY) for patterns in tables]


def what_changed(before: list[pd.DataFrame], after: list[pd.DataFrame]) -> dict[str, Any]:
    """Tell the largest change and the median one, and how many tables had none."""
    measures = [
        pdseqpriv.compare(one, other).set_index("measure")["value"]
        for one, other in zip(before, after, strict=True)
    ]
    adjusted = [float(values["share_adjusted"]) for values in measures]
    distortion = [float(values["average_distortion"]) for values in measures]
    sizes = [len(one) for one in before]
    return {
        ADJUSTED: max(adjusted),
        DISTORTION: max(distortion),
        "median": f"{np.median(adjusted):.4f} and {np.median(distortion):.5f}",
        "tables without a change": sum(share == 0 for share in adjusted),
        "patterns": f"{min(sizes)} to {max(sizes)}",
    }


CASES = [
    Case(
        f"release_patterns, {TABLES} tables like the paper's, {draw.__name__}",
        partial(mined, draw, TABLES),
        release_all,
        (Shown(ADJUSTED, "below", 0.04, beside=TOLD), Shown(DISTORTION, "below", 0.0072, beside=TOLD)),
        repeats=1,
        warm_up=partial(mined, draw, 1),
        facts=what_changed,
    )
    for draw in (baskets, implied)
]
