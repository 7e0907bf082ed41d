"""Run the steps one after the other, and remember what the checks at the end need."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pdseqpriv.engines.engine import BoundTable, bind
from pdseqpriv.engines.named_columns import own_parameters
from pdseqpriv.errors import PrivacyWarning, SeqPrivError, refusal, warn, wrong_parameter
from pdseqpriv.generalization.generalize import generalize
from pdseqpriv.hiding.hide import hide
from pdseqpriv.k_anonymity.k_anonymize import k_anonymize
from pdseqpriv.pattern_release.release_patterns import release_patterns
from pdseqpriv.pipeline.owners import Owners, followed, owners_by_key, owners_in_rows, with_all
from pdseqpriv.pipeline.steps import WITH_KEY, Step
from pdseqpriv.sanitization.sanitize import sanitize
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import Record, attach, record_of, remember_columns

OPERATIONS: dict[str, Any] = {
    "hide": hide,
    "sanitize": sanitize,
    "k_anonymize": k_anonymize,
    "generalize": generalize,
    "release_patterns": release_patterns,
}
# What the operations say of each other: here it is checked.
_CHECKED_HERE = "this can undo what"


@dataclass(frozen=True, eq=False)
class Passed:
    """A step that was run: the table that it started from, and its key, if its check needs them."""

    step: Step
    before: BoundTable | None = None
    key: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class Way:
    """How far the table has come."""

    frame: pd.DataFrame
    columns: Columns
    owners: Owners | None  # None where no person is named
    passed: tuple[Passed, ...] = ()
    first_key: pd.DataFrame | None = None  # with every sequence of the original
    is_repaired: bool = False  # whether a step was run again after the last one

    @property
    def bound(self) -> BoundTable:
        """The table with its columns and, where they are known, its people."""
        columns = self.columns
        if self.owners is None or columns.person in self.frame.columns:
            return BoundTable(self.frame, columns)
        if columns.seq_id not in self.frame.columns:  # patterns
            return BoundTable(self.frame, columns.of_release)
        return self.owners.bind(self.frame, columns)

    def key_from(self, passed: Passed) -> pd.DataFrame | None:
        """Return the key from the table that a step started from to the ids of this one."""
        if passed.key is None:
            return None
        return self._followed(passed.key, passed)

    @property
    def key(self) -> pd.DataFrame | None:
        """The key from the original to the ids of this table; None if they are the same."""
        first = next((one for one in self.passed if one.key is not None), None)
        if first is None or self.first_key is None:
            return None
        return self._followed(self.first_key, first)

    def _followed(self, key: pd.DataFrame, since: Passed) -> pd.DataFrame:
        after = [one.key for one in self.passed if one.step.number > since.step.number]
        later = [one for one in after if one is not None]
        final = pd.Index(self.frame[self.columns.seq_id].unique())
        return followed(key, later, final, self.columns)


def begin(table: BoundTable) -> Way:
    """Set out with a table; the frame itself is never changed."""
    frame, columns = bind(table).frame, table.columns
    problem = columns.problem(frame)
    if problem is not None:
        raise problem
    owners = None if columns.person is None else owners_in_rows(frame, columns)
    return Way(frame, columns, owners)


def run_steps(way: Way, steps: Sequence[Step]) -> Way:
    """Run all steps."""
    original, had_record = way.frame, bool(record_of(way.frame)["applied"])
    for step in steps:
        with told_of(step, had_record=had_record):
            way = run_step(way, step)
        if way.first_key is None and way.passed[-1].key is not None:
            way = replace(way, first_key=with_all(way.passed[-1].key, original, way.columns))
    return way


def run_step(way: Way, step: Step) -> Way:
    """Run one step."""
    if step.operation == "apply":
        return replace(way, frame=_applied(way, step), passed=(*way.passed, Passed(step)))
    table, operation = way.bound, OPERATIONS[step.operation]
    if step.operation not in WITH_KEY:
        return replace(way, frame=operation(table, **step.parameters), passed=(*way.passed, Passed(step)))
    released, key = operation(table, **step.parameters, with_key=True)
    owners = None if way.owners is None else owners_by_key(key, way.columns)
    return replace(way, frame=released, owners=owners, passed=(*way.passed, Passed(step, table, key)))


def run_again(way: Way, step: Step) -> Way:
    """Run a step once more, on the table as it is now; only those that keep ids can be."""
    with told_of(step, had_record=False), warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said the first time
        return replace(way, frame=OPERATIONS[step.operation](way.bound, **step.parameters))


def _applied(way: Way, step: Step) -> pd.DataFrame:
    """Call a function of the user's; what was recorded before it stays, because it is checked in the end."""
    record: Record = record_of(way.frame)
    returned = step.function(way.frame.copy(deep=False))
    if not isinstance(returned, pd.DataFrame):
        must = "a function that returns a DataFrame"
        raise wrong_parameter("function", must, f"one that returns {type(returned).__name__}")
    frame = returned.copy(deep=False)
    columns = way.columns if way.columns.person in frame.columns else way.columns.of_release
    missing = [name for name in columns.roles.values() if name in way.frame.columns and name not in frame]
    if missing:
        raise refusal(f"the function dropped the column {missing[0]!r}, which later steps or checks need.")
    attach(frame, record)
    remember_columns(frame, columns.of_release)
    return frame


@contextmanager
def told_of(step: Step, *, had_record: bool) -> Iterator[None]:
    """Say in every error and warning which step it comes from."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            yield
        except SeqPrivError as error:
            raise type(error)(f"step {step.number}, {error}") from None
    for one in said:
        text = str(one.message)
        if not issubclass(one.category, PrivacyWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif had_record or _CHECKED_HERE not in text:
            warn(f"step {step.number}, {text}")


def parameters_of(operation: str) -> inspect.Signature:
    """Return the parameters of an operation, without the table and without those that are the pipeline's."""
    own = own_parameters(OPERATIONS[operation])
    return inspect.Signature([one for name, one in own.items() if name not in ("table", "with_key")])
