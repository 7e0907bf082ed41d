"""Run one operation at several settings and compare privacy and utility."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sized
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.audit.compare import compare
from pdseqpriv.audit.knowledge import Knows, read_knows
from pdseqpriv.audit.risk import risk
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import BoundTable, Table, bind, with_columns
from pdseqpriv.engines.named_columns import own_parameters
from pdseqpriv.errors import PrivacyWarning, refusal, wrong_parameter
from pdseqpriv.parameters import minimum_support, one_of, whole_number
from pdseqpriv.progress import progress
from pdseqpriv.sequences.columns import SAYABLE

# Operations that release sequences; patterns have no risk to measure.
_OPERATIONS = ("k_anonymize", "generalize", "hide", "sanitize")
# Settings whose every value is a list of events.
_LISTS = ("events", "alphabet", "monitored", "sensitive")
_RISKS = ["unique_share", "worst_probability", "mean_worst_probability", "mean_probability"]
_LINKAGE = ["unique_share", "below_k_share", "worst_probability", "mean_probability"]


@on_tables("sweep", anywhere=True)
def sweep(
    table: Table,
    operation: str,
    *,
    known: int = 2,
    knows: Knows = "whole",
    min_support: float | None = None,
    **settings: Any,  # noqa: ANN401 (those of the operation)
) -> pd.DataFrame:
    """Run an operation at several settings and measure privacy and utility at each.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    operation : {"k_anonymize", "generalize", "hide", "sanitize"}
        What to run.
    known : int
        How many events an attacker who counts candidates knows; see :func:`pdseqpriv.risk`.
    knows : "whole", float or int
        What an attacker who links to the record that fits best knows; see ``attack="linkage"`` there.
    min_support : int or float, optional
        The support from which a pattern is frequent; adds the measures of frequent patterns, as in
        :func:`pdseqpriv.compare`. They are slow if many patterns are frequent, and are computed for every
        setting: begin with a high value. Not for "generalize", whose releases have no patterns.
    **settings
        The operation's parameters by name. A list means that its values are tried one by one; with several
        lists, every combination is run. To pass a list as one value, put it into a list:
        ``events=[["a", "b"]]``. ``with_key`` is not allowed: a key is only used for measuring. ``seq_id``,
        ``event``, ``time``, ``ties`` and ``person`` say what the columns are called, as in `using`; with
        "generalize", ``time`` is the option of that name.

    Returns
    -------
    pandas.DataFrame
        One row per setting, ready to plot: the settings that vary; the remaining risk if someone who knows
        events of the original counts candidates as in theorem 1 (``unique_share``, ``worst_probability``,
        ``mean_worst_probability``, ``mean_probability``; null if a taxonomy is used, and for "generalize");
        the remaining risk if
        someone links to the record that fits best (``linkage_unique_share``, ``linkage_below_k_share``,
        ``linkage_worst_probability``, ``linkage_mean_probability``), each time the higher of the two ways to
        link; and every measure of :func:`pdseqpriv.compare` that applies.

    Notes
    -----
    **Guarantee**: none; it measures. Each release is made exactly as a call of the operation would make it.
    If people are named, the risks are those of people; the measures of :func:`pdseqpriv.compare` count
    sequences.

    **Not protected**: the numbers are computed from the original and are for its owner only. Releasing a
    table more than once, at several settings, can reveal more than one release does.

    **Large tables**: the same numbers. Releases are made where the rows are, and measured as `risk` and
    `compare` do it.

    Examples
    --------
    >>> import pdseqpriv
    >>> df = pdseqpriv.datasets.make_event_log(300, seed=1)[["seq_id", "event", "time"]]
    >>> frame = df.seqpriv.sweep("k_anonymize", k=[2, 20])
    >>> frame[["k", "unique_share", "linkage_unique_share", "events_kept"]].round(2)
        k  unique_share  linkage_unique_share  events_kept
    ...
    """
    function = _function(operation)
    named = {name: settings.pop(name) for name in SAYABLE if _names_a_column(name, function, settings)}
    whole_number("known", known, least=1)
    _check_knows(knows)
    if min_support is not None:
        minimum_support(min_support)
        if operation == "generalize":
            raise refusal('min_support must be left out with "generalize", whose releases have no patterns.')
    _check_names(function, operation, settings)
    swept = {name: list(value) for name, value in settings.items() if _is_several(value)}
    if not swept or not all(swept.values()):
        raise refusal("at least one setting must be a list of values to try, and no list may be empty.")
    _check_lists(swept)
    combinations = list(itertools.product(*swept.values()))
    bound = with_columns(bind(table), named)
    rows = []
    with progress(len(combinations), f"trying {operation}") as bar, warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # what a release drops shows in the measures
        for values in combinations:
            chosen = dict(zip(swept, values, strict=True))
            released, key = _run(function, bound, {**settings, **chosen})
            after = BoundTable(released, bound.columns.of_release)
            options = {**settings, **chosen}
            linked_by = {"knows": knows, "key": key, "taxonomy": options.get("taxonomy")}
            risks = _risks(after, bound, known if operation != "generalize" else None, linked_by, options)
            measures = _measures(bound, after, operation, min_support, {**options, "key": key})
            rows.append({**_shown(chosen), **risks, **measures.to_dict()})
            bar.update(1)
    return pd.DataFrame(rows)


def _run(
    function: Any,  # noqa: ANN401 (one of ours)
    table: BoundTable,
    settings: dict[str, Any],
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Make a release; with its key, unless it has the ids of the original."""
    if "with_key" not in own_parameters(function):
        return function(table, **settings), None
    released, key = function(table, **settings, with_key=True)
    return released, key


