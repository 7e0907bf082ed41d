"""Folders of Parquet files that are not read at once, beside reading, working and writing in one piece."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdseqpriv
from benchmarks.cases import Case, Memory, Target

# PDSEQPRIV_ROWS=100000000 measures what the documentation promises of large tables.
ROWS = int(os.environ.get("PDSEQPRIV_ROWS", "4000000"))
PER_SEQUENCE = 10
FILES = 8
PAGES = [f"page {number:02}" for number in range(40)]
PATTERN = '"page 00" -> "page 01" -> "page 02"'


def make_folder(rows: int) -> Path:
    """Write click streams as files in which the rows of a sequence are far apart."""
    folder = Path(tempfile.mkdtemp()) / "visits"
    folder.mkdir()
    size = rows // FILES
    for number in range(FILES):
        rng = np.random.default_rng(number)
        pages = np.minimum(rng.geometric(0.12, size) - 1, len(PAGES) - 1)
        frame = pd.DataFrame(
            {
                "seq_id": rng.integers(0, rows // PER_SEQUENCE, size),
                "event": pd.Categorical.from_codes(pages, PAGES).astype("str"),
                "time": rng.integers(0, 10**6, size),
            }
        )
        frame.to_parquet(folder / f"{number}.parquet", index=False)
    return folder


def in_one_piece(call: Callable[..., Any], folder: Path) -> int:
    """Read, work and write as with any table."""
    return _written(call(pdseqpriv.read_parquet(folder, max_rows=10**9)), folder)


def in_parts(call: Callable[..., Any], memory: int, folder: Path) -> int:
    """Scan, work and write."""
    return _written(call(pdseqpriv.scan_parquet(folder, memory_limit=memory)), folder)


def _written(answer: Any, folder: Path) -> int:  # noqa: ANN401 (a table, wherever its rows are)
    target = folder.with_name("released")
    shutil.rmtree(target, ignore_errors=True)
    pdseqpriv.write_parquet(answer, target if hasattr(answer, "rows") else f"{target}/")
    return len(answer)


CALLS: dict[str, Callable[..., Any]] = {
    "hide": partial(pdseqpriv.hide, patterns=[PATTERN]),
    "sanitize, each sequence": partial(pdseqpriv.sanitize, delta=0.3, events=PAGES[:1]),
    "mine": partial(pdseqpriv.mine, min_support=0.05),
    "k_anonymize": partial(pdseqpriv.k_anonymize, k=10),
}
# All sequences differ, and the plan of k_anonymize takes about 94 bytes for each of their events.
MEMORY = {"k_anonymize": max(2 * 10**9, 94 * ROWS)}
FACTORS = {"hide": 1.6, "sanitize, each sequence": 2.0, "mine": 2.0, "k_anonymize": 1.3}

CASES = [
    case
    for name, call in CALLS.items()
    for case in (
        Case(f"{name}, {ROWS:,} rows in one piece", partial(make_folder, ROWS), partial(in_one_piece, call)),
        Case(
            f"{name}, {ROWS:,} rows in parts",
            partial(make_folder, ROWS),
            partial(in_parts, call, MEMORY.get(name, 2 * 10**9)),
            (Target(FACTORS[name], (f"{name}, {ROWS:,} rows in one piece",)), Memory(4_000)),
        ),
    )
]
