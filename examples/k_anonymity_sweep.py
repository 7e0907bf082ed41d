"""How much of the frequent patterns is left as k grows: both methods, and what strict costs.

``python k_anonymity_sweep.py chart.png`` also draws it, if matplotlib is installed.
"""

from __future__ import annotations

import sys

import pandas as pd

import pdseqpriv

LEVELS = [5, 20, 80]
MIN_SUPPORT = 0.02


def main() -> None:
    df = pdseqpriv.datasets.make_clickstream(4_000, n_pages=20, seed=1)
    results = pd.DataFrame(
        measure(df, k, method, strict=strict)
        for method in ("subsequence", "prefix_tree")
        for strict in (False, True)
        for k in LEVELS
    )
    print(
        f"Patterns in at least {MIN_SUPPORT:.0%} of {df['seq_id'].nunique():,} visits: F-measure and SupSim"
    )
    for row in results.itertuples():
        bar = "#" * round(30 * row.f_measure)
        kind = f"{row.method}{' strict' if row.strict else ''}"
        print(f"k={row.k:<3} {kind:<19} F {row.f_measure:.2f} SupSim {row.support_similarity:.2f} {bar}")
    if len(sys.argv) > 1:
        draw(results, sys.argv[1])


def measure(df: pd.DataFrame, k: int, method: str, *, strict: bool) -> dict[str, object]:
    released = df.seqpriv.k_anonymize(k, method=method, strict=strict)
    pdseqpriv.verify.is_k_anonymous(df, released, k, strict=strict).raise_if_violated()
    values = pdseqpriv.compare(df, released, min_support=MIN_SUPPORT).set_index("measure")["value"]
    asked = {"k": k, "method": method, "strict": strict}
    return {**asked, **values[["f_measure", "support_similarity"]]}


def draw(results: pd.DataFrame, path: str) -> None:
    wide = results.assign(method=results["method"] + results["strict"].map({False: "", True: " strict"}))
    for name in ("f_measure", "support_similarity"):
        chart = wide.pivot_table(index="k", columns="method", values=name).plot(
            marker="o", logx=True, title=name
        )
        chart.figure.savefig(path.replace(".png", f"_{name}.png"))


if __name__ == "__main__":
    main()
