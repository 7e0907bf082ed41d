"""Tables that speak Arrow (pyarrow, Polars, DuckDB): read once, and given back as what came.

Text and numbers become pandas columns on the same memory; other columns stay Arrow's. The record of what was
applied is in the schema's metadata under one key of ours; no other metadata of the input comes along.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdseqpriv.errors import in_our_words, refusal, wrong_parameter
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import ATTRIBUTE, cleaned, record_of

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"pdseqpriv"


def speaks_arrow(table: object) -> bool:
    """Tell whether a table, other than a DataFrame of pandas, can hand over an Arrow stream."""
    if not hasattr(table, "__arrow_c_stream__") or isinstance(table, pd.DataFrame):
        return False
    return hasattr(table, "columns") or not hasattr(table, "__array__")  # single columns have streams, too


@dataclass(frozen=True)
class Origin:
    """What kind of table came in, and the types of its columns."""

    is_polars: bool
    types: dict[Hashable, Any]

    def give_back(self, frame: pd.DataFrame) -> Any:  # noqa: ANN401 (an Arrow table, or one of Polars)
        """Write a frame as the kind of table that came in, with the types that its columns had."""
        arrow = to_arrow(frame, self.types)
        return sys.modules["polars"].from_arrow(arrow) if self.is_polars else arrow


def refuse_lazy(table: object) -> None:
    """Say what to do with a lazy table of Polars, which has no rows yet."""
    if type(table).__name__ == "LazyFrame" and type(table).__module__.startswith("polars"):
        do = "Collect it first: table.collect()."
        raise wrong_parameter("table", "a table with its rows", "a LazyFrame", do)


def from_arrow(table: Any, columns: Columns) -> tuple[pd.DataFrame, Origin]:  # noqa: ANN401 (many kinds)
    """Read a table once, and remember what it was."""
    import pyarrow as pa

    with in_our_words(
        refusal("the table's Arrow stream cannot be read: it was read already, or is damaged.")
    ):
        arrow = table if isinstance(table, pa.Table) else pa.table(table)
    is_stream = isinstance(table, pa.RecordBatchReader)
    if is_stream and not arrow.num_rows:
        raise refusal(
            "the stream has no rows: it is empty, or was read already. Give a table or a new stream."
        )
    names = arrow.column_names
    if len(set(names)) < len(names):
        raise refusal("several columns have the same name. Rename them.")
    roles = [str(name) for name in columns.names]
    with in_our_words(refusal("a column holds Arrow values that pandas cannot hold.")):
        made = {
            name: _role(column, is_time=name == roles[2]) if name in roles else _other(column)
            for name, column in zip(names, arrow.columns, strict=True)
        }
        frame = pd.DataFrame(made)
    if set(names) >= {"pattern", "support"}:
        frame["pattern"] = patterns_of_lists(arrow["pattern"].to_pylist())
    note = (arrow.schema.metadata or {}).get(KEY)
    if note is not None:
        frame.attrs = {ATTRIBUTE: cleaned(_decoded(note))}
    return frame, Origin(_is_polars(table), dict(zip(names, arrow.schema.types, strict=True)))


def to_arrow(frame: pd.DataFrame, types: dict[Hashable, Any]) -> pa.Table:
    """Write a frame as an Arrow table; columns that were in the input get the types they had."""
    import pyarrow as pa

    if set(frame.columns) >= {"pattern", "support"}:
        frame = frame.assign(pattern=lists_of_patterns(frame["pattern"]))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [field.with_type(_suitable(types.get(field.name), field.type)) for field in arrow.schema]
    arrow = arrow.cast(pa.schema(fields))
    record = record_of(frame)
    metadata = {KEY: json.dumps(record, sort_keys=True).encode()} if record["applied"] else None
    return arrow.replace_schema_metadata(metadata)


def _is_polars(table: object) -> bool:
    return type(table).__module__.startswith("polars")


def _role(column: pa.ChunkedArray, *, is_time: bool) -> pd.Series:
    """Turn ids, events or times into the type that pandas has for them."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        # Nulls may hide among the values of a dictionary; numbered anew, they are nulls.
        return _plain(column.cast(kind.value_type)).astype("category")
    if is_time and pa.types.is_date(kind):
        return _plain(column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms")))
    return _plain(column)


def _plain(column: pa.ChunkedArray) -> pd.Series:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pd.Series(pd.array(column.cast(pa.large_string()), dtype="str"))
    if pa.types.is_integer(kind) and column.null_count:
        return pd.Series(column.to_pandas(types_mapper=lambda one: getattr(pd, _NULLABLE[str(one)])()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_timestamp(kind):
        return pd.Series(column.to_pandas())
    if pa.types.is_null(kind):
        return pd.Series([None] * len(column), dtype=object)
    return _other(column)


_NULLABLE = {
    f"{sign}int{bits}": f"{sign.upper()}Int{bits}Dtype" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def _other(column: pa.ChunkedArray) -> pd.Series:
    """Keep a column as it is."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):  # pandas cannot work on these
        column = column.cast(pa.large_string())
    return pd.Series(pd.arrays.ArrowExtensionArray(column))


def _suitable(wanted: Any, found: Any) -> Any:  # noqa: ANN401 (Arrow's types)
    """Give the type that a column had, unless an operation gave it another kind of values."""
    import pyarrow as pa

    if wanted is None or wanted == found:
        return found
    groups = (_is_text, pa.types.is_integer, pa.types.is_floating, pa.types.is_temporal)
    value = wanted.value_type if pa.types.is_dictionary(wanted) else wanted
    now = found.value_type if pa.types.is_dictionary(found) else found
    fits = any(group(value) and group(now) for group in groups) or pa.types.is_null(now)
    return wanted if fits else found


def _is_text(kind: Any) -> bool:  # noqa: ANN401 (Arrow's types)
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _decoded(note: bytes) -> object:
    """Read a record; in a file of ours it is part of a longer note."""
    try:
        told = json.loads(note)
    except (ValueError, RecursionError):
        return None
    return told.get("record", told) if isinstance(told, dict) else None


def lists_of_patterns(patterns: pd.Series) -> pd.Series:
    """Write each pattern as a list of elements, and each element as a list of events."""
    return patterns.map(
        lambda pattern: [list(element) if isinstance(element, tuple) else [element] for element in pattern]
    )


def patterns_of_lists(lists: Iterable[Any]) -> pd.Series:
    """Read each element with one event as that event, as :func:`pdseqpriv.mine` gives it."""
    patterns = [tuple(_element(list(element)) for element in pattern) for pattern in lists]
    return pd.Series(patterns, dtype=object)


def _element(events: list[Any]) -> Any:  # noqa: ANN401 (text or numbers)
    plain = [event.item() if hasattr(event, "item") else event for event in events]
    return plain[0] if len(plain) == 1 else tuple(plain)
