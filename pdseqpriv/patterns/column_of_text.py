"""Patterns as a column of text, the form that they have in CSV files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import pandas as pd

from pdseqpriv.errors import refusal
from pdseqpriv.patterns.lists import patterns_of_lists
from pdseqpriv.patterns.pattern import Pattern


def texts_of_patterns(patterns: pd.Series) -> pd.Series:
    """Write each pattern as users do, such as ``a -> (b c)``.

    Examples
    --------
    >>> texts_of_patterns(pd.Series([("a", ("b", "c d")), (7, 8)])).tolist()
    ['a -> ("c d" b)', '7 -> 8']
    """
    return pd.Series([str(Pattern(pattern)) for pattern in patterns], index=patterns.index, dtype="str")


def patterns_of_texts(texts: Iterable[str]) -> pd.Series:
    """Read patterns that were written as text.

    Examples
    --------
    >>> patterns_of_texts(['a -> ("c d" b)', "7 -> 8"]).tolist()
    [('a', ('b', 'c d')), (7, 8)]
    """
    return patterns_of_lists([[sorted(events) for events in _plain_elements(text)] for text in texts])


def _plain_elements(text: str) -> Sequence[Iterable[Hashable]]:
    """Return the elements of a pattern; a table of patterns has no place for its gaps and window."""
    pattern = Pattern(text)
    if pattern != Pattern(pattern.elements):
        raise refusal("a pattern in a table has neither gaps nor a window.")
    return pattern.elements
