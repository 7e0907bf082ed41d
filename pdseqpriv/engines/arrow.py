"""Tables that speak Arrow (pyarrow, Polars, DuckDB): read once, and given back as what came.

Text and numbers become pandas columns on the same memory; other columns stay Arrow's. The record of what was
applied is in the schema's metadata under one key of ours; no other metadata of the input comes along. Polars
keeps no metadata, so this process remembers its records.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.engines.dictionaries import as_categories, as_dictionary, is_text
from pdseqpriv.errors import in_our_words, refusal, wrong_column, wrong_parameter
from pdseqpriv.patterns.lists import lists_of_patterns, patterns_of_lists
from pdseqpriv.sequences.columns import PATTERNS, USUAL, Columns
from pdseqpriv.sequences.frames import nullable
from pdseqpriv.sequences.pandas_notes import record_noted_by_pandas
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of, claims_of, cleaned, remembered_columns
from pdseqpriv.sequences.remembered_records import recall, remember

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"pdseqpriv"
# Times in our own tables that come from those of the input.
_ENDS = ("time_from", "time_to")
_COUNTED_BY_32_BITS = 2**31


def speaks_arrow(table: object) -> bool:
    """Return whether a table, other than a DataFrame of pandas, can hand over an Arrow stream."""
    if not hasattr(table, "__arrow_c_stream__") or isinstance(table, pd.DataFrame):
        return False
    return hasattr(table, "columns") or not hasattr(table, "__array__")  # single columns have streams, too


@dataclass(frozen=True)
class Origin:
    """What kind of table came in, and the types of its columns."""

    is_polars: bool
    types: dict[Hashable, Any]
    patterns: Any = None  # what patterns of its events are

    def give_back(self, frame: pd.DataFrame) -> Any:  # noqa: ANN401 (an Arrow table, or one of Polars)
        """Write a frame as the kind of table that came in, with the types that its columns had."""
        arrow = to_arrow(frame, self.types, self.patterns)
        if not self.is_polars:
            return arrow
        made = sys.modules["polars"].from_arrow(arrow)
        remember(_read(made), claims_of(frame))
        return made


def refuse_lazy(table: object) -> None:
    """Say what to do with a lazy table of Polars, which has no rows yet."""
    if type(table).__name__ == "LazyFrame" and _is_polars(table):
        do = "Collect it first: table.collect()."
        raise wrong_parameter("table", "a table with its rows", "a LazyFrame", do)


def columns_noted_in(table: Any) -> Columns:  # noqa: ANN401 (many kinds)
    """Return the columns that a table remembers, in its attrs or its schema; the usual ones if none."""
    metadata = getattr(getattr(table, "schema", None), "metadata", None)
    if isinstance(metadata, dict):  # Arrow's; a stream has not been read for it
        return remembered_columns(_note_in(metadata), table.schema.names)
    return remembered_columns(attributes_of(table).get(ATTRIBUTE), getattr(table, "columns", ()))


def from_arrow(table: Any, columns: Columns | None) -> tuple[pd.DataFrame, Origin]:  # noqa: ANN401 (many kinds)
    """Read a table once, and remember what it was; None for the columns that it remembers itself."""
    arrow = _read(table)
    note = _note_in(arrow.schema.metadata or {})
    columns = columns or columns_noted_in(arrow)
    types: dict[Hashable, Any] = dict(zip(arrow.column_names, arrow.schema.types, strict=True))
    times = {columns.time, *_ENDS}
    with in_our_words(refusal("a column holds Arrow values that pandas cannot hold.")):
        made = {
            name: _series(
                column, is_time=name in times, is_kept=name not in times.union(columns.roles.values())
            )
            for name, column in zip(arrow.column_names, arrow.columns, strict=True)
        }
        if types.keys() >= PATTERNS and columns.event not in types:
            made["pattern"] = patterns_of_lists(arrow["pattern"].to_pylist())
        frame = pd.DataFrame(made, copy=False)
    if note is not None:
        frame.attrs = {ATTRIBUTE: cleaned(note)}
    elif _is_polars(table):
        recall(arrow, frame)
    patterns = _type_of_patterns(types.get(columns.event, types.get("pattern")))
    return frame, Origin(_is_polars(table), {end: types.get(columns.time) for end in _ENDS} | types, patterns)


def as_frames(keys: object) -> Any:  # noqa: ANN401 (whoever asks for frames checks them)
    """Return a list of keys as frames of pandas; what speaks no Arrow, or is no list, stays as it is."""
    if not isinstance(keys, list | tuple):
        return keys
    return [from_arrow(key, USUAL)[0] if speaks_arrow(key) else key for key in keys]


def to_arrow(frame: pd.DataFrame, types: dict[Hashable, Any], patterns: pa.DataType | None) -> pa.Table:
    """Write a frame as an Arrow table; columns that were in the input get the types they had."""
    import pyarrow as pa

    tuples = [name for name in ("pattern", "longer") if name in frame and frame[name].dtype == object]
    lists = {name: pa.array(lists_of_patterns(frame[name]), patterns) for name in tuples}
    held = {name: pd.Series(pd.arrays.ArrowExtensionArray(one), frame.index) for name, one in lists.items()}
    frame = frame.assign(**held)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    arrays = [
        _as_it_came(column, types.get(name))
        for name, column in zip(arrow.column_names, arrow.columns, strict=True)
    ]
    record = claims_of(frame)
    metadata = {KEY: json.dumps(record, sort_keys=True).encode()} if record["applied"] else None
    return pa.Table.from_arrays(arrays, names=arrow.column_names, metadata=metadata)


def _type_of_patterns(events: pa.DataType | None) -> pa.DataType | None:
    """Give the type of patterns of such events, which no pattern tells when there is none."""
    import pyarrow as pa

    while events is not None and hasattr(events, "value_type"):  # a dictionary, or patterns that came
        events = events.value_type
    if events is None or not (is_text(events) or pa.types.is_integer(events) or pa.types.is_null(events)):
        return None
    whole = pa.uint64() if events == pa.uint64() else pa.int64()
    return pa.list_(pa.list_(whole if pa.types.is_integer(events) else pa.string()))


def _read(table: Any) -> pa.Table:  # noqa: ANN401 (many kinds)
    """Read the stream; refuse one that says nothing, and names that are there twice."""
    import pyarrow as pa

    if _is_polars(table):
        _refuse_objects(table)
    why = "it was read already, is damaged, or holds a type that pyarrow does not know"
    with in_our_words(refusal(f"the table's Arrow stream cannot be read: {why}.")):
        arrow = table if isinstance(table, pa.Table) else pa.table(table)
    if isinstance(table, pa.RecordBatchReader) and not arrow.num_rows:
        raise refusal(
            "the stream has no rows: it is empty, or was read already. Give a table or a new stream."
        )
    if len(set(arrow.column_names)) < arrow.num_columns:
        raise refusal("several columns have the same name. Rename them.")
    return _without_runs(arrow)


def _without_runs(arrow: pa.Table) -> pa.Table:
    """Write runs of equal values out: hardly anything can work on them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, (name, column) in enumerate(zip(arrow.column_names, arrow.columns, strict=True)):
        if pa.types.is_run_end_encoded(column.type):
            came = f"its type is {column.type}"
            with in_our_words(wrong_column(name, "values that are not run-end encoded", came)):
                arrow = arrow.set_column(place, name, pc.run_end_decode(column))
    return arrow


