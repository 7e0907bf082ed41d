"""Sanitizing real and generated tables, and one event beside the paper's dynamic programme."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Memory, Shown, Target, in_units
from benchmarks.data import real
from benchmarks.papers.odesa import odesa
from benchmarks.races import Runner, race
from pdseqpriv.compiled import Array
from pdseqpriv.sanitization import pooled
from pdseqpriv.sanitization.kernels.build_timeline import Requirement
from pdseqpriv.sanitization.kernels.choose_deletions import choose_deletions
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of

DELTA, NUMERATOR, DENOMINATOR = 0.001, 1, 1000
POINTS, EVENTS = 97_280, 909
BROKEN, WORSE = "violations", "error of joint beside ESSA"


class Asked(NamedTuple):
    """A table and what to do with it."""

    frame: pd.DataFrame
    delta: float
    asked: dict[str, Any]


def entree() -> pd.DataFrame:
    """Return the restaurant sessions, or a generated table of that size."""
    frame = real("entree")
    return like_syn(50_365, 5_005, 4.76) if frame is None else frame


@cache
def like_syn(points: int = POINTS, events: int = EVENTS, at_once: float = 18.35) -> pd.DataFrame:
    """Make a table as the paper did: events of different frequency, a few at each time point."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.poisson(at_once, points), 1, 52)
    weights = 1 / np.arange(1, events + 1) ** 0.6
    codes = rng.choice(events, sizes.sum(), p=weights / weights.sum())
    names = pd.Series([f"e{i:04}" for i in range(events)], dtype="str")
    return pd.DataFrame(
        {
            "seq_id": np.arange(sizes.sum()),
            "event": names.take(codes).reset_index(drop=True),
            "time": np.repeat(np.arange(points), sizes),
        }
    )


def pooled_with_200(frame: pd.DataFrame) -> Asked:
    """Draw 200 sensitive events among those that reach delta in some prefix."""
    counts = frame.groupby(["time", "event"]).size().rename("count").reset_index()
    length = counts.groupby("time")["count"].sum().cumsum()
    reached = counts.groupby("event")["count"].cumsum()
    frequent = sorted(counts["event"][reached >= DELTA * counts["time"].map(length)].unique())
    events = np.random.default_rng(0).choice(frequent, 200, replace=False)
    return Asked(frame, DELTA, {"events": events, "scope": "table"})


def bpic2012() -> Asked:
    """Take the three most frequent events of the loan log, or of a generated one."""
    frame = real("bpic2012")
    if frame is None:
        frame = like_syn(26_000, 24, 10).assign(seq_id=lambda df: df["time"] // 2)
    events = list(frame["event"].value_counts().index[:3])
    return Asked(frame, 0.3, {"events": events, "scope": "sequence"})


def sanitize(asked: Asked) -> pd.DataFrame:
    """Run from frame to frame."""
    return asked.frame.seqpriv.sanitize(asked.delta, **asked.asked)


class Counted(NamedTuple):
    """The first time points (the programme's memory allows 20,000) and five frequent events."""

    counts: Array  # number of the time point, event, how often
    lengths: Array
    squares: Array
    alphabet: int
    events: list[int]


def counted(points: int) -> Counted:
    """Count events per time point."""
    frame = entree()
    frame = frame[frame["time"] <= np.sort(frame["time"].unique())[points - 1]]
    part = pooled.summarise(sequences_of(frame, Columns()))[0]
    moments, codes, occurrences = part.counts.T
    lengths = np.bincount(moments, occurrences).astype(np.int64)
    squares = np.bincount(moments, occurrences * (occurrences + 1))
    events = np.bincount(codes, occurrences).argsort()[::-1][:5].tolist()
    return Counted(part.counts, lengths, squares, len(part.vocabulary), events)


def greedy_walk(task: Counted) -> list[float]:
    """Sanitize each of the five events alone, as the library does; the deletions cost the least error."""
    deleted = []
    for event in task.events:
        rank = np.full(task.alphabet, -1)
        rank[event] = 0
        requirement = Requirement(rank, task.alphabet, NUMERATOR, DENOMINATOR, 0)
        chosen = choose_deletions(task.counts, requirement, True, 0, np.zeros(2, np.int64))
        deleted.append(float(chosen.sum()))
    return deleted


def dynamic_programme(task: Counted) -> list[float]:
    """Do the same with the paper's programme, its errors in closed form; it returns the least errors."""
    errors = []
    for event in task.events:
        rows = task.counts[task.counts[:, 1] == event]
        counts = np.bincount(rows[:, 0], rows[:, 2], minlength=task.lengths.size).astype(np.int64)
        errors.append(odesa(counts, task.lengths, task.squares, task.alphabet, NUMERATOR, DENOMINATOR))
    return errors


def facts_of(asked: Asked, released: pd.DataFrame) -> dict[str, Any]:
    """Tell the error beside the paper's iteration, what the check refuses, and what there was."""
    frame, scope = asked.frame, asked.asked["scope"]
    essa = frame.seqpriv.sanitize(asked.delta, **asked.asked, method="essa")
    errors = [
        pdseqpriv.compare(frame, side, scope=scope).set_index("measure")["value"]["sanitization_error"]
        for side in (released, essa)
    ]
    verdict = pdseqpriv.verify.is_sanitized(released, asked.delta, **asked.asked)
    return {
        BROKEN: int(verdict.violations),
        WORSE: float(errors[0] / errors[1]),
        "joint": float(errors[0]),
        "ESSA": float(errors[1]),
        "events": len(frame),
        "distinct events": int(frame["event"].nunique()),
        "time points": int(frame["time"].nunique()),
    }


RIGHT = (Shown(BROKEN, "exactly", 0), Shown(WORSE, "at most", 1, beside=("joint", "ESSA")))
CASES = [
    Case(
        "sanitize, entree pooled, 200 events",
        lambda: pooled_with_200(entree()),
        sanitize,
        (
            in_units(1),
            Memory(30),
            *RIGHT,
            Shown("events", "exactly", 239_790),
            Shown("distinct events", "exactly", 5_005),
            Shown("time points", "exactly", 50_365),
        ),
        facts=facts_of,
    ),
    Case(
        "sanitize, 1.8M events pooled",
        lambda: pooled_with_200(like_syn()),
        sanitize,
        (in_units(3), *RIGHT),
        facts=facts_of,
    ),
    Case("sanitize, bpic2012 per sequence", bpic2012, sanitize, (in_units(1), *RIGHT), facts=facts_of),
    *race(
        Runner("sanitize, one event", greedy_walk),
        Runner("ODESA with the test of figure 2", dynamic_programme),
        sizes=(2_000, 6_000, 20_000),
        counted="time points of entree",
        prepare=counted,
        targets=lambda theirs: (Target(0.01, (theirs,)),),
    ),
]
