"""Columns that are named in a call, beside its tables: ``hide(df, ["a"], seq_id="user")``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pdseqpriv.engines.engine import with_columns, with_its_columns
from pdseqpriv.errors import called_function
from pdseqpriv.sequences.columns import SAYABLE

# How functions call the tables whose columns have roles.
TABLES = ("table", "original", "released")
# By ``**_columns`` a function says that its columns can be named.
TAKES_NAMES = "_columns"


def with_names_written_out(signature: inspect.Signature) -> inspect.Signature:
    """Show every name that a call may give as a parameter, as editors and ``help`` are to see it."""
    own = [one for one in signature.parameters.values() if one.name != TAKES_NAMES]
    if len(own) == len(signature.parameters):
        return signature
    names = [name for name in SAYABLE if name not in signature.parameters]
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    return signature.replace(parameters=[*own, *added])


def own_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function on tables, without the names of columns."""
    parameters = inspect.signature(inspect.unwrap(function)).parameters
    return {name: one for name, one in parameters.items() if name != TAKES_NAMES}


def bind_names(
    own: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Bind the tables of a call to the columns that it names; returns its arguments without the names.

    ``own`` are the parameters of the function itself, in their order.
    """
    given = {name: value for name, value in kwargs.items() if name not in own}
    for name in given:
        if name not in SAYABLE:  # as Python says it
            raise TypeError(f"{called_function()}() got an unexpected keyword argument {name!r}")
    placed = dict(enumerate(own[: len(args)]))
    # Beside its original, the other table is a release, which never says who the person is.
    has_original = "original" in placed.values() or kwargs.get("original") is not None
    by_table = {name: {**given, "person": None} if has_original else given for name in TABLES}
    by_table |= {"original": given, "after": {**given, "person": None}}
    return (
        [_bound(one, by_table.get(placed.get(place, ""))) for place, one in enumerate(args)],
        {name: _bound(one, by_table.get(name)) for name, one in kwargs.items() if name not in given},
    )


def _bound(argument: Any, given: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 (a table, or anything else)
    if argument is None or given is None:
        return argument
    return with_columns(with_its_columns(argument), given)
