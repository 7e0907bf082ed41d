"""What a measure is, and what measures are taken of."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

import pandas as pd

from pdseqpriv.operations.frequent_patterns import frequent_patterns, summarise
from pdseqpriv.operations.mine import count_of
from pdseqpriv.table.sequences import Sequences

Which = Literal["original", "released"]


class Measure(NamedTuple):
    """One row of what :func:`pdseqpriv.compare` returns."""

    measure: str
    value: float
    better: Literal["lower", "higher"]
    paper: str
    meaning: str


@dataclass(frozen=True)
class Comparison:
    """Two tables side by side."""

    original: Sequences
    released: Sequences
    min_support: float | None = None  # from when on a pattern counts as frequent
    scope: Literal["sequence", "table"] = "sequence"
    delta: Fraction | None = None
    events: pd.Index = field(default_factory=lambda: pd.Index([], dtype=object))
    _mined: dict[tuple[str, int], pd.Series] = field(default_factory=dict, repr=False)

    def sequences_in(self, which: Which) -> int:
        """How many sequences one of the tables has."""
        return (self.original if which == "original" else self.released).n_sequences

    def count_for(self, which: Which) -> int:
        """How many sequences of one of the tables ``min_support`` comes to."""
        return count_of(self.min_support or 1, self.sequences_in(which))

    def supports(self, which: Which, count: int) -> pd.Series:
        """Give the patterns that so many sequences of a table contain, and their supports; mined once."""
        if (which, count) not in self._mined:
            table = self.original if which == "original" else self.released
            found = frequent_patterns(summarise(table), count).to_frame()
            # Tuples of different lengths must not become levels of an index.
            patterns = pd.Index(found["pattern"].to_numpy(), tupleize_cols=False)
            self._mined[which, count] = pd.Series(found["support"].to_numpy(), index=patterns)
        return self._mined[which, count]
