"""Ways of grouping on generated visits, as in the paper's section 8, and on real check-ins.

The whole span is 91 days in minutes. A person visits the monitored site a few times, either around a moment
of their own, or, "scattered", at any time: then no two people are alike and less can be skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.cases import DATA, Case, Target, in_units, real
from pdseqpriv.operations.generalize.grouping import Method, group
from pdseqpriv.operations.generalize.intervals import optimal_intervals
from pdseqpriv.operations.generalize.people import People, Privacy, Tree, Weights

SPAN = 91 * 24 * 60
VISITS = 3  # on average
OTHERS = 10  # rows of other events, on average
AROUND = 2 * 24 * 60  # most visits of a person are within so many minutes of each other
TIME_ONLY, BOTH = Weights(1.0, 0.0), Weights(1.0, 1.0)
ONE_EVENT = Tree(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1))


def visits(n: int, *, scattered: bool = False) -> tuple[People, Tree]:
    """Draw the visits of n people to one monitored site."""
    random = np.random.default_rng(0)
    rows = random.geometric(1 / VISITS, n)
    owner = np.repeat(np.arange(n), rows)
    moment = random.integers(0, SPAN + 1, n)[owner] + random.normal(0, AROUND, owner.size)
    anywhere = random.integers(0, SPAN + 1, owner.size)
    when = np.clip(np.rint(anywhere if scattered else moment), 0, SPAN).astype(np.float64)
    when = when[np.lexsort((when, owner))]
    return people_of(when, np.zeros(owner.size, np.int32), rows, rows + random.poisson(OTHERS, n)), ONE_EVENT


def people_of(when: Any, node: Any, rows: Any, totals: Any) -> People:  # noqa: ANN401 (arrays)
    """Give monitored rows, sorted by sequence and time, as grouping takes them."""
    nothing = np.zeros(0, np.int64)
    return People(
        when=when,
        node=node,
        offsets=np.append(0, np.cumsum(rows)).astype(np.int64),
        totals=np.asarray(totals, np.int64),
        sensitive_code=nothing.astype(np.int32),
        sensitive_time=nothing,
        sensitive_offsets=np.zeros(len(rows) + 1, np.int64),
        span=float(when.max() - when.min()),
    )


def check_ins(sample: int | None = None) -> tuple[People, Tree]:
    """Give the check-ins of a week, all monitored, with the categories of the places."""
    frame, taxonomy = real("foursquare_nyc"), pd.read_parquet(DATA / "foursquare_nyc_taxonomy.parquet")
    if sample:
        chosen = np.random.default_rng(0).choice(frame["seq_id"].unique(), sample, replace=False)
        frame = frame[frame["seq_id"].isin(chosen)]
    category, names = pd.factorize(taxonomy["parent"], sort=True)
    parent = np.concatenate([np.zeros(1 + names.size, int), category + 1])
    share = np.bincount(category) / len(taxonomy)
    loss = np.concatenate([[1.0], share, np.zeros(len(taxonomy))])
    depth = np.repeat([0, 1, 2], [1, names.size, len(taxonomy)])
    node = pd.Index(taxonomy["child"]).get_indexer(frame["event"]) + 1 + names.size
    rows = frame.assign(node=node).sort_values(["seq_id", "time", "node"])
    sizes = rows.groupby("seq_id").size().to_numpy()
    when = (rows["time"] - rows["time"].min()).to_numpy(np.float64)
    people = people_of(when, rows["node"].to_numpy(np.int32), sizes, sizes)
    return people, Tree(parent.astype(np.int32), depth.astype(np.int32), loss)


def loss(data: tuple[People, Tree], k: int, weights: Weights, method: Method) -> float:
    """Give NCP (equation 5) of a grouping."""
    groups = group(*data, Privacy(k), weights, method, 0)
    found = optimal_intervals(*data, weights, groups)
    return float((found.group_loss * np.bincount(groups)).sum() / groups.size)


def must_be_at_most(what: str, found: float, most: float) -> None:
    """Refuse a result that loses too much."""
    print(f"loss of {what}: {found:.5f}, allowed {most:.5f}", flush=True)
    if found > most:
        raise RuntimeError(f"{what} loses {found:.5f}, more than {most:.5f}")


def hybrid_against_indexed(data: tuple[People, Tree]) -> None:
    """Hold the loss of hybrid against that of indexed plus a tenth."""
    must_be_at_most("hybrid", loss(data, 8, TIME_ONLY, "hybrid"), 1.1 * loss(data, 8, TIME_ONLY, "indexed"))


def partition_against_baseline(data: tuple[People, Tree]) -> None:
    """Hold the loss of partition against that of baseline plus five points."""
    must_be_at_most("partition", loss(data, 5, BOTH, "partition"), 0.05 + loss(data, 5, BOTH, "baseline"))


def grouped(method: Method, k: int, weights: Weights) -> Any:  # noqa: ANN401 (a function)
    """Give what groups by one method."""
    return lambda data: group(*data, Privacy(k), weights, method, 0)


TEN = "10,000 generated sequences, k=8"
CASES = [
    Case(f"baseline, {TEN}", lambda: visits(10_000), grouped("baseline", 8, TIME_ONLY), repeats=1),
    Case(
        f"indexed, {TEN}",
        lambda: visits(10_000),
        grouped("indexed", 8, TIME_ONLY),
        Target(1 / 20, (f"baseline, {TEN}",)),
    ),
    Case(f"indexed, {TEN}, in units", lambda: visits(10_000), grouped("indexed", 8, TIME_ONLY), in_units(5)),
    Case(
        f"baseline, {TEN}, scattered",
        lambda: visits(10_000, scattered=True),
        grouped("baseline", 8, TIME_ONLY),
        repeats=1,
    ),
    Case(
        f"indexed, {TEN}, scattered",
        lambda: visits(10_000, scattered=True),
        grouped("indexed", 8, TIME_ONLY),
        in_units(5),
    ),
    Case(f"loss of hybrid, {TEN}", lambda: visits(10_000), hybrid_against_indexed, repeats=1),
    Case(
        "hybrid, 100,000 generated sequences, k=16",
        lambda: visits(100_000),
        grouped("hybrid", 16, TIME_ONLY),
        in_units(60),
        repeats=1,
    ),
    Case(
        "partition, foursquare_nyc, all monitored, k=5",
        check_ins,
        grouped("partition", 5, BOTH),
        in_units(20),
    ),
    Case(
        "loss of partition, 1,000 of foursquare_nyc, k=5",
        lambda: check_ins(1_000),
        partition_against_baseline,
        repeats=1,
    ),
]
