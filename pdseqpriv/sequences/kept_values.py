"""What columns must hold that are kept beside the sequences: one name for each person, or null."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import pandas as pd

from pdseqpriv.errors import SeqPrivError, counted, refusal, wrong_column
from pdseqpriv.sequences.rules import (
    NAMES,
    Problem,
    describe_kind,
    groups_with_several,
    holds_names,
    kind_of,
    problem_of_events,
    without_dictionary,
)

_TO_TEXT = "Convert it with .astype(str)."
_TO_NUMBERS = (
    "Convert it to whole numbers with .astype('Int64'), or make ranges of it: pd.cut(...).astype(str)."
)


def problem_of_kept_values(column: pd.Series) -> Problem:
    """Return what is wrong with a column that is kept, or None."""
    if isinstance(column.dtype, pd.SparseDtype):
        return wrong_column(column.name, NAMES, "it is sparse", "Convert it with .sparse.to_dense().")
    if holds_names(column):
        return problem_of_events(column)  # only of its text there may be something to say
    if kind_of(column) == "float":
        return wrong_column(column.name, NAMES, describe_kind(column), _TO_NUMBERS)
    first = column.iloc[column.notna().argmax()]
    if isinstance(first, Collection) and not isinstance(first, str | bytes):
        do = "Make a name of each, for example with .map(str)."
        return wrong_column(column.name, NAMES, "it holds lists, dicts or the like", do)
    return wrong_column(column.name, NAMES, describe_kind(column), _TO_TEXT)


def of_several_values(several: int, noun: str) -> SeqPrivError:
    """Return the refusal of columns of which so many sequences, or people, have several values."""
    who, have = counted(several, noun).replace("persons", "people"), "has" if several == 1 else "have"
    return refusal(f"keep must name columns with one value for each {noun}, but {who} {have} several.")


def problem_of_kept(frame: pd.DataFrame, kept: list[Hashable]) -> Problem:
    """What is kept of people is the same in a whole group."""
    group = pd.factorize(frame["group"])[0]
    for name in kept:
        codes = pd.factorize(without_dictionary(frame[name]))[0]
        several = groups_with_several(group, codes)
        if several:
            came = f"in {counted(several, 'group')} it is not"
            return wrong_column(name, "the same in a whole group", came)
    return None
