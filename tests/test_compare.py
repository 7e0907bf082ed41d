"""Measures, against cases computed by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import pdseqpriv


def measures(original, released):
    frame = pdseqpriv.compare(original, released)
    assert list(frame.columns) == ["measure", "value", "better", "paper", "meaning"]
    assert set(frame["better"]) <= {"lower", "higher"}
    assert frame["meaning"].str.len().gt(10).all()
    return frame.set_index("measure")["value"]


def table(*sequences):
    rows = [(i, event, t) for i, one in enumerate(sequences) for t, event in enumerate(one)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def test_general_measures_by_hand():
    original = table("aab", "ab", "c", "c")
    released = table("ab", "ab", "c")
    values = measures(original, released)
    assert values["sequences_lost"] == pytest.approx(1 / 4)
    assert values["events_kept"] == pytest.approx(5 / 7)
    # Lengths 1, 2, 3: shares 1/2, 1/4, 1/4 against 1/3, 2/3, 0.
    assert values["length_distance"] == pytest.approx((1 / 6 + 5 / 12 + 1 / 4) / 2)
    # Events a, b, c: shares 3/7, 2/7, 2/7 against 2/5, 2/5, 1/5.
    assert values["event_distance"] == pytest.approx((1 / 35 + 4 / 35 + 3 / 35) / 2)


def test_a_table_compared_with_itself():
    original = table("aab", "ab", "c")
    values = measures(original, original)
    assert values["events_kept"] == 1
    assert values.drop("events_kept").eq(0).all()


def test_a_release_with_nothing_left():
    values = measures(table("ab"), table())
    assert values["sequences_lost"] == 1
    assert values["events_kept"] == 0
    assert values["length_distance"] == values["event_distance"] == 1


def test_marked_events_are_not_events():
    original = table("ab", "b")
    released = original.assign(event=original["event"].where(original["event"] != "b"))
    values = measures(original, released)
    assert values["sequences_lost"] == pytest.approx(1 / 2)
    assert values["events_kept"] == pytest.approx(1 / 3)
