"""The same rows give the same answer in pandas, Arrow, Polars and DuckDB, in any type, from any function."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import plot, verify
from tests.engines.every_function import CALLS, told
from tests.strategies import EVENTS, TEXT_IDS, plain_rows

WIDTHS = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
PACKED = [
    pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int8(), pa.large_string()),
    pa.dictionary(pa.uint32(), pa.string_view()),
    pa.dictionary(pa.int16(), pa.int64()),
]
STAMPS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "Europe/Rome")]
NAMES = [*TEXTS, *PACKED, *WIDTHS]
TIMES = [*WIDTHS, pa.float32(), pa.float64(), pa.date32(), *STAMPS]
# What a user may have in hand; pandas with the same types of Arrow's, too.
KINDS = {
    "arrow": lambda arrow: arrow,
    "chunks": lambda arrow: pa.concat_tables([arrow.slice(0, 1), arrow.slice(1, 2), arrow.slice(3)]),
    "stream": lambda arrow: pa.RecordBatchReader.from_batches(
        arrow.schema, arrow.to_batches(max_chunksize=3)
    ),
    "polars": pl.from_arrow,
    "duckdb": duckdb.from_arrow,
    "pandas": lambda arrow: pd.DataFrame(
        {name: pd.arrays.ArrowExtensionArray(_held(arrow[name])) for name in arrow.column_names}
    ),
}


def _held(column):
    """pandas has no view of text, and dates are no times there."""
    kind = column.type
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("s"))
    if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
        return pa.chunked_array([pa.array(column.to_pylist(), pa.string()).dictionary_encode()])
    return column.cast(pa.string()) if pa.types.is_string_view(kind) else column


def column_of(values, kind):
    """Give values as a column of a type; a dictionary in the order in which they come up."""
    if pa.types.is_dictionary(kind):
        plain = pa.array(values, kind.value_type if kind.value_type != pa.string_view() else pa.string())
        packed = plain.dictionary_encode()
        listed = packed.dictionary.cast(kind.value_type)
        return pa.DictionaryArray.from_arrays(packed.indices.cast(kind.index_type), listed)
    if pa.types.is_timestamp(kind):
        in_seconds = pa.array([None if v is None else 1_700_000_000 + 86_400 * v for v in values], pa.int64())
        return in_seconds.cast(pa.timestamp("s", kind.tz)).cast(kind)
    if pa.types.is_date(kind):
        return pa.array(values, pa.int32()).cast(kind)
    return pa.array(values, pa.int64()).cast(kind) if not _is_text(kind) else pa.array(values).cast(kind)


def _is_text(kind):
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in TEXTS


def tables_of(rows, ids, events, times, *, extra):
    """Give the same rows as an Arrow table of these types, and as a frame of the types that pandas has."""
    names = [[TEXT_IDS[row[0]] if _is_text(ids) else row[0] for row in rows]]
    names.append([EVENTS[row[1]] if _is_text(events) and row[1] is not None else row[1] for row in rows])
    moments = [row[2] for row in rows]
    arrow = {
        "seq_id": column_of(names[0], ids),
        "event": column_of(names[1], events)
        if any(n is not None for n in names[1])
        else pa.nulls(len(rows), events if not pa.types.is_dictionary(events) else pa.string()),
        "time": column_of(moments, times),
    }
    text = [
        pd.Series(column, dtype="str" if _is_text(kind) else "Int64")
        for column, kind in zip(names, (ids, events), strict=True)
    ]
    frame = pd.DataFrame({"seq_id": text[0], "event": text[1], "time": column_of(moments, times).to_pandas()})
    if pa.types.is_date(times):
        frame["time"] = frame["time"].astype("datetime64[s]")
    if extra:
        arrow["note"] = column_of([EVENTS[row[0]] for row in rows], PACKED[0])
        arrow["inside"] = pa.array([{"x": f"deep {row[2]}"} for row in rows])
        frame["note"] = [EVENTS[row[0]] for row in rows]
        frame["inside"] = pd.arrays.ArrowExtensionArray(arrow["inside"])
    return pa.table(arrow), frame


@st.composite
def pairs(draw):
    rows = draw(plain_rows(n_ids=4).filter(lambda rows: len(rows) > 3))
    kinds = [draw(st.sampled_from(listed)) for listed in (NAMES, NAMES, TIMES)]
    return tables_of(rows, *kinds, extra=draw(st.booleans()))


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=5)
@given(pair=pairs(), kinds=st.sampled_from([("arrow", "polars"), ("chunks", "duckdb"), ("stream", "pandas")]))
def test_same_rows_same_answer(name, pair, kinds):
    """Each function sees some of the types in some kinds of tables, and all of them together see them all."""
    arrow, frame = pair
    expected = told(CALLS[name], lambda: frame)
    for kind in kinds:
        assert told(CALLS[name], lambda kind=kind: KINDS[kind](arrow)) == expected


def test_every_function_on_tables_is_called():
    called = {name.split(",")[0] for name in CALLS}
    there = set(pdseqpriv._METHODS) | {
        name for name in pdseqpriv._OTHERS if name.startswith(("write", "comp", "cha", "inf", "report"))
    }
    drawn = set(plot.__all__) - {"risk", "trade_off"}  # these draw what risk and sweep return
    assert called == there | set(verify.__all__) | {f"plot.{name}" for name in drawn}
