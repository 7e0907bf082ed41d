"""What a column holds, and what the columns of our tables must hold.

A rule is a function that returns what is wrong with a column, or None. The models in
:mod:`pdseqpriv.schemas` are built from these rules, so checks and messages cannot differ. No rule quotes a
value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pdseqpriv.errors import SeqPrivError, counted, refusal, wrong_column
from pdseqpriv.sequences.ragged import distinct

Kind = Literal["int", "float", "text", "datetime", "category", "empty", "mixed", "other"]

_BYTES = 8

# What an object column may hold, in pandas' terms.
_INFERRED: dict[str, Kind] = {"string": "text", "integer": "int", "empty": "empty"}


Problem = SeqPrivError | None

NAMES = "all text or all whole numbers, perhaps as categories"
_PATTERNS = "tuples of events, without nulls"


def problem_of_ids(column: pd.Series) -> Problem:
    """Ids are names, and every row has one."""
    return _problem_of_nulls(column, "sequence id", "their ids") or problem_of_events(column)


def problem_of_people(column: pd.Series) -> Problem:
    """People are names, and every row has one."""
    return _problem_of_nulls(column, "person", "whose they are") or problem_of_events(column)


def _problem_of_nulls(column: pd.Series, lacking: str, what: str) -> Problem:
    """Rows of names without a name; of other columns it is first said that they hold no names."""
    column = without_dictionary(column)
    nulls = int(column.isna().sum())
    if not nulls or not holds_names(column):
        return None
    do = f"Drop these rows or fill in {what}."
    return wrong_column(column.name, "free of nulls", f"{_rows(nulls)} no {lacking}", do)


def problem_of_owners(frame: pd.DataFrame, seq_id: Hashable, person: Hashable) -> Problem:
    """No sequence belongs to several people; nulls are the business of the columns' own rules."""
    columns = [without_dictionary(frame[name]) for name in (seq_id, person)]
    if any(column.isna().any() for column in columns):
        return None
    # Most neighbours are of the same sequence and person: only where one begins is there something to see.
    begins = np.ones(len(frame), bool)
    begins[1:] = np.logical_or.reduce([_differ_from_the_row_before(column) for column in columns])
    if _ascend(columns[0].array[begins]):  # then none of them begins twice
        return None
    sequence, whose = (pd.factorize(column.array[begins])[0] for column in columns)
    several = groups_with_several(sequence, whose)
    return of_several_people(several, person) if several else None


def of_several_people(sequences: int, person: Hashable) -> SeqPrivError:
    """Return the refusal of so many sequences that belong to several people."""
    belong = "belongs" if sequences == 1 else "belong"
    return refusal(
        f"{counted(sequences, 'sequence')} {belong} to several people. Every sequence must have the same "
        f"{person!r} in all its rows."
    )


def groups_with_several(group: NDArray[np.intp], codes: NDArray[np.intp]) -> int:
    """Count the groups of rows with different codes."""
    one = np.empty(group.max(initial=-1) + 1, np.intp)
    one[group] = codes  # that of one of the rows, whichever comes last
    return distinct(group[one[group] != codes]).size


def _differ_from_the_row_before(column: pd.Series) -> NDArray[np.bool_]:
    return np.asarray(column.array[1:] != column.array[:-1], dtype=bool)


def _ascend(ids: pd.api.extensions.ExtensionArray) -> bool:
    """Return whether each id is greater than the one before it; not known of categories and objects."""
    if ids.dtype == object or isinstance(ids.dtype, pd.CategoricalDtype):
        return False
    return bool(np.asarray(ids[1:] > ids[:-1], dtype=bool).all())


def problem_of_events(column: pd.Series) -> Problem:
    """Events are all text or all whole numbers; null means marked."""
    column = without_dictionary(column)
    if not holds_names(column):
        return wrong_column(column.name, NAMES, *_advice(column))
    if not _is_utf8(column):
        return wrong_column(column.name, "text that can be written as UTF-8", "some of it cannot")
    return None


def problem_of_counts(column: pd.Series) -> Problem:
    """Counts are whole numbers of at least 0."""
    return _problem_of_numbers(column, least=0, nulls=False)


def problem_of_supports(column: pd.Series) -> Problem:
    """Supports and lengths are whole numbers of at least 1."""
    return _problem_of_numbers(column, least=1, nulls=False)


def problem_of_fresh_ids(column: pd.Series) -> Problem:
    """Fresh ids are whole numbers of at least 0; null stands for a sequence that was dropped."""
    return _problem_of_numbers(column, least=0, nulls=True)


def problem_of_patterns(column: pd.Series) -> Problem:
    """Patterns are tuples with at least one element."""
    cells = column.tolist()
    kinds = set(map(type, cells)) - {tuple}
    if kinds:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        return wrong_column(column.name, _PATTERNS, f"it holds values of type {names}")
    empty = cells.count(())
    return wrong_column(column.name, _PATTERNS, f"{_rows(empty)} none") if empty else None


def problem_of_intervals(frame: pd.DataFrame) -> Problem:
    """No interval ends before it starts."""
    try:
        n_reversed = int((frame["time_to"] < frame["time_from"]).sum())
    except TypeError:
        must, came = "of the same kind as 'time_from'", f"its type is {frame['time_to'].dtype}"
        return wrong_column("time_to", must, came)
    if not n_reversed:
        return None
    must = "at or after 'time_from' in every row"
    return wrong_column("time_to", must, f"in {counted(n_reversed, 'row')} it is not")


