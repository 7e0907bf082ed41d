"""The measures of Abul et al. 2007, section 6: marks, and what they do to the frequent patterns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.measure import Comparison, Measure
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences

PAPER = "Abul et al. 2007"


def hiding_measures(pair: Comparison) -> list[Measure]:
    """Measure M1 if the rows are still those of the original, and M2 and M3 if ``min_support`` is given."""
    measures = []
    if _same_places(pair.original, pair.released):
        meaning = "events of the original that are marked or replaced in the release"
        measures.append(Measure("M1", _count_changed(pair.original, pair.released), "lower", PAPER, meaning))
    if pair.min_support is not None:
        measures += _pattern_measures(pair)
    return measures


def _same_places(original: Sequences, released: Sequences) -> bool:
    return (
        original.ids.equals(released.ids)
        and np.array_equal(original.offsets, released.offsets)
        and np.array_equal(original.times, released.times)
    )


def _count_changed(original: Sequences, released: Sequences) -> float:
    """Count, element by element, the events that the release does not have there."""
    vocabulary, of_original, of_released = merge_vocabularies(original.vocabulary, released.vocabulary)
    before, after = (
        np.unique(_cells(sequences, codes, len(vocabulary)), return_counts=True)
        for sequences, codes in ((original, of_original), (released, of_released))
    )
    _, in_before, in_after = np.intersect1d(before[0], after[0], assume_unique=True, return_indices=True)
    kept = np.minimum(before[1][in_before], after[1][in_after]).sum()
    return float(before[1].sum() - kept)


def _cells(sequences: Sequences, codes: NDArray[np.int32], events: int) -> NDArray[np.int64]:
    """Number every (element, event) of the table; marked rows are left out."""
    begins = np.diff(sequences.elements, prepend=-1) != 0
    begins[sequences.offsets[:-1][sequences.lengths > 0]] = True
    there = sequences.codes >= 0
    return np.asarray(np.cumsum(begins)[there] * np.int64(events) + codes[sequences.codes[there]])


def _pattern_measures(pair: Comparison) -> list[Measure]:
    # A frequency in the original, also where the release has fewer sequences.
    count = pair.count_for("original")
    before, after = pair.supports("original", count), pair.supports("released", count)
    measures = []
    if len(before):
        meaning = "share of the frequent patterns that are no longer frequent"
        # Unsorted, because events and tuples of events cannot be compared.
        lost = len(before.index.difference(after.index, sort=False)) / len(before)
        measures.append(Measure("M2", lost, "lower", PAPER, meaning))
    # Where events were replaced, a pattern may be frequent in the release only; it has lost no support.
    both = after.index.intersection(before.index)
    if len(both):
        meaning = "average share of their support lost by the patterns that are still frequent"
        change = 1 - after[both] / before[both]
        measures.append(Measure("M3", float(change.mean()), "lower", PAPER, meaning))
    return [measure._replace(basis=pair.basis) for measure in measures]
