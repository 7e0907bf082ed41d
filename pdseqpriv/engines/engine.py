"""A frame together with the names of its columns, and how an operation gets to its sequences."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, TypeVar

import pandas as pd

from pdseqpriv.engines.local import Local
from pdseqpriv.errors import SeqPrivError, refusal, said_of, wrong_parameter
from pdseqpriv.sequences.columns import USUAL, Columns
from pdseqpriv.sequences.record import claims_of, warn_if_swapped
from pdseqpriv.sequences.sequences import Sequences, sequences_of

Summary = TypeVar("Summary")

# Which of two tables an error is about; comes after the name of the function.
ORIGINAL = "in the original"
RELEASED = "in the release"


class Tally(Protocol):
    """What a part counts while it is changed; tallies of all parts are added up."""

    def __add__(self, other: Any, /) -> Any:  # noqa: ANN401 (of its own kind)
        """Add the counts of another part."""


Counted = TypeVar("Counted", bound=Tally)


class Run(Protocol):
    """One operation at work on one table: the two verbs that an engine offers.

    What they are given is a function of a module, or a ``partial`` of one: it has no side effect, and it can
    be sent to where the data are.
    """

    columns: Columns
    other_columns: list[Hashable]
    before: pd.DataFrame | None  # the table, if it has a record of what was applied to it

    def reduce(
        self, summarise: Callable[[Sequences], Summary], merge: Callable[[Summary, Summary], Summary]
    ) -> Summary:
        """Summarise every partition and merge the summaries into one."""

    def map(
        self, apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Change every partition, which holds whole people; returns the rows and the tallies added up."""


class Engine(Protocol):
    """Where the data live: here, or in many processes."""

    def start(self, frame: Any, columns: Columns) -> Run:  # noqa: ANN401 (engines differ)
        """Check the frame and make its sequences ready."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundTable:
    """A frame and the names of its sequence columns; the frame is never changed."""

    frame: Any
    columns: Columns = USUAL
    engine: Engine = Local()  # noqa: RUF009 (frozen)


Table: TypeAlias = "pd.DataFrame | BoundTable"


def start(table: Table) -> Run:
    """Begin an operation: check the table, and make its arrays once."""
    bound = bind(table)
    return bound.engine.start(bound.frame, bound.columns)


def read(table: Table, which: str = "", columns: Columns = USUAL) -> Sequences:
    """Check a table and return its sequences.

    If there are several tables, errors say ``which`` one they are about. ``columns`` are the names of the
    columns if the table does not have the usual ones.
    """
    from pdseqpriv.schemas import validate

    try:
        bound = _named(bind(table), columns)
        validate(bound.frame, "sequences", bound.columns)
        return sequences_of(bound.frame, bound.columns)
    except SeqPrivError as error:
        raise said_of(which, error) from None


def read_both(original: Table, released: Table) -> tuple[Sequences, Sequences]:
    """Check an original and its release, return their sequences, and warn if they look swapped."""
    before = read(original, ORIGINAL)
    after = read(released, RELEASED, before.columns.of_release)
    if after.columns.ties != before.columns.ties and claims_of(bind(released).frame).get("columns"):
        raise refusal(
            f"the release was made with ties={after.columns.ties!r}, but the original is read with "
            f"ties={before.columns.ties!r}. Give it as original.seqpriv.using(ties={after.columns.ties!r})."
        )
    warn_if_swapped(bind(original).frame, bind(released).frame)
    return before, after


def _named(table: BoundTable, columns: Columns) -> BoundTable:
    """Give a table other column names if it does not have the usual ones."""
    there = set(table.frame.columns)
    if there >= set(USUAL.names) or not there >= set(columns.names) or table.columns != USUAL:
        return table
    return replace(table, columns=columns)


def bind(table: Table) -> BoundTable:
    """Accept a frame, or one that was bound to other column names."""
    bound = table if isinstance(table, BoundTable) else BoundTable(table)
    if not isinstance(bound.frame, pd.DataFrame):
        came = type(bound.frame).__name__
        do = "With with_key=True an operation gives two: the release, and the key that stays with the owner."
        do = do if isinstance(bound.frame, tuple) else "One row per event."
        raise wrong_parameter("table", "a pandas DataFrame", came, do)
    if isinstance(bound.frame.columns, pd.MultiIndex):
        raise refusal("the table has several levels of column names. Flatten them first.")
    return bound
