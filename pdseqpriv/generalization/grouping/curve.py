"""Clusters as points, first and last time, along the Hilbert curve."""

from __future__ import annotations

import numpy as np

from pdseqpriv.generalization.kernels.clusters import BEGIN, END, Clusters
from pdseqpriv.generalization.kernels.hilbert import BITS, hilbert_index
from pdseqpriv.generalization.kernels.loss import TIME
from pdseqpriv.generalization.people import Ints


def hilbert_order(clusters: Clusters, slots: Ints, span: float) -> Ints:
    """Give some clusters in the order of the curve, those in one cell in their own order."""
    scale = (2**BITS - 1) / span if span > 0 else 0.0
    times = clusters.summaries.times[TIME]
    first = times[clusters.slots[BEGIN, slots]] * scale
    last = times[clusters.slots[END, slots] - 1] * scale
    curve = hilbert_index(first.astype(np.int64), last.astype(np.int64))
    order: Ints = slots[np.argsort(curve, kind="stable")]
    return order
