"""k-anonymity of event logs: ``k_anonymize`` beside PRETSA, in time and in what is left."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Shown
from benchmarks.data import plain, table
from benchmarks.papers.pretsa import pretsa

LOGS = {"sepsis": 0.3, "bpic2012": 0.3}  # the support from which on a pattern counts as frequent
K = 10
WORST = "worst chance of being found, 2 known"
OURS: dict[str, dict[str, Any]] = {
    "k_anonymize": {},
    "k_anonymize, mutual": {"guarantee": "mutual"},
    "k_anonymize, identical": {"guarantee": "identical"},
    "k_anonymize, prefix_tree": {"method": "prefix_tree"},
}


def log(name: str) -> pd.DataFrame:
    """Return a log whose events are all in order."""
    return plain(table(name))


def what_is_left(min_support: float, original: pd.DataFrame, released: pd.DataFrame) -> dict[str, Any]:
    """Compare, count what nobody had, and check."""
    attack = released.seqpriv.risk(2, original=original)["worst_probability"].iloc[0]
    measures = pdseqpriv.compare(original, released, min_support=min_support).set_index("measure")["value"]
    return {
        "events": len(released) / len(original),
        "f_measure": float(measures["f_measure"]),
        "lost": float(measures["sequences_lost"]),
        WORST: float(attack),
        "from the release alone": float(released.seqpriv.risk(2)["worst_probability"].iloc[0]),
        "violations": int(pdseqpriv.verify.is_k_anonymous(original, released, K).violations),
    }


def anonymize(options: dict[str, Any], frame: pd.DataFrame) -> pd.DataFrame:
    """Run from frame to frame."""
    return frame.seqpriv.k_anonymize(K, **options)


def theorem(options: dict[str, Any]) -> tuple[Shown, ...]:
    """Hold the chances of an attacker against 1/k; stronger levels promise it of the release alone too."""
    alone = (Shown("from the release alone", "at most", 1 / K),) if "guarantee" in options else ()
    return (Shown("violations", "exactly", 0), Shown(WORST, "at most", 1 / K), *alone)


def cases_of(name: str, min_support: float) -> list[Case]:
    """Race on one log."""
    facts = partial(what_is_left, min_support)
    theirs = Case(
        f"PRETSA, {name}",
        partial(log, name),
        lambda df: pretsa(df, K),
        facts=facts,
        warm_up=lambda: log(name).head(500),
    )
    ours = [
        Case(
            f"{who}, {name}",
            partial(log, name),
            partial(anonymize, options),
            theorem(options),
            facts=facts,
            beside=theirs.name,
        )
        for who, options in OURS.items()
    ]
    return [theirs, *ours]


CASES = [case for name, min_support in LOGS.items() for case in cases_of(name, min_support)]
