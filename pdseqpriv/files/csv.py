"""CSV: only an empty cell is null, and only what is written as a number is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Unpack

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.errors import (
    SeqPrivError,
    in_our_words,
    missing_column,
    public,
    refusal,
    unreadable,
    unwritable,
    wrong_column,
    wrong_parameter,
)
from pdseqpriv.files.csv_columns import other_columns, times_of, whole_numbers_or_text
from pdseqpriv.files.iso8601 import refuse_other_years
from pdseqpriv.paths import PathLike, opened, path_of, path_of_one_file, reading, replacing
from pdseqpriv.patterns.column_of_text import patterns_of_texts, texts_of_patterns
from pdseqpriv.progress import progress
from pdseqpriv.sequences.columns import INTERVAL, PATTERNS, ColumnNames, Columns
from pdseqpriv.sequences.record import remember_columns
from pdseqpriv.threads import one_by_one

if TYPE_CHECKING:
    import pyarrow as pa

    from pdseqpriv.schemas import TableKind

# Other programs would take a file of these names for a compressed one.
_OTHER_COMPRESSIONS = (".zip", ".bz2", ".xz", ".zst")


@public
def read_csv(
    path: PathLike,
    *,
    seq_id: Hashable = "seq_id",
    event: Hashable = "event",
    time: Hashable = "time",
    separator: str = ",",
) -> pd.DataFrame:
    r"""Read a table of sequences, generalized or of patterns, from a CSV file or ``.csv.gz``.

    Ids and events become whole numbers only if all of them are written as whole numbers without leading
    zeros, so "007" stays text. Times become whole numbers, decimal numbers or datetimes (ISO 8601). An
    empty cell is a marked event; words like "NA" or "None" are events like any other, and so is empty text
    in quotes. A file with the columns "group", "time_from" and "time_to" but no time column is read as a
    generalized table, as ``write_csv`` writes it.

    Parameters
    ----------
    path : path of a local file
    seq_id, event, time : column names, optional
        Needed where they differ from "seq_id", "event" and "time".
    separator : str, default ","
        The character between two cells.

    Returns
    -------
    pandas.DataFrame
        The table, with all its columns.

    Notes
    -----
    **Guarantee**: the result can be used by every operation, or by every check of a generalized table; any
    other file raises an error that quotes no cell.

    **Not protected**: reading a table does not make it private.

    Examples
    --------
    >>> import pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> _ = path.write_text("seq_id,event,time\n007,NA,2024-05-01 10:00\n007,,2024-05-01 10:05\n")
    >>> pdseqpriv.read_csv(path)
      seq_id event                time
    0    007    NA 2024-05-01 10:00:00
    1    007   NaN 2024-05-01 10:05:00
    """
    from pdseqpriv.schemas import validate

    columns = Columns(seq_id, event, time)
    if not isinstance(separator, str) or len(separator.encode()) != 1:
        raise wrong_parameter("separator", "one character", _shown(separator))
    source = path_of(path)
    with reading(source):
        arrow = _read_cells(source, columns, separator)
    kind = _kind_of(arrow.column_names, columns)
    names, times = _roles(kind, columns, arrow.column_names)
    _refuse_missing(kind, columns, arrow.column_names)
    frame = other_columns(arrow.select([name for name in arrow.column_names if name not in names + times]))
    read = {name: whole_numbers_or_text for name in names if name in arrow.column_names}
    read |= {name: partial(times_of, name) for name in times}
    with progress(len(read), "reading columns") as bar:
        values = one_by_one(lambda name: read[name](arrow[name]), read, bar)
        for name, column in zip(read, values, strict=True):
            frame[name] = column
    if kind == "patterns":
        try:
            frame["pattern"] = patterns_of_texts(frame["pattern"])
        except (SeqPrivError, TypeError):
            must = "patterns such as a -> (b c), without gaps or windows"
            raise wrong_column("pattern", must, "some cells are not") from None
        if not len(frame):  # no number shows what they are
            frame = frame.astype({name: "int64" for name in ("support", "length") if name in frame})
    validate(frame, kind, columns, keep=None)
    frame = frame[arrow.column_names]
    if kind != "patterns":
        remember_columns(frame, columns)
    return frame


@on_tables()
def write_csv(table: Table, path: PathLike, **_columns: Unpack[ColumnNames]) -> None:
    r"""Write a table of sequences, generalized or of patterns, to a CSV file, all or nothing.

    A file ending in ``.csv.gz`` is compressed. Text is quoted, a null is an empty cell, and the index is not
    written. Datetimes with a zone are written in UTC, as ``read_csv`` reads them; the years must be 1 to
    9999, because others cannot be read back. Patterns are written as text, such as ``a -> (b c)``.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        The table to write.
    path : path of a local file
        An existing file is replaced in one step.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Notes
    -----
    **Guarantee**: a crash at any moment leaves the old file or none. Text cannot break out of its cell or
    row, whatever it contains.

    **Not protected**: the rows themselves. A CSV file has no place for the record of what was applied.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> pdseqpriv.write_csv(pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [0]}), path)
    >>> path.read_text()
    '"seq_id","event","time"\n1,"a",0\n'
    """
    import pyarrow as pa
    import pyarrow.csv

    target = path_of_one_file(path)
    if target.suffix.lower() in _OTHER_COMPRESSIONS:
        raise unwritable(target, "CSV is compressed as .csv.gz only", "Name it .csv or .csv.gz.")
    cells = _cells_of(table, target)
    compression = "gzip" if target.name.endswith(".gz") else None
    with replacing(target) as draft, pa.output_stream(draft, compression=compression) as stream:
        pyarrow.csv.write_csv(cells, stream)


@on_tables()
def write_csv_to(table: Table, stream: IO[bytes]) -> None:
    """Write the same to a stream, such as standard output."""
    import pyarrow.csv

    pyarrow.csv.write_csv(_cells_of(table, "standard output"), stream)


def _cells_of(table: Table, target: object) -> pa.Table:
    """Check a table, and return it as what the writer knows."""
    import pyarrow as pa
    import pyarrow.csv

    from pdseqpriv.schemas import validate

    bound = bind(table)
    frame, kind = bound.frame, _kind_of(bound.frame.columns, bound.columns)
    validate(frame, kind, bound.columns, keep=None)
    if kind == "patterns":
        frame = frame.assign(pattern=texts_of_patterns(frame["pattern"]))
    why = "a column holds values that cannot be written as text"
    with in_our_words(unwritable(target, why, "Convert it, for example with .astype(str).")):
        arrow = _as_cells(frame)
        pyarrow.csv.write_csv(arrow.slice(0, 0), pa.BufferOutputStream())  # finds out which types it knows
    return arrow


def _kind_of(names: Iterable[Hashable], columns: Columns) -> TableKind:
    """Return which of our tables has these columns; sequences when in doubt."""
    there = set(names)
    if columns.time not in there and there >= INTERVAL:
        return "generalized"
    return "patterns" if columns.event not in there and there >= PATTERNS else "sequences"


def _roles(
    kind: TableKind, columns: Columns, there: Iterable[Hashable]
) -> tuple[list[Hashable], list[Hashable]]:
    """Return which columns hold ids, events and what is kept of groups, and which hold times."""
    if kind == "generalized":
        ends: list[Hashable] = ["time_from", "time_to"]
        kept = [name for name in there if name not in {columns.seq_id, columns.event, "group", *ends}]
        return [columns.seq_id, columns.event, "group", *kept], ends
    return (["pattern"], []) if kind == "patterns" else ([columns.seq_id, columns.event], [columns.time])


def _refuse_missing(kind: TableKind, columns: Columns, names: list[str]) -> None:
    """Refuse a file whose ids, events or times are not where they are said to be."""
    if kind == "generalized":
        missing = [role for role in ("seq_id", "event") if columns.roles[role] not in names]
        if missing:
            raise missing_column(missing[0], columns.roles[missing[0]], names, from_file=True)
    problem = columns.problem(pd.DataFrame(columns=names), from_file=True) if kind == "sequences" else None
    if problem is not None:
        raise problem


def _read_cells(source: Path, columns: Columns, separator: str) -> pa.Table:
    """Read the columns that have a role as text; empty cells are the only nulls."""
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    compression = "gzip" if source.name.endswith(".gz") else None
    opened(source).close()  # if the file cannot be opened, the system says why
    why = "it is not UTF-8 text, or its lines do not all have the same number of cells as the header"
    with in_our_words(unreadable(source, why)):
        with opened(source) as file, pa.input_stream(file, compression=compression) as stream:
            names = csv.open_csv(stream, parse_options=parse).schema.names
        roles = _roles(_kind_of(names, columns), columns, names)
        text = {name: pa.string() for role in roles for name in role if isinstance(name, str)}
        convert = csv.ConvertOptions(
            column_types=text, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        )
        with opened(source) as file, pa.input_stream(file, compression=compression) as stream:
            arrow = csv.read_csv(stream, parse_options=parse, convert_options=convert)
        if len(set(arrow.column_names)) < arrow.num_columns:
            raise unreadable(source, "two of its columns have the same name")
    return arrow


def _as_cells(frame: pd.DataFrame) -> pa.Table:
    """Convert columns to types that the writer knows; categories and dictionaries become their values."""
    import pyarrow as pa

    if not all(isinstance(name, str) for name in frame.columns):
        raise refusal("every column name must be text. Rename the columns.")
    arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    plain = arrow.cast(pa.schema([pa.field(field.name, _plain_type(field.type)) for field in arrow.schema]))
    for name, column in zip(plain.column_names, plain.columns, strict=True):
        if pa.types.is_timestamp(column.type):
            refuse_other_years(name, column)
    return plain


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values in a dictionary, and UTC for any zone: an old offset may have seconds."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    is_zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if is_zoned else kind


def _shown(value: object) -> str:
    return f"text of {len(value)} characters" if isinstance(value, str) else type(value).__name__
