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
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from benchmarks.cases import PATIENCE, Case, CutOffError, Measured
from benchmarks.data import SkippedError, stand_ins

ROOT = Path(__file__).parents[1]


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
    """Give the last line of what was said, without paths of this machine."""
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
    """Give the best times, and the most memory above what the prepared data took."""
    prepared = case.prepare()
    first = float("nan")
    if not case.is_foreign:
        small = case.warm_up() if case.warm_up else prepared
        first = timed(case, small).wall  # load compiled code, or compile it
        del small
        release_what_is_free()
    memory = Started() if case.is_foreign else resident
    before, peak, runs = 0.0 if case.is_foreign else resident(), [0.0], list[Run]()
    done = threading.Event()
    watcher = threading.Thread(target=watch, args=(memory, peak, done))
    watcher.start()
    answer: Any = None
    try:
        for _ in range(repeats):
            answer = None  # else the peak would be that of several calls
            release_what_is_free()
            run = timed(case, prepared)
            answer = run.answer
            runs.append(run._replace(answer=None))
            if run.wall > PATIENCE:
                break
    except CutOffError:
        if not runs:  # else those that came to an end count
            raise
    finally:
        done.set()
        watcher.join()
    return Measured(
        seconds=min(run.wall for run in runs),
        cpu=min(run.cpu for run in runs),
        first=float("nan") if case.warm_up else first,
        megabytes=max(0.0, peak[0] - before),
        alone=min(run.alone for run in runs) if case.reported else None,
        runs=len(runs),
        facts=case.facts(prepared, answer) if case.facts else {},
    )


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


def watch(memory: Callable[[], float], peak: list[float], done: threading.Event) -> None:
    """Note the most memory that is held."""
    while not done.wait(0.005):
        peak[0] = max(peak[0], memory())


def resident(process: str = "self") -> float:
    """Give the memory of a process in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Started:
    """The memory of the programs that this process started; at first it shows as our own, so look later."""

    def __init__(self) -> None:
        self.looks: Counter[str] = Counter()

    def __call__(self) -> float:
        """Look."""
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        running = children.read_text(encoding="ascii").split() if children.exists() else []
        self.looks.update(running)
        total = 0.0
        for process in running:
            if self.looks[process] >= 10:  # noqa: PLR2004 (a twentieth of a second)
                with contextlib.suppress(OSError, IndexError):  # it may just have ended
                    total += resident(process)
        return total
