"""Round trips, foreign and broken files, crashes in mid-write."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import paths
from pdseqpriv.errors import FileError, SeqPrivError
from pdseqpriv.files import iso8601
from pdseqpriv.files.csv_columns import times_of, whole_numbers_or_text
from pdseqpriv.progress import on_a_part
from pdseqpriv.sequences import record
from tests.generalization.cases import generalized
from tests.strategies import tables

pytestmark = pytest.mark.usefixtures("uncompressed")

SECRET = "top-secret"  # noqa: S105 (a value to look for)


def small():
    return pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", None, SECRET], "time": [0, 1, 0]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def without_traces(frame):
    """Return what a written table comes back as: no index, no attrs, no unused categories."""
    bare = frame.reset_index(drop=True)
    bare.attrs = {}
    for name in bare.columns:
        if isinstance(bare[name].dtype, pd.CategoricalDtype):
            bare[name] = bare[name].cat.remove_unused_categories()
    return bare


def retyped(frame):
    """Allow for what Parquet cannot tell apart: kinds of text, and categories of nothing."""
    for name in frame.columns:
        if pd.api.types.is_string_dtype(frame[name].dtype):
            frame[name] = frame[name].astype("str")
        if isinstance(frame[name].dtype, pd.CategoricalDtype) and not len(frame[name].cat.categories):
            frame[name] = frame[name].cat.rename_categories(pd.Index([], dtype="str"))
    return frame


@given(tables())
def test_parquet_gives_back_values_and_types(folder, frame):
    before = frame.copy(deep=True)
    pdseqpriv.write_parquet(frame, folder / "any.parquet")
    pd.testing.assert_frame_equal(frame, before)
    again = pdseqpriv.read_parquet(folder / "any.parquet")
    pd.testing.assert_frame_equal(retyped(again), retyped(without_traces(frame)))
    assert again.attrs == {"pdseqpriv": record.empty_record()}


def test_what_a_file_holds_is_found_in_its_bytes(tmp_path):
    # Else the tests that look for traces could not fail.
    frame = pd.DataFrame({"seq_id": [f"person {i}" for i in range(30)], "event": "a", "time": range(30)})
    frame["time"] = 1_700_000_000_000_000 + 1_234_567 * frame["time"]
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    content = (tmp_path / "f.parquet").read_bytes()
    for name, moment in zip(frame["seq_id"], frame["time"], strict=True):
        assert name.encode() in content
        assert int(moment).to_bytes(8, "little") in content


@given(tables())
def test_parquet_holds_nothing_but_the_rows(folder, frame):
    path = folder / "bytes.parquet"
    pdseqpriv.write_parquet(frame, path)
    content = path.read_bytes()
    for trace in ("unused id", "unused event", "attribute of the input", "label 0", "deep 0"):
        assert trace.encode() not in content


def test_what_was_dropped_is_not_in_the_bytes(tmp_path):
    frame = pd.DataFrame(
        {
            "seq_id": pd.Categorical(["kept", SECRET + "-id"]),
            "event": pd.Series(["a", SECRET + "-event"]).astype("category"),
            "time": [1, 99_999_999_999],
            "note": pd.Series(
                ["x", SECRET + "-note"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
            ),
        },
        index=["i", SECRET + "-index"],
    )
    pdseqpriv.write_parquet(frame[frame["seq_id"] == "kept"], tmp_path / "kept.parquet")
    content = (tmp_path / "kept.parquet").read_bytes()
    assert SECRET.encode() not in content
    assert (99_999_999_999).to_bytes(8, "little") not in content


def test_parquet_written_twice_is_the_same_to_the_byte(tmp_path):
    frame = pdseqpriv.datasets.make_event_log(200, seed=1)
    pdseqpriv.write_parquet(frame, tmp_path / "one.parquet")
    pdseqpriv.write_parquet(pdseqpriv.read_parquet(tmp_path / "one.parquet"), tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_parquet_remembers_other_names(tmp_path):
    frame = small().rename(columns={"seq_id": "user", "event": "url", "time": "ts"})
    pdseqpriv.write_parquet(
        frame.seqpriv.using(seq_id="user", event="url", time="ts"), tmp_path / "f.parquet"
    )
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "f.parquet"), frame)


def test_foreign_parquet_is_read_with_the_names_given(tmp_path):
    frame = small().rename(columns={"seq_id": "user"})
    frame.to_parquet(tmp_path / "foreign.parquet")
    with pytest.raises(SeqPrivError, match="no column 'seq_id'"):
        pdseqpriv.read_parquet(tmp_path / "foreign.parquet")
    again = pdseqpriv.read_parquet(tmp_path / "foreign.parquet", seq_id="user")
    assert again.equals(frame)
    assert again.attrs["pdseqpriv"] == record.empty_record() | {
        "columns": {"seq_id": "user", "event": "event", "time": "time", "ties": "element"}
    }


def test_record_comes_back_and_foreign_claims_do_not(tmp_path, monkeypatch):
    monkeypatch.setitem(record.DISCLOSABLE, "test_step", {"k": record.NUMBER})
    frame = record.record_step(small(), "test_step", {"k": np.int64(5)})
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    again = pdseqpriv.read_parquet(tmp_path / "f.parquet")
    assert again.attrs["pdseqpriv"]["applied"] == [
        {"operation": "test_step", "parameters": {"k": 5}, "library": pdseqpriv.__version__}
    ]
    frame.attrs["pdseqpriv"]["applied"][0]["parameters"]["seed"] = SECRET
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    assert pdseqpriv.read_parquet(tmp_path / "f.parquet").attrs["pdseqpriv"] == record.empty_record()


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"format": 1}',
        b'{"format": 1, "columns": [], "seconds": 3, "record": 1}',
        b'{"format":1,"columns":{"seq_id":"seq_id","event":"event","time":"time"},"seconds":[],"record":[1]}',
    ],
)
def test_a_strange_note_in_a_file_counts_as_none(tmp_path, note):
    arrow = pa.Table.from_pandas(small()).replace_schema_metadata({b"pdseqpriv": note})
    pq.write_table(arrow, tmp_path / "f.parquet")
    assert len(pdseqpriv.read_parquet(tmp_path / "f.parquet")) == 3


def test_a_folder_reads_as_one_table(tmp_path):
    frame = pd.DataFrame({"seq_id": [1, 2], "event": pd.Categorical(["a", "b"]), "time": [0, 1]})
    pdseqpriv.write_parquet(frame.iloc[[0]], tmp_path / "0.parquet")
    pdseqpriv.write_parquet(frame.iloc[[1]], tmp_path / "1.parquet")
    (tmp_path / "notes.txt").write_text("not a table")
    (tmp_path / ".0.parquet.part").write_text("half a table")
    again = pdseqpriv.read_parquet(tmp_path)
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs["pdseqpriv"] == record.empty_record()


def test_a_folder_whose_files_differ_is_refused(tmp_path):
    pdseqpriv.write_parquet(small(), tmp_path / "0.parquet")
    pdseqpriv.write_parquet(small().assign(more=1), tmp_path / "1.parquet")
    with pytest.raises(FileError, match="files with different columns"):
        pdseqpriv.read_parquet(tmp_path)


def test_pattern_tables_round_trip(tmp_path):
    patterns = pd.DataFrame(
        {"pattern": [("a", ("b", "c"), "a"), ("a",)], "support": [3, 9], "length": [4, 1]}
    )
    numbers = pd.DataFrame({"pattern": [(1, (2, 3))], "support": [3], "length": [3]})
    for table in (patterns, numbers):
        pdseqpriv.write_parquet(table, tmp_path / "p.parquet")
        pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "p.parquet"), table)
    stored = pq.read_table(tmp_path / "p.parquet").schema.field("pattern").type
    assert stored == pa.list_(pa.list_(pa.int64()))


@given(tables(marked=True))
def test_csv_gives_back_the_same_sequences(folder, frame):
    frame = frame[["seq_id", "event", "time"]]
    pdseqpriv.write_csv(frame, folder / "any.csv.gz")
    if len(frame) == 0:
        assert len(pdseqpriv.read_csv(folder / "any.csv.gz")) == 0
        return
    again = pdseqpriv.read_csv(folder / "any.csv.gz")
    same_id = again["seq_id"].astype("str").tolist() == frame["seq_id"].astype("str").tolist()
    assert same_id
    assert again["event"].isna().tolist() == frame["event"].isna().tolist()
    present = frame["event"].notna().to_numpy()
    assert again["event"][present].astype("str").tolist() == frame["event"][present].astype("str").tolist()
    as_read = pd.Series(again["time"].to_numpy())
    if frame["time"].dtype.kind == "M":
        original = pd.to_datetime(frame["time"].astype("str"), format="ISO8601", utc=True)
        assert (pd.to_datetime(as_read, utc=True).to_numpy() == original.to_numpy()).all()
    else:
        assert as_read.tolist() == frame["time"].tolist()


def test_csv_keeps_leading_zeros_and_words_that_look_like_nulls(tmp_path):
    text = "seq_id,event,time\n007,NA,1\n008,null,2\n008,,3\n"
    (tmp_path / "f.csv").write_text(text)
    frame = pdseqpriv.read_csv(tmp_path / "f.csv")
    assert frame["seq_id"].tolist() == ["007", "008", "008"]
    assert frame["event"].tolist()[:2] == ["NA", "null"]
    assert frame["event"].isna().tolist() == [False, False, True]
    pdseqpriv.write_csv(frame, tmp_path / "g.csv")
    pd.testing.assert_frame_equal(pdseqpriv.read_csv(tmp_path / "g.csv"), frame)


@pytest.mark.parametrize("kind", ["whole", "decimal", "datetime", "zoned"])
@pytest.mark.parametrize("names", [{}, {"seq_id": "user", "event": "page"}])
def test_csv_gives_back_a_generalized_table(tmp_path, kind, names):
    df = pdseqpriv.datasets.make_clickstream(30, n_pages=4, seed=3)
    df["time"] = pd.to_datetime(df["time"]).dt.floor("s").astype("datetime64[us]")
    if kind in ("whole", "decimal"):
        df["time"] = df["time"].astype("int64") // 1_000_000 / (1 if kind == "whole" else 7)
        df["time"] = df["time"].astype("int64" if kind == "whole" else "float64")
    if kind == "zoned":
        df["time"] = df["time"].dt.tz_localize("UTC")
    released = generalized(df, k=3)
    shown = released.rename(columns=names)
    pdseqpriv.write_csv(shown.seqpriv.using(**names) if names else shown, tmp_path / "f.csv.gz")
    again = pdseqpriv.read_csv(tmp_path / "f.csv.gz", **names)
    assert list(again.columns) == list(shown.columns)
    assert again.astype(str).equals(shown.reset_index(drop=True).astype(str))
    for column in ("time_from", "time_to"):
        assert (again[column].to_numpy() == shown[column].to_numpy()).all()
    back = again.rename(columns={new: old for old, new in names.items()})
    assert pdseqpriv.compare(df, back).equals(pdseqpriv.compare(df, released))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("5", "3"), "at or after 'time_from'"),
        (("5", ""), "column 'time_to' must be free of nulls"),
        (("5", "top-secret"), "something else"),
        (("", "5"), "column 'time_from' must be"),
    ],
)
def test_a_damaged_generalized_csv_is_refused_without_quoting_it(tmp_path, change, told):
    text = "seq_id,group,event,time_from,time_to\n0,0,a,1,2\n0,0,b,{},{}\n".format(*change)
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(pdseqpriv.SeqPrivError, match=told) as caught:
        pdseqpriv.read_csv(tmp_path / "f.csv")
    assert "top-secret" not in str(caught.value)


def test_a_generalized_csv_that_lacks_a_column_is_refused(tmp_path):
    (tmp_path / "f.csv").write_text("seq_id,group,evnt,time_from,time_to\n0,0,a,1,2\n")
    with pytest.raises(pdseqpriv.SeqPrivError, match="read_csv: the table has no column 'event'"):
        pdseqpriv.read_csv(tmp_path / "f.csv")


def test_a_table_of_times_may_have_columns_that_are_named_like_intervals(tmp_path):
    frame = pd.DataFrame(
        {"seq_id": [1], "event": ["a"], "time": [4], "group": ["x"], "time_from": [1.5], "time_to": [9]}
    )
    pdseqpriv.write_csv(frame, tmp_path / "f.csv")
    pd.testing.assert_frame_equal(pdseqpriv.read_csv(tmp_path / "f.csv"), frame)


def test_csv_times_of_every_kind(tmp_path):
    def time_of(*cells):
        (tmp_path / "f.csv").write_text("seq_id,event,time\n" + "".join(f"1,a,{c}\n" for c in cells))
        return pdseqpriv.read_csv(tmp_path / "f.csv")["time"]

    assert time_of(3, -4).tolist() == [3, -4]
    assert time_of("0.5", "1e3").tolist() == [0.5, 1000.0]
    assert time_of("2024-01-01", "2024-01-02 10:30").dt.hour.tolist() == [0, 10]
    assert time_of("2024-01-01T10:00:00+02:00", "2024-01-01T10:00:00Z").dt.hour.tolist() == [8, 10]


@pytest.mark.parametrize("largest", [2**63, -(2**63) - 1, 10**30])
def test_a_csv_time_beyond_64_bits_is_refused_and_not_rounded(tmp_path, largest):
    (tmp_path / "f.csv").write_text(f"seq_id,event,time\n1,a,1\n1,b,{largest}\n")
    with pytest.raises(
        SeqPrivError, match="'time' must be whole numbers of at most 64 bits, but some are la"
    ):
        pdseqpriv.read_csv(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text(f"seq_id,event,time\n1,a,1\n1,b,{2**63 - 1}\n")
    assert pdseqpriv.read_csv(tmp_path / "f.csv")["time"].tolist() == [1, 2**63 - 1]


@pytest.mark.parametrize("other", ["0.5", "007", "1e3"])
@pytest.mark.parametrize("large", ["92233720368547758081", "9007199254740993", "-09007199254740993"])
def test_a_large_csv_time_among_decimals_is_refused_and_not_rounded(tmp_path, other, large):
    (tmp_path / "f.csv").write_text(f"seq_id,event,time\n1,a,{other}\n1,b,{large}\n")
    with pytest.raises(SeqPrivError, match=r"'time' must be .* not rounded, but some .* too large") as told:
        pdseqpriv.read_csv(tmp_path / "f.csv")
    assert large not in str(told.value)


def test_large_decimal_times_come_back_from_csv(tmp_path):
    times = [0.5, 2.0**53, 2.0**53 + 2, 1e17, 1e300, -(2.0**62)]
    pdseqpriv.write_csv(pd.DataFrame({"seq_id": 1, "event": "a", "time": times}), tmp_path / "f.csv")
    assert pdseqpriv.read_csv(tmp_path / "f.csv")["time"].tolist() == times


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Paris", "+05:30"])
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("when", ["0001-01-02", "0999-03-04", "1890-06-07", "2024-05-01", "9999-12-30"])
def test_csv_gives_back_every_time_that_it_writes(tmp_path, when, unit, zone):
    # Until 1911, Paris was 9 minutes and 21 seconds ahead of UTC.
    times = pa.array([np.datetime64(f"{when}T05:06:07", unit)]).cast(pa.timestamp(unit, zone))
    table = pa.table({"seq_id": [1], "event": ["a"], "time": times})
    pdseqpriv.write_csv(table, tmp_path / "f.csv")
    again = pdseqpriv.read_csv(tmp_path / "f.csv")["time"]
    assert str(again[0]) == f"{when} 05:06:07{'+00:00' if zone else ''}"


@pytest.mark.parametrize("column", ["time", "born"])
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("when", ["0000-12-31T23:59:59", "10000-01-01", "300000-01-01", "-0005-01-01"])
def test_csv_writes_no_year_that_it_cannot_read(tmp_path, when, zone, column):
    there = {"time": np.array(["2024-05-01"], "datetime64[s]"), column: np.array([when], "datetime64[s]")}
    frame = pd.DataFrame({"seq_id": [1], "event": ["a"], **there})
    frame[column] = frame[column].dt.tz_localize(zone)
    told = (
        f"write_csv: column '{column}' must be datetimes of the years 1 to 9999 in a text file, but some are"
    )
    with pytest.raises(pdseqpriv.SeqPrivError, match=told):
        pdseqpriv.write_csv(frame, tmp_path / "f.csv")
    assert not list(tmp_path.iterdir())
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "f.parquet"), frame)


def test_no_text_ends_its_cell_or_row(tmp_path):
    odd = [
        "",
        "a\rb",
        "a\nb",
        "a\r\nb",
        '"',
        '""',
        ",",
        ";",
        " a ",
        "\t",
        "#",
        "a\\",
        "\ufeff",
        "NA",
        "'",
        "a\0b",
    ]
    frame = pd.DataFrame({"seq_id": odd, "event": odd[::-1], "time": range(len(odd)), "note": odd})
    pdseqpriv.write_csv(frame, tmp_path / "f.csv")
    pd.testing.assert_frame_equal(pdseqpriv.read_csv(tmp_path / "f.csv"), frame)
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "f.parquet"), frame)
    assert frame.seqpriv.describe()["sequences"] == len(odd)


def test_csv_with_a_byte_order_mark_and_windows_lines(tmp_path):
    (tmp_path / "f.csv").write_bytes("\ufeffseq_id;event;time\r\n1;a;2\r\n".encode())
    assert pdseqpriv.read_csv(tmp_path / "f.csv", separator=";").to_numpy().tolist() == [[1, "a", 2]]
    for separator in (None, "", "ab", 5, b","):
        with pytest.raises(SeqPrivError, match="separator must be one character"):
            pdseqpriv.read_csv(tmp_path / "f.csv", separator=separator)


@pytest.mark.parametrize("ending", [".zip", ".bz2", ".xz", ".ZST"])
def test_csv_is_not_written_as_if_it_were_compressed(tmp_path, ending):
    path = tmp_path / f"clicks.csv{ending}"
    with pytest.raises(FileError, match=r"Name it \.csv or \.csv\.gz"):
        pdseqpriv.write_csv(pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [0]}), path)
    assert not path.exists()


def test_a_csv_without_header_does_not_give_its_first_row_away(tmp_path):
    (tmp_path / "f.csv").write_text("top-secret,home,1\nbob,bar,2\n")
    with pytest.raises(SeqPrivError, match="it has 3 columns") as caught:
        pdseqpriv.read_csv(tmp_path / "f.csv")
    assert SECRET not in str(caught.value)
    assert "read_csv(" in str(caught.value)


def test_spmf_of_both_forms(tmp_path):
    path = tmp_path / "f.spmf"
    path.write_text("# comment\n10 -1 2 3 -1 -2\n-2\n\n7 -1 -2\r\n")
    frame = pdseqpriv.read_spmf(path)
    assert frame.to_numpy().tolist() == [[0, 10, 0], [0, 2, 1], [0, 3, 1], [2, 7, 0]]
    path.write_text("5 6 5\n\n7\n")
    assert pdseqpriv.read_spmf(path).to_numpy().tolist() == [[0, 5, 0], [0, 6, 1], [0, 5, 2], [1, 7, 0]]
    path.write_text("home bar\nbar\n")
    assert pdseqpriv.read_spmf(path)["event"].tolist() == ["home", "bar", "bar"]


@given(tables(marked=False))
def test_spmf_gives_back_the_same_order_of_events(folder, frame):
    path = folder / "any.spmf"
    pdseqpriv.write_spmf(frame, path)
    again = pdseqpriv.read_spmf(path)
    ordered = frame.assign(owner=frame["seq_id"].rank(method="dense") if len(frame) else 0)
    ordered = ordered.reset_index(drop=True).astype({"event": object}).sort_values(["owner", "time", "event"])
    element = ordered.groupby("owner")["time"].rank(method="dense").astype(int) - 1
    if len(frame):
        owner = ordered["owner"].rank(method="dense").astype(int) - 1
        assert again["seq_id"].tolist() == owner.tolist()
        assert again["time"].tolist() == element.tolist()
        assert again["event"].astype("str").tolist() == ordered["event"].astype("str").tolist()
    else:
        assert len(again) == 0


XES = """<?xml version="1.0" encoding="UTF-8" ?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <global scope="event"><string key="concept:name" value="DEFAULT"/></global>
  <string key="concept:name" value="the log"/>
  <trace>
    <event>
      <string key="concept:name" value="first &amp; last"/>
      <date key="time:timestamp" value="2024-05-01T10:00:00.123+02:00"/>
      <string key="org:resource" value="Zoë"><string key="concept:name" value="nested"/></string>
    </event>
    <string key="concept:name" value="case 1"/>
    <event>
      <date key="time:timestamp" value="2024-05-01T09:00:00Z"/>
      <string key="concept:name" value="second"/>
    </event>
  </trace>
  <trace><string key="concept:name" value="no events"/></trace>
