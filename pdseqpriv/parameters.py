"""Readers of parameters: each takes the parameter's name and the caller's value, checks it and returns it.

All functions share them, so that a parameter has the same limits and the same wording everywhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pdseqpriv.errors import counted, refusal, wrong_parameter

# The levels of k-anonymity, each stronger than the one before it.
Guarantee = Literal["contained", "mutual", "identical"]
SMALLEST_K = 2

# The largest whole number allowed as a parameter, and the size from which a number is too long for a message.
LARGEST = 2**53
_LONG_NUMBER = 10**6
# The longest word that a message repeats.
_LONGEST_WORD = 40
_FEW = 2
# What pandas calls the values of value_counts().
_COUNTS = ("count", "proportion")
_SUPPORT = "an int of at least 1 or a float above 0 and up to 1"
KEPT = "a list of columns beside the sequences, or a taxonomy for each"
_DIVERSITY = "a pair (g, l): the length of a window, and a number of at least 1"


def whole_number(parameter: str, value: object, *, least: int) -> int:
    """Read a whole number; numbers too large for compiled code are also refused."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        came = str(value) if is_whole else type(value).__name__
        raise wrong_parameter(parameter, f"an int of at least {least}", came)
    if value > LARGEST:  # type: ignore[operator]
        raise wrong_parameter(parameter, f"an int of at most {LARGEST}", "a larger one")
    return int(value)  # type: ignore[call-overload, no-any-return]


def one_of(parameter: str, value: object, words: Iterable[str]) -> None:
    """Raise unless a parameter is one of the words allowed."""
    listed = [f'"{word}"' for word in words]
    if not isinstance(value, str) or f'"{value}"' not in listed:
        must = " or ".join(listed) if len(listed) <= _FEW else "one of " + ", ".join(listed)
        raise wrong_parameter(parameter, must, shown(value))


def choices(**given: tuple[object, Any]) -> None:
    """Raise unless each parameter is one of the words of its type.

    Examples
    --------
    >>> choices(guarantee=("mutual", Guarantee))
    """
    for parameter, (value, words) in given.items():
        one_of(parameter, value, get_args(words))


def one_or_several(value: object) -> list[object]:
    """Return a list, tuple, range or array as a list, and anything else as a list of just that.

    Examples
    --------
    >>> one_or_several(3), one_or_several(range(2)), one_or_several("ab")
    ([3], [0, 1], ['ab'])
    """
    several = isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return list(value) if several else [value]  # type: ignore[call-overload]


def yes_or_no(parameter: str, value: object) -> bool:
    """Read True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # numpy's own is no subclass
        raise wrong_parameter(parameter, "True or False", type(value).__name__)
    return bool(value)


def seed_number(value: object) -> int:
    """Read a seed."""
    return whole_number("seed", value, least=0)


def secret_seed(value: object) -> int:
    """Read a seed for random choices that hide something; None takes fresh randomness from the system.

    A seed that everybody knows would give away what was hidden. A seed that only steers a search would not.
    """
    if value is None:
        return secrets.randbits(128)
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise wrong_parameter("seed", "None or an int of at least 0", shown(value))
    return int(value)


def shown(value: object) -> str:
    """Describe a caller's value for a message: the word or number itself if it is short, else its type."""
    is_short = isinstance(value, float) or (isinstance(value, str) and len(value) <= _LONGEST_WORD)
    is_short = is_short or (isinstance(value, int) and abs(value) <= LARGEST)
    return repr(value) if is_short else type(value).__name__


