"""The verdict on each step's promise, on the final table; ``order`` lists which check is right after what."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.compatible import are_compatible
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.errors import PrivacyWarning, in_our_words, wrong_column
from pdseqpriv.generalization.verify import is_generalized
from pdseqpriv.hiding.verify import is_hidden
from pdseqpriv.k_anonymity.verify import is_k_anonymous
from pdseqpriv.pattern_release.verify import are_patterns_safe
from pdseqpriv.pipeline.running import Passed, Way
from pdseqpriv.pipeline.steps import CONSTRAINTS, Step
from pdseqpriv.sanitization.verify import is_sanitized
from pdseqpriv.sequences.columns import RELEASED_ID
from pdseqpriv.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Checked:
    """A promise that was checked on the final table.

    Attributes
    ----------
    step : int
        The number of the step in the pipeline, from 1.
    operation : str
        What the step did.
    check : str
        The function of ``pdseqpriv.verify`` that checked it.
    verdict : Verdict
        What it found; it tells counts of the original and is for the owner.
    """

    step: int
    operation: str
    check: str
    verdict: Verdict

    def __bool__(self) -> bool:
        return bool(self.verdict)

    def __repr__(self) -> str:
        return f"step {self.step}, {self.operation}: {self.verdict}"


def check_all(way: Way) -> tuple[Checked, ...]:
    """Check what every step promised, on the table as it is now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # the operations have told what there is to tell
        return tuple(checked for passed in way.passed for checked in _check(way, passed))


def _check(way: Way, passed: Passed) -> Iterator[Checked]:
    step = passed.step
    for check, arguments in _CALLS[step.operation](way, passed):
        verdict = check(*arguments.pop("tables"), **arguments)
        yield Checked(step.number, step.operation, check.__name__, verdict)


Calls = Iterator[tuple[Callable[..., Verdict], dict[str, Any]]]


# A step warns of named events that do not occur; on some days that is so, and there is nothing to hide.
MAY_BE_ABSENT = {"may_be_absent": True}


def _of_hide(way: Way, passed: Passed) -> Calls:
    asked = passed.step.asked("patterns", "max_support", *CONSTRAINTS)
    yield is_hidden, {"tables": [way.bound], **asked, **MAY_BE_ABSENT}


def _of_sanitize(way: Way, passed: Passed) -> Calls:
    asked = passed.step.asked("delta", "events", "scope", "camouflage")
    yield is_sanitized, {"tables": [way.bound], **asked, **MAY_BE_ABSENT}


def _of_k_anonymize(way: Way, passed: Passed) -> Calls:
    step, key = passed.step, way.key_from(passed)
    final = BoundTable(way.frame, way.columns.of_release)
    asked = step.asked("k", "guarantee", "taxonomy")
    yield (
        is_k_anonymous,
        {"tables": [passed.before, final], "key": key, "keep": _kept_in(way.frame, step), **asked},
    )
    if step.parameters.get("guarantee") == "identical" and _is_touched(way, passed):
        yield is_k_anonymous, _as_they_look(way, step)
    if step.parameters.get("previous") is not None:
        yield _compatible(way, step)


def _of_generalize(way: Way, passed: Passed) -> Calls:
    step = passed.step
    final = BoundTable(way.frame, way.columns.of_release)
    asked = step.asked("k", "diversity", "monitored", "sensitive", "taxonomy", "keep", "time", "intervals")
    yield is_generalized, {"tables": [passed.before, final, way.key_from(passed)], **asked}
    if step.parameters.get("previous") is not None:
        yield _compatible(way, step)


def _of_release_patterns(way: Way, passed: Passed) -> Calls:
    yield are_patterns_safe, {"tables": [way.frame], **passed.step.asked("k", "alpha")}


def _of_apply(_: Way, __: Passed) -> Calls:
    yield from ()


_CALLS: dict[str, Callable[[Way, Passed], Calls]] = {
    "hide": _of_hide,
    "sanitize": _of_sanitize,
    "k_anonymize": _of_k_anonymize,
    "generalize": _of_generalize,
    "release_patterns": _of_release_patterns,
    "apply": _of_apply,
}


def _kept_in(frame: pd.DataFrame, step: Step) -> Any:  # noqa: ANN401 (as the user gave it)
    """Return the kept columns that are still there: a column that is gone tells nothing."""
    keep = step.parameters.get("keep")
    there = [name for name in keep or () if name in frame.columns]
    if not there:
        return None
    return {name: keep[name] for name in there} if isinstance(keep, dict) else there


def _is_touched(way: Way, passed: Passed) -> bool:
    """Return whether a later step may have changed rows, and no release was made of all since."""
    later = [one.step.operation for one in way.passed if one.step.number > passed.step.number]
    since = later[len(later) - later[::-1].index("k_anonymize") :] if "k_anonymize" in later else later
    return bool(since) or way.is_repaired


def _as_they_look(way: Way, step: Step) -> dict[str, Any]:
    """Return how to check that records are equal with all they show: a mark or a time tells them apart, too.

    Each row becomes an event that says all of it, and the table must then be k-anonymous in itself.
    """
    columns, frame = way.columns, way.frame
    shown = [columns.seq_id, *(name for name in frame.columns if name != columns.seq_id)]
    rows = pd.DataFrame({place: _codes(frame[name]) for place, name in enumerate(shown)})
    again = rows.groupby(list(rows.columns)).cumcount()  # two marks at one time are not one
    looks = pd.factorize(pd.MultiIndex.from_frame(rows.iloc[:, 1:].assign(again=again)))[0]
    plain = pd.DataFrame({columns.seq_id: frame[columns.seq_id].to_numpy()})
    plain[columns.event] = looks
    plain[columns.time] = np.unique(frame[columns.time], return_inverse=True)[1]
    ids = plain[columns.seq_id].unique()
    key = pd.DataFrame({columns.seq_id: ids, RELEASED_ID: ids})
    table = BoundTable(plain, columns.of_release)
    original = table if way.owners is None else way.owners.bind(plain, columns)
    return {"tables": [original, table], "k": step.parameters["k"], "guarantee": "identical", "key": key}


def _codes(column: pd.Series) -> NDArray[np.int64]:
    must = "values that can be compared, for records to be equal"
    with in_our_words(wrong_column(column.name, must, "some cannot")):
        return np.asarray(pd.factorize(column)[0], np.int64)


def _compatible(way: Way, step: Step) -> tuple[Callable[..., Verdict], dict[str, Any]]:
    keys = [*step.parameters["previous"], way.key]
    return are_compatible, {"tables": [keys], "k": step.parameters["k"], "person": way.columns.person}
