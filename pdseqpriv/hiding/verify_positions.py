"""Patterns as positions that follow each other, for the check of what was hidden.

An expression is read once from left to right: every event in it is a position; which positions come first,
which last, and which follow which says all that it means (Glushkov's construction).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pdseqpriv.hiding.kernels.latest_starts import Positions
from pdseqpriv.patterns.event_text import Element
from pdseqpriv.patterns.expression import Any, Choice, Concatenation, Expression, Named, Repeat
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.span import Gap, Span

_UNLIMITED = 2**62


@dataclass(frozen=True)
class _Part:
    """Positions that can come first and last in a part of an expression, and whether it can be skipped."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    optional: bool = True


@dataclass
class _Reader:
    """Positions as they are met: what each asks for (nothing: any event), and what follows what."""

    asked: list[Element] = field(default_factory=list)
    follows: set[tuple[int, int]] = field(default_factory=set)

    def read(self, expression: Expression) -> _Part:
        match expression:
            case Named(event):
                return self._position(frozenset({event}))
            case Any():
                return self._position(frozenset())
            case Concatenation(parts):
                whole = _Part()
                for part in parts:
                    whole = self._join(whole, self.read(part))
                return whole
            case Choice(options):
                read = [self.read(option) for option in options]
                return _Part(
                    frozenset().union(*(part.first for part in read)),
                    frozenset().union(*(part.last for part in read)),
                    any(part.optional for part in read),
                )
            case Repeat():
                return self._repeat(expression)

    def _position(self, asked: Element) -> _Part:
        self.asked.append(asked)
        here = frozenset({len(self.asked) - 1})
        return _Part(here, here, optional=False)

    def _join(self, left: _Part, right: _Part) -> _Part:
        self.follows |= {(a, b) for a in left.last for b in right.first}
        return _Part(
            left.first | (right.first if left.optional else frozenset()),
            right.last | (left.last if right.optional else frozenset()),
            left.optional and right.optional,
        )

    def _repeat(self, repeat: Repeat) -> _Part:
        """Write the body out as often as it may come; without an end, the last copy leads to itself."""
        copies = max(repeat.least, 1) if repeat.most is None else repeat.most
        whole = _Part()
        for number in range(copies):
            part = self.read(repeat.body)
            if repeat.most is None and number == copies - 1:
                self.follows |= {(a, b) for a in part.last for b in part.first}
            if number >= repeat.least:
                part = _Part(part.first, part.last)
            whole = self._join(whole, part)
        return whole


def positions_of(pattern: Pattern, vocabulary: pd.Index, clock: Clock) -> Positions:
    """Make the arrays that the kernel reads."""
    reader = _Reader()
    if pattern.expression is None:
        whole = _Part()
        for element in pattern.elements:
            whole = reader._join(whole, reader._position(element))  # noqa: SLF001 (one element after the other)
        gaps = [Gap(), *pattern.gaps]
    else:
        whole = reader.read(pattern.expression)
        gaps = [pattern.gaps[0]] * len(reader.asked)
    size = len(reader.asked)
    before = [[a for a, b in sorted(reader.follows) if b == q] for q in range(size)]
    required = [sorted(set(find_events(asked, vocabulary).tolist())) for asked in reader.asked]
    return Positions(
        required=np.array([code for codes in required for code in codes], np.int32),
        first_required=np.cumsum([0, *map(len, required)], dtype=np.int64),
        before=np.array([q for some in before for q in some], np.int64),
        first_before=np.cumsum([0, *map(len, before)], dtype=np.int64),
        begins=np.isin(np.arange(size), list(whole.first)),
        finishes=np.isin(np.arange(size), list(whole.last)),
        gaps=np.array([(_elements(gap.least, 0), _elements(gap.most, _UNLIMITED)) for gap in gaps], np.int64),
        times=np.array(
            [(clock.shortest_allowed(gap.least), clock.longest_allowed(gap.most)) for gap in gaps],
            clock.dtype,
        ),
        window=_elements(pattern.window, _UNLIMITED),
        window_time=np.array([clock.longest_allowed(pattern.window)], clock.dtype),
    )


def _elements(span: Span | None, missing: int) -> int:
    return missing if span is None or span.by_time else min(int(span.value), _UNLIMITED)