def _risks(
    released: BoundTable,
    original: BoundTable,
    known: int | None,
    linked_by: dict[str, Any],
    options: dict[str, Any],
) -> dict[str, float]:
    """Measure both kinds of attackers; candidates are not counted where events may be categories."""
    counted = dict.fromkeys(_RISKS, float("nan"))
    if known is not None and linked_by["taxonomy"] is None:
        key = linked_by["key"] if original.columns.person is not None else None
        counted = risk(released, known, original=original, key=key).iloc[0][_RISKS].to_dict()
    # A generalized table has no k of its own to be measured by.
    enough = {} if known is not None or options.get("k") is None else {"k": options["k"]}
    linked = risk(released, original=original, attack="linkage", **linked_by, **enough)
    return {**counted, **linked[_LINKAGE].max().add_prefix("linkage_").to_dict()}


def _measures(
    original: BoundTable,
    released: BoundTable,
    operation: str,
    min_support: float | None,
    options: dict[str, Any],
) -> pd.Series:
    """Measure what is left."""
    used: dict[str, Any] = {"taxonomy": options.get("taxonomy")}
    if operation == "generalize":
        used |= {"key": options["key"], "monitored": options.get("monitored")}
    else:
        used |= {"min_support": min_support}
    return compare(original, released, **used).set_index("measure")["value"]


def _check_knows(knows: Knows) -> None:
    """Refuse several: they would be several columns of the same name."""
    if len(read_knows(knows)) != 1 or not isinstance(knows, str | Real):
        raise wrong_parameter("knows", "a single value", "several")


def _function(operation: str) -> Any:  # noqa: ANN401 (one of ours)
    one_of("operation", operation, _OPERATIONS)
    return getattr(import_module("pdseqpriv"), operation)


def _names_a_column(name: str, function: Any, settings: dict[str, Any]) -> bool:  # noqa: ANN401 (ours)
    """Return whether a setting says what a column is called; ``time`` is an option of generalize."""
    return name in settings and name not in own_parameters(function)


def _check_names(function: Any, operation: str, settings: dict[str, Any]) -> None:  # noqa: ANN401 (ours)
    """Refuse settings that the operation does not have, and calls without one that it needs."""
    known = list(own_parameters(function).values())[1:]
    if "with_key" in settings:
        raise refusal("with_key must be left out, because the key is not part of the result.")
    strange = sorted(set(settings) - {one.name for one in known})
    if strange:
        listed = ", ".join(one.name for one in known)
        raise refusal(f"{operation} has no setting {strange[0]!r}; it has {listed}.")
    missing = [one.name for one in known if one.default is one.empty and one.name not in settings]
    if missing:
        raise refusal(f"{operation} needs the setting {missing[0]!r}.")


def _check_lists(swept: dict[str, list[Any]]) -> None:
    """Refuse a list of events that was meant as one value but would be swept event by event."""
    for name in _LISTS:
        if any(isinstance(value, str | Integral) for value in swept.get(name, [])):
            raise refusal(
                f"every value of {name} must itself be a list, because the values of a list are tried one by "
                f"one. To pass a single list, put it into a list: {name}=[[...]]."
            )


def _is_several(value: object) -> bool:
    return isinstance(value, list | range) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _shown(chosen: dict[str, Any]) -> dict[str, Any]:
    """Say how many things a setting holds, not which: events and their names do not belong in a result."""
    return {
        name: f"{len(value)} given"
        if isinstance(value, Sized) and not isinstance(value, str | tuple)
        else value
        for name, value in chosen.items()
    }
