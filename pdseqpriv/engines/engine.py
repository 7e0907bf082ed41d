"""A frame together with the names of its columns, and how an operation gets to its sequences."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import pandas as pd

from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import Record
from pdseqpriv.sequences.sequences import Sequences, sequences_of

Summary = TypeVar("Summary")


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
    record: Record
    other_columns: list[Hashable]

    def reduce(
        self, summarise: Callable[[Sequences], Summary], merge: Callable[[Summary, Summary], Summary]
    ) -> Summary:
        """Summarise every partition and merge the summaries into one."""

    def map(
        self, apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Change every partition, which holds whole sequences; gives the rows and the tallies added up."""


class Engine(Protocol):
    """Where the data live: here, or in many processes."""

    def accepts(self, frame: object) -> bool:
        """Tell whether this engine knows this kind of frame."""

    def start(self, frame: Any, columns: Columns) -> Run:  # noqa: ANN401 (engines differ)
        """Check the frame and make its sequences ready."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundTable:
    """A frame and the names of its sequence columns; the frame is never changed."""

    frame: Any
    columns: Columns = Columns()  # noqa: RUF009 (frozen)
    engine: Engine | None = None


Table: TypeAlias = "pd.DataFrame | BoundTable"

_engines: list[Engine] = []


def register_engine(engine: Engine) -> None:
    """Make an engine known; the first that accepts a frame gets it."""
    _engines.append(engine)


def start(table: Table) -> Run:
    """Begin an operation: find the engine, check the table, make its arrays once."""
    bound = bind(table)
    assert bound.engine is not None  # noqa: S101 (bind found it)
    return bound.engine.start(bound.frame, bound.columns)


def read(table: Table) -> Sequences:
    """Check a table that is in memory and give its sequences."""
    from pdseqpriv.schemas import validate

    bound = bind(table)
    validate(bound.frame, "sequences", bound.columns)
    return sequences_of(bound.frame, bound.columns)


def bind(table: Table) -> BoundTable:
    """Accept a frame, or one that was bound to other column names; says which engine it is for."""
    bound = table if isinstance(table, BoundTable) else BoundTable(table)
    engine = bound.engine or next((one for one in _engines if one.accepts(bound.frame)), None)
    if engine is None:
        came = type(bound.frame).__name__
        do = "With with_key=True an operation gives two: the release, and the key that stays with the owner."
        do = do if isinstance(bound.frame, tuple) else "One row per event."
        raise wrong_parameter("table", "a pandas DataFrame", came, do)
    if isinstance(bound.frame.columns, pd.MultiIndex):
        raise refusal("the table has several levels of column names. Flatten them first.")
    return BoundTable(bound.frame, bound.columns, engine)
