"""The record: it says what was applied, nothing of what was removed, and it belongs to its rows only."""

from __future__ import annotations

import inspect
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pdseqpriv
from pdseqpriv import PrivacyWarning, verify
from pdseqpriv.sequences import content, record, remembered_records

COUNTED = ("_in", "_out", "_dropped", "_deleted", "_marked", "_replaced", "counts", "groups")
SECRET = ("seed", "patterns", "events", "monitored", "sensitive", "alphabet", "previous", "keep")


def visits():
    texts = ["abcd", "abd", "acd", "abcd", "zy"]
    rows = [(f"u{i}", event, t) for i, text in enumerate(texts) for t, event in enumerate(text)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


@pytest.fixture
def released():
    return visits().seqpriv.hide(["a -> b"], output="drop", seed=20_261_117)


def steps(frame):
    return [step["operation"] for step in frame.attrs["pdseqpriv"]["applied"]]


RELEASES = {
    "hide": lambda df: df.seqpriv.hide(["a -> b"], output="drop", seed=77),
    "sanitize": lambda df: df.seqpriv.sanitize(0.3, events=["b"]),
    "k_anonymize": lambda df: df.seqpriv.k_anonymize(2, seed=77),
    "generalize": lambda df: df.seqpriv.generalize(k=2, seed=77),
    "mine": lambda df: df.seqpriv.mine(2),
    "release_patterns": lambda df: df.seqpriv.release_patterns(2, k=2),
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_no_file_tells_how_much_was_removed(name, tmp_path):
    released = RELEASES[name](visits())
    pdseqpriv.write_parquet(released, tmp_path / "f.parquet")
    note = json.loads(pq.read_schema(tmp_path / "f.parquet").metadata[b"pdseqpriv"])
    (step,) = note["record"]["applied"]
    assert set(step) == {"operation", "parameters", "library"}
    assert not [key for key in step["parameters"] if key.endswith(COUNTED) or key in SECRET]
    assert "77" not in json.dumps(step["parameters"])
    assert set(released.attrs["pdseqpriv"]["applied"][0]) == set(step)


def test_no_parameter_that_is_secret_may_be_told():
    looked = 0
    for name, told in record.DISCLOSABLE.items():
        parameters = inspect.signature(getattr(pdseqpriv, name)).parameters
        looked += len([one for one in SECRET if one in parameters])
        assert not set(told) & set(SECRET)
    assert looked > 5


def test_the_owner_is_told_how_many_sequences_are_gone():
    with pytest.warns(PrivacyWarning, match="k_anonymize: dropped 1 of 5 sequences: no 2 share"):
        visits().seqpriv.k_anonymize(2)


CHANGES = {
    "a cell": lambda df: df.assign(event=["z", *df["event"][1:]]),
    "fewer rows": lambda df: df[df["time"] > 0],
    "more rows": lambda df: pd.concat([df, df]),
    "another column": lambda df: df.assign(age=3),
    "other names": lambda df: df.rename(columns={"event": "seq_id", "seq_id": "event"}),
    "two events exchanged": lambda df: df.assign(event=df["event"].to_numpy()[[1, 0, *range(2, len(df))]]),
    "another order": lambda df: df.sort_values("event"),
    "times": lambda df: df.assign(time=df["time"] + 1),
    "a null": lambda df: df.assign(event=df["event"].where(df["time"] > 0)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_rows_changed_by_hand_lose_the_record(released, change, tmp_path):
    changed = change(released)
    changed.attrs = released.attrs  # not all of pandas carries them along
    assert steps(released) == ["hide"]
    with pytest.warns(PrivacyWarning, match="not those that hide returned.*with verify.is_hidden"):
        pdseqpriv.write_parquet(changed, tmp_path / "f.parquet")
    assert steps(pdseqpriv.read_parquet(tmp_path / "f.parquet")) == []


def test_rows_changed_in_place_lose_the_record(released):
    released.loc[0, "event"] = "z"
    with pytest.warns(PrivacyWarning, match="not those that hide returned"):
        again = released.seqpriv.sanitize(0.9, events=["z"])
    assert steps(again) == ["sanitize"]


KEPT = {
    "as it is": lambda df: df,
    "a copy": lambda df: df.copy(),
    "another index": lambda df: df.set_axis(range(10, 10 + len(df))),
    "narrow numbers": lambda df: df.astype({"time": "int32"}),
    "Arrow's text": lambda df: df.astype({"event": "string[pyarrow]"}),
    "there and back": lambda df: df.sort_values("event").sort_index(),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_the_same_rows_keep_the_record(released, change):
    same = change(released)
    same.attrs = released.attrs
    assert steps(same.seqpriv.sanitize(0.9, events=["z", "a"])) == ["hide", "sanitize"]


ODD = {
    "dates": lambda df: df.assign(time=pd.to_datetime("2024-05-01") + pd.to_timedelta(df["time"], "h")),
    "zones": lambda df: df.assign(time=pd.to_datetime(df["time"], unit="s", utc=True)),
    "decimals": lambda df: df.assign(time=df["time"] / 10),
    "categories": lambda df: df.assign(event=pd.Categorical(df["event"], list("zyxdcba"))),
    "numbers": lambda df: df.assign(event=df["event"].map(ord)),
    "objects": lambda df: df.astype({"event": object}),
    "other columns": lambda df: df.assign(n=1.5, flag=True, day=pd.NaT, text=None),
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
@pytest.mark.parametrize("output", ["mark", "drop"])
@pytest.mark.filterwarnings("ignore:hide. (.n.|.*not in the table)")
def test_files_and_arrow_keep_the_record(make, output, tmp_path):
    frame = make(visits())
    event = frame["event"].iloc[0]
    released = frame.seqpriv.hide([[event]], output=output)
    pdseqpriv.write_parquet(released, tmp_path / "f.parquet")
    assert steps(pdseqpriv.read_parquet(tmp_path / "f.parquet")) == ["hide"]
    read = pq.read_table(tmp_path / "f.parquet")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(other columns|can undo|not in the table|does not occur)")
        last = pdseqpriv.sanitize(read, 1, events=["nothing"])
        once = pdseqpriv.hide(pa.table(frame), [[event]], output=output)
        twice = pdseqpriv.sanitize(once, 1, events=["nothing"])
    for table in (last, twice):
        told = json.loads(table.schema.metadata[b"pdseqpriv"])
        assert [step["operation"] for step in told["applied"]] == ["hide", "sanitize"]


WRITTEN_BY_PANDAS = {
    "Arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "a stream": lambda frame, _: pa.table(frame).to_reader(),
    "a file": lambda frame, path: frame.to_parquet(path) or pdseqpriv.read_parquet(path),
    "a file, by pandas": lambda frame, path: frame.to_parquet(path) or pd.read_parquet(path),
    "a file, by Arrow": lambda frame, path: frame.to_parquet(path) or pq.read_table(path),
}


@pytest.mark.parametrize("write", WRITTEN_BY_PANDAS.values(), ids=WRITTEN_BY_PANDAS)
def test_what_pandas_makes_of_a_release_keeps_the_record(write, tmp_path, monkeypatch):
    """In this process; in another one, nobody can tell whether the rows are the same, and that is said."""
    hidden = visits().seqpriv.hide(["a -[0..0]-> b"])
    with pytest.warns(PrivacyWarning, match="can undo what hide did"):
        pdseqpriv.sanitize(write(hidden, tmp_path / "f.parquet"), 0.9, events=["a"])
    changed = hidden.assign(time=hidden["time"] + 1)
    with pytest.warns(PrivacyWarning, match="not those that hide returned"):
        pdseqpriv.sanitize(write(changed, tmp_path / "f.parquet"), 0.9, events=["a"])
    monkeypatch.setattr(content, "_SECRET", bytes(32))
    with pytest.warns(PrivacyWarning, match="or come from another process"):
        pdseqpriv.sanitize(write(hidden, tmp_path / "f.parquet"), 0.9, events=["a"])


def test_a_folder_that_pandas_wrote_has_no_record_and_that_is_said(tmp_path):
    hidden = visits().seqpriv.hide(["a -[0..0]-> b"])
    hidden.to_parquet(tmp_path / "f.parquet")
    with pytest.warns(PrivacyWarning, match="pandas itself wrote these files"):
        scanned = pdseqpriv.scan_parquet(tmp_path)
    assert not scanned.attrs.get("pdseqpriv", {}).get("applied")


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
@pytest.mark.filterwarnings("ignore:.*(other columns|dropped 1 of 5)")
def test_a_chain_on_polars_warns_like_any_other(make, tmp_path):
    """A DataFrame of Polars carries no record, so this process remembers it by the rows."""
    frame = make(visits()).rename(columns={"seq_id": "who", "event": "what"})
    a, b = frame["what"].iloc[0], frame["what"].iloc[1]
    names = {"seq_id": "who", "event": "what"}
    hidden = pdseqpriv.hide(pl.from_pandas(frame), [pdseqpriv.Pattern([a, b], max_gap=0)], **names)
    with pytest.warns(PrivacyWarning, match="can undo what hide did"):
        twice = pdseqpriv.sanitize(hidden, 0.9, events=[a], **names)
    with pytest.warns(PrivacyWarning, match="can undo what hide and sanitize did"):
        released = pdseqpriv.k_anonymize(twice.clone(), 2, **names)
    pdseqpriv.write_parquet(released, tmp_path / "f.parquet", **names)
    assert steps(pdseqpriv.read_parquet(tmp_path / "f.parquet")) == ["hide", "sanitize", "k_anonymize"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*other columns")
        pdseqpriv.sanitize(hidden[1:], 0.9, events=[a], **names)  # rows that no step returned


def test_not_every_table_of_polars_is_remembered_for_ever(monkeypatch):
    monkeypatch.setattr(remembered_records, "_by_rows", {})
    monkeypatch.setattr(remembered_records, "_MOST", 2)
    for at in range(3):
        table = pl.from_pandas(visits().assign(time=visits()["time"] + at))
        released = pdseqpriv.hide(table, ["a -[0..0]-> b"])
    assert len(remembered_records._by_rows) == 2
    with pytest.warns(PrivacyWarning, match="can undo what hide did"):
        pdseqpriv.sanitize(released, 0.9, events=["a"])


def test_a_file_that_others_changed_loses_the_record(released, tmp_path):
    pdseqpriv.write_parquet(released, tmp_path / "f.parquet")
    pq.write_table(pq.read_table(tmp_path / "f.parquet").slice(1), tmp_path / "f.parquet")
    with pytest.warns(PrivacyWarning, match="not those that hide returned"):
        again = pdseqpriv.read_parquet(tmp_path / "f.parquet")
    assert steps(again) == []


def test_patterns_changed_by_hand_lose_the_record(tmp_path):
    mined = visits().seqpriv.mine(2)
    pdseqpriv.write_parquet(mined, tmp_path / "f.parquet")
    assert steps(pdseqpriv.read_parquet(tmp_path / "f.parquet")) == ["mine"]
    with pytest.warns(PrivacyWarning, match="not those that mine returned"):
        pdseqpriv.write_parquet(mined.assign(support=mined["support"] + 1), tmp_path / "f.parquet")
    mined["pattern"] = [("z",), *mined["pattern"][1:]]
    with pytest.warns(PrivacyWarning, match="not those that mine returned"):
        pdseqpriv.write_parquet(mined, tmp_path / "f.parquet")


def test_what_binds_the_record_cannot_be_tried_out(released, monkeypatch):
    """Somebody who has a pickle, but not the secret of the process, cannot look for rows that are gone."""
    seal = pickle.loads(pickle.dumps(released)).attrs["pdseqpriv"]["seal"]  # noqa: S301 (our own)
    assert seal == content.seal_of(released)
    monkeypatch.setattr(content, "_SECRET", bytes(32))
    assert seal != content.seal_of(released)
    assert 0 <= content.check_digit_of(released) < 256


@pytest.mark.parametrize(
    ("one", "other"), [(("a", "b"), ("b", "a")), ((-1,), (-2,)), ((("a", "b"),), ("a", "b")), (["a"], ["b"])]
)
def test_changed_objects_are_seen(one, other):
    frames = [pd.DataFrame({"pattern": pd.Series([cell, cell], dtype=object)}) for cell in (one, other)]
    for number_of in (content.seal_of, content.check_digit_of):
        assert number_of(frames[0]) != number_of(frames[1])
        assert number_of(frames[0]) == number_of(frames[0].copy())


def test_every_single_change_is_seen():
    numbers = np.arange(200_000)
    frame = pd.DataFrame({"n": numbers, "text": numbers.astype(str)})
    seen = {content.seal_of(frame)}
    for place in (0, 1, 65_535, 65_536, 199_999):
        for column, value in (("n", -1), ("text", "999999"), ("text", None)):
            other = frame.copy()
            other.loc[place, column] = value
            seen.add(content.seal_of(other))
    assert len(seen) == 16


def test_whether_anything_was_removed_is_known_of_the_last_table_with_such_rows():
    """Others with the same rows, from which nothing was removed, may have been made before."""
    one = pd.DataFrame({"seq_id": [7], "event": ["kept"], "time": [41]})
    with pytest.warns(PrivacyWarning, match="does not occur"):
        untouched = one.seqpriv.sanitize(0.5, events=["gone"])
    assert not verify.is_sanitized(untouched, 0.5, events=["gone"])
    both = pd.DataFrame({"seq_id": [7, 7], "event": ["gone", "kept"], "time": [40, 41]})
    released = both.seqpriv.sanitize(0.5, events=["gone"])
    pd.testing.assert_frame_equal(released.reset_index(drop=True), one)
    assert verify.is_sanitized(released, 0.5, events=["gone"])
