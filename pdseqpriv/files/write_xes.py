"""Writing XES, the event log format of process mining."""

from __future__ import annotations

import gzip
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Unpack, cast

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, read
from pdseqpriv.errors import in_our_words, refusal, unwritable
from pdseqpriv.files.iso8601 import refuse_other_years
from pdseqpriv.files.xes import NAME, TIME
from pdseqpriv.paths import PathLike, path_of_one_file, replacing
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="2.0" xmlns="http://www.xes-standard.org/">\n'
)
_ROWS_PER_CHUNK = 500_000
# Parsers turn line breaks and tabs inside attributes into spaces unless they are written as numbers.
_ESCAPES = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")]
_ESCAPES += [(letter, f"&#{ord(letter)};") for letter in "\t\n\r"]
_IMPOSSIBLE = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"


@on_tables()
def write_xes(table: Table, path: PathLike, **_columns: Unpack[ColumnNames]) -> None:
    r"""Write a sequence table to an ``.xes`` or ``.xes.gz`` file, all or nothing.

    Each sequence becomes a trace, with its id as ``concept:name``. Events get their name, their time, and
    every other column as an attribute of text; a null is left out. The index is not written.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        Sequences whose times are datetimes, without marked (null) events.
    path : path of a local file
        An existing file is replaced in one step.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Notes
    -----
    **Guarantee**: a crash at any moment leaves the old file or none. Text cannot break out of its attribute,
    whatever it contains.

    **Not protected**: the rows themselves. An XES file has no place for the record of what was applied.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.xes"
    >>> day = pd.Timestamp("2024-05-01 10:00")
    >>> df = pd.DataFrame({"seq_id": ["case 1"], "event": ["register"], "time": [day]})
    >>> pdseqpriv.write_xes(df, path)
    >>> pdseqpriv.read_xes(path).equals(df)
    True
    """
    import pyarrow as pa

    bound = bind(table)
    sequences, target = read(table), path_of_one_file(path)
    if sequences.time_unit is None:
        raise refusal("XES needs datetimes, but the times of this table are numbers. Convert them first.")
    marked = int((sequences.codes < 0).sum())
    if marked:
        do = "Drop them, for example by hide(..., output='drop')."
        raise refusal(f"XES has no marked (null) events, but the table has {marked}. {do}")
    _refuse_names([name for name in bound.frame.columns if name not in bound.columns.names])
    times = bound.frame[bound.columns.time]
    refuse_other_years(str(times.name), pa.array(times))
    with in_our_words(unwritable(target, "some text holds characters that XML does not allow")):
        chunks = _Chunks(bound.frame, sequences)
    with replacing(target) as draft, _compressed(draft, target.name) as stream:
        stream.write(_HEAD)
        for chunk in chunks:
            stream.write(chunk)
        stream.write(b"</trace>\n</log>\n" if sequences.n_rows else b"</log>\n")


def _refuse_names(others: list[Hashable]) -> None:
    """Refuse other columns that would be a second name or time of an event, or that nobody can tell apart."""
    names = [str(name) for name in others]
    for name in (NAME, TIME):
        if name in names:
            raise refusal(f"events have one {name}, but another column is called so. Rename or drop it.")
    if len(set(names)) < len(names):
        raise refusal("several columns have the same name, or names that are the same as text. Rename them.")


@contextmanager
def _compressed(draft: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if not name.endswith(".gz"):
        yield draft
        return
    # Without a name and a time in it, the same table makes the same bytes.
    with gzip.GzipFile("", "wb", 6, draft, mtime=0) as stream:
        yield cast("IO[bytes]", stream)


class _Chunks:
    """The text of a log, piece by piece; names are escaped once, not row by row."""

    def __init__(self, frame: pd.DataFrame, sequences: Sequences) -> None:
        self._sequences = sequences
        self._events = _escaped(pd.Series(sequences.vocabulary))
        self._ids = _escaped(pd.Series(sequences.ids))
        self._times = frame[sequences.columns.time]
        others = [name for name in frame.columns if name not in sequences.columns.names]
        self._others = {_escaped(pd.Series([str(name)]))[0].as_py(): frame[name] for name in others}
        for column in self._others.values():
            _escaped(column)

    def __iter__(self) -> Iterator[memoryview]:
        for start in range(0, self._sequences.n_rows, _ROWS_PER_CHUNK):
            text = self._text(np.arange(start, min(start + _ROWS_PER_CHUNK, self._sequences.n_rows)))
            yield memoryview(text.buffers()[2]) if len(text) else memoryview(b"")

    def _text(self, places: Ints) -> pa.Array:
        """Return the lines of these rows; the first of a trace opens it, and closes the one before."""
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = self._sequences.rows[places]
        pieces = [
            self._openings(places),
            f'<event><string key="{NAME}" value="',
            self._events.take(pa.array(self._sequences.codes[places])),
            f'"/><date key="{TIME}" value="',
            _written(self._times.iloc[rows]),
            '"/>',
            *(_attribute(name, column.iloc[rows]) for name, column in self._others.items()),
            "</event>\n",
        ]
        return pc.binary_join_element_wise(*map(_large, pieces), _large(""))

    def _openings(self, places: Ints) -> pa.Array:
        import pyarrow as pa

        owners = np.searchsorted(self._sequences.offsets, places, side="right") - 1
        begins = self._sequences.offsets[owners] == places
        opened = np.full(places.size, "", dtype=object)
        names = self._ids.take(pa.array(owners[begins])).to_pylist()
        closing = np.where(owners[begins] == 0, "", "</trace>\n")
        opening = f'<trace><string key="{NAME}" value="'
        opened[begins] = [f'{end}{opening}{name}"/>\n' for end, name in zip(closing, names, strict=True)]
        return pa.array(opened, pa.large_string())


def _large(piece: object) -> object:
    import pyarrow as pa

    return pa.scalar(piece, pa.large_string()) if isinstance(piece, str) else piece


def _attribute(name: str, column: pd.Series) -> pa.Array:
    """Return the attribute of each row, nothing where it is null."""
    import pyarrow.compute as pc

    pieces = (f'<string key="{name}" value="', _escaped(column), '"/>', "")
    return pc.fill_null(pc.binary_join_element_wise(*map(_large, pieces)), "")


def _escaped(column: pd.Series) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.array(column.astype("str"), pa.large_string())
    if pc.any(pc.match_substring_regex(text, _IMPOSSIBLE)).as_py():
        raise ValueError("XML has no such characters")
    for letter, escape in _ESCAPES:
        text = pc.replace_substring(text, letter, escape)
    return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text


def _written(times: pd.Series) -> pa.Array:
    """Return times in ISO 8601, in UTC if they have a zone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    clock = times if times.dt.tz is None else times.dt.tz_convert("UTC")
    text = pc.strftime(pa.array(clock.dt.tz_localize(None)), format="%Y-%m-%dT%H:%M:%S")
    return pc.binary_join_element_wise(text, "" if times.dt.tz is None else "+00:00", "").cast(
        pa.large_string()
    )
