"""What a measure is, and what measures are taken of."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import Literal, NamedTuple

import pandas as pd

from pdseqpriv.audit.sample import Sample
from pdseqpriv.errors import refusal
from pdseqpriv.mining.mine import count_of
from pdseqpriv.mining.search import TooManyError, frequent_patterns, summarise
from pdseqpriv.patterns.tables import PatternArrays
from pdseqpriv.sequences.sequences import Sequences

Which = Literal["original", "released"]


class Measure(NamedTuple):
    """One row of what :func:`pdseqpriv.compare` returns."""

    measure: str
    value: float
    better: Literal["lower", "higher"]
    paper: str
    meaning: str
    basis: str = "all"


@dataclass(frozen=True)
class Comparison:
    """Two tables side by side."""

    original: Sequences
    released: Sequences
    min_support: int | Fraction | None = None  # from when on a pattern counts as frequent
    scope: Literal["sequence", "table"] = "sequence"
    delta: Fraction | None = None
    events: pd.Index = field(default_factory=lambda: pd.Index([], dtype=object))
    sample: Sample | None = None  # what expensive measures are taken of, if not of everything
    _mined: dict[tuple[str, int], pd.Series] = field(default_factory=dict, repr=False)

    @property
    def basis(self) -> str:
        """What expensive measures are taken of, in words."""
        return "all" if self.sample is None else f"sample of {self.sample.original.n_sequences}"

    def table(self, which: Which) -> Sequences:
        """Give what expensive measures look at of a table."""
        source = self if self.sample is None else self.sample
        return source.original if which == "original" else source.released

    def sequences_in(self, which: Which) -> int:
        """How many sequences expensive measures look at."""
        return len(self.table(which).ids)

    def count_for(self, which: Which) -> int:
        """How many of these sequences ``min_support`` comes to."""
        asked = self.min_support or 1
        if self.sample is not None and isinstance(asked, Integral):  # a count of the whole table
            return max(1, math.ceil(int(asked) * self.sample.share))
        return count_of(asked, self.sequences_in(which))

    def supports(self, which: Which, count: int) -> pd.Series:
        """Give the patterns that so many sequences of a table contain, and their supports; mined once."""
        if (which, count) not in self._mined:
            found = _mine(self.table(which), count)
            # Tuples of different lengths must not become levels of an index.
            patterns = pd.Index(found.to_tuples(), tupleize_cols=False)
            self._mined[which, count] = pd.Series(found.supports, index=patterns)
        return self._mined[which, count]


def _mine(table: Sequences, count: int) -> PatternArrays:
    try:
        return frequent_patterns(summarise(table), count)
    except TooManyError:
        raise refusal(
            "more than 10,000,000 patterns are frequent. Raise min_support, or set it to None."
        ) from None
