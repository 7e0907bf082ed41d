"""Sequences as points, first and last time, along the Hilbert curve."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.generalization.hilbert import BITS, hilbert_index
from pdseqpriv.operations.generalize.people import Ints, People


def hilbert_order(people: People, slots: Ints) -> Ints:
    """Give some sequences in the order of the curve, those in one cell in their own order."""
    scale = (2**BITS - 1) / people.span if people.span > 0 else 0.0
    first = people.when[people.offsets[slots]] * scale
    last = people.when[people.offsets[slots + 1] - 1] * scale
    curve = hilbert_index(first.astype(np.int64), last.astype(np.int64))
    order: Ints = slots[np.argsort(curve, kind="stable")]
    return order
