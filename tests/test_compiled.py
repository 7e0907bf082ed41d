"""Compiled code is kept between processes, is never stale, and trouble with its files is no error."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pdseqpriv import compiled_cache
from pdseqpriv.compiled import LazyKernel, compiled
from tests.house import House

PACKAGE = Path(compiled_cache.__file__).parent

CALLEE = """
from pdseqpriv.compiled import compiled

START = 10

@compiled
def step(number):
    return _plus(number)

@compiled
def _plus(number):
    return number + 1
"""
CALLER = """
from pdseqpriv.compiled import compiled
from pdseqpriv.tiny.kernels.callee import START, step

@compiled
def two_steps(number):
    return step(step(number)) + START
"""
CALL = """
from pdseqpriv.tiny.kernels.caller import two_steps as kernel
answer = kernel(1)
"""
TELL = """
import json, pdseqpriv
stats = kernel.dispatcher().stats
loaded, made = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
print(json.dumps([pdseqpriv.__file__, answer, loaded, made]))
"""


class Copy:
    """A copy of the package with two small kernels in two files; its processes keep code in one place."""

    def __init__(self, folder):
        self.folder = folder
        self.package = folder / "pdseqpriv"
        self.place = folder / "cache"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "__init__.py").write_text("")  # so that no process has to load pandas
        self.kernels = self.package / "tiny" / "kernels"
        self.kernels.mkdir(parents=True)
        (self.kernels / "callee.py").write_text(CALLEE)
        (self.kernels / "caller.py").write_text(CALLER)

    def edit(self, old, new):
        text = (self.kernels / "callee.py").read_text()
        assert text.count(old) == 1
        (self.kernels / "callee.py").write_text(text.replace(old, new))

    def run(self, code=CALL, **environment):
        """Return the answer in a new process, how many functions were loaded, and how many compiled."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # Python itself takes an edit in the same second for none
            "NUMBA_CACHE_DIR": str(self.place),
            **environment,
        }
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code) + TELL]
        done = subprocess.run(
            command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        file, *told = json.loads(done.stdout)
        assert Path(file) == self.package / "__init__.py"
        return tuple(told)

    def kept(self, place=None):
        return sorted((place or self.place).rglob("*.nbc"))


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


@pytest.fixture(scope="module")
def called_once(tmp_path_factory):
    """Return a copy whose kernels were compiled before."""
    copy = Copy(tmp_path_factory.mktemp("called_once"))
    assert copy.run() == (13, 0, 1)
    assert len(copy.kept()) == 1  # with the code of those it calls
    return copy


@pytest.fixture
def warm(called_once, tmp_path):
    """Return the same, with compiled code of its own to damage."""
    copy = Copy.__new__(Copy)
    vars(copy).update(vars(called_once), place=tmp_path / "cache")
    shutil.copytree(called_once.place, copy.place)
    return copy


def test_an_edited_callee_in_another_file_is_never_stale(copy):
    assert copy.run() == (13, 0, 1)
    copy.edit("number + 1", "number + 7")
    assert copy.run() == (25, 0, 1)
    copy.edit("START = 10", "START = 20")
    assert copy.run() == (35, 0, 1)
    copy.edit("START = 20", "START = 10")  # back to what was compiled before
    assert copy.run() == (25, 1, 0)


def test_fields_that_change_places_in_another_file_are_noticed(copy):
    pair = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    {}: int\n    {}: int\n"
    kernel = """
        from pdseqpriv.compiled import compiled

        @compiled
        def difference(inner):
            pair, = inner
            return pair.first - pair.second
    """
    call = """
        from pdseqpriv.tiny.kernels.differences import difference as kernel
        from pdseqpriv.tiny.pair import Pair
        answer = kernel((Pair(first=5, second=3),))
    """
    (copy.kernels / "differences.py").write_text(textwrap.dedent(kernel))
    (copy.package / "tiny" / "pair.py").write_text(pair.format("first", "second"))
    assert copy.run(call) == (2, 0, 1)
    assert copy.run(call) == (2, 1, 0)
    (copy.package / "tiny" / "pair.py").write_text(pair.format("second", "first"))
    assert copy.run(call) == (2, 0, 1)


def test_what_did_not_change_is_not_compiled_again(warm):
    before = {path: path.stat().st_mtime_ns for path in warm.kept()}
    assert warm.run() == (13, 1, 0)
    assert {path: path.stat().st_mtime_ns for path in warm.kept()} == before


IMPORT_THEN_EDIT = """
    import importlib
    from pathlib import Path
    from pdseqpriv.tiny.kernels import callee, caller
    {}
    source = Path(callee.__file__)
    source.write_text(source.read_text().replace("number + 1", "number + 7"))
    {}
    kernel = caller.two_steps
    answer = kernel(1)
"""


def test_code_imported_before_an_edit_does_not_run_what_was_compiled_after_it(copy):
    copy.edit("number + 1", "number + 7")
    assert copy.run() == (25, 0, 1)
    kept = copy.kept()
    copy.edit("number + 7", "number + 1")
    assert copy.run(IMPORT_THEN_EDIT.format("", "")) == (13, 0, 1)
    assert copy.kept() == kept
    assert copy.run() == (25, 1, 0)


def test_code_loaded_again_after_an_edit_is_not_taken_for_the_old(copy):
    reload = "importlib.reload(callee), importlib.reload(caller)"
    assert copy.run(IMPORT_THEN_EDIT.format("assert caller.two_steps(1) == 13", reload)) == (25, 0, 1)
    copy.edit("number + 7", "number + 1")
    assert copy.run() == (13, 1, 0)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def overwrite(path):
    path.write_bytes(b"no machine code" * 1_000)


def empty(path):
    path.write_bytes(b"")


def make_folder(path):
    path.unlink()
    path.mkdir()


def hold_something_else(path):
    compiled_cache.write(path, pickle.dumps("not what numba wrote"))


def break_a_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [truncate, hold_something_else])
def test_damaged_code_is_compiled_again(warm, damage):
    for path in warm.kept():
        damage(path)
    assert warm.run() == (13, 0, 1)
    assert warm.run() == (13, 1, 0)


