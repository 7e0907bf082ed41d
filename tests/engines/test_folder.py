"""Tables in folders: odd files, too little room, and what is left behind."""

from __future__ import annotations

import decimal
import errno
import gc
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from functools import partial

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pdseqpriv
from pdseqpriv import BrokenOutputError, FileError, PrivacyWarning, SeqPrivError
from pdseqpriv.audit.describe import TableSummary
from pdseqpriv.engines import dividing, memory, stored
from pdseqpriv.engines import folder as folder_engine
from pdseqpriv.engines.scratch import Scratch
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.hiding.summary import Costs, Supporters
from pdseqpriv.k_anonymity import memory_for_plans, verify_distinct
from pdseqpriv.k_anonymity.key import SequenceOwners
from pdseqpriv.k_anonymity.verify_distinct import Distinct
from pdseqpriv.mining import tables_to_mine
from pdseqpriv.mining.search import SequencesToMine
from pdseqpriv.sequences.columns import USUAL
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import Variants

SECRET = "clinic-for-secrets"  # noqa: S105 (a word, not a password)


def visits(people=12):
    rows = [(f"person {n}", "abc"[(n + t) % 3], t) for n in range(people) for t in range(4)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


@pytest.fixture
def folder(tmp_path):
    """A table in three files, of which one has no rows."""
    place = tmp_path / "visits"
    place.mkdir()
    for number, rows in enumerate((slice(0, 17), slice(0, 0), slice(17, None))):
        visits().iloc[rows].to_parquet(place / f"{number}.parquet", index=False)
    return place


@pytest.fixture(autouse=True)
def in_parts(monkeypatch):
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 4)


def in_order(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)


def hidden_files(place):
    return [file.name for file in place.iterdir() if file.name.startswith(".")]


def test_folders_become_columns_and_stay_with_their_rows(tmp_path):
    for day in (1, 2):
        place = tmp_path / "visits" / f"day={day}"
        place.mkdir(parents=True)
        visits().iloc[day - 1 :: 2].to_parquet(place / "rows.parquet", index=False)
    with pytest.warns(PrivacyWarning, match="day"):
        released = pdseqpriv.sanitize(pdseqpriv.scan_parquet(tmp_path / "visits"), 0.4, events=["a"])
    with pytest.warns(PrivacyWarning, match="day"):
        expected = pdseqpriv.sanitize(pdseqpriv.read_parquet(tmp_path / "visits"), 0.4, events=["a"])
    assert len(expected) < 48
    pd.testing.assert_frame_equal(in_order(released.to_pandas()), in_order(expected))


def test_steps_one_after_the_other_give_what_frames_give(folder):
    scanned = pdseqpriv.scan_parquet(folder)
    released = pdseqpriv.sanitize(pdseqpriv.hide(scanned, ["a -> b"]), 0.6, events=["c"])
    expected = pdseqpriv.sanitize(pdseqpriv.hide(visits(), ["a -> b"]), 0.6, events=["c"])
    pd.testing.assert_frame_equal(in_order(released.to_pandas()), in_order(expected))
    steps = [step["operation"] for step in released.attrs["pdseqpriv"]["applied"]]
    assert steps == ["hide", "sanitize"]


def test_tables_of_several_kinds_are_compared(folder):
    scanned = pdseqpriv.scan_parquet(folder)
    hidden = pdseqpriv.hide(scanned, ["a -> b"])
    here = pdseqpriv.hide(visits(), ["a -> b"])
    pd.testing.assert_frame_equal(pdseqpriv.compare(visits(), hidden), pdseqpriv.compare(scanned, here))
    people = visits().assign(who=visits()["seq_id"].str.len()).seqpriv.using(person="who")
    assert pdseqpriv.verify.is_hidden(hidden, ["a -> b"], original=people)


def test_a_release_is_written_as_a_folder_with_its_record(folder, tmp_path):
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a -> b"])
    pdseqpriv.write_parquet(released, tmp_path / "released")
    files = sorted((tmp_path / "released").iterdir())
    assert len(files) > 1
    assert all(file.name.startswith("part-") for file in files)
    read = pdseqpriv.read_parquet(tmp_path / "released")
    expected = pdseqpriv.hide(visits(), ["a -> b"])
    pd.testing.assert_frame_equal(in_order(read), in_order(expected))
    applied = expected.attrs["pdseqpriv"]["applied"]
    assert read.attrs["pdseqpriv"]["applied"] == applied
    assert pdseqpriv.scan_parquet(tmp_path / "released").attrs["pdseqpriv"]["applied"] == applied


