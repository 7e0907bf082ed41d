"""The Hilbert curve, and groups cut from it (algorithm 3)."""

from __future__ import annotations

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled

# Cells along each side, as a power of 2: a single far outlier leaves the others in cells of their own.
BITS = 31


@compiled
def hilbert_index(x: Array, y: Array) -> Array:
    """Give the place on the Hilbert curve of cells with whole coordinates below 2 ** BITS."""
    found = np.zeros(x.size, np.int64)
    for i in range(x.size):
        a, b, place = np.int64(x[i]), np.int64(y[i]), np.int64(0)
        for bit in range(BITS - 1, -1, -1):
            side = np.int64(1) << bit
            right, upper = (a >> bit) & 1, (b >> bit) & 1
            place += side * side * ((3 * right) ^ upper)
            # Turn the quarter so that the curve inside it starts where the last one ended.
            a, b = a & (side - 1), b & (side - 1)
            if upper == 0:
                if right == 1:
                    a, b = side - 1 - a, side - 1 - b
                a, b = b, a
        found[i] = place
    return found
