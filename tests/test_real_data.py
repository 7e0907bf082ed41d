"""Known answers on real tables; skipped where the data are absent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import verify

pytestmark = pytest.mark.filterwarnings("ignore:(k_anonymize. dropped|.*other columns can identify people)")


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


def five_to_25_events(path):
    """Sequences of msnbc as in the k-anonymity paper."""
    frame = pd.read_parquet(path)
    length = frame.groupby("seq_id")["event"].transform("size")
    return frame[length.between(5, 25)].reset_index(drop=True)


def frequent_pattern_values(original, released):
    return pdseqpriv.compare(original, released, min_support=0.015).set_index("measure")["value"]


def test_msnbc_by_the_papers_method(real_data):
    frame = five_to_25_events(real_data("msnbc"))
    assert frame["seq_id"].nunique() == 286_260
    assert len(frame.seqpriv.mine(0.015)) == 551
    # Ties go to the first path; the known answers were found with pages in the order of their first use.
    order = {page: place for place, page in enumerate(pd.read_parquet(real_data("msnbc"))["event"].unique())}
    numbered = frame.assign(event=frame["event"].map(order).astype("int64"))
    released = numbered.seqpriv.k_anonymize(10, method="prefix_tree")
    assert verify.is_k_anonymous(numbered, released, 10)
    values = frequent_pattern_values(numbered, released)
    assert round(values["f_measure"], 3) == 0.625
    assert round(values["support_similarity"], 2) == 0.73
    assert values["sequences_lost"] < 0.001
    released = frame.seqpriv.k_anonymize(500, method="prefix_tree")
    assert round(frequent_pattern_values(frame, released)["f_measure"], 2) == 0.44


def test_msnbc_by_shared_subsequences(real_data):
    frame = five_to_25_events(real_data("msnbc"))
    for k, least in ((10, 0.78), (500, 0.57)):
        released = frame.seqpriv.k_anonymize(k)
        assert verify.is_k_anonymous(frame, released, k)
        values = frequent_pattern_values(frame, released)
        assert values["f_measure"] >= least
        assert values["pattern_precision"] == 1
        assert values["sequences_lost"] == 0


def test_purchases_are_sets(real_data):
    frame = pd.read_parquet(real_data("online_retail"))
    released = frame.seqpriv.k_anonymize(20)
    assert verify.is_k_anonymous(frame, released, 20)
    assert released.duplicated(["seq_id", "time"]).any()
