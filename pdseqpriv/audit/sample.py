"""Some sequences of an original and of its release, for measures that take long."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.sequences import Sequences


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
    places = find_values(released.ids, original.ids)
    if (places >= 0).all():
        others = np.flatnonzero(np.isin(places, chosen))
    else:
        others = np.sort(rng.choice(released.n_sequences, round(share * released.n_sequences), replace=False))
    return Sample(original.take(chosen), released.take(others), share)
