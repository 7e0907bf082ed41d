"""Files that are not what they seem: pipes, devices, bombs, odd names, and drafts of killed processes."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pdseqpriv
from pdseqpriv.errors import FileError, PrivacyWarning, SeqPrivError
from pdseqpriv.paths import replacing
from pdseqpriv.recipes.secrets import FileContent

READERS = [pdseqpriv.read_parquet, pdseqpriv.read_csv, pdseqpriv.read_spmf, pdseqpriv.read_xes]
WRITERS = [pdseqpriv.write_parquet, pdseqpriv.write_csv, pdseqpriv.write_spmf]


def small():
    return pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", "b", "a"], "time": [0, 1, 0]})


@pytest.mark.parametrize(
    "reader",
    [
        *READERS,
        pdseqpriv.Taxonomy.read_parquet,
        pdseqpriv.Taxonomy.read_csv,
        lambda path: FileContent(Path(path)).text(),
    ],
)
def test_readers_refuse_pipes_and_devices(tmp_path, reader):
    pipe = tmp_path / "pipe.parquet"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", "/dev/null"):
        with pytest.raises(FileError, match="neither a file nor a folder"):
            reader(path)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_name_that_is_not_utf8_is_only_a_name(tmp_path, writer):
    path = tmp_path / os.fsdecode(b"visits-\xff.parquet")
    writer(small(), path)
    assert [os.fsencode(one.name) for one in tmp_path.iterdir()] == [b"visits-\xff.parquet"]
    reader = {"write_parquet": READERS[0], "write_csv": READERS[1], "write_spmf": READERS[2]}[writer.__name__]
    assert reader(path)["event"].tolist() == ["a", "b", "a"]
    path.write_bytes(b"\x00\xff")
    with pytest.raises(FileError) as caught:
        reader(path)
    str(caught.value).encode()


def test_a_parquet_file_that_declares_too_many_rows_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "bomb.parquet"
    rows = 200_000
    zeros = pa.table({"seq_id": np.zeros(rows, "int64"), "event": ["a"] * rows, "time": np.arange(rows)})
    pq.write_table(zeros, path)
    with pytest.raises(FileError, match=r"it has 200,?000 rows, more than max_rows=1000\. .*max_rows=200000"):
        pdseqpriv.read_parquet(path, max_rows=1000)
    assert len(pdseqpriv.read_parquet(path, max_rows=rows)) == rows
    with pytest.raises(SeqPrivError, match="max_rows must be an int of at least 1"):
        pdseqpriv.read_parquet(path, max_rows=0)


BOMB = """
import resource, sys
import pdseqpriv
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    pdseqpriv.read_parquet(sys.argv[1])
except pdseqpriv.FileError as error:
    print(error)
"""


def test_a_small_file_of_very_many_rows_takes_no_memory(tmp_path):
    path = tmp_path / "bomb.parquet"
    group = 4_000_000
    column = pa.array(np.zeros(group, "int64"))
    schema = pa.schema({"seq_id": pa.int64(), "event": pa.int64(), "time": pa.int64()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(30):
            writer.write_table(pa.table([column, column, column], schema=schema))
    assert path.stat().st_size < 4 << 20
    run = subprocess.run([sys.executable, "-c", BOMB, path], capture_output=True, text=True, check=False)
    assert "more than max_rows=100000000" in run.stdout, run.stdout + run.stderr


EVENT = (
    b'<event><string key="concept:name" value="a"/>'
    b'<date key="time:timestamp" value="2024-05-01T10:00:00"/><string key="org:resource" value="%s"/></event>'
)


def xes(path, *events, trace=b""):
    log = b'<log><trace><string key="concept:name" value="1"/>' + b"".join(events) + trace + b"</trace></log>"
    with gzip.open(path, "wb") as file:
        file.write(log)
    return path


def test_a_huge_attribute_is_refused_as_soon_as_it_is_seen(tmp_path):
    path = xes(tmp_path / "bomb.xes.gz", EVENT % (b"x" * 50_000_000))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(FileError, match="a piece of XML is longer than max_attribute=1048576"):
        pdseqpriv.read_xes(path)
    long = xes(tmp_path / "long.xes.gz", EVENT % (b"x" * 3_000_000))
    read = pdseqpriv.read_xes(long, attributes=("org:resource",), max_attribute=4_000_000)
    assert read["org:resource"].str.len().tolist() == [3_000_000]


def test_too_many_events_are_refused(tmp_path):
    path = xes(tmp_path / "log.xes.gz", *[EVENT % b"x"] * 5)
    assert len(pdseqpriv.read_xes(path, max_rows=5)) == 5
    with pytest.raises(FileError, match="it has more events than max_rows=4"):
        pdseqpriv.read_xes(path, max_rows=4)


def test_attributes_of_traces_and_attributes_that_are_nowhere(tmp_path):
    amount = b'<int key="AMOUNT" value="700"/>'
    path = xes(tmp_path / "log.xes.gz", EVENT % b"x", EVENT % b"y", trace=amount)
    read = pdseqpriv.read_xes(path, attributes=("case:AMOUNT", "org:resource"))
    assert read["case:AMOUNT"].tolist() == ["700", "700"]
    assert read["org:resource"].tolist() == ["x", "y"]
    with pytest.warns(PrivacyWarning, match=r"no event has the attribute 'AMOUNT'\. Those of whole traces"):
        pdseqpriv.read_xes(path, attributes=("AMOUNT",))


WRITE_SLOWLY = """
import sys, time
import pdseqpriv
from pdseqpriv import paths
def slow(_):
    print("writing", flush=True)
    time.sleep(60)
