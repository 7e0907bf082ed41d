"""What a table of patterns must be: rules and their wording, for all that read one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import called_function, counted, refusal, wrong_column, wrong_parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What an element with several events may be written as.
CONTAINERS = (tuple, list, set, frozenset, np.ndarray)

_HIGHEST = 2**53  # supports count people
_CELLS = "a tuple or list of events in every row"


def check_columns(frame: object, parameter: str) -> pd.DataFrame:
    """Refuse what is not a table of patterns and supports."""
    if not isinstance(frame, pd.DataFrame):
        raise wrong_parameter(parameter, "a pattern table (a DataFrame)", type(frame).__name__)
    for column in ("pattern", "support"):
        if column not in frame.columns:
            raise wrong_parameter(
                parameter,
                "a pattern table with the columns 'pattern' and 'support'",
                f"one without {column!r}",
                "A table of sequences needs min_support; a pattern table comes from mine."
                if called_function() == "release_patterns"
                else "Mine the patterns first, with df.seqpriv.mine(min_support).",
            )
        if not isinstance(frame.columns.get_loc(column), int):
            raise refusal(f"several columns are named {column!r}. Rename them.")
    return frame


def supports_of(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Give the supports, which must count people."""
    column = frame["support"]
    can_be_null = not isinstance(column.dtype, np.dtype)
    if not pd.api.types.is_integer_dtype(column.dtype) or (can_be_null and column.isna().any()):
        raise wrong_column("support", "ints without nulls", f"it is {column.dtype}")
    if len(column) and int(column.max()) > _HIGHEST:
        raise wrong_column("support", f"at most {_HIGHEST:,}", "some are higher")
    supports: NDArray[np.int64] = column.to_numpy(np.int64)
    low = int((supports < 1).sum())
    if low:
        raise wrong_column("support", "at least 1", f"{counted(low, 'row')} {_have(low)} less")
    return supports


def cells_of(frame: pd.DataFrame) -> list[Any]:
    """Give the patterns as they are written, which must be as tuples, lists or arrays of events."""
    cells: list[Any] = frame["pattern"].tolist()
    kinds = set(map(type, cells))
    if not kinds <= {tuple, list, np.ndarray}:
        names = ", ".join(sorted(kind.__name__ for kind in kinds - {tuple, list, np.ndarray}))
        raise wrong_column("pattern", _CELLS, f"it holds {names}")
    if np.ndarray in kinds:
        refuse_odd_arrays(cells)
    return cells


def refuse_odd_arrays(lists: list[Any]) -> None:
    """Raise for arrays that are no plain list."""
    if any(isinstance(one, np.ndarray) and one.ndim != 1 for one in lists):
        raise wrong_column("pattern", _CELLS, "it holds arrays of other dimensions")


def refuse_odd_events(kinds: set[type]) -> None:
    """Raise unless the events, of these types, are all text or all ints."""
    if not (all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds))):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise wrong_column("pattern", "events that are all text or all ints", f"they are {names}")


def refuse_empty(number: int) -> None:
    """Raise if patterns or elements hold no event."""
    if number:
        came = f"{number} {'is' if number == 1 else 'are'} empty"
        raise wrong_column("pattern", "free of empty patterns and elements", came)


def refuse_events_twice(number: int) -> None:
    """Raise if events repeat another one of the same element."""
    if number:
        raise refusal(
            f"an element of a pattern may hold an event only once, but {counted(number, 'event')} "
            f"{'repeats' if number == 1 else 'repeat'} one."
        )


def refuse_patterns_twice(number: int) -> None:
    """Raise if rows repeat the pattern of another one."""
    if number:
        raise refusal(
            f"a pattern may be in the table only once, but {counted(number, 'row')} "
            f"{'repeats' if number == 1 else 'repeat'} one."
        )


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and not issubclass(kind, bool)


def _have(number: int) -> str:
    return "has" if number == 1 else "have"
