"""find: every match, in the order promised, whatever the pattern; brute force agrees."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import Pattern, PrivacyWarning, SeqPrivError
from pdseqpriv.audit import found_matches
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns
from tests.audit import naive_find
from tests.hiding.cases import cases
from tests.strategies import tables, with_people

NAMES = ["seq_id", "pattern", "match", "position", "event", "time", "row"]
quietly = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")


def first_rows(table):
    rows = {}
    for row, key in enumerate(zip(table["seq_id"], table["time"], table["event"], strict=True)):
        rows.setdefault(key, row)
    return rows


def entries(frame):
    return [tuple(row) for row in frame[NAMES].itertuples(index=False)]


@quietly
@given(
    case=cases(most_sequences=4),
    limit=st.sampled_from([1, 2, 5, None]),
    partitions=st.sampled_from([1, 3]),
    order=st.randoms(use_true_random=False),
)
def test_the_matches_are_those_of_brute_force(case, limit, partitions, order):
    table = case.table
    shuffled = order.sample(range(len(table)), len(table))
    table = table.iloc[shuffled].reset_index(drop=True)
    found = pdseqpriv.find(BoundTable(table, Columns(), Local(partitions)), case.patterns, limit=limit)
    expected = naive_find.find(dict(enumerate(case.sequences)), case.naive, limit, first_rows(table))
    assert entries(found) == expected


@quietly
@given(frame=with_people(tables(n_events=3)), partitions=st.sampled_from([1, 3, 7]))
def test_every_row_is_the_row_that_it_says(frame, partitions):
    patterns = [["a", "b"], [0, 1], "a -> a"]
    bound = BoundTable(frame, Columns(person="person"), Local(partitions))
    found = pdseqpriv.find(bound, patterns, limit=3)
    said = frame.iloc[found["row"]].reset_index(drop=True)
    for name in ("seq_id", "event", "time", "person"):
        assert list(found[name]) == list(said[name])
    assert found["event"].dtype.kind == frame["event"].dtype.kind
    alone = pdseqpriv.find(frame, patterns, limit=3)
    pd.testing.assert_frame_equal(found.drop(columns="person"), alone)


def test_text_lists_sets_and_expressions_are_patterns_as_in_hide():
    rows = {"seq_id": [1] * 5, "event": list("abcab"), "time": [1, 2, 2, 3, 4]}
    df = pd.DataFrame(rows)
    same = [df.seqpriv.find(one) for one in ("a -> (b c)", [["a", {"b", "c"}]], Pattern(["a", ("c", "b")]))]
    assert same[0]["row"].tolist() == [0, 1, 2]
    assert same[0]["position"].tolist() == [1, 2, 2]
    for other in same[1:]:
        pd.testing.assert_frame_equal(same[0], other)
    assert df.seqpriv.find("{a b}", limit=None)["row"].tolist() == [0, 1, 3, 4]
    assert df.seqpriv.find([["a", "b"]], min_gap=1)["row"].tolist() == [0, 4]
    assert df.seqpriv.find([["b", "a"]], max_window=1, gap_unit="time")["row"].tolist() == [1, 3]
    assert df.seqpriv.find([["a", "c", "b"]], max_gap=0)["row"].tolist() == []
    assert df.seqpriv.using(ties="order").find("b -[0..0]-> c")["row"].tolist() == [1, 2]


def test_the_names_of_columns_are_the_users():
    clicks = pd.DataFrame({"visit": [1, 1, 2], "url": list("aba"), "ts": [1, 2, 1], "who": ["x", "x", "x"]})
    found = clicks.seqpriv.using(seq_id="visit", event="url", time="ts", person="who").find("a")
    assert list(found.columns) == ["visit", "who", "pattern", "match", "position", "url", "ts", "row"]
    assert found["who"].tolist() == ["x", "x"]
    arrow = pdseqpriv.using(pa.Table.from_pandas(clicks), seq_id="visit", event="url", time="ts")
    assert arrow.find("b").to_pylist() == [
        {"visit": 1, "pattern": 1, "match": 1, "position": 1, "url": "b", "ts": 2, "row": 1}
    ]


def test_a_name_of_the_result_cannot_be_a_column_of_the_table():
    frame = pd.DataFrame({"seq_id": [1], "match": ["a"], "time": [1]})
    with pytest.raises(SeqPrivError, match="find: the result has a column 'match' of its own"):
        frame.seqpriv.using(event="match").find("a")


@pytest.mark.parametrize("limit", [0, -1, 1.5, "all", True])
def test_odd_limits_are_refused(limit):
    frame = pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [1]})
    with pytest.raises(SeqPrivError, match="find: limit must be"):
        frame.seqpriv.find("a", limit=limit)


def test_events_that_are_not_there_are_mentioned():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "b"], "time": [1, 1]})
    with pytest.warns(PrivacyWarning, match=r"^find: 1 of 2 patterns names .* table \('a -> secret'\)\."):
        assert len(frame.seqpriv.find(["a", "a -> secret"])) == 1
    # Each event is in another part.
    assert len(pdseqpriv.find(BoundTable(frame, Columns(), Local(2)), "a -> b")) == 0


def test_too_many_matches_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(found_matches, "MOST", 1000)
    long = pd.DataFrame({"seq_id": 0, "event": "a", "time": range(300)})
    with pytest.raises(SeqPrivError, match="find: the matches have more than 1,000 events"):
        long.seqpriv.find(["a -> a -> a -> a -> a -> a -> a -> a"], limit=None)
    assert len(long.seqpriv.find(["a -> a -> a -> a -> a -> a -> a -> a"], limit=100)) == 800
    each = BoundTable(long.assign(seq_id=range(300)), Columns(), Local(3))
    with pytest.raises(SeqPrivError, match="Give a smaller limit"):
        pdseqpriv.find(each, ["a"] * 4)


def test_whoever_is_found_has_nothing_left_to_find_after_hide():
    df = pdseqpriv.datasets.make_clickstream(300, seed=2)
    pattern = " -> ".join(df["event"].value_counts().index[:3])
    holders = df.seqpriv.find(pattern)["seq_id"].nunique()
    assert holders > 0
    details = pdseqpriv.verify.is_hidden(df, pattern, reveal=True).details
    assert holders == details["support"].iloc[0] == len(details["seq_ids"].iloc[0])
    assert df.seqpriv.hide(pattern).seqpriv.find(pattern).empty
