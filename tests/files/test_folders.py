"""Tables that are many files: folders, partitions, patterns of names, lists."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import pdseqpriv
from pdseqpriv.errors import FileError, SeqPrivError


def visits(**more):
    return pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", "b", "a"], "time": [0, 1, 0]}).assign(**more)


def write(frame, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_parquet(path, index=False)


def test_folders_of_partitions_become_columns(tmp_path):
    for day, shop in [("2024-05-01", 3), ("2024-05-02", 4)]:
        write(visits(), tmp_path / f"day={day}" / f"shop={shop}" / "part.parquet")
    write(visits(), tmp_path / "day=__HIVE_DEFAULT_PARTITION__" / "shop=5" / "part.parquet")
    read = pdseqpriv.read_parquet(tmp_path)
    pairs = zip(read["day"].fillna("nobody knows"), read["shop"], strict=True)
    assert set(pairs) == {("2024-05-01", 3), ("2024-05-02", 4), ("nobody knows", 5)}
    assert len(read) == 9


@pytest.mark.parametrize("value", ["a b", "x=y", "50%", "ä/ö", "007"])
def test_what_another_program_writes_as_partitions_comes_back(tmp_path, value):
    table = pa.Table.from_pandas(visits(shop=[value, "other", value]), preserve_index=False)
    ds.write_dataset(table, tmp_path, format="parquet", partitioning=["shop"], partitioning_flavor="hive")
    read = pdseqpriv.read_parquet(tmp_path)
    assert sorted(read["shop"]) == sorted([value, "other", value])


def test_a_column_of_the_file_itself_stays(tmp_path):
    write(visits(day="inside"), tmp_path / "day=outside" / "part.parquet")
    assert set(pdseqpriv.read_parquet(tmp_path)["day"]) == {"inside"}


def test_a_partition_can_be_the_person(tmp_path):
    for person in (1, 2):
        write(
            visits().assign(seq_id=lambda v, p=person: v["seq_id"] + 10 * p),
            tmp_path / f"who={person}/p.parquet",
        )
    assert pdseqpriv.read_parquet(tmp_path).groupby("who")["seq_id"].nunique().to_dict() == {1: 2, 2: 2}


def test_hidden_files_and_those_of_other_programs_are_left_alone(tmp_path):
    write(visits(), tmp_path / "a.parquet")
    for other in (".b.parquet", "_temporary/c.parquet", ".hidden/d.parquet", "_d.parquet"):
        write(visits(), tmp_path / other)
    assert len(pdseqpriv.read_parquet(tmp_path)) == 3


def test_patterns_and_lists_of_paths(tmp_path):
    for name in ("b", "a", "other"):
        write(visits(seq_id=name), tmp_path / f"v-{name}.parquet")
    assert pdseqpriv.read_parquet(tmp_path / "v-?.parquet")["seq_id"].unique().tolist() == ["a", "b"]
    listed = [tmp_path / "v-other.parquet", str(tmp_path / "v-a.parquet")]
    assert pdseqpriv.read_parquet(listed)["seq_id"].unique().tolist() == ["other", "a"]
    with pytest.raises(FileError, match="no file or folder has such a name"):
        pdseqpriv.read_parquet(tmp_path / "w-*.parquet")
    with pytest.raises(
        SeqPrivError, match="path must be a path, or a list of at least one, got an empty list"
    ):
        pdseqpriv.read_parquet([])
    with pytest.raises(SeqPrivError, match="path must be the path of a local file"):
        pdseqpriv.read_parquet([tmp_path, 3])


def test_a_pattern_may_leave_partitions_open(tmp_path):
    for day in ("1", "2"):
        write(visits(), tmp_path / f"run=9/day={day}/part.parquet")
    read = pdseqpriv.read_parquet(tmp_path / "run=9" / "day=*")
    assert sorted(read["day"].unique()) == [1, 2]
    assert "run" not in read.columns


def test_a_file_whose_name_looks_like_a_pattern(tmp_path):
    write(visits(), tmp_path / "v[1].parquet")
    assert len(pdseqpriv.read_parquet(tmp_path / "v[1].parquet")) == 3


def test_files_with_different_columns_are_refused(tmp_path):
    write(visits(), tmp_path / "day=1/part.parquet")
    write(visits(), tmp_path / "hour=1/part.parquet")
    with pytest.raises(FileError, match="a folder of files with different columns"):
        pdseqpriv.read_parquet(tmp_path)


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()])
def test_dates_are_times(tmp_path, kind):
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2), dt.date(1900, 1, 1)], kind)
    table = pa.table({"seq_id": [1, 1, 2], "event": ["a", "b", "a"], "on": days, "birth": days})
    pq.write_table(table, tmp_path / "dates.parquet")
    read = pdseqpriv.read_parquet(tmp_path / "dates.parquet", time="on")
    assert read["on"].tolist() == [pd.Timestamp(day) for day in ("2024-05-01", "2024-05-02", "1900-01-01")]
    pdseqpriv.write_parquet(read.seqpriv.using(time="on"), tmp_path / "again.parquet")
    assert pdseqpriv.read_parquet(tmp_path / "again.parquet")["on"].equals(read["on"])


def test_patterns_leave_hidden_files_out_unless_they_ask_for_them(tmp_path):
    write(visits(), tmp_path / "a.parquet")
    write(visits(), tmp_path / ".old" / "b.parquet")
    for other in ("._a.parquet", "_SUCCESS", "_metadata", ".a.parquet.crc"):
        (tmp_path / other).write_text("not a table")
    for pattern in ("*", "*.parquet", "**/*.parquet"):
        assert len(pdseqpriv.read_parquet(tmp_path / pattern)) == 3, pattern
    assert len(pdseqpriv.read_parquet(tmp_path / ".o*" / "*.parquet")) == 3


@pytest.mark.parametrize("read", [pdseqpriv.read_parquet, pdseqpriv.scan_parquet])
def test_a_file_that_is_meant_twice_is_refused(tmp_path, read):
    write(visits(), tmp_path / "a.parquet")
    write(visits(), tmp_path / "b.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "a.parquet")
    for twice in (["a.parquet", "a.parquet"], ["a.parquet", "[ab].parquet"], ["a.parquet", "link.parquet"]):
        with pytest.raises(FileError, match="the list of paths means this file twice"):
            read([tmp_path / name for name in twice])


@pytest.mark.parametrize("name", ["day", "time"])
def test_dates_in_the_names_of_folders_are_times(tmp_path, name):
    for day in ("2024-05-01", "2024-05-02"):
        write(visits()[["seq_id", "event"]], tmp_path / f"{name}={day}" / "part.parquet")
    named = {} if name == "time" else {"time": name}
    read = pdseqpriv.read_parquet(tmp_path, **named)
    assert read[name].unique().tolist() == [pd.Timestamp("2024-05-01"), pd.Timestamp("2024-05-02")]
    assert read.seqpriv.describe()["elements"] == 4
    scanned = pdseqpriv.scan_parquet(tmp_path, **named)
    assert scanned.to_pandas().equals(read)
    assert pdseqpriv.describe(scanned)["time_to"] == pd.Timestamp("2024-05-02")
    pdseqpriv.write_parquet(read.seqpriv.hide(["a -> b"]), tmp_path / "hidden.parquet")
    assert pdseqpriv.read_parquet(tmp_path / "hidden.parquet")[name].equals(read[name])


@pytest.mark.parametrize("day", ["2024-13-01", "20240501-", "2024-W18-3", "May"])
def test_folders_that_are_no_dates_are_no_times(tmp_path, day):
    write(visits()[["seq_id", "event"]], tmp_path / f"day={day}" / "part.parquet")
    with pytest.raises(SeqPrivError, match="column 'day' must be whole numbers, floats or datetimes"):
        pdseqpriv.read_parquet(tmp_path, time="day")


def test_a_folder_whose_name_begins_with_an_equals_sign_is_no_partition(tmp_path):
    write(visits(), tmp_path / "=x" / "part.parquet")
    assert list(pdseqpriv.read_parquet(tmp_path).columns) == ["seq_id", "event", "time"]
