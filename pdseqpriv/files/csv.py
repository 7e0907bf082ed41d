"""CSV: types are inferred without loss, and nothing but an empty cell means null."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pandas as pd

from pdseqpriv.errors import SeqPrivError, unreadable, wrong_column
from pdseqpriv.files.paths import PathLike, path_of, reading, replacing
from pdseqpriv.table.bound import Table, bind
from pdseqpriv.table.columns import Columns
from pdseqpriv.table.sequences import sequences_of

_WHOLE = r"0|-?[1-9][0-9]{0,18}"
_LARGEST = 2**63 - 1


def read_csv(
    path: PathLike,
    *,
    seq_id: Hashable = "seq_id",
    event: Hashable = "event",
    time: Hashable = "time",
    separator: str = ",",
) -> pd.DataFrame:
    r"""Read a sequence table from a CSV file (also ``.csv.gz``) and check it.

    Ids and events become whole numbers only where every one of them is written as one without leading
    zeros, so "007" stays text. Times become whole numbers, decimal numbers or datetimes (ISO 8601). An
    empty event is a marked one; words like "NA" or "None" are events like any other.

    Parameters
    ----------
    path : path of a local file
    seq_id, event, time : column names, optional
        Where they differ from "seq_id", "event" and "time".
    separator : str, default ","
        What stands between two cells.

    Notes
    -----
    **Guarantee**: what is returned can be used by every operation; anything else is an error that quotes
    no value.

    **Not protected**: reading makes nothing private.

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
    function = "read_csv"
    source = path_of(function, path)
    columns = Columns(seq_id, event, time)
    with reading(function, source):
        frame = _read_text(source, columns, separator, function)
    columns.check(frame, function)
    for name in (seq_id, event):
        frame[name] = _whole_numbers_or_text(frame[name])
    frame[time] = _times(frame[time], function)
    sequences_of(frame, columns, function)
    return frame


def write_csv(table: Table, path: PathLike) -> None:
    r"""Write a sequence table to a CSV file, all or nothing; ``.csv.gz`` is compressed.

    Notes
    -----
    **Guarantee**: a crash at any moment leaves the old file or none; the index is not written.

    **Not protected**: the rows themselves. A CSV file has no place for the record of what was applied.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> pdseqpriv.write_csv(pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [0]}), path)
    >>> path.read_text()
    'seq_id,event,time\n1,a,0\n'
    """
    function = "write_csv"
    bound = bind(table, function)
    sequences = sequences_of(bound.frame, bound.columns, function)
    if "" in sequences.vocabulary:
        raise SeqPrivError(
            f"{function}: an event is the empty text, which CSV cannot tell from a marked event. "
            "Rename it, or write Parquet."
        )
    target = path_of(function, path)
    compression = {"method": "gzip", "mtime": 0} if target.name.endswith(".gz") else None
    with replacing(function, target) as draft:
        bound.frame.to_csv(draft, index=False, compression=compression, lineterminator="\n")


def _read_text(source: Path, columns: Columns, separator: str, function: str) -> pd.DataFrame:
    """Read the three columns as text; empty cells are the only nulls among them."""
    try:
        return pd.read_csv(
            source,
            sep=separator,
            dtype=dict.fromkeys(columns.names, "str"),
            keep_default_na=False,
            na_values=[""],
            compression="gzip" if source.name.endswith(".gz") else None,
            low_memory=False,
        )
    except UnicodeError:
        raise unreadable(function, source, "it is not UTF-8 text") from None
    except (ValueError, EOFError) as error:  # pandas' parser errors are ValueErrors
        why = (
            "it has no header line"
            if isinstance(error, pd.errors.EmptyDataError)
            else "its lines are not CSV"
        )
        raise unreadable(function, source, why) from None


def _whole_numbers_or_text(column: pd.Series) -> pd.Series:
    present = column.dropna()
    if not len(present) or not bool(present.str.fullmatch(_WHOLE).all()):
        return column
    numbers = present.astype(object).map(int)
    if bool(numbers.abs().gt(_LARGEST).any()):
        return column
    whole = pd.to_numeric(present)
    return whole if len(present) == len(column) else whole.astype("Int64").reindex(column.index)


def _times(column: pd.Series, function: str) -> pd.Series:
    whole = _whole_numbers_or_text(column)
    if whole.dtype.kind == "i" or not len(column):
        return whole
    for parse in (pd.to_numeric, _datetimes):
        try:
            return parse(column)
        except (ValueError, OverflowError):
            continue
    must = "all whole numbers, all decimal numbers or all ISO 8601 datetimes"
    raise wrong_column(function, column.name, must, "some rows are something else")


def _datetimes(column: pd.Series) -> pd.Series:
    """Read ISO 8601; different offsets from UTC all become UTC."""
    has_zone = column.str.contains(r"(?:Z|[+-]\d\d:?\d\d)$", na=False).any()
    return pd.to_datetime(column, format="ISO8601", utc=bool(has_zone))
