"""Which columns of a frame hold the sequences, and whether they can."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypedDict, get_args

import pandas as pd

from pdseqpriv.errors import SeqPrivError, called_function, missing_column, refusal, wrong_parameter
from pdseqpriv.parameters import one_of

Ties = Literal["element", "order"]
ROLES = ("seq_id", "event", "time")
# What can be said of the columns of a table.
SAYABLE = (*ROLES, "ties", "person")


class NamesBesideTime(TypedDict, total=False):
    """What a call may say of the columns of its tables, where ``time`` means something else."""

    seq_id: Hashable
    event: Hashable
    ties: Ties
    person: Hashable


class ColumnNames(NamesBesideTime, total=False):
    """What a call may say of the columns of its tables."""

    time: Hashable


# The columns that show that a table is generalized.
INTERVAL = {"group", "time_from", "time_to"}
# The functions that take it; if they miss a column of it, it has another name.
_FOR_INTERVALS = {"compare", "risk", "is_generalized", "write_parquet", "write_csv"}
# The columns of a key, beside the original ids: the id in the release, and the group there.
RELEASED_ID, GROUP = "released_id", "group"
# The columns that show that a table holds patterns, and what to do with it.
PATTERNS = {"pattern", "support"}
_FOR_PATTERNS = {
    "release_patterns": " Patterns that are already mined need no min_support: leave it out.",
}


@dataclass(frozen=True)
class Columns:
    """The user's names for the three columns, what simultaneous rows mean, and who the people are.

    ``ties="element"``: rows with the same sequence and time form one element, a set of events.
    ``ties="order"``: each row is its own element, in row order.
    ``person``: the column that says whose sequence it is; None if each sequence is a person of its own.
    """

    seq_id: Hashable = "seq_id"
    event: Hashable = "event"
    time: Hashable = "time"
    ties: Ties = "element"
    person: Hashable | None = None

    def __post_init__(self) -> None:
        for role, name in self.roles.items():
            if not isinstance(name, Hashable) or name is None:
                raise wrong_parameter(role, "the name of a column", type(name).__name__)
        one_of("ties", self.ties, get_args(Ties))
        if len(set(self.names)) < len(ROLES):
            raise refusal("seq_id, event and time must name three different columns.")
        if self.person in self.names:
            must, do = "a column of its own", "Leave it out if each sequence is a person."
            raise wrong_parameter("person", must, f"the column of another role, {self.person!r}", do)

    @cached_property
    def names(self) -> tuple[Hashable, Hashable, Hashable]:
        """The three names: sequence, event, time."""
        return (self.seq_id, self.event, self.time)

    @cached_property
    def roles(self) -> dict[str, Hashable]:
        """The name of each column that has a role, the person's only if it is named."""
        named = dict(zip(ROLES, self.names, strict=True))
        return named if self.person is None else {**named, "person": self.person}

    @property
    def undivided(self) -> Hashable:
        """The column of which equal values stay together when a table is divided: people, if named."""
        return self.seq_id if self.person is None else self.person

    @cached_property
    def named(self) -> tuple[tuple[str, Hashable], ...]:
        """The same as pairs, which can be looked up."""
        return tuple(self.roles.items())

    @cached_property
    def noted(self) -> dict[str, bool]:
        """What the record says of them: whether people were counted, instead of sequences."""
        return {} if self.person is None else {"people": True}

    @cached_property
    def of_release(self) -> Columns:
        """The names in a release, which never says who the person is."""
        return self if self.person is None else replace(self, person=None)

    def problem(self, frame: pd.DataFrame, *, from_file: bool = False) -> SeqPrivError | None:
        """Return an error that says which column is missing or ambiguous, or None."""
        there = list(frame.columns)
        for role, name in self.roles.items():
            count = sum(1 for one in there if one == name)
            if count == 0:
                return _missing(role, name, frame, from_file=from_file)
            if count > 1:
                return refusal(f"{count} columns are named {name!r}, so {role} is ambiguous. Rename them.")
        return None


USUAL = Columns()


def has_intervals(table: object) -> bool:
    """Return whether a table, which nobody may have looked at yet, has intervals instead of times."""
    frame = getattr(table, "frame", table)
    return set(getattr(frame, "columns", ())) >= INTERVAL


def _missing(role: str, name: Hashable, frame: pd.DataFrame, *, from_file: bool) -> SeqPrivError:
    there = set(frame.columns)
    if there >= INTERVAL and called_function() not in _FOR_INTERVALS:
        return refusal(
            "this is a generalized table, which has intervals and categories instead of times and events. "
            'Only compare, risk with attack="linkage", verify.is_generalized, write_parquet and write_csv '
            "accept it."
        )
    if there >= PATTERNS:
        do = _FOR_PATTERNS.get(called_function(), "")
        return refusal(f"this is a pattern table, but a table of sequences is needed.{do}")
    if RELEASED_ID in there:
        do = "Write it with write_parquet, as only its owner may read it."
        return refusal(f"this is a key, which says whose the sequences of a release are. {do}")
    if name in frame.index.names:
        return refusal(f"{name!r} must be a column, but it is in the index. Use df.reset_index().")
    return missing_column(role, name, frame.columns, from_file=from_file)
