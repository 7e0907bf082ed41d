"""Draw pictures/before_after.svg for the landing page and the README: ``python docs/draw.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import pdseqpriv

PICTURE = Path(__file__).parent / "pictures" / "before_after.svg"
CASES = 40


def main(picture: str | Path = PICTURE) -> None:
    log = pdseqpriv.datasets.make_event_log(1_000, seed=1)[["seq_id", "event", "time"]]
    released, key = log.seqpriv.k_anonymize(10, guarantee="identical", with_key=True, seed=1)
    drawn = key.dropna().sample(CASES, random_state=3)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    before = numbered(log, drawn["seq_id"])
    pdseqpriv.plot.sequences(before, CASES, after=numbered(released, drawn["released_id"]), ax=list(axes))
    # Text stays text, and the same picture is the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pdseqpriv"}):
        figure.savefig(picture, metadata={"Date": None})


def numbered(table: pd.DataFrame, ids: pd.Series) -> pd.DataFrame:
    """Return the rows of these ids, numbered in this order: a case has the same place on both sides."""
    places = pd.Series(range(len(ids)), index=ids.to_numpy())
    rows = table[table["seq_id"].isin(ids)]
    return pd.DataFrame(rows).assign(seq_id=rows["seq_id"].map(places))


if __name__ == "__main__":
    main(*sys.argv[1:])
