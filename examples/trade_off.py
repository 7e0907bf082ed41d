"""The price of privacy: the better people are protected, the less of the data is left.

``python trade_off.py curve.svg`` also draws the curve, if matplotlib is installed.
"""

from __future__ import annotations

import sys

import pandas as pd

import pdseqpriv


def main() -> None:
    log = pdseqpriv.datasets.make_event_log(2_000, seed=1)
    before = log.seqpriv.risk(known=3).iloc[0]
    print("Hospital cases. Someone who knows three events of a patient, and picks one of the records that")
    print(f"contain them, finds the patient with a probability of up to {before.worst_probability:.0%}.")
    print("After k_anonymize(k):")
    curve = log.seqpriv.sweep("k_anonymize", k=[2, 5, 10, 50, 100], known=3, min_support=0.1)
    for row in curve.itertuples():
        bar = "#" * round(40 * row.events_kept)
        kept = f"{row.events_kept:4.0%} of the events, F-measure of patterns {row.f_measure:.2f}"
        print(f"k={row.k:<4} probability up to {row.worst_probability:5.1%}, {kept}  {bar}")
    if len(sys.argv) > 1:
        draw(curve, sys.argv[1])


def draw(curve: pd.DataFrame, path: str) -> None:
    chart = curve.plot(x="worst_probability", y=["events_kept", "f_measure"], marker="o", logx=True)
    chart.set(
        xlabel="highest probability of being found, three events known", ylabel="what is left", ylim=(0, 1)
    )
    for row in curve.itertuples():
        chart.annotate(f"k={row.k}", (row.worst_probability, row.events_kept))
    chart.figure.savefig(path)


if __name__ == "__main__":
    main()
