"""How long ``sanitize`` takes, next to sorting a large table and to the paper's dynamic programme.

``python benchmarks/sanitize.py`` needs the real tables in the folder named by ``PDSEQPRIV_DATA``
(default ``../shared/data``).
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit

import pdseqpriv
from pdseqpriv.kernels.sanitization.build import Pairs, Terms
from pdseqpriv.kernels.sanitization.rows import sanitize_pairs
from pdseqpriv.operations.sanitize import pooled
from pdseqpriv.table.columns import Columns
from pdseqpriv.table.sequences import sequences_of

DATA = Path(os.environ.get("PDSEQPRIV_DATA", Path(__file__).parents[2] / "shared" / "data"))


def main() -> None:
    pdseqpriv.options.progress = False
    shuffled = pd.read_parquet(DATA / "msnbc.parquet").sample(frac=1, random_state=0)
    unit = best_of_three(lambda: shuffled.sort_values(["seq_id", "time"]))
    print(f"unit: sorting {len(shuffled):,} shuffled rows by seq_id and time takes {unit:.2f} s")
    entree = pd.read_parquet(DATA / "entree.parquet")
    events = np.random.default_rng(0).choice(frequent_somewhere(entree, 0.001), 200, replace=False)
    show("entree pooled, delta 0.1 %, 200 events", unit, entree, 0.001, events=events, scope="table")
    generated = like_syn()
    events = np.random.default_rng(0).choice(frequent_somewhere(generated, 0.001), 200, replace=False)
    show("1.8 million events, delta 0.1 %, 200 events", unit, generated, 0.001, events=events, scope="table")
    bpic = pd.read_parquet(DATA / "bpic2012.parquet")
    events = bpic["event"].value_counts().index[:3]
    show("bpic2012 per sequence, delta 0.3, 3 events", unit, bpic, 0.3, events=events)
    against_the_paper(entree)


def show(title: str, unit: float, frame: pd.DataFrame, delta: float, **asked: object) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = best_of_three(lambda: frame.seqpriv.sanitize(delta, **asked))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{title}: {taken:.2f} s, {taken / unit:.2f} units, peak memory grew by {grown / 1024:.0f} MB")
    for method in ("joint", "essa"):
        released = frame.seqpriv.sanitize(delta, method=method, **asked)
        scope = asked.get("scope", "sequence")
        measures = pdseqpriv.compare(frame, released, delta=delta, events=asked["events"], scope=scope)
        values = measures.set_index("measure")["value"]
        print(
            f"  {method}: error {values['sanitization_error']:.6g}, "
            f"deleted {values['deleted_share']:.2%}, ghosts {values['ghost_events']:.2%}"
        )


def frequent_somewhere(frame: pd.DataFrame, delta: float) -> list[object]:
    """Events that reach delta in some prefix of the table pooled by time."""
    counts = frame.groupby(["time", "event"], observed=True).size().rename("count").reset_index()
    length = counts.groupby("time")["count"].sum().cumsum()
    reached = counts.groupby("event", observed=True)["count"].cumsum()
    return sorted(counts["event"][reached >= delta * counts["time"].map(length)].unique())


def like_syn() -> pd.DataFrame:
    """Some 900 events with skewed frequencies, some 18 at each of 97,280 time points."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.poisson(18.35, 97_280), 1, 52)
    weights = 1 / np.arange(1, 910) ** 0.6
    codes = rng.choice(909, sizes.sum(), p=weights / weights.sum())
    return pd.DataFrame(
        {
            "seq_id": np.arange(sizes.sum()),
            "event": pd.Index([f"e{i:03}" for i in range(909)]).take(codes),
            "time": np.repeat(np.arange(sizes.size), sizes),
        }
    )


def against_the_paper(entree: pd.DataFrame) -> None:
    """One event at a time, both compiled, from the same counts, on what the programme's memory allows."""
    times = np.sort(entree["time"].unique())[:20_000]
    part = entree[entree["time"] <= times[-1]]
    whole = pooled.summarise(sequences_of(part, Columns(), "benchmark"))[0]
    moments = np.unique(whole.times, return_inverse=True)[1]
    pairs = Pairs(np.stack((moments, whole.codes, whole.occurrences), axis=1))
    lengths = np.bincount(moments, whole.occurrences).astype(np.int64)
    squares = np.bincount(moments, whole.occurrences * (whole.occurrences + 1))
    size = len(whole.vocabulary)
    ours, papers = 0.0, 0.0
    for code in np.bincount(whole.codes, whole.occurrences).argsort()[::-1][:5]:
        own = whole.codes == code
        counts = np.bincount(moments[own], whole.occurrences[own], minlength=lengths.size).astype(np.int64)
        rank = np.full(size, -1)
        rank[code] = 0
        terms = Terms(rank, size, 1, 1000, 0)
        ours += best_of_three(partial(sanitize_pairs, pairs, terms, True, 0))
        papers += best_of_three(partial(odesa, counts, lengths, squares, size, 1, 1000))
        released = part.seqpriv.sanitize(0.001, events=[whole.vocabulary[code]], scope="table")
        error = pdseqpriv.compare(part, released, scope="table").set_index("measure")["value"]
        least = odesa(counts, lengths, squares, size, 1, 1000)
        assert np.isclose(error["sanitization_error"], least, rtol=1e-9)
    print(
        f"the paper's programme, {len(part):,} events, {times.size:,} time points, 5 sensitive events one by "
        f"one: {papers:.2f} s; ours {ours:.3f} s with the same errors; {papers / ours:.0f} times faster"
    )


@njit
def odesa(counts, lengths, squares, alphabet, numerator, denominator):
    """The paper's three phases; errors in closed form instead of a loop over the alphabet."""
    points = counts.size
    needed = np.zeros(points, np.int64)
    count, length = 0, 0
    for j in range(points):
        count += counts[j]
        length += lengths[j]
        over = denominator * count - numerator * length
        if over >= 0:
            needed[j] = min(count, over // (denominator - numerator) + 1)
    most = needed.max()
    cost = np.full((most + 1, points + 1), np.inf)
    chosen = np.zeros((most + 1, points + 1), np.int32)
    cost[0, 0] = 0.0
    for j in range(points):
        total = lengths[j] + 0.5 * alphabet
        own = counts[j] + 0.5
        rest = squares[j] + 0.25 * alphabet - own * own
        factor = ((total - own) ** 2 + rest) / total**2
        for i in range(needed[j], most + 1):
            for k in range(min(i, counts[j]) + 1):
                candidate = cost[i - k, j] + factor * (k / (total - k)) ** 2
                if candidate < cost[i, j + 1]:
                    cost[i, j + 1] = candidate
                    chosen[i, j + 1] = k
    return cost[most, points]


def best_of_three(run: Callable[[], object]) -> float:
    run()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
