"""The text format of the SPMF library: items, ``-1`` after an element, ``-2`` after a sequence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, read
from pdseqpriv.errors import counted, in_our_words, public, refusal, unreadable, unwritable
from pdseqpriv.paths import PathLike, path_of, path_of_one_file, replacing, text_of
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.ragged import distinct
from pdseqpriv.sequences.sequences import Sequences

if TYPE_CHECKING:
    import pyarrow as pa

END_OF_ELEMENT, END_OF_SEQUENCE = -1, -2
_COMMENT = ("#", "%", "@")
_LARGEST = 10**18  # numbers of up to 18 digits are items; larger ones get a name


@public
def read_spmf(path: PathLike) -> pd.DataFrame:
    r"""Read sequences in SPMF format, or one plain sequence per line.

    A line ``1 -1 2 3 -1 -2`` is a sequence of two elements, the second with two simultaneous events. In a
    file without ``-2`` each line is a plain sequence of events, numbers or words. Lines that begin with
    ``#``, ``%`` or ``@`` are comments, as in SPMF itself, but ``@ITEM=3=bread`` gives item 3 a name.

    Parameters
    ----------
    path : path of a local file

    Returns
    -------
    pandas.DataFrame
        ``seq_id`` (0, 1, 2, ... in file order), ``event``, ``time`` (number of the element).

    Notes
    -----
    **Guarantee**: every line that is not a comment is read; anything unreadable raises an error with the
    number of bad lines, never their content.

    **Not protected**: reading a table does not make it private.

    Examples
    --------
    >>> import pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.spmf"
    >>> _ = path.write_text("1 -1 2 3 -1 -2\n2 -1 -2\n")
    >>> pdseqpriv.read_spmf(path)
       seq_id  event  time
    0       0      1     0
    1       0      2     1
    2       0      3     1
    3       1      2     0
    """
    source = path_of(path)
    lines = [line for line in text_of(source).split("\n") if line.strip()]
    body = [line for line in lines if not line.startswith(_COMMENT)]
    frame = _parse(body, source)
    return _with_names(frame, [line for line in lines if line.startswith("@ITEM=")], source)


@on_tables()
def write_spmf(table: Table, path: PathLike, **_columns: Unpack[ColumnNames]) -> None:
    r"""Write sequences in SPMF format, all or nothing.

    Events that are whole numbers of at least 0 are written as they are; others are numbered, with
    ``@ITEM=`` lines that give their names. Ids, times and marked events are not written, only the order of
    events.

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
    **Guarantee**: a crash at any moment leaves the old file or none.

    **Not protected**: the sequences themselves.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.spmf"
    >>> df = pd.DataFrame({"seq_id": ["x", "x", "y"], "event": [5, 4, 4], "time": [1, 2, 1]})
    >>> pdseqpriv.write_spmf(df, path)
    >>> path.read_text()
    '5 -1 4 -1 -2\n4 -1 -2\n'
    """
    sequences = read(table)
    target = path_of_one_file(path)
    with in_our_words(unwritable(target, "an event name is not valid text")):
        content = (_names(sequences) + _body(sequences)).encode()
    with replacing(target) as stream:
        stream.write(content)


def _parse(body: list[str], source: Path) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = pc.utf8_trim_whitespace(pa.array(body, pa.large_string()))
    tokens = pc.utf8_split_whitespace(lines)
    counts = pc.list_value_length(tokens).to_numpy(zero_copy_only=False)
    owners = np.repeat(np.arange(len(body)), counts)
    words = tokens.flatten()
    if not pc.any(pc.equal(words, str(END_OF_SEQUENCE))).as_py():
        if pc.any(pc.equal(words, str(END_OF_ELEMENT))).as_py():
            raise unreadable(source, "it has -1 but no -2: its end is missing")
        ends = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return _table(owners, _numbers_or_text(words), np.arange(len(words)) - ends[owners])
    numbers = _numbers(words, owners, source)
    _check_ends(numbers, owners, len(body), source)
    return _with_elements(numbers, owners)


def _numbers(words: pa.Array, owners: NDArray[np.int64], source: Path) -> NDArray[np.int64]:
    """Read every token as an item, -1 or -2."""
    import pyarrow.compute as pc

    is_item = pc.match_substring_regex(words, r"^([0-9]{1,18}|-1|-2)$").to_numpy(zero_copy_only=False)
    if not is_item.all():
        bad = int(distinct(owners[~is_item]).size)
        why = f"it has {counted(bad, 'line')} with something other than items, -1 and -2"
        raise unreadable(source, why)
    return np.asarray(words.cast("int64"))


def _check_ends(numbers: NDArray[np.int64], owners: NDArray[np.int64], n_lines: int, source: Path) -> None:
    """Require one -2 per line, at its end: if it is missing, the line was cut off."""
    ends = np.flatnonzero(numbers == END_OF_SEQUENCE)
    at_line_end = np.append(owners[1:] != owners[:-1], True)[ends]
    bad = n_lines - distinct(owners[ends[at_line_end]]).size + int((~at_line_end).sum())
    if bad:
        raise unreadable(source, f"it has {counted(bad, 'line')} without a single -2 at the end")


def _with_elements(numbers: NDArray[np.int64], owners: NDArray[np.int64]) -> pd.DataFrame:
    before = np.cumsum(numbers == END_OF_ELEMENT)
    is_item = numbers >= 0
    first = np.searchsorted(owners, owners)  # where the line of each token starts
    started = before[first] - (numbers[first] == END_OF_ELEMENT)
    return _table(owners[is_item], numbers[is_item], (before - started)[is_item])


def _table(owners: NDArray[np.int64], events: object, times: NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame({"seq_id": owners, "event": events, "time": times})


def _numbers_or_text(words: pa.Array) -> object:
    import pyarrow.compute as pc

    if pc.all(pc.match_substring_regex(words, r"^(0|[1-9][0-9]{0,17})$")).as_py():
        return np.asarray(words.cast("int64"))
    return words.cast("string").to_pandas().astype("str")


def _with_names(frame: pd.DataFrame, lines: list[str], source: Path) -> pd.DataFrame:
    """Replace numbers by names where the file gives them."""
    if not lines:
        return frame
    pairs = [line.removeprefix("@ITEM=").rstrip("\r").partition("=") for line in lines]
    if not all(re.fullmatch("[0-9]{1,18}", number) and equals for number, equals, _ in pairs):
        raise unreadable(source, "a line that names an item is not of the form @ITEM=number=name")
    names = pd.Series({int(number): name for number, _, name in pairs}, dtype="str")
    if len(names) < len(pairs):
        raise unreadable(source, "an item has two names")
    named = frame["event"].map(names)
    if named.isna().any():
        nameless = int(frame["event"][named.isna()].nunique())
        raise unreadable(source, f"it has {counted(nameless, 'item')} without a name")
    return frame.assign(event=named)


def _items(sequences: Sequences) -> tuple[NDArray[np.int64], bool]:
    """Return the number to write for each code, and whether names must be written as well."""
    vocabulary = sequences.vocabulary
    if not len(vocabulary):
        return np.empty(0, np.int64), False
    if pd.api.types.is_integer_dtype(vocabulary.dtype) and 0 <= vocabulary[0] <= vocabulary[-1] < _LARGEST:
        return np.asarray(vocabulary, dtype=np.int64), False
    return np.arange(1, len(vocabulary) + 1), True


def _names(sequences: Sequences) -> str:
    numbers, named = _items(sequences)
    if not named:
        return ""
    names = [str(name) for name in sequences.vocabulary]
    if any("\n" in name or "\r" in name for name in names):
        raise refusal("some event names contain a line break. Rename them.")
    lines = [f"@ITEM={number}={name}\n" for number, name in zip(numbers, names, strict=True)]
    return "@CONVERTED_FROM_TEXT\n" + "".join(lines)


def _body(sequences: Sequences) -> str:
    """Write items and separators as one text; a sequence with only marked events gets no line."""
    kept = np.flatnonzero(sequences.codes >= 0)
    owners = sequences.owners[kept]
    elements = sequences.elements[kept]
    ends_sequence = np.append(owners[1:] != owners[:-1], True)[: kept.size]
    ends_element = ends_sequence | np.append(elements[1:] != elements[:-1], True)[: kept.size]
    after = np.where(ends_sequence, " -1 -2\n", np.where(ends_element, " -1 ", " "))
    items = _items(sequences)[0][sequences.codes[kept]].astype(str)
    return "".join(np.char.add(items, after).tolist()) if kept.size else ""
