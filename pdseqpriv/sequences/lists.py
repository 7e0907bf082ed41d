"""Lists that users give, and what may be taken for one by mistake."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pdseqpriv.errors import wrong_parameter

# What pandas calls the values of value_counts().
_COUNTS = ("count", "proportion")


def refuse_tables(given: object, function: str, parameter: str, must: str, column: str) -> None:
    """Raise for what iterates over other things than the list that is meant.

    A DataFrame gives its column names, a mapping its keys, ``value_counts()`` its counts: none of them would
    be found in a table, so nothing would be protected.
    """
    if isinstance(given, pd.DataFrame):
        do = f"Give one column, for example its column {column!r}: {parameter}=frame[{column!r}]."
        raise wrong_parameter(function, parameter, must, "a DataFrame", do)
    if isinstance(given, Mapping):
        raise wrong_parameter(function, parameter, must, f"a {type(given).__name__}", "Give a list.")
    if isinstance(given, pd.Series) and given.name in _COUNTS:
        raise wrong_parameter(function, parameter, must, "a Series of counts", "Give its index instead.")
