"""A relative frequency that must not be reached, as a fraction of whole numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np

from pdseqpriv.errors import in_our_words, wrong_parameter

_MUST = "a number above 0 and at most 1"
_SHOWN = 10**6


def read_threshold(value: object, function: str, parameter: str) -> Fraction:
    """Read a number above 0 and at most 1, exactly as it is written.

    A float means the decimal number that Python prints for it: 0.1 is one tenth, not the binary number
    next to it. Fractions and Decimals are taken as they are.

    Examples
    --------
    >>> read_threshold(0.1, "sanitize", "delta"), read_threshold(Fraction(1, 3), "sanitize", "delta")
    (Fraction(1, 10), Fraction(1, 3))
    """
    exact = read_fraction(value, function, parameter, _MUST)
    if not 0 < exact <= 1:
        raise wrong_parameter(function, parameter, _MUST, shown(value, exact))
    return exact


def read_fraction(value: object, function: str, parameter: str, must: str) -> Fraction:
    """Read a finite number exactly as it is written; ``must`` says what it has to be.

    Examples
    --------
    >>> read_fraction(1.5, "generalize", "diversity", "a number"), read_fraction(2, "generalize", "k", "")
    (Fraction(3, 2), Fraction(2, 1))
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Rational | float | np.number | Decimal):
        raise wrong_parameter(function, parameter, must, type(value).__name__)
    is_float = isinstance(value, float | np.floating)
    came = str(value) if is_float else "what is no such number"
    with in_our_words(wrong_parameter(function, parameter, must, came)):
        return Fraction(str(value)) if is_float else Fraction(value)  # type: ignore[arg-type]


def shown(value: object, exact: Fraction) -> str:
    """Say a number in a message, unless it is long."""
    return str(value) if abs(exact) < _SHOWN else "a larger one"


def round_up(threshold: Fraction, largest: int) -> Fraction:
    """Give the least fraction from ``threshold`` up whose denominator is at most ``largest``.

    A relative frequency among at most ``largest`` events is below the one exactly when it is below the
    other, and products with the new numerator and denominator fit into 64 bits.

    Examples
    --------
    >>> round_up(Fraction(1, 10), 1000), round_up(Fraction("0.3333333333333333"), 1000)
    (Fraction(1, 10), Fraction(1, 3))
    >>> round_up(Fraction(1, 10**9), 1000)
    Fraction(1, 1000)
    """
    if threshold.denominator <= largest:
        return threshold
    # Two neighbours in the tree of all fractions, the threshold between them, drawn closer in turn.
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
