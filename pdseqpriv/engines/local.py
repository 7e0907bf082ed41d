"""The engine for a frame in this process."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import encode
from pdseqpriv.sequences.record import ATTRIBUTE
from pdseqpriv.sequences.sequences import Sequences, sequences_of

if TYPE_CHECKING:
    from pdseqpriv.engines.engine import Counted

Summary = TypeVar("Summary")


@dataclass(frozen=True)
class Local:
    """Runs operations here; ``partitions`` cuts a frame into parts that hold whole people.

    One part is fastest. Several give the same answer through the same summaries that a cluster would
    exchange, which is how the tests know that partitioning does not matter.
    """

    partitions: int = 1

    def start(self, frame: pd.DataFrame, columns: Columns) -> LocalRun:
        """Check the frame and make its sequences ready."""
        return LocalRun(frame, columns, self.partitions)


class LocalRun:
    """One operation at work on one pandas frame."""

    def __init__(self, frame: pd.DataFrame, columns: Columns, partitions: int = 1) -> None:
        from pdseqpriv.schemas import validate

        validate(frame, "sequences", columns)
        self.columns = columns
        self.other_columns = [name for name in frame.columns if name not in columns.roles.values()]
        self.before = frame if ATTRIBUTE in frame.attrs else None
        self._frame = _without_person(frame, columns)
        self._parts = [
            (_without_person(part, columns), _sequences_of(part, columns, places))
            for part, places in _split(frame, columns, partitions)
        ]

    def reduce(
        self, summarise: Callable[[Sequences], Summary], merge: Callable[[Summary, Summary], Summary]
    ) -> Summary:
        """Summarise every part and merge the summaries into one."""
        return functools.reduce(merge, (summarise(sequences) for _, sequences in self._parts))

    def map(
        self, apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Change every part and put the parts together; no attribute of the input comes along.

        Rows that come from the input come back in its order and with its index.
        """
        changed, tallies = zip(*(apply(*part) for part in self._parts), strict=True)
        result = changed[0].copy(deep=False) if len(changed) == 1 else self._together(changed)
        result.attrs = {}
        return result, functools.reduce(operator.add, tallies)

    def _together(self, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
        result = pd.concat(parts)
        if isinstance(result.index.name, _RowNumbers):
            result = result.sort_index(kind="stable")
            result.index = self._frame.index.take(result.index)
        for name in result.columns.intersection(self._frame.columns):
            dtype = self._frame[name].dtype
            if isinstance(dtype, pd.CategoricalDtype):  # parts may have lost different categories
                present = dtype.categories[dtype.categories.isin(result[name])]
                result[name] = result[name].astype(pd.CategoricalDtype(present, dtype.ordered))
        return result


class _RowNumbers(str):
    """The name of the index by which rows of a part find back to their place: no index of a user has it."""

    __slots__ = ()


_ROW = _RowNumbers("row")


def _sequences_of(part: pd.DataFrame, columns: Columns, places: NDArray[np.int64] | None) -> Sequences:
    sequences = sequences_of(part, columns)
    return sequences if places is None else replace(sequences, places=places)


def _without_person(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Leave out who the person is: no operation releases it."""
    return frame if columns.person is None else frame.drop(columns=columns.person)


def _split(
    frame: pd.DataFrame, columns: Columns, partitions: int
) -> list[tuple[pd.DataFrame, NDArray[np.int64] | None]]:
    """Return the parts, and the places of their rows in the frame; None if there is only one part."""
    if partitions == 1:
        return [(frame, None)]
    whole = columns.seq_id if columns.person is None else columns.person
    owner = encode(frame[whole]).codes % partitions
    numbered = frame.set_axis(pd.RangeIndex(len(frame), name=_ROW))
    places = [np.flatnonzero(owner == part) for part in range(partitions)]
    return [(numbered.iloc[rows], rows) for rows in places]
