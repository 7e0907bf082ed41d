"""Comparing relative frequencies without floats."""

from __future__ import annotations

from fractions import Fraction


def round_up(threshold: Fraction, largest: int) -> Fraction:
    """Return the smallest fraction of at least ``threshold`` whose denominator is at most ``largest``.

    A relative frequency among at most ``largest`` events is below the result exactly when it is below the
    threshold, and products with the new numerator and denominator fit into 64 bits.

    Examples
    --------
    >>> round_up(Fraction(1, 10), 1000), round_up(Fraction("0.3333333333333333"), 1000)
    (Fraction(1, 10), Fraction(1, 3))
    >>> round_up(Fraction(1, 10**9), 1000)
    Fraction(1, 1000)
    """
    if threshold.denominator <= largest:
        return threshold
    # Two neighbours in the tree of all fractions, with the threshold between them, are moved closer in turn.
    low_top, low_bottom, high_top, high_bottom = 0, 1, 1, 1
    top, bottom = threshold.numerator, threshold.denominator
    while True:
        to_low = high_top * bottom - top * high_bottom
        steps = to_low // (top * low_bottom - low_top * bottom)
        steps = min(steps, (largest - high_bottom) // low_bottom)
        high_top, high_bottom = high_top + steps * low_top, high_bottom + steps * low_bottom
        to_high = top * low_bottom - low_top * bottom
        more = (to_high - 1) // (high_top * bottom - top * high_bottom)
        more = min(more, (largest - low_bottom) // high_bottom)
        low_top, low_bottom = low_top + more * high_top, low_bottom + more * high_bottom
        if steps == more == 0:
            return Fraction(high_top, high_bottom)
