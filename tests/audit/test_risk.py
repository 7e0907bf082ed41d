"""The linking attack, against brute force and on real data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.errors import SeqPrivError
from tests.audit import naive_risk as naive
from tests.sequences import naive as naive_table
from tests.strategies import plain_rows, plain_table, tables

MEASURES = [
    "people",
    "unique_share",
    "below_k_share",
    "worst_probability",
    "mean_worst_probability",
    "mean_probability",
]


def elements_of(rows):
    return [naive_table.unmarked(elements) for elements in naive_table.sequences(rows).values()]


def assert_same(found, expected):
    for name in MEASURES:
        assert found[name] == pytest.approx(expected[name], abs=1e-12), name


@given(plain_rows(max_rows=18, n_events=3).filter(bool), st.integers(1, 4), st.integers(2, 4), st.booleans())
def test_risk_is_what_brute_force_finds(rows, known, k, in_order):
    people = elements_of(rows)
    if not in_order:
        people = [naive.any_order(elements) for elements in people]
    found = plain_table(rows).seqpriv.risk(known, k=k, in_order=in_order).iloc[0]
    assert_same(found, naive.risk(people, people, known, k))
    assert found["unique_low"] == found["unique_share"] == found["unique_high"]
    assert found["method"] == "exact"


@given(plain_rows(max_rows=14, n_events=3).filter(bool), st.integers(1, 3), st.integers(2, 4), st.randoms())
def test_risk_of_a_release_is_that_of_the_theorem(rows, known, k, random):
    released = [row for row in rows if random.random() < 0.7]
    people, left = elements_of(rows), elements_of(released)
    if not {row[1] for row in released} - {None}:
        return
    found = plain_table(released).seqpriv.risk(known, k=k, original=plain_table(rows)).iloc[0]
    assert_same(found, naive.risk(people, left, known, k))


@given(plain_rows(max_rows=12, n_events=3).filter(bool), st.integers(3, 13), st.booleans(), st.randoms())
def test_risk_of_knowing_nearly_everything_is_what_brute_force_finds(rows, known, in_order, random):
    released = [row for row in rows if random.random() < 0.7]
    people, left = elements_of(rows), elements_of(released)
    if not {row[1] for row in released} - {None}:
        return
    if not in_order:
        people, left = ([naive.any_order(elements) for elements in table] for table in (people, left))
    options = {"k": 2, "in_order": in_order}
    alone = plain_table(rows).seqpriv.risk(known, **options).iloc[0]
    assert_same(alone, naive.risk(people, people, known, 2))
    found = plain_table(released).seqpriv.risk(known, original=plain_table(rows), **options).iloc[0]
    assert_same(found, naive.risk(people, left, known, 2))


@pytest.mark.parametrize("known", [48, 49, 50, 10**6])
def test_knowing_nearly_everything_of_long_sequences_ends(known):
    # Trying every beginning of what may be known would take longer than anybody lives.
    events = np.random.default_rng(1).integers(0, 3, 40 * 50)
    frame = pd.DataFrame({"seq_id": np.arange(40 * 50) // 50, "event": events, "time": np.arange(40 * 50)})
    found = frame.seqpriv.risk(known).iloc[0]
    assert (found["people"], found["unique_share"]) == (40, 1)
    assert found["known_sets"] >= 40


@given(plain_rows(max_rows=14, n_events=3).filter(bool), st.integers(1, 3), st.sampled_from([None, 5]))
def test_risk_with_times_is_that_of_events_and_moments(rows, known, width):
    people = []
    for owner in sorted({row[0] for row in rows}):
        own = [(e, t // width if width else t) for o, e, t in rows if o == owner and e is not None]
        people.append([[thing] for thing in sorted(own)])
    found = plain_table(rows).seqpriv.risk(known, k=2, with_time=True, resolution=width).iloc[0]
    assert_same(found, naive.risk(people, people, known, 2))


@given(tables(), st.randoms(use_true_random=False))
def test_risk_does_not_depend_on_row_order_or_types(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    before = frame.copy(deep=True)
    first = frame.seqpriv.risk([1, 2])
    pd.testing.assert_frame_equal(first, frame.iloc[order].seqpriv.risk([1, 2]))
    pd.testing.assert_frame_equal(frame, before)


def test_datetimes_at_a_resolution():
    times = pd.to_datetime(["2024-01-01 10:05", "2024-01-01 10:50", "2024-01-01 11:00", "2024-01-02 10:05"])
    frame = pd.DataFrame({"seq_id": [1, 2, 3, 4], "event": list("aaaa"), "time": times})
    risks = {
        width: frame.seqpriv.risk(1, with_time=True, resolution=width)["unique_share"].iloc[0]
        for width in ("minute", "hour", "day")
    }
    assert risks == {"minute": 1.0, "hour": 0.5, "day": 0.25}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
@pytest.mark.parametrize(
    ("width", "together"),
    [
        ("1h", "ab c d e f"),
        ("hour", "ab c d e f"),
        ("90min", "ab c d e f"),
        (pd.Timedelta("3h"), "abc d e f"),
        ("1D", "abc d e f"),
        ("1d", "abc d e f"),
        ("week", "abcd ef"),
        ("1ms", "a b c d e f"),
    ],
)
def test_datetimes_within_any_span(unit, zone, width, together):
    # From a Monday to the next one, but for the last two, which are of the week after.
    times = ["01-01 10:05", "01-01 10:50", "01-01 11:01", "01-07 10:05", "01-08 00:00", "01-09 00:00"]
    stamps = pd.to_datetime([f"2024-{time}" for time in times]).tz_localize("UTC").tz_convert(zone)
    frame = pd.DataFrame({"seq_id": range(6), "event": "a", "time": stamps.as_unit(unit)})
    if zone is None:
        frame["time"] = frame["time"].dt.tz_localize(None)
    found = frame.seqpriv.risk(1, with_time=True, resolution=width)
    alone = [group for group in together.split() if len(group) == 1]
    assert found["unique_share"].item() == pytest.approx(len(alone) / 6)
    assert found["mean_probability"].item() == pytest.approx(len(together.split()) / 6)


def test_people_without_events_hide_among_all():
    frame = pd.DataFrame({"seq_id": [1, 2, 3], "event": ["a", None, None], "time": [1, 1, 1]})
    row = frame.seqpriv.risk(1).iloc[0]
    assert row["unique_share"] == pytest.approx(1 / 3)
    assert row["mean_probability"] == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_an_empty_table_has_no_risk():
    row = pd.DataFrame(columns=["seq_id", "event", "time"]).seqpriv.risk(2).iloc[0]
    assert row["people"] == 0
    assert np.isnan(row["unique_share"])


def test_a_release_is_measured_by_the_k_that_it_was_made_with():
    frame = pdseqpriv.datasets.make_event_log(400, seed=3)[["seq_id", "event", "time"]]
    released = frame.seqpriv.k_anonymize(3)
    by_default = released.seqpriv.risk(2, original=frame)
    pd.testing.assert_frame_equal(by_default, released.seqpriv.risk(2, original=frame, k=3))
    assert by_default["worst_probability"].item() <= 1 / 3
    assert by_default["below_k_share"].item() == 0
    assert released.seqpriv.risk(2, original=frame, k=10)["below_k_share"].item() > 0
    # Without the original, or without a record, it is 10.
    with pytest.warns(pdseqpriv.PrivacyWarning, match="Give original="):
        pd.testing.assert_frame_equal(released.seqpriv.risk(2), released.seqpriv.risk(2, k=10))
    released.attrs = {}
    pd.testing.assert_frame_equal(
        released.seqpriv.risk(2, original=frame), released.seqpriv.risk(2, original=frame, k=10)
    )


@pytest.mark.parametrize("seed", range(5))
def test_samples_are_consistent_with_everybody(seed):
    frame = pdseqpriv.datasets.make_clickstream(2_000, n_pages=30, seed=1)
    exact = frame.seqpriv.risk(3).iloc[0]
    drawn = frame.seqpriv.risk(3, sample=400, seed=seed).iloc[0]
    assert (exact["method"], drawn["method"]) == ("exact", "sampled")
    assert drawn["unique_low"] <= exact["unique_share"] <= drawn["unique_high"]
    assert drawn["unique_low"] < drawn["unique_share"] < drawn["unique_high"]
    assert drawn["mean_probability"] == pytest.approx(exact["mean_probability"], rel=0.25)
    again = frame.seqpriv.risk(3, sample=400, seed=seed).iloc[0]
    assert drawn.equals(again)


def test_a_sample_of_everybody_is_exact():
    frame = pdseqpriv.datasets.make_event_log(200, seed=1)
    pd.testing.assert_frame_equal(frame.seqpriv.risk(2, sample=200), frame.seqpriv.risk(2))


@pytest.mark.parametrize("name", ["sepsis", "bpic2012"])
def test_real_logs_are_exact_for_two_and_consistent_for_three(real_data, name):
    frame = pdseqpriv.read_parquet(real_data(name))
    risks = frame.seqpriv.risk([1, 2])
    assert risks["method"].tolist() == ["exact", "exact"]
    assert risks["unique_share"].is_monotonic_increasing
    exact = frame.seqpriv.risk(3, sample=10**9).iloc[0]
    drawn = frame.seqpriv.risk(3, sample=500).iloc[0]
    assert drawn["unique_low"] <= exact["unique_share"] <= drawn["unique_high"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known": 0}, "known must be an int of at least 1, got 0"),
        ({"known": []}, "known must be an int of at least 1, or a list of these, got an empty list"),
        ({"known": [2, "x"]}, "known must be an int of at least 1, got str"),
        ({"known": True}, "known must be an int"),
        ({"k": 1}, "k must be an int of at least 2, got 1"),
        ({"sample": 0}, "sample must be an int of at least 1, got 0"),
        ({"seed": -1}, "seed must be an int of at least 0, got -1"),
        ({"resolution": 5}, "resolution must be left out unless with_time=True"),
        ({"with_time": True, "resolution": "hour"}, "resolution must be a positive number"),
        ({"with_time": True, "resolution": -1}, "resolution must be a positive number"),
        ({"with_time": True, "resolution": 10**400}, "a positive number for numeric times, got int"),
        ({"with_time": True, "resolution": float("inf")}, "resolution must be a positive number"),
        ({"with_time": True, "resolution": float("nan")}, "resolution must be a positive number"),
        ({"with_time": True, "resolution": np.array(2)}, "resolution must be a positive number"),
        ({"with_time": True, "resolution": 0.5}, "a whole number where times are whole numbers, got 0.5"),
        ({"with_time": "x"}, "with_time must be True or False, got str"),
        ({"with_time": None}, "with_time must be True or False, got NoneType"),
        ({"in_order": 1}, "in_order must be True or False, got int"),
        ({"in_order": np.array(True)}, "in_order must be True or False, got ndarray"),
        ({"known": np.array(2)}, "known must be an int of at least 1, got ndarray"),
        ({"known": 10**400}, "known must be an int of at most"),
        ({"k": np.array(3)}, "k must be an int of at least 2, got ndarray"),
    ],
)
def test_bad_options_are_named(options, said):
    frame = pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [1]})
    with pytest.raises(SeqPrivError) as caught:
        frame.seqpriv.risk(**options)
    assert said in str(caught.value)


def test_knowing_more_than_there_is_is_knowing_all():
    frame = pdseqpriv.datasets.make_event_log(20, seed=1)
    most = int(frame.groupby("seq_id").size().max())
    columns = ["unique_share", "worst_probability", "mean_probability"]
    everything, more = (frame.seqpriv.risk(m)[columns] for m in (most, 2**53))
    pd.testing.assert_frame_equal(everything, more)


def test_a_resolution_for_datetimes_is_a_word():
    frame = pd.DataFrame({"seq_id": [1], "event": ["a"], "time": pd.to_datetime(["2024-01-01"])})
    for wrong in (["day"], 5, "fortnight", "0s", "-1h", 3.5, "7", pd.Timedelta("-1h")):
        with pytest.raises(SeqPrivError, match=r"resolution must be one of 'second', .* such as '1h'"):
            frame.seqpriv.risk(1, with_time=True, resolution=wrong)


def test_events_and_ids_of_any_size():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": [10**30, -(10**30)], "time": [1, 1]}, dtype=object)
    frame = frame.astype({"time": "int64"}).assign(seq_id=[10**40, 7])
    assert frame.seqpriv.risk(1)["unique_share"].item() == 1
    with pytest.raises(SeqPrivError):
        frame.assign(time=pd.Series([10**30, 1], dtype=object)).seqpriv.risk(1, with_time=True)


def test_tables_that_do_not_belong_together():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "b"], "time": [1, 1]})
    with pytest.raises(SeqPrivError, match="no event of the release occurs in the original"):
        frame.assign(event=["x", "y"]).seqpriv.risk(1, original=frame)
    with pytest.raises(SeqPrivError, match="more sequences than the original"):
        frame.seqpriv.risk(1, original=frame.head(1))
    clock = frame.assign(time=pd.to_datetime(["2024-01-01", "2024-01-02"]))
    with pytest.raises(SeqPrivError, match="different kinds of times"):
        frame.seqpriv.risk(1, original=clock, with_time=True)
    with pytest.raises(SeqPrivError, match="no column 'event'"):
        frame.seqpriv.risk(1, original=frame.rename(columns={"event": "url"}))
