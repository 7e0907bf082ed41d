"""Ways of grouping on generated visits, as in the paper's section 8, and on real check-ins.

The whole span is 91 days in minutes. A person visits the monitored site a few times, either around a moment
of their own, or, "scattered", at any time: then no two people are alike and less can be skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import DATA, Case, Target, in_units, real

SPAN = 91 * 24 * 60
VISITS = 3  # on average
OTHERS = 10  # rows of other events, on average
AROUND = 2 * 24 * 60  # most visits of a person are within so many minutes of each other


def visits(n: int, *, scattered: bool = False) -> pd.DataFrame:
    """Draw the visits of n people to one monitored site, and to others."""
    random = np.random.default_rng(0)
    owner = np.repeat(np.arange(n), random.geometric(1 / VISITS, n))
    moment = random.integers(0, SPAN + 1, n)[owner] + random.normal(0, AROUND, owner.size)
    anywhere = random.integers(0, SPAN + 1, owner.size)
    when = np.clip(np.rint(anywhere if scattered else moment), 0, SPAN).astype(np.int64)
    site = pd.DataFrame({"seq_id": owner, "event": "site", "time": when})
    elsewhere = np.repeat(np.arange(n), random.poisson(OTHERS, n))
    times = random.integers(0, SPAN + 1, elsewhere.size)
    return pd.concat([site, pd.DataFrame({"seq_id": elsewhere, "event": "other", "time": times})])


def check_ins(sample: int | None = None) -> tuple[pd.DataFrame, pdseqpriv.Taxonomy]:
    """Give the check-ins of a week, and the categories of the places."""
    frame = real("foursquare_nyc")
    if sample:
        chosen = np.random.default_rng(0).choice(frame["seq_id"].unique(), sample, replace=False)
        frame = frame[frame["seq_id"].isin(chosen)]
    return frame, pdseqpriv.Taxonomy.read_parquet(DATA / "foursquare_nyc_taxonomy.parquet")


def by_time(method: str, k: int) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Give what generalizes the visits to the monitored site by one method."""
    return lambda df: df.seqpriv.generalize(k=k, monitored=["site"], method=method)


def by_both(method: str) -> Callable[[tuple[pd.DataFrame, pdseqpriv.Taxonomy]], pd.DataFrame]:
    """Give what generalizes all check-ins, places and times, by one method."""
    return lambda task: task[0].seqpriv.generalize(task[1], k=5, method=method)


def must_be_at_most(what: str, found: float, most: float) -> None:
    """Refuse a result that loses too much."""
    print(f"loss of {what}: {found:.5f}, allowed {most:.5f}", flush=True)
    if found > most:
        raise RuntimeError(f"{what} loses {found:.5f}, more than {most:.5f}")


def loss_of_visits(df: pd.DataFrame, method: str) -> float:
    """Give the loss of time, which is all that one monitored event can lose."""
    released, key = df.seqpriv.generalize(k=8, monitored=["site"], method=method, with_key=True)
    measures = pdseqpriv.compare(df, released, key=key, monitored=["site"]).set_index("measure")
    return float(measures.loc["time_loss", "value"])


def loss_of_check_ins(task: tuple[pd.DataFrame, pdseqpriv.Taxonomy], method: str) -> float:
    """Give NCP (equation 5)."""
    df, taxonomy = task
    released, key = df.seqpriv.generalize(taxonomy, k=5, method=method, with_key=True)
    measures = pdseqpriv.compare(df, released, key=key, taxonomy=taxonomy).set_index("measure")
    return float(measures.loc["ncp", "value"])


def hybrid_against_indexed(df: pd.DataFrame) -> None:
    """Hold the loss of hybrid against that of indexed plus a tenth."""
    must_be_at_most("hybrid", loss_of_visits(df, "hybrid"), 1.1 * loss_of_visits(df, "indexed"))


def partition_against_baseline(task: tuple[pd.DataFrame, pdseqpriv.Taxonomy]) -> None:
    """Hold the loss of partition against that of baseline plus five points."""
    allowed = 0.05 + loss_of_check_ins(task, "baseline")
    must_be_at_most("partition", loss_of_check_ins(task, "partition"), allowed)


def cases_of_visits(*, scattered: bool) -> list[Case]:
    """Make the cases of one kind of visits."""
    kind = "scattered" if scattered else "clustered"
    data = partial(visits, scattered=scattered)
    ten, hundred = partial(data, 10_000), partial(data, 100_000)
    baseline = f"baseline, 10,000 {kind} sequences, k=8"
    indexed = f"indexed, 10,000 {kind} sequences, k=8"
    small = partial(data, 500)
    twentieth = Target(1 / 20, (baseline,))
    return [
        Case(baseline, ten, by_time("baseline", 8), repeats=1, warm_up=small),
        Case(indexed, ten, by_time("indexed", 8), twentieth, warm_up=small, beside=baseline),
        Case(f"{indexed}, in units", ten, by_time("indexed", 8), in_units(5), warm_up=small),
        Case(f"loss of hybrid, 10,000 {kind} sequences, k=8", ten, hybrid_against_indexed, repeats=1),
        Case(
            f"hybrid, 100,000 {kind} sequences, k=16",
            hundred,
            by_time("hybrid", 16),
            in_units(60),
            repeats=1,
            warm_up=small,
        ),
    ]


CASES = [
    *cases_of_visits(scattered=False),
    *cases_of_visits(scattered=True),
    Case("partition, foursquare_nyc, all monitored, k=5", check_ins, by_both("partition"), in_units(20)),
    Case(
        "loss of partition, 1,000 of foursquare_nyc, k=5",
        lambda: check_ins(1_000),
        partition_against_baseline,
        repeats=1,
    ),
]
