"""A frame together with the names of its columns, and how an operation gets to its sequences."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, TypeVar

import pandas as pd

from pdseqpriv.engines.arrow import columns_noted_in
from pdseqpriv.engines.elsewhere import engine_elsewhere, memory_for
from pdseqpriv.engines.local import Local
from pdseqpriv.engines.together import all_sequences
from pdseqpriv.errors import SeqPrivError, refusal, said_of, wrong_parameter
from pdseqpriv.progress import Bar, Pulse
from pdseqpriv.sequences.columns import USUAL, Columns
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import claims_of, warn_if_swapped
from pdseqpriv.sequences.sequences import Sequences, sequences_of

Summary = TypeVar("Summary")
Piece = TypeVar("Piece")
Answer = TypeVar("Answer")

# Which of two tables an error is about; comes after the name of the function.
ORIGINAL = "in the original"
RELEASED = "in the release"


# A frame in this process, in one piece.
_HERE = Local()


class Tally(Protocol):
    """What a part counts while it is changed; tallies of all parts are added up."""

    def __add__(self, other: Any, /) -> Any:  # noqa: ANN401 (of its own kind)
        """Add the counts of another part."""


Counted = TypeVar("Counted", bound=Tally)


class Run(Protocol):
    """One operation at work on one table: the verbs that an engine offers.

    What they are given is a function of a module, or a ``partial`` of one: it has no side effect, and it can
    be sent to where the data are. Parts hold whole people.
    """

    columns: Columns
    other_columns: list[Hashable]
    before: Any  # the table, if it has a record of what was applied to it
    is_here: bool  # whether the rows are in this process
    has_labels: bool  # whether its index may say more than numbers of rows

    def reduce(
        self,
        summarise: Callable[[Sequences], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        copies: int = 0,
    ) -> Summary:
        """Summarise every part and merge the summaries into one, as a tree.

        If the rows are elsewhere, a summary of which so many copies do not fit into memory is refused.
        """

    def spread(
        self, work: Callable[[Piece, Pulse], Answer], pieces: Sequence[Piece], bar: Bar
    ) -> list[Answer]:
        """Do independent pieces of planning, wherever there are cores; each is taken when it is its turn."""

    def gather(
        self, look: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Take few rows from every part to here; returns them and the tallies added up."""

    def map(
        self,
        apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]],
        finish: Callable[[pd.DataFrame, Counted], pd.DataFrame],
        *,
        blanks: bool = False,
        names_rows: bool = False,
    ) -> tuple[Any, Counted | None]:
        """Change every part, and finish what comes of it; the rows stay where the data are.

        Returns the rows and the tallies added up. Where rows are only made when somebody asks for them, there
        is no tally yet, and ``blanks`` says that events may be null in some parts and not in others;
        ``names_rows`` says that the plan is about single rows, by their numbers.
        """

    def emit(
        self,
        make: Callable[[Piece], pd.DataFrame],
        whole: Piece,
        cut: Callable[[Piece, int, int], Piece],
        sizes: Ints,
    ) -> Any:  # noqa: ANN401 (rows where the data are)
        """Make new rows where the data are, from a piece of a plan.

        ``sizes`` are the rows of each item, such as a sequence; ``cut(whole, first, last)`` takes what is
        needed for some of the items.
        """

    def row_numbers(self, numbers: Ints) -> Ints:
        """Return the positions of rows in the table, which are known here by other numbers."""


