"""Parquet: our tables with the record of what was applied, atomically and without traces."""

from __future__ import annotations

import json
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdseqpriv.errors import SeqPrivError, unreadable, unwritable
from pdseqpriv.files.paths import PathLike, path_of, reading, replacing
from pdseqpriv.table.bound import Table, bind
from pdseqpriv.table.columns import Columns
from pdseqpriv.table.record import ATTRIBUTE, cleaned, record_of

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"pdseqpriv"
FORMAT = 1


def write_parquet(table: Table, path: PathLike) -> None:
    """Write a table to a Parquet file, all or nothing.

    The file holds the rows, the column types and the record of what was applied; the index, attrs and
    categories that are not in use are not written. Writing the same table twice gives the same bytes.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        Sequences, or a table that one of the operations returned.
    path : path of a local file
        An existing file is replaced in one step.

    Notes
    -----
    **Guarantee**: a crash at any moment leaves the old file or none. Nothing is written that is not in the
    rows: no unused category, index label or attribute.

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

    function = "write_parquet"
    bound = bind(table, function)
    target = path_of(function, path)
    arrow = _arrow_table(bound.frame, bound.columns, target)
    with replacing(function, target) as draft:
        pq.write_table(arrow, draft, compression="zstd")


def read_parquet(
    path: PathLike,
    *,
    seq_id: Hashable | None = None,
    event: Hashable | None = None,
    time: Hashable | None = None,
) -> pd.DataFrame:
    """Read a table from a Parquet file, or from a folder of them, and check it.

    Parameters
    ----------
    path : path of a local file or folder
        A folder is read as one table: its files ending in ``.parquet``, in the order of their names.
    seq_id, event, time : column names, optional
        Where they differ from those in the file's own record, or from "seq_id", "event", "time".

    Returns
    -------
    pandas.DataFrame
        The table, with its record in ``attrs["pdseqpriv"]``.

    Notes
    -----
    **Guarantee**: what is returned fits its schema; anything else is an error that quotes no value.

    **Not protected**: the record in a file says what its writer applied. It proves nothing: use ``verify``.

    Examples
    --------
    >>> import pdseqpriv
    >>> pdseqpriv.read_parquet("no-such-file.parquet")
    Traceback (most recent call last):
    pdseqpriv.errors.FileError: read_parquet: cannot read 'no-such-file.parquet': there is no such file...
    """
    from pdseqpriv.table.schema import check_table, kind_of_table

    function = "read_parquet"
    source = path_of(function, path)
    with reading(function, source):
        arrow = _read_arrow(source, function)
    note = _decode_note((arrow.schema.metadata or {}).get(KEY))
    frame = _frame(arrow, note["seconds"], source, function)
    given = {"seq_id": seq_id, "event": event, "time": time}
    columns = Columns(
        **{**note["columns"], **{role: name for role, name in given.items() if name is not None}}
    )
    kind = kind_of_table(frame)
    if kind == "patterns":
        frame["pattern"] = _decode_patterns(frame["pattern"])
    check_table(frame, kind, columns, function)
    frame.attrs = {ATTRIBUTE: cleaned(note["record"])} if note["record"] is not None else {}
    return frame


def _arrow_table(frame: pd.DataFrame, columns: Columns, target: Path) -> pa.Table:
    import pyarrow as pa

    from pdseqpriv.table.schema import check_table, kind_of_table

    function = "write_parquet"
    kind = kind_of_table(frame)
    check_table(frame, kind, columns, function)
    bare = _without_traces(frame)
    if kind == "patterns":
        bare["pattern"] = _encode_patterns(bare["pattern"])
    try:
        arrow = pa.Table.from_pandas(bare, preserve_index=False)
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError):
        why = "a column holds values of several types, or values that Parquet has no type for"
        raise unwritable(function, target, why, "Convert it, for example with .astype(str).") from None
    note = {
        "format": FORMAT,
        "table": kind,
        "columns": _names(columns),
        "seconds": _counted_in_seconds(frame),
        "record": record_of(frame),
    }
    metadata = {b"pandas": arrow.schema.metadata[b"pandas"], KEY: json.dumps(note, sort_keys=True).encode()}
    return arrow.replace_schema_metadata(metadata)


def _without_traces(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave behind what a file would carry along unseen: index, attrs, unused categories."""
    bare = frame.reset_index(drop=True)
    bare.attrs = {}
    if not all(isinstance(name, str) for name in bare.columns):
        raise SeqPrivError("write_parquet: every column name must be text. Rename the columns.")
    bare.columns = pd.Index(list(bare.columns))
    for name in bare.columns:
        if isinstance(bare[name].dtype, pd.CategoricalDtype):
            bare[name] = bare[name].cat.remove_unused_categories()
        elif isinstance(bare[name].dtype, pd.ArrowDtype):
            bare[name] = _repacked(bare[name])
    return bare


