"""The rules for tables of patterns, and their error messages, for everything that reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdseqpriv.errors import SeqPrivError, called_function, counted, refusal, wrong_column, wrong_parameter
from pdseqpriv.sequences.rules import problem_of_supports

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The types that an element with several events may have.
CONTAINERS = (tuple, list, set, frozenset, np.ndarray)

_HIGHEST = 2**53  # supports count people
_CELLS = "a tuple or list of events in every row"


def supports_and_patterns(frame: object, parameter: str) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the supports of a pattern table, and its patterns as they are in the table."""
    table = _checked(frame, parameter)
    return _supports(table["support"]), _cells(table["pattern"])


def check_arrays(lists: list[Any]) -> None:
    """Refuse arrays that are not one-dimensional."""
    if any(isinstance(one, np.ndarray) and one.ndim != 1 for one in lists):
        raise wrong_column("pattern", _CELLS, "it holds arrays of other dimensions")


def check_events(kinds: set[type]) -> None:
    """Refuse events whose types are not all text or all ints."""
    if not (all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds))):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise wrong_column("pattern", "events that are all text or all ints", f"they are {names}")


def not_text() -> SeqPrivError:
    """Make an error about events that cannot be encoded."""
    return wrong_column("pattern", "text that can be written as UTF-8", "some of it cannot")


def empty(number: int) -> SeqPrivError:
    """Make an error about patterns or elements without an event."""
    came = f"{number} {'is' if number == 1 else 'are'} empty"
    return wrong_column("pattern", "free of empty patterns and elements", came)


def repeated_events(number: int) -> SeqPrivError:
    """Make an error about events that occur twice in one element."""
    came = f"{counted(number, 'event')} {'is a repeat' if number == 1 else 'are repeats'}"
    return refusal(f"an element of a pattern may hold an event only once, but {came}.")


def repeated_patterns(number: int) -> SeqPrivError:
    """Make an error about rows that repeat a pattern."""
    came = f"{counted(number, 'row')} {'repeats' if number == 1 else 'repeat'} an earlier one"
    return refusal(f"a pattern may be in the table only once, but {came}.")


def _checked(frame: object, parameter: str) -> pd.DataFrame:
    """Refuse what is not a table of patterns and supports."""
    if not isinstance(frame, pd.DataFrame):
        raise wrong_parameter(parameter, "a pattern table (a DataFrame)", type(frame).__name__)
    for column in ("pattern", "support"):
        if column not in frame.columns:
            raise wrong_parameter(
                parameter,
                "a pattern table with the columns 'pattern' and 'support'",
                f"a table without {column!r}",
                "For a table of sequences, give min_support; a pattern table is what mine returns."
                if called_function() == "release_patterns"
                else "Mine the patterns first, with df.seqpriv.mine(min_support).",
            )
        if not isinstance(frame.columns.get_loc(column), int):
            raise refusal(f"several columns are named {column!r}. Rename them.")
    return frame


def _supports(column: pd.Series) -> NDArray[np.int64]:
    """Return the supports, which must be counts."""
    problem = problem_of_supports(column)
    if problem is not None:
        raise problem
    if len(column) and int(column.max()) > _HIGHEST:
        raise wrong_column("support", f"at most {_HIGHEST}", "some are higher")
    supports: NDArray[np.int64] = column.to_numpy(np.int64)
    return supports


def _cells(column: pd.Series) -> list[Any]:
    """Return the cells, which must be tuples, lists or arrays."""
    cells: list[Any] = column.tolist()
    kinds = {*map(type, cells)}
    if not kinds <= {tuple, list, np.ndarray}:
        names = ", ".join(sorted(kind.__name__ for kind in kinds - {tuple, list, np.ndarray}))
        raise wrong_column("pattern", _CELLS, f"it holds values of type {names}")
    if np.ndarray in kinds:
        check_arrays(cells)
    return cells


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and not issubclass(kind, bool)
