"""All exceptions and warnings, and their wording.

One sentence: which parameter of which function, what it must be, what was given, what to do. Messages contain
column names, counts, types and paths, never a value of the data.
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
# How many of the names that a user typed it shows.
_TYPED = 5


class SeqPrivError(ValueError):
    """Base class of every error that pdseqpriv raises on purpose."""


class InfeasibleError(SeqPrivError):
    """The data cannot satisfy what was asked for."""


class FileError(SeqPrivError, OSError):
    """A file could not be read or written; nothing was left half-written."""


class BrokenOutputError(SeqPrivError):
    """A result does not fit its schema, which is a bug in the library. Nothing was returned."""


class PrivacyWarning(UserWarning):
    """Something was removed, or protects less than it may seem to."""


# The function that the user called: every message begins with its name.
_function: ContextVar[str] = ContextVar("the function that the user called", default="pdseqpriv")


@contextmanager
def speaking_as(name: str) -> Iterator[None]:
    """Begin messages with this name.

    Examples
    --------
    >>> with speaking_as("k_anonymize"):
    ...     print(wrong_parameter("k", "an int of at least 2", "1"))
    k_anonymize: k must be an int of at least 2, got 1.
    """
    token = _function.set(name)
    try:
        yield
    except SeqPrivError as error:
        _forget_what_was_replaced(error)
        raise
    finally:
        _function.reset(token)


def _forget_what_was_replaced(error: SeqPrivError) -> None:
    """Let an error keep nothing of the one that it replaced, which may hold rows of the table.

    ``from None`` only hides it from what is printed; Dask would send it from a worker, and note it there.
    """
    if error.__suppress_context__:
        error.__context__ = None


def called_function() -> str:
    """Return the name of the function that the user called."""
    return _function.get()


def said_of(which: str, error: SeqPrivError) -> SeqPrivError:
    """Say in an error, after the function's name, which table it is about, if there are several."""
    name = _function.get()
    return type(error)(str(error).replace(name, f"{name}, {which}", 1)) if which else error


def public(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Begin all messages from a public function with its name."""
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def speaking(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        with speaking_as(name):
            return function(*args, **kwargs)

    return speaking


def refusal(text: str) -> SeqPrivError:
    """Make an error that begins with the name of the function that was called."""
    return SeqPrivError(f"{_function.get()}: {text}")


def infeasible(text: str) -> InfeasibleError:
    """Make an error about something that the data cannot satisfy."""
    return InfeasibleError(f"{_function.get()}: {text}")


def warn(text: str, category: type[Warning] = PrivacyWarning) -> None:
    """Warn the user, naming the function that was called and pointing to the line that called it."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 (the only way to the line of the caller)
    ours = {__package__, "contextlib"}  # which calls ours back at the end of a block
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{_function.get()}: {text}", category, stacklevel=level)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Iterable[object]) -> str:
    """Show names that the user typed, the first few of them.

    Examples
    --------
    >>> listed(["a", 7]), listed("abcdefg")
    ("'a', 7", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - _TYPED} more" if len(shown) > _TYPED else ""
    return ", ".join(shown[:_TYPED]) + more


def wrong_parameter(parameter: str, must: str, came: str, do: str = "") -> SeqPrivError:
    """Make an error about a bad parameter: ``k_anonymize: k must be an int of at least 2, got 1``."""
    return refusal(_sentence(f"{parameter} must be {must}, got {came}", do))


def wrong_column(column: object, must: str, came: str, do: str = "") -> SeqPrivError:
    """Make an error about a column whose content cannot be used."""
    return refusal(_sentence(f"column {column!r} must be {must}, but {came}", do))


def missing_column(
    role: str, wanted: object, there: Iterable[object], *, from_file: bool = False
) -> SeqPrivError:
    """Make an error about a missing column that says which columns there are and how to name one.

    The first line of a text file may be data rather than a header, so for files only the number is given.
    """
    names = [str(name) for name in there]
    close = get_close_matches(str(wanted), names, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    is_counted = from_file or not names
    what = f"it has {counted(len(names), 'column')}" if is_counted else f"its columns are {shown}{more}"
    how = f'{_function.get()}(..., {role}="...")' if from_file else f'df.seqpriv.using({role}="...")'
    return refusal(f"the table has no column {wanted!r} for {role}; {what}. {hint}Name it with {how}.")


@contextmanager
def in_our_words(error: SeqPrivError) -> Iterator[None]:
    """Raise ``error`` instead of whatever a library raises, whose message may quote the data."""
    try:
        yield
    except (SeqPrivError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (that is the point)
        raise error from None


def unreadable(path: object, why: str, do: str = "") -> FileError:
    """Make an error about a file that is damaged, of another format or out of reach."""
    return FileError(_sentence(f"{_function.get()}: cannot read {str(path)!r}: {why}", do))


def unwritable(path: object, why: str, do: str = "") -> FileError:
    """Make an error about a file that could not be written; what was there before is still there."""
    return FileError(
        _sentence(f"{_function.get()}: cannot write {str(path)!r}: {why}; nothing was changed", do)
    )


def _sentence(what: str, do: str) -> str:
    return f"{what}. {do}" if do else f"{what}."