def problem_of_channels(frame: pd.DataFrame) -> Problem:
    """What is inferred from two supports is their difference, and no longer pattern has the higher one."""
    n_wrong = int((frame["support"] - frame["longer_support"] != frame["inferred_support"]).sum())
    if not n_wrong:
        return None
    must = "'support' less 'longer_support' in every row"
    return wrong_column("inferred_support", must, f"in {counted(n_wrong, 'row')} it is not")


def _problem_of_numbers(column: pd.Series, *, least: int, nulls: bool) -> Problem:
    must = f"whole numbers of at least {least}{', or null' if nulls else ''}"
    missing = int(column.isna().sum())
    if missing and not nulls:
        return wrong_column(column.name, must, f"{_rows(missing)} none")
    if kind_of(column) not in ("int", "empty") and len(column):
        return wrong_column(column.name, must, describe_kind(column))
    low = int(column.dropna().lt(least).sum()) if kind_of(column) == "int" else 0
    return wrong_column(column.name, must, f"{_rows(low)} less") if low else None


def _rows(number: int) -> str:
    return f"{counted(number, 'row')} {'has' if number == 1 else 'have'}"


def _advice(column: pd.Series) -> tuple[str, str]:
    """Say why a column cannot hold names, and what to do about it."""
    nulls = int(column.isna().sum())
    if kind_of(column) == "float" and nulls:
        do = "Drop or fill these rows, then get whole numbers back with .astype('Int64')."
        return f"it has {counted(nulls, 'null')}, and its type is {column.dtype}", do
    first = column.iloc[column.notna().argmax()]
    if isinstance(first, list | tuple | set | np.ndarray):
        return "it holds lists", f"Give every event its own row: df.explode({column.name!r})."
    return describe_kind(column), "Convert it with .astype(str), or to whole numbers with .astype('Int64')."


def kind_of(column: pd.Series) -> Kind:
    """Return what a column holds; "mixed" if its values are of several types.

    Examples
    --------
    >>> kind_of(pd.Series(["a", None])), kind_of(pd.Series([1, "a"], dtype=object))
    ('text', 'mixed')
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if types.is_object_dtype(dtype):
        return _kind_of_objects(column)
    for kind, is_kind in _TESTS:
        if is_kind(dtype):
            return kind
    return "other"


def holds_names(column: pd.Series) -> bool:
    """Return whether all values are text or all are whole numbers, as categories or not; nulls may occur."""
    column = without_dictionary(column)
    kind = kind_of(column)
    if kind == "category":
        return kind_of(_categories(column)) in ("text", "int", "empty")
    if kind in ("text", "int", "empty") or not len(column):
        return True
    return kind == "float" and bool(column.isna().all())  # what pandas makes of nothing but nulls


def _is_utf8(column: pd.Series) -> bool:
    """Return whether text is UTF-8, or can be; objects are looked at when they are numbered."""
    names = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    try:
        if isinstance(names.array, pd.arrays.ArrowExtensionArray):
            names.array.__arrow_array__().validate(full=True)
        elif isinstance(names.dtype, pd.StringDtype) or (names is not column and names.dtype == object):
            "".join(name for name in names if isinstance(name, str)).encode()
    except ValueError:  # Arrow's and Python's own are of this kind
        return False
    return True


def without_dictionary(column: pd.Series) -> pd.Series:
    """Replace an Arrow dictionary by its values: nulls may hide in the dictionary."""
    if not is_dictionary(column.dtype):
        return column
    import pyarrow as pa

    values = pa.chunked_array(column.array.__arrow_array__()).cast(column.dtype.pyarrow_dtype.value_type)
    return pd.Series(pd.arrays.ArrowExtensionArray(values), index=column.index, name=column.name)


def _categories(column: pd.Series) -> pd.Series:
    categories = column.cat.categories
    return pd.Series(categories.array, dtype=categories.dtype if len(categories) else object)


def describe_kind(column: pd.Series) -> str:
    """Describe what a column holds, for messages, without quoting a value."""
    kind = kind_of(column)
    if kind == "mixed":
        one, *more = {type(value).__name__ for value in column.dropna()}
        return "it holds values of several types" if more else f"its values are of type {one}"
    if kind == "category":
        return "its categories are neither all text nor all whole numbers"
    if kind == "empty":
        return "it holds nothing but nulls"
    return f"its type is {_dtype_name(column)}"


def _dtype_name(column: pd.Series) -> str:
    dtype = column.dtype
    if types.is_object_dtype(dtype):
        return f"object ({pd.api.types.infer_dtype(column, skipna=True)})"
    # A sparse type's own name quotes the value that fills it.
    return "sparse" if isinstance(dtype, pd.SparseDtype) else str(dtype)


def _kind_of_objects(column: pd.Series) -> Kind:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred.startswith("mixed"):
        return "mixed"
    return _INFERRED.get(inferred, "other")


def is_dictionary(dtype: object) -> bool:
    """Return whether a column is an Arrow dictionary."""
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    import pyarrow as pa

    return bool(pa.types.is_dictionary(dtype.pyarrow_dtype))


def _is_float(dtype: object) -> bool:
    """Return whether this is a float type of at most 64 bits: wider ones would be rounded."""
    return bool(types.is_float_dtype(dtype)) and getattr(dtype, "itemsize", 8) <= _BYTES


def _is_datetime(dtype: object) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.kind == "M" and str(dtype).startswith("timestamp")
    return bool(types.is_datetime64_any_dtype(dtype))


_TESTS: list[tuple[Kind, Callable[[object], bool]]] = [
    ("int", types.is_integer_dtype),
    ("float", _is_float),
    ("text", types.is_string_dtype),
    ("datetime", _is_datetime),
]
