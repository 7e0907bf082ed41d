"""Whoever has only a release picks the rows that were replaced: those with the rarest neighbours.

The attacker counts how often two events follow each other in the release, and takes as many rows as were
replaced, those whose pairs with the events before and after are rarest.

``python -m tests.hiding.replaced_rows`` prints the numbers of docs/threats.md.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

import pdseqpriv
from tests.conftest import DATA

CASES = {
    "trucks": ["x6y3 -> x7y2", "x4y3 -> x5y3"],
    "bpic2012": ["A_DECLINED"],
    "sepsis": ['"ER Triage" -> "IV Antibiotics"'],
}


def rarity(release):
    """How often the pairs of each row with its neighbours occur; rows at an end count as frequent there."""
    before = release.groupby("seq_id")["event"].shift()
    after = release.groupby("seq_id")["event"].shift(-1)
    pairs = pd.Series(1, index=[before, release["event"]]).groupby(level=[0, 1]).size()
    frequent = pairs.max()

    def count(first, second):
        found = pairs.reindex(pd.MultiIndex.from_arrays([first, second])).to_numpy()
        return np.where(first.isna() | second.isna(), frequent, found)

    return count(before, release["event"]) + count(release["event"], after)


def picked(table, patterns, seed=0):
    """Return how many rows were replaced, and how many of as many guesses are right."""
    table = table.sort_values(["seq_id", "time"], kind="stable")[["seq_id", "event", "time"]]
    release = pdseqpriv.hide(table, patterns, output="replace", seed=seed)
    replaced = table["event"].to_numpy() != release["event"].to_numpy()
    guesses = np.argsort(rarity(release), kind="stable")[: replaced.sum()]
    return int(replaced.sum()), int(replaced[guesses].sum()), len(table)


def main():
    warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
    for name, patterns in CASES.items():
        replaced, right, rows = picked(pd.read_parquet(DATA / f"{name}.parquet"), patterns)
        print(f"{name}: {replaced} of {rows} rows replaced, {right} of as many guesses right")  # noqa: T201 (a script)


if __name__ == "__main__":
    main()
