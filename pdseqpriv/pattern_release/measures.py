"""Measures of the PICS paper (PAKDD 2007): how far released supports are from the true ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import ORIGINAL, RELEASED, Table, bind
from pdseqpriv.errors import SeqPrivError, said_of
from pdseqpriv.patterns.tables import read_pattern_table


def pattern_measures(original: Table, released: Table) -> dict[str, float]:
    """Compare two pattern tables on the patterns that both have."""
    true, told = _supports(original, ORIGINAL), _supports(released, RELEASED)
    both = true.index.intersection(told.index)
    before, after = true[both].to_numpy(), told[both].to_numpy()
    return {
        "patterns_kept": len(both) / len(true) if len(true) else float("nan"),
        "average_distortion": _mean(np.abs(after - before) / before),
        "share_adjusted": _mean(after != before),
    }


def _supports(table: Table, which: str) -> pd.Series:
    try:
        patterns = read_pattern_table(bind(table).frame, "a pattern table")
    except SeqPrivError as error:
        raise said_of(which, error) from None
    keys = pd.Index(patterns.to_tuples(), dtype=object, tupleize_cols=False)
    return pd.Series(patterns.supports, index=keys)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else float("nan")
