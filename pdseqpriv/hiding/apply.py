"""The plan carried out on one part of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Ints, Matcher
from pdseqpriv.hiding.plan import Plan
from pdseqpriv.hiding.replacement import draw_events, write_events
from pdseqpriv.hiding.task import Task, Way, part_of, task_of
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.frames import with_blanks, without_rows
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True)
class Tally:
    """What was done to a part.

    ``replaced`` marks got another event; ``hidden`` are the events that were marked in rows that are still
    there, by their places in the whole table.
    """

    replaced: int
    hidden: pd.Series

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.replaced + other.replaced, pd.concat((self.hidden, other.hidden)))


def apply(
    frame: pd.DataFrame,
    sequences: Sequences,
    *,
    patterns: Sequence[Pattern],
    plan: Plan,
    way: Way,
    events: pd.Series,
) -> tuple[pd.DataFrame, Tally]:
    """Hide what the plan says, in one part; ``events`` are those of the whole table and their frequencies."""
    nothing = Tally(0, pd.Series(dtype=object))
    if not plan.hide.any():
        return frame.copy(), nothing
    task = task_of(sequences.ids, plan, patterns, way)
    marked = _mark(sequences, task)
    if way.output == "drop":
        return without_rows(frame, sequences.rows[_until_hidden(sequences, task, marked)]), nothing
    released = with_blanks(frame, sequences.columns, sequences.rows[marked])
    replaced = 0
    if way.output == "replace":
        safe, values = draw_events(sequences, task, marked, events)
        released = write_events(released, frame, sequences, safe, values)
        replaced = safe.size
    hidden = sequences.vocabulary.take(sequences.codes[marked])
    return released, Tally(replaced, pd.Series(hidden.astype(object), index=sequences.numbers[marked]))


def _mark(sequences: Sequences, task: Task) -> Ints:
    """Give the places in ``sequences`` that are marked."""
    codes = sequences.codes.copy()
    matcher = Matcher(sequences, task.patterns)
    matcher.mark(codes, task.chosen, task.hide, task.way.marking, task.seeds(0), keep=True)
    return np.flatnonzero(codes != sequences.codes)


def _until_hidden(sequences: Sequences, task: Task, marked: Ints) -> Ints:
    """Look again: without the marked rows the others move together, and may match."""
    while True:
        rest, places = part_of(sequences, task.chosen, marked)
        found = Matcher(rest, task.patterns).supports() & ~task.allowed
        again = np.flatnonzero(found.any(axis=1))
        if not again.size:
            return marked
        further = replace(
            task, chosen=again, hide=found[again], allowed=task.allowed[again], ranks=task.ranks[again]
        )
        marked = np.union1d(marked, places[_mark(rest, further)])
