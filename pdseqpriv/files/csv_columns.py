"""Columns of a CSV file: only what is written as a number is one, and no number is rounded."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import pandas as pd

from pdseqpriv.errors import in_our_words, wrong_column
from pdseqpriv.files.iso8601 import read_datetimes
from pdseqpriv.progress import stop_if_given_up

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = "^(0|-?[1-9][0-9]*)$"
_MANY_DIGITS = "^[+-]?[0-9]{16,}$"  # what fewer digits say, decimal numbers can hold


def whole_numbers_or_text(column: pa.ChunkedArray) -> pd.Series:
    """Read ids or events; numbers with leading zeros are names, and so are those beyond 64 bits."""
    import pyarrow as pa

    try:
        stretches = [cells.cast(pa.int64()) for cells in column.chunks]
    except pa.ArrowInvalid:  # not numbers, or beyond 64 bits
        return column.to_pandas().astype("str")
    whole = pa.chunked_array(stretches, pa.int64())
    if whole.null_count == len(whole) or not all(map(_are_written_so, stretches, column.chunks)):
        return column.to_pandas().astype("str")
    return pd.Series(
        whole.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
        if whole.null_count
        else whole.to_numpy()
    )


def _are_written_so(numbers: pa.Array, cells: pa.Array) -> bool:
    """Return whether numbers would be written as they are, unlike 007."""
    import pyarrow.compute as pc

    stop_if_given_up()  # after Ctrl-C: a large file has many stretches of cells
    return bool(pc.all(pc.equal(numbers.cast(cells.type), cells), min_count=0).as_py())


def times_of(name: Hashable, column: pa.ChunkedArray) -> pd.Series:
    """Read times: whole numbers, decimal numbers or datetimes; ``name`` is for messages."""
    import pyarrow as pa

    whole = whole_numbers_or_text(column)
    if pd.api.types.is_integer_dtype(whole.dtype) or not len(whole) or column.null_count:
        return whole
    if all(map(_are_whole, column.chunks)):  # as decimal numbers they would be rounded
        raise wrong_column(name, "whole numbers of at most 64 bits", "some are larger")
    try:
        decimals = column.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        must = "all whole numbers, all decimal numbers, or all ISO 8601 datetimes with or all without zone"
        with in_our_words(wrong_column(name, must, "some rows are something else")):
            return read_datetimes(whole)
    _refuse_rounded(name, column)
    return pd.Series(decimals)


def _are_whole(cells: pa.Array) -> bool:
    """Return whether all cells hold whole numbers."""
    import pyarrow.compute as pc

    stop_if_given_up()
    return bool(pc.all(pc.match_substring_regex(cells, _WHOLE), min_count=0).as_py())


def _refuse_rounded(name: Hashable, column: pa.ChunkedArray) -> None:
    """Refuse whole numbers among decimal numbers that would not be the same any more."""
    import pyarrow.compute as pc

    long = column.filter(pc.match_substring_regex(column, _MANY_DIGITS)).unique().to_pylist()
    if any(int(cell) != float(cell) for cell in long):
        must = "whole numbers of at most 64 bits, or decimal numbers that are not rounded"
        raise wrong_column(name, must, "some whole numbers among decimal ones are too large")


def other_columns(arrow: pa.Table) -> pd.DataFrame:
    """Convert columns without a role; whole numbers stay whole where some cells are empty."""
    import pyarrow as pa

    frame = arrow.to_pandas()
    for name, column in zip(arrow.column_names, arrow.columns, strict=True):
        if pa.types.is_integer(column.type) and column.null_count:
            frame[name] = column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    return frame
