"""How much of the frequent patterns is left (Monreale et al. 2014, section 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.audit.measure import Comparison, Measure, Which

PAPER = "Monreale et al. 2014"


def frequent_pattern_measures(pair: Comparison) -> list[Measure]:
    """Compare the patterns that are frequent in each table, if a support level was given."""
    if pair.min_support is None:
        return []
    before, after = _frequencies(pair, "original"), _frequencies(pair, "released")
    both = before.index.intersection(after.index)
    precision, recall = _ratio(len(both), len(after)), _ratio(len(both), len(before))
    measures = [
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
            "SupSim: smaller frequency divided by larger, averaged over the patterns frequent in both",
        ),
    ]
    return [measure._replace(basis=pair.basis) for measure in measures]


def _frequencies(pair: Comparison, which: Which) -> pd.Series:
    """Give the frequent patterns of a table and the share of its sequences that contain each."""
    total = pair.sequences_in(which)
    return pair.supports(which, pair.count_for(which)) / total if total else pd.Series(dtype=float)


def _similarity(before: np.ndarray, after: np.ndarray) -> float:
    if not before.size:
        return float("nan")
    return float(np.mean(np.minimum(before, after) / np.maximum(before, after)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
