"""Draw pictures/before_after.svg for the landing page and the README: ``python docs/draw.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import pdseqpriv

PICTURE = Path(__file__).parent / "pictures" / "before_after.svg"


def main() -> None:
    log = pdseqpriv.datasets.make_event_log(1_000, seed=1)[["seq_id", "event", "time"]]
    released = log.seqpriv.k_anonymize(10, guarantee="identical", seed=1)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    pdseqpriv.plot.sequences(log, 40, after=released, ax=list(axes))
    # Text stays text, and the same picture is the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pdseqpriv"}):
        figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
