"""How much of the frequent patterns is left (Monreale et al. 2014, section 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.audit.measures.measure import Comparison, Measure
from pdseqpriv.operations.frequent_patterns import frequent_patterns, summarise
from pdseqpriv.operations.mine import count_of
from pdseqpriv.table.sequences import Sequences

PAPER = "Monreale et al. 2014"


def frequent_pattern_measures(pair: Comparison) -> list[Measure]:
    """Compare the patterns that are frequent in each table, if a support level was given."""
    if pair.min_support is None:
        return []
    before = _frequencies(pair.original, pair.min_support)
    after = _frequencies(pair.released, pair.min_support)
    both = before.index.intersection(after.index)
    precision, recall = _ratio(len(both), len(after)), _ratio(len(both), len(before))
    return [
        Measure(
            "pattern_precision",
            precision,
            "higher",
            PAPER,
            "share of the patterns frequent in the release that are frequent in the original",
        ),
        Measure(
            "pattern_recall",
            recall,
            "higher",
            PAPER,
            "share of the patterns frequent in the original that are frequent in the release",
        ),
        Measure(
            "f_measure",
            2 * len(both) / (len(before) + len(after)) if len(before) + len(after) else float("nan"),
            "higher",
            PAPER,
            "harmonic mean of pattern precision and recall, 0 to 1",
        ),
        Measure(
            "support_similarity",
            _similarity(before[both].to_numpy(), after[both].to_numpy()),
            "higher",
            PAPER,
            "SupSim: smaller by larger frequency, on average over the patterns frequent in both, 0 to 1",
        ),
    ]


def _frequencies(sequences: Sequences, min_support: float) -> pd.Series:
    """Give the frequent patterns of a table and the share of its sequences that contain each."""
    table = summarise(sequences)
    if table.total == 0:
        return pd.Series(dtype=float)
    patterns = frequent_patterns(table, count_of(min_support, table)).to_frame()
    # Tuples of different lengths must not become levels of an index.
    names = pd.Index(patterns["pattern"].to_numpy(), tupleize_cols=False)
    return pd.Series(patterns["support"].to_numpy() / table.total, index=names)


def _similarity(before: np.ndarray, after: np.ndarray) -> float:
    if not before.size:
        return float("nan")
    return float(np.mean(np.minimum(before, after) / np.maximum(before, after)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
