"""Declared schemas of the tables, and their export to ``schemas/``.

The rules themselves are the functions in ``kinds.py``, which the arrays follow too; pandera names them,
runs them on tables that come from files, and writes them down for other tools.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import pandas as pd
import pandera.pandas as pa
from pandera import extensions

from pdseqpriv.errors import SeqPrivError, missing_column, wrong_column
from pdseqpriv.table import kinds
from pdseqpriv.table.columns import ROLES, Columns
from pdseqpriv.table.times import encode_times

TableKind = Literal["sequences", "generalized", "patterns", "key"]

# What each named check asks for, in the words of our errors.
_MUST = {
    "holds_identifiers": "all text or all whole numbers, without nulls",
    "holds_events": "all text or all whole numbers",
    "holds_times": "numbers or datetimes, without nulls and infinities",
    "holds_counts": "whole numbers of at least 0",
    "holds_fresh_ids": "whole numbers of at least 0, or null",
    "holds_patterns": "tuples of events, without nulls",
}


@extensions.register_check_method(statistics=[])
def holds_identifiers(column: pd.Series) -> bool:
    """Whose sequence a row belongs to."""
    return kinds.is_identifier(column)


@extensions.register_check_method(statistics=[])
def holds_events(column: pd.Series) -> bool:
    """Events; null means marked."""
    return kinds.is_event(column)


@extensions.register_check_method(statistics=[])
def holds_times(column: pd.Series) -> bool:
    """Numbers or datetimes that can order events."""
    return kinds.is_time(column)


@extensions.register_check_method(statistics=[])
def holds_counts(column: pd.Series) -> bool:
    """Whole numbers from 0."""
    return holds_fresh_ids(column) and not bool(column.isna().any())


@extensions.register_check_method(statistics=[])
def holds_fresh_ids(column: pd.Series) -> bool:
    """Whole numbers from 0; null for a sequence that was dropped."""
    kind = kinds.kind_of(column)
    return kind == "empty" or (kind == "int" and bool(column.dropna().ge(0).all()))


@extensions.register_check_method(statistics=[])
def holds_patterns(column: pd.Series) -> bool:
    """Tuples of events; an element with several events is a tuple itself."""
    return bool(column.map(lambda pattern: isinstance(pattern, tuple) and len(pattern) > 0).all())


def _column(check: str, description: str) -> pa.Column:
    # By default pandera hides nulls from its checks; ours have something to say about them.
    asked = getattr(pa.Check, check)(ignore_na=False)
    return pa.Column(None, checks=[asked], nullable=True, description=description)


SCHEMAS: dict[TableKind, pa.DataFrameSchema] = {
    "sequences": pa.DataFrameSchema(
        {
            "seq_id": _column("holds_identifiers", "whose sequence it is"),
            "event": _column("holds_events", "what happened; null means marked"),
            "time": _column("holds_times", "when; rows of one sequence and time are one element"),
        },
        name="sequences",
        description="One event per row; other columns may be present.",
        unique_column_names=True,
    ),
    "generalized": pa.DataFrameSchema(
        {
            "seq_id": _column("holds_counts", "fresh number of the sequence"),
            "group": _column("holds_counts", "the group that the sequence hides in"),
            "event": _column("holds_events", "event, or category that covers it"),
            "time_from": _column("holds_times", "start of the interval"),
            "time_to": _column("holds_times", "end of the interval, included"),
        },
        name="generalized",
        description="Sequences in groups, with intervals for times and categories for events.",
        strict=True,
        unique_column_names=True,
    ),
    "patterns": pa.DataFrameSchema(
        {
            "pattern": _column("holds_patterns", "tuple of elements, in order"),
            "support": _column("holds_counts", "number of sequences that contain it"),
            "length": _column("holds_counts", "number of events"),
        },
        name="patterns",
        description="Sequential patterns and their supports.",
        strict=True,
        unique_column_names=True,
    ),
    "key": pa.DataFrameSchema(
        {
            "seq_id": _column("holds_identifiers", "original id; for the owner only"),
            "released_id": _column("holds_fresh_ids", "id in the release; null when dropped"),
        },
        name="key",
        description="Which released sequence is whose. Never part of a release.",
        strict=True,
        unique_column_names=True,
    ),
}


def kind_of_table(frame: pd.DataFrame, columns: Columns = Columns()) -> TableKind:  # noqa: B008 (frozen)
    """Tell from its columns which of our tables a frame is; sequences when in doubt."""
    names = set(frame.columns)
    for kind in ("generalized", "patterns", "key"):
        if names == set(_schema(kind, columns).columns):
            return kind
    return "sequences"


def _schema(kind: TableKind, columns: Columns) -> pa.DataFrameSchema:
    """Give the schema under the user's names; tables of patterns have names of their own."""
    schema = SCHEMAS[kind]
    renamed = {role: name for role, name in zip(ROLES, columns.names, strict=True) if role in schema.columns}
    return schema.rename_columns(renamed)


def check_table(frame: pd.DataFrame, kind: TableKind, columns: Columns, function: str) -> None:
    """Raise one clear sentence when a frame does not fit its schema; pandera's own quotes values."""
    if kind == "sequences":
        columns.check(frame, function)
    schema = _schema(kind, columns)
    is_complete = set(schema.columns) <= set(frame.columns)
    extra = [repr(name) for name in frame.columns if name not in schema.columns] if schema.strict else []
    if is_complete and extra:
        there = ", ".join(repr(name) for name in schema.columns)
        raise SeqPrivError(
            f"{function}: this table has the columns {there} only, but {', '.join(extra)} came. Drop them."
        )
    try:
        schema.validate(frame)
    except pa.errors.SchemaError as error:
        raise _in_our_words(error, frame, function) from None
    if kind == "sequences":
        encode_times(frame[columns.time], function)
    if kind == "generalized":
        _check_intervals(frame, function)


def _check_intervals(frame: pd.DataFrame, function: str) -> None:
    """Refuse intervals that end before they start, and ends that cannot be compared with starts."""
    try:
        n_reversed = int((frame["time_to"] < frame["time_from"]).sum())
    except TypeError:
        must, came = "of the same kind as 'time_from'", f"it holds {frame['time_to'].dtype}"
        raise wrong_column(function, "time_to", must, came) from None
    if n_reversed:
        raise wrong_column(
            function, "time_to", "at or after 'time_from' in every row", f"in {n_reversed} rows it is not"
        )


def _in_our_words(error: pa.errors.SchemaError, frame: pd.DataFrame, function: str) -> SeqPrivError:
    name = getattr(error.schema, "name", None)
    check = getattr(error.check, "name", None)
    if check in _MUST and name in frame.columns:
        return wrong_column(function, name, _MUST[check], kinds.describe_problem(frame[name]))
    missing = [one for one in getattr(error.schema, "columns", {}) if one not in frame.columns]
    if missing:
        return missing_column(function, missing[0], missing[0], frame.columns)
    return SeqPrivError(f"{function}: the table does not fit its schema.")


def write_schemas(folder: Path) -> None:
    """Write every schema as YAML."""
    folder.mkdir(exist_ok=True)
    for kind, schema in SCHEMAS.items():
        (folder / f"{kind}.yaml").write_text(schema.to_yaml(), encoding="utf-8")


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