paths._flush = slow
pdseqpriv.write_parquet(pdseqpriv.datasets.make_clickstream(1000, seed=2), sys.argv[1])
"""


@pytest.mark.parametrize("writer", WRITERS)
def test_the_draft_of_a_killed_process_is_private_and_goes_with_the_next_write(tmp_path, writer):
    path = tmp_path / "visits.parquet"
    with subprocess.Popen([sys.executable, "-c", WRITE_SLOWLY, path], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline().strip() == b"writing"
        (draft,) = tmp_path.iterdir()
        assert draft.stat().st_mode & 0o777 == 0o600
        assert draft.stat().st_size > 1000
        other = tmp_path / "other.csv"
        pdseqpriv.write_csv(small(), other)
        writer(small(), path)
        assert {one.name for one in tmp_path.iterdir()} == {draft.name, "other.csv", "visits.parquet"}
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
    pdseqpriv.write_csv(small(), other)
    assert draft.exists()
    writer(small(), path)
    assert {one.name for one in tmp_path.iterdir()} == {"other.csv", "visits.parquet"}


@pytest.mark.parametrize("is_private", [False, True])
def test_no_draft_of_a_private_file_can_be_opened_by_others_at_any_moment(tmp_path, monkeypatch, is_private):
    path, seen, chmod = tmp_path / "v.csv", [], Path.chmod
    if not is_private:
        path.touch(mode=0o600)

    def watched(self, mode):
        seen.append(self.stat().st_mode & 0o777)
        chmod(self, mode)

    monkeypatch.setattr(Path, "chmod", watched)
    with replacing(path, is_private=is_private) as stream:
        stream.write(b"secret")
    assert seen
    assert set(seen) == {0o600}
    assert path.stat().st_mode & 0o777 == 0o600


def test_only_drafts_are_removed(tmp_path):
    names = [".v.csv.part", ".v.csv.0123456789abcdeg.part", ".v.csv.0123456789abcdef.party", "v.csv.part"]
    for name in names:
        (tmp_path / name).write_text("mine")
    (tmp_path / ".v.csv.0123456789abcdef.part").mkdir()
    (tmp_path / ".v.csv.1123456789abcdef.part").symlink_to(tmp_path / "v.csv.part")
    before = {one.name for one in tmp_path.iterdir()}
    pdseqpriv.write_csv(small(), tmp_path / "v.csv")
    assert {one.name for one in tmp_path.iterdir()} == before | {"v.csv"}


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    path = tmp_path / "v.csv"
    pdseqpriv.write_csv(small(), path)
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    pdseqpriv.write_csv(small(), path)
    assert path.stat().st_mode & 0o777 == 0o640


def test_attributes_that_cannot_be_read_are_shown_back(tmp_path):
    (tmp_path / "log.xes").write_text("<log/>")
    for asked, shown in [
        (("concept:name",), "got 'concept:name'. It is a column of the result already"),
        (("case:concept:name",), "got 'case:concept:name'. It is a column"),
        (("org:resource", "org:resource"), "got 'org:resource' twice"),
        ("org:resource", "got str"),
        ((3,), "got tuple"),
    ]:
        with pytest.raises(SeqPrivError, match=f"attributes must be a tuple of different .*{shown}"):
            pdseqpriv.read_xes(tmp_path / "log.xes", attributes=asked)
