"""Folders of so many rows that they do not fit into memory, beside a tenth of them in one piece.

``python -m benchmarks.large_folders [rows] [part of a name ...]``, as ``make bench-large`` does.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pdseqpriv
from benchmarks.bigger import CALLS, in_one_piece, in_parts, make_folder
from benchmarks.processes import watched

ROWS = 10_000_000
# At most so many times the CPU seconds per row of a tenth of the rows in one piece.
FACTORS = {"k_anonymize": 1.3}
FACTOR = 2.0
LIMIT = 2 * 10**9
# Bytes that the plan of k_anonymize takes for each row of sequences that all differ, and some besides.
PLAN, BESIDE = 94, 2 * 10**9


def limit_for(name: str, rows: int) -> int:
    """Return the limit of memory that is given."""
    return max(LIMIT, PLAN * rows + BESIDE) if name == "k_anonymize" else LIMIT


def one(name: str, where: str, folder: Path, rows: int) -> None:
    """Do what is measured."""
    pdseqpriv.options.progress = False
    if where == "here":
        in_one_piece(CALLS[name], folder)
    else:
        in_parts(CALLS[name], limit_for(name, rows), folder)


def main(arguments: list[str]) -> None:
    """Run all, or some, and print a line of a table for each."""
    if arguments[:1] == ["--one"]:
        one(arguments[1], arguments[2], Path(arguments[3]), int(arguments[4]))
        return
    rows = int(arguments[0]) if arguments else ROWS
    words = arguments[1:]
    small, large = make_folder(rows // 10), make_folder(rows)
    print(f"{rows:,} rows in a folder beside {rows // 10:,} in one piece, with reading and writing\n")
    print(
        "| call | CPU s here | wall s, CPU s in parts | CPU per row | target | memory_limit, MB | peak, MB |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in CALLS:
        if words and not any(word in name for word in words):
            continue
        here = watched("benchmarks.large_folders", name, "here", str(small), str(rows))
        parts = watched("benchmarks.large_folders", name, "folder", str(large), str(rows))
        times = parts.cpu / here.cpu / 10
        print(
            f"| {name} | {here.cpu:.1f} | {parts.wall:.1f}, {parts.cpu:.1f} | {times:.2f} "
            f"| {FACTORS.get(name, FACTOR):g} | {limit_for(name, rows) / 1e6:,.0f} | {parts.together:,.0f} |",
            flush=True,
        )
    for folder in (small, large):
        shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main(sys.argv[1:])
