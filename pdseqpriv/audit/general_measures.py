"""Measures that apply to any two sequence tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy


def general_measures(original: Sequences, released: Sequences) -> dict[str, float]:
    """Measure how many sequences and events are left, and how much the distributions changed."""
    before, after = _lengths(original), _lengths(released)
    return {
        "sequences_lost": 1 - _ratio(after.size, before.size),
        "events_kept": _ratio(after.sum(), before.sum()),
        "length_distance": _distance(np.bincount(before), np.bincount(after)),
        "event_distance": _distance(*_count_events(original, released)),
    }


def category_measures(original: Sequences, released: Sequences, taxonomy: Taxonomy) -> dict[str, float]:
    """Measure how many events are left as they were or as categories, and how much information is kept."""
    places = taxonomy.find(released.vocabulary)
    missing = int((places < 0).sum())
    if missing:
        names, are = counted(len(places), "name"), "is" if missing == 1 else "are"
        raise refusal(f"of the {names} of events in the release, {missing} {are} not in the taxonomy.")
    shown = released.codes[released.codes >= 0]
    is_event, kept = taxonomy.is_leaf[places][shown], 1 - taxonomy.shares[places][shown]
    before = int(_lengths(original).sum())
    return {
        "events_kept_exactly": _ratio(is_event.sum(), before),
        "events_kept_as_category": _ratio((~is_event).sum(), before),
        "information_kept": _ratio(kept.sum(), before),
    }


def _lengths(sequences: Sequences) -> NDArray[np.int64]:
    """Count the events of each sequence that are not marked; sequences without any are left out."""
    before = np.concatenate(([0], np.cumsum(sequences.codes >= 0)))
    lengths = np.diff(before[sequences.offsets])
    return lengths[lengths > 0]


def _count_events(original: Sequences, released: Sequences) -> list[NDArray[np.int64]]:
    """Count each event of either table in both."""
    vocabulary, *new_codes = merge_vocabularies(original.vocabulary, released.vocabulary)
    return [
        np.bincount(new_code[sequences.codes[sequences.codes >= 0]], minlength=len(vocabulary))
        for sequences, new_code in zip((original, released), new_codes, strict=True)
    ]


def _distance(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Give the total variation between two distributions, which come as counts."""
    # A table without any events is as far as possible from one with events.
    if before.any() != after.any():
        return 1.0
    size = max(before.size, after.size)
    first, second = (
        np.pad(counts / max(1, counts.sum()), (0, size - counts.size)) for counts in (before, after)
    )
    return float(np.abs(first - second).sum() / 2)


def _ratio(part: float, whole: int) -> float:
    return float(part / whole) if whole else float("nan")
