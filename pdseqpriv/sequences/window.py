"""The length of a time window: as users give it, and in the units of a table's times."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pdseqpriv.errors import SeqPrivError, refusal, wrong_parameter
from pdseqpriv.parameters import SMALLEST_K, diversity_pair, shown, whole_number
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.span import Span, span

_LENGTH = "a number of at least 0, or for datetimes a time span such as '30min'"
_MUST = {"diversity": f"a pair (g, l) whose g is {_LENGTH}, or float('inf')"}


def k_and_diversity(k: object, diversity: object) -> tuple[int | None, Span | None, Fraction | None]:
    """Read what groups must satisfy: k, and the g (None if infinite) and l of diversity.

    Examples
    --------
    >>> k_and_diversity(3, (5, 1.5)), k_and_diversity(None, (float("inf"), 2))
    ((3, Span(value=5, by_time=True), Fraction(3, 2)), (None, None, Fraction(2, 1)))
    """
    if k is None and diversity is None:
        raise refusal("give k, diversity or both: without them nothing is protected.")
    size = None if k is None else whole_number("k", k, least=SMALLEST_K)
    if diversity is None:
        return size, None, None
    g, one_in = diversity_pair(diversity)
    is_infinite = isinstance(g, float | np.floating) and g == math.inf
    return size, None if is_infinite else read_window("diversity", g), one_in


def read_window(parameter: str, length: object) -> Span:
    """Read the length of a window of time."""
    try:
        read = span(length, "time", parameter)
    except SeqPrivError:
        read = None
    if read is None or not read.by_time:
        raise wrong_parameter(parameter, _MUST.get(parameter, _LENGTH), _came(length)) from None
    return read


def _came(length: object) -> str:
    if isinstance(length, int | float):
        return shown(length)
    return "text that is not a time span" if isinstance(length, str) else f"a {type(length).__name__}"


def window_length(parameter: str, window: Span | None, clock: Clock) -> float:
    """Return how much later than the first a time in a window may be; None means a window without an end.

    A whole number stays one, whatever its size and even where times are decimal: as a float it might become
    shorter than what was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> window_length("diversity", Span(2.5, True), Clock(None, np.dtype(np.int64)))
    2
    """
    if window is None:
        return clock.longest
    is_number = clock.unit is None
    if window.kind != ("number" if is_number else "timedelta"):
        came = "a time span, but time is a number" if is_number else "a number, but time is a datetime"
        raise wrong_parameter(parameter, _MUST.get(parameter, _LENGTH), came)
    if isinstance(window.value, int) and clock.dtype.kind == "f":
        return window.value
    return clock.longest_allowed(window)
