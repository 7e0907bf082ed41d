"""Divide a table in files into parts that hold whole sequences, or whole people, and fit into memory."""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.dictionaries import is_text
from pdseqpriv.engines.scratch import system_errors
from pdseqpriv.engines.stored import (
    Limits,
    PartFile,
    Rows,
    StoredParts,
    StoredTable,
    new_scratch,
    number_of_parts,
    refuse_large_parts,
)
from pdseqpriv.progress import progress
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.threads import number_of_threads

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_PARTS = 500  # each is an open file


def parts_of(table: StoredTable, key: Hashable, names: Sequence[Hashable]) -> StoredParts:
    """Return a table in parts, with at least these columns; as it was divided before, if that will do."""
    known = table.parts
    if known is None or known.key != key or not set(names) <= set(known.names):
        known = divided(table.rows, key, [name for name in table.rows.names if name in names], table.limits)
        table.parts = known
    return known  # type: ignore[no-any-return]


def divided(rows: Rows, key: Hashable, names: list[str], limits: Limits) -> StoredParts:
    """Write every row into the file of its part, with its place in the whole table."""
    number = min(_MOST_PARTS, number_of_parts(rows, limits, number_of_threads()))
    scratch = new_scratch(limits)
    writers = [_PartWriter(scratch.folder / f"part-{place:05}.arrow") for place in range(number)]
    place = names.index(str(key))
    dtypes: dict[Hashable, Any] = {}  # of columns with nulls, whose parts without any have other ones
    with (
        progress(rows.n_rows, "dividing the table") as bar,
        system_errors(scratch.folder),
        ExitStack() as ends,
    ):
        for writer in writers:
            ends.callback(writer.close)
        for places, table in rows.batches(names):
            dtypes |= _types_of_nulls(rows, table, dtypes)
            _share_out(places, table, buckets_of(table.column(place), number), writers)
            bar.update(len(table))
    files = [PartFile(one.file, one.n_rows) for one in writers if one.n_rows]
    files = files or [PartFile(writers[0].file, 0)]
    source = rows.source if isinstance(rows, StoredParts) and rows.source is not None else rows
    parts = StoredParts(files, names, key, rows.row_bytes, source, dtypes, scratch)
    refuse_large_parts(parts, limits)
    return parts


def _types_of_nulls(rows: Rows, table: pa.Table, known: Container[Hashable]) -> dict[Hashable, Any]:
    """Return the types in pandas of columns that have nulls, which may differ from those of others."""
    import pyarrow.compute as pc

    new = [name for name in table.column_names if name not in known and table[name].null_count]
    nulls = {name: table.select([name]).filter(pc.is_null(table[name])).slice(0, 1) for name in new}
    return {name: rows.frame_of(one).dtypes[name] for name, one in nulls.items()}


def buckets_of(column: pa.ChunkedArray, number: int) -> NDArray[np.uint16]:
    """Return in which of so many parts each row goes: equal values into the same one, whatever the file."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if pa.types.is_integer(whole.type):
        numbers = whole.fill_null(0).to_numpy(zero_copy_only=False)
        return np.asarray(pd.util.hash_array(numbers) % number, np.uint16)
    if not is_text(whole.type):  # no ids, which will be said when they are checked
        return np.zeros(len(whole), np.uint16)
    encoded = whole.dictionary_encode()
    values = np.asarray(encoded.dictionary.cast(pa.large_binary()).to_pylist(), dtype=object)
    buckets = np.asarray(pd.util.hash_array(values, categorize=False) % number, np.uint16)
    places: Ints = encoded.indices.fill_null(len(values)).to_numpy()
    return np.append(buckets, np.uint16(0))[places]  # the last entry is for nulls


def _share_out(
    places: Ints, table: pa.Table, buckets: NDArray[np.uint16], writers: list[_PartWriter]
) -> None:
    """Write the rows of one batch into the files of their parts, in their order."""
    order = np.argsort(buckets, kind="stable")
    bounds = np.searchsorted(buckets[order], np.arange(len(writers) + 1))
    sorted_rows = table.take(order).combine_chunks()
    for writer, begin, end in zip(writers, bounds, bounds[1:], strict=False):
        if end > begin or writer.is_new:
            writer.write(places[order[begin:end]], sorted_rows.slice(begin, end - begin))


class _PartWriter:
    """One temporary file, to which rows are added batch by batch."""

    def __init__(self, file: Path) -> None:
        self.file, self.n_rows = file, 0
        self._stream: Any = None
        self._writer: Any = None

    @property
    def is_new(self) -> bool:
        """Whether nothing was written: even a file without rows says what its columns are."""
        return self._writer is None

    def write(self, places: Ints, table: pa.Table) -> None:
        import pyarrow as pa

        whole = table.add_column(0, "", pa.array(places, pa.int64()))
        if self._writer is None:
            codec = "lz4" if pa.Codec.is_available("lz4") else None
            self._stream = self.file.open("xb")
            options = pa.ipc.IpcWriteOptions(compression=codec)
            self._writer = pa.ipc.new_file(self._stream, whole.schema, options=options)
        self._writer.write_table(whole)
        self.n_rows += len(table)

    def close(self) -> None:
        if self._writer is not None:
            with self._stream:
                self._writer.close()
            self._writer = None


def write_part(file: Path, places: Ints, table: pa.Table) -> PartFile:
    """Write a part at once."""
    writer = _PartWriter(file)
    with system_errors(file.parent):
        try:
            writer.write(places, table)
        finally:
            writer.close()
    return PartFile(file, len(table))