def test_what_cannot_be_replaced_is_said(warm):
    for path in warm.kept():
        make_folder(path)
    assert warm.run(LISTEN + CALL + SAID_ONCE) == (13, 0, 1)


@pytest.mark.parametrize("damage", [truncate, overwrite, empty, make_folder, break_a_byte, Path.unlink])
def test_damage_is_noticed_before_it_is_run(tmp_path, damage):
    path = tmp_path / "code.nbc"
    compiled_cache.write(path, b"machine code" * 1_000)
    assert compiled_cache.read_compiled(path) == b"machine code" * 1_000
    damage(path)
    assert compiled_cache.read_compiled(path) is None


LISTEN = """
import warnings
said = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: said.append(str(message))
"""
SAID_ONCE = "assert len(said) == 1 and 'Set NUMBA_CACHE_DIR' in said[0], said"


def test_a_full_disk_is_no_error_and_is_said_once(copy):
    pytest.importorskip("resource")
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))"
    again = "assert kernel(1.5) == 13.5\n"  # for other types, which are compiled as well
    assert copy.run(LISTEN + full + CALL + again + SAID_ONCE) == (13, 0, 2)
    assert not [path for path in copy.place.rglob("*") if path.is_file()]


def test_where_no_folder_can_be_made_code_stays_in_memory(copy):
    for blocked in (copy.place, copy.package / "__pycache__", copy.folder / "home"):
        blocked.write_text("a file, where a folder would be made")
    home = str(copy.folder / "home")
    environment = {"HOME": home, "XDG_CACHE_HOME": home, "LOCALAPPDATA": home}
    assert copy.run(LISTEN + CALL + SAID_ONCE, **environment) == (13, 0, 1)
    assert not copy.kept(copy.folder)