def test_a_record_is_dropped_where_another_program_changed_a_file(folder, tmp_path):
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a -> b"])
    pdseqpriv.write_parquet(released, tmp_path / "released")
    file = max((tmp_path / "released").iterdir())
    table = pq.read_table(file)
    pq.write_table(table.slice(1), file)
    for read in (pdseqpriv.read_parquet, pdseqpriv.scan_parquet):
        with pytest.warns(PrivacyWarning, match="rows are not those that"):
            assert not read(tmp_path / "released").attrs.get("pdseqpriv", {}).get("applied")


@pytest.mark.usefixtures("uncompressed")
def test_nothing_that_was_removed_is_in_a_written_folder(tmp_path):
    frame = visits().assign(note="about home")
    frame.loc[frame["event"] == "a", ["event", "note"]] = [SECRET, f"about {SECRET}"]
    frame = frame.astype({"event": "category", "note": "category"})
    (tmp_path / "visits").mkdir()
    frame.to_parquet(tmp_path / "visits" / "rows.parquet")
    scanned = pdseqpriv.scan_parquet(tmp_path / "visits")
    calls = {
        "hide": lambda: pdseqpriv.hide(scanned, [SECRET], output="drop"),
        "mark": lambda: pdseqpriv.hide(scanned, [SECRET]),
        "sanitize": lambda: pdseqpriv.sanitize(scanned, 0.01, events=[SECRET]),
    }
    for name, call in calls.items():
        with pytest.warns(PrivacyWarning, match="note"):
            pdseqpriv.write_parquet(call(), tmp_path / name)
        written = b"".join(file.read_bytes() for file in (tmp_path / name).iterdir())
        assert b"person 1" in written
        assert SECRET.encode() not in written


def test_files_with_other_columns_are_refused_by_name(folder):
    visits().assign(more=1).to_parquet(folder / "odd.parquet", index=False)
    with pytest.raises(FileError, match=r"odd\.parquet.*its columns are not those of the other files"):
        pdseqpriv.scan_parquet(folder)


def test_columns_of_several_types_are_refused(folder):
    visits().assign(time="noon").to_parquet(folder / "odd.parquet", index=False)
    with pytest.raises(FileError, match="columns of the same name and different types"):
        pdseqpriv.scan_parquet(folder)


@pytest.mark.parametrize("column", [pa.array([2**63 + 1], pa.uint64()), pa.array([0.5])])
def test_values_that_no_common_type_holds_are_refused(folder, column):
    """Types may fit together, as those of numbers with and without a sign do, and values not."""
    for number, note in enumerate((column, pa.array([2**60 + 1]))):
        table = pa.table({"seq_id": ["secret"], "event": ["a"], "time": [1], "note": note})
        pq.write_table(table, folder / f"{number}.parquet")
    (folder / "2.parquet").unlink()
    scanned = pdseqpriv.scan_parquet(folder)
    with pytest.raises(FileError, match=r"hide: .*columns of the same name and different types") as caught:
        pdseqpriv.hide(scanned, ["a"])
    assert str(2**60) not in str(caught.value)
    with pytest.raises(FileError, match="read_parquet: cannot read"):
        pdseqpriv.read_parquet(folder)


def test_damaged_files_are_refused_without_a_word_of_theirs(folder):
    (folder / "0.parquet").write_bytes(b"PAR1 person 7 PAR1")
    with pytest.raises(FileError, match="it is damaged, or not a Parquet file") as caught:
        pdseqpriv.scan_parquet(folder)
    assert "person" not in str(caught.value)


def test_rows_that_cannot_be_divided_must_fit(folder, monkeypatch):
    monkeypatch.setattr(stored, "_BESIDE", 10**8)
    scanned = pdseqpriv.scan_parquet(folder, memory_limit="64MB")
    with pytest.raises(SeqPrivError, match="rows that cannot be divided"):
        pdseqpriv.hide(scanned, ["a"])


def test_what_is_wrong_is_said_of_all_rows_whatever_columns_are_called(tmp_path):
    frame = visits().rename(columns={"time": "as kept in memory"}).assign(**{"as kept in memory": None})
    frame.astype({"as kept in memory": "float64"}).to_parquet(tmp_path / "visits.parquet", index=False)
    scanned = pdseqpriv.scan_parquet(tmp_path, time="as kept in memory")
    with pytest.raises(SeqPrivError, match="48 rows have no time"):
        pdseqpriv.describe(scanned, time="as kept in memory")


