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
from pdseqpriv.sequences.kept_values import problem_of_kept
from pdseqpriv.sequences.rules import Problem
from pdseqpriv.sequences.times import problem_of_times

__all__ = [
    "COLUMN_RULES",
    "REGISTERED",
    "TABLE_RULES",
    "Series",
    "Table",
    "extensions",
    "has_names",
    "pa",
    "required",
    "said_in_our_words",
]


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
    "holds_kept": problem_of_kept,
    "has_one_person_each": rules.problem_of_owners,
}
# Those that pandera knows already: it takes none twice, and Ctrl-C may interrupt whoever registers them.
REGISTERED: set[str] = set()


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
        return refusal(f"this table may only have the columns {listed}, but it also has {extra}. Drop them.")
    return refusal("several columns have the same name. Rename them.")


def has_names(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> bool:
    """Return whether a frame has the columns of a schema, and no other."""
    names = set(frame.columns)
    return set(required(schema)) <= names <= set(schema.columns)


def said_in_our_words(
    error: pa.errors.SchemaError, frame: pd.DataFrame, kind: str, columns: Columns, schema: pa.DataFrameSchema
) -> SeqPrivError:
    """Say what pandera found; its own words quote values."""
    reason = error.reason_code.name
    if reason in ("COLUMN_NOT_IN_DATAFRAME", "DUPLICATE_COLUMN_LABELS", "COLUMN_NOT_IN_SCHEMA"):
        return _problem_of_names(frame, schema, kind, columns)
    if reason == "SERIES_CONTAINS_DUPLICATES":
        return refusal(f"every id in column {error.schema.name!r} must occur once, but some repeat.")
    found = getattr(error.check, "name", None)
    if found in TABLE_RULES:
        problem = TABLE_RULES[found](frame, **error.check.statistics)
    else:
        broken = [check.name for check in error.schema.checks if check.name in COLUMN_RULES]
        problems = (COLUMN_RULES[rule](frame[error.schema.name]) for rule in broken)
        problem = next((one for one in problems if one is not None), None)
    return problem or refusal(f"the table does not fit the model {schema.name}.")
