"""Patterns as arrays that the kernels read, for the vocabulary and the clock of one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pdseqpriv.hiding.derivatives import transitions
from pdseqpriv.hiding.kernels.fitting import Automata
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.patterns.expression import Expression
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.span import Gap, Span

Lookup = dict[Event, int]
_UNLIMITED = np.iinfo(np.int64).max // 4


@dataclass(frozen=True)
class _Step:
    source: int
    target: int
    required: tuple[int, ...]
    other: bool = False


@dataclass(frozen=True)
class _Machine:
    """One pattern: steps between states 0, 1, ..., and the gap of every state that is left."""

    steps: list[_Step]
    accepts: list[bool]
    gaps: list[Gap]


def automata(patterns: Sequence[Pattern], vocabulary: pd.Index, clock: Clock) -> Automata:
    """All patterns, compiled for one vocabulary."""
    lookup = _lookup(patterns, vocabulary)
    machines = [_machine(pattern, lookup) for pattern in patterns]
    first_step = _offsets([len(machine.steps) for machine in machines])
    first_state = _offsets([len(machine.gaps) for machine in machines])
    steps = [
        (step.source + shift, step.target + shift, step.required, step.other)
        for machine, shift in zip(machines, first_state.tolist(), strict=False)
        for step in machine.steps
    ]
    required = _offsets([len(codes) for _, _, codes, _ in steps])
    gaps = [gap for machine in machines for gap in machine.gaps]
    accepts = [final for machine in machines for final in machine.accepts]
    windows = [pattern.window for pattern in patterns]
    return Automata(
        patterns=_table(
            first_step[:-1],
            first_step[1:],
            first_state[:-1],
            first_state[1:],
            [_elements(window, 0) for window in windows],
            [window is not None for window in windows],
            [pattern.is_timed for pattern in patterns],
            [len(pattern.elements) for pattern in patterns],
            [pattern.longest or 0 for pattern in patterns],
        ),
        states=_table(
            accepts,
            [_elements(gap.least, 0) for gap in gaps],
            [_elements(gap.most, _UNLIMITED) for gap in gaps],
        ),
        steps=_table(
            [source for source, _, _, _ in steps],
            [target for _, target, _, _ in steps],
            required[:-1],
            required[1:],
            [other for _, _, _, other in steps],
        ),
        required=np.array([code for _, _, codes, _ in steps for code in codes], np.int32),
        named=_named(patterns, lookup, len(vocabulary)),
        state_times=np.array(
            [(clock.shortest_allowed(gap.least), clock.longest_allowed(gap.most)) for gap in gaps],
            clock.dtype,
        ),
        window_times=np.array([clock.longest_allowed(window) for window in windows], clock.dtype),
    )


def _table(*columns: ArrayLike) -> NDArray[np.int64]:
    return np.column_stack([np.asarray(column, np.int64) for column in columns])


def _offsets(sizes: list[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))]).astype(np.int64)


def _elements(span: Span | None, missing: int) -> int:
    return missing if span is None or span.by_time else min(int(span.value), _UNLIMITED)


def _lookup(patterns: Sequence[Pattern], vocabulary: pd.Index) -> Lookup:
    events = list(frozenset().union(*(pattern.events for pattern in patterns)))
    return dict(zip(events, find_events(events, vocabulary).tolist(), strict=True))


def _named(patterns: Sequence[Pattern], lookup: Lookup, size: int) -> NDArray[np.bool_]:
    named = np.zeros((len(patterns), size), np.bool_)
    for row, pattern in zip(named, patterns, strict=True):
        row[[code for code in map(lookup.__getitem__, pattern.events) if code >= 0]] = True
    return named


def _machine(pattern: Pattern, lookup: Lookup) -> _Machine:
    if pattern.expression is not None:
        return _from_expression(pattern.expression, pattern.gaps[0], lookup)
    steps = [
        _Step(k, k + 1, tuple(sorted({lookup[event] for event in element})))
        for k, element in enumerate(pattern.elements)
    ]
    # State k is left by step k, whose gap is the arrow before it; the first state and the last have none.
    return _Machine(steps, [False] * len(steps) + [True], [Gap(), *pattern.gaps, Gap()])


def _from_expression(expression: Expression, gap: Gap, lookup: Lookup) -> _Machine:
    found, accepts = transitions(expression)
    steps = [
        _Step(source, target, () if event is None else (lookup[event],), event is None)
        for source, event, target in found
    ]
    return _Machine(steps, accepts, [Gap(), *[gap] * (len(accepts) - 1)])
