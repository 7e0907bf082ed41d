"""ODESA (Loukides and Gwadera 2015): the three phases for one event, errors in closed form.

One test is not in the printed steps 16 to 21 but in figure 2: only rows i >= b_j are computed, which delete
at least as many events as the prefix up to time point j needs. Without it, prefixes can stay frequent.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def odesa(
    counts: Array, lengths: Array, squares: Array, alphabet: int, numerator: int, denominator: int
) -> float:
    """Return the least sanitization error; delta is a fraction of whole numbers.

    Per time point: ``counts`` of the sensitive event, ``lengths`` of all events, and ``squares``, the sum of
    c * (c + 1) over the counts c of all events.
    """
    points = counts.size
    needed = np.zeros(points, np.int64)
    count, length = 0, 0
    for j in range(points):
        count += counts[j]
        length += lengths[j]
        over = denominator * count - numerator * length
        if over >= 0:
            needed[j] = min(count, over // (denominator - numerator) + 1)
    most = needed.max()
    cost = np.full((most + 1, points + 1), np.inf)
    chosen = np.zeros((most + 1, points + 1), np.int32)
    cost[0, 0] = 0.0
    for j in range(points):
        total = lengths[j] + 0.5 * alphabet
        own = counts[j] + 0.5
        factor = ((total - own) ** 2 + squares[j] + 0.25 * alphabet - own * own) / total**2
        for i in range(needed[j], most + 1):
            for k in range(min(i, counts[j]) + 1):
                candidate = cost[i - k, j] + factor * (k / (total - k)) ** 2
                if candidate < cost[i, j + 1]:
                    cost[i, j + 1] = candidate
                    chosen[i, j + 1] = k
    return cost[most, points]  # type: ignore[no-any-return]
