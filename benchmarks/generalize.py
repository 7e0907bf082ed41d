"""Ways of grouping on generated visits, as in the paper's section 8, and on real check-ins.

The whole span is 91 days in minutes. A person visits the monitored site a few times, either around a moment
of their own, "clustered", or, "scattered", at any time: then no two people are alike and less can be skipped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Memory, Shown, Target, in_units
from benchmarks.data import DATA, needed
from benchmarks.races import Runner, race
from benchmarks.threads import on_one_thread
from pdseqpriv.generalization.grouping import hybrid

SPAN = 91 * 24 * 60
VISITS = 3  # on average
OTHERS = 10  # rows of other events, on average
AROUND = 2 * 24 * 60  # most visits of a person are within so many minutes of each other
SITE = ["site"]  # the monitored one
LOSS, NCP, BROKEN, GROUPS = "time loss", "NCP", "violations", "groups"
RATIO = "NCP beside that of the best method"

Released: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]
CheckIns: TypeAlias = tuple[pd.DataFrame, pdseqpriv.Taxonomy | None]


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


def visits_in_pairs(n: int, *, scattered: bool = False) -> pd.DataFrame:
    """Draw the same visits, and people who made those of two of them each."""
    frame = visits(n, scattered=scattered)
    person = np.random.default_rng(1).permutation(n) // 2
    return frame.assign(person=person[frame["seq_id"]])


def check_ins(sample: int | None = None) -> CheckIns:
    """Return the check-ins of a week, and the categories of the places."""
    frame = needed("foursquare_nyc")
    if sample:
        chosen = np.random.default_rng(0).choice(frame["seq_id"].unique(), sample, replace=False)
        frame = frame[frame["seq_id"].isin(chosen)]
    return frame, pdseqpriv.Taxonomy.read_parquet(DATA / "foursquare_nyc_taxonomy.parquet")


def by_time(method: str, k: int) -> Callable[[pd.DataFrame], Released]:
    """Return what generalizes the visits to the monitored site by one method."""
    return lambda df: df.seqpriv.generalize(k=k, monitored=SITE, method=method, with_key=True)


def by_people(method: str, k: int) -> Callable[[pd.DataFrame], Released]:
    """Return what does the same with groups of different people."""
    asked = {"k": k, "monitored": SITE, "method": method, "with_key": True}
    return lambda df: df.seqpriv.using(person="person").generalize(**asked)


def by_both(method: str) -> Callable[[CheckIns], Released]:
    """Return what generalizes all check-ins, places and times, by one method."""
    return lambda task: task[0].seqpriv.generalize(task[1], k=5, method=method, with_key=True)


def of_visits(k: int, df: pd.DataFrame, answer: Released) -> dict[str, Any]:
    """Tell the loss of time, which is all that one monitored event can lose, and what the check refuses."""
    released, key = answer
    measures = pdseqpriv.compare(df, released, key=key, monitored=SITE).set_index("measure")["value"]
    verdict = pdseqpriv.verify.is_generalized(df, released, key, k=k, monitored=SITE)
    groups = released.drop_duplicates("seq_id").set_index("seq_id")["group"]
    whose = key.dropna().set_index("seq_id")["released_id"].map(groups).sort_index()
    text = pd.factorize(whose)[0].tobytes()  # who is with whom, however groups are numbered
    return {
        LOSS: float(measures["time_loss"]),
        BROKEN: int(verdict.violations),
        GROUPS: f"{whose.nunique():,}, fingerprint {hashlib.sha256(text).hexdigest()[:8]}",
    }


def of_pairs(k: int, df: pd.DataFrame, answer: Released) -> dict[str, Any]:
    """Tell what the check refuses when it counts people."""
    people = df.seqpriv.using(person="person")
    return {BROKEN: int(pdseqpriv.verify.is_generalized(people, *answer, k=k, monitored=SITE).violations)}


def of_check_ins(task: CheckIns, answer: Released) -> dict[str, Any]:
    """Tell NCP (equation 5) and what the check refuses."""
    (df, taxonomy), (released, key) = task, answer
    measures = pdseqpriv.compare(df, released, key=key, taxonomy=taxonomy).set_index("measure")["value"]
    verdict = pdseqpriv.verify.is_generalized(df, released, key, k=5, taxonomy=taxonomy)
    return {NCP: float(measures["ncp"]), BROKEN: int(verdict.violations)}


def all_at_once(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what does the same without blocks."""

    def run(given: Any) -> Any:  # noqa: ANN401 (whatever the work takes and gives)
        with mock.patch.object(hybrid, "BLOCK", 10**9):
            return work(given)

    return run


