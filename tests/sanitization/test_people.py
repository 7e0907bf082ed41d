"""Sanitization where people have several sequences: brute force over people."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.sanitization import naive
from tests.strategies import plain_rows, plain_table, tables, with_people

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*other columns can identify people"),
    pytest.mark.filterwarnings("ignore:.* occur in the table:pdseqpriv.PrivacyWarning"),
    pytest.mark.filterwarnings("ignore:.* the release is empty:pdseqpriv.PrivacyWarning"),
]

DELTAS = st.sampled_from([0.1, Fraction(1, 3), 0.5, 0.9, 1.0])
OWNERS = st.lists(st.integers(0, 2), min_size=6, max_size=6)
ROWS = plain_rows(max_rows=24, n_ids=6)


def personal(rows, owners):
    frame = plain_table(rows)
    return frame.assign(person=[f"person {owners[number]}" for number in frame["seq_id"]])


def points_of(frame, owners):
    """Pool the rows of each person by time: what there is at each time, in order."""
    pooled = {}
    for row in frame.dropna(subset="event").itertuples():
        pooled.setdefault(owners[row.seq_id], {}).setdefault(row.time, Counter())[row.event] += 1
    return {person: [points[time] for time in sorted(points)] for person, points in pooled.items()}


@settings(max_examples=60)
@given(ROWS, OWNERS, DELTAS, st.sampled_from(["joint", "essa"]), st.sampled_from([None, 2]))
def test_no_person_shows_too_much(rows, owners, delta, method, camouflage):
    bound, events = personal(rows, owners).seqpriv.using(person="person"), ["a", "b"]
    asked = {"events": events, "scope": "person", "camouflage": camouflage}
    released = bound.sanitize(delta, method=method, **asked)
    exact = Fraction(str(delta))
    for points in points_of(released, owners).values():
        assert naive.is_below(points, events, exact)
        assert camouflage is None or naive.is_camouflaged(points, events, exact, camouflage)
    assert list(released.columns) == ["seq_id", "event", "time"]
    assert verify.is_sanitized(
        released, delta, original=bound, may_be_absent=True, **asked
    ).raise_if_violated()


@given(ROWS, OWNERS, DELTAS)
def test_as_little_is_changed_as_possible(rows, owners, delta):
    frame, exact = personal(rows, owners), Fraction(str(delta))
    released = frame.seqpriv.using(person="person").sanitize(delta, events=["a"], scope="person")
    alphabet = set(frame["event"].dropna())
    after = points_of(released, owners)
    for person, points in points_of(frame, owners).items():
        kept = [Counter(point) for point in points]
        for place, point in enumerate(kept):
            point["a"] = 0
            times = sorted({t for o, e, t in rows if owners[o] == person and e is not None})
            same = [row for row in released.itertuples() if row.time == times[place] and row.event == "a"]
            point["a"] = sum(owners[row.seq_id] == person for row in same)
        assert naive.is_below(after.get(person, []), ["a"], exact)
        assert naive.error(points, kept, alphabet) == naive.brute_force(points, ["a"], exact, alphabet)[0]


@settings(max_examples=40)
@given(ROWS, OWNERS, DELTAS)
def test_the_check_pools_people(rows, owners, delta):
    frame = personal(rows, owners)
    bound, exact = frame.seqpriv.using(person="person"), Fraction(str(delta))
    expected = all(naive.is_below(points, ["a"], exact) for points in points_of(frame, owners).values())
    asked = {"events": ["a"], "scope": "person"}
    assert bool(verify.is_sanitized(bound, delta, may_be_absent=True, **asked)) == expected
    shown = frame.drop(columns="person")
    verdict = verify.is_sanitized(shown, delta, original=bound, may_be_absent=True, **asked)
    assert bool(verdict) == expected


@settings(max_examples=40, deadline=None)
@given(tables(), DELTAS)
def test_with_one_sequence_each_people_are_sequences(frame, delta):
    events = frame["event"].dropna().unique()[:2].tolist() or ["a"]
    alone = frame.assign(person=frame["seq_id"].array).seqpriv.using(person="person")
    released = alone.sanitize(delta, events=events, scope="person")
    pd.testing.assert_frame_equal(released, frame.seqpriv.sanitize(delta, events=events))


@settings(max_examples=60, deadline=None)
@given(with_people(tables(max_rows=30)), DELTAS, st.sampled_from([3, 7]))
def test_parts_give_the_same(frame, delta, partitions):
    events = frame["event"].dropna().unique()[:2].tolist() or ["a"]
    parts = BoundTable(frame, Columns(person="person"), Local(partitions=partitions))
    here = frame.seqpriv.using(person="person").sanitize(delta, events=events, scope="person")
    pd.testing.assert_frame_equal(pdseqpriv.sanitize(parts, delta, events=events, scope="person"), here)


def visits():
    """Each visit is below one half, but those of one person together are not."""
    return pd.DataFrame(
        {
            "seq_id": [1, 1, 1, 2, 2, 2],
            "event": ["b", "a", "b", "a", "b", "a"],
            "time": [5, 6, 7, 1, 2, 3],
            "person": "ann",
        }
    )


def test_what_a_person_does_in_other_sequences_counts():
    frame = visits().iloc[:3]
    assert verify.is_sanitized(frame, 0.6, events=["a"])
    together = pd.concat([frame, frame.assign(seq_id=0, time=[1, 2, 3], event=["a", "b", "b"])])
    bound = together.seqpriv.using(person="person")
    verdict = verify.is_sanitized(bound, 0.6, events=["a"], scope="person", reveal=True)
    assert not verdict
    assert verdict.details["people"].tolist() == [("ann",)]
    released = bound.sanitize(0.6, events=["a"], scope="person")
    assert len(released) == 5
    step = released.attrs["pdseqpriv"]["applied"][0]["parameters"]
    assert step["scope"] == "person"
    assert step["people"] is True


def test_the_last_rows_of_a_time_are_deleted_whichever_sequence_they_are_in():
    frame = pd.DataFrame(
        {"seq_id": [2, 1, 2, 1], "event": ["a", "a", "b", "b"], "time": 1, "person": "ann"},
        index=list("pqrs"),
    )
    released = frame.seqpriv.using(person="person").sanitize(0.4, events=["a"], scope="person")
    assert released.index.tolist() == ["p", "r", "s"]


def test_scope_person_needs_to_know_whose_sequences_they_are():
    frame = visits()
    with pytest.raises(SeqPrivError, match=r"scope must be .* Say with using\(person=\.\.\.\) whose"):
        frame.seqpriv.sanitize(0.5, events=["a"], scope="person")
    with pytest.raises(SeqPrivError, match='original must be given for scope="person", got nothing'):
        verify.is_sanitized(frame, 0.5, events=["a"], scope="person")
    bound = frame.seqpriv.using(person="person")
    with pytest.raises(SeqPrivError, match="1 sequence of the release is not in the original"):
        verify.is_sanitized(
            frame.replace({"seq_id": 2}, 9), 0.5, events=["a"], scope="person", original=bound
        )


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_other_scopes_do_not_look_at_people(scope, recwarn):
    frame = visits()
    released = frame.seqpriv.using(person="person").sanitize(0.5, events=["a"], scope=scope)
    said = [str(one.message) for one in recwarn if issubclass(one.category, PrivacyWarning)]
    assert [("not pooled" in one) for one in said] == ([True] if scope == "sequence" else [])
    bare = frame.drop(columns="person").seqpriv.sanitize(0.5, events=["a"], scope=scope)
    pd.testing.assert_frame_equal(released, bare)
    assert "people" not in released.attrs["pdseqpriv"]["applied"][0]["parameters"]
