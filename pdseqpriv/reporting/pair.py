"""The two tables that a page is about: read once, and refused where they cannot belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import ORIGINAL, RELEASED, BoundTable, Table, bind
from pdseqpriv.errors import SeqPrivError, refusal, said_of
from pdseqpriv.mining.mine import mine
from pdseqpriv.plotting.counted import Frequencies, frequencies_of, lengths_of, validated
from pdseqpriv.sequences.columns import PATTERNS, USUAL, has_intervals
from pdseqpriv.sequences.events import free_name
from pdseqpriv.sequences.record import made_from_another, record_of
from pdseqpriv.taxonomy.taxonomy import Taxonomy

Applied: TypeAlias = list[dict[str, Any]]
Which: TypeAlias = tuple[int, ...]
# Which of the two tables a page shows.
RELEASE_ONLY: Which = (1,)
BOTH: Which = (0, 1)
_FIRST = 100
_MOST = 100_000  # patterns that are looked for in an original, or as many as are released


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
        return has_intervals(self.after)

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

    def counting(self, given: Mapping[str, Any]) -> BoundTable | None:
        """Return the original, with people only if a step counted them; None if they are not named."""
        before = self.before
        if given.get("people"):
            return before if before.columns.person is not None else None
        return replace(before, columns=before.columns.of_release)

    @property
    def leaves_out_patterns(self) -> bool:
        """Whether supports were made safe by leaving out patterns, of any length."""
        return any(one["parameters"].get("method") == "suppress" for one in self.applied)

    @cached_property
    def patterns_before(self) -> pd.DataFrame | None:
        """The patterns of the original that are as frequent as those released; if none was left out, as long.

        A pattern that no other contains is released with its true support, if at all, and none has a lower
        one: so those released are among the patterns that are at least as frequent. None if they are too
        many, if there is nothing to look for, or if people were counted who are not named.
        """
        if holds_patterns(self.before):
            return self.before.frame
        shown = self.after.frame
        original = self.counting(self.applied[-1]["parameters"]) if self.applied else self.before
        if original is None or not len(shown):
            return None
        lengths = [sum(1 for _ in names_of_events(one)) for one in shown["pattern"]]
        shortest, longest = (1, None) if self.leaves_out_patterns else (min(lengths), max(lengths))
        limits: Any = {"min_length": shortest, "max_length": longest}
        try:
            return mine(original, int(shown["support"].min()), max_patterns=max(_MOST, len(shown)), **limits)
        except SeqPrivError:
            return None


def read_pair(original: Table, released: Table, applied: Applied | None, options: dict[str, Any]) -> Pair:
    """Read both tables; what was applied is in the record of the release, unless the caller knows better."""
    before = _valid(original, ORIGINAL)
    after = _valid(released, RELEASED, before)
    pair = Pair(before, after, record_of(after.frame)["applied"] if applied is None else applied, options)
    if holds_patterns(before) and not pair.has_patterns:
        raise refusal("the original holds patterns and the release does not. Were they swapped?")
    if has_intervals(before):
        raise refusal("the original is a generalized table. Were the tables swapped?")
    (_refuse_other_patterns if pair.has_patterns else _refuse_other_sequences)(pair)
    return pair


def holds_patterns(table: BoundTable) -> bool:
    """Return whether a table holds patterns and their supports."""
    return set(table.frame.columns) >= PATTERNS


def names_of_events(pattern: Any) -> Iterator[str]:  # noqa: ANN401 (a list or tuple of events, or of several)
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
    if not _may_have_events_of_the_original(pair):
        may_be_categories = pair.has_groups or any(one["parameters"].get("taxonomy") for one in pair.applied)
        is_hint = may_be_categories and pair.options["taxonomy"] is None
        raise _strangers("event", " If events became categories, give taxonomy=." if is_hint else "")
    if pair.keeps_ids and len(after) and not _have_one_in_common(after.index, before.index):
        raise _strangers("id")


def _may_have_events_of_the_original(pair: Pair) -> bool:
    """Return whether an event of the release is in the original; if all are categories, what is below one."""
    known, told = (one.index for one in pair.frequencies)
    tree = None if pair.options["taxonomy"] is None else Taxonomy(pair.options["taxonomy"])
    if tree is None:
        own = told.drop(free_name(known), errors="ignore") if pair.has_groups else told
        return not len(own) or _have_one_in_common(own, known)
    own = told[~told.isin(tree.names[~tree.is_leaf])]
    if len(own) or not len(told):
        return not len(own) or _have_one_in_common(own, known)
    return bool(told.isin(_categories_above(tree, known)).any())


def _categories_above(tree: Taxonomy, events: pd.Index) -> pd.Index:
    places = tree.find(events)
    places = np.unique(places[places >= 0])
    found = [places[:0]]
    while places.any():  # until all have come to the root, which is the first name
        places = np.unique(tree.parents[places])
        found.append(places)
    return tree.names[np.unique(np.concatenate(found))]


def _have_one_in_common(some: pd.Index, others: pd.Index) -> bool:
    """Return whether two indexes share a value; of millions of texts, mostly one of the first tells it."""
    return bool(others.isin(some[:_FIRST]).any() or some.isin(others).any())


def _refuse_other_patterns(pair: Pair) -> None:
    told = pair.after.frame["pattern"]
    if holds_patterns(pair.before):
        known = {tuple(names_of_events(one)) for one in pair.before.frame["pattern"]}
        is_known = (tuple(names_of_events(one)) in known for one in told)
    else:
        events = set(frequencies_of(pair.before).index)
        is_known = (event in events for one in told for event in names_of_events(one))
    if len(told) and not any(is_known):
        raise _strangers("pattern")


def _strangers(what: str, hint: str = "") -> SeqPrivError:
    return refusal(f"no {what} of the release occurs in the original. Do the tables belong together?{hint}")


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
