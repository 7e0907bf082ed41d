"""What the columns of our tables must hold, and the check that a table keeps to it.

The rules follow ``kinds.py``, as the arrays do. ``schema.py`` declares them to pandera, for other tools.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal, NamedTuple

import pandas as pd

from pdseqpriv.errors import SeqPrivError, missing_column, refusal, wrong_column
from pdseqpriv.sequences import column_types as kinds
from pdseqpriv.sequences.columns import ROLES, Columns
from pdseqpriv.sequences.times import encode_times

TableKind = Literal["sequences", "generalized", "patterns", "key"]


class Rule(NamedTuple):
    """A named test of a column, and what it asks for in the words of our errors."""

    name: str
    holds: Callable[[pd.Series], bool]
    must: str


class TableRules(NamedTuple):
    """The rule and the meaning of each column; whether other columns may be there."""

    columns: dict[str, tuple[Rule, str]]
    description: str
    is_strict: bool


def _holds_counts(column: pd.Series) -> bool:
    return _holds_fresh_ids(column) and not bool(column.isna().any())


def _holds_fresh_ids(column: pd.Series) -> bool:
    kind = kinds.kind_of(column)
    return kind == "empty" or (kind == "int" and bool(column.dropna().ge(0).all()))


def _holds_patterns(column: pd.Series) -> bool:
    return bool(column.map(lambda pattern: isinstance(pattern, tuple) and len(pattern) > 0).all())


IDENTIFIERS = Rule("holds_identifiers", kinds.is_identifier, "all text or all whole numbers, without nulls")
EVENTS = Rule("holds_events", kinds.is_event, "all text or all whole numbers")
TIMES = Rule("holds_times", kinds.is_time, "numbers or datetimes, without nulls and infinities")
COUNTS = Rule("holds_counts", _holds_counts, "whole numbers of at least 0")
FRESH_IDS = Rule("holds_fresh_ids", _holds_fresh_ids, "whole numbers of at least 0, or null")
PATTERNS = Rule("holds_patterns", _holds_patterns, "tuples of events, without nulls")
RULES = (IDENTIFIERS, EVENTS, TIMES, COUNTS, FRESH_IDS, PATTERNS)

TABLES: dict[TableKind, TableRules] = {
    "sequences": TableRules(
        {
            "seq_id": (IDENTIFIERS, "whose sequence it is"),
            "event": (EVENTS, "what happened; null means marked"),
            "time": (TIMES, "when; rows of one sequence and time are one element"),
        },
        "One event per row; other columns may be present.",
        is_strict=False,
    ),
    "generalized": TableRules(
        {
            "seq_id": (COUNTS, "fresh number of the sequence"),
            "group": (COUNTS, "the group that the sequence hides in"),
            "event": (EVENTS, "event, or category that covers it"),
            "time_from": (TIMES, "start of the interval"),
            "time_to": (TIMES, "end of the interval, included"),
        },
        "Sequences in groups, with intervals for times and categories for events.",
        is_strict=True,
    ),
    "patterns": TableRules(
        {
            "pattern": (PATTERNS, "tuple of elements, in order"),
            "support": (COUNTS, "number of sequences that contain it"),
            "length": (COUNTS, "number of events"),
        },
        "Sequential patterns and their supports.",
        is_strict=True,
    ),
    "key": TableRules(
        {
            "seq_id": (IDENTIFIERS, "original id; for the owner only"),
            "released_id": (FRESH_IDS, "id in the release; null when dropped"),
        },
        "Which released sequence is whose. Never part of a release.",
        is_strict=True,
    ),
}


def kind_of_table(frame: pd.DataFrame, columns: Columns = Columns()) -> TableKind:  # noqa: B008 (frozen)
    """Tell from its columns which of our tables a frame is; sequences when in doubt."""
    names = set(frame.columns)
    for kind in ("generalized", "patterns", "key"):
        if names == set(_rules_of(kind, columns)):
            return kind
    return "sequences"


def check_table(frame: pd.DataFrame, kind: TableKind, columns: Columns) -> None:
    """Raise one clear sentence when a table does not keep to its rules; it quotes no value."""
    if kind == "sequences":
        columns.check(frame)
    rules = _rules_of(kind, columns)
    _check_names(frame, rules, is_strict=TABLES[kind].is_strict)
    for name, rule in rules.items():
        if not rule.holds(frame[name]):
            raise wrong_column(name, rule.must, kinds.describe_problem(frame[name]))
    if kind == "sequences":
        encode_times(frame[columns.time])
    if kind == "generalized":
        _check_intervals(frame)


def _rules_of(kind: TableKind, columns: Columns) -> dict[Hashable, Rule]:
    """Give the rules under the user's names; tables of patterns have names of their own."""
    names: dict[str, Hashable] = dict(zip(ROLES, columns.names, strict=True))
    return {names.get(column, column): rule for column, (rule, _) in TABLES[kind].columns.items()}


def _check_names(frame: pd.DataFrame, rules: dict[Hashable, Rule], *, is_strict: bool) -> None:
    missing = [name for name in rules if name not in frame.columns]
    if missing:
        raise _without(missing[0], frame, rules)
    extra = [repr(name) for name in frame.columns if name not in rules] if is_strict else []
    if extra:
        there = ", ".join(repr(name) for name in rules)
        raise refusal(f"this table has the columns {there} only, but {', '.join(extra)} came. Drop them.")
    if not frame.columns.is_unique:
        raise refusal("several columns have the same name. Rename them.")


def _without(name: Hashable, frame: pd.DataFrame, rules: dict[Hashable, Rule]) -> SeqPrivError:
    if name in ROLES:
        return missing_column(str(name), name, frame.columns)
    there = ", ".join(repr(one) for one in rules)
    return refusal(f"the table has no column {name!r}; it must have {there}.")


def _check_intervals(frame: pd.DataFrame) -> None:
    """Refuse intervals that end before they start, and ends that cannot be compared with starts."""
    try:
        n_reversed = int((frame["time_to"] < frame["time_from"]).sum())
    except TypeError:
        must, came = "of the same kind as 'time_from'", f"it holds {frame['time_to'].dtype}"
        raise wrong_column("time_to", must, came) from None
    if n_reversed:
        raise wrong_column(
            "time_to", "at or after 'time_from' in every row", f"in {n_reversed} rows it is not"
        )
