"""What all our models share: pandera, and columns under the user's own names."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Hashable
from typing import Any, Self

import pandas as pd

with warnings.catch_warnings():  # where pyspark is installed, it warns while pandera loads
    warnings.simplefilter("ignore")
    import pandera.pandas as pa
    from pandera import extensions
    from pandera.typing import Series

from pdseqpriv.errors import SeqPrivError, missing_column, refusal
from pdseqpriv.sequences import rules
from pdseqpriv.sequences.columns import ROLES, Columns
from pdseqpriv.sequences.times import problem_of_times

__all__ = [
    "COLUMN_RULES",
    "TABLE_RULES",
    "Series",
    "Table",
    "clearly_fits",
    "extensions",
    "has_names",
    "pa",
    "required",
    "said_in_our_words",
]


Problem = SeqPrivError | None

# The rules by the names that models and schema files use.
COLUMN_RULES: dict[str, Callable[[pd.Series], Problem]] = {
    "holds_ids": rules.problem_of_ids,
    "holds_people": rules.problem_of_people,
    "holds_events": rules.problem_of_events,
    "holds_times": problem_of_times,
    "holds_counts": rules.problem_of_counts,
    "holds_supports": rules.problem_of_supports,
    "holds_fresh_ids": rules.problem_of_fresh_ids,
    "holds_patterns": rules.problem_of_patterns,
}
TABLE_RULES: dict[str, Callable[..., Problem]] = {
    "holds_intervals": rules.problem_of_intervals,
    "holds_channels": rules.problem_of_channels,
    "holds_kept": rules.problem_of_kept,
    "has_one_person_each": rules.problem_of_owners,
}
# What pandera's own checks mean for values that are not null.
_COMPARISONS: dict[str, Callable[..., bool]] = {
    "greater_than_or_equal_to": lambda column, min_value: not (column < min_value).any(),
    "less_than_or_equal_to": lambda column, max_value: not (column > max_value).any(),
    "isin": lambda column, allowed_values: bool(column.isin(allowed_values).all()),
    "str_matches": lambda column, pattern: bool(column.str.match(pattern, na=False).all()),
}


class Table(pa.DataFrameModel):
    """A table whose columns may have other names."""

    class Config:
        """No column may be there twice."""

        unique_column_names = True

    @classmethod
    def using(cls, **names: Hashable) -> type[Self]:
        """Return the same model with other column names, as ``df.seqpriv.using`` takes them.

        Examples
        --------
        >>> from pdseqpriv.schemas import SequenceTable
        >>> list(SequenceTable.using(seq_id="user", time="ts").to_schema().columns)
        ['user', 'event', 'ts']
        """
        fields = {role: field for role, (_, field) in cls.__fields__.items()} | cls.where_named()
        strange = sorted(set(names) - set(fields))
        if strange:
            raise refusal(f"{cls.__name__} has no column {strange[0]!r}; it has {', '.join(fields)}.")
        return cls.having({role: (name, fields[role]) for role, name in names.items()}, cls.rules_for(names))

    @classmethod
    def having(cls, columns: dict[str, tuple[Hashable, Any]], more_rules: dict[str, Any]) -> type[Self]:
        """Return the same model with columns that are called so, and with rules for the whole table."""
        body: dict[str, Any] = {"__annotations__": dict.fromkeys(columns, Any), "__module__": cls.__module__}
        for role, (name, field) in columns.items():
            body[role] = copy.copy(field)
            body[role].alias = name
        config = type("Config", (cls.Config,), more_rules)
        made: type[Self] = type(cls)(cls.__name__, (cls,), body | {"Config": config})  # type: ignore[misc]
        return made

    @classmethod
    def where_named(cls) -> dict[str, Any]:
        """Return the columns that a table has only where ``using`` names them."""
        return {}

    @classmethod
    def rules_for(cls, names: dict[str, Hashable]) -> dict[str, Any]:  # noqa: ARG003 (for those who need them)
        """Return the rules for the whole table that depend on names."""
        return {}


def required(schema: pa.DataFrameSchema) -> list[Hashable]:
    """Return the columns that a table must have."""
    return [name for name, column in schema.columns.items() if column.required]


def _problem_of_names(
    frame: pd.DataFrame, schema: pa.DataFrameSchema, kind: str, columns: Columns
) -> SeqPrivError:
    """Say which columns are missing, or should not be there."""
    if kind == "sequences":
        return columns.problem(frame) or refusal("several columns have the same name. Rename them.")
    needed = required(schema)
    listed = ", ".join(repr(name) for name in needed)
    missing = [name for name in needed if name not in frame.columns]
    if missing and missing[0] in ROLES:
        return missing_column(str(missing[0]), missing[0], frame.columns)
    if missing:
        return refusal(f"the table has no column {missing[0]!r}; it must have {listed}.")
    extra = ", ".join(repr(name) for name in frame.columns if name not in schema.columns)
    if extra:
        return refusal(f"this table has the columns {listed} only, but {extra} came. Drop them.")
    return refusal("several columns have the same name. Rename them.")


def has_names(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> bool:
    """Return whether a frame has the columns of a schema, and no other."""
    names = set(frame.columns)
    return set(required(schema)) <= names <= set(schema.columns)


def clearly_fits(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> bool:
    """Return True if a table fits its schema for sure; otherwise it is for pandera to look.

    It reads the schema that pandera reads. For small tables, pandera takes five times as long.
    """
    if schema.index or schema.unique or schema.dtype or schema.coerce or schema.parsers or schema.ordered:
        return False
    if not frame.columns.is_unique or not set(required(schema)) <= set(frame.columns):
        return False
    if schema.strict and not set(frame.columns) <= set(schema.columns):
        return False
    there = [(frame[name], column) for name, column in schema.columns.items() if name in frame.columns]
    try:
        return all(_column_fits(values, column) for values, column in there) and all(
            check.name in TABLE_RULES and TABLE_RULES[check.name](frame, **check.statistics) is None
            for check in schema.checks
        )
    except Exception:  # noqa: BLE001 (pandera takes it for a check that fails, and says which)
        return False


def _column_fits(values: pd.Series, column: pa.Column) -> bool:
    if column.regex or column.coerce or column.parsers:
        return False
    if column.dtype is not None and values.dtype != column.dtype.type:
        return False
    if not column.nullable and values.isna().any():
        return False
    if column.unique and not values.is_unique:
        return False
    return all(_passes(values, check) for check in column.checks)


def _passes(values: pd.Series, check: pa.Check) -> bool:
    if check.name in COLUMN_RULES and not check.ignore_na:
        return COLUMN_RULES[check.name](values) is None
    if check.name in _COMPARISONS and check.ignore_na:
        return _COMPARISONS[check.name](values.dropna(), **check.statistics)
    return False


def said_in_our_words(
    error: pa.errors.SchemaError, frame: pd.DataFrame, kind: str, columns: Columns, schema: pa.DataFrameSchema
) -> SeqPrivError:
    """Say what pandera found; its own words quote values."""
    reason = error.reason_code.name
    if reason in ("COLUMN_NOT_IN_DATAFRAME", "DUPLICATE_COLUMN_LABELS", "COLUMN_NOT_IN_SCHEMA"):
        return _problem_of_names(frame, schema, kind, columns)
    if reason == "SERIES_CONTAINS_DUPLICATES":
        return refusal(f"every id in column {error.schema.name!r} must be there once, but some repeat.")
    found = getattr(error.check, "name", None)
    if found in TABLE_RULES:
        problem = TABLE_RULES[found](frame, **error.check.statistics)
    else:
        broken = [check.name for check in error.schema.checks if check.name in COLUMN_RULES]
        problems = (COLUMN_RULES[rule](frame[error.schema.name]) for rule in broken)
        problem = next((one for one in problems if one is not None), None)
    return problem or refusal(f"the table does not fit the model {schema.name}.")
