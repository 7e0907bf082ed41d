"""Which event is meant: events by value, by number in a table, and by name as text.

Equal values are the same event. A table holds either text or whole numbers, so "7" and 7 cannot both occur in
it and are treated as the same event. The operations, the checks and the measures all use these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import in_our_words, refusal, wrong_parameter

Renumbering = NDArray[np.int32]

# The code of an event that does not occur in a table; a marked event has -1.
ABSENT = -2

_NAMES = "text or whole numbers"


def find_events(events: Iterable[Any], vocabulary: pd.Index) -> NDArray[np.int64]:
    """Return the code of each event in a vocabulary, ``ABSENT`` if it does not occur.

    Examples
    --------
    >>> find_events(["b", "z"], pd.Index(["a", "b"])).tolist(), find_events(["7", 8], pd.Index([7])).tolist()
    ([1, -2], [0, -2])
    """
    wanted = pd.Index(list(events), dtype=object, tupleize_cols=False)
    codes = np.asarray(vocabulary.astype(object).get_indexer(wanted), dtype=np.int64)
    missing = np.flatnonzero(codes < 0)
    if missing.size and len(vocabulary):
        codes[missing] = _as_text_objects(vocabulary).get_indexer(_as_text_objects(wanted[missing]))
    return np.where(codes < 0, ABSENT, codes)


def _as_text_objects(values: pd.Index) -> pd.Index:
    return pd.Index([str(value) for value in values], dtype=object)


def merge_vocabularies(first: pd.Index, second: pd.Index) -> tuple[pd.Index, Renumbering, Renumbering]:
    """Return the sorted union and, for each side, the new code for each old one.

    Examples
    --------
    >>> union, first, second = merge_vocabularies(pd.Index(["a", "c"]), pd.Index(["b", "c"]))
    >>> list(union), first.tolist(), second.tolist()
    (['a', 'b', 'c'], [0, 2], [1, 2])
    """
    if first.equals(second):
        same = np.arange(len(first), dtype=np.int32)
        return first, same, same
    if len(first) and len(second) and _are_numbers(first) != _are_numbers(second):
        raise refusal("the events are text in one table, or one part of it, and numbers in another.")
    if first.dtype != second.dtype:  # pandas turns some pairs into floats, where large numbers look alike
        first, second = first.astype(object), second.astype(object)
    union = first.union(second).sort_values()
    return union, _places(union, first), _places(union, second)


def _are_numbers(values: pd.Index) -> bool:
    return isinstance(values[0], Integral)


def _places(union: pd.Index, part: pd.Index) -> Renumbering:
    return np.asarray(union.get_indexer(part), dtype=np.int32)


def text_of_names(names: Any, parameter: str) -> pd.Index:  # noqa: ANN401 (any list of names)
    """Return names as text: 7 and "7" are the same name. Nulls stay null.

    Examples
    --------
    >>> list(text_of_names([7, "a"], "source"))
    ['7', 'a']
    """
    if isinstance(names, pd.Index) and names.dtype == "str":
        return names.rename(None)
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        do = "Put a single name into a list."
        raise wrong_parameter(parameter, "a list of names", type(names).__name__, do)
    column = _column(names)
    error = wrong_parameter(parameter, _NAMES, "names that cannot be written as text")
    with in_our_words(error):
        return pd.Index(_as_text(column, parameter).array)


def free_name(names: pd.Index) -> str:
    """Return a name for the category of all events that is not yet taken by an event or a category.

    Examples
    --------
    >>> free_name(pd.Index(["a", "b"])), free_name(pd.Index(["ALL", "b"]))
    ('ALL', 'ALL (all events)')
    """
    taken, name, number = set(names), "ALL", 1
    while name in taken:
        name = "ALL (all events)" if number == 1 else f"ALL (all events, {number})"
        number += 1
    return name


def _column(names: Iterable[object]) -> pd.Series:
    if isinstance(names, pd.Index | pd.Series | np.ndarray | pd.api.extensions.ExtensionArray):
        column = pd.Series(names).reset_index(drop=True)
    else:
        column = pd.Series(list(names), dtype=object)
    return column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column


def _as_text(column: pd.Series, parameter: str) -> pd.Series:
    if pd.api.types.is_integer_dtype(column.dtype):
        return column.astype("str")
    if column.dtype == object:
        column = _objects_as_text(column, parameter)
    elif not pd.api.types.is_string_dtype(column.dtype) and not column.isna().all():
        raise wrong_parameter(parameter, _NAMES, str(column.dtype))
    return column.astype("str")


def _objects_as_text(column: pd.Series, parameter: str) -> pd.Series:
    if pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty"):
        return column
    present = column.notna().to_numpy()
    strange = next((one for one in column[present] if not _is_name(one)), None)
    if strange is not None:
        raise wrong_parameter(parameter, _NAMES, f"a {type(strange).__name__} among them")
    text = column.copy()
    text[present] = [str(one) for one in column[present]]
    return text


def _is_name(one: object) -> bool:
    return isinstance(one, str | Integral) and not isinstance(one, bool | np.bool_)