@pytest.mark.parametrize(
    ("times", "span"),
    [((-(2**62) - 1, 2**62), "a span of 64 bits"), ((-1.7e308, 1.7e308), "the span of a float")],
)
def test_parts_that_are_too_far_apart_are_refused(times, span, tmp_path):
    frame = pd.DataFrame({"seq_id": range(8), "event": "a", "time": [*times] * 4})
    frame.to_parquet(tmp_path / "far.parquet", index=False)
    for options in ({}, {"time": "since_start"}):
        with pytest.raises(SeqPrivError, match=f"'time' must be within {span}"):
            pdseqpriv.generalize(pdseqpriv.scan_parquet(tmp_path), k=2, **options)


def test_what_is_needed_in_one_piece_must_fit(folder, monkeypatch):
    scanned = pdseqpriv.scan_parquet(folder, memory_limit="64MB")
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 3)
    assert len(pdseqpriv.compare(scanned, visits()))
    monkeypatch.setattr(memory, "COPIES_OF_NUMBERS", 10**6)
    with pytest.raises(SeqPrivError, match="compare, in the original: all sequences are needed in memory at"):
        pdseqpriv.compare(scanned, visits())
    monkeypatch.setattr(scanned.rows, "row_bytes", 1e9)
    with pytest.raises(SeqPrivError, match=r"all 48 rows are needed in memory at once, about 144.0 GB"):
        pdseqpriv.write_csv(scanned, folder / "rows.csv")


@pytest.mark.parametrize("operation", [pdseqpriv.hide, pdseqpriv.sanitize], ids=["hide", "sanitize"])
def test_rows_of_parts_that_are_written_are_not_kept_in_memory(tmp_path, monkeypatch, operation):
    parts, rows = 20, 40_000
    table = pd.DataFrame({"seq_id": range(rows), "event": [f"page {n % 9}" for n in range(rows)], "time": 0})
    table.to_parquet(tmp_path / "rows.parquet", index=False)
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: parts)
    monkeypatch.setattr(pdseqpriv.options, "threads", 1)
    write, in_use = folder_engine.write_part, []

    def write_and_look(*given):
        in_use.append(pa.total_allocated_bytes() + tracemalloc.get_traced_memory()[0])
        return write(*given)

    monkeypatch.setattr(folder_engine, "write_part", write_and_look)
    given = (
        {"patterns": [["page 1"]]} if operation is pdseqpriv.hide else {"delta": 0.5, "events": ["page 1"]}
    )
    tracemalloc.start()
    try:
        operation(pdseqpriv.scan_parquet(tmp_path / "rows.parquet"), **given)
    finally:
        tracemalloc.stop()
    size = table.memory_usage(deep=True, index=False).sum()
    assert len(in_use) == parts
    # One part more or less may be at work; all of them together would be the whole table.
    assert max(in_use[-4:]) - min(in_use[:4]) < size / 4


@pytest.mark.parametrize("limit", ["2 apples", "GB", -1, True, 1.5, "1kB"])
def test_bad_limits_are_refused(folder, limit):
    with pytest.raises(SeqPrivError, match="memory_limit must be a size such as"):
        pdseqpriv.scan_parquet(folder, memory_limit=limit)


def test_temporary_files_are_private_and_go_with_the_table(folder):
    scanned = pdseqpriv.scan_parquet(folder)
    released = pdseqpriv.hide(scanned, ["a"])
    names = hidden_files(folder.parent)
    assert len(names) == 2
    assert all((folder.parent / name).stat().st_mode & 0o777 == 0o700 for name in names)
    del scanned, released
    gc.collect()
    assert not hidden_files(folder.parent)


def test_a_full_disk_is_said_in_our_words(folder, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "person 7")

    scanned = pdseqpriv.scan_parquet(folder)
    monkeypatch.setattr(dividing._PartWriter, "write", full)
    with pytest.raises(FileError, match="no space left on device") as caught:
        pdseqpriv.describe(scanned)
    assert "person" not in str(caught.value)
    del caught
    gc.collect()
    assert not hidden_files(folder.parent)


def test_a_place_that_cannot_be_written_is_refused(folder, tmp_path):
    scanned = pdseqpriv.scan_parquet(folder, scratch=tmp_path / "nowhere")
    with pytest.raises(FileError, match="no such file or directory"):
        pdseqpriv.describe(scanned)


