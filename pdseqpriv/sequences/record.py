"""The record of what was applied to a table: a short list of steps that anyone may see.

A step names an operation, the parameters that may be disclosed, and the library's version. It never holds
patterns, sensitive events, seeds, keys or ids, nor counts of what was removed, and it claims no property: use
``verify`` for that. The steps belong to the rows that the last of them returned, and are dropped where rows
were changed since. Beside them, a table remembers how its columns are called and what ties mean, if that is
unusual.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias, get_args

import numpy as np
import pandas as pd

from pdseqpriv.errors import warn
from pdseqpriv.sequences.columns import ROLES, USUAL, Columns, Ties
from pdseqpriv.sequences.content import check_digit_of, seal_of
from pdseqpriv.sequences.later_steps import CHECKS, keeps_promise
from pdseqpriv.sequences.named_events import note_names
from pdseqpriv.version import __version__

ATTRIBUTE = "pdseqpriv"
FORMAT = 1
_LARGEST = 2**63
_USUALLY = {**dict(zip(ROLES, USUAL.names, strict=True)), "ties": USUAL.ties}

Value: TypeAlias = int | float | bool | str | None
Record: TypeAlias = dict[str, Any]

# For each operation, the parameters that may be disclosed and, for text, the words allowed.
NUMBER = ("a number",)
YES_OR_NO = ("a switch",)
PEOPLE: dict[str, tuple[str, ...]] = {
    "people": YES_OR_NO
}  # whether people were counted, instead of sequences
DISCLOSABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "mine": {"min_support": NUMBER, "min_length": NUMBER, "max_length": NUMBER, "closed": YES_OR_NO} | PEOPLE,
    "release_patterns": {
        "k": NUMBER,
        "alpha": NUMBER,
        "closed": YES_OR_NO,
        "method": ("raise", "suppress"),
    }
    | PEOPLE,
    "hide": {
        "max_support": NUMBER,
        "marking": ("optimal", "greedy", "random"),
        "selection": ("per_pattern", "shared", "random"),
        "output": ("mark", "drop", "replace"),
        "constrained": YES_OR_NO,  # whether a pattern has gaps, a window, or is an expression
    }
    | PEOPLE,
    "sanitize": {
        "delta": NUMBER,
        "scope": ("sequence", "person", "table"),
        "method": ("joint", "essa"),
        "camouflage": NUMBER,
    }
    | PEOPLE,
    "generalize": {
        "k": NUMBER,
        "diversity_g": NUMBER,  # in seconds for datetimes
        "diversity_l": NUMBER,
        "method": ("baseline", "indexed", "hybrid", "hilbert", "partition"),
        "time": ("real", "since_start"),
        "intervals": ("apart", "by_category"),
        "time_weight": NUMBER,
        "event_weight": NUMBER,
    }
    | PEOPLE,
    "k_anonymize": {
        "k": NUMBER,
        "guarantee": ("contained", "mutual", "identical"),
        "method": ("subsequence", "prefix_tree"),
        "taxonomy": YES_OR_NO,  # whether there was one
    }
    | PEOPLE,
}


def empty_record() -> Record:
    """Return the record of a table to which nothing was applied."""
    return {"format": FORMAT, "applied": []}


def record_of(frame: pd.DataFrame) -> Record:
    """Return the record of a frame, without steps that do not belong to its rows, and warn of these.

    Examples
    --------
    >>> record_of(pd.DataFrame())
    {'format': 1, 'applied': []}
    """
    record = claims_of(frame)
    seal, digit = record.pop("seal", None), record.pop("check", None)
    if record["applied"] and isinstance(frame, pd.DataFrame):  # what is elsewhere cannot be changed by hand
        is_bound = seal == seal_of(frame) if digit is None else digit == check_digit_of(frame)
        if not is_bound:
            _warn_of_changed_rows(record["applied"])
            record["applied"] = []
    return record


def claims_of(frame: pd.DataFrame) -> Record:
    """Return what the attrs of a frame say, for hints: its rows may have been changed since."""
    return cleaned(attributes_of(frame).get(ATTRIBUTE))


def attributes_of(table: object) -> dict[Hashable, Any]:
    """Return the attrs of a table; elsewhere there may be none, or a column of that name."""
    attrs = getattr(table, "attrs", None)
    return attrs if isinstance(attrs, dict) else {}


def attach(frame: pd.DataFrame, record: Record) -> None:
    """Make a record the only entry in the attrs of a frame, and bind its steps to the rows."""
    if record["applied"]:
        # Rows that are elsewhere have no other number than that of this table.
        is_here = isinstance(frame, pd.DataFrame)
        record = {**record, "seal": seal_of(frame) if is_here else secrets.randbits(63)}
    frame.attrs = {ATTRIBUTE: record}


def hand_on(table: Any, frame: pd.DataFrame) -> None:  # noqa: ANN401 (or one that is elsewhere)
    """Give the record of a table to a frame with the same events, and what this process knows of it."""
    attach(frame, record_of(table))
    note_names(claims_of(frame).get("seal"), (), claims_of(table).get("seal"))


def record_for_file(frame: pd.DataFrame) -> Record:
    """Return the steps as a file holds them, bound to the rows by a byte that anybody can check."""
    record = {**empty_record(), "applied": record_of(frame)["applied"]}
    return {**record, "check": check_digit_of(frame)} if record["applied"] else record


def _warn_of_changed_rows(applied: list[Record]) -> None:
    names = [step["operation"] for step in applied]
    checks = " and ".join(dict.fromkeys(CHECKS[name] for name in names if name in CHECKS))
    do = f"; check what was promised with {checks}" if checks else ""
    warn(
        f"the rows are not those that {names[-1]} returned: they were changed, or come from another process. "
        f"The record of what was applied is dropped{do}."
    )


def remember_columns(frame: pd.DataFrame, columns: Columns) -> None:
    """Let a table remember its column names and ties, if they are not the usual ones."""
    noted = {**dict(zip(ROLES, columns.names, strict=True)), "ties": columns.ties}
    if noted != _USUALLY and _are_columns(noted):
        frame.attrs[ATTRIBUTE] = {**claims_of(frame), "columns": noted}


def remembered_columns(record: object, names: Iterable[Hashable]) -> Columns:
    """Return column names and ties as a record says, or the usual ones if it does not fit the table."""
    noted = cleaned(record).get("columns")
    if noted is None or not {noted["seq_id"], noted["event"]} <= set(names):
        return USUAL
    return Columns(**noted)


def _are_columns(noted: object) -> bool:
    if not isinstance(noted, dict) or set(noted) != set(_USUALLY) or noted["ties"] not in get_args(Ties):
        return False
    names = [noted[role] for role in ROLES]
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def made_from_another(original: pd.DataFrame, released: pd.DataFrame) -> str | None:
    """Return the last operation of the original, if the release did not go through the same and more."""
    before, after = claims_of(original)["applied"], claims_of(released)["applied"]
    is_another = before and (len(after) <= len(before) or after[: len(before)] != before)
    return str(before[-1]["operation"]) if is_another else None


def warn_if_swapped(original: pd.DataFrame, released: pd.DataFrame) -> None:
    """Warn if the original is the result of an operation that the release did not go through."""
    operation = made_from_another(original, released)
    if operation is not None:
        warn(
            f"the original itself is the result of {operation}, and the release "
            "was not made from it. Was a release given as the original, or were the tables swapped?"
        )


def record_step(
    frame: pd.DataFrame,
    operation: str,
    parameters: Mapping[str, Value],
    before: pd.DataFrame | None = None,
    *,
    columns: Columns = USUAL,
    named: Sequence[Hashable] = (),
) -> pd.DataFrame:
    """Set the record, with one more step, as the only entry in the attrs of a frame.

    The steps so far are those of the table ``before``, if it is given, which this step read with these
    ``columns``. ``named`` are the events that the step
    was asked to remove and that did occur; only this process knows them, to tell names that are misspelt.
    """
    step = {
        "operation": operation,
        "parameters": {name: _plain(parameters[name]) for name in sorted(parameters)},
        "library": __version__,
    }
    if not is_step(step):
        raise AssertionError(f"{operation} tried to record what it may not disclose")
    applied = [] if before is None else record_of(before)["applied"]
    if applied:
        _warn_of_broken_promises(applied, step, as_before=_is_read_as_before(before, columns))
    attach(frame, {"format": FORMAT, "applied": [*applied, step]})
    if named or applied:
        note_names(frame.attrs[ATTRIBUTE]["seal"], named, claims_of(before).get("seal") if applied else None)
    return frame


def _is_read_as_before(before: Any, columns: Columns) -> bool:  # noqa: ANN401 (or one that is elsewhere)
    """Return whether earlier steps saw the same sequences: other columns, or other ties, make others."""
    noted, there = claims_of(before).get("columns", _USUALLY), set(before.columns)
    cannot_tell = not {noted[role] for role in ROLES} <= there  # names that are no text are not remembered
    return cannot_tell or Columns(**noted) == columns.of_release


def _warn_of_broken_promises(applied: list[Record], step: Record, *, as_before: bool) -> None:
    """Warn of earlier steps whose promise this one may break, and of doing the same again."""
    broken = [
        earlier["operation"]
        for earlier in applied
        if earlier["operation"] in CHECKS and not (as_before and keeps_promise(earlier, step))
    ]
    if broken:
        names = " and ".join(dict.fromkeys(broken))
        checks = " and ".join(dict.fromkeys(CHECKS[name] for name in broken))
        warn(f"this can undo what {names} did to the table before. Check the result with {checks}, too.")
    if step["operation"] == "k_anonymize" and any(one["operation"] == "k_anonymize" for one in applied):
        warn("the table is a release of k_anonymize already. Doing it again may remove more than is needed.")


def cleaned(value: object) -> Record:
    """Keep only what a record may hold: anything else might be a trace of the input."""
    record = empty_record()
    if isinstance(value, dict) and value.get("format") == FORMAT and isinstance(value.get("applied"), list):
        record["applied"] = [step for step in value["applied"] if is_step(step)]
        if _are_columns(value.get("columns")):
            record["columns"] = value["columns"]
        bound = {name: value[name] for name in ("seal", "check") if isinstance(value.get(name), int)}
        record |= bound if record["applied"] else {}
    return record


def is_step(step: object) -> bool:
    """Return whether this is a step as our operations write it."""
    if not isinstance(step, dict) or set(step) != {"operation", "parameters", "library"}:
        return False
    allowed = DISCLOSABLE.get(step["operation"]) if isinstance(step["operation"], str) else None
    if allowed is None or not isinstance(step["parameters"], dict):
        return False
    parameters_fit = all(
        name in allowed and _fits(value, allowed[name]) for name, value in step["parameters"].items()
    )
    return parameters_fit and _is_version(step["library"])


def _fits(value: object, words: tuple[str, ...]) -> bool:
    if words == NUMBER:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value is None or (is_number and isfinite(value) and abs(value) < _LARGEST)  # type: ignore[arg-type]
    if words == YES_OR_NO:
        return isinstance(value, bool)
    return value in words


def _is_version(text: object) -> bool:
    return (
        isinstance(text, str)
        and re.fullmatch(r"\d{1,3}(\.\d{1,3}){1,2}((a|b|rc|\.dev)\d{1,3})?", text) is not None
    )


def _plain(value: Value) -> Value:
    """Turn numpy scalars into Python's own, which JSON can hold."""
    return value.item() if isinstance(value, np.generic) else value
