"""Results remember how their columns are called and what ties mean."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv.errors import SeqPrivError

NAMES = {"seq_id": "user", "event": "url", "time": "ts"}


def visits():
    people = ["abc", "abc", "abxc", "bc", "abc"]
    rows = [(i, page, t) for i, visit in enumerate(people) for t, page in enumerate(visit)]
    return pd.DataFrame(rows, columns=list(NAMES.values()))


def bound(table=None):
    return pdseqpriv.using(visits() if table is None else table, **NAMES)


@pytest.mark.parametrize("kind", [lambda frame: frame, pa.Table.from_pandas])
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_chain_needs_the_names_once(kind):
    hidden = bound(kind(visits())).hide(["a -> x"])
    released = pdseqpriv.k_anonymize(hidden, 2)
    assert pdseqpriv.verify.is_k_anonymous(hidden, released, 2)
    assert pdseqpriv.verify.is_hidden(hidden, ["a -> x"])
    assert pdseqpriv.describe(released)["events"] == len(released)
    assert pdseqpriv.compare(bound(kind(visits())), released) is not None
    again = pdseqpriv.sanitize(pdseqpriv.hide(released, ["a -> c"]), 0.9, events=["a"])
    assert set(NAMES.values()) <= set(again.column_names if hasattr(again, "column_names") else again.columns)


def test_risk_and_checks_of_a_release_know_its_names():
    released, key = bound().k_anonymize(2, with_key=True)
    assert len(released.seqpriv.risk(known=1, original=bound()))
    assert len(released.seqpriv.risk(original=bound(), key=key, attack="linkage"))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_need_no_names_again(tmp_path, suffix):
    path = tmp_path / f"r.{suffix}"
    released = bound().k_anonymize(2)
    getattr(pdseqpriv, f"write_{suffix}")(released, path)
    named = NAMES if suffix == "csv" else {}
    again = getattr(pdseqpriv, f"read_{suffix}")(path, **named)
    assert pdseqpriv.verify.is_k_anonymous(bound(), again, 2)
    assert len(again.seqpriv.mine(2)) == len(pdseqpriv.mine(released, 2)) > 0


def test_a_foreign_file_that_was_read_with_names_remembers_them(tmp_path):
    visits().to_parquet(tmp_path / "v.parquet")
    read = pdseqpriv.read_parquet(tmp_path / "v.parquet", **NAMES)
    assert read.seqpriv.describe()["sequences"] == 5
    assert read[read["user"] > 1].seqpriv.describe()["sequences"] == 3


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_generalized_tables_of_other_names_are_written_and_read(tmp_path, suffix):
    path = tmp_path / f"g.{suffix}"
    released, key = bound().generalize(k=2, with_key=True)
    getattr(pdseqpriv, f"write_{suffix}")(released, path)
    named = NAMES if suffix == "csv" else {}
    again = getattr(pdseqpriv, f"read_{suffix}")(path, **named)
    assert list(again.columns) == list(released.columns)
    assert pdseqpriv.verify.is_generalized(bound(), again, key, k=2)


def test_renamed_columns_are_what_counts():
    released = bound().k_anonymize(2).rename(columns={"user": "seq_id", "url": "event", "ts": "time"})
    assert released.seqpriv.describe()["events"] == len(released)
    other = released.rename(columns={"seq_id": "who"})
    with pytest.raises(SeqPrivError, match="no column 'seq_id' for seq_id"):
        other.seqpriv.describe()


def test_names_that_are_given_win():
    released = bound().k_anonymize(2).assign(page="one")
    assert released.seqpriv.using(seq_id="user", event="page", time="ts").describe()["distinct_events"] == 1


@pytest.mark.parametrize("kind", [lambda frame: frame, pa.Table.from_pandas])
@pytest.mark.filterwarnings("ignore:hide. .who. is released")
def test_what_is_said_later_is_added_to_what_is_remembered(kind):
    table = kind(visits().assign(who=lambda frame: frame["user"] // 2))
    released = pdseqpriv.hide(table, ["a -> x"], output="drop", **NAMES)
    assert pdseqpriv.describe(released, person="who")["people"] == 3
    assert pdseqpriv.using(released, person="who").describe()["people"] == 3
    if isinstance(released, pa.Table):
        assert pdseqpriv.describe(released.to_reader(), person="who")["people"] == 3


def test_what_is_said_wins_over_what_is_remembered():
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": ["a", "b", "a", "b"], "time": [0, 0, 0, 0]})
    for table in (frame, pa.Table.from_pandas(frame)):
        released = pdseqpriv.hide(table, ["(a b)"], ties="order")
        assert pdseqpriv.verify.is_hidden(released, ["(a b)"])
        assert not pdseqpriv.verify.is_hidden(released, ["(a b)"], ties="element")
        assert not pdseqpriv.verify.is_hidden(pdseqpriv.using(released, ties="element"), ["(a b)"])


@pytest.mark.parametrize("kind", [lambda frame: frame, pa.Table.from_pandas])
def test_an_original_is_read_as_its_release_remembers_it(kind):
    original = kind(visits())
    released, key = bound(original).k_anonymize(2, with_key=True)
    assert pdseqpriv.verify.is_k_anonymous(original, released, 2)
    assert pdseqpriv.verify.is_k_anonymous(released=released, original=original, k=2)
    assert len(pdseqpriv.risk(released, 1, original=original)) == 1
    assert len(pdseqpriv.risk(released, original=original, key=key, attack="linkage"))
    assert len(pdseqpriv.compare(original, released)) == len(pdseqpriv.compare(bound(original), released))
    groups, key = bound(original).generalize(k=2, with_key=True)
    assert pdseqpriv.verify.is_generalized(original, groups, key, k=2)


def test_the_accessor_shows_what_is_remembered():
    shown = "<seqpriv: seq_id='user', event='url', time='ts', ties='order'>"
    assert repr(bound().using(ties="order").hide(["a -> x"]).seqpriv) == shown
    assert "seq_id='seq_id'" in repr(visits().seqpriv)


def test_ties_are_remembered_and_a_mismatch_says_why():
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": ["a", "b", "a", "b"], "time": [0, 0, 0, 0]})
    ordered = frame.seqpriv.using(ties="order")
    released = ordered.hide(["b -> a"])
    assert pdseqpriv.verify.is_hidden(released, ["b -> a"])
    assert not pdseqpriv.verify.is_hidden(released, ["a -> b"])
    assert pdseqpriv.verify.is_k_anonymous(ordered, ordered.k_anonymize(2), 2)
    with pytest.raises(SeqPrivError, match=r"made with ties='order', but the original is read with"):
        pdseqpriv.verify.is_k_anonymous(frame, ordered.k_anonymize(2), 2)


@pytest.mark.parametrize("names", [{}, NAMES])
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "made with ties='element', but the original is read with ties='order'"),
        ({"ties": "element"}, "read with"),
    ],
)
def test_a_release_of_sets_is_not_read_in_the_order_of_its_rows_unless_asked_for(names, said, why):
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": ["a", "b", "b", "a"], "time": [0, 0, 0, 0]})
    sets = frame.rename(columns=names).seqpriv.using(**names)
    ordered, released = sets.using(ties="order"), sets.k_anonymize(2)
    assert pdseqpriv.verify.is_k_anonymous(sets, released, 2)
    given = released.seqpriv.using(**said)
    for check in (
        lambda: pdseqpriv.verify.is_k_anonymous(ordered, given, 2),
        lambda: pdseqpriv.risk(given, original=ordered),
    ):
        with pytest.raises(SeqPrivError, match=f"the release (was|is) {why}"):
            check()
    # Whoever sees the order of rows finds "a, then b" in one sequence only.
    assert not pdseqpriv.verify.is_k_anonymous(ordered, released.seqpriv.using(ties="order"), 2)


@pytest.mark.parametrize("names", [{}, NAMES])
@pytest.mark.parametrize("read", [pdseqpriv.read_parquet, pdseqpriv.scan_parquet])
def test_a_file_says_what_ties_mean_even_before_any_operation(tmp_path, names, read):
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": ["a", "b", "a", "b"], "time": [0, 0, 0, 0]})
    pdseqpriv.write_parquet(frame.rename(columns=names), tmp_path / "v.parquet", ties="order", **names)
    hidden = pdseqpriv.hide(read(tmp_path / "v.parquet"), ["a -> b"])
    pdseqpriv.write_parquet(hidden, tmp_path / "released/")
    again = pdseqpriv.read_parquet(tmp_path / "released")
    assert again[names.get("event", "event")].isna().sum() == 2
    assert not pdseqpriv.verify.is_hidden(read(tmp_path / "v.parquet"), ["a -> b"])
    assert again.attrs["pdseqpriv"]["columns"]["ties"] == "order"


@pytest.mark.parametrize(
    "noted",
    [
        "user",
        {"seq_id": "user"},
        {**NAMES, "ties": "else"},
        {**NAMES, "ties": "order", "person": "x"},
        {"seq_id": "user", "event": "user", "time": "ts", "ties": "order"},
        {"seq_id": ["user"], "event": "url", "time": "ts", "ties": "order"},
    ],
)
def test_strange_notes_are_left_aside(noted):
    frame = visits().rename(columns={"user": "seq_id", "url": "event", "ts": "time"})
    frame.attrs = {"pdseqpriv": {"format": 1, "applied": [], "columns": noted}}
    assert frame.seqpriv.describe()["sequences"] == 5


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("operation", ["k_anonymize", "generalize"])
def test_keys_of_other_names_are_written_and_read(tmp_path, operation, person):
    table = visits().assign(who=lambda v: "p" + v["user"].astype(str))
    named = pdseqpriv.using(table, **NAMES, person=person)
    released, key = getattr(named, operation)(k=2, with_key=True)
    pdseqpriv.write_parquet(key, tmp_path / "key.parquet")
    assert (tmp_path / "key.parquet").stat().st_mode & 0o777 == 0o600
    again = pdseqpriv.read_parquet(tmp_path / "key.parquet")
    pd.testing.assert_frame_equal(again, key)
    check = "is_k_anonymous" if operation == "k_anonymize" else "is_generalized"
    assert getattr(pdseqpriv.verify, check)(named, released, k=2, key=again)


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_sweep_can_name_the_columns_itself():
    told = bound().sweep("k_anonymize", k=[2, 3])
    pd.testing.assert_frame_equal(pdseqpriv.sweep(visits(), "k_anonymize", k=[2, 3], **NAMES), told)
    arrow = pa.Table.from_pandas(visits(), preserve_index=False)
    assert len(pdseqpriv.sweep(arrow, "sanitize", delta=[0.5], events=[["a"]], **NAMES)) == 1
    usual = visits().rename(columns={"user": "seq_id", "ts": "time"})
    times = pdseqpriv.sweep(usual, "generalize", k=2, time=["real", "since_start"], event="url")
    assert times["time"].tolist() == ["real", "since_start"]  # here it is an option
    with pytest.raises(SeqPrivError, match="the table has no column 'nobody' for seq_id"):
        pdseqpriv.sweep(visits(), "k_anonymize", k=[2], **{**NAMES, "seq_id": "nobody"})


def test_a_check_asks_for_ties_where_nothing_remembers_them():
    together = visits().assign(ts=0)
    released = pdseqpriv.k_anonymize(together, 2, **NAMES, ties="order")
    released.attrs = {}
    verdict = pdseqpriv.verify.is_k_anonymous(together, released, 2, **NAMES)
    assert not verdict
    assert "was the release made with ties='order'?" in verdict.sentence
    assert pdseqpriv.verify.is_k_anonymous(together, released, 2, **NAMES, ties="order")
    apart = pdseqpriv.verify.is_k_anonymous(visits(), visits(), 5, **NAMES)
    assert not apart
    assert "ties" not in apart.sentence
