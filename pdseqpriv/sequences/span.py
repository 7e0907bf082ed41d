"""Distances inside a sequence: a count of elements, or a length of time."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from pdseqpriv.errors import wrong_parameter

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
    """What may lie between two neighbours of a pattern; None leaves that side to the defaults."""

    least: Span | None = None
    most: Span | None = None

    def __str__(self) -> str:
        return f"{'' if self.least is None else self.least}..{'' if self.most is None else self.most}"

    def __bool__(self) -> bool:
        return self.least is not None or self.most is not None

    @property
    def is_ordered(self) -> bool:
        """Whether some distance can satisfy both bounds (bounds of different kinds are not compared)."""
        if self.least is None or self.most is None or self.least.kind != self.most.kind:
            return True
        return bool(self.least.value <= self.most.value)


# Nothing may lie in between.
CONTIGUOUS = Gap(Span(0), Span(0))


def span(value: object, gap_unit: str, parameter: str) -> Span | None:
    """The value a user gave for a gap or a window, checked."""
    if value is None or isinstance(value, Span):
        return value
    result = _from_text(value) if isinstance(value, str) else _from_value(value, by_time=gap_unit == "time")
    if result is None or _size(result) < 0 or not math.isfinite(_size(result)):
        must = (
            "an int of at least 0 (elements), a time span such as '30min', or a number with gap_unit='time'"
        )
        raise wrong_parameter(parameter, must, _what(value))
    return result


def span_from_text(text: str) -> Span | None:
    """The span a text such as ``3``, ``90 time`` or ``1h30min`` stands for, None when it is none."""
    result = _from_text(text)
    return None if result is None or _size(result) < 0 or not math.isfinite(_size(result)) else result


def _from_text(text: str) -> Span | None:
    text = text.strip()
    if text.isascii() and text.isdigit():
        return Span(int(text)) if len(text) <= _DIGITS else None
    if number := re.fullmatch(_BY_TIME, text):
        return _number(number[1])
    return None if _is_bare_number(text) else _timedelta(text)


def _timedelta(value: str | dt.timedelta | np.timedelta64) -> Span | None:
    try:
        converted = pd.Timedelta(value)
        return Span(converted.as_unit("ns"), True) if isinstance(converted, pd.Timedelta) else None
    except (ValueError, OverflowError):  # no time span, or one of more than 292 years
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
        return _timedelta(value)
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer):
        return Span(int(value), by_time) if abs(int(value)) < 10**_DIGITS else None
    if by_time and isinstance(value, float | np.floating):
        return Span(float(value), True)
    return None


def _size(value: Span) -> float:
    return float(value.value.value if isinstance(value.value, pd.Timedelta) else value.value)


def _what(value: object) -> str:
    """Numbers are said; a text may hold anything, so only its type is."""
    if isinstance(value, int) and abs(value) >= 10**_DIGITS:
        return "a larger one"
    return repr(value) if isinstance(value, int | float) else f"a {type(value).__name__}"


def _timedelta_text(value: pd.Timedelta) -> str:
    left, parts = int(value.value), []
    for unit, size in _UNITS:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
    if left or not parts:
        parts.append(f"{left}ns")
    return "".join(parts)
