"""The door of every function on tables: what comes in, what goes out, and in whose name errors speak."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pandas as pd

from pdseqpriv.engines.arrow import Origin, from_arrow, refuse_lazy, speaks_arrow
from pdseqpriv.engines.dictionaries import Dictionaries, without_dictionaries
from pdseqpriv.engines.elsewhere import engine_elsewhere
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.named_columns import bind_names, with_names_written_out
from pdseqpriv.errors import public
from pdseqpriv.sequences.columns import USUAL, Columns
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of, remember_columns, remembered_columns

if TYPE_CHECKING:
    from pdseqpriv.schemas import TableKind

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
# Most arguments are settings, which need no closer look.
NO_TABLES = (str, int, float, list, type(None))


def on_tables(
    *gives: TableKind, anywhere: bool = False
) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Make a function one that users call on tables.

    It takes frames of pandas and whatever speaks Arrow. The frames that it ``gives`` are validated before
    they leave, each with its model, and go out as the kind of table that came in. Rows that are elsewhere
    are brought here, unless the function works ``anywhere``; the key of a release always is.
    """

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        signature = inspect.signature(function)
        written_out = with_names_written_out(signature)
        own = [name for name in signature.parameters if name in written_out.parameters]

        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            origins: list[Origin | Dictionaries | None] = []

            def take(name: str, argument: object) -> object:
                return _taken(argument, origins, anywhere=anywhere and name != "key")

            if written_out is not signature and not kwargs.keys() <= set(own):
                args, kwargs = bind_names(own, args, kwargs)  # type: ignore[assignment]
            placed = zip([*own, *[""] * len(args)], args, strict=False)  # Python refuses too many
            taken = [take(name, one) for name, one in placed]
            named = {name: take(name, one) for name, one in kwargs.items()}
            _name_like_release(own, taken, named)
            answer = function(*taken, **named)  # type: ignore[arg-type]
            bound = next((one for one in (*taken, *named.values()) if isinstance(one, BoundTable)), None)
            columns = USUAL if bound is None else bound.columns
            keep: Any = kwargs.get("keep") or ()  # what else the answer has
            return _given(answer, gives, (columns, tuple(keep)), origins)  # type: ignore[return-value]

        call.__signature__ = written_out  # type: ignore[attr-defined]
        return public(call)

    return decorate


def _taken(argument: object, origins: list[Origin | Dictionaries | None], *, anywhere: bool) -> object:
    """Turn an argument that is a table into a frame that pandas can work on, and note what it was."""
    if isinstance(argument, NO_TABLES):
        return argument
    bound = argument if isinstance(argument, BoundTable) else None
    table = argument if bound is None else bound.frame
    origin: Origin | Dictionaries | None
    frame: Any
    elsewhere = None if isinstance(table, pd.DataFrame) else engine_elsewhere(table)
    if elsewhere is not None:
        frame, origin = table if anywhere else elsewhere.collect(table), None
    elif isinstance(table, pd.DataFrame):
        has_arrow = any(isinstance(dtype, pd.ArrowDtype) for dtype in table.dtypes)
        frame, origin = without_dictionaries(table) if has_arrow else (table, None)
    elif speaks_arrow(table):
        frame, origin = from_arrow(table, None if bound is None or _is_open(bound) else bound.columns)
    else:
        refuse_lazy(table)
        return argument
    origins.append(origin)
    attrs = frame.attrs if isinstance(frame, pd.DataFrame) else attributes_of(frame)
    record = attrs.get(ATTRIBUTE)
    if isinstance(record, dict) and "columns" in record and (bound is None or _is_open(bound)):
        columns = remembered_columns(record, frame.columns)
        return replace(BoundTable(frame) if bound is None else bound, frame=frame, columns=columns)
    if bound is None or frame is bound.frame:
        return frame if bound is None else bound
    return replace(bound, frame=frame)


def _is_open(bound: BoundTable) -> bool:
    """Return whether nobody has said how the columns are called, so that the table may say it."""
    return bound.columns == USUAL and not bound.is_named


def _name_like_release(own: list[str], taken: list[Any], named: dict[str, Any]) -> None:
    """Read an original as its release remembers it, if it has these columns and not the usual ones."""
    given = {**dict(zip(own, taken, strict=False)), **named}
    original, released = given.get("original"), given.get("released", given.get("table"))
    if original is None or isinstance(original, BoundTable) or not isinstance(released, BoundTable):
        return
    there = set(getattr(original, "columns", ()))
    if there >= set(released.columns.names) and not there >= set(USUAL.names):
        bound = BoundTable(original, released.columns.of_release)
        if "original" in named:
            named["original"] = bound
        else:
            taken[own.index("original")] = bound


def _given(
    answer: object,
    gives: tuple[TableKind, ...],
    named: tuple[Columns, tuple[Hashable, ...]],
    origins: list[Origin | Dictionaries | None],
) -> object:
    """Validate the frames of an answer, and give them back as what came first.

    ``named`` are the columns with a role, and those that are kept besides.
    """
    if isinstance(answer, tuple):
        parts = zip(answer, gives, strict=True)
        return tuple(_given(one, (kind,), named, origins) for one, kind in parts)
    columns, keep = named
    if not isinstance(answer, pd.DataFrame):  # if it is a table, its parts were validated when they were made
        if columns is not USUAL and engine_elsewhere(answer) is not None:
            remember_columns(answer, columns)
        return answer
    if gives:
        from pdseqpriv.schemas import validate_output

        validate_output(answer, gives[0], columns, keep)
        if columns is not USUAL and gives[0] in ("sequences", "generalized"):
            remember_columns(answer, columns)
    came = origins[0] if origins else None
    return answer if came is None else came.give_back(answer)
