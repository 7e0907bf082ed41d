"""The two tables that a page is about: read once, and refused where they cannot belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import ORIGINAL, RELEASED, BoundTable, Table, bind
from pdseqpriv.errors import SeqPrivError, refusal, said_of
from pdseqpriv.plotting.counted import Frequencies, frequencies_of, is_generalized, lengths_of, validated
from pdseqpriv.sequences.columns import PATTERNS, USUAL
from pdseqpriv.sequences.record import made_from_another, record_of

Applied: TypeAlias = list[dict[str, Any]]
Which: TypeAlias = tuple[int, ...]
# Which of the two tables a page shows.
RELEASE_ONLY: Which = (1,)
BOTH: Which = (0, 1)
_FIRST = 100


@dataclass(frozen=True, eq=False)
class Pair:
    """An original and its release, what was applied, and what else the caller gave."""

    before: BoundTable
    after: BoundTable
    applied: Applied
    options: dict[str, Any]

    @property
    def tables(self) -> tuple[BoundTable, BoundTable]:
        """The two."""
        return self.before, self.after

    @cached_property
    def frequencies(self) -> tuple[Frequencies, Frequencies]:
        """How frequent events are, before and after."""
        return frequencies_of(self.before), frequencies_of(self.after)

    @cached_property
    def lengths(self) -> tuple[pd.Series, pd.Series]:
        """How long sequences are, before and after."""
        return lengths_of(self.before), lengths_of(self.after)

    @property
    def has_events(self) -> bool:
        """Whether something is released, and not only marks."""
        return len(self.frequencies[1]) > 0

    @property
    def has_patterns(self) -> bool:
        """Whether patterns are released."""
        return holds_patterns(self.after)

    @property
    def has_groups(self) -> bool:
        """Whether groups and intervals are released."""
        return is_generalized(self.after)

    @property
    def operations(self) -> set[str]:
        """What was applied, by name."""
        return {one["operation"] for one in self.applied}

    @property
    def keeps_ids(self) -> bool:
        """Whether the release was made by operations that keep ids and times."""
        return bool(self.applied) and self.operations <= {"hide", "sanitize"}

    @property
    def has_positions(self) -> bool:
        """Whether times became positions."""
        return "k_anonymize" in self.operations


def read_pair(original: Table, released: Table, applied: Applied | None, options: dict[str, Any]) -> Pair:
    """Read both tables; what was applied is in the record of the release, unless the caller knows better."""
    before = _valid(original, ORIGINAL)
    after = _valid(released, RELEASED, before)
    pair = Pair(before, after, record_of(after.frame)["applied"] if applied is None else applied, options)
    if holds_patterns(before) and not pair.has_patterns:
        raise refusal("the original holds patterns and the release does not. Were they swapped?")
    if is_generalized(before):
        raise refusal("the original is a generalized table. Were the tables swapped?")
    (_refuse_other_patterns if pair.has_patterns else _refuse_other_sequences)(pair)
    return pair


def holds_patterns(table: BoundTable) -> bool:
    """Return whether a table holds patterns and their supports."""
    return set(table.frame.columns) >= PATTERNS


def events_of(pattern: Any) -> Iterator[str]:  # noqa: ANN401 (a list or tuple of events, or of several)
    """Return the events of a pattern as they are written in a table."""
    for element in pattern:
        several = isinstance(element, list | tuple | np.ndarray | pd.Series)
        yield from map(str, element if several else (element,))


def _refuse_other_sequences(pair: Pair) -> None:
    made_by = made_from_another(pair.before.frame, pair.after.frame)
    if made_by is not None:
        raise refusal(f"the original is the result of {made_by}, and the release is not. Were they swapped?")
    before, after = pair.lengths
    if len(after) > len(before):
        raise refusal("the release has more sequences than the original. Were they swapped?")
    known, told = (one.index for one in pair.frequencies)
    if len(told) and not pair.has_groups and not _have_one_in_common(told, known):
        raise _strangers("event")
    if pair.keeps_ids and len(after) and not _have_one_in_common(after.index, before.index):
        raise _strangers("id")


def _have_one_in_common(some: pd.Index, others: pd.Index) -> bool:
    """Return whether two indexes share a value; of millions of texts, mostly one of the first tells it."""
    return bool(others.isin(some[:_FIRST]).any() or some.isin(others).any())


def _refuse_other_patterns(pair: Pair) -> None:
    told = pair.after.frame["pattern"]
    if holds_patterns(pair.before):
        known = {tuple(events_of(one)) for one in pair.before.frame["pattern"]}
        is_known = (tuple(events_of(one)) in known for one in told)
    else:
        events = set(frequencies_of(pair.before).index)
        is_known = (event in events for one in told for event in events_of(one))
    if len(told) and not any(is_known):
        raise _strangers("pattern")


def _strangers(what: str) -> SeqPrivError:
    return refusal(f"no {what} of the release occurs in the original. Do the tables belong together?")


def _valid(table: Table, which: str, like: BoundTable | None = None) -> BoundTable:
    from pdseqpriv.schemas import validate

    try:
        bound = bind(table)
        if like is not None and bound.columns == USUAL and not set(USUAL.names) <= set(bound.frame.columns):
            bound = replace(bound, columns=like.columns.of_release)
        if holds_patterns(bound):
            validate(bound.frame, "patterns")
            return bound
        return validated(bound)
    except SeqPrivError as error:
        raise said_of(which, error) from None
