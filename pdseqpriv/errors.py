"""Every exception and warning, and how they are worded.

One sentence: which parameter of which function, what it must be, what came, what to do. Messages hold
column names, counts, types and paths; never a value of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral

# The largest whole number that a parameter may be.
_MOST = 2**53

# The longest word that a message repeats.
_LONGEST_WORD = 40
_FEW = 2

# How many column names a message lists.
_SHOWN = 20


class SeqPrivError(ValueError):
    """Base of every error that pdseqpriv raises on purpose."""


class InfeasibleError(SeqPrivError):
    """The data cannot satisfy what was asked."""


class FileError(SeqPrivError, OSError):
    """A file could not be read or written; nothing was left half-written."""


class PrivacyWarning(UserWarning):
    """Something was removed, or is weaker than it may look."""


def wrong_parameter(function: str, parameter: str, must: str, came: str, do: str = "") -> SeqPrivError:
    """Word a bad parameter, as in ``k_anonymize: k must be an int of at least 2, got 1``."""
    return SeqPrivError(_sentence(f"{function}: {parameter} must be {must}, got {came}", do))


def whole_number(function: str, parameter: str, value: object, *, least: int) -> int:
    """Give a parameter that must be a whole number, or raise.

    Numbers that compiled code could not hold are refused too.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        came = str(value) if is_whole else type(value).__name__
        raise wrong_parameter(function, parameter, f"an int of at least {least}", came)
    if value > _MOST:  # type: ignore[operator]
        raise wrong_parameter(function, parameter, f"an int of at most {_MOST}", "a larger one")
    return int(value)  # type: ignore[call-overload, no-any-return]


def one_of(function: str, parameter: str, value: object, words: Iterable[str]) -> None:
    """Raise unless a parameter is one of some words."""
    listed = [f'"{word}"' for word in words]
    if not isinstance(value, str) or f'"{value}"' not in listed:
        must = " or ".join(listed) if len(listed) <= _FEW else "one of " + ", ".join(listed)
        raise wrong_parameter(function, parameter, must, shown(value))


def shown(value: object) -> str:
    """Say what a caller gave for an option: the word or number, as long as it is short, else its type."""
    is_short = isinstance(value, float) or (isinstance(value, str) and len(value) <= _LONGEST_WORD)
    is_short = is_short or (isinstance(value, int) and abs(value) <= _MOST)
    return repr(value) if is_short else type(value).__name__


def yes_or_no(function: str, parameter: str, value: object) -> bool:
    """Give a parameter that must be True or False, or raise."""
    if type(value).__name__ not in ("bool", "bool_"):  # numpy's own is no subclass
        raise wrong_parameter(function, parameter, "True or False", type(value).__name__)
    return bool(value)


def wrong_column(function: str, column: object, must: str, came: str, do: str = "") -> SeqPrivError:
    """Word a column whose content cannot be used."""
    return SeqPrivError(_sentence(f"{function}: column {column!r} must be {must}, but {came}", do))


def missing_column(
    function: str, role: str, wanted: object, there: Iterable[object], *, from_file: bool = False
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
    how = f'{function}(..., {role}="...")' if from_file else f'df.seqpriv.using({role}="...")'
    return SeqPrivError(
        f"{function}: the table has no column {wanted!r} for {role}; {what}. {hint}Name it with {how}."
    )


@contextmanager
def in_our_words(error: SeqPrivError) -> Iterator[None]:
    """Put ``error`` in the place of whatever a library raises: its own words may quote the data."""
    try:
        yield
    except (SeqPrivError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (that is the point)
        raise error from None


def unreadable(function: str, path: object, why: str, do: str = "") -> FileError:
    """Word a file that is broken, foreign or out of reach."""
    return FileError(_sentence(f"{function}: cannot read {str(path)!r}: {why}", do))


def unwritable(function: str, path: object, why: str, do: str = "") -> FileError:
    """Word a file that could not be written; what was there before is still there."""
    return FileError(_sentence(f"{function}: cannot write {str(path)!r}: {why}; nothing was changed", do))


def _sentence(what: str, do: str) -> str:
    return f"{what}. {do}" if do else f"{what}."
