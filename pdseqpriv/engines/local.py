"""The engine for a frame in this process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from pdseqpriv.table.columns import Columns
from pdseqpriv.table.encoding import encode
from pdseqpriv.table.record import record_of
from pdseqpriv.table.sequences import Sequences, sequences_of

Summary = TypeVar("Summary")


@dataclass(frozen=True)
class Local:
    """Runs operations here; ``partitions`` cuts a frame into parts that hold whole sequences.

    One part is fastest. Several give the same answer through the same summaries that a cluster would
    exchange, which is how the tests know that partitioning does not matter.
    """

    partitions: int = 1

    def accepts(self, frame: object) -> bool:
        """Tell whether this is a pandas DataFrame."""
        return isinstance(frame, pd.DataFrame)

    def start(self, frame: pd.DataFrame, columns: Columns, function: str) -> LocalRun:
        """Check the frame and make its sequences ready."""
        return LocalRun(frame, columns, function, self.partitions)


class LocalRun:
    """One operation at work on one pandas frame."""

    def __init__(self, frame: pd.DataFrame, columns: Columns, function: str, partitions: int = 1) -> None:
        whole = sequences_of(frame, columns, function)
        self.columns = columns
        self.record = record_of(frame)
        self._parts: list[tuple[pd.DataFrame, Sequences]] = [(frame, whole)]
        if partitions > 1:
            parts = _split(frame, columns, partitions)
            self._parts = [(part, sequences_of(part, columns, function)) for part in parts]

    def reduce(
        self, summarise: Callable[[Sequences], Summary], merge: Callable[[Summary, Summary], Summary]
    ) -> Summary:
        """Summarise every part and merge the summaries into one."""
        return functools.reduce(merge, (summarise(sequences) for _, sequences in self._parts))

    def map(self, apply: Callable[[pd.DataFrame, Sequences], pd.DataFrame]) -> pd.DataFrame:
        """Change every part and put the parts together; no attribute of the input comes along."""
        changed = [apply(frame, sequences) for frame, sequences in self._parts]
        result = changed[0] if len(changed) == 1 else pd.concat(changed)
        result.attrs = {}
        return result


def _split(frame: pd.DataFrame, columns: Columns, partitions: int) -> list[pd.DataFrame]:
    owner = encode(frame[columns.seq_id]).codes % partitions
    return [frame.iloc[np.flatnonzero(owner == part)] for part in range(partitions)]