def _is_polars(table: object) -> bool:
    return type(table).__module__.startswith("polars")


def _refuse_objects(table: Any) -> None:  # noqa: ANN401 (a DataFrame of Polars)
    """Refuse Python objects: their stream holds addresses in memory."""
    for name, kind in table.schema.items():
        if "Object" in str(kind):
            do = "Convert it, or drop it."
            raise wrong_column(name, "of a type that Arrow has", f"its type is {kind}", do)


def _series(column: pa.ChunkedArray, *, is_time: bool, is_kept: bool) -> pd.Series:
    """Convert a column to the type that pandas has for it; one that is only kept stays Arrow's if it can."""
    import pyarrow as pa

    kind = column.type
    # Pandas has nothing for text as views, but for categories.
    if pa.types.is_dictionary(kind) or (pa.types.is_string_view(kind) and not is_kept):
        return as_categories(column)
    if is_time and pa.types.is_date(kind):
        return pd.Series(column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms")).to_pandas())
    if pa.types.is_string_view(kind) or (is_text(kind) and not is_kept):
        return _text(column)
    if without_views(kind) != kind:
        column = column.cast(without_views(kind))
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_timestamp(kind)
    if is_kept or not (is_number or pa.types.is_null(kind)):
        return pd.Series(pd.arrays.ArrowExtensionArray(column))
    if pa.types.is_integer(kind) and column.null_count:
        return pd.Series(column.to_pandas(types_mapper=_nullable))
    return pd.Series(column.to_pandas())


def _text(column: pa.ChunkedArray) -> pd.Series:
    """Take text on its own memory; views that are only kept are copied: pandas has nothing for them.

    Text whose bytes need more than 32 bits to count must be large: else pandas cannot gather it.
    """
    import pyarrow as pa

    if pa.types.is_string(column.type) and column.nbytes < _COUNTED_BY_32_BITS:
        return pd.Series(pd.arrays.ArrowExtensionArray(column), copy=False)
    return pd.Series(pd.array(column.cast(pa.large_string()), dtype="str"), copy=False)


def without_views(kind: pa.DataType) -> pa.DataType:
    """Return the type whose text and bytes are no views, also inside of lists and structs.

    Rows with views cannot be chosen: Arrow has no function for it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> without_views(pa.list_(pa.string_view()))
    ListType(list<item: large_string>)
    """
    import pyarrow as pa

    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_views(field.type)) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(without_views(kind.value_type)), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        made = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return made(kind.value_field.with_type(without_views(kind.value_type)))
    return kind


def _nullable(kind: pa.DataType) -> Any:  # noqa: ANN401 (a dtype of pandas')
    return nullable(np.dtype(kind.to_pandas_dtype()))


def _as_it_came(column: pa.ChunkedArray, wanted: pa.DataType | None) -> pa.ChunkedArray:
    """Convert a column back to the type that it had, unless an operation gave it another kind of values."""
    import pyarrow as pa

    found = column.type
    if wanted is None or wanted == found:
        return column
    if without_views(wanted) == found:
        return column.cast(wanted)
    if pa.types.is_dictionary(wanted):
        return as_dictionary(column, wanted)
    if pa.types.is_dictionary(found) and is_text(found.value_type) and is_text(wanted):
        return column.cast(found.value_type).cast(wanted)
    both_text = is_text(found) and is_text(wanted)
    both_times = pa.types.is_temporal(found) and pa.types.is_temporal(wanted)
    return column.cast(wanted) if both_text or both_times or pa.types.is_null(found) else column


def _note_in(metadata: dict[bytes, bytes]) -> object:
    """Read a record; in a file of ours it is part of a longer note."""
    if KEY not in metadata:
        return record_noted_by_pandas(metadata)
    try:
        told = json.loads(metadata[KEY])
    except (ValueError, RecursionError):
        return None
    return told.get("record", told) if isinstance(told, dict) else None
