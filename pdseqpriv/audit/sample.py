"""Some sequences of an original and of its release, for measures that take long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.vocabulary import find_events


@dataclass(frozen=True)
class Sample:
    """The same share of both tables."""

    original: Sequences
    released: Sequences
    share: Fraction


def draw(original: Sequences, released: Sequences, size: int | None, seed: int) -> Sample | None:
    """Draw so many sequences of the original, and the same share of the release.

    Where all ids of the release are ids of the original, the sequences of the same ids are taken; else
    others are drawn. None where the original has no more than that anyway.
    """
    if size is None or size >= original.n_sequences:
        return None
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(original.n_sequences, size, replace=False))
    share = Fraction(size, original.n_sequences)
    places = find_events(original.ids, released.ids)
    if (places >= 0).all():
        others = np.flatnonzero(np.isin(places, chosen))
    else:
        others = np.sort(rng.choice(released.n_sequences, round(share * released.n_sequences), replace=False))
    return Sample(_take(original, chosen), _take(released, others), share)


def _take(sequences: Sequences, chosen: NDArray[np.int64]) -> Sequences:
    lengths = sequences.lengths[chosen]
    ends = np.cumsum(lengths)
    rows = np.arange(lengths.sum()) + np.repeat(sequences.offsets[chosen] - ends + lengths, lengths)
    return replace(
        sequences,
        codes=sequences.codes[rows],
        offsets=np.concatenate(([0], ends)).astype(np.int64),
        times=sequences.times[rows],
        rows=sequences.rows[rows],
        ids=sequences.ids[chosen],
    )
