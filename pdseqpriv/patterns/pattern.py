"""What must not be found: a sequence of events or sets of events, or a regular expression over events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from pdseqpriv.errors import public, wrong_parameter
from pdseqpriv.parameters import one_of, yes_or_no
from pdseqpriv.patterns.event_text import Element, Event, event_text
from pdseqpriv.patterns.text import read_expression, read_text
from pdseqpriv.sequences.span import CONTIGUOUS, Gap, Span, SpanLike, span

if TYPE_CHECKING:
    from pdseqpriv.patterns.expression import Expression

# As users give it: text, or a list of events and of sets of events.
PatternLike: TypeAlias = "str | Sequence[Event | set[Event] | frozenset[Event] | Sequence[Event]]"


@dataclass(frozen=True, init=False, repr=False)
class Pattern:
    """A sequential pattern: events, or sets of events, that follow each other in time.

    Parameters
    ----------
    pattern : str, or list or tuple of events and of sets (or tuples) of events
        As text: ``"a -> b -[2..6]-> c within 1h"``, with ``(a b)`` for a set and double quotes around
        events that hold blanks or one of the signs of the text form. ``-[2..6]->`` asks for two to six
        elements in between, ``-[..1h]->`` for at most one hour; ``within 5`` for at most five elements from
        first to last, ``within 1h`` for one hour.
    min_gap, max_gap : int or time span, optional
        Between all neighbours. An int counts the elements in between; a time span (``"30min"``,
        ``pd.Timedelta``) is measured on the time column.
    within : int or time span, optional
        Most elements, or longest time, from the first to the last.
    gap_unit : {"element", "time"}
        What numbers mean: ``"time"`` measures them on a numeric time column.

    Notes
    -----
    A constraint left out here takes the default that the operation is given. Two patterns are equal when
    they ask for the same; ``Pattern(str(pattern)) == pattern`` always.

    Examples
    --------
    >>> from pdseqpriv import Pattern
    >>> print(Pattern(["home", {"bar", "cash"}], max_gap="2h"))
    home -[..2h]-> (bar cash)
    >>> Pattern("a -> b within 3") == Pattern(["a", "b"], within=3)
    True
    """

    elements: tuple[Element, ...] = ()
    gaps: tuple[Gap, ...] = ()
    window: Span | None = None
    expression: Expression | None = field(default=None)

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
        _check_unit(gap_unit)
        default = Gap(span(min_gap, gap_unit, "min_gap"), span(max_gap, gap_unit, "max_gap"))
        window = span(within, gap_unit, "within")
        if isinstance(pattern, str):
            elements, gaps, written, expression = read_text(pattern)
            window = window if written is None else written
        else:
            elements, expression = _from_list(pattern), None
            gaps = (Gap(),) * (len(elements) - 1)
        self._set(elements, tuple(_over(gap, default) for gap in gaps), window, expression)

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
        """A regular expression whose letters are events.

        Parameters
        ----------
        expression : str
            Events separated by blanks; ``|`` or, ``( )`` group, ``* + ? {2,3}`` repeat, ``.`` any event.
        gaps : bool
            False: the elements matched are neighbours. True: others may lie in between, as many as
            ``min_gap`` and ``max_gap`` allow.
        min_gap, max_gap, within, gap_unit
            As for ``Pattern``.

        Examples
        --------
        >>> from pdseqpriv import Pattern
        >>> print(Pattern.regex("home (bar|club)+ home", within="6h"))
        {home (bar | club)+ home} within 6h
        """
        _check_unit(gap_unit)
        default = Gap(span(min_gap, gap_unit, "min_gap"), span(max_gap, gap_unit, "max_gap"))
        gaps = yes_or_no("gaps", gaps)
        if default and not gaps:
            raise wrong_parameter("gaps", "True when min_gap or max_gap is given", "False")
        made = cls.__new__(cls)
        window = span(within, gap_unit, "within")
        made._set(  # noqa: SLF001 (its own)
            (), (default if gaps else CONTIGUOUS,), window, read_expression(expression)
        )
        return made

    def _set(
        self,
        elements: tuple[Element, ...],
        gaps: tuple[Gap, ...],
        window: Span | None,
        expression: Expression | None,
    ) -> None:
        if not all(gap.is_ordered for gap in gaps):
            raise wrong_parameter("min_gap", "at most max_gap", "a larger one")
        if window == Span(0):
            raise wrong_parameter("within", "at least 1 element", "0")
        for name, value in zip(
            ("elements", "gaps", "window", "expression"), (elements, gaps, window, expression), strict=True
        ):
            object.__setattr__(self, name, value)

    def with_defaults(self, gap: Gap, window: Span | None) -> Self:
        """The same pattern, with constraints where it has none of its own."""
        made = type(self).__new__(type(self))
        gaps = self.gaps if self.is_contiguous else tuple(_over(own, gap) for own in self.gaps)
        made._set(self.elements, gaps, self.window or window, self.expression)  # noqa: SLF001 (its own)
        return made

    @property
    def is_contiguous(self) -> bool:
        """Whether it is a regular expression matched on neighbouring elements."""
        return self.expression is not None and self.gaps[0] == CONTIGUOUS

    @property
    def is_constrained(self) -> bool:
        """Whether order alone does not decide."""
        return self.window is not None or any(self.gaps)

    @property
    def is_timed(self) -> bool:
        """Whether some bound is measured on the time column."""
        return any(span.by_time for span in self.spans)

    @property
    def longest(self) -> int | None:
        """The most elements that a match can have; None is no limit."""
        if self.expression is None:
            return len(self.elements)
        from pdseqpriv.patterns.expression import longest_word

        return longest_word(self.expression)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Every bound that it has."""
        bounds = [self.window, *(bound for gap in self.gaps for bound in (gap.least, gap.most))]
        return tuple(bound for bound in bounds if bound is not None)

    @property
    def events(self) -> frozenset[Event]:
        """Every event that it names."""
        if self.expression is None:
            return frozenset().union(*self.elements)
        from pdseqpriv.patterns.expression import named_events

        return named_events(self.expression)

    def __str__(self) -> str:
        ending = "" if self.window is None else f" within {self.window}"
        if self.expression is not None:
            gap = "" if self.is_contiguous else f" with gap {self.gaps[0]}"
            return f"{{{self.expression}}}{gap}{ending}"
        text = _element_text(self.elements[0])
        for arrow, element in zip(self.gaps, self.elements[1:], strict=True):
            text += (f" -[{arrow}]-> " if arrow else " -> ") + _element_text(element)
        return text + ending

    def __repr__(self) -> str:
        return f"Pattern({str(self)!r})"