def test_an_error_while_writing_leaves_nothing(folder, tmp_path, monkeypatch):
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a"])
    monkeypatch.setattr(pq, "write_table", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EIO, "x")))
    with pytest.raises(FileError, match=r"cannot write .*input/output error; nothing was changed"):
        pdseqpriv.write_parquet(released, tmp_path / "out" / "released")
    assert not list((tmp_path / "out").iterdir())


def test_files_that_are_there_stay(folder, tmp_path):
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a"])
    with pytest.raises(FileError, match="the folder is not empty"):
        pdseqpriv.write_parquet(released, folder)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="it is a file, and a table in parts is a folder"):
        pdseqpriv.write_parquet(released, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    pdseqpriv.write_parquet(released, tmp_path / "empty")
    assert len(pdseqpriv.read_parquet(tmp_path / "empty")) == 48


KILLED = """
import sys, time, pdseqpriv
from pathlib import Path
from pdseqpriv.files import folders
written = folders._Writer.write
def slow(self, number, frame):
    written(self, number, frame)
    print("one is written", flush=True)
    time.sleep(60)
folders._Writer.write = slow
released = pdseqpriv.hide(pdseqpriv.scan_parquet(sys.argv[1]), ["a"])
pdseqpriv.write_parquet(released, sys.argv[2])
"""


def test_a_killed_process_leaves_nothing_half_and_the_next_one_cleans_up(folder, tmp_path):
    target = tmp_path / "released"
    command = [sys.executable, "-c", KILLED, str(folder), str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "one is written\n"
        process.send_signal(signal.SIGKILL)
    assert not target.exists()
    left = hidden_files(tmp_path)
    assert len(left) == 2  # what was changed, and the draft
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a"])
    pdseqpriv.write_parquet(released, target)
    assert not set(left) & set(hidden_files(tmp_path))
    assert len(pdseqpriv.read_parquet(target)) == 48


def test_folders_of_living_processes_and_other_programs_stay(tmp_path):
    living = Scratch(tmp_path, "pdseqpriv")
    (tmp_path / ".pdseqpriv.0123456789abcdef.part").mkdir()  # just made, and not locked yet
    old = tmp_path / ".pdseqpriv.fedcba9876543210.part"
    old.mkdir()
    os.utime(old, (time.time() - 3600,) * 2)
    (tmp_path / ".pdseqpriv.notes.part").mkdir()
    another = Scratch(tmp_path, "pdseqpriv")
    assert living.folder.exists()
    assert another.folder.exists()
    assert not old.exists()
    assert {".pdseqpriv.0123456789abcdef.part", ".pdseqpriv.notes.part"} <= set(hidden_files(tmp_path))


def test_ctrl_c_ends_the_work_and_leaves_nothing(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    scanned = pdseqpriv.scan_parquet(folder)
    monkeypatch.setattr("pdseqpriv.engines.folder.look_at", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pdseqpriv.describe(scanned)
    del scanned
    gc.collect()
    assert not hidden_files(folder.parent)


def test_a_part_that_does_not_fit_its_model_is_not_released(folder, monkeypatch):
    scanned = pdseqpriv.scan_parquet(folder)
    monkeypatch.setattr("pdseqpriv.hiding.hide.finish", lambda rows, *_, **__: rows.assign(time=None))
    with pytest.raises(BrokenOutputError, match="the result does not fit the model SequenceTable"):
        pdseqpriv.hide(scanned, ["a"])


def test_a_handle_tells_no_value(folder):
    scanned = pdseqpriv.scan_parquet(folder)
    assert repr(scanned) == "<table in files: 48 rows, columns 'seq_id', 'event', 'time'>"
    assert len(scanned) == 48
    assert "person 1" not in repr(vars(scanned))


def test_sequences_of_two_people_are_refused_wherever_they_are(folder):
    frame = visits().assign(who=[n % 2 for n in range(48)])
    for file in folder.iterdir():
        file.unlink()
    frame.to_parquet(folder / "rows.parquet", index=False)
    bound = pdseqpriv.using(pdseqpriv.scan_parquet(folder), person="who")
    with pytest.raises(SeqPrivError, match="12 sequences belong to several people"):
        bound.hide(["a"])


KEY = visits().seqpriv.k_anonymize(2, guarantee="identical", with_key=True, seed=1)[1]
# What is planned, and which of the summaries that it takes is too large.
PLANNED = {
    "describe": (pdseqpriv.describe, TableSummary),
    "generalize": (partial(pdseqpriv.generalize, k=2), Summary),
    "hide above 0": (partial(pdseqpriv.hide, patterns=["a -> b"], max_support=2), Supporters),
    "hide above 0, costs": (partial(pdseqpriv.hide, patterns=["a -> b"], max_support=2), Costs),
    "k_anonymize": (partial(pdseqpriv.k_anonymize, k=2), Variants),
    "k_anonymize, key": (partial(pdseqpriv.k_anonymize, k=2, with_key=True), SequenceOwners),
    "k_anonymize, again": (
        partial(pdseqpriv.k_anonymize, k=2, guarantee="identical", previous=[KEY]),
        pd.Index,
    ),
    "mine": (partial(pdseqpriv.mine, min_support=2), SequencesToMine),
    "is_k_anonymous": (partial(pdseqpriv.verify.is_k_anonymous, visits(), k=2), Distinct),
    "sanitize, pooled": (
        partial(pdseqpriv.sanitize, delta=0.4, events=["a"], scope="table"),
        tuple,
    ),
}


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("name", PLANNED)
def test_plans_that_do_not_fit_into_memory_are_refused(folder, monkeypatch, name):
    """The arrays are small; that one summary is many bytes is pretended."""
    plan, kind = PLANNED[name]
    for module in (memory, memory_for_plans):
        monkeypatch.setattr(module, "bytes_in", lambda found: 10**12 if isinstance(found, kind) else 0)
    with pytest.raises(
        SeqPrivError, match=r"the plan is made in one place and needs about \d{4,}\.\d GB of memory"
    ):
        plan(pdseqpriv.scan_parquet(folder))
    plan(visits())  # what is here is not looked at


@pytest.mark.parametrize(("threads", "k", "needed"), [(1, 2, "1.0"), (4, 2, "1.8"), (4, 500, "2.7")])
def test_what_walks_take_besides_must_fit(folder, monkeypatch, threads, k, needed):
    """Measured with 2 million rows that differ: 0.4 GB with one thread and k=10, 1.4 GB with four."""
    monkeypatch.setattr(pdseqpriv.options, "threads", threads)
    scanned = pdseqpriv.scan_parquet(folder, memory_limit="64MB")
    monkeypatch.setattr("pdseqpriv.k_anonymity.memory_for_plans._BYTES_OF_WALKS", 10**8)
    with pytest.raises(SeqPrivError, match=rf"k_anonymize: the plan .* needs about {needed} GB"):
        pdseqpriv.k_anonymize(scanned, k)
    pdseqpriv.k_anonymize(scanned, 2, method="prefix_tree")  # nobody walks
    pdseqpriv.k_anonymize(scanned, 2, guarantee="identical")
    pdseqpriv.k_anonymize(visits(), 2)


def test_sequences_that_are_repeated_for_a_check_must_fit(folder, monkeypatch):
    """Twelve sequences of three kinds and four events are looked at, of each kind no more than k."""
    found = verify_distinct.summarise(sequences_of(visits(), USUAL))
    sizes = [verify_distinct.bytes_repeated(found, k) for k in (1, 2, 4, 99)]
    repeated = [verify_distinct._repeated(found, k)[0] for k in (1, 2, 4, 99)]
    assert sizes == [one.codes.nbytes + one.elements.nbytes for one in repeated]
    assert [size / sizes[0] for size in sizes] == [1, 2, 4, 4]
    scanned = pdseqpriv.scan_parquet(folder, memory_limit="64MB")
    check = partial(pdseqpriv.verify.is_k_anonymous, visits(), scanned)
    monkeypatch.setattr(verify_distinct, "_COPIES_TO_SEARCH", 64 * 10**6 // (2 * sizes[1]))
    assert check(2)
    with pytest.raises(SeqPrivError, match="is_k_anonymous: the plan is made in one place and needs about"):
        check(4)


def test_patterns_of_small_parts_are_not_brought_together_beyond_the_limit(folder, monkeypatch):
    monkeypatch.setattr(tables_to_mine, "FEW_ROWS", -1)
    monkeypatch.setattr(tables_to_mine, "MOST_CANDIDATES", 0)
    large = lambda found: 10**12 if isinstance(found, SequencesToMine) else 0  # noqa: E731
    monkeypatch.setattr(memory, "bytes_in", large)
    with pytest.raises(SeqPrivError, match="mine: the plan is made in one place"):
        pdseqpriv.mine(pdseqpriv.scan_parquet(folder), 1)


def test_kept_columns_that_do_not_fit_into_memory_are_refused(folder, monkeypatch):
    frame = visits().assign(note=visits()["seq_id"].str[-1])
    for file in folder.iterdir():
        file.unlink()
    frame.to_parquet(folder / "rows.parquet", index=False)
    scanned = pdseqpriv.scan_parquet(folder)
    monkeypatch.setattr(memory, "_COPIES", 10**9)
    with pytest.raises(SeqPrivError, match="k_anonymize: all 12 rows are needed in memory at once"):
        pdseqpriv.k_anonymize(scanned, 2, keep=["note"])


def files_of_arrow(folder, *tables):
    """Write files of another program, which say nothing of the types in pandas."""
    for file in folder.iterdir():
        file.unlink()
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"{number}.parquet")
    return pdseqpriv.scan_parquet(folder)


def rows_of(kind, values):
    """Give every one of eight sequences three events of a type, and a column whose cells differ in width."""
    numbers = range(3 * 8)
    beside = [decimal.Decimal(10) ** (number % 8) for number in numbers]
    return pa.table(
        {
            "seq_id": pa.array([number // 3 for number in numbers], pa.int64()),
            "event": pa.array([values[number % 5 % len(values)] for number in numbers], kind),
            "time": pa.array([number % 3 for number in numbers], pa.int16()),
            "beside": pa.array([None if number < 12 else beside[number] for number in numbers]),
        }
    )


# Numbers of few bytes, and such that no float holds.
EVENTS_OF_ARROW = {
    "int8": (pa.int8(), [1, 2, 3]),
    "uint16": (pa.uint16(), [1, 2, 3]),
    "int64": (pa.int64(), [2**53 + 1, 2**53 + 2, 2**53 + 3]),
    "uint64": (pa.uint64(), [2**63 + 1, 2**63 + 3, 2**63 + 5]),
    "text": (pa.string(), ["a", "b", "c"]),
}


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("kind", EVENTS_OF_ARROW)
@pytest.mark.parametrize("nulls", [0, 1])
def test_parts_of_a_release_have_the_types_of_all_rows(folder, tmp_path, kind, nulls):
    """Some parts have marked events, or nulls from the start, and others have none."""
    kind, values = EVENTS_OF_ARROW[kind]
    scanned = files_of_arrow(folder, rows_of(kind, values), rows_of(kind, [*values, *[None] * nulls])[:2])
    frame = pdseqpriv.read_parquet(folder)
    patterns = [[values[0], values[1]]]
    for call in (
        lambda table: pdseqpriv.hide(table, patterns, max_support=2),
        lambda table: pdseqpriv.k_anonymize(table, 2, guarantee="identical", seed=1),
        lambda table: pdseqpriv.k_anonymize(table, 9),
        lambda table: pdseqpriv.find(table, patterns),
    ):
        expected, released = call(frame), call(scanned)
        found = released if isinstance(released, pd.DataFrame) else released.to_pandas()
        by = ["seq_id", "time"]
        ordered = [one.sort_values(by, kind="stable", ignore_index=True) for one in (found, expected)]
        pd.testing.assert_frame_equal(*ordered)
    hidden = pdseqpriv.hide(scanned, patterns, max_support=2)
    assert hidden.to_pandas()["event"].isna().any()
    other = pdseqpriv.using(hidden, seq_id="time", time="seq_id")  # divided again, by another column
    swapped = pdseqpriv.using(pdseqpriv.hide(frame, patterns, max_support=2), seq_id="time", time="seq_id")
    assert pdseqpriv.describe(other).equals(pdseqpriv.describe(swapped))
    pdseqpriv.write_parquet(hidden, tmp_path / "released")
    assert sorted(pdseqpriv.scan_parquet(tmp_path / "released").to_pandas()["event"].dropna()) == sorted(
        hidden.to_pandas()["event"].dropna()
    )


def test_files_may_hold_a_column_as_a_dictionary_or_not(folder):
    """As programs do that pack text only where it repeats."""
    table = pa.Table.from_pandas(visits(), preserve_index=False)
    places = [table.schema.get_field_index(name) for name in ("seq_id", "event")]
    packed = table
    for place in places:
        packed = packed.set_column(place, table.column_names[place], table.column(place).dictionary_encode())
    scanned = files_of_arrow(
        folder, table[:20], packed[20:30], packed[30:].select(["event", "time", "seq_id"])
    )
    read = pdseqpriv.read_parquet(folder)
    pd.testing.assert_frame_equal(read, visits())
    pd.testing.assert_frame_equal(scanned.to_pandas(), read)
