"""Patterns as positions that follow each other, for the check that they are hidden.

An expression is read once from left to right, and every event in it becomes a position. Its meaning is fully
determined by which positions can come first, which can come last, and which can follow which (Glushkov's
construction).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pdseqpriv.hiding.kernels.latest_starts import Positions
from pdseqpriv.patterns.event_text import Element
from pdseqpriv.patterns.expression import Any, Choice, Concatenation, Expression, Named, Repeat
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.clock import time_bounds
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import offsets_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.sequences.span import OPEN, Gap, Span

_UNLIMITED = 2**62


@dataclass(frozen=True)
class _Part:
    """Positions that can come first and last in a part of an expression, and whether it can be skipped."""

    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    optional: bool = True


@dataclass
class _Reader:
    """The positions found so far: what each requires (nothing: any event), and what follows what."""

    asked: list[Element] = field(default_factory=list)
    follows: set[tuple[int, int]] = field(default_factory=set)

    def read(self, expression: Expression) -> _Part:
        match expression:
            case Named(event):
                return self.position(frozenset({event}))
            case Any():
                return self.position(frozenset())
            case Concatenation(parts):
                whole = _Part()
                for part in parts:
                    whole = self.join(whole, self.read(part))
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

    def position(self, asked: Element) -> _Part:
        self.asked.append(asked)
        here = frozenset({len(self.asked) - 1})
        return _Part(here, here, optional=False)

    def join(self, left: _Part, right: _Part) -> _Part:
        self.follows |= {(a, b) for a in left.last for b in right.first}
        return _Part(
            left.first | (right.first if left.optional else frozenset()),
            right.last | (left.last if right.optional else frozenset()),
            left.optional and right.optional,
        )

    def _repeat(self, repeat: Repeat) -> _Part:
        """Write out the body as often as it may occur; without a limit, the last copy leads to itself."""
        copies = max(repeat.least, 1) if repeat.most is None else repeat.most
        whole = _Part()
        for number in range(copies):
            part = self.read(repeat.body)
            if repeat.most is None and number == copies - 1:
                self.follows |= {(a, b) for a in part.last for b in part.first}
            if number >= repeat.least:
                part = _Part(part.first, part.last)
            whole = self.join(whole, part)
        return whole


def positions_of(pattern: Pattern, sequences: Sequences) -> Positions:
    """Make the arrays that the kernel reads, for the vocabulary and the time column of a table."""
    reader = _Reader()
    if pattern.expression is None:
        whole = _Part()
        for element in pattern.elements:
            whole = reader.join(whole, reader.position(element))
        gaps = [OPEN, *pattern.gaps]
    else:
        whole = reader.read(pattern.expression)
        gaps = [pattern.gaps[0]] * len(reader.asked)
    size = len(reader.asked)
    before = [[a for a, b in sorted(reader.follows) if b == q] for q in range(size)]
    required = [sorted(set(find_events(asked, sequences.vocabulary).tolist())) for asked in reader.asked]
    times = time_bounds([*gaps, Gap(most=pattern.window)], sequences)
    return Positions(
        required=np.array([code for codes in required for code in codes], np.int32),
        first_required=offsets_of([len(codes) for codes in required]),
        before=np.array([q for some in before for q in some], np.int64),
        first_before=offsets_of([len(some) for some in before]),
        begins=np.isin(np.arange(size), list(whole.first)),
        finishes=np.isin(np.arange(size), list(whole.last)),
        gaps=np.array([(_elements(gap.least, 0), _elements(gap.most, _UNLIMITED)) for gap in gaps], np.int64),
        times=times[:-1],
        window=_elements(pattern.window, _UNLIMITED),
        window_time=times[-1, 1:],
    )


def _elements(span: Span | None, missing: int) -> int:
    return missing if span is None or span.by_time else min(int(span.value), _UNLIMITED)