def _check_unit(gap_unit: str) -> None:
    one_of("gap_unit", gap_unit, ("element", "time"))


def _over(own: Gap, default: Gap) -> Gap:
    return Gap(own.least or default.least, own.most or default.most)


def _element_text(element: Element) -> str:
    events = sorted(map(event_text, element))
    return events[0] if len(events) == 1 else f"({' '.join(events)})"


def _from_list(pattern: object) -> tuple[Element, ...]:
    if not isinstance(pattern, list | tuple | np.ndarray) or _is_single(pattern):
        must = "a text, or a list of events and of sets of events"
        raise wrong_parameter("pattern", must, f"a {type(pattern).__name__}")
    elements = tuple(map(_element, pattern))
    if not elements or not all(elements):
        raise wrong_parameter("pattern", "made of at least one event in every element", "an empty one")
    return elements


def _element(value: object) -> Element:
    several = isinstance(value, set | frozenset | list | tuple | np.ndarray)
    events = value if several and not _is_single(value) else (value,)
    return frozenset(map(_event, events))  # type: ignore[call-overload]


def _is_single(value: object) -> bool:
    """Whether it is an array that holds one thing and has no length."""
    return isinstance(value, np.ndarray) and value.ndim == 0


def _event(value: object) -> Event:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise wrong_parameter("pattern", "made of events that are str or int", f"a {type(value).__name__}")
