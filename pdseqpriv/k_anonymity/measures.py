"""How many of the frequent patterns are left (Monreale et al. 2014, section 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd


def frequent_pattern_measures(before: pd.Series, after: pd.Series) -> dict[str, float]:
    """Compare the frequent patterns of two tables, given the share of the sequences that contain each."""
    both = before.index.intersection(after.index)
    return {
        "pattern_precision": _ratio(len(both), len(after)),
        "pattern_recall": _ratio(len(both), len(before)),
        "f_measure": _ratio(2 * len(both), len(before) + len(after)),
        "support_similarity": _similarity(before[both].to_numpy(), after[both].to_numpy()),
    }


def _similarity(before: np.ndarray, after: np.ndarray) -> float:
    if not before.size:
        return float("nan")
    return float(np.mean(np.minimum(before, after) / np.maximum(before, after)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
