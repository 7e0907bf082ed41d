"""Folders of Parquet files as tables that need not fit into memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.engines.memory import read_memory_limit
from pdseqpriv.engines.stored import Limits, StoredTable
from pdseqpriv.errors import FileError, in_our_words, public, unreadable, warn
from pdseqpriv.files.parquet import frame_of_arrow
from pdseqpriv.files.parquet_sources import (
    Source,
    common_note,
    decode_note,
    fits_its_check,
    has_check,
    read_file,
    sources_of,
    types_of_partitions,
    with_partition,
    with_values_written_out,
)
from pdseqpriv.paths import PathLike, opened, path_of, reading
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.pandas_notes import record_noted_by_pandas
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE, attach, cleaned, remember_columns

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1 << 20  # rows that are read at once at most
_FEW = 10_000  # rows from which the size of others is estimated


@public
def scan_parquet(
    path: PathLike | Sequence[PathLike],
    *,
    seq_id: Hashable | None = None,
    event: Hashable | None = None,
    time: Hashable | None = None,
    memory_limit: str | int | None = None,
    scratch: PathLike | None = None,
) -> StoredTable:
    """Take a folder of Parquet files as one table that need not fit into memory.

    Nothing but the columns' types is read. Every function takes the result in the place of a DataFrame;
    operations return such a table again, which ``write_parquet`` writes as a folder. ``table.seqpriv`` has
    the functions as methods.

    Parameters
    ----------
    path : path of a local folder or file, pattern such as ``"visits-*.parquet"``, or list of paths
        As for :func:`pdseqpriv.read_parquet`: files are one table, in the order of their names, and folders
        with names such as ``day=2024-05-01`` become columns. All files must have the same columns.
    seq_id, event, time : column names, optional
        Needed where they differ from those in the files' own record, or from "seq_id", "event" and "time".
    memory_limit : text such as "2GB", or number of bytes, optional
        How much memory an operation may use, about; half of the machine's by default. What an operation
        needs in one piece, such as a single sequence, is refused if it is more.
    scratch : path of a folder, optional
        Where temporary files are written, which take about as much room as the table in memory; beside the
        data by default. Only their owner can read them. They are removed with the table, and those of a
        process that was killed by the next one.

    Returns
    -------
    StoredTable
        The table; ``to_pandas()`` brings it into memory.

    Notes
    -----
    **Guarantee**: the same rows, types, errors and warnings as for a DataFrame with all the rows, from every
    function; ``docs/bigger_than_memory.md`` says what each of them needs. Not promised are the order of rows
    in a release, and that categories stay categories: they become their values.

    **Not protected**: taking a table does not make it private, and temporary files hold its rows. The record
    in files says what their writer claims.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "visits"
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", "b", "b"], "time": [0, 1, 0]})
    >>> pdseqpriv.write_parquet(df, f"{folder}/")
    >>> visits = pdseqpriv.scan_parquet(folder, memory_limit="1GB")
    >>> released = pdseqpriv.hide(visits, ["a -> b"])
    >>> pdseqpriv.write_parquet(released, folder.with_name("released"))
    >>> int(pdseqpriv.read_parquet(folder.with_name("released"))["event"].isna().sum())
    1
    """
    memory = read_memory_limit(memory_limit)
    given = {"seq_id": seq_id, "event": event, "time": time}
    rows = ParquetFiles(path, {role: name for role, name in given.items() if name is not None}, memory)
    beside = rows.whole.resolve().parent if scratch is None else path_of(scratch)
    table = StoredTable(rows, Limits(memory, beside))
    record = rows.checked_record()
    if record is not None:
        table.attrs = {ATTRIBUTE: cleaned(record)}
        attach(table, cleaned(record))
    remember_columns(table, rows.columns)
    return table


class ParquetFiles:
    """Rows in Parquet files, as they were when they were first looked at."""

    def __init__(self, path: PathLike | Sequence[PathLike], given: dict[str, Any], memory: int) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        whole, sources = sources_of(path)
        self._path, self.whole, self._sources, self._memory = path, whole, sources, memory
        self._stamps = [_stamp(one.file) for one in sources]
        schemas, self._sizes = [], []
        for source in sources:
            with reading(source.file), in_our_words(_damaged(source.file)), opened(source.file) as stream:
                file = pq.ParquetFile(stream)
                self._sizes.append(file.metadata.num_rows)
                schemas.append(file.schema_arrow)
        self.note = common_note([decode_note(schema.empty_table()) for schema in schemas]) or decode_note(
            pa.table({})
        )
        self.columns = Columns(**{**self.note["columns"], **given})
        self._types = types_of_partitions(sources, self.columns.time)
        tables = [self._whole_schema(one, schema) for one, schema in zip(sources, schemas, strict=True)]
        names = _same_names(tables, sources)
        bare = [pa.schema([_plain(schema.field(name)) for name in names]) for schema in tables]
        with in_our_words(_of_several_types(whole)):
            self.schema = pa.unify_schemas(bare, promote_options="permissive")
        self.schema = self.schema.with_metadata(_pandas_metadata(schemas[0]))
        self.names, self.n_rows = names, sum(self._sizes)
        self.row_bytes = self._estimated()

    def batches(self, names: Sequence[Hashable]) -> Iterator[tuple[Ints, pa.Table]]:
        """Yield the rows, file by file."""
        import pyarrow as pa

        chosen = [name for name in self.names if name in names]
        schema = pa.schema([self.schema.field(name) for name in chosen], metadata=self.schema.metadata)
        size, begin = int(min(_BATCH, max(1 << 14, self._memory / 16 / self.row_bytes))), 0
        self._refuse_changed()
        try:
            for source in self._sources:
                for table in self._tables_in(source, chosen, size):
                    with in_our_words(_of_several_types(self.whole)):  # values may not fit into a common one
                        rows = table.select(chosen).cast(schema)
                    yield np.arange(begin, begin + len(table)), rows
                    begin += len(table)
        except FileError:  # a file that cannot be read any more may have been changed
            self._refuse_changed()
            raise
        self._refuse_changed()
        if not self.n_rows:
            yield np.zeros(0, np.int64), schema.empty_table()

    def frame_of(self, table: pa.Table) -> pd.DataFrame:
        """Turn rows into a frame, as ``read_parquet`` does."""
        seconds = [name for name in self.note["seconds"] if name in table.column_names]
        return frame_of_arrow(table, seconds, self.whole, self.columns.time)

    def checked_record(self) -> object:
        """Return the record of the files, unless their rows are not those that it was written with."""
        if not has_check(self.note):
            if cleaned(record_noted_by_pandas(self.schema.metadata))["applied"]:
                warn(
                    "pandas itself wrote these files, whose record is not bound to their rows. It is dropped."
                )
            return self.note["record"]
        record = {name: told for name, told in self.note["record"].items() if name != "check"}
        largest = max(self._sizes) * self.row_bytes * 3
        with reading(self.whole), in_our_words(_damaged(self.whole)):
            if largest <= self._memory and all(fits_its_check(read_file(one.file)) for one in self._sources):
                return record
        warn("the rows are not those that the record of the files was written with. The record is dropped.")
        return None

    def _refuse_changed(self) -> None:
        """Raise if the files are not those that were scanned: rows of both would be mixed."""
        if sources_of(self._path)[1] != self._sources:
            why = "files were added or removed since it was scanned"
            raise unreadable(self.whole, why, "Scan it again.")
        for source, stamp in zip(self._sources, self._stamps, strict=True):
            if _stamp(source.file) != stamp:
                raise unreadable(source.file, "it was changed since it was scanned", "Scan it again.")

    def _tables_in(self, source: Source, names: list[str], size: int) -> Iterator[pa.Table]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with reading(source.file), in_our_words(_damaged(source.file)), opened(source.file) as stream:
            file = pq.ParquetFile(stream)
            there = [name for name in file.schema_arrow.names if name in names]
            for batch in file.iter_batches(batch_size=size, columns=there):
                table = with_partition(pa.Table.from_batches([batch]), source.partition, self._types)
                table.validate(full=True)
                yield with_values_written_out(table, table.column_names)

    def _whole_schema(self, source: Source, schema: pa.Schema) -> pa.Schema:
        return with_partition(schema.empty_table(), source.partition, self._types).schema

    def _estimated(self) -> float:
        """Estimate the bytes of a row from the first rows of the largest file."""
        if not self.n_rows:
            return 1.0
        largest = self._sources[int(np.argmax(self._sizes))]
        some = next(self._tables_in(largest, self.names, _FEW))
        return max(1.0, float(some.nbytes) / len(some))


def _stamp(file: Path) -> tuple[int, ...]:
    """Return what differs if a file was written to, or another one took its place."""
    with reading(file):
        found = file.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _damaged(file: Path) -> FileError:
    return unreadable(file, "it is damaged, or not a Parquet file")


def _of_several_types(folder: Path) -> FileError:
    return unreadable(folder, "its files have columns of the same name and different types")


def _same_names(schemas: list[pa.Schema], sources: list[Source]) -> list[str]:
    names: list[str] = schemas[0].names
    if len(set(names)) < len(names):
        raise unreadable(sources[0].file, "several columns have the same name", "Rename them.")
    for schema, source in zip(schemas, sources, strict=True):
        if sorted(schema.names) != sorted(names):
            raise unreadable(source.file, "its columns are not those of the other files in the folder")
    return names


def _plain(field: pa.Field) -> pa.Field:
    """Return a field without notes, and with values in the place of a dictionary."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, kind)


def _pandas_metadata(schema: pa.Schema) -> dict[bytes, bytes]:
    """Return what pandas noted of its types, and nothing else."""
    return {name: told for name, told in (schema.metadata or {}).items() if name == b"pandas"}
