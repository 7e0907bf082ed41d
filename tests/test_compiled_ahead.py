"""Kernels that were compiled ahead run without numba; whatever does not fit is compiled, and right, too."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from pdseqpriv import compiled_cache
from pdseqpriv.compiled import kind_for_numba

KERNELS = """
from typing import NamedTuple

from pdseqpriv.compiled import Array, compiled


class Sum(NamedTuple):
    values: Array
    total: int


@compiled
def add_up(values, start):
    return Sum(values, start + _total(values))


@compiled
def _total(values):
    total = 0
    for value in values:
        total += value
    return total


@compiled
def go_round(times, stop):
    done = 0
    while done < times and stop[0] == 0:
        done += 1
    return done
"""
# In place of all that the library does.
WORK = """
import numpy as np

from pdseqpriv.tiny.kernels.sums import add_up, go_round

WORK = ("sums",)


def do(number):
    add_up(np.arange(3), 1)
    go_round(3, np.zeros(1, np.int64))
"""
ASK = """
import json
import sys

import numpy as np

from pdseqpriv.tiny.kernels.sums import Sum, add_up, go_round

{code}
print(json.dumps([answer, "numba" in sys.modules]))
"""
NUMBERS = "answer = int(add_up(np.arange(4), 10).total)"


class Copy:
    """A copy of the package with a few small kernels, which were compiled ahead."""

    def __init__(self, folder):
        self.folder, self.package = folder, folder / "pdseqpriv"
        ours = shutil.ignore_patterns("__pycache__", "compiled_kernels*")
        shutil.copytree(compiled_cache.PACKAGE, self.package, ignore=ours)
        (self.package / "__init__.py").write_text("")
        (self.package / "all_operations.py").write_text(WORK)
        self.kernels = self.package / "tiny" / "kernels" / "sums.py"
        self.kernels.parent.mkdir(parents=True)
        self.kernels.write_text(KERNELS)

    def python(self, *arguments, **environment):
        known = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        known |= {"NUMBA_CACHE_DIR": str(self.folder / "cache"), **environment}
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, env=known, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def run(self, code=NUMBERS, **environment):
        """Return an answer in a new process, and whether numba was loaded."""
        asked = ASK.format(code=textwrap.dedent(code))
        return json.loads(self.python("-W", "error", "-c", asked, **environment))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    copy = Copy(tmp_path_factory.mktemp("built"))
    copy.python("-m", "pdseqpriv.build_ahead")
    return copy


@pytest.fixture
def copy(built, tmp_path):
    """Return a copy to damage."""
    other = Copy.__new__(Copy)
    other.folder, other.package = tmp_path, tmp_path / "pdseqpriv"
    shutil.copytree(built.folder, tmp_path, dirs_exist_ok=True)
    other.kernels = other.package / "tiny" / "kernels" / "sums.py"
    return other


def modules_of(copy):
    return [path for path in copy.package.glob("compiled_kernels*") if path.suffix != ".json"]


def test_what_was_compiled_ahead_needs_no_numba(built):
    assert len(modules_of(built)) == 1
    assert built.run() == [16, False]
    code = """
        found = add_up(np.arange(4), 10)
        answer = [type(found) is Sum, found.values.tolist(), int(found.total)]
    """
    assert built.run(code) == [[True, [0, 1, 2, 3], 16], False]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("np.arange(4.0), 10", 16.0),
        ("np.arange(4), 0.5", 6.5),
        ("np.arange(8)[::2], 0", 12),
        ("np.arange(4, dtype=np.int8), 0", 6),
        ("np.frombuffer(np.arange(4).tobytes(), np.int64), 0", 6),  # may only be read
    ],
)
def test_other_types_are_compiled(built, call, answer):
    assert built.run(f"answer = float(add_up({call}).total)") == [answer, True]


def test_threads_run_side_by_side(built):
    code = """
        import threading

        stop = np.zeros(1, np.int64)
        thread = threading.Thread(target=go_round, args=(2**62, stop))
        thread.start()
        stop[0] = 1  # never heard if the kernel kept Python's lock
        thread.join()
        answer = True
    """
    assert built.run(code) == [True, False]


def test_a_read_only_installation_without_a_home_runs_what_it_ships(copy):
    folders = [copy.package, *(path for path in copy.package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    before = sorted(copy.folder.rglob("*"))
    try:
        assert copy.run(HOME="", XDG_CACHE_HOME="", NUMBA_CACHE_DIR="") == [16, False]
        assert sorted(copy.folder.rglob("*")) == before
    finally:
        for folder in folders:
            folder.chmod(0o755)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="about registers of these processors")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump shows which instructions there are")
def test_older_processors_know_every_instruction(built):
    (module,) = modules_of(built)
    command = [shutil.which("objdump"), "-d", module]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "%xmm0" in listing
    assert "%ymm" not in listing  # AVX, which came after x86-64-v2
    assert "%zmm" not in listing


def test_kernels_that_were_edited_are_compiled(copy):
    copy.kernels.write_text(KERNELS.replace("total += value", "total += 2 * value"))
    assert copy.run() == [22, True]


def cut(path):
    path.write_bytes(path.read_bytes()[:5000])


def change(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [Path.unlink, cut, change])
def test_damaged_modules_are_not_loaded(copy, damage):
    (module,) = modules_of(copy)
    damage(module)
    assert copy.run() == [16, True]


@pytest.mark.parametrize("note", ["", "{}", "[]", "{", '{"made_of": 1, "files": 2}'])
def test_a_damaged_note_is_no_error(copy, note):
    (copy.package / "compiled_kernels.json").write_text(note)
    assert copy.run() == [16, True]


def test_wishes_to_numba_are_heard(built):
    assert built.run(NUMBA_DISABLE_JIT="1") == [16, True]
    assert built.run(NUMBA_DISABLE_JIT="0") == [16, False]


def test_kinds_tell_apart_what_numba_does():
    wide, narrow = np.zeros((2, 3)), np.zeros((2, 3), np.float32)
    kinds = [
        kind_for_numba((one,)) for one in (wide, narrow, wide.T, wide[:, ::2], wide[0], 1, 1.0, True, (1, 1))
    ]
    assert len(set(kinds)) == len(kinds)
    assert None not in kinds
    assert kind_for_numba((np.int64(1),)) == kind_for_numba((1,))
    unknown = [2**63, "a", [1], np.zeros(1, ">i8"), np.zeros(1, object), np.zeros(2, "i1,i8")["f1"]]
    assert [kind_for_numba((one,)) for one in unknown] == [None] * len(unknown)


def test_after_warming_up_nothing_is_compiled_any_more(tmp_path):
    copy = Copy(tmp_path)
    copy.python("-m", "pdseqpriv.warm_up")
    kept = sorted((tmp_path / "cache").rglob("*.nbc"))
    assert {path.name.partition("-")[0] for path in kept} == {"sums.add_up", "sums.go_round"}
    written = [path.stat().st_mtime_ns for path in kept]
    assert copy.run() == [16, True]
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == kept
    assert [path.stat().st_mtime_ns for path in kept] == written