class Engine(Protocol):
    """Where the data live: here, or in many processes."""

    def start(self, frame: Any, columns: Columns, others: Sequence[Hashable] | None) -> Run:  # noqa: ANN401 (engines differ)
        """Check the frame and make its sequences ready; of other columns, these are needed, None for all."""

    def collect(self, frame: Any) -> pd.DataFrame:  # noqa: ANN401 (engines differ)
        """Bring all rows here, in their order, with their record."""

    def each_part(self, frame: Any, columns: Columns, work: Callable[[int, pd.DataFrame], None]) -> None:  # noqa: ANN401
        """Do something with every part, by its number, where it is."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundTable:
    """A frame and the names of its sequence columns; the frame is never changed.

    What ``is_named`` was named by the user: what the frame remembers of its columns is part of it already.
    """

    frame: Any
    columns: Columns = USUAL
    engine: Engine = _HERE
    whole_sequences: bool = False
    is_named: bool = False


Bound = TypeVar("Bound", bound=BoundTable)
Table: TypeAlias = "pd.DataFrame | BoundTable"


def start(table: Table, others: Sequence[Hashable] | None = None) -> Run:
    """Begin an operation: check the table, and make its arrays once.

    ``others`` are the columns without a role that it will look at, None for all.
    """
    bound = bind(table)
    return bound.engine.start(bound.frame, bound.columns, others)


def read(table: Table, which: str = "", columns: Columns = USUAL) -> Sequences:
    """Check a table and return its sequences; if its rows are elsewhere, only numbers are brought here.

    If there are several tables, errors say ``which`` one they are about. ``columns`` are the names of the
    columns if the table does not have the usual ones.
    """
    try:
        bound = _named(bind(table), columns)
        if bound.engine == _HERE:
            return _read_here(bound)
        return all_sequences(start(bound, others=()), memory_for(bound.frame))
    except SeqPrivError as error:
        raise said_of(which, error) from None


def _read_here(table: BoundTable) -> Sequences:
    from pdseqpriv.schemas import validate

    validate(table.frame, "sequences", table.columns)
    return sequences_of(table.frame, table.columns)


def read_both(original: Table, released: Table) -> tuple[Sequences, Sequences]:
    """Check an original and its release, return their sequences, and warn if they look swapped."""
    before = read(original, ORIGINAL)
    after = read(released, RELEASED, before.columns.of_release)
    _refuse_other_ties(before.columns.ties, after.columns.ties, bind(released))
    warn_if_swapped(bind(original).frame, bind(released).frame)
    return before, after


def start_both(original: Table, released: Table) -> list[Run]:
    """Begin an operation on an original and its release, which have been checked."""
    first = bind(original)
    return [start(first, others=()), start(_named(bind(released), first.columns.of_release), others=())]


def reduce_both(
    original: Table,
    released: Table,
    summarise: Callable[[Sequences], Summary],
    merge: Callable[[Summary, Summary], Summary],
    *,
    copies: int = 0,
) -> tuple[Summary, Summary]:
    """Summarise an original and its release, each where it is, with the checks of ``read_both``."""
    first = bind(original)
    second = _named(bind(released), first.columns.of_release)
    before = _reduced(first, ORIGINAL, summarise, merge, copies)
    after = _reduced(second, RELEASED, summarise, merge, copies)
    _refuse_other_ties(first.columns.ties, second.columns.ties, second)
    warn_if_swapped(first.frame, second.frame)
    return before, after


def _reduced(
    table: BoundTable,
    which: str,
    summarise: Callable[[Sequences], Summary],
    merge: Callable[[Summary, Summary], Summary],
    copies: int,
) -> Summary:
    try:
        return start(table, others=()).reduce(summarise, merge, copies=copies)
    except SeqPrivError as error:
        raise said_of(which, error) from None


def _refuse_other_ties(before: str, after: str, released: BoundTable) -> None:
    if after != before and _was_made(released):
        has = "is read" if released.is_named else "was made"
        raise refusal(
            f"the release {has} with ties={after!r}, but the original is read with ties={before!r}. "
            f"Give it as original.seqpriv.using(ties={after!r})."
        )


def _named(table: BoundTable, columns: Columns) -> BoundTable:
    """Give a table other column names if it does not have the usual ones, and ties if it says nothing."""
    there = set(table.frame.columns)
    names = USUAL if there >= set(USUAL.names) else columns
    ties = table.columns.ties
    if ties != columns.ties and not (table.is_named or _was_made(table)):
        ties = columns.ties
    is_usual = names is USUAL and ties == USUAL.ties
    if is_usual or table.columns != USUAL or not there >= set(names.names):
        return table
    return replace(table, columns=replace(names, ties=ties))


def _was_made(table: BoundTable) -> bool:
    """Return whether the record of a table says how it was made: with the usual columns if it names none."""
    claims = claims_of(table.frame)
    return bool(claims["applied"] or claims.get("columns"))


def with_columns(table: Bound, given: Mapping[str, Any]) -> Bound:
    """Name columns of a table; None where the name stays, which may be one that the table remembers."""
    said = {role: name for role, name in given.items() if name is not None}
    if not said:
        return table
    is_first = table.columns == USUAL and not table.is_named
    known = columns_noted_in(table.frame) if is_first else table.columns
    return replace(table, columns=replace(known, **said), is_named=True)


def collected(table: Table) -> Table:
    """Bring the rows of a table here, wherever they are."""
    if not isinstance(table, BoundTable):
        elsewhere = engine_elsewhere(table)
        return table if elsewhere is None else elsewhere.collect(table)
    bound = bind(table)
    frame = bound.engine.collect(bound.frame)
    return replace(bound, frame=frame, engine=Local(), whole_sequences=False)


def with_its_columns(table: Table) -> BoundTable:
    """Return a table with its columns, whatever it is; what is no table is refused where it is read."""
    return table if isinstance(table, BoundTable) else BoundTable(table)


def bind(table: Table) -> BoundTable:
    """Accept a frame, or one that was bound to other column names, and find the engine for it."""
    bound = with_its_columns(table)
    if not isinstance(bound.frame, pd.DataFrame) or bound.whole_sequences:
        elsewhere = engine_elsewhere(bound.frame, whole_sequences=bound.whole_sequences)
        if elsewhere is not None:
            return replace(bound, engine=elsewhere)
    if not isinstance(bound.frame, pd.DataFrame):
        raise _no_table(bound.frame)
    if isinstance(bound.frame.columns, pd.MultiIndex):
        raise refusal("the table has several levels of column names. Flatten them first.")
    return bound


def _no_table(came: object) -> SeqPrivError:
    do = "One row per event; tables of Arrow, Polars, DuckDB, Dask and Spark are fine, too."
    if isinstance(came, tuple):
        do = "With with_key=True an operation gives two: the release, and the key that stays with the owner."
    if isinstance(came, str | os.PathLike):
        do = "Read a file with read_parquet, read_csv or read_xes first, a folder with scan_parquet."
    return wrong_parameter("table", "a pandas DataFrame", type(came).__name__, do)
