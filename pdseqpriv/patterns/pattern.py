"""Patterns: sequences of events or of sets of events, or regular expressions over events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from pdseqpriv.errors import public, wrong_parameter
from pdseqpriv.parameters import yes_or_no
from pdseqpriv.patterns.event_text import Element, Event, event_text
from pdseqpriv.patterns.text import read_expression, read_text
from pdseqpriv.sequences.span import CONTIGUOUS, OPEN, Gap, Span, SpanLike, read_constraints
from pdseqpriv.short_names import short_name

if TYPE_CHECKING:
    from pdseqpriv.patterns.expression import Expression

_LONGEST_IN_NOTEBOOKS = 500
# As users give it: text, or a list of events and of sets of events.
PatternLike: TypeAlias = "str | Sequence[Event | set[Event] | frozenset[Event] | Sequence[Event]]"


@dataclass(frozen=True, init=False, repr=False)
class Pattern:
    """A sequential pattern: events, or sets of events, that follow each other in time.

    Parameters
    ----------
    pattern : str, or list or tuple of events and of sets (or tuples) of events
        As text: ``"a -> b -[2..6]-> c within 1h"``, with ``(a b)`` for a set and double quotes around
        events that contain spaces or special characters. ``-[2..6]->`` means two to six elements in
        between, ``-[..1h]->`` at most one hour; ``within 5`` means at most five elements from the first to
        the last, ``within 1h`` at most one hour.
    min_gap, max_gap : int or time span, optional
        The smallest and largest gap between neighbours. An int counts the elements in between; a time span
        (``"30min"``, ``pd.Timedelta``) is measured on the time column.
    within : int or time span, optional
        The most elements, or the longest time, from the first to the last.
    gap_unit : {"element", "time"}
        What plain numbers mean: ``"time"`` measures them on a numeric time column.

    Notes
    -----
    Constraints that are left out here are taken from the operation. Two patterns are equal if they mean the
    same; ``Pattern(str(pattern)) == pattern`` always holds.

    Examples
    --------
    >>> from pdseqpriv import Pattern
    >>> print(Pattern(["home", {"bar", "cash"}], max_gap="2h"))
    home -[..2h]-> (bar cash)
    >>> Pattern("a -> b within 3") == Pattern(["a", "b"], within=3)
    True
    """

    elements: tuple[Element, ...]
    gaps: tuple[Gap, ...]
    window: Span | None
    expression: Expression | None
    events: frozenset[Event] = field(compare=False)

    @public
    def __init__(
        self,
        pattern: PatternLike,
        *,
        min_gap: SpanLike = None,
        max_gap: SpanLike = None,
        within: SpanLike = None,
        gap_unit: str = "element",
    ) -> None:
        default, window = read_constraints(min_gap, max_gap, within, gap_unit, "within")
        if isinstance(pattern, str):
            elements, gaps, written, expression = read_text(pattern)
            window = written or window
        else:
            elements, expression = _from_list(pattern), None
            gaps = (OPEN,) * (len(elements) - 1)
        self._set(elements, _filled(gaps, default), window, expression)

    @classmethod
    @public
    def regex(
        cls,
        expression: str,
        *,
        gaps: bool = False,
        min_gap: SpanLike = None,
        max_gap: SpanLike = None,
        within: SpanLike = None,
        gap_unit: str = "element",
    ) -> Self:
        """Make a pattern from a regular expression whose letters are events.

        Parameters
        ----------
        expression : str
            It is over events, not over letters: ``"Res.*"`` is any number of events called "Res.". Events
            are separated by spaces; ``|`` means or, ``( )`` group, ``* + ? {2,3}`` repeat, ``.`` is any
            event.
        gaps : bool
            False: the matched elements must follow each other directly. True: other elements may lie in
            between, as many as ``min_gap`` and ``max_gap`` allow.
        min_gap, max_gap, within, gap_unit
            As for ``Pattern``.

        Examples
        --------
        >>> from pdseqpriv import Pattern
        >>> print(Pattern.regex("home (bar|club)+ home", within="6h"))
        {home (bar | club)+ home} within 6h
        """
        default, window = read_constraints(min_gap, max_gap, within, gap_unit, "within")
        gaps = yes_or_no("gaps", gaps)
        if default is not None and not gaps:
            raise wrong_parameter("gaps", "True when min_gap or max_gap is given", "False")
        between = _filled((OPEN if gaps else CONTIGUOUS,), default)
        made = cls.__new__(cls)
        made._set((), between, window, read_expression(expression))  # noqa: SLF001 (its own)
        return made

    def _set(
        self,
        elements: tuple[Element, ...],
        gaps: tuple[Gap, ...],
        window: Span | None,
        expression: Expression | None,
    ) -> None:
        events = frozenset().union(*elements)
        if expression is not None:
            from pdseqpriv.patterns.expression import named_events

            events = named_events(expression)
        values = (elements, gaps, window, expression, events)
        for name, value in zip(("elements", "gaps", "window", "expression", "events"), values, strict=True):
            object.__setattr__(self, name, value)

    def with_defaults(self, gap: Gap | None, window: Span | None) -> Self:
        """Return the same pattern, with these constraints where it has none of its own."""
        made, gaps = type(self).__new__(type(self)), _filled(self.gaps, gap)
        made._set(self.elements, gaps, self.window or window, self.expression)  # noqa: SLF001 (its own)
        return made

    def __str__(self) -> str:
        ending = "" if self.window is None else f" within {self.window}"
        if self.expression is not None:
            gap = "" if self.gaps[0] == CONTIGUOUS else f" with gap {self.gaps[0]}"
            return f"{{{self.expression}}}{gap}{ending}"
        text = _element_text(self.elements[0])
        for arrow, element in zip(self.gaps, self.elements[1:], strict=True):
            text += (f" -[{arrow}]-> " if arrow else " -> ") + _element_text(element)
        return text + ending

    def __repr__(self) -> str:
        return f"Pattern({str(self)!r})"

    def _repr_html_(self) -> str:
        return f"<code>{escape(short_name(self, _LONGEST_IN_NOTEBOOKS))}</code>"


def _filled(gaps: tuple[Gap, ...], default: Gap | None) -> tuple[Gap, ...]:
    return gaps if default is None else tuple(gap.over(default) for gap in gaps)


def _element_text(element: Element) -> str:
    events = sorted(map(event_text, element))
    return events[0] if len(events) == 1 else f"({' '.join(events)})"


def _from_list(pattern: object) -> tuple[Element, ...]:
    if not isinstance(pattern, list | tuple | np.ndarray) or _is_single(pattern):
        must = "a text, or a list of events and of sets of events"
        raise wrong_parameter("pattern", must, type(pattern).__name__)
    elements = tuple(map(_element, pattern))
    if not elements or not all(elements):
        raise wrong_parameter("pattern", "made of elements with at least one event each", "an empty one")
    return elements


def _element(value: object) -> Element:
    several = isinstance(value, set | frozenset | list | tuple | np.ndarray)
    events = value if several and not _is_single(value) else (value,)
    return frozenset(map(_event, events))  # type: ignore[call-overload]


def _is_single(value: object) -> bool:
    """Return whether this is an array that holds a single value and has no length."""
    return isinstance(value, np.ndarray) and value.ndim == 0


def _event(value: object) -> Event:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise wrong_parameter("pattern", "made of events that are str or int", type(value).__name__)
