"""Write a table that need not fit into memory as a folder of Parquet files, all or nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.scratch import Scratch, system_errors
from pdseqpriv.errors import unwritable
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import Record, attach, record_of

if TYPE_CHECKING:
    import pyarrow as pa

_UNFINISHED = ".unfinished"
Arranged = Callable[[pd.DataFrame, Columns, Path], "pa.Table"]


def write_folder(table: BoundTable, path: Path, arranged: Arranged) -> None:
    """Write every part into a file of a folder that gets its name when it is complete.

    ``arranged`` makes of a frame what is written into a file.
    """
    target = Path(os.path.realpath(path))
    _refuse_what_is_there(target, path)
    with system_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
    draft = Scratch(target.parent, target.name)
    writer = _Writer(draft.folder, path, table.columns, record_of(table.frame), arranged)
    try:
        table.engine.each_part(table.frame, table.columns, writer.write)
        with system_errors(path):
            for left in draft.folder.glob(f"*{_UNFINISHED}"):
                left.unlink(missing_ok=True)
        draft.become(target)
    finally:
        draft.remove()


class _Writer(NamedTuple):
    """Writes files of a folder: where to, what messages call it, the columns and record of the table."""

    folder: Path
    path: Path
    columns: Columns
    record: Record
    arranged: Arranged

    def write(self, number: int, frame: pd.DataFrame) -> None:
        """Write one part; one without rows only if it is the first, which says what the columns are."""
        import pyarrow.parquet as pq

        if number and not len(frame):
            return
        bare = frame.reset_index(drop=True)
        bare.attrs = {}
        if self.record["applied"]:
            attach(bare, self.record)
        arrow = self.arranged(bare, self.columns, self.path)
        # Of workers that write the same part, because one is slow or was lost, the last to finish counts.
        draft = self.folder / f"{secrets.token_hex(8)}{_UNFINISHED}"
        with system_errors(self.path):
            with draft.open("xb") as stream:
                pq.write_table(arrow, stream, compression="zstd")
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(self.folder / f"part-{number:05}.parquet")


def _refuse_what_is_there(target: Path, path: Path) -> None:
    """Refuse to put anything in the place of files that are there."""
    if target.is_file():
        raise unwritable(path, "it is a file, and a table in parts is a folder", "Name a new folder.")
    with system_errors(path):
        if target.exists() and any(target.iterdir()):
            raise unwritable(path, "the folder is not empty", "Name a new or an empty folder.")
