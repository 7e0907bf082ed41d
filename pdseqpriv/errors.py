"""Every exception and warning, and how they are worded.

One sentence: which parameter of which function, what it must be, what came, what to do. Messages hold
column names, counts, types and paths; never a value of the data.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

# How many column names a message lists.
_SHOWN = 20


class SeqPrivError(ValueError):
    """Base of every error that pdseqpriv raises on purpose."""


class InfeasibleError(SeqPrivError):
    """The data cannot satisfy what was asked."""


class FileError(SeqPrivError, OSError):
    """A file could not be read or written; nothing was left half-written."""


class BrokenOutputError(SeqPrivError):
    """A result of ours does not fit its schema: a bug of the library. Nothing was returned."""


class PrivacyWarning(UserWarning):
    """Something was removed, or is weaker than it may look."""


# The function that the user called: every message begins with its name.
_function: ContextVar[str] = ContextVar("the function that the user called", default="pdseqpriv")


@contextmanager
def speaking_as(name: str) -> Iterator[None]:
    """Let messages begin with this name.

    Examples
    --------
    >>> with speaking_as("k_anonymize"):
    ...     print(wrong_parameter("k", "an int of at least 2", "1"))
    k_anonymize: k must be an int of at least 2, got 1.
    """
    token = _function.set(name)
    try:
        yield
    finally:
        _function.reset(token)


def called_function() -> str:
    """Give the name of the function that the user called."""
    return _function.get()


def said_of(which: str, error: SeqPrivError) -> SeqPrivError:
    """Let an error say which of several tables it is about, if it is one of several."""
    name = _function.get()
    return type(error)(str(error).replace(name, f"{name}, {which}", 1)) if which else error


def public(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Let messages that come up in a function that users call begin with its name."""
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def speaking(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        with speaking_as(name):
            return function(*args, **kwargs)

    return speaking


def refusal(text: str) -> SeqPrivError:
    """Word an error in the name of the function that was called."""
    return SeqPrivError(f"{_function.get()}: {text}")


def infeasible(text: str) -> InfeasibleError:
    """Word what the data cannot satisfy."""
    return InfeasibleError(f"{_function.get()}: {text}")


def warn(text: str) -> None:
    """Warn the user, in the name of the function that was called and at the line that called it."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 (the only way to the line of the caller)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{_function.get()}: {text}", PrivacyWarning, stacklevel=level)


def counted(number: int, noun: str) -> str:
    """Say how many, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def wrong_parameter(parameter: str, must: str, came: str, do: str = "") -> SeqPrivError:
    """Word a bad parameter, as in ``k_anonymize: k must be an int of at least 2, got 1``."""
    return refusal(_sentence(f"{parameter} must be {must}, got {came}", do))


def wrong_column(column: object, must: str, came: str, do: str = "") -> SeqPrivError:
    """Word a column whose content cannot be used."""
    return refusal(_sentence(f"column {column!r} must be {must}, but {came}", do))


def missing_column(
    role: str, wanted: object, there: Iterable[object], *, from_file: bool = False
) -> SeqPrivError:
    """Word a column that is not in the table, with what is there and how to name it.

    The first line of a text file may be data and no header, so of a file only the number is told.
    """
    names = [str(name) for name in there]
    close = get_close_matches(str(wanted), names, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(repr(name) for name in names[:_SHOWN]) or "none"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    what = f"it has {len(names)} columns" if from_file else f"its columns are {listed}{more}"
    how = f'{_function.get()}(..., {role}="...")' if from_file else f'df.seqpriv.using({role}="...")'
    return refusal(f"the table has no column {wanted!r} for {role}; {what}. {hint}Name it with {how}.")


@contextmanager
def in_our_words(error: SeqPrivError) -> Iterator[None]:
    """Put ``error`` in the place of whatever a library raises: its own words may quote the data."""
    try:
        yield
    except (SeqPrivError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (that is the point)
        raise error from None


def unreadable(path: object, why: str, do: str = "") -> FileError:
    """Word a file that is broken, foreign or out of reach."""
    return FileError(_sentence(f"{_function.get()}: cannot read {str(path)!r}: {why}", do))


def unwritable(path: object, why: str, do: str = "") -> FileError:
    """Word a file that could not be written; what was there before is still there."""
    return FileError(
        _sentence(f"{_function.get()}: cannot write {str(path)!r}: {why}; nothing was changed", do)
    )


def _sentence(what: str, do: str) -> str:
    return f"{what}. {do}" if do else f"{what}."