def exact_number(parameter: str, value: object, must: str) -> Fraction:
    """Read a finite number exactly as it is written; ``must`` says what it has to be.

    A float means the decimal number that Python prints for it: 0.1 is one tenth, not the nearest binary
    number. Fractions and Decimals are taken as they are.

    Examples
    --------
    >>> exact_number("diversity", 1.5, "a number"), exact_number("delta", Fraction(1, 3), "a number")
    (Fraction(3, 2), Fraction(1, 3))
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Rational | float | np.number | Decimal):
        raise wrong_parameter(parameter, must, type(value).__name__)
    is_float = isinstance(value, float | np.floating)
    try:
        return Fraction(str(value)) if is_float else Fraction(value)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 (whatever the number's own type raises)
        raise wrong_parameter(parameter, must, str(value) if is_float else "something else") from None


def number_between(parameter: str, value: object, least: int, most: int, must: str) -> Fraction:
    """Read a number within limits, exactly as it is written."""
    exact = exact_number(parameter, value, must)
    if not least <= exact <= most:
        raise wrong_parameter(parameter, must, _written(value, exact))
    return exact


def _written(value: object, exact: Fraction) -> str:
    return str(value) if abs(exact) < _LONG_NUMBER else "a larger one"


def share(parameter: str, value: object) -> Fraction:
    """Read a relative frequency: a number above 0 and at most 1, exactly as it is written.

    Examples
    --------
    >>> share("delta", 0.1)
    Fraction(1, 10)
    """
    must = "a number above 0 and at most 1"
    exact = number_between(parameter, value, 0, 1, must)
    if not exact:
        raise wrong_parameter(parameter, must, "0")
    return exact


def k_and_alpha(k: object, alpha: object) -> tuple[int | None, Fraction | None]:
    """Read what a pattern table must satisfy: k, alpha or both."""
    if k is None and alpha is None:
        raise refusal("k and alpha are both missing. Give at least one of them.")
    least = None if k is None else whole_number("k", k, least=SMALLEST_K)
    return least, None if alpha is None else share("alpha", alpha)


def diversity_pair(value: object) -> tuple[object, Fraction]:
    """Read (g, l): the length of a window as it was given, and l exactly."""
    if not isinstance(value, tuple | list) or len(value) != 2:  # noqa: PLR2004 (a pair)
        came = counted(len(value), "value") if isinstance(value, tuple | list) else type(value).__name__
        raise wrong_parameter("diversity", _DIVERSITY, came)
    exact = exact_number("diversity", value[1], _DIVERSITY)
    if not 1 <= exact <= LARGEST:
        raise wrong_parameter("diversity", _DIVERSITY, f"{_written(value[1], exact)} for l")
    return value[0], exact


def minimum_support(value: object) -> int | Fraction:
    """Read a count of sequences (an int), or a share of them exactly as it is written."""
    do = "An int is a number of sequences, a float is a share of them."
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong_parameter("min_support", _SUPPORT, type(value).__name__, do)
    if isinstance(value, Integral) and int(value) >= 1:
        return whole_number("min_support", value, least=1)
    if isinstance(value, Integral) or not 0 < float(value) <= 1:
        came = str(value) if isinstance(value, Integral) else f"a share of {value}"
        raise wrong_parameter("min_support", _SUPPORT, came, do)
    return exact_number("min_support", value, _SUPPORT)


def list_of_events(parameter: str, events: object) -> pd.Index:
    """Read a list of events; repeats are left out, and the order is kept.

    Examples
    --------
    >>> list(list_of_events("events", ["b", "a", "b"]))
    ['b', 'a']
    """
    refuse_tables(parameter, events, "a list of events", "event")
    is_single = isinstance(events, str | bytes) or (isinstance(events, np.ndarray) and events.ndim == 0)
    if is_single or not isinstance(events, Iterable):
        do = "Put a single event into a list."
        raise wrong_parameter(parameter, "a list of events", type(events).__name__, do)
    listed = list(events)
    strange = next((event for event in listed if not isinstance(event, Hashable)), None)
    if strange is not None:
        raise wrong_parameter(parameter, "a list of events", f"a list with a {type(strange).__name__}")
    index = pd.Index(listed, dtype=object, tupleize_cols=False)
    nulls = int(index.isna().sum())
    if nulls:
        raise wrong_parameter(
            parameter, "a list of events without nulls", f"{counted(nulls, 'null')} among {len(index)}"
        )
    return index.unique()


def columns_to_keep(keep: object) -> list[Hashable]:
    """Read the names of columns that are kept, at least one and each once; a dict has a taxonomy for each."""
    if not isinstance(keep, list | tuple | Mapping):
        raise wrong_parameter("keep", KEPT, type(keep).__name__, "Put a single column into a list.")
    try:
        distinct = set(keep)
    except TypeError:
        raise wrong_parameter("keep", KEPT, "a list with something that cannot be a name") from None
    if not keep or len(distinct) < len(keep):
        came = f"{len(keep)} names, some of them twice" if keep else "none"
        raise wrong_parameter("keep", "at least one column beside the sequences, and each once", came)
    return list(keep)


def refuse_tables(parameter: str, given: object, must: str, column: str) -> None:
    """Raise for objects that do not iterate over the list that is meant.

    A DataFrame yields its column names, a mapping its keys, ``value_counts()`` its counts. None of these
    would be found in a table, so nothing would be protected.
    """
    if isinstance(given, pd.DataFrame):
        do = f"Give one of its columns, for example {parameter}=frame[{column!r}]."
        raise wrong_parameter(parameter, must, "a DataFrame", do)
    if isinstance(given, Mapping):
        raise wrong_parameter(parameter, must, f"a {type(given).__name__}", "Give a list.")
    if isinstance(given, pd.Series) and given.name in _COUNTS:
        raise wrong_parameter(parameter, must, "a Series of counts", "Give its index instead.")