IN_A_TERMINAL = """
import io, sys
sys.stderr = io.StringIO()
sys.stderr.isatty = lambda: True
"""


def test_compiling_is_said_once(copy):
    again = "assert kernel(1.5) == 13.5\n"  # for other types, which are compiled as well
    said = "assert sys.stderr.getvalue().count('compiling, once') == {0}, sys.stderr.getvalue()"
    quiet = "from pdseqpriv.options import options\noptions.progress = False"
    assert copy.run(IN_A_TERMINAL + quiet + CALL + said.format(0)) == (13, 0, 1)
    copy.edit("number + 1", "number + 1  # edited")
    assert copy.run(IN_A_TERMINAL + CALL + again + said.format(1)) == (13, 0, 2)
    assert copy.run(IN_A_TERMINAL + CALL + again + said.format(0)) == (13, 2, 0)


def test_without_a_wish_code_is_kept_beside_the_package(copy):
    assert copy.run(NUMBA_CACHE_DIR="") == (13, 0, 1)
    assert len(copy.kept()) == 0
    assert len(copy.kept(copy.package / "__pycache__")) == 1
    assert copy.run(NUMBA_CACHE_DIR="") == (13, 1, 0)


def test_where_the_package_is_read_only_code_is_kept_for_the_user(copy):
    (copy.package / "__pycache__").write_text("a file, where a folder would be made")
    home = copy.folder / "home"
    home.mkdir(mode=0o700)
    environment = {
        "NUMBA_CACHE_DIR": "",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "LOCALAPPDATA": str(home),
    }
    assert copy.run(**environment) == (13, 0, 1)
    assert len(copy.kept(home)) == 1
    assert copy.run(**environment) == (13, 1, 0)


def test_without_a_home_code_is_kept_beside_the_package(copy):
    environment = {"NUMBA_CACHE_DIR": "", "HOME": "", "XDG_CACHE_HOME": ""}
    assert copy.run(**environment) == (13, 0, 1)
    assert len(copy.kept(copy.package / "__pycache__")) == 1


def test_processes_that_start_at_once_do_not_disturb_each_other(copy):
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: copy.run()[0], range(3)))
    assert answers == [13, 13, 13]
    assert copy.run() == (13, 1, 0)


@pytest.mark.parametrize(
    ("place", "mode", "is_taken"),
    [
        ("", 0o755, True),
        ("", 0o775, True),  # as where groups are of one person
        ("", 0o757, False),
        ("", 0o1777, True),  # as /tmp: others cannot take a folder away
        ("kernels", 0o755, True),
        ("kernels", 0o775, False),
        ("kernels", 0o757, False),
    ],
)
def test_folders_that_others_can_write_to_are_not_used(tmp_path, place, mode, is_taken):
    first = compiled_cache.folder_for("1.0", [tmp_path / "place"])
    assert first.stat().st_mode & 0o777 == 0o700
    (first if place else first.parent).chmod(mode)
    other = compiled_cache.folder_for("1.0", [tmp_path / "place", tmp_path / "other"])
    assert (other == first) == is_taken


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_folders_of_others_are_not_used(tmp_path):
    first = compiled_cache.folder_for("1.0", [tmp_path / "place"])
    os.chown(first, 12345, 12345)
    assert compiled_cache.folder_for("1.0", [tmp_path / "place"]) is None


def test_another_numba_has_another_folder(tmp_path):
    folders = {compiled_cache.folder_for(version, [tmp_path]) for version in ("0.61.0", "0.68.1", "0.68.1")}
    assert len(folders) == len(list(tmp_path.iterdir())) == 2


def test_another_processor_never_runs_what_was_compiled_for_this_one(warm):
    (kept,) = warm.kept()
    older = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert warm.run(**older) == (13, 0, 1)
    assert len(warm.kept()) == 2
    assert warm.run(**older) == (13, 1, 0)
    assert kept in warm.kept()
    assert warm.run() == (13, 1, 0)


