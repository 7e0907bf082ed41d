"""Which level of k-anonymity withstands which attack, and what it costs.

``python k_anonymity_sweep.py chart.png`` also draws it, if matplotlib is installed.
"""

from __future__ import annotations

import sys

import pandas as pd

import pdseqpriv

K = 10
MIN_SUPPORT = 0.02
METHODS = ["subsequence", "prefix_tree"]
GUARANTEES = ["contained", "mutual", "identical"]
COLUMNS = {
    "worst_probability": "contains all",
    "linkage_mean_probability": "best match",
    "linkage_below_k_share": f"above 1/{K}",
    "events_kept": "events kept",
    "f_measure": "F-measure",
}


def main() -> None:
    df = pdseqpriv.datasets.make_clickstream(4_000, n_pages=20, seed=1)
    results = df.seqpriv.sweep(
        "k_anonymize", k=K, method=METHODS, guarantee=GUARANTEES, min_support=MIN_SUPPORT
    )
    print(f"{df['seq_id'].nunique():,} visits, k = {K}. How likely are attackers to find a visitor?")
    print("- contains all: highest probability if two clicks are known and a record must contain both")
    print(
        "- best match: average probability if the whole visit is known and the record that fits best is taken"
    )
    print(f"- above 1/{K}: share of visitors who are then found with a probability above 1/{K}")
    shown = results[["method", "guarantee", *COLUMNS]].rename(columns=COLUMNS)
    print(shown.round(2).to_string(index=False))
    if len(sys.argv) > 1:
        draw(results, sys.argv[1])


def draw(results: pd.DataFrame, path: str) -> None:
    axes = results.plot.scatter("linkage_below_k_share", "events_kept")
    for row in results.itertuples():
        axes.annotate(f"{row.method}, {row.guarantee}", (row.linkage_below_k_share, row.events_kept))
    axes.figure.savefig(path)


if __name__ == "__main__":
    main()