</log>
"""


@pytest.mark.parametrize("suffix", [".xes", ".xes.gz"])
def test_xes_is_read_with_its_oddities(tmp_path, suffix):
    import gzip

    path = tmp_path / f"log{suffix}"
    path.write_bytes(gzip.compress(XES.encode()) if suffix.endswith("gz") else XES.encode())
    frame = pdseqpriv.read_xes(path, attributes=("org:resource",))
    assert frame["seq_id"].tolist() == ["case 1", "case 1"]
    assert frame["event"].tolist() == ["first & last", "second"]
    assert frame["time"].tolist() == [
        pd.Timestamp("2024-05-01 08:00:00.123Z"),
        pd.Timestamp("2024-05-01 09:00:00Z"),
    ]
    assert frame["org:resource"].tolist()[0] == "Zoë"
    assert frame["org:resource"].isna().tolist() == [False, True]


def test_xes_without_events_is_an_empty_table(tmp_path):
    (tmp_path / "f.xes").write_text("<log/>")
    frame = pdseqpriv.read_xes(tmp_path / "f.xes")
    assert frame.seqpriv.describe()["sequences"] == 0


EVENT = '<event><string key="concept:name" value="top-secret"/>{}</event>'
STAMP = '<date key="time:timestamp" value="{}"/>'
CASE = '<log><trace><string key="concept:name" value="top-secret"/>{}</trace></log>'
BOMB = """<?xml version="1.0"?><!DOCTYPE log [<!ENTITY a "top-secret"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><log><trace><string key="concept:name" value="&c;"/></trace></log>"""
EXTERNAL = '<!DOCTYPE log [<!ENTITY x SYSTEM "file:///etc/passwd">]><log><string key="k" value="v"/>&x;</log>'

BROKEN = {
    ("bomb.xes", BOMB): "document type",
    ("external.xes", EXTERNAL): "document type",
    ("dtd.xes", '<!DOCTYPE log SYSTEM "http://localhost/x.dtd"><log/>'): "document type",
    ("cut.xes", XES[:600]): "not well-formed XML at line",
    ("empty.xes", ""): "not well-formed XML at line 1",
    ("text.xes", "top-secret"): "not well-formed",
    ("plain.xes.gz", XES): "compression is damaged",
    ("untimed.xes", CASE.format(EVENT.format(""))): "time:timestamp is missing from 1 event",
    ("badtime.xes", CASE.format(EVENT.format(STAMP.format("top-secret")))): "not an ISO 8601",
    (
        "unnamed.xes",
        f"<log><trace>{EVENT.format(STAMP.format('2024-01-01'))}</trace></log>",
    ): "concept:name is missing from 1 trace with events",
    (
        "noevent.xes",
        CASE.format("<event>" + STAMP.format("2024-01-01") + "</event>"),
    ): "concept:name is missing from 1 event",
    ("text.parquet", "top-secret"): "not a Parquet file",
    ("empty.parquet", ""): "not a Parquet file",
    ("empty.csv", ""): "same number of cells",
    ("ragged.csv", "seq_id,event,time\n1,a,1\n1,top-secret,1,4,5\n"): "same number of cells",
    ("wide.csv", "seq_id,event,time\n1,top-secret,1,4\n2,b,1,4\n"): "same number of cells",
    ("narrow.csv", "seq_id,time,event\n1,1,top-secret\n2,1\n"): "same number of cells",
    ("twice.csv", "seq_id,event,time,event\n1,top-secret,1,b\n"): "same name",
    ("now.csv", "seq_id,event,time\n1,top-secret,now\n"): "something else",
    ("zones.csv", "seq_id,event,time\n1,a,2024-01-01T10:00Z\n1,b,2024-01-01T10:00\n"): "with or all without",
    ("quoted.csv", 'seq_id,event,time\n1,"top-secret,1\n'): "same number of cells",
    ("names.csv", "seq_id,evnt,time\n1,top-secret,1\n"): "Did you mean 'evnt'",
    ("time.csv", "seq_id,event,time\n1,a,1\n1,a,top-secret\n"): "something else",
    ("notime.csv", "seq_id,event,time\n1,top-secret,\n"): "no time",
    ("noid.csv", "seq_id,event,time\n,top-secret,1\n"): "no sequence",
    ("plain.csv.gz", "seq_id,event,time\n"): "cannot read",
    ("stray.xes", f"<log>{EVENT.format('')}</log>"): "it has 1 event outside of traces",
    ("page.xes", "<html/>"): "not an event log",
    ("now.xes", CASE.format(EVENT.format(STAMP.format("now")))): "not an ISO 8601",
    ("blank.xes", CASE.format(EVENT.format(STAMP.format("")))): "not an ISO 8601",
    ("code.xes", '<?xml version="1.0" encoding="top-secret"?><log/>'): "encoding",
    ("jis.xes", '<?xml version="1.0" encoding="shift_jis"?><log/>'): "encoding",
    ("short.spmf", "1 -1 2"): "its end is missing",
    ("power.spmf", "@ITEM=\u00b2=top-secret\n1 -1 -2\n"): "@ITEM=number=name",
    ("twice.spmf", "@ITEM=1=a\n@ITEM=1=top-secret\n1 -1 -2\n"): "two names",
    ("letters.spmf", "1 -1 -2\ntop-secret -1 -2\n"): "it has 1 line with something other",
    ("cut.spmf", "1 -1 -2\n2 -1\n"): "it has 1 line without a single -2 at the end",
    ("inside.spmf", "1 -1 -2 3 -1 -2\n"): "it has 1 line without a single -2 at the end",
    ("names.spmf", "@ITEM=x=top-secret\n1 -1 -2\n"): "@ITEM=number=name",
    ("unnamed.spmf", "@ITEM=1=top-secret\n1 -1 2 -1 -2\n"): "it has 1 item without a name",
    ("negative.spmf", "-7 -1 -2\n"): "it has 1 line with something other",
}
READERS = {
    ".xes": pdseqpriv.read_xes,
    ".gz": None,
    ".parquet": pdseqpriv.read_parquet,
    ".csv": pdseqpriv.read_csv,
    ".spmf": pdseqpriv.read_spmf,
}


def reader_of(name):
    return READERS[Path(name.removesuffix(".gz")).suffix]


@pytest.mark.parametrize(("file", "said"), BROKEN.items(), ids=[name for name, _ in BROKEN])
def test_broken_files_are_refused_in_one_clear_sentence(tmp_path, file, said):
    name, content = file
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SeqPrivError) as caught:
        reader_of(name)(tmp_path / name)
    message = str(caught.value)
    assert said in message
    assert SECRET not in message
    assert "\n" not in message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_binary_garbage_is_refused_by_every_reader(tmp_path):
    content = SECRET.encode() + bytes(range(256)) * 8
    for suffix in (".parquet", ".csv", ".spmf", ".xes", ".xes.gz"):
        path = tmp_path / f"garbage{suffix}"
        path.write_bytes(content)
        with pytest.raises(SeqPrivError) as caught:
            reader_of(path.name)(path)
        assert SECRET not in str(caught.value)


def test_every_cut_of_a_good_file_is_refused_or_read_whole(tmp_path):
    frame = pdseqpriv.datasets.make_event_log(50, seed=2)
    pdseqpriv.write_parquet(frame, tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    for size in np.linspace(0, len(content) - 1, 40).astype(int):
        (tmp_path / "cut.parquet").write_bytes(content[:size])
        with pytest.raises(FileError):
            pdseqpriv.read_parquet(tmp_path / "cut.parquet")
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content), 150):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(0, 8))
        (tmp_path / "damaged.parquet").write_bytes(damaged)
        with suppress(SeqPrivError):  # anything else that is raised fails the test
            pdseqpriv.read_parquet(tmp_path / "damaged.parquet")


@pytest.mark.parametrize("reader", [pdseqpriv.read_xes, pdseqpriv.read_csv, pdseqpriv.read_spmf])
def test_reading_a_folder_or_nothing(tmp_path, reader):
    with pytest.raises(FileError, match="it is a folder"):
        reader(tmp_path)
    with pytest.raises(FileError, match="no such file"):
        reader(tmp_path / "nothing")
    with pytest.raises(OSError, match="no such file"):
        reader(str(tmp_path / "nothing"))


def test_reading_an_empty_folder(tmp_path):
    with pytest.raises(FileError, match="holds no file ending in"):
        pdseqpriv.read_parquet(tmp_path)


@pytest.mark.parametrize("path", [None, 3, "", "a\0b", b"bytes", "~nosuchuser/x", "\ud800"])
def test_what_is_no_path_is_said_so(path):
    for function in (pdseqpriv.read_parquet, pdseqpriv.read_csv, pdseqpriv.read_spmf, pdseqpriv.read_xes):
        with pytest.raises(SeqPrivError, match="path must be the path of a local file") as told:
            function(path)
        assert isinstance(path, str) or told.match(f"got {type(path).__name__}")
    with pytest.raises(SeqPrivError, match="path must be the path of a local file"):
        pdseqpriv.write_parquet(small(), path)


WRITERS = [pdseqpriv.write_parquet, pdseqpriv.write_csv, pdseqpriv.write_spmf]


@pytest.mark.parametrize("writer", WRITERS)
def test_writing_to_a_folder_or_into_none(tmp_path, writer):
    (tmp_path / "folder").mkdir()
    if writer is not pdseqpriv.write_parquet:  # which writes into it
        with pytest.raises(FileError, match="it is a folder; nothing was changed"):
            writer(small(), tmp_path / "folder")
    with pytest.raises(FileError, match="no such file or folder; nothing was changed"):
        writer(small(), tmp_path / "none" / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_full_or_forbidden_disk_leaves_the_old_file(tmp_path, monkeypatch, writer, number):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(paths, "_flush", fail)
    with pytest.raises(FileError, match="nothing was changed"):
        writer(small(), path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


# Where files may not grow, Python would leave half a module behind.
LIMITED = """
import resource, signal, sys
import pdseqpriv
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
frame = pdseqpriv.datasets.make_clickstream(20_000, seed=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
for writer in (pdseqpriv.write_parquet, pdseqpriv.write_csv, pdseqpriv.write_spmf):
    try:
        writer(frame, sys.argv[1])
    except pdseqpriv.FileError as error:
        print(error)
"""


def test_a_disk_that_really_takes_no_more_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.stdout.count("nothing was changed") == 3, run.stdout + run.stderr
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


WRITE_SLOWLY = """
import os, sys, time
import pdseqpriv
from pdseqpriv import paths
flush = paths._flush
def slow(path):
    print("writing", flush=True)   # the draft is complete, the old file still there
    time.sleep(60)
paths._flush = slow
pdseqpriv.write_parquet(pdseqpriv.datasets.make_clickstream(1000, seed=2), sys.argv[1])
"""


def test_kill_in_the_middle_of_a_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "visits.parquet"
    old = pdseqpriv.datasets.make_clickstream(100, seed=1)
    pdseqpriv.write_parquet(old, path)
    before = path.read_bytes()
    with subprocess.Popen([sys.executable, "-c", WRITE_SLOWLY, path], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline().strip() == b"writing"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
    assert path.read_bytes() == before
    assert pdseqpriv.read_parquet(tmp_path).equals(old)


def test_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "visits.parquet"
    old = pdseqpriv.datasets.make_clickstream(100, seed=1)
    new = [pdseqpriv.datasets.make_clickstream(3000, seed=s) for s in range(2)]
    pdseqpriv.write_parquet(old, path)
    code = (
        "import pdseqpriv, sys\n"
        "frames = [pdseqpriv.datasets.make_clickstream(3000, seed=s) for s in range(2)]\n"
        "print('ready', flush=True)\n"
        "while True:\n    for frame in frames: pdseqpriv.write_parquet(frame, sys.argv[1])\n"
    )
    for delay in (0.0, 0.05, 0.13):
        with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(delay)
            os.kill(process.pid, signal.SIGKILL)
            process.wait(10)
        events = pdseqpriv.read_parquet(path)["event"].tolist()
        assert events in [frame["event"].tolist() for frame in (old, *new)]


def test_ctrl_c_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(paths, "_flush", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pdseqpriv.write_parquet(small(), path)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("cells", "read"),
    [(["1", "2"], whole_numbers_or_text), (["99999999999999999999"], partial(times_of, "time"))],
)
def test_ctrl_c_is_heard_while_cells_become_numbers(cells, read):
    given_up = Event()
    with on_a_part(given_up):
        with suppress(SeqPrivError):
            read(pa.chunked_array([cells]))
        given_up.set()
        with pytest.raises(KeyboardInterrupt):
            read(pa.chunked_array([cells]))


@pytest.mark.parametrize(
    "cells", [[["1"], [], [None], ["2"]], [["1"], ["02"]], [[None], [None]], [[], []], []]
)
def test_whole_numbers_are_found_stretch_by_stretch(cells):
    stretches, flat = pa.chunked_array(cells, pa.string()), [cell for some in cells for cell in some]
    found = whole_numbers_or_text(stretches)
    assert pd.api.types.is_integer_dtype(found) == ("1" in flat and "02" not in flat)
    assert [None if pd.isna(one) else str(one) for one in found] == flat


def test_a_link_is_followed_and_the_mode_is_the_usual_one(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    pdseqpriv.write_csv(small(), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith('"seq_id"')
    pdseqpriv.write_csv(small(), tmp_path / "new.csv")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "new.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_private_file_stays_private_and_a_pipe_stays_a_pipe(tmp_path):
    (tmp_path / "private.csv").write_text("old")
    (tmp_path / "private.csv").chmod(0o600)
    pdseqpriv.write_csv(small(), tmp_path / "private.csv")
    assert (tmp_path / "private.csv").stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="nothing was changed"):
        pdseqpriv.write_csv(small(), tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_columns_that_parquet_cannot_hold_are_said_without_their_values(tmp_path):
    frame = small().assign(note=pd.Series([SECRET, 3, {1: SECRET}], dtype=object))
    with pytest.raises(FileError) as caught:
        pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    assert SECRET not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_writers_check_the_table(tmp_path):
    for writer in WRITERS:
        with pytest.raises(SeqPrivError, match="column 'time' must be"):
            writer(small().assign(time=[1.0, np.nan, 2.0]), tmp_path / "f")
        with pytest.raises(SeqPrivError, match="must be a pandas DataFrame"):
            writer([1, 2], tmp_path / "f")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("inside", ["struct", "list"])
def test_nested_columns_that_may_carry_removed_values_are_refused(tmp_path, inside):
    packed = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["a", SECRET]))
    struct = pa.StructArray.from_arrays([packed], ["x"])
    nested = struct if inside == "struct" else pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), packed)
    frame = small().assign(note=pd.Series(pd.arrays.ArrowExtensionArray(nested)))
    with pytest.raises(SeqPrivError, match="'note' is nested"):
        pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    assert not list(tmp_path.iterdir())


def test_arrow_dictionaries_come_back_as_categories(tmp_path):
    dictionary = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    frame = small().assign(event=pd.Series(["a", None, "b"]).astype(dictionary))
    pdseqpriv.write_parquet(frame, tmp_path / "f.parquet")
    assert pdseqpriv.read_parquet(tmp_path / "f.parquet")["event"].tolist()[::2] == ["a", "b"]


def test_foreign_parquet_with_nulls_among_whole_numbers(tmp_path):
    table = pa.table({"seq_id": [1, 1, 2], "event": pa.array([5, None, 2**60 + 1]), "time": [1, 2, 3]})
    pq.write_table(table, tmp_path / "f.parquet")
    frame = pdseqpriv.read_parquet(tmp_path / "f.parquet")
    assert frame["event"].dropna().tolist() == [5, 2**60 + 1]


def test_foreign_indexes_named_ones_become_columns(tmp_path):
    small().set_index("seq_id").to_parquet(tmp_path / "named.parquet")
    assert sorted(pdseqpriv.read_parquet(tmp_path / "named.parquet")) == ["event", "seq_id", "time"]
    small().set_axis(["x", "y", "z"]).to_parquet(tmp_path / "unnamed.parquet")
    assert list(pdseqpriv.read_parquet(tmp_path / "unnamed.parquet")) == ["seq_id", "event", "time"]
    small().set_axis(pd.Index([1, 2, 9], name="event")).to_parquet(tmp_path / "clash.parquet")
    with suppress(FileError):
        assert list(pdseqpriv.read_parquet(tmp_path / "clash.parquet")) == ["seq_id", "event", "time"]


def test_damaged_values_are_told_without_quoting_them(tmp_path):
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 2, 4], "int32")), pa.py_buffer(b"\xff\xfeab")]
    )
    pq.write_table(pa.table({"seq_id": broken, "event": ["a", "b"], "time": [1, 2]}), tmp_path / "f.parquet")
    with pytest.raises(SeqPrivError):
        pdseqpriv.read_parquet(tmp_path / "f.parquet")
    pq.write_table(
        pa.table({"pattern": pa.array([None, [["a"]]]), "support": [1, 2], "length": [1, 1]}),
        tmp_path / "p.parquet",
    )
    with pytest.raises(SeqPrivError):
        pdseqpriv.read_parquet(tmp_path / "p.parquet")


def test_text_that_is_no_text_is_refused_by_every_writer(tmp_path):
    frame = small().assign(event=pd.Series(["a", "\ud800", "b"], dtype=object))
    for writer in WRITERS:
        with pytest.raises(SeqPrivError):
            writer(frame, tmp_path / "f")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "attributes", [5, None, "org:resource", ("event",), ([],), ("concept:name",), ("a", "a")]
)
def test_wrong_xes_attributes_are_named(tmp_path, attributes):
    (tmp_path / "f.xes").write_text(XES)
    with pytest.raises(SeqPrivError, match="attributes must be a tuple"):
        pdseqpriv.read_xes(tmp_path / "f.xes", attributes=attributes)


def test_huge_numbers_in_spmf_get_names(tmp_path):
    events = np.array([2**64 - 1, 2**64 - 2, 5], dtype="uint64")
    pdseqpriv.write_spmf(small().assign(event=events), tmp_path / "f.spmf")
    assert set(pdseqpriv.read_spmf(tmp_path / "f.spmf")["event"]) == {str(event) for event in events}


def test_our_note_is_readable_by_others(tmp_path):
    pdseqpriv.write_parquet(small(), tmp_path / "f.parquet")
    note = json.loads(pq.read_schema(tmp_path / "f.parquet").metadata[b"pdseqpriv"])
    assert note["table"] == "sequences"
    assert pd.read_parquet(tmp_path / "f.parquet").equals(small())


@given(frame=tables(marked=False), min_support=st.integers(1, 2))
@settings(deadline=None, max_examples=40)
def test_patterns_come_back_from_csv(folder, frame, min_support):
    patterns = frame.seqpriv.mine(min_support, max_length=3)
    pdseqpriv.write_csv(patterns, folder / "patterns.csv")
    read = pdseqpriv.read_csv(folder / "patterns.csv")
    assert read["pattern"].tolist() == patterns["pattern"].tolist()
    assert (
        read[["support", "length"]].to_numpy().tolist() == patterns[["support", "length"]].to_numpy().tolist()
    )


def test_patterns_in_csv_are_text_that_people_read(tmp_path):
    patterns = pd.DataFrame({"pattern": [("a", ("b", "c d")), ("7",)], "support": [3, 2], "length": [3, 1]})
    pdseqpriv.write_csv(patterns, tmp_path / "p.csv")
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines == ['"pattern","support","length"', '"a -> (""c d"" b)",3,3', '"""7""",2,1']
    (tmp_path / "p.csv").write_text("pattern,support,length\na -> ( b,3,2\n")
    with pytest.raises(SeqPrivError, match="'pattern' must be patterns such as"):
        pdseqpriv.read_csv(tmp_path / "p.csv")
    (tmp_path / "p.csv").write_text("pattern,support,length\na -> b,0,2\n")
    with pytest.raises(SeqPrivError, match="'support' must be whole numbers of at least 1"):
        pdseqpriv.read_csv(tmp_path / "p.csv")


EARLIEST, LATEST = (dt.datetime.fromisoformat(day) for day in ("0001-01-02", "9999-12-30"))


@given(
    st.lists(
        st.tuples(
            st.datetimes(min_value=EARLIEST, max_value=LATEST),
            st.sampled_from([" ", "T"]),
            st.sampled_from(["", "Z", "+02:00", "-0530", "+01"]),
            st.sampled_from(["auto", "seconds", "minutes", "hours", "milliseconds"]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_quick_and_slow_readers_of_datetimes_agree(texts):
    text = pd.Series(
        [f"{when.isoformat(sep, digits)}{zone}" for when, sep, zone, digits in texts], dtype="str"
    )
    quick = iso8601._read_plain(text)
    if quick is not None:
        slow = pd.to_datetime(text, format="ISO8601", utc=quick.dt.tz is not None)
        pd.testing.assert_series_equal(quick, slow)


@pytest.mark.parametrize("writer", [pdseqpriv.write_csv, pdseqpriv.write_spmf, pdseqpriv.write_xes])
def test_where_one_file_is_written_a_slash_at_the_end_is_refused(tmp_path, writer):
    table = small().assign(time=pd.to_datetime(small()["time"], unit="s"))
    with pytest.raises(FileError, match="the path ends in a slash, but what is written is one file"):
        writer(table, f"{tmp_path}/out/")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_there", [True, False])
def test_a_path_that_ends_in_a_slash_is_a_folder(tmp_path, is_there):
    folder = tmp_path / "out"
    if is_there:
        folder.mkdir()
    for _ in range(2):
        pdseqpriv.write_parquet(small(), f"{folder}/")
        assert [one.name for one in folder.iterdir()] == ["table.parquet"]
        assert pdseqpriv.read_parquet(folder).equals(small())
    pdseqpriv.write_parquet(small(), folder)
    (folder / "table.parquet").rename(folder / "0.parquet")
    with pytest.raises(FileError, match="the folder holds 1 other Parquet file; nothing was changed"):
        pdseqpriv.write_parquet(small(), folder)
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot write"):
        pdseqpriv.write_parquet(small(), f"{tmp_path}/file/")


@pytest.mark.parametrize("text", ["a -[2..3]-> b", "a -> b within 3", "a -[1..]-> b"])
def test_a_pattern_in_a_csv_does_not_lose_its_gaps(tmp_path, text):
    (tmp_path / "p.csv").write_text(f'pattern,support,length\n"{text}",3,2\n')
    with pytest.raises(SeqPrivError, match="without gaps or windows, but some cells are not") as caught:
        pdseqpriv.read_csv(tmp_path / "p.csv")
    assert text not in str(caught.value)


def test_no_pattern_is_no_pattern_in_csv_either(tmp_path):
    none = pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [0]}).seqpriv.mine(2)
    pdseqpriv.write_csv(none, tmp_path / "p.csv")
    pd.testing.assert_frame_equal(pdseqpriv.read_csv(tmp_path / "p.csv"), none)


def test_other_columns_of_a_csv_stay_whole_where_cells_are_empty(tmp_path):
    (tmp_path / "v.csv").write_text(f"seq_id,event,time,code\n1,a,0,{2**53 + 1}\n1,b,1,\n")
    read = pdseqpriv.read_csv(tmp_path / "v.csv")
    assert read["code"].tolist() == [2**53 + 1, pd.NA]


def test_a_generalized_csv_of_other_names_says_how_to_name_them(tmp_path):
    (tmp_path / "g.csv").write_text("user,group,url,time_from,time_to\n1,0,ALL,0,1\n")
    with pytest.raises(
        SeqPrivError, match=r'no column .seq_id. .*Name it with read_csv\(..., seq_id="..."\)'
    ):
        pdseqpriv.read_csv(tmp_path / "g.csv")
    with pytest.raises(SeqPrivError, match=r'no column .event. .*Name it with read_csv\(..., event="..."\)'):
        pdseqpriv.read_csv(tmp_path / "g.csv", seq_id="user")
    assert len(pdseqpriv.read_csv(tmp_path / "g.csv", seq_id="user", event="url")) == 1


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("s", "UTC")])
def test_other_columns_of_dates_come_back(kind, tmp_path):
    frame = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [1, 2]})
    frame["born"] = pd.Series(["2001-02-03", None], dtype="datetime64[s]").astype(pd.ArrowDtype(kind))
    pdseqpriv.write_parquet(frame, tmp_path / "dates.parquet")
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "dates.parquet"), frame)