def test_folders_do_not_pile_up(tmp_path):
    for age in range(9):
        folder = tmp_path / f"kernels-{age}"
        folder.mkdir()
        (folder / "code.nbc").write_text("compiled long ago")
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "kernels.pyc").write_text("of somebody else")
    new = compiled_cache.folder_for("1.0", [tmp_path])
    latest = {f"kernels-{age}" for age in range(compiled_cache.KEPT - 1)}
    assert {path.name for path in tmp_path.iterdir()} == {new.name, "kernels.pyc"} | latest
    # What another process removed is no trouble for the one that still uses it.
    compiled_cache.write(tmp_path / "kernels-8" / "code.nbc", b"machine code")


def test_all_kernels_are_part_of_the_stamp():
    # That compiled functions live in folders called kernels is a rule of tests/house.py.
    kernels = [PACKAGE / name for name in House(PACKAGE).kernels]
    assert len(kernels) > 40
    assert {*kernels, PACKAGE / "compiled.py", PACKAGE / "compiled_cache.py"} <= set(
        compiled_cache._sources()
    )


def test_kernels_are_pickled_by_name(warm):
    # _plus is called by a kernel of its own file, step by one of another.
    prepare = """
        import pickle
        from functools import partial
        from pathlib import Path
        from pdseqpriv.tiny.kernels import callee
        from pdseqpriv.tiny.kernels.caller import two_steps as kernel
    """
    write = """
        before = pickle.dumps([kernel, callee.step, partial(callee._plus, 5)])
        answer = kernel(1)
        assert pickle.dumps([kernel, callee.step, partial(callee._plus, 5)]) == before
        assert pickle.loads(before)[:2] == [kernel, callee.step]
        Path("kernels.pickle").write_bytes(before)
    """
    read = """
        kernels = pickle.loads(Path("kernels.pickle").read_bytes())
        answer = [kernels[0](1), kernels[1](1), kernels[2]()]
    """
    assert warm.run(prepare + write) == (13, 1, 0)
    assert warm.run(prepare + read) == ([13, 2, 6], 1, 0)


def chain_of_kernels(length):
    """Return a kernel that calls another, which calls another, and so on; each adds 1."""
    scope = {"compiled": compiled}
    for i in range(length):
        further = f"link_{i + 1}(number)" if i + 1 < length else "number"
        exec(f"@compiled\ndef link_{i}(number):\n    return {further} + 1", scope)  # noqa: S102
    return scope["link_0"]


def test_threads_can_make_the_first_call_at_once():
    kernel, ready = chain_of_kernels(5), threading.Barrier(8)

    def call():
        ready.wait()
        return kernel(1)

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(call) for _ in range(8)]
    assert [call.result() for call in calls] == [6] * 8


def test_a_thread_waits_for_a_kernel_that_another_has_half_made(monkeypatch):
    kernel, is_half_made = chain_of_kernels(2), threading.Event()
    make = LazyKernel._make_dispatcher

    def make_slowly(made, inner):
        if made is not kernel:
            is_half_made.set()
            time.sleep(0.2)
        make(made, inner)

    monkeypatch.setattr(LazyKernel, "_make_dispatcher", make_slowly)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(kernel, 1)
        assert is_half_made.wait(60)
        assert kernel(1) == 3
        assert first.result() == 3


def test_an_interrupted_first_call_can_be_made_again(monkeypatch):
    kernel = chain_of_kernels(2)
    with monkeypatch.context() as patch:
        patch.setattr(LazyKernel, "_make_dispatcher", interrupt_inside(kernel))
        with pytest.raises(KeyboardInterrupt):
            kernel(1)
    assert kernel(1) == 3


def interrupt_inside(outer):
    make = LazyKernel._make_dispatcher

    def make_or_stop(kernel, inner):
        if kernel is not outer:
            raise KeyboardInterrupt
        make(kernel, inner)

    return make_or_stop
