"""Count candidates where the tables are: here are only the people who are drawn, and what is counted.

Of every distinct sequence the size is brought here, by a number that stands for its content. That says whom
to draw. Their sequences are brought here, what may be known of them is drawn, and all parts count who has it.
If there is so little that everything can be tried, all sequences are brought here instead, as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.candidates import Drawing, Row, numbers_of_risk, row_of, try_some, with_times_beside
from pdseqpriv.audit.content_marks import Marks
from pdseqpriv.audit.crowd import Crowd, beside, crowd_of, merge_crowds, work_of
from pdseqpriv.audit.drawn_knowledge import InOnePlace
from pdseqpriv.audit.kernels.candidates import Whose
from pdseqpriv.audit.kernels.drawn_knowledge import Patterns
from pdseqpriv.audit.known_events import (
    Items,
    Order,
    People,
    Resolution,
    find_items,
    knowable_things,
    number_items,
    people_of,
    people_with_items,
)
from pdseqpriv.audit.sample import draw_people
from pdseqpriv.engines.engine import Run
from pdseqpriv.engines.together import Parts, all_sequences, append_parts, joined, narrow
from pdseqpriv.progress import Bar, progress
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Flags, Ints, distinct, owners_of
from pdseqpriv.sequences.sequences import Sequences

# What is brought here of all sequences is there several times while it is sorted.
_COPIES = 4


class Facts(NamedTuple):
    """What is known of a table whose sequences are elsewhere; names are those of sequences."""

    time_unit: str | None
    times: NDArray[Any]  # none, of their type
    vocabulary: pd.Index
    n_rows: int
    n_sequences: int


def facts_of_part(table: Sequences) -> Facts:
    """Look at one part."""
    return Facts(table.time_unit, table.times[:0], table.vocabulary, table.n_rows, table.n_sequences)


def merge_facts(first: Facts, second: Facts) -> Facts:
    """Put two parts together; one without rows may have other types."""
    own, other = (first, second) if first.n_rows else (second, first)
    vocabulary = merge_vocabularies(own.vocabulary, other.vocabulary)[0] if other.n_rows else own.vocabulary
    rows, sequences = first.n_rows + second.n_rows, first.n_sequences + second.n_sequences
    return own._replace(vocabulary=vocabulary, n_rows=rows, n_sequences=sequences)


def have_times(runs: list[Run], facts: list[Facts]) -> bool:
    """Return whether the times of a release are times of the original, and not positions."""
    if len(runs) == 1 or facts[0].time_unit != facts[1].time_unit:
        return len(runs) == 1
    before, after = (run.reduce(_different_times, _either, copies=_COPIES) for run in runs)
    return bool(np.isin(after, before, assume_unique=True).all())


def _different_times(table: Sequences) -> NDArray[Any]:
    return distinct(table.times)


def _either(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    return distinct(np.concatenate((first, second)))


@dataclass(frozen=True, eq=False)
class TablesElsewhere:
    """A table, or an original and its release, and how much memory there is for each."""

    runs: list[Run]
    limits: list[int]

    @cached_property
    def all_sequences(self) -> list[Sequences]:
        """All sequences, as numbers, for what can be tried in full."""
        return [all_sequences(run, limit) for run, limit in zip(self.runs, self.limits, strict=True)]

    def count_candidates(
        self,
        numbers: list[int],
        order: Order,
        resolution: Resolution | None,
        *,
        k: int,
        sample: int | None,
        seed: int,
        has_times: bool,
    ) -> pd.DataFrame:
        """Return one row per number of known events, as for tables that are here."""

        def measured(order: Order, resolution: Resolution | None, drawing: Drawing) -> list[Row]:
            sizes = partial(crowd_of, order=order, resolution=resolution)
            crowds = [run.reduce(sizes, merge_crowds, copies=_COPIES) for run in self.runs]
            attack = _Attack(self, crowds, order, resolution)
            return [attack.row_of(number, k, drawing) for number in numbers]

        drawing: dict[str, Any] = {"sample": sample, "seed": seed, "has_times": has_times}
        return with_times_beside(measured, numbers, order, resolution, **drawing)


@dataclass(frozen=True, eq=False)
class _Attack:
    """Somebody who knows events in one way."""

    tables: TablesElsewhere
    crowds: list[Crowd]
    order: Order
    resolution: Resolution | None

    @cached_property
    def all_people(self) -> People:
        """Everybody, for what can be tried in full."""
        return people_of(self.tables.all_sequences, self.order, self.resolution)

    def row_of(self, number: int, k: int, drawing: Drawing) -> Row:
        """Measure what somebody finds who knows so many events."""
        crowd = beside(self.crowds[0], self.crowds[-1])
        known = min(number, max(1, crowd.longest))
        if work_of(crowd, known, drawing.most) <= drawing.most:
            return row_of(self.all_people, number, k, drawing)
        in_original, in_release = (int(one.counts.sum()) for one in (self.crowds[0], self.crowds[-1]))
        size = drawing.drawn if drawing.sample is None else drawing.sample
        times = draw_people(crowd.lengths.astype(np.int64), crowd.counts.astype(np.int64), size, drawing.seed)
        people, items = self._bring(crowd.marks[times > 0])
        searched = _InParts(self.tables.runs, items, self.order, self.resolution)
        wanted = np.ones(people.counts.size, np.bool_)
        search: dict[str, Any] = {"searched": searched, "everybody": (in_original, in_release)}
        found = try_some(people, known, k, wanted, **search, seed=drawing.seed)
        theirs = times[np.searchsorted(crowd.marks, people.marks)].astype(np.int64)
        is_everybody = size >= in_original
        return numbers_of_risk(
            people, found, theirs, k, in_original, is_everybody=is_everybody, is_cheap=False
        )

    def _bring(self, marks: Marks) -> tuple[People, Items]:
        """Bring some sequences of the original here."""
        chosen = partial(_chosen, marks=marks, order=self.order, resolution=self.resolution)
        parts = self.tables.runs[0].reduce(chosen, append_parts)
        own = [joined(list(parts))]
        people = people_of(own, self.order, self.resolution)
        items = number_items(own, self.order, self.resolution)[1]
        return replace(people, has_release=len(self.tables.runs) > 1), items


def _chosen(table: Sequences, marks: Marks, order: Order, resolution: Resolution | None) -> Parts:
    """Return one sequence of a part for each of these contents that it has."""
    codes, _ = number_items([table], order, resolution)
    own, first = np.unique(knowable_things(table, codes[0], order, resolution).marks, return_index=True)
    return narrow(table.take(first[np.isin(own, marks)]))


@dataclass(frozen=True)
class _InParts:
    """Tables that are searched part by part."""

    runs: list[Run]
    items: Items
    order: Order
    resolution: Resolution | None

    def rarity(self, people: People) -> tuple[Ints, Ints]:
        """Count what can be known of the people in all parts."""
        count = partial(_rarity, items=self.items, order=self.order, resolution=self.resolution)
        support, cost = sum(run.reduce(count, np.add) for run in self.runs)
        return support[people.codes], cost[people.codes]

    def holders(self, known: Patterns, bar: Bar) -> tuple[Ints, Flags]:
        """Let all parts count."""
        count = partial(_holders, known=known, items=self.items, order=self.order, resolution=self.resolution)
        found = np.zeros((known.offsets.size - 1, 2), np.int64)
        for place, run in enumerate(self.runs):
            found[:, place] = run.reduce(count, np.add)
        bar.update(len(found))
        return found, np.ones(len(found), np.bool_)


def _rarity(table: Sequences, items: Items, order: Order, resolution: Resolution | None) -> Ints:
    """Count the sequences of a part that have each item, and all that they have."""
    codes, _ = number_items([table], order, resolution)
    lengths = np.diff(knowable_things(table, codes[0], order, resolution).offsets)
    wanted = knowable_things(table, find_items(table, items, resolution), order, resolution)
    size = len(items.events)
    owners, own = np.divmod(distinct(owners_of(wanted.offsets) * size + wanted.codes), max(1, size))
    weights = np.ones(own.size), 1 + lengths[owners]
    return np.stack([np.bincount(own, one, size).astype(np.int64) for one in weights])


def _holders(
    table: Sequences, known: Patterns, items: Items, order: Order, resolution: Resolution | None
) -> Ints:
    """Count the sequences of a part that have each pattern."""
    people = people_with_items(table, items, order, resolution)
    nothing = np.empty(0, np.int64)
    whose = Whose(nothing, nothing, np.empty(0, np.bool_), np.empty((3, 0), np.int64), nothing)
    with progress(None, "counting") as bar:
        return InOnePlace(people, whose).holders(known, bar)[0][:, 0]
