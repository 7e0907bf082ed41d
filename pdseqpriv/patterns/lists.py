"""Patterns as lists of lists, the form that Arrow and Parquet have for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd


def lists_of_patterns(patterns: pd.Series) -> pd.Series:
    """Write each pattern as a list of elements, and each element as a list of events."""
    return patterns.map(
        lambda pattern: [list(element) if isinstance(element, tuple) else [element] for element in pattern]
    )


def patterns_of_lists(lists: Iterable[Any]) -> pd.Series:
    """Read each element with one event as that event, as :func:`pdseqpriv.mine` gives it."""
    patterns = [tuple(_element(list(element)) for element in pattern) for pattern in lists]
    return pd.Series(patterns, dtype=object)


def _element(events: list[Any]) -> Any:  # noqa: ANN401 (text or numbers)
    plain = [event.item() if hasattr(event, "item") else event for event in events]
    return plain[0] if len(plain) == 1 else tuple(plain)
