"""The same call on a table here, a folder, Dask and Spark: time, CPU and memory of all processes.

``python -m benchmarks.clusters [rows]``, in the environment of ``make bench-clusters``.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pdseqpriv
from benchmarks.bigger import PATTERN, in_one_piece, in_parts, make_folder
from benchmarks.processes import watched

ROWS = 4_000_000
# At most so many times the CPU seconds of a table here, and MB in a process.
TARGETS = {"folder": (1.6, 4_000), "dask": (4.0, 1_500), "spark": (9.0, float("inf"))}


def hidden(table: Any) -> Any:  # noqa: ANN401 (engines differ)
    """Do what is measured."""
    return pdseqpriv.hide(table, [PATTERN])


def on_dask(folder: Path) -> None:
    """Work on two workers with a core and 2 GB each."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="2GB", dashboard_address="127.0.0.1:0"
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
    shutil.rmtree(folder.with_name("released"), ignore_errors=True)
    pdseqpriv.write_parquet(released, folder.with_name("released"))


ENGINES: dict[str, Callable[[Path], object]] = {
    "here": lambda folder: in_one_piece(hidden, folder),
    "folder": lambda folder: in_parts(hidden, 2 * 10**9, folder),
    "dask": on_dask,
    "spark": on_spark,
}


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
        seen = watched("benchmarks.clusters", name, str(folder))
        here = here or seen
        times, size = TARGETS.get(name, (1.0, float("inf")))
        wanted = f"{times:g}" + (f", {size:,.0f} MB" if size < float("inf") else "")
        largest = ", ".join(f"{one:,.0f}" for one in seen.largest)
        print(
            f"| {name} | {seen.wall:.1f} | {seen.cpu:.1f} | {seen.cpu / here.cpu:.2f} | {wanted} | {largest} "
            f"| {seen.together:,.0f} |",
            flush=True,
        )
    shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main(sys.argv[1:])
