"""What a release may carry beside its rows, and must not."""

from __future__ import annotations

import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, refusal
from pdseqpriv.sequences.record import ATTRIBUTE


def problem_of_traces(frame: pd.DataFrame) -> SeqPrivError | None:
    """Return what tells something beside the rows: an index, attributes, or categories that no row has."""
    index = frame.index
    is_plain = index.nlevels == 1 and index.equals(pd.RangeIndex(len(index)))
    if not is_plain or any(name is not None for name in (*index.names, *frame.columns.names)):
        return refusal("its index has labels that may reveal something. Use released.reset_index(drop=True).")
    others = [name for name in frame.attrs if name != ATTRIBUTE]
    if others:
        them = "it" if len(others) == 1 else "them"
        names = counted(len(others), "name")
        return refusal(f"{names} in attrs beside the record may reveal something. Remove {them}.")
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            unused = len(column.cat.categories) - column.nunique()
            if unused:
                of = "category that no row has" if unused == 1 else "categories that no row has"
                do = "Use .cat.remove_unused_categories()."
                return refusal(f"column {name!r} has {unused} {of}. {do}")
    return None