def cases_of_visits(*, scattered: bool) -> list[Case]:
    """Make the cases of one kind of visits."""
    kind = "scattered" if scattered else "clustered"
    data = partial(visits, scattered=scattered)
    right = Shown(BROKEN, "exactly", 0)
    beside = race(
        Runner(f"indexed, {kind}", by_time("indexed", 8), partial(of_visits, 8)),
        Runner(f"BASELINE, {kind}", by_time("baseline", 8), partial(of_visits, 8)),
        sizes=(1_000, 3_000, 10_000),
        counted="sequences, k=8",
        prepare=data,
        targets=lambda theirs: (
            Target(1 / 20, (theirs,)),
            in_units(5),
            Shown(GROUPS, "exactly", of=(theirs,)),
            right,
        ),
    )
    within = Shown(LOSS, "at most", 1.1, of=(beside[-1].name,))
    as_good = Shown(
        LOSS, "at most", 1.05, of=(f"hybrid, {kind}, 100,000 sequences, k=16, all grown at once",)
    )
    return [
        *beside,
        Case(
            f"hybrid, {kind}, 10,000 sequences, k=8",
            partial(data, 10_000),
            by_time("hybrid", 8),
            (within, right),
            warm_up=partial(data, 500),
            facts=partial(of_visits, 8),
        ),
        Case(
            f"hybrid, {kind}, 10,000 sequences of 5,000 people, k=8",
            partial(visits_in_pairs, 10_000, scattered=scattered),
            by_people("hybrid", 8),
            (Target(1.5, (f"hybrid, {kind}, 10,000 sequences, k=8",)), right),
            warm_up=partial(visits_in_pairs, 500, scattered=scattered),
            facts=partial(of_pairs, 8),
        ),
        Case(
            f"hybrid, {kind}, 100,000 sequences, k=16, all grown at once",
            partial(data, 100_000),
            all_at_once(by_time("hybrid", 16)),
            repeats=1,
            warm_up=partial(data, 500),
            facts=partial(of_visits, 16),
        ),
        *(
            Case(
                f"hybrid, {kind}, {size:,} sequences, k=16",
                partial(data, size),
                by_time("hybrid", 16),
                targets,
                repeats=1,
                warm_up=partial(data, 500),
                facts=partial(of_visits, 16) if size == 100_000 else None,  # noqa: PLR2004
                curve=f"generalize, hybrid, {kind}, k=16",
                size=size,
            )
            for size, targets in (
                (10_000, ()),
                (30_000, ()),
                (100_000, (in_units(60), right, as_good)),
                (1_000_000, (in_units(120), Memory(4_000))),
            )
        ),
        Case(
            f"hybrid, {kind}, 300,000 sequences, k=16, one thread",
            partial(data, 300_000),
            on_one_thread(by_time("hybrid", 16)),
            repeats=1,
            warm_up=partial(data, 500),
        ),
        Case(
            f"hybrid, {kind}, 300,000 sequences, k=16, two threads",
            partial(data, 300_000),
            by_time("hybrid", 16),
            (Target(1 / 1.6, (f"hybrid, {kind}, 300,000 sequences, k=16, one thread",)),),
            repeats=1,
            warm_up=partial(data, 500),
        ),
    ]


