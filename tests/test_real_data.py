"""Known answers on real tables; skipped where the data are absent."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pdseqpriv
from pdseqpriv import verify


def frequent_somewhere(frame, delta):
    """Events that reach delta in some prefix of the table pooled by time."""
    counts = frame.groupby(["time", "event"]).size().rename("count").reset_index()
    length = counts.groupby("time")["count"].sum().cumsum()
    reached = counts.groupby("event")["count"].cumsum()
    return sorted(counts["event"][reached >= delta * counts["time"].map(length)].unique())


def test_entree_pooled(real_data):
    frame = pd.read_parquet(real_data("entree"))
    assert (len(frame), frame["event"].nunique(), frame["time"].nunique()) == (239_790, 5_005, 50_365)
    events = np.random.default_rng(0).choice(frequent_somewhere(frame, 0.001), 200, replace=False)
    released = frame.seqpriv.sanitize(0.001, events=events, scope="table")
    assert verify.is_sanitized(released, 0.001, events=events, scope="table")
    essa = frame.seqpriv.sanitize(0.001, events=events, scope="table", method="essa")
    assert verify.is_sanitized(essa, 0.001, events=events, scope="table")
    errors = [
        pdseqpriv.compare(frame, side, scope="table").set_index("measure")["value"]["sanitization_error"]
        for side in (released, essa)
    ]
    assert errors[0] < errors[1]


def test_bpic2012_per_case(real_data):
    frame = pd.read_parquet(real_data("bpic2012"))
    events = list(frame["event"].value_counts().index[:3])
    released = frame.seqpriv.sanitize(0.3, events=events)
    assert not verify.is_sanitized(frame, 0.3, events=events)
    assert verify.is_sanitized(released, 0.3, events=events)
    others = ~frame["event"].isin(events)
    kept = released[~released["event"].isin(events)]
    pd.testing.assert_frame_equal(kept.reset_index(drop=True), frame[others].reset_index(drop=True))
