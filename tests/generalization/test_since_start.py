"""Times that are counted from the first event of each sequence."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import InfeasibleError, PrivacyWarning, SeqPrivError, verify
from tests.generalization.cases import frame_of, generalized
from tests.strategies import plain_rows, plain_table

SHIFTED = {one: [("a", 100 * one), ("b", 100 * one + 5), ("c", 100 * one + 7)] for one in range(4)}
SINCE = {"time": "since_start"}


def counted_by_hand(frame):
    """Return the table in which the first event of every sequence is at 0; marked rows are anywhere."""
    rows = []
    for one in frame["seq_id"].unique():
        own = frame[frame["seq_id"] == one]
        there = own["time"][own["event"].notna()].tolist()
        rows += [own.assign(time=[time - min(there, default=0) for time in own["time"]])]
    return pd.concat(rows, ignore_index=True)


@given(
    plain_rows(max_rows=30, n_events=3, n_ids=8),
    st.sampled_from([{"k": 2}, {"k": 3}, {"k": 2, "diversity": (2, 1.5)}]),
    st.booleans(),
    st.sampled_from(["apart", "by_category"]),
)
def test_it_is_what_is_released_of_a_table_that_begins_at_0(rows, asked, all_monitored, intervals):
    frame = plain_table(rows)
    there = frame["event"].dropna()
    assume(len(there))
    monitored = None if all_monitored else [there.iloc[0]]
    assume("diversity" not in asked or (not all_monitored and len(set(there)) > 1))
    asked = {**asked, "monitored": monitored, "with_key": True, "seed": 3, "intervals": intervals}
    try:
        released, key = generalized(frame, **SINCE, **asked)
    except InfeasibleError:
        event("infeasible")
        return
    expected, expected_key = generalized(counted_by_hand(frame), **asked)
    pd.testing.assert_frame_equal(released, expected, check_dtype=False)
    both = key.merge(expected_key, on="seq_id", suffixes=("", "_expected"))
    assert both["released_id"].equals(both["released_id_expected"])
    wanted = {name: asked.get(name) for name in ("k", "diversity", "monitored", "intervals")}
    assert verify.is_generalized(frame, released, key, **wanted, **SINCE)
    assert verify.is_generalized(counted_by_hand(frame), released, expected_key, **wanted)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_datetimes_become_seconds(unit, zone):
    frame = frame_of(SHIFTED)
    frame["time"] = pd.Series(pd.Timestamp("2024-03-31") + pd.to_timedelta(frame["time"], "h")).dt.as_unit(
        unit
    )
    frame["time"] = frame["time"].dt.tz_localize("UTC").dt.tz_convert(zone)
    released, key = frame.seqpriv.generalize(k=4, with_key=True, **SINCE)
    assert sorted(set(released["time_from"])) == [0, 5 * 3600, 7 * 3600]
    assert released["time_from"].equals(released["time_to"])
    assert set(released["event"]) == {"a", "b", "c"}
    assert released.attrs["pdseqpriv"]["applied"][0]["parameters"]["time"] == "since_start"
    assert verify.is_generalized(frame, released, key, k=4, **SINCE)
    wrong = released.assign(time_from=released["time_from"] + 1, time_to=released["time_to"] + 1)
    assert not verify.is_generalized(frame, wrong, key, k=4, **SINCE)
    found = pdseqpriv.risk(released, original=frame, key=key, attack="linkage", knows="whole", k=4)
    assert found["mean_probability"].item() == 0.25
    loss = pdseqpriv.compare(frame, released, key=key).set_index("measure")["value"]
    assert loss["ncp"] == 0


@pytest.mark.parametrize(
    ("dtype", "times", "wide"),
    [
        ("int8", [-100, 120], "int64"),
        ("Int16", [-(2**15), 2**15 - 1], "int64"),
        ("int32[pyarrow]", [-(2**31), 2**31 - 1], "int64"),
        ("float32", [-0.1, 2.0**24], "float64"),
        ("float32[pyarrow]", [-3e38, 3e38], "float64"),
        ("int8", [-100, 20], "int8"),
        ("uint8", [0, 255], "uint8"),
        ("float32", [0.25, 4.0], "float32"),
    ],
)
def test_differences_that_the_type_of_the_times_cannot_hold_have_64_bits(dtype, times, wide):
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abab"), "time": pd.Series(times * 2)})
    frame["time"] = frame["time"].astype(dtype)
    is_short = dtype.startswith("float")
    first, last = (Fraction(str(np.float32(time) if is_short else time)) for time in frame["time"][:2])
    for monitored in (None, ["a"]):
        asked = {"k": 2, "monitored": monitored}
        released, key = frame.seqpriv.generalize(**asked, with_key=True, **SINCE)
        assert released["time_to"].tolist() == pytest.approx([0, float(last - first)] * 2, rel=1e-15)
        assert released.dtypes[["time_from", "time_to"]].astype(str).tolist() == [wide] * 2
        assert verify.is_generalized(frame, released, key, **asked, **SINCE)


def beginnings(first, unit, dtype="float64"):
    """Return a table in which everybody does the same, as written, from their own beginning on."""
    rows = [
        (one, event, unit(start) + unit(after))
        for one, start in enumerate(first)
        for event, after in zip("xyz", ("0", "0.1", "0.3"), strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    return frame.assign(time=frame["time"].astype(float).astype(dtype))


@pytest.mark.parametrize("monitored", [None, ["x"]])
@pytest.mark.parametrize(
    ("dtype", "first"),
    [
        ("float64", ["0.1", "0.7", "1000.3", "1711836000.1", "-7.2"]),
        ("float32", ["0.1", "0.7", "1000.3", "-7.2"]),
        ("float[pyarrow]", ["0.1", "0.7", "1000.3", "-7.2"]),
    ],
)
def test_rounding_does_not_show_when_a_sequence_began(dtype, first, monitored):
    frame = beginnings(first, Fraction, dtype)
    asked = {"k": 2, "monitored": monitored}
    released, key = frame.seqpriv.generalize(**asked, with_key=True, **SINCE)
    assert released["time_from"].tolist() == [0, 0.1, 0.3] * len(first)
    assert released["time_to"].equals(released["time_from"])
    assert verify.is_generalized(frame, released, key, **asked, **SINCE)
    moved = released.assign(**{name: released[name] + 1e-12 for name in ("time_from", "time_to")})
    assert not verify.is_generalized(frame, moved, key, **asked, **SINCE)


@pytest.mark.parametrize("hours", [475510.0, 1e-3, 1e200, 2.0**-1060])
def test_times_with_too_many_digits_are_rounded_alike(hours):
    random = np.random.default_rng(0)
    first = random.random(200) ** 9 * hours
    frame = pd.DataFrame({"seq_id": np.repeat(range(200), 2), "event": ["x", "y"] * 200})
    frame["time"] = np.repeat(first, 2) + np.tile([0, hours / 3], 200)
    released, key = frame.seqpriv.generalize(k=2, monitored=["x"], with_key=True, **SINCE)
    after = released.loc[released["event"] == "y", "time_from"]
    assert after.nunique() <= 2
    assert after.median() == pytest.approx(hours / 3, rel=1e-11)
    assert verify.is_generalized(frame, released, key, k=2, monitored=["x"], **SINCE)


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@given(
    st.lists(st.tuples(st.integers(-(10**14), 10**14), st.lists(st.integers(0, 10**14), max_size=3))),
    st.integers(0, 22),
)
def test_decimals_are_subtracted_as_they_are_written(sequences, decimals):
    written = [
        (one, Fraction(first + after, 10**decimals), Fraction(after, 10**decimals))
        for one, (first, others) in enumerate(sequences)
        for after in (0, *others)
    ]
    assume(written)
    frame = pd.DataFrame(
        {
            "seq_id": [one for one, *_ in written],
            "event": "x",
            "time": [float(time) for _, time, _ in written],
        }
    )
    frame = pd.concat([frame, frame.assign(seq_id=frame["seq_id"] + len(sequences))])
    released = frame.seqpriv.generalize(k=2, monitored=[], time="since_start")
    assert sorted(released["time_from"]) == sorted([float(since) for *_, since in written] * 2)


@pytest.mark.parametrize("days", [10, 400, 20_000])
def test_nanoseconds_of_many_days_fit_their_release(days):
    random = np.random.default_rng(1)
    moments = np.sort(random.integers(0, days * 86_400 * 10**9, (40, 4))).reshape(-1)
    frame = pd.DataFrame({"seq_id": np.repeat(range(40), 4), "event": list("abab") * 40})
    frame["time"] = moments.view("datetime64[ns]")
    released, key = frame.seqpriv.generalize(k=2, monitored=["a"], with_key=True, **SINCE)
    assert verify.is_generalized(frame, released, key, k=2, monitored=["a"], **SINCE)
    moved = released.assign(**{name: released[name] + 1e-4 for name in ("time_from", "time_to")})
    assert not verify.is_generalized(frame, moved, key, k=2, monitored=["a"], **SINCE)


def test_the_type_of_the_times_does_not_tell_of_people_who_are_dropped():
    times = [0, 5, 1, 6, 0, 120, -100, 120]
    frame = pd.DataFrame({"seq_id": np.repeat(range(4), 2), "event": list("ababaccc"), "time": times})
    frame["time"] = frame["time"].astype("int8")
    asked = {"k": 2, "monitored": ["a"], "seed": 1}
    with pytest.warns(PrivacyWarning, match="dropped 1 sequence"):  # which is the longest
        released = frame.seqpriv.generalize(**asked, **SINCE)
    pd.testing.assert_frame_equal(released, frame[:6].seqpriv.generalize(**asked, **SINCE))


def test_no_date_is_released():
    frame = frame_of(SHIFTED)
    with_dates = frame.seqpriv.generalize(k=2, seed=1)
    assert with_dates["time_to"].max() > 300
    assert frame.seqpriv.generalize(k=2, seed=1, **SINCE)["time_to"].max() == 7


def test_windows_of_datetimes():
    frame = frame_of({one: [("a", 50 * one), ("s", 50 * one + one % 2)] for one in range(4)})
    frame["time"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["time"], "h")
    asked = {"k": 2, "diversity": ("30min", 2), "monitored": ["a"]}
    released, key = frame.seqpriv.generalize(**asked, with_key=True, **SINCE)
    assert verify.is_generalized(frame, released, key, **asked, **SINCE)
    assert not verify.is_generalized(frame, released, key, **{**asked, "diversity": ("1h", 2)}, **SINCE)


def test_the_check_refuses_what_cannot_count_from_the_start():
    frame = frame_of(SHIFTED)
    frame["time"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["time"], "h")
    released, key = frame.seqpriv.generalize(k=2, with_key=True)
    with pytest.raises(SeqPrivError, match="the times of the release are datetimes"):
        verify.is_generalized(frame, released, key, k=2, **SINCE)
    with pytest.raises(SeqPrivError, match="is_generalized: time must be"):
        verify.is_generalized(frame, released, key, k=2, time="relative")


def test_a_release_that_says_nothing_of_most_events_is_warned_of():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "seq_id": np.repeat(np.arange(40), 5),
            "event": random.integers(0, 500, 200),
            "time": random.random(200),
        }
    )
    said = r"generalize: \d+% of the rows for monitored events have"
    with pytest.warns(pdseqpriv.PrivacyWarning, match=rf'{said}.*Give intervals="by_category", time="since'):
        released = frame.seqpriv.generalize(k=5)
    with pytest.warns(pdseqpriv.PrivacyWarning, match=rf"{said}.*Give a taxonomy"):
        frame.seqpriv.generalize(k=5, intervals="by_category", time="since_start")
    assert (released["event"] == "ALL").mean() > 0.5
    alike = frame.assign(event=np.tile(range(5), 40), time=np.tile(range(5), 40))
    assert (alike.seqpriv.generalize(k=5)["event"] == "ALL").mean() <= 0.5
