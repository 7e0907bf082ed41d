"""Patterns and thresholds as users give them to an operation or a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError, refusal, wrong_parameter
from pdseqpriv.parameters import one_of, refuse_tables
from pdseqpriv.patterns.pattern import Pattern, PatternLike
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.span import Gap, Span, SpanLike, span

PatternsLike: TypeAlias = "str | Pattern | Iterable[PatternLike | Pattern]"

_MUST = "a list of patterns, each a text, a list of events or a Pattern"


def read_patterns(
    patterns: PatternsLike,
    *,
    min_gap: SpanLike = None,
    max_gap: SpanLike = None,
    max_window: SpanLike = None,
    gap_unit: str = "element",
) -> list[Pattern]:
    """Make Patterns of what came, with the constraints that they leave open."""
    one_of("gap_unit", gap_unit, ("element", "time"))
    gap = Gap(span(min_gap, gap_unit, "min_gap"), span(max_gap, gap_unit, "max_gap"))
    if not gap.is_ordered:
        raise wrong_parameter("min_gap", "at most max_gap", "a larger one")
    window = span(max_window, gap_unit, "max_window")
    if window == Span(0):
        raise wrong_parameter("max_window", "at least 1 element", "0")
    given = [patterns] if isinstance(patterns, str | Pattern) else patterns
    refuse_tables("patterns", given, _MUST, "pattern")
    is_single = isinstance(given, np.ndarray) and given.ndim == 0
    if is_single or isinstance(given, set | frozenset | bytes) or not hasattr(given, "__iter__"):
        raise wrong_parameter("patterns", _MUST, f"a {type(patterns).__name__}")
    read = [_read(one, number) for number, one in enumerate(given, 1)]
    if not read:
        raise wrong_parameter("patterns", _MUST, "an empty one")
    return [pattern.with_defaults(gap, window) for pattern in read]


def _read(pattern: PatternLike | Pattern, number: int) -> Pattern:
    """Make a Pattern, or say which one of the list is wrong; never what it holds."""
    if isinstance(pattern, Pattern):
        return pattern
    try:
        return Pattern(pattern)
    except SeqPrivError as error:
        said = str(error).removeprefix("Pattern: pattern ")
        raise refusal(f"pattern {number} of the list {said}") from None


def read_thresholds(max_support: int | Sequence[int], patterns: int) -> NDArray[np.int64]:
    """One threshold per pattern."""
    several = isinstance(max_support, Sequence | np.ndarray) and not isinstance(max_support, str)
    several = several and not (isinstance(max_support, np.ndarray) and max_support.ndim == 0)
    given: list[object] = list(max_support) if several else [max_support] * patterns  # type: ignore[arg-type]
    must = "an int of at least 0, or one such int per pattern"
    if len(given) != patterns:
        raise wrong_parameter("max_support", must, f"{len(given)} of them for {patterns} patterns")
    values = []
    for value in given:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
            raise wrong_parameter("max_support", must, f"a {type(value).__name__}")
        if value < 0:
            raise wrong_parameter("max_support", must, str(value))
        values.append(min(int(value), 2**62))
    return np.array(values, np.int64)


def without_repeats(
    patterns: list[Pattern], thresholds: NDArray[np.int64]
) -> tuple[list[Pattern], NDArray[np.int64]]:
    """Each pattern once, with the lowest threshold that it was given."""
    lowest: dict[Pattern, int] = {}
    for pattern, threshold in zip(patterns, thresholds.tolist(), strict=True):
        lowest[pattern] = min(threshold, lowest.get(pattern, threshold))
    return list(lowest), np.array(list(lowest.values()), np.int64)


def check_spans(pattern: Pattern, clock: Clock) -> None:
    """Stop at a span that the time column has no unit for."""
    for bound in pattern.spans:
        if bound.kind == "timedelta" and clock.unit is None:
            must = "counted in elements, or be numbers with gap_unit='time'"
            came = "a time span while time is a number without a unit"
            raise wrong_parameter("gaps and windows", must, came)
        if bound.kind == "number" and clock.unit is not None:
            must = "time spans such as '30min' where they are measured on a datetime"
            raise wrong_parameter("gaps and windows", must, "a number")
