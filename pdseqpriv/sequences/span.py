"""Distances within a sequence: a number of elements, or a length of time."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from pdseqpriv.errors import wrong_parameter
from pdseqpriv.parameters import one_of

# What users may give for a gap or a window.
SpanLike: TypeAlias = "int | float | str | dt.timedelta | np.timedelta64 | Span | None"

_UNITS = (
    ("D", 86_400 * 10**9),
    ("h", 3_600 * 10**9),
    ("min", 60 * 10**9),
    ("s", 10**9),
    ("ms", 10**6),
    ("us", 10**3),
)
_DIGITS = 300  # longer whole numbers have no float beside them
_BY_TIME = r"([0-9.eE+-]+)\s+time"
_SMALL_D = re.compile(r"(?<=[0-9. ])d(?![A-Za-z])")  # pandas is about to know days as "D" only


@dataclass(frozen=True)
class Span:
    """``value`` elements, or ``value`` on the time column when ``by_time``."""

    value: int | float | pd.Timedelta
    by_time: bool = False

    @property
    def kind(self) -> str:
        """What it measures: ``"elements"``, ``"number"`` (on a numeric time) or ``"timedelta"``."""
        if not self.by_time:
            return "elements"
        return "timedelta" if isinstance(self.value, pd.Timedelta) else "number"

    def __str__(self) -> str:
        if isinstance(self.value, pd.Timedelta):
            return _timedelta_text(self.value)
        return f"{self.value!r} time" if self.by_time else str(self.value)


@dataclass(frozen=True)
class Gap:
    """What may lie between two neighbours of a pattern; None means that the default bound applies."""

    least: Span | None = None
    most: Span | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that no distance satisfies; bounds of different kinds are not compared."""
        if self.least is None or self.most is None or self.least.kind != self.most.kind:
            return
        if self.least.value > self.most.value:
            raise wrong_parameter("min_gap", "at most max_gap", "a larger one")

    def __str__(self) -> str:
        return f"{'' if self.least is None else self.least}..{'' if self.most is None else self.most}"

    def __bool__(self) -> bool:
        return self.least is not None or self.most is not None

    def over(self, default: Gap) -> Gap:
        """Fill in the default's bound on each side that has none.

        Examples
        --------
        >>> print(Gap(Span(2)).over(Gap(Span(1), Span(6))))
        2..6
        """
        return Gap(self.least or default.least, self.most or default.most)


OPEN = Gap()
# Nothing may lie in between.
CONTIGUOUS = Gap(Span(0), Span(0))


def read_constraints(
    min_gap: object, max_gap: object, window: object, gap_unit: object, name_of_window: str
) -> tuple[Gap | None, Span | None]:
    """Read the constraints that a user gave for all gaps and for the window; None if there is none."""
    one_of("gap_unit", gap_unit, ("element", "time"))
    least, most = span(min_gap, gap_unit, "min_gap"), span(max_gap, gap_unit, "max_gap")
    longest = span(window, gap_unit, name_of_window)
    check_window(longest, name_of_window)
    return Gap(least, most) if least or most else None, longest


def check_window(window: Span | None, parameter: str) -> None:
    """Refuse a window that is too short for any match."""
    if window is not None and not window.by_time and window.value == 0:
        raise wrong_parameter(parameter, "at least 1 element", "0")


def span(value: object, gap_unit: object, parameter: str) -> Span | None:
    """Read a gap or a window."""
    if value is None or isinstance(value, Span):
        return value
    by_time = gap_unit == "time"
    result = span_from_text(value) if isinstance(value, str) else _from_value(value, by_time=by_time)
    if result is None:
        must = (
            "an int of at least 0 (elements), a time span such as '30min', or a number with gap_unit='time'"
        )
        raise wrong_parameter(parameter, must, _what(value))
    return result


def span_from_text(text: str) -> Span | None:
    """Read a text such as ``3``, ``90 time`` or ``1h30min``; None if it is not a span."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return Span(int(text)) if len(text) <= _DIGITS else None
    if number := re.fullmatch(_BY_TIME, text):
        return _possible(_number(number[1]))
    return None if _is_bare_number(text) else _possible(_timedelta(text))


def _timedelta(value: str | dt.timedelta | np.timedelta64) -> Span | None:
    try:
        converted = pd.Timedelta(_SMALL_D.sub("D", value) if isinstance(value, str) else value)
        return Span(converted.as_unit("ns"), True) if isinstance(converted, pd.Timedelta) else None
    except (ValueError, OverflowError):  # not a time span, or one of more than 292 years
        return None


def _number(text: str) -> Span | None:
    try:
        return Span(int(text) if text.isdigit() and len(text) <= _DIGITS else float(text), True)
    except ValueError:
        return None


def _is_bare_number(text: str) -> bool:
    return re.fullmatch(r"[0-9.eE+-]*", text) is not None


def _from_value(value: object, *, by_time: bool) -> Span | None:
    if isinstance(value, (dt.timedelta, np.timedelta64)):
        return _possible(_timedelta(value))
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer):
        return _possible(Span(int(value), by_time)) if abs(int(value)) < 10**_DIGITS else None
    if by_time and isinstance(value, float | np.floating):
        return _possible(Span(float(value), True))
    return None


def _possible(found: Span | None) -> Span | None:
    """Return None for a span that is negative or infinite."""
    if found is None:
        return None
    size = float(found.value.value if isinstance(found.value, pd.Timedelta) else found.value)
    return found if size >= 0 and math.isfinite(size) else None


def _what(value: object) -> str:
    """Describe a value for a message: numbers are shown, of text, which may be anything, only the type."""
    if isinstance(value, int) and abs(value) >= 10**_DIGITS:
        return "a larger one"
    return repr(value) if isinstance(value, int | float) else type(value).__name__


def _timedelta_text(value: pd.Timedelta) -> str:
    left, parts = int(value.value), []
    for unit, size in _UNITS:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
    if left or not parts:
        parts.append(f"{left}ns")
    return "".join(parts)
