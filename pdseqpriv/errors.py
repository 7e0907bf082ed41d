"""Every exception and warning, and how they are worded.

One sentence: which parameter of which function, what it must be, what came, what to do. Messages hold
column names, counts, types and paths; never a value of the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral


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
    """Give a parameter that must be a whole number, or raise."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        came = str(value) if isinstance(value, int | float) else type(value).__name__
        raise wrong_parameter(function, parameter, f"an int of at least {least}", came)
    return int(value)  # type: ignore[call-overload, no-any-return]


def wrong_column(function: str, column: object, must: str, came: str, do: str = "") -> SeqPrivError:
    """Word a column whose content cannot be used."""
    return SeqPrivError(_sentence(f"{function}: column {column!r} must be {must}, but {came}", do))


def missing_column(function: str, role: str, wanted: object, there: Iterable[object]) -> SeqPrivError:
    """Word a column that is not in the table, with what is there and how to name it."""
    names = [str(name) for name in there]
    close = get_close_matches(str(wanted), names, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(repr(name) for name in names) or "none"
    return SeqPrivError(
        f"{function}: the table has no column {wanted!r} for {role}; its columns are {listed}. "
        f'{hint}Name it with df.seqpriv.using({role}="...").'
    )


def unreadable(function: str, path: object, why: str, do: str = "") -> FileError:
    """Word a file that is broken, foreign or out of reach."""
    return FileError(_sentence(f"{function}: cannot read {str(path)!r}: {why}", do))


def unwritable(function: str, path: object, why: str, do: str = "") -> FileError:
    """Word a file that could not be written; what was there before is still there."""
    return FileError(_sentence(f"{function}: cannot write {str(path)!r}: {why}; nothing was changed", do))


def _sentence(what: str, do: str) -> str:
    return f"{what}. {do}" if do else f"{what}."
