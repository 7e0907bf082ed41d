"""Hide two routes in trips, with the paper's four algorithms and with ours.

Abul et al. 2007 name their algorithms by what is chosen by a rule (H) or at random (R): first the positions
in a trip, then the trips that are left as they are. M1 counts marks; M2 and M3 measure what is lost of the
patterns that at least ``max_support`` trips contain.
"""

from __future__ import annotations

import pandas as pd

import pdseqpriv

PATTERNS = ["x5y4 -> x6y4", "x5y5 -> x4y4"]
THRESHOLDS = [8, 16, 24]
ALGORITHMS = {
    "HH": {"marking": "greedy", "selection": "shared"},
    "HR": {"marking": "greedy", "selection": "random"},
    "RH": {"marking": "random", "selection": "shared"},
    "RR": {"marking": "random", "selection": "random"},
    "ours": {},
}


def main() -> None:
    df = pdseqpriv.datasets.make_trajectories(1_000, seed=1)
    supports = pdseqpriv.verify.is_hidden(df, PATTERNS).details["support"].tolist()
    print(f"{df['seq_id'].nunique():,} trips; {supports[0]} and {supports[1]} of them take the two routes.\n")
    rows = [measure(df, name, threshold) for threshold in THRESHOLDS for name in ALGORITHMS]
    print(pd.concat(rows, axis=1).T.to_string(index=False))


def measure(df: pd.DataFrame, name: str, threshold: int) -> pd.Series:
    released = df.seqpriv.hide(PATTERNS, max_support=threshold, **ALGORITHMS[name])
    pdseqpriv.verify.is_hidden(released, PATTERNS, threshold).raise_if_violated()
    measured = pdseqpriv.compare(df, released, min_support=threshold).set_index("measure")["value"]
    told = {"max_support": threshold, "algorithm": name, "M1": int(measured["M1"])}
    return pd.Series({**told, **{key: f"{measured[key]:.3%}" for key in ("M2", "M3")}})


if __name__ == "__main__":
    main()
