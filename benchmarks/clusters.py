"""The same call on a table here, a folder, Dask and Spark: time, CPU and memory of all processes.

``python -m benchmarks.clusters [rows]``, in the environment of ``make bench-clusters``.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

import pdseqpriv
from benchmarks.bigger import PATTERN, in_one_piece, in_parts, make_folder

ROWS = 4_000_000
LOOK = 0.05  # seconds between two looks at the processes
# At most so many times the CPU seconds of a table here, and MB in a process.
TARGETS = {"folder": (1.6, 4_000), "dask": (4.0, 1_500), "spark": (9.0, float("inf"))}


class Seen(NamedTuple):
    """What all processes of a run took together."""

    wall: float
    cpu: float
    largest: list[float]  # MB, of the processes that held most
    together: float


def hidden(table: Any) -> Any:  # noqa: ANN401 (engines differ)
    """Do what is measured."""
    return pdseqpriv.hide(table, [PATTERN])


def on_dask(folder: Path) -> None:
    """Work on two workers with a core and 2 GB each."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="2GB", dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        _write(hidden(dd.read_parquet(folder, split_row_groups=True)), folder)


def on_spark(folder: Path) -> None:
    """Work on Spark with two cores."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    _write(hidden(session.read.parquet(str(folder))), folder)
    session.stop()


def _write(released: Any, folder: Path) -> None:  # noqa: ANN401
    pdseqpriv.write_parquet(released, folder.with_name("released"))


ENGINES: dict[str, Callable[[Path], object]] = {
    "here": lambda folder: in_one_piece(hidden, folder),
    "folder": lambda folder: in_parts(hidden, 2 * 10**9, folder),
    "dask": on_dask,
    "spark": on_spark,
}


def watched(name: str, folder: Path) -> Seen:
    """Run one in processes of its own, and look at all of them until they end."""
    began = time.perf_counter()
    cpu: dict[int, float] = {}
    most: dict[int, float] = {}
    together = 0.0
    with subprocess.Popen([sys.executable, "-m", "benchmarks.clusters", "--one", name, str(folder)]) as run:
        top = psutil.Process(run.pid)
        while run.poll() is None:
            sizes = {}
            with contextlib.suppress(psutil.NoSuchProcess):
                for process in [top, *top.children(recursive=True)]:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        cpu[process.pid] = sum(process.cpu_times()[:2])
                        sizes[process.pid] = process.memory_info().rss / 1e6
            together = max(together, sum(sizes.values()))
            most |= {pid: max(size, most.get(pid, 0.0)) for pid, size in sizes.items()}
            time.sleep(LOOK)
    if run.returncode:
        raise SystemExit(f"{name} failed")
    return Seen(time.perf_counter() - began, sum(cpu.values()), sorted(most.values())[::-1][:4], together)


def main(arguments: list[str]) -> None:
    """Run all, and print a line of a table for each."""
    if arguments[:1] == ["--one"]:
        pdseqpriv.options.progress = False
        ENGINES[arguments[1]](Path(arguments[2]))
        return
    rows = int(arguments[0]) if arguments else ROWS
    folder = make_folder(rows)
    print(f"hide, {rows:,} rows, with reading and writing, starts of all processes included\n")
    print("| where | wall s | CPU s | CPU beside here | target | largest processes, MB | all together, MB |")
    print("|---|---|---|---|---|---|---|")
    here = None
    for name in ENGINES:
        seen = watched(name, folder)
        here = here or seen
        times, size = TARGETS.get(name, (1.0, float("inf")))
        wanted = f"{times:g}" + (f", {size:,.0f} MB" if size < float("inf") else "")
        largest = ", ".join(f"{one:,.0f}" for one in seen.largest)
        print(
            f"| {name} | {seen.wall:.1f} | {seen.cpu:.1f} | {seen.cpu / here.cpu:.2f} | {wanted} | {largest} "
            f"| {seen.together:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
