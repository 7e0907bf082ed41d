"""Patterns as automata in arrays, compiled once per call for all parts of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from pdseqpriv.hiding.kernels.fitting import HAS_TIME
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of
from pdseqpriv.sequences.span import OPEN, Gap, Span

# From which state to which, and the events required, or None for any single event that is not named.
Step: TypeAlias = tuple[int, int, tuple[Event, ...] | None]

_UNLIMITED = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, eq=False)
class CompiledPatterns:
    """All patterns, without what differs between tables: the codes of events and the unit of times.

    Attributes
    ----------
    events : all events that the patterns name
    patterns, states, steps : as in ``Automata``
    required : events of the steps, by their number in ``events``
    named : pattern x event
    gaps : the gap before a step that leaves each state, and then the window of each pattern
    lists, simple : which patterns are lists, and which of these have no constraints
    is_timed : whether any constraint is measured on the time column
    """

    events: tuple[Event, ...]
    patterns: Ints
    states: Ints
    steps: Ints
    required: Ints
    named: Flags
    gaps: tuple[Gap, ...]
    lists: Flags
    simple: Flags
    is_timed: bool

    @property
    def takes_any(self) -> bool:
        """Whether a step takes any event."""
        return bool(self.steps[:, -1].any())


@dataclass(frozen=True)
class _Machine:
    """One pattern: steps between states 0, 1, ..., which of them accept, and the gap before leaving each."""

    pattern: Pattern
    steps: list[Step]
    accepts: list[bool]
    gaps: list[Gap]
    longest: int  # match, in elements; 0 when there is no limit

    @property
    def bounds(self) -> list[Span]:
        """All constraints on distances."""
        sides = [side for gap in self.pattern.gaps for side in (gap.least, gap.most)]
        return [bound for bound in (*sides, self.pattern.window) if bound is not None]


def compile_patterns(patterns: Sequence[Pattern]) -> CompiledPatterns:
    """Turn patterns into arrays."""
    machines = [_machine(pattern) for pattern in patterns]
    events = tuple(frozenset().union(*(pattern.events for pattern in patterns)))
    numbers = {event: number for number, event in enumerate(events)}
    named = np.zeros((len(patterns), len(events)), np.bool_)
    for row, pattern in zip(named, patterns, strict=True):
        row[[numbers[event] for event in pattern.events]] = True
    first_state = offsets_of([len(machine.accepts) for machine in machines])
    steps, required = _step_table(machines, first_state, numbers)
    table = _pattern_table(machines, first_state)
    gaps = [gap for machine in machines for gap in machine.gaps]
    windows = [OPEN if pattern.window is None else Gap(most=pattern.window) for pattern in patterns]
    lists = np.array([pattern.expression is None for pattern in patterns])
    return CompiledPatterns(
        events=events,
        patterns=table,
        states=_table(
            [accepts for machine in machines for accepts in machine.accepts],
            [_elements(gap.least, 0) for gap in gaps],
            [_elements(gap.most, _UNLIMITED) for gap in gaps],
        ),
        steps=steps,
        required=required,
        named=named,
        gaps=(*gaps, *windows),
        lists=lists,
        simple=lists & [not machine.bounds for machine in machines],
        is_timed=bool(table[:, HAS_TIME].any()),
    )


def _pattern_table(machines: list[_Machine], first_state: Ints) -> Ints:
    first_step = offsets_of([len(machine.steps) for machine in machines])
    windows = [machine.pattern.window for machine in machines]
    return _table(
        first_step[:-1],
        first_step[1:],
        first_state[:-1],
        first_state[1:],
        [_elements(window, 0) for window in windows],
        [window is not None for window in windows],
        [any(bound.by_time for bound in machine.bounds) for machine in machines],
        [len(machine.pattern.elements) for machine in machines],
        [machine.longest for machine in machines],
    )


def _step_table(machines: list[_Machine], first_state: Ints, numbers: dict[Event, int]) -> tuple[Ints, Ints]:
    """Return the steps, with states numbered across all patterns, and the events they require."""
    steps = [
        (source + shift, target + shift, wanted)
        for machine, shift in zip(machines, first_state.tolist(), strict=False)
        for source, target, wanted in machine.steps
    ]
    first_required = offsets_of([len(wanted or ()) for _, _, wanted in steps])
    table = _table(
        [source for source, _, _ in steps],
        [target for _, target, _ in steps],
        first_required[:-1],
        first_required[1:],
        [wanted is None for _, _, wanted in steps],
    )
    return table, np.array([numbers[event] for _, _, wanted in steps for event in wanted or ()], np.int64)


def _table(*columns: ArrayLike) -> Ints:
    return np.column_stack([np.asarray(column, np.int64) for column in columns])


def _elements(span: Span | None, missing: int) -> int:
    return missing if span is None or span.by_time else min(int(span.value), _UNLIMITED)


def _machine(pattern: Pattern) -> _Machine:
    if pattern.expression is None:
        size = len(pattern.elements)
        steps: list[Step] = [(k, k + 1, tuple(element)) for k, element in enumerate(pattern.elements)]
        # State k is left by step k, whose gap is the arrow before it; the first and the last have none.
        return _Machine(pattern, steps, [False] * size + [True], [OPEN, *pattern.gaps, OPEN], size)
    # Most patterns are lists and never need these.
    from pdseqpriv.hiding.derivatives import transitions
    from pdseqpriv.patterns.expression import longest_word

    found, accepts = transitions(pattern.expression)
    steps = [(source, target, None if event is None else (event,)) for source, event, target in found]
    gaps = [OPEN, *pattern.gaps * (len(accepts) - 1)]
    return _Machine(pattern, steps, accepts, gaps, longest_word(pattern.expression) or 0)
