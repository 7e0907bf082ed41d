"""Tables in folders: sequences larger than a part, folders that change, Ctrl-C, no room on the disk."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import FileError, SeqPrivError, progress
from pdseqpriv.engines import dividing
from tests.engines.test_folder import visits


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "visits"
    place.mkdir()
    for number in range(3):
        visits().iloc[number * 16 : (number + 1) * 16].to_parquet(place / f"{number}.parquet", index=False)
    return place


def in_order(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)


def hidden_files(place):
    return [file.name for file in place.rglob("*") if file.name.startswith(".")]


def with_a_giant(rows, others):
    """Give a table of which one sequence has so many rows, far apart from one another."""
    frame = pd.DataFrame({"seq_id": np.arange(others) % (others // 10) + 1, "time": np.arange(others)})
    giant = pd.DataFrame({"seq_id": 0, "time": np.arange(rows)})
    frame = pd.concat((giant, frame)).sample(frac=1, random_state=0, ignore_index=True)
    return frame.assign(event=np.array(list("abcd"))[frame["time"] * 7 % 11 % 4])


def test_most_rows_in_one_sequence_that_is_larger_than_a_part(tmp_path):
    frame = with_a_giant(60_000, 40_000)
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    scanned = pdseqpriv.scan_parquet(tmp_path / "rows.parquet", memory_limit="64MB")
    for call in (
        lambda table: pdseqpriv.hide(table, ["a -> b -> c"], max_support=5),
        lambda table: pdseqpriv.sanitize(table, 0.2, events=["a"], scope="table"),
        lambda table: pdseqpriv.k_anonymize(table, 2, guarantee="identical"),
    ):
        released = call(scanned).to_pandas()
        pd.testing.assert_frame_equal(in_order(released), in_order(call(frame)), check_dtype=False)
    sizes = sorted(one.n_rows for one in scanned.parts.files)
    assert sizes[-1] >= 60_000 > len(frame) / len(sizes)  # more than a part was meant to hold


def test_a_sequence_that_does_not_fit_into_memory_is_refused(tmp_path):
    with_a_giant(150_000, 1_000).to_parquet(tmp_path / "rows.parquet", index=False)
    scanned = pdseqpriv.scan_parquet(tmp_path / "rows.parquet", memory_limit="64MB")
    with pytest.raises(
        SeqPrivError, match=r"hide: the rows of a person or a sequence .* 150\d+ rows that"
    ) as e:
        pdseqpriv.hide(scanned, ["a"])
    assert "0.1 GB, but memory_limit is 0.1 GB" in str(e.value)


def replaced(folder):
    """Put another file of the same size and age in the place of one."""
    file, other = folder / "1.parquet", folder.parent / "other"
    before = file.stat()
    other.write_bytes(file.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(file)


def rewritten(folder):
    visits(3).to_parquet(folder / "1.parquet", index=False)


def added(folder):
    visits(3).to_parquet(folder / "3.parquet", index=False)


def removed(folder):
    (folder / "1.parquet").unlink()


CHANGES = {
    replaced: r"1\.parquet.*: it was changed since it was scanned. Scan it again",
    rewritten: r"1\.parquet.*: it was changed since it was scanned. Scan it again",
    added: r"visits.*: files were added or removed since it was scanned. Scan it again",
    removed: r"visits.*: files were added or removed since it was scanned. Scan it again",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", ["after the scan", "while it is read", "between two calls"])
def test_a_folder_that_changes_is_refused(folder, monkeypatch, change, moment):
    scanned = pdseqpriv.scan_parquet(folder)
    if moment == "after the scan":
        change(folder)
    elif moment == "between two calls":  # the second one needs more columns than the first one has divided
        frame = visits().assign(note="x")
        for number in range(3):
            frame.iloc[number * 16 : (number + 1) * 16].to_parquet(folder / f"{number}.parquet", index=False)
        scanned = pdseqpriv.scan_parquet(folder)
        with pytest.warns(pdseqpriv.PrivacyWarning, match="note"):
            pdseqpriv.k_anonymize(scanned, 2)
        change(folder)
    else:
        share_out, changes = dividing._share_out, []

        def change_once(*given):
            if not changes:
                changes.append(change(folder))
            share_out(*given)

        monkeypatch.setattr(dividing, "_share_out", change_once)
    with pytest.raises(FileError, match=CHANGES[change]):
        pdseqpriv.hide(scanned, ["a -> b"])
    assert not [name for name in hidden_files(folder.parent) if moment != "between two calls"]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_divided_is_released_as_it_was(folder, monkeypatch, change):
    """A plan and its release are about the same rows, whatever happens to the files in between."""
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 3)
    scanned = pdseqpriv.scan_parquet(folder)
    planned = pdseqpriv.hiding.hide.make_plan

    def plan_and_change(*given, **options):
        change(folder)
        return planned(*given, **options)

    monkeypatch.setattr("pdseqpriv.hiding.hide.make_plan", plan_and_change)
    released = pdseqpriv.hide(scanned, ["a -> b"]).to_pandas()
    monkeypatch.undo()
    pd.testing.assert_frame_equal(in_order(released), in_order(pdseqpriv.hide(visits(), ["a -> b"])))


INTERRUPTED = """
import sys, time, pdseqpriv
from pdseqpriv.engines import dividing, folder
from pdseqpriv.files import folders
dividing.number_of_parts = lambda *_: 40
where = {"folder": (folder, "released_part"), "folders": (folders._Writer, "write")}[sys.argv[3]]
worked = getattr(*where)
def slowly(*given):
    sys.stdout.write("at work\\n")  # at once, though others write as well
    sys.stdout.flush()
    time.sleep(0.1)
    return worked(*given)
