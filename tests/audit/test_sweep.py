"""Several settings side by side, and what theorem 1 promises about them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.errors import SeqPrivError
from tests.strategies import plain_rows, plain_table


@pytest.fixture(scope="module")
def log():
    return pdseqpriv.datasets.make_event_log(400, seed=3)[["seq_id", "event", "time"]]


def test_sweep_gives_what_single_calls_give(log):
    frame = log.seqpriv.sweep(
        "k_anonymize", k=[2, 30], guarantee=["contained", "mutual"], known=1, min_support=0.2
    )
    assert frame["guarantee"].tolist() == ["contained", "mutual"] * 2
    assert frame["k"].tolist() == [2, 2, 30, 30]
    released = log.seqpriv.k_anonymize(30, guarantee="mutual")
    last = frame.iloc[3]
    risks = released.seqpriv.risk(1, original=log, k=30).iloc[0]
    assert last["mean_probability"] == risks["mean_probability"]
    again, key = log.seqpriv.k_anonymize(30, guarantee="mutual", with_key=True)
    linked = again.seqpriv.risk(original=log, key=key, attack="linkage", knows="whole")
    for name in ("unique_share", "below_k_share", "worst_probability", "mean_probability"):
        assert last[f"linkage_{name}"] == linked[name].max()
    values = pdseqpriv.compare(log, released, min_support=0.2).set_index("measure")["value"]
    pd.testing.assert_series_equal(last[values.index].astype(float), values, check_names=False)


def test_a_k_that_is_not_swept_counts_too(log):
    frame = log.seqpriv.sweep("k_anonymize", k=3, guarantee=["contained", "mutual"], min_support=None)
    assert (frame["worst_probability"] <= 1 / 3).all()


def test_more_privacy_costs_utility(log):
    frame = log.seqpriv.sweep("k_anonymize", k=[2, 20, 200])
    assert frame["events_kept"].is_monotonic_decreasing
    assert (frame["worst_probability"] <= 1 / frame["k"]).all()
    assert (frame["worst_probability"] > 0).all()
    assert "f_measure" not in frame
    assert frame["linkage_mean_probability"].is_monotonic_decreasing
    # What theorem 1 promises is no promise against those who link.
    assert (frame["linkage_worst_probability"] > 1 / frame["k"]).all()


def test_who_knows_less_finds_less(log):
    whole, few = (log.seqpriv.sweep("k_anonymize", k=[3, 30], knows=knows) for knows in ("whole", 2))
    assert (few["linkage_mean_probability"] < whole["linkage_mean_probability"]).all()
    assert (few["mean_probability"] == whole["mean_probability"]).all()


def test_other_operations_and_other_names(log):
    hidden = log.seqpriv.sweep("hide", patterns=[["triage -> x-ray"]], max_support=[0, 10], min_support=None)
    assert hidden["M1"].is_monotonic_decreasing
    assert hidden["linkage_mean_probability"].is_monotonic_increasing  # hide keeps ids: no key is needed
    renamed = log.rename(columns={"seq_id": "case", "event": "activity", "time": "at"})
    bound = renamed.seqpriv.using(seq_id="case", event="activity", time="at")
    cleaned = bound.sweep("sanitize", delta=[0.1, 0.3], events=[["death"]], min_support=None)
    assert cleaned["events_kept"].is_monotonic_increasing
    assert "death" not in cleaned.to_string()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"operation": "mine", "min_support": 0.5}, "operation must be"),
        ({"operation": 5, "k": [2]}, "operation must be .* got 5"),
        ({"operation": "k_anonymize", "k": 2}, "at least one setting must be a list"),
        ({"operation": "k_anonymize", "k": [2], "known": 0}, "known must be an int of at least 1"),
        ({"operation": "k_anonymize", "k": [1]}, "k must be an int of at least 2, got 1"),
        ({"operation": "k_anonymize", "k": []}, "and no list may be empty"),
        ({"operation": "k_anonymize", "k": (2, 3)}, "at least one setting must be a list"),
        ({"operation": "k_anonymize", "k": np.array(3)}, "at least one setting must be a list"),
        ({"operation": "k_anonymize", "k": [2], "kk": [1]}, "k_anonymize has no setting 'kk'; it has k, "),
        ({"operation": "sanitize", "delta": [0.1]}, "sanitize needs the setting 'events'"),
        ({"operation": "k_anonymize", "k": [2], "known": [1, 2]}, "known must be an int of at least 1"),
        ({"operation": "k_anonymize", "k": [2], "with_key": True}, "^sweep: with_key must be left out"),
        (
            {"operation": "k_anonymize", "k": [2], "knows": ["whole", 2]},
            "knows must be a single value, got several",
        ),
        ({"operation": "k_anonymize", "k": [2], "knows": "some"}, "^sweep: knows must be"),
        (
            {"operation": "sanitize", "delta": [0.1], "events": ["a", "b"]},
            r"^sweep: .* put it into a list: events=\[\[\.\.\.\]\]",
        ),
        ({"operation": "sanitize", "delta": [0.1], "events": [1, 2]}, "every value of events must itself be"),
        ({"operation": "k_anonymize", "k": [2], "min_support": "x"}, "^sweep: min_support must be"),
    ],
)
def test_bad_sweeps_are_named(log, arguments, said):
    with pytest.raises(SeqPrivError, match=said):
        log.seqpriv.sweep(**arguments)


def test_an_array_is_several_values(log):
    frame = log.seqpriv.sweep("k_anonymize", k=np.array([2, 30]), known=1, min_support=None)
    assert frame["k"].tolist() == [2, 30]


METHODS = st.sampled_from(["subsequence", "prefix_tree"])


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@given(plain_rows(max_rows=40, n_events=2, n_ids=6), st.integers(2, 4), st.integers(1, 4), METHODS)
def test_nobody_is_found_more_surely_than_one_in_k(rows, k, known, method):
    original = plain_table(rows)
    released = original.seqpriv.k_anonymize(k, method=method)
    if released.empty:
        return
    found = released.seqpriv.risk(known, k=k, original=original).iloc[0]
    assert found["worst_probability"] <= 1 / k
    assert found["below_k_share"] == 0


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@given(plain_rows(max_rows=40, n_events=2, n_ids=6), st.integers(2, 4), st.integers(1, 4), METHODS)
def test_a_mutual_release_shows_that_by_itself(rows, k, known, method):
    released = plain_table(rows).seqpriv.k_anonymize(k, method=method, guarantee="mutual")
    if released.empty:
        return
    found = released.seqpriv.risk(known, k=k).iloc[0]
    assert found["worst_probability"] <= 1 / k
    assert found["unique_share"] == 0


def test_generalize_is_swept(log):
    visits = log.head(600)
    frame = visits.seqpriv.sweep("generalize", k=[2, 5], time=["real", "since_start"], seed=3)
    assert frame["k"].tolist() == [2, 2, 5, 5]
    assert frame["unique_share"].isna().all()  # nobody has events to count candidates by
    assert (frame["linkage_worst_probability"] <= 1 / frame["k"]).all()
    assert (frame["linkage_below_k_share"] == 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        released, key = visits.seqpriv.generalize(k=5, time="since_start", seed=3, with_key=True)
    values = pdseqpriv.compare(visits, released, key=key).set_index("measure")["value"]
    pd.testing.assert_series_equal(frame.iloc[3][values.index].astype(float), values, check_names=False)
    ways = visits.seqpriv.sweep("generalize", k=5, intervals=["apart", "by_category"], seed=3)
    assert ways["ncp"].iloc[1] < ways["ncp"].iloc[0]
    assert (ways["linkage_worst_probability"] <= 1 / 5).all()
    with pytest.raises(SeqPrivError, match='min_support must be left out with "generalize"'):
        visits.seqpriv.sweep("generalize", k=[2, 5], min_support=0.5)
    with pytest.raises(SeqPrivError, match="every value of monitored must itself be a list"):
        visits.seqpriv.sweep("generalize", k=2, monitored=["a", "b"])
