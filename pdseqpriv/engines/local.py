"""The engine for a frame in this process."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.parts import ROW, RowNumbers, merged, sequences_of_part, without_person
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import encode
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE
from pdseqpriv.sequences.sequences import Sequences, sequences_of
from pdseqpriv.threads import on_all_cores

if TYPE_CHECKING:
    from pdseqpriv.engines.engine import Counted

Summary = TypeVar("Summary")
Piece = TypeVar("Piece")


@dataclass(frozen=True)
class Local:
    """Runs operations here; ``partitions`` cuts a frame into parts that hold whole people.

    One part is fastest. Several give the same answer through the same summaries that a cluster would
    exchange, which is how the tests know that partitioning does not matter.
    """

    partitions: int = 1

    def start(
        self,
        frame: pd.DataFrame,
        columns: Columns,
        others: Sequence[Hashable] | None = None,  # noqa: ARG002 (they are all here)
    ) -> LocalRun:
        """Check the frame and make its sequences ready."""
        return LocalRun(frame, columns, self.partitions)

    def collect(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, which is here."""
        return frame

    def each_part(
        self,
        frame: pd.DataFrame,
        columns: Columns,  # noqa: ARG002 (there is one part)
        work: Callable[[int, pd.DataFrame], None],
    ) -> None:
        """Do something with the frame, which is one part."""
        work(0, frame)


class LocalRun:
    """One operation at work on one pandas frame."""

    spread = staticmethod(on_all_cores)

    def __init__(self, frame: pd.DataFrame, columns: Columns, partitions: int = 1) -> None:
        from pdseqpriv.schemas import validate

        validate(frame, "sequences", columns)
        self.columns = columns
        self.other_columns = [name for name in frame.columns if name not in columns.roles.values()]
        self.before = frame if ATTRIBUTE in frame.attrs else None
        self.is_here = True
        self.has_labels = not isinstance(frame.index, pd.RangeIndex)
        self._frame = frame if columns.person is None else without_person(frame, columns)
        if partitions == 1:
            self._parts = [(self._frame, sequences_of(frame, columns))]
            return
        self._parts = [
            (without_person(part, columns), sequences_of_part(part, columns, places))
            for part, places in _split(frame, columns, partitions)
        ]

    def reduce(
        self,
        summarise: Callable[[Sequences], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        copies: int = 0,  # noqa: ARG002 (the table itself is here)
    ) -> Summary:
        """Summarise every part and merge the summaries into one."""
        if len(self._parts) == 1:
            return summarise(self._parts[0][1])
        return merged((summarise(sequences) for _, sequences in self._parts), merge)

    def gather(
        self, look: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Take few rows from every part."""
        found, tallies = zip(*(look(*part) for part in self._parts), strict=True)
        rows = found[0] if len(found) == 1 else pd.concat(found, ignore_index=True)
        return rows, functools.reduce(operator.add, tallies)

    def map(
        self,
        apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]],
        finish: Callable[[pd.DataFrame, Counted], pd.DataFrame],
        *,
        blanks: bool = False,  # noqa: ARG002 (it can be seen)
        names_rows: bool = False,  # noqa: ARG002 (they stay what they are)
    ) -> tuple[pd.DataFrame, Counted]:
        """Change every part and put the parts together; no attribute of the input comes along.

        Rows that come from the input come back in its order and with its index.
        """
        changed, tallies = zip(*(apply(*part) for part in self._parts), strict=True)
        result = changed[0].copy(deep=False) if len(changed) == 1 else self._together(changed)
        result.attrs = {}
        tally = functools.reduce(operator.add, tallies)
        return finish(result, tally), tally

    def emit(
        self,
        make: Callable[[Piece], pd.DataFrame],
        whole: Piece,
        cut: Callable[[Piece, int, int], Piece],  # noqa: ARG002 (nothing is cut)
        sizes: Ints,  # noqa: ARG002
    ) -> pd.DataFrame:
        """Make all rows at once."""
        return make(whole)

    def row_numbers(self, numbers: Ints) -> Ints:
        """Return the numbers, which are positions in the frame."""
        return numbers

    def _together(self, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
        result = pd.concat(parts)
        if isinstance(result.index.name, RowNumbers):
            result = result.sort_index(kind="stable")
            result.index = self._frame.index.take(result.index)
        for name in result.columns.intersection(self._frame.columns):
            dtype = self._frame[name].dtype
            if isinstance(dtype, pd.CategoricalDtype):  # parts may have lost different categories
                present = dtype.categories[dtype.categories.isin(result[name])]
                result[name] = result[name].astype(pd.CategoricalDtype(present, dtype.ordered))
        return result


def _split(
    frame: pd.DataFrame, columns: Columns, partitions: int
) -> list[tuple[pd.DataFrame, NDArray[np.int64]]]:
    """Return the parts, and the places of their rows in the frame."""
    owner = encode(frame[columns.undivided]).codes % partitions
    numbered = frame.set_axis(pd.RangeIndex(len(frame), name=ROW))
    places = [np.flatnonzero(owner == part) for part in range(partitions)]
    return [(numbered.iloc[rows], rows) for rows in places]