setattr(*where, slowly)
released = pdseqpriv.hide(pdseqpriv.scan_parquet(sys.argv[1]), ["a"])
pdseqpriv.write_parquet(released, sys.argv[2])
"""


@pytest.mark.parametrize("where", ["folder", "folders"])
def test_ctrl_c_leaves_nothing_behind(folder, tmp_path, where):
    """While parts are changed, and while they are written: no other one begins."""
    visits(200).to_parquet(folder / "more.parquet", index=False)
    command = [sys.executable, "-c", INTERRUPTED, str(folder), str(tmp_path / "released"), where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        worked, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert worked.count("at work") < 20
    assert not (tmp_path / "released").exists()
    assert not hidden_files(tmp_path)


# A part that takes a minute, with compiled work or a loop of its own.
LONG = """
import sys, time, pdseqpriv
from pdseqpriv.engines import dividing, folder
from pdseqpriv.progress import STOP, progress
from pdseqpriv.threads import on_all_cores
dividing.number_of_parts = lambda *_: 3
def until_stopped(_, pulse):
    end = time.monotonic() + 60
    while not pulse[STOP] and time.monotonic() < end:
        time.sleep(0.01)
def for_long(*given):
    print("at work\\n", end="", flush=True)  # in one piece, from whichever thread
    with progress(None, "waiting") as bar:
        if sys.argv[3] == "compiled":
            on_all_cores(until_stopped, [1], bar)
        for _ in range(600):
            bar.update(1)
            time.sleep(0.1)
folder.released_part = for_long
pdseqpriv.write_parquet(pdseqpriv.hide(pdseqpriv.scan_parquet(sys.argv[1]), ["a"]), sys.argv[2])
"""


@pytest.mark.parametrize("how", ["compiled", "loop"])
def test_ctrl_c_stops_a_part_in_the_middle(folder, tmp_path, how):
    command = [sys.executable, "-c", LONG, str(folder), str(tmp_path / "released"), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1]
    assert process.returncode == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert not (tmp_path / "released").exists()
    assert not hidden_files(tmp_path)


def test_a_refusal_names_the_memory_that_will_do(tmp_path, monkeypatch):
    """Once, with all that is needed, whatever was looked at first."""
    monkeypatch.setattr("pdseqpriv.k_anonymity.k_anonymize.COPIES", 4000)
    monkeypatch.setattr("pdseqpriv.k_anonymity.memory_for_plans.COPIES", 4000)
    pdseqpriv.datasets.make_clickstream(300, n_pages=9, seed=1).to_parquet(tmp_path / "rows.parquet")
    scanned = pdseqpriv.scan_parquet(tmp_path / "rows.parquet", memory_limit="64MB")
    with pytest.raises(SeqPrivError, match="k_anonymize: the plan is made in one place and needs") as caught:
        pdseqpriv.k_anonymize(scanned, 3)
    allowed = re.search(r'scan_parquet\(\.\.\., memory_limit="(\d+MB)"\)', str(caught.value))[1]
    assert int(allowed[:-2]) > 64
    again = pdseqpriv.scan_parquet(tmp_path / "rows.parquet", memory_limit=allowed)
    assert len(pdseqpriv.k_anonymize(again, 3)) > 100


# Where files may not grow, Python would leave half a module behind.
FULL = """
import resource, sys, pdseqpriv
sys.dont_write_bytecode = True
from pdseqpriv.engines import dividing
dividing.number_of_parts = lambda *_: 2
scanned = pdseqpriv.scan_parquet(sys.argv[1])
released = None if sys.argv[3] == "dividing" else pdseqpriv.sanitize(scanned, 0.9, events=["a"])
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    if released is None:
        pdseqpriv.hide(scanned, ["a"])
    elif sys.argv[3] == "changing":
        pdseqpriv.hide(released, ["a"])
    else:
        pdseqpriv.write_parquet(released, sys.argv[2])
except pdseqpriv.FileError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["dividing", "changing", "writing"])
def test_no_room_on_the_disk_is_said_in_one_sentence(folder, tmp_path, what):
    """No file may become larger than some bytes, which is as good as a full disk."""
    visits(5000).to_parquet(folder / "more.parquet", index=False)
    command = [sys.executable, "-c", FULL, str(folder), str(tmp_path / "released"), what]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert "cannot write" in done.stdout
    assert "file too large" in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert "person" not in done.stdout
    assert not (tmp_path / "released").exists()
    assert not hidden_files(tmp_path)


def test_the_work_on_a_folder_shows_in_bars(folder, tmp_path, monkeypatch):
    shown = []

    class Shown:
        def __init__(self, total, doing):
            self.total, self.doing, self.done = total, doing, 0
            shown.append(self)

        def update(self, n=1):
            self.done += n

        def close(self):
            pass

    monkeypatch.setattr(progress, "_DELAY", 0)
    monkeypatch.setattr(progress._LateBar, "_shown", lambda bar: Shown(bar._total, bar._doing))
    monkeypatch.setattr(dividing, "number_of_parts", lambda *_: 3)
    released = pdseqpriv.hide(pdseqpriv.scan_parquet(folder), ["a -> b"])
    pdseqpriv.write_parquet(released, tmp_path / "released")
    parts = len(released.rows.files)
    expected = [("dividing the table", 48), ("reading", parts), ("writing", parts), ("writing", parts)]
    assert [(one.doing, one.total) for one in shown] == expected
    assert all(one.done == one.total for one in shown)
