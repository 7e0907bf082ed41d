"""Parquet: tables with the record of what was applied, written atomically and without traces."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from pdseqpriv.engines.arrow import KEY
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.errors import counted, in_our_words, public, refusal, unreadable, unwritable
from pdseqpriv.files.folders import write_folder
from pdseqpriv.files.parquet_sources import FORMAT, SAID_IN_FILES, decode_note, read_as_one, sources_of
from pdseqpriv.parameters import whole_number
from pdseqpriv.paths import MAX_ROWS, PathLike, path_of, replacing, writing
from pdseqpriv.patterns.lists import lists_of_patterns, patterns_of_lists
from pdseqpriv.sequences.columns import GROUP, RELEASED_ID, ColumnNames, Columns
from pdseqpriv.sequences.pandas_notes import record_noted_by_pandas
from pdseqpriv.sequences.record import (
    ATTRIBUTE,
    attach,
    cleaned,
    record_for_file,
    record_of,
    remember_columns,
)

if TYPE_CHECKING:
    import pyarrow as pa


@on_tables(anywhere=True)
def write_parquet(table: Table, path: PathLike, **_columns: Unpack[ColumnNames]) -> None:
    """Write a table to a Parquet file, all or nothing.

    The file holds the rows, the column types and the record of what was applied. The index, attrs and unused
    categories are not written. Writing the same table twice produces the same bytes. A key, as
    ``with_key=True`` returns it, can be read by its owner only (mode 0600).

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        Sequences, or a table returned by one of the operations.
    path : path of a local file, or of a folder
        An existing file is replaced in one step. In a folder, or where the path ends in ``/``, the table is
        the file ``table.parquet``; a folder that holds other Parquet files is refused, as it would be read
        as one table together with them.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Notes
    -----
    **Guarantee**: a crash at any moment leaves the old file or none. Nothing is written that is not in the
    rows or the record: no unused category, index label or attribute. The record names operations and their
    parameters; it holds no patterns, sensitive events, seeds or counts of what was removed. Where rows were
    changed by hand after the last operation, it is left out, with a warning.

    **Not protected**: the rows themselves. Writing a table does not make it safe to share.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> df = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [0, 1]})
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.parquet"
    >>> pdseqpriv.write_parquet(df, path)
    >>> pdseqpriv.read_parquet(path).equals(df)
    True
    """
    import pyarrow.parquet as pq

    from pdseqpriv.schemas import kind_of_table

    bound = bind(table)
    target = path_of(path)
    if not isinstance(bound.frame, pd.DataFrame):  # its rows are elsewhere
        write_folder(bound, target, arrow_table)
        return
    if target.is_dir() or os.fspath(path).endswith("/"):
        target = _file_in(target)
    columns = _as_in_key(bound.frame, bound.columns)
    arrow = arrow_table(bound.frame, columns, target)
    is_key = kind_of_table(bound.frame, columns) == "key"
    with replacing(target, is_private=is_key) as stream:
        pq.write_table(arrow, stream, compression="zstd")


@public
def read_parquet(
    path: PathLike | Sequence[PathLike],
    *,
    seq_id: Hashable | None = None,
    event: Hashable | None = None,
    time: Hashable | None = None,
    max_rows: int = MAX_ROWS,
) -> pd.DataFrame:
    """Read a table from a Parquet file, or from a folder of them, and check it.

    Parameters
    ----------
    path : path of a local file or folder, pattern such as ``"visits-*.parquet"``, or list of paths
        Several files are read as one table, in the order of their names. Of a folder, all files ending in
        ``.parquet`` are read, except hidden ones, also those in folders inside it; folders with names such
        as ``day=2024-05-01`` become columns: whole numbers, dates if they are the times, or text. Patterns
        leave out hidden files, too, and those whose names begin with ``_``. A file that is meant twice is
        refused.
    seq_id, event, time : column names, optional
        Needed where they differ from those in the file's own record, or from "seq_id", "event" and "time".
    max_rows : int
        More rows are refused before any is read: a small file can declare more than fits into memory.

    Returns
    -------
    pandas.DataFrame
        The table, with its record in ``attrs["pdseqpriv"]``.

    Notes
    -----
    **Guarantee**: the result fits its schema; any other file raises an error that quotes no value.

    **Not protected**: the record in a file says what its writer claims to have applied. It proves nothing:
    use ``verify``. One byte in it tells, in 255 of 256 cases, that another program changed the rows; the
    record is then dropped, with a warning.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.read_parquet("no-such-file.parquet")
    Traceback (most recent call last):
    pdseqpriv.errors.FileError: read_parquet: cannot read 'no-such-file.parquet': there is no such file...
    """
    from pdseqpriv.schemas import kind_of_table, validate

    max_rows = whole_number("max_rows", max_rows, least=1)
    source, files = sources_of(path)
    arrow = read_as_one(source, files, max_rows, time)
    note = decode_note(arrow)
    record = note["record"] or record_noted_by_pandas(arrow.schema.metadata)
    given = {"seq_id": seq_id, "event": event, "time": time}
    columns = Columns(
        **{**note["columns"], **{role: name for role, name in given.items() if name is not None}}
    )
    frame = frame_of_arrow(arrow, note["seconds"], source, columns.time)
    columns = _as_in_key(frame, columns)
    kind = kind_of_table(frame, columns)
    with in_our_words(unreadable(source, "its values are damaged, or it is not one of our tables")):
        if kind == "patterns":
            frame["pattern"] = patterns_of_lists(frame["pattern"])
        validate(frame, kind, columns, keep=None)
    if record is not None:
        frame.attrs = {ATTRIBUTE: cleaned(record)}
        attach(frame, record_of(frame))
    if kind in ("sequences", "generalized"):
        remember_columns(frame, columns)
    return frame


def _as_in_key(frame: pd.DataFrame, columns: Columns) -> Columns:
    """Name the ids and the people in a key by their places: it does not remember what they are called."""
    there = list(frame.columns)
    others = [name for name in there if name not in (RELEASED_ID, GROUP)]
    is_key = RELEASED_ID in there and not {columns.event, columns.time} & set(there)
    if not is_key or len(others) not in (1, 2):
        return columns
    ids = [name for name in others if name != columns.person]
    seq_id = columns.seq_id if columns.seq_id in ids else ids[0]
    people = [name for name in others if name != seq_id]
    return replace(columns, seq_id=seq_id, person=people[0] if people else None)


def _file_in(folder: Path) -> Path:
    """Return where a table goes in a folder, which is made if it is missing."""
    target = folder / "table.parquet"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        others = [file for file in folder.rglob("*.parquet") if file != target]
    if others:
        held = counted(len(others), "other Parquet file")
        raise unwritable(folder, f"the folder holds {held}", "Name a file, or an empty folder.")
    return target


def arrow_table(frame: pd.DataFrame, columns: Columns, target: Path) -> pa.Table:
    """Return a table as it is written into a file: checked, without traces, with its record."""
    import pyarrow as pa

    from pdseqpriv.schemas import kind_of_table, validate

    kind = kind_of_table(frame, columns)
    validate(frame, kind, columns, keep=None)
    why = "a column holds values of several types, or values that Parquet has no type for"
    with in_our_words(unwritable(target, why, "Convert it, for example with .astype(str).")):
        bare = _without_traces(frame)
        if kind == "patterns":
            bare["pattern"] = lists_of_patterns(bare["pattern"])
        arrow = pa.Table.from_pandas(bare, preserve_index=False)
        arrow.cast(pa.schema([_as_stored(field) for field in arrow.schema]))
    note = {
        "format": FORMAT,
        "table": kind,
        "columns": _noted(columns),
        "seconds": _counted_in_seconds(arrow),
        "record": record_for_file(frame),
    }
    metadata = {b"pandas": arrow.schema.metadata[b"pandas"], KEY: json.dumps(note, sort_keys=True).encode()}
    return arrow.replace_schema_metadata(metadata)


def _without_traces(frame: pd.DataFrame) -> pd.DataFrame:
    """Remove what a file would carry along unseen: index, attrs, unused categories."""
    bare = frame.reset_index(drop=True)
    bare.attrs = {}
    if not all(isinstance(name, str) for name in bare.columns):
        raise refusal("every column name must be text. Rename the columns.")
    bare.columns = pd.Index(list(bare.columns))
    for name in bare.columns:
        if isinstance(bare[name].dtype, pd.CategoricalDtype):
            bare[name] = bare[name].cat.remove_unused_categories()
        elif isinstance(bare[name].dtype, pd.ArrowDtype):
            _refuse_nested(bare[name])
    return bare


def _refuse_nested(column: pd.Series) -> None:
    """Refuse what may carry hidden values."""
    import pyarrow as pa

    kind = column.dtype.pyarrow_dtype
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        raise refusal(
            f"column {column.name!r} is nested and may carry values that are no longer in its rows. "
            "Drop it, or turn it into plain columns."
        )


def _as_stored(field: pa.Field) -> pa.Field:
    """Return the field as Parquet will store it, to detect early what does not fit."""
    import pyarrow as pa

    seconds = pa.types.is_timestamp(field.type) and field.type.unit == "s"
    return pa.field(field.name, pa.timestamp("ms", field.type.tz) if seconds else field.type)


def frame_of_arrow(arrow: pa.Table, in_seconds: list[str], source: Path, time: Hashable) -> pd.DataFrame:
    """Convert a file to pandas; named index levels become columns, unnamed ones are dropped."""
    import pyarrow as pa

    with in_our_words(unreadable(source, "its columns cannot be converted to pandas")):
        frame = arrow.to_pandas()
        named = [level for level in frame.index.names if level is not None and level not in frame.columns]
        frame = frame.reset_index(level=named) if named else frame
        frame = frame.reset_index(drop=True)
        for field in arrow.schema:
            # Without pandas' own metadata, whole numbers with nulls would become floats.
            column = arrow[field.name]
            if pa.types.is_integer(field.type) and column.null_count and frame[field.name].dtype.kind == "f":
                kind = "UInt64" if pa.types.is_uint64(field.type) else "Int64"
                frame[field.name] = pd.array(column.to_pandas(integer_object_nulls=True), dtype=kind)
            if pa.types.is_date(field.type) and field.name == time:
                frame[field.name] = column.cast(pa.timestamp("s")).to_pandas()
        for name in in_seconds:
            frame[name] = frame[name].dt.as_unit("s")
        frame.attrs = {}
    return frame


def _noted(columns: Columns) -> dict[str, str]:
    return {said: str(getattr(columns, said)) for said in SAID_IN_FILES}


def _counted_in_seconds(arrow: pa.Table) -> list[str]:
    """Return the columns of whole seconds: the coarsest unit of Parquet is milliseconds."""
    import pyarrow as pa

    return [
        field.name for field in arrow.schema if pa.types.is_timestamp(field.type) and field.type.unit == "s"
    ]
