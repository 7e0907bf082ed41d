"""How exposed people are: in the whole msnbc table, in two event logs, and in a release that is attacked."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.cases import Case, Shown, Target, in_units
from benchmarks.data import msnbc, msnbc_5_to_25, needed, shuffled

KNOWN = [1, 2, 3, 4]
SAMPLE, SAMPLES = 500, 20
EXACT, INSIDE = "exact for 1 and 2 known events", f"exact share for 3 inside the interval of {SAMPLE} people"
UNIQUE = [f"unique with {known} known" for known in KNOWN]


def shares(frame: pd.DataFrame, found: pd.DataFrame) -> dict[str, Any]:
    """Return how many cases are unique; with three known events, also whether a sample agrees with all."""
    everybody = frame.seqpriv.risk(3, sample=frame["seq_id"].nunique()).iloc[0]
    drawn = [frame.seqpriv.risk(3, sample=SAMPLE, seed=seed).iloc[0] for seed in range(SAMPLES)]
    inside = [one["unique_low"] <= everybody["unique_share"] <= one["unique_high"] for one in drawn]
    return {
        EXACT: "yes" if found["method"].iloc[:2].eq("exact").all() else "no",
        INSIDE: "yes" if everybody["method"] == "exact" and inside[0] else "no",
        f"of {SAMPLES} samples": int(sum(inside)),
        **dict(zip(UNIQUE, found["unique_share"].tolist(), strict=True)),
    }


def on_log(name: str) -> Case:
    """Measure a log."""
    targets = (
        Shown(EXACT, "exactly", "yes", beside=tuple(UNIQUE)),
        Shown(INSIDE, "exactly", "yes", beside=(f"of {SAMPLES} samples",)),
    )
    return Case(
        f"risk(known=[1, 2, 3, 4]), {name}",
        partial(needed, name),
        lambda df: df.seqpriv.risk(KNOWN),
        targets,
        repeats=1,
        facts=shares,
    )


def a_release() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return a table, its release and the key."""
    frame = msnbc_5_to_25()
    return frame, *frame.seqpriv.k_anonymize(10, with_key=True)


def linked(tables: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]) -> pd.DataFrame:
    """Attack a release as two attackers would, who know whole sequences, or half of their events."""
    frame, released, key = tables
    return released.seqpriv.risk(original=frame, key=key, attack="linkage")


def found_by_linking(_: object, found: pd.DataFrame) -> dict[str, Any]:
    """Return how many people are found on average."""
    ways = found["knows"] + ", " + found["attack"]
    return {f"found, {way}": chance for way, chance in zip(ways, found["mean_probability"], strict=True)}


def in_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Pair visitors at random: every two visits are one person's."""
    visitors = frame["seq_id"].to_numpy()
    places = np.random.default_rng(0).permutation(visitors.max() + 1)
    return frame.assign(person=places[visitors] // 2)


def as_people(frame: pd.DataFrame) -> pd.DataFrame:
    """Measure how well people are found by any of their visits."""
    return frame.seqpriv.using(person="person").risk(2)


ALONE = "risk(known=2), msnbc in pairs, people not named"
CASES = [
    Case(
        'risk(attack="linkage"), msnbc 5..25, k=10',
        a_release,
        linked,
        (in_units(5),),
        facts=found_by_linking,
    ),
    Case("risk(known=2), msnbc", lambda: shuffled(msnbc()), lambda df: df.seqpriv.risk(2), (in_units(10),)),
    Case(ALONE, lambda: in_pairs(shuffled(msnbc())), lambda df: df.seqpriv.risk(2)),
    Case(
        "risk(known=2), msnbc in pairs, people named",
        lambda: in_pairs(shuffled(msnbc())),
        as_people,
        (Target(1.5, (ALONE,)),),
    ),
    *map(on_log, ["sepsis", "bpic2012"]),
]
