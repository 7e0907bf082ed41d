"""Measure one case in a fresh process: wall and CPU time of the best run, and peak memory."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa

from benchmarks.cases import PATIENCE, Case, CutOffError, Measured
from benchmarks.data import SkippedError, stand_ins

ROOT = Path(__file__).parents[1]
SHORT = 0.1  # seconds
MORE = 12


def in_a_fresh_process(case: Case, repeats: int) -> Measured:
    """Measure where nothing else was loaded; the compiled code comes from the warm cache."""
    command = [sys.executable, "-m", "benchmarks.run", "--one", case.name, str(repeats)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        try:
            out, errors = process.communicate(timeout=case.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with what it started itself
            return Measured(trouble=f"did not end in {case.limit:.0f} s")
    if process.returncode:
        return Measured(trouble=f"failed: {in_plain_words(errors, process.returncode)}")
    return Measured(**json.loads(out.splitlines()[-1]))


def in_plain_words(errors: str, code: int) -> str:
    """Return the last line of what was said, without paths of this machine."""
    said = [line for line in errors.splitlines() if line.strip()]
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return re.sub(r"/\S+", "...", said[-1] if said else f"exit code {code}")[:120]


def measure_one(case: Case, repeats: int) -> str:
    """Measure here, and give what came out as text."""
    try:
        measured = measure(case, repeats)
    except CutOffError:
        measured = Measured(seconds=PATIENCE, trouble=f"> {PATIENCE:.0f} s, cut off")
    except SkippedError as why:
        measured = Measured(trouble=f"skipped: {why}")
    return json.dumps(asdict(replace(measured, stand_in=bool(stand_ins))))


def measure(case: Case, repeats: int) -> Measured:
    """Return the best times, and the most memory above what the prepared data took."""
    prepared = case.prepare()
    first = float("nan")
    if not case.is_foreign:
        small = case.warm_up() if case.warm_up else prepared
        first = timed(case, small).wall  # load compiled code, or compile it
        del small
        release_what_is_free()
    memory = OfOthers() if case.is_foreign else Own()
    runs: list[Run] = []
    answer: Any = None
    with contextlib.suppress(CutOffError):  # runs that came to an end count
        while len(runs) < wanted(repeats, runs):
            answer = None  # else the peak would be that of several calls
            release_what_is_free()
            with memory:
                run = timed(case, prepared)
            answer, run = run.answer, run._replace(answer=None)
            runs.append(run)
            if runs[-1].wall > PATIENCE:
                break
    if not runs:
        raise CutOffError
    return Measured(
        seconds=min(run.wall for run in runs),
        cpu=min(run.cpu for run in runs),
        first=float("nan") if case.warm_up else first,
        megabytes=memory.most,
        alone=min(run.alone for run in runs) if case.reported else None,
        runs=len(runs),
        facts=case.facts(prepared, answer) if case.facts else {},
    )


def wanted(repeats: int, runs: list[Run]) -> int:
    """Say how many runs there are to be: more where one is so short that chance counts."""
    is_short = len(runs) >= repeats > 1 and min(run.wall for run in runs) < SHORT
    return MORE if is_short else repeats


class Run(NamedTuple):
    """Wall time, CPU time of all threads, what a program says it took, and the answer."""

    wall: float
    cpu: float
    alone: float
    answer: Any


def timed(case: Case, prepared: object) -> Run:
    """Run once."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = case.run(prepared)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    alone = case.reported(answer) if case.reported else float("nan")
    return Run(wall, cpu, alone, answer if case.facts else None)


def release_what_is_free() -> None:
    """Hand memory that a run left behind back to the system, so that the next peak shows."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL("libc.so.6").malloc_trim(0)


def resident(process: str = "self") -> float:
    """Return the memory of a process in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Own:
    """The most memory that this process held in a run, above what it held before; as the kernel notes it.

    A thread that looks now and then would miss short peaks, and makes others keep more.
    """

    def __init__(self) -> None:
        self.most = 0.0
        self.before = 0.0

    def __enter__(self) -> Self:
        self.before = resident()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak so far
        return self

    def __exit__(self, *_: object) -> None:
        peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
        self.most = max(self.most, int(peak[1]) * 1024 / 1e6 - self.before if peak else float("nan"))


class OfOthers:
    """The most memory that the programs started in a run held; a thread looks now and then."""

    def __init__(self) -> None:
        self.most = 0.0
        self.looks: Counter[str] = Counter()
        self.done = threading.Event()
        self.watcher: threading.Thread | None = None

    def __enter__(self) -> None:
        self.done.clear()
        self.watcher = threading.Thread(target=self._watch)
        self.watcher.start()

    def __exit__(self, *_: object) -> None:
        self.done.set()
        if self.watcher:
            self.watcher.join()

    def _watch(self) -> None:
        while not self.done.wait(0.005):
            self.most = max(self.most, self._now())

    def _now(self) -> float:
        """Look; at first a program shows as a copy of this process, so it counts later."""
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        running = children.read_text(encoding="ascii").split() if children.exists() else []
        self.looks.update(running)
        total = 0.0
        for process in running:
            if self.looks[process] >= 10:  # noqa: PLR2004 (a twentieth of a second)
                with contextlib.suppress(OSError, IndexError):  # it may just have ended
                    total += resident(process)
        return total
