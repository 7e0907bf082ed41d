"""Measures of Jin et al. 2007: how far released supports are from the true ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.audit.measure import Measure
from pdseqpriv.audit.pairs import ORIGINAL, RELEASED
from pdseqpriv.errors import speaking_of
from pdseqpriv.patterns.tables import read_pattern_table

PAPER = "Jin et al. 2007"


def is_pattern_table(frame: object) -> bool:
    """Tell a pattern table from a table of sequences by its columns."""
    columns = getattr(frame, "columns", ())
    return "pattern" in columns and "support" in columns


def pattern_measures(original: pd.DataFrame, released: pd.DataFrame) -> list[Measure]:
    """Compare two pattern tables on the patterns that both have."""
    true, told = _supports(original, ORIGINAL), _supports(released, RELEASED)
    both = true.index.intersection(told.index)
    before, after = true[both].to_numpy(), told[both].to_numpy()
    kept = len(both) / len(true) if len(true) else float("nan")
    distortion = np.abs(after - before) / before
    return [
        Measure("patterns_kept", kept, "higher", PAPER, "share of the patterns that the release lists"),
        Measure(
            "average_distortion",
            _mean(distortion),
            "lower",
            PAPER,
            "change of a support as a share of the true one, on average over patterns",
        ),
        Measure(
            "share_adjusted",
            _mean(after != before),
            "lower",
            PAPER,
            "share of the patterns whose support was changed",
        ),
    ]


def _supports(table: pd.DataFrame, which: str) -> pd.Series:
    with speaking_of(which):
        patterns = read_pattern_table(table, "a pattern table")
    keys = pd.Index(patterns.to_tuples(), dtype=object, tupleize_cols=False)
    return pd.Series(patterns.supports, index=keys)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else float("nan")
