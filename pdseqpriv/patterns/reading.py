"""Read the patterns and thresholds that users give to an operation or a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError, counted, listed, refusal, warn, wrong_parameter
from pdseqpriv.parameters import refuse_tables
from pdseqpriv.patterns.pattern import Pattern, PatternLike
from pdseqpriv.sequences.span import SpanLike, read_constraints

PatternsLike: TypeAlias = "str | Pattern | Iterable[PatternLike | Pattern]"

_MUST = "a list of patterns, each a text, a list of events or a Pattern"


def patterns_and_thresholds(
    patterns: PatternsLike,
    max_support: int | Sequence[int],
    *,
    min_gap: SpanLike,
    max_gap: SpanLike,
    max_window: SpanLike,
    gap_unit: object,
) -> tuple[list[Pattern], NDArray[np.int64]]:
    """Read patterns and their thresholds; the constraints given here apply where a pattern has none."""
    gap, window = read_constraints(min_gap, max_gap, max_window, gap_unit, "max_window")
    given = [patterns] if isinstance(patterns, str | Pattern) else patterns
    refuse_tables("patterns", given, _MUST, "pattern")
    is_single = isinstance(given, np.ndarray) and given.ndim == 0
    if is_single or isinstance(given, set | frozenset | bytes) or not hasattr(given, "__iter__"):
        raise wrong_parameter("patterns", _MUST, type(patterns).__name__)
    read = [_read(one, number) for number, one in enumerate(given, 1)]
    if not read:
        raise wrong_parameter("patterns", _MUST, "an empty list")
    thresholds = _read_thresholds(max_support, len(read))
    if gap is None and window is None:
        return read, thresholds
    return [pattern.with_defaults(gap, window) for pattern in read], thresholds


def _read(pattern: PatternLike | Pattern, number: int) -> Pattern:
    """Read one pattern, or say which one of the list is wrong, without quoting it."""
    if isinstance(pattern, Pattern):
        return pattern
    try:
        return Pattern(pattern)
    except SeqPrivError as error:
        said = str(error).removeprefix("Pattern: ")
        said = said.removeprefix("pattern") if said.startswith("pattern ") else f": {said}"
        raise refusal(f"pattern {number} of the list{said}") from None


def _read_thresholds(max_support: int | Sequence[int], patterns: int) -> NDArray[np.int64]:
    """Read one threshold per pattern."""
    several = isinstance(max_support, Sequence | np.ndarray) and not isinstance(max_support, str)
    several = several and not (isinstance(max_support, np.ndarray) and max_support.ndim == 0)
    given: list[object] = list(max_support) if several else [max_support] * patterns  # type: ignore[arg-type]
    must = "an int of at least 0, or one such int per pattern"
    if len(given) != patterns:
        raise wrong_parameter("max_support", must, f"{len(given)} of them for {counted(patterns, 'pattern')}")
    values = []
    for value in given:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
            raise wrong_parameter("max_support", must, type(value).__name__)
        if value < 0:
            raise wrong_parameter("max_support", must, str(value))
        values.append(min(int(value), 2**62))
    return np.array(values, np.int64)


def without_repeats(
    patterns: list[Pattern], thresholds: NDArray[np.int64]
) -> tuple[list[Pattern], NDArray[np.int64]]:
    """Return each pattern once, with its lowest threshold."""
    given: dict[Pattern, list[int]] = {}
    for pattern, threshold in zip(patterns, thresholds.tolist(), strict=True):
        given.setdefault(pattern, []).append(threshold)
    return list(given), np.array([min(several) for several in given.values()], np.int64)


def warn_of_absent_events(typed: Sequence[str], absent: Sequence[bool]) -> None:
    """Warn of those among the patterns that name events that the table does not have."""
    if any(absent):
        which = listed(compress(typed, absent))
        warn(f"{absent_events(sum(absent), len(typed))} ({which}). Check their spelling.")


def absent_events(patterns: int, total: int) -> str:
    """Return how many patterns name events that do not occur in a table, in words.

    Examples
    --------
    >>> absent_events(1, 2), absent_events(3, 3)
    ('1 of 2 patterns names events that are not in the table', '3 of 3 patterns name events that ...')
    """
    verb = "names" if patterns == 1 else "name"
    return f"{patterns} of {counted(total, 'pattern')} {verb} events that are not in the table"