def trucks_on_a_map() -> CheckIns:
    """Return the ways of trucks over a grid, and squares of 2 by 2 and of 4 by 4 cells as categories."""
    frame = needed("trucks")
    cells = frame["event"].drop_duplicates()
    x, y = cells.str.extract(r"x(\d+)y(\d+)").astype(int).to_numpy().T
    small, large = (
        pd.Series([f"{width} by {width} at {a},{b}" for a, b in zip(x // width, y // width, strict=True)])
        for width in (2, 4)
    )
    steps = [pd.DataFrame({"child": cells.to_numpy(), "parent": small})]
    steps += [pd.DataFrame({"child": small, "parent": large}).drop_duplicates()]
    return frame, pdseqpriv.Taxonomy(pd.concat(steps, ignore_index=True))


def real_table(name: str) -> CheckIns:
    """Return a real table, with its categories if there are any."""
    with_categories = {"foursquare_nyc": check_ins, "trucks on a map": trucks_on_a_map}
    return with_categories[name]() if name in with_categories else (needed(name), None)


def asked_of(task: CheckIns, method: str, asked: dict[str, Any]) -> Released:
    """Generalize a real table by one method."""
    frame, taxonomy = task
    released: Released = frame.seqpriv.generalize(taxonomy, **asked, method=method, with_key=True)
    return released


def beside_the_best(asked: dict[str, Any], task: CheckIns, answer: Released) -> dict[str, Any]:
    """Tell the NCP, and how many times that of the best method it is."""
    frame, taxonomy = task
    monitored = asked.get("monitored")

    def ncp(released: pd.DataFrame, key: pd.DataFrame) -> float:
        measures = pdseqpriv.compare(frame, released, key=key, taxonomy=taxonomy, monitored=monitored)
        return float(measures.set_index("measure")["value"]["ncp"])

    others = [asked_of(task, method, asked) for method in ("hybrid", "hilbert", "partition", "indexed")]
    best = min(ncp(*one) for one in others)
    return {NCP: ncp(*answer), RATIO: ncp(*answer) / best}


ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "sepsis, CRP monitored, k=4": ("sepsis", {"k": 4, "monitored": ["CRP"]}),
    "sepsis, all monitored, k=20": ("sepsis", {"k": 20}),
    "bpic2012, W_Completeren aanvraag monitored, k=16": (
        "bpic2012",
        {"k": 16, "monitored": ["W_Completeren aanvraag"]},
    ),
    "trucks, all monitored, k=2": ("trucks", {"k": 2}),
    "trucks, all monitored with categories, k=2": ("trucks on a map", {"k": 2}),
    "foursquare_nyc, all monitored, k=2": ("foursquare_nyc", {"k": 2}),
}
SAMPLE = "1,000 of foursquare_nyc, all monitored, k=5"
CASES = [
    *cases_of_visits(scattered=False),
    *cases_of_visits(scattered=True),
    *(
        Case(
            f"auto, {name}",
            partial(real_table, table),
            partial(asked_of, method="auto", asked=asked),
            (Shown(RATIO, "at most", 1.02, beside=(NCP,)),),
            repeats=1,
            facts=partial(beside_the_best, asked),
        )
        for name, (table, asked) in ASKED.items()
    ),
    Case(
        "partition, foursquare_nyc, all monitored, k=5",
        check_ins,
        by_both("partition"),
        (in_units(20), Shown(BROKEN, "exactly", 0)),
        facts=of_check_ins,
    ),
    Case(
        f"BASELINE, {SAMPLE}", partial(check_ins, 1_000), by_both("baseline"), repeats=1, facts=of_check_ins
    ),
    Case(
        f"partition, {SAMPLE}",
        partial(check_ins, 1_000),
        by_both("partition"),
        (Shown(NCP, "at most", of=(f"BASELINE, {SAMPLE}",), plus=0.05), Shown(BROKEN, "exactly", 0)),
        facts=of_check_ins,
    ),
]
