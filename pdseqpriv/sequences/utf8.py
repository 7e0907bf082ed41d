"""Whether text can be written as UTF-8, where nobody has looked yet: Arrow's bytes, and categories."""

from __future__ import annotations

import pandas as pd


def is_utf8(column: pd.Series) -> bool:
    """Return whether all text in a column can be written as UTF-8; of objects, only categories are tried."""
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    names = column.cat.categories if is_category else column
    if is_category and names.dtype == object:
        return _can_be_encoded("".join(name for name in names if isinstance(name, str)))
    if not isinstance(names.array, pd.arrays.ArrowExtensionArray):
        return True
    import pyarrow as pa

    try:
        names.array.__arrow_array__().validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _can_be_encoded(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
