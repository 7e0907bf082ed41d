"""The measures of Abul et al. 2007, section 6: marks, and what they do to the frequent patterns."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.sequences import Sequences


def mark_measures(original: Sequences, released: Sequences) -> dict[str, float]:
    """Return M1 if the rows are still those of the original; the tables have one vocabulary."""
    return {"M1": _count_changed(original, released)} if _same_places(original, released) else {}


def lost_pattern_measures(before: pd.Series, after: pd.Series) -> dict[str, float]:
    """Return M2 and M3 for the patterns that are frequent in the original, if there are any.

    Both series hold supports. ``after`` has the patterns that reach the same support in the release.
    """
    measures = {}
    if len(before):
        # Unsorted, because events and tuples of events cannot be compared.
        measures["M2"] = len(before.index.difference(after.index, sort=False)) / len(before)
    # If events were replaced, a pattern may be frequent only in the release; it has lost no support.
    both = after.index.intersection(before.index)
    if len(both):
        measures["M3"] = float((1 - after[both] / before[both]).mean())
    return measures


def _same_places(original: Sequences, released: Sequences) -> bool:
    return (
        original.ids.equals(released.ids)
        and np.array_equal(original.offsets, released.offsets)
        and np.array_equal(original.times, released.times)
    )


def _count_changed(original: Sequences, released: Sequences) -> float:
    """Count, element by element, the events that the release does not have there."""
    before, after = (np.unique(_cells(table), return_counts=True) for table in (original, released))
    _, in_before, in_after = np.intersect1d(before[0], after[0], assume_unique=True, return_indices=True)
    kept = np.minimum(before[1][in_before], after[1][in_after]).sum()
    return float(before[1].sum() - kept)


def _cells(sequences: Sequences) -> NDArray[np.int64]:
    """Number every (element, event) of the table; marked rows are left out."""
    begins = np.diff(sequences.elements, prepend=-1) != 0
    begins[sequences.offsets[:-1][sequences.lengths > 0]] = True
    there = sequences.codes >= 0
    return np.asarray(np.cumsum(begins)[there] * len(sequences.vocabulary) + sequences.codes[there])