def _repacked(column: pd.Series) -> pd.Series:
    """Build a dictionary column anew, so that only values in use are in its dictionary."""
    import pyarrow as pa

    kind = column.dtype.pyarrow_dtype
    if not pa.types.is_dictionary(kind):
        return column
    values = pa.chunked_array(column.array.__arrow_array__()).cast(kind.value_type)
    packed = values.combine_chunks().dictionary_encode().cast(kind)
    return pd.Series(pd.arrays.ArrowExtensionArray(packed), index=column.index)


def _read_arrow(source: Path, function: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = sorted(source.glob("[!.]*.parquet")) if source.is_dir() else [source]
    if not files:
        raise unreadable(function, source, "the folder holds no file ending in .parquet")
    try:
        tables = [pq.ParquetFile(file).read() for file in files]
        return tables[0] if len(tables) == 1 else _concatenated(tables)
    except pa.ArrowException as error:
        if isinstance(error, OSError) and error.errno:
            raise
        why = "it is damaged, not a Parquet file, or one of several that differ in columns"
        raise unreadable(function, source, why) from None


def _concatenated(tables: list[pa.Table]) -> pa.Table:
    """Put files together; the record is kept only when all of them carry the same."""
    import pyarrow as pa

    metadata = dict(tables[0].schema.metadata or {})
    if any((table.schema.metadata or {}).get(KEY) != metadata.get(KEY) for table in tables):
        metadata.pop(KEY, None)
    whole = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    return whole.unify_dictionaries().replace_schema_metadata(metadata)


def _frame(arrow: pa.Table, in_seconds: list[str], source: Path, function: str) -> pd.DataFrame:
    try:
        frame = arrow.to_pandas()
        for name in in_seconds:
            frame[name] = frame[name].dt.as_unit("s")
    except Exception:  # noqa: BLE001 (foreign metadata can fail in any way, and its text quotes the file)
        raise unreadable(function, source, "its column types cannot be brought into pandas") from None
    frame.attrs = {}
    return frame.reset_index(drop=True) if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


def _names(columns: Columns) -> dict[str, str]:
    return {role: str(getattr(columns, role)) for role in ("seq_id", "event", "time")}


def _counted_in_seconds(frame: pd.DataFrame) -> list[str]:
    """Name the columns of whole seconds: Parquet knows nothing coarser than milliseconds."""
    clocks = frame.select_dtypes(["datetime", "datetimetz"])
    return [name for name in clocks.columns if clocks[name].dt.unit == "s"]


def _decode_note(text: bytes | None) -> dict[str, Any]:
    """Read our own key; a file without it, or with one that is not ours, is just foreign."""
    try:
        note = json.loads(text or b"null")
        names = [*note["columns"].values(), *note["seconds"]]
        if note["format"] == FORMAT and all(isinstance(name, str) for name in names):
            columns = {role: note["columns"][role] for role in ("seq_id", "event", "time")}
            return {"columns": columns, "seconds": note["seconds"], "record": note["record"]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    return {"columns": {}, "seconds": [], "record": None}


def _encode_patterns(patterns: pd.Series) -> pd.Series:
    """Write each pattern as a list of elements, and each element as a list of events."""
    return patterns.map(
        lambda pattern: [list(element) if isinstance(element, tuple) else [element] for element in pattern]
    )


def _decode_patterns(patterns: pd.Series) -> pd.Series:
    """Read each element with one event as that event, as :func:`pdseqpriv.mine` gives it."""
    return patterns.map(lambda pattern: tuple(_element(list(element)) for element in pattern))


def _element(events: list[Any]) -> Any:  # noqa: ANN401 (text or numbers)
    plain = [event.item() if hasattr(event, "item") else event for event in events]
    return plain[0] if len(plain) == 1 else tuple(plain)
