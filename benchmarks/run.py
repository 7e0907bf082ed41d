"""Run every case in a fresh process, print one table, write RESULTS.md.

``python -m benchmarks.run [--quick] [part of a name ...]``
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import platform
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from benchmarks.cases import UNIT_CASE, Case

HERE = Path(__file__).parent
FILES = ["table", "files", "k_anonymize", "hide", "sanitize", "mine", "generalize"]
PACKAGES = ["pdseqpriv", "pandas", "numpy", "numba", "pyarrow"]


def main(arguments: list[str]) -> None:
    """Measure all, or those whose names hold one of the given words."""
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(all_cases()[arguments[1]], int(arguments[2]))))
        return
    quick = "--quick" in arguments
    words = [word for word in arguments if not word.startswith("-")]
    chosen = [c for c in all_cases().values() if not words or any(word in c.name for word in words)]
    wanted = {name for case in chosen if case.target for name in case.target.of} | {c.name for c in chosen}
    measured = {}
    for case in all_cases().values():
        if case.name in wanted:
            measured[case.name] = in_a_fresh_process(case, 1 if quick else case.repeats)
            print(line(case, measured), flush=True)
    if not words and not quick:
        (HERE / "RESULTS.md").write_text(page(measured), encoding="utf-8")


def all_cases() -> dict[str, Case]:
    """Give every case by name, the unit first."""
    cases = [UNIT_CASE]
    for name in FILES:
        cases += importlib.import_module(f"benchmarks.{name}").CASES
    return {case.name: case for case in cases}


def in_a_fresh_process(case: Case, repeats: int) -> dict[str, float]:
    """Measure where nothing else was loaded; the compiled code comes from the warm cache."""
    command = [sys.executable, "-m", "benchmarks.run", "--one", case.name, str(repeats)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
    if run.returncode:
        return {"seconds": float("nan"), "megabytes": float("nan")}
    return json.loads(run.stdout.splitlines()[-1])


def measure(case: Case, repeats: int) -> dict[str, float]:
    """Give the best time, and the most memory above what the prepared data took."""
    prepared = case.prepare()
    case.run(prepared)  # compile, or load from the cache
    release_what_is_free()
    before, peak, times = resident(), [0.0], []
    done = threading.Event()
    watcher = threading.Thread(target=watch, args=(peak, done))
    watcher.start()
    for _ in range(repeats):
        start = time.perf_counter()
        case.run(prepared)
        times.append(time.perf_counter() - start)
        release_what_is_free()  # else the peak would be that of several calls
    done.set()
    watcher.join()
    return {"seconds": min(times), "megabytes": max(0.0, peak[0] - before)}


def release_what_is_free() -> None:
    """Hand memory that the first run left behind back to the system, so that the next peak shows."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL("libc.so.6").malloc_trim(0)


def watch(peak: list[float], done: threading.Event) -> None:
    """Note the most memory that the process holds."""
    while not done.wait(0.005):
        peak[0] = max(peak[0], resident())


def resident() -> float:
    """Give the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def line(case: Case, measured: dict[str, dict[str, float]]) -> str:
    """Write one row: what it took, in seconds, in units, in memory, and whether the target holds."""
    mine = measured[case.name]
    units = mine["seconds"] / measured["unit"]["seconds"] if "unit" in measured else float("nan")
    cells = [case.name, f"{mine['seconds']:.2f} s", f"{units:.2f}", f"{mine['megabytes']:.0f} MB"]
    return "| " + " | ".join([*cells, *verdict(case, measured)]) + " |"


def verdict(case: Case, measured: dict[str, dict[str, float]]) -> tuple[str, str]:
    """Say the target, and whether it holds."""
    mine = measured[case.name]
    said, holds = [], []
    if case.target:
        best = min(measured[name]["seconds"] for name in case.target.of)
        said.append(f"{case.target} ({mine['seconds'] / best:.2f})")
        holds.append(mine["seconds"] <= case.target.factor * best)
    if case.memory_target:
        said.append(f"at most {case.memory_target:.0f} MB")
        holds.append(mine["megabytes"] <= case.memory_target)
    return "; ".join(said), ("yes" if all(holds) else "NO") if holds else ""


def page(measured: dict[str, dict[str, float]]) -> str:
    """Write the whole table with date, machine and versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    rows = [line(case, measured) for case in all_cases().values() if case.name in measured]
    return "\n".join(
        [
            "# Results",
            "",
            f"Measured on {datetime.now(UTC):%Y-%m-%d} with {os.cpu_count()} cores and {memory:.0f} GiB,",
            f"Python {platform.python_version()}, {packages}.",
            "",
            "Best of three in a fresh process with warm caches; memory is what the call added at its peak.",
            'One unit is `shuffled_msnbc.sort_values(["seq_id", "time"])` in the same run.',
            "",
            "| what | time | units | memory | target (measured) | holds |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
