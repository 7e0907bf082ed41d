"""Names of events and categories as text: whole numbers are taken for their digits."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import in_our_words, wrong_parameter

_MUST = "text or whole numbers"


def text_of_names(names: Any, parameter: str) -> pd.Index:  # noqa: ANN401 (any list of names)
    """Give names as text; nulls stay null. 7 and "7" are the same name.

    Examples
    --------
    >>> list(text_of_names([7, "a"], "source"))
    ['7', 'a']
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        do = "Put a single name into a list."
        raise wrong_parameter(parameter, "a list of names", type(names).__name__, do)
    column = _column(names)
    error = wrong_parameter(parameter, _MUST, "names that cannot be written as text")
    with in_our_words(error):
        return pd.Index(_as_text(column, parameter).array)


def free_name(names: pd.Index, wanted: str = "ALL") -> str:
    """Give a name for the category of all events that no event or category has.

    Examples
    --------
    >>> free_name(pd.Index(["a", "b"])), free_name(pd.Index(["ALL", "b"]))
    ('ALL', 'ALL (all events)')
    """
    taken, name, number = set(names), wanted, 1
    while name in taken:
        name = f"{wanted} (all events)" if number == 1 else f"{wanted} (all events, {number})"
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
        raise wrong_parameter(parameter, _MUST, str(column.dtype))
    return column.astype("str")


def _objects_as_text(column: pd.Series, parameter: str) -> pd.Series:
    if pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty"):
        return column
    present = column.notna().to_numpy()
    strange = next((one for one in column[present] if not _is_name(one)), None)
    if strange is not None:
        raise wrong_parameter(parameter, _MUST, f"a {type(strange).__name__} among them")
    text = column.copy()
    text[present] = [str(one) for one in column[present]]
    return text


def _is_name(one: object) -> bool:
    return isinstance(one, str | Integral) and not isinstance(one, bool | np.bool_)
