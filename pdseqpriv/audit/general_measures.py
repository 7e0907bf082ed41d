"""Measures that apply to any two sequence tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.measure import Comparison, Measure
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences


def general_measures(pair: Comparison) -> list[Measure]:
    """Say how many sequences and events are left, and how far the distributions moved."""
    original, released = pair.original, pair.released
    return [
        Measure(
            "sequences_lost",
            1 - _ratio(_count_nonempty(released), _count_nonempty(original)),
            "lower",
            "",
            "share of the sequences with events that the release no longer has",
        ),
        Measure(
            "events_kept",
            _ratio(_count_events(released), _count_events(original)),
            "higher",
            "",
            "events in the release as a share of those in the original",
        ),
        Measure(
            "length_distance",
            _distance(_length_shares(original), _length_shares(released)),
            "lower",
            "",
            "total variation between the distributions of sequence lengths, 0 to 1",
        ),
        Measure(
            "event_distance",
            _event_distance(original, released),
            "lower",
            "",
            "total variation between the distributions of events, 0 to 1",
        ),
    ]


def _lengths(sequences: Sequences) -> NDArray[np.int64]:
    """Count the events of each sequence that are not marked."""
    before = np.concatenate(([0], np.cumsum(sequences.codes >= 0)))
    return np.diff(before[sequences.offsets])


def _count_nonempty(sequences: Sequences) -> int:
    return int((_lengths(sequences) > 0).sum())


def _count_events(sequences: Sequences) -> int:
    return int((sequences.codes >= 0).sum())


def _length_shares(sequences: Sequences) -> NDArray[np.float64]:
    lengths = _lengths(sequences)
    return _shares(np.bincount(lengths[lengths > 0]))


def _event_distance(original: Sequences, released: Sequences) -> float:
    vocabulary, new_original, new_released = merge_vocabularies(original.vocabulary, released.vocabulary)
    shares = []
    for sequences, new_code in ((original, new_original), (released, new_released)):
        counts = np.zeros(len(vocabulary), np.int64)
        codes = sequences.codes[sequences.codes >= 0]
        counts[new_code] = np.bincount(codes, minlength=len(new_code))
        shares.append(_shares(counts))
    return _distance(*shares)


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return counts / max(1, int(counts.sum()))


def _distance(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    size = max(first.size, second.size)
    padded = [np.pad(shares, (0, size - shares.size)) for shares in (first, second)]
    # A side without any events is as far as can be from one that has some.
    if first.any() != second.any():
        return 1.0
    return float(np.abs(padded[0] - padded[1]).sum() / 2)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
