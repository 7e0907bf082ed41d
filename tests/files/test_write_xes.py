"""Writing XES: what comes back, hostile text, what the format cannot hold."""

from __future__ import annotations

import gzip
from xml.etree import ElementTree as ET

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.errors import SeqPrivError

NASTY = [
    '"/><event/>',
    "</trace>",
    "<!-- -->",
    "&amp;",
    "a\tb\nc\rd",
    "'",
    "名前",
    "\U0001f600",
    "]]>",
    " x ",
]


def log(**changes):
    times = pd.to_datetime(
        [
            "2024-05-01 10:00:00.25",
            "2024-05-01 09:00:00.00",
            "2023-01-01 00:00:00.50",
            "2024-05-01 10:00:00.25",
        ]
    )
    frame = pd.DataFrame(
        {"seq_id": ["b", "b", "a", "b"], "event": ["x", "y", "x", "z"], "time": times, "who": [1, None, 3, 4]}
    )
    return frame.assign(**changes)


def test_a_log_comes_back_in_order_with_its_attributes(tmp_path):
    pdseqpriv.write_xes(log(), tmp_path / "log.xes.gz")
    read = pdseqpriv.read_xes(tmp_path / "log.xes.gz", attributes=("who",))
    assert read["seq_id"].tolist() == ["a", "b", "b", "b"]
    assert read["event"].tolist() == ["x", "y", "x", "z"]
    assert read["time"].equals(log()["time"].iloc[[2, 1, 0, 3]].reset_index(drop=True))
    assert read["who"].isna().tolist() == [False, True, False, False]


@given(
    st.lists(st.tuples(st.sampled_from(NASTY), st.sampled_from(NASTY), st.sampled_from(NASTY)), max_size=8)
)
@settings(deadline=None)
def test_no_text_breaks_out_of_its_attribute(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("xes") / "log.xes"
    frame = pd.DataFrame(rows, columns=["seq_id", "event", '<n"'], dtype="str")
    frame["time"] = pd.date_range("2024-01-01", periods=len(frame), freq="h")
    pdseqpriv.write_xes(frame, path)
    root = ET.parse(path).getroot()  # noqa: S314 (we wrote it)
    assert sum(tag.tag.endswith("event") for tag in root.iter()) == len(frame)
    read = pdseqpriv.read_xes(path, attributes=('<n"',) if len(frame) else ())
    ordered = frame.sort_values(["seq_id", "time"])
    for name in frame.columns:
        if len(frame):
            assert read[name].tolist() == ordered[name].tolist()


def test_zones_are_written_in_utc_and_names_are_kept(tmp_path):
    zoned = log().assign(time=log()["time"].dt.tz_localize("Europe/Rome"))
    renamed = zoned.rename(columns={"seq_id": "case", "event": "activity", "time": "ts"})
    pdseqpriv.write_xes(renamed.seqpriv.using(seq_id="case", event="activity", time="ts"), tmp_path / "l.xes")
    assert set(pdseqpriv.read_xes(tmp_path / "l.xes")["time"]) == set(zoned["time"].dt.tz_convert("UTC"))


def test_many_rows_are_written_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("pdseqpriv.files.write_xes._ROWS_PER_CHUNK", 2)
    pdseqpriv.write_xes(log(), tmp_path / "pieces.xes")
    monkeypatch.undo()
    pdseqpriv.write_xes(log(), tmp_path / "whole.xes")
    assert (tmp_path / "pieces.xes").read_bytes() == (tmp_path / "whole.xes").read_bytes()


def test_the_same_table_makes_the_same_bytes(tmp_path):
    for name in ("a.xes.gz", "b.xes.gz"):
        pdseqpriv.write_xes(log(), tmp_path / name)
    assert (tmp_path / "a.xes.gz").read_bytes() == (tmp_path / "b.xes.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.xes.gz").read_bytes()).startswith(b"<?xml")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"time": [1, 2, 3, 4]}, "XES needs datetimes"),
        ({"event": ["x", None, "y", None]}, "but the table has 2."),
        ({"event": ["x\0", "a", "b", "c"]}, "characters that XML does not allow"),
        ({"who": ["x\x0b", "a", "b", "c"]}, "characters that XML does not allow"),
        ({"time": pd.Series([10**13, 0, 1, 2]).astype("datetime64[s]")}, "of the years 1 to 9999"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, changes, words):
    with pytest.raises(SeqPrivError, match=words):
        pdseqpriv.write_xes(log(**changes), tmp_path / "log.xes")
    assert list(tmp_path.iterdir()) == []


def test_no_metadata_of_the_input_is_in_the_file(tmp_path):
    table = pa.Table.from_pandas(log(), preserve_index=False)
    fields = [field.with_metadata({b"note": b"a secret"}) for field in table.schema]
    marked = table.cast(pa.schema(fields)).replace_schema_metadata({b"more": b"a secret"})
    pdseqpriv.write_xes(marked, tmp_path / "log.xes")
    assert b"a secret" not in (tmp_path / "log.xes").read_bytes()
    assert pdseqpriv.read_xes(tmp_path / "log.xes")["event"].tolist() == ["x", "y", "x", "z"]


@pytest.mark.parametrize("name", ["concept:name", "time:timestamp"])
def test_no_other_column_takes_the_place_of_an_event_or_its_time(tmp_path, name):
    with pytest.raises(SeqPrivError, match=f"events have one {name}, but another column is called so"):
        pdseqpriv.write_xes(log(**{name: "2000-01-01"}), tmp_path / "log.xes")
    assert not (tmp_path / "log.xes").exists()
    named = log().rename(columns={"event": "concept:name", "time": "time:timestamp"})
    bound = named.seqpriv.using(event="concept:name", time="time:timestamp")
    pdseqpriv.write_xes(bound, tmp_path / "log.xes")
    assert pdseqpriv.read_xes(tmp_path / "log.xes")["event"].tolist() == ["x", "y", "x", "z"]


def test_columns_that_are_the_same_as_text_are_refused(tmp_path):
    several = log(a=1, b=2)
    for names in ({"a": 5, "b": "5"}, {"a": "c", "b": "c"}):
        with pytest.raises(SeqPrivError, match="several columns have the same name"):
            pdseqpriv.write_xes(several.rename(columns=names), tmp_path / "log.xes")
