"""The text form of patterns: ``a -> b -[2..6]-> (c d) within 1h``, ``{home bar+ home} within 6h``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from pdseqpriv.errors import SeqPrivError, refusal, wrong_parameter
from pdseqpriv.patterns.event_text import Element, Event, TextError, event_from_text
from pdseqpriv.sequences.span import CONTIGUOUS, OPEN, Gap, Span, check_window, span_from_text

if TYPE_CHECKING:
    from pdseqpriv.patterns.expression import Expression

Parts: TypeAlias = "tuple[tuple[Element, ...], tuple[Gap, ...], Span | None, Expression | None]"

_EVENT = r'\s*("(?:[^"\\]|\\.)*"|(?:(?!->|-\[)[^\s()"{}\[\]])+)'
_ARROW = r"\s*-(?:\[(?P<gap>[^\]]*)\]-)?>"
_ENDING = r"(?:\s+with\s+gap\s+(?P<gap>.*?))?(?:\s+within\s+(?P<window>.+))?\s*"


_ARROWS = "Write it like 'a -> b -[2..6]-> (c d) within 1h'"
_ONE_EVENT = f"""{_ARROWS}, or a single event like '"two words"'"""
_EXPRESSION = "Names in an expression are whole events, not letters: write it like 'home (bar | club)+ home'"


def _failure(problem: str, position: int, like: str = _ARROWS) -> SeqPrivError:
    do = f"{like}; put events that contain spaces or special characters in double quotes."
    return refusal(f"pattern cannot be read: {problem} at character {position}. {do}")


def read_expression(text: object, before: int = 0) -> Expression:
    """Read a regular expression that begins after ``before`` characters of a text."""
    from pdseqpriv.patterns.expression import may_be_empty, parse_expression

    if not isinstance(text, str):
        raise wrong_parameter("expression", "a text", type(text).__name__)
    try:
        result = parse_expression(text)
    except TextError as error:
        raise _failure(error.problem, before + error.position, _EXPRESSION) from None
    if may_be_empty(result):
        must = "an expression that needs at least one event"
        raise wrong_parameter("expression", must, "one that also matches no event at all", f"{_EXPRESSION}.")
    return result


def read_text(text: str) -> Parts:
    """Read a pattern: elements, gaps, window and, for a regular expression, the expression."""
    if text.lstrip().startswith("{"):
        return _regex_from_text(text)
    element, position = _read_element(text, 0)
    elements, gaps = [element], []
    while arrow := re.compile(_ARROW).match(text, position):
        gaps.append(OPEN if arrow["gap"] is None else _read_gap(arrow["gap"], arrow.start("gap")))
        element, position = _read_element(text, arrow.end())
        elements.append(element)
    _, window = _read_ending(text, position, gap_allowed=False)
    return tuple(elements), tuple(gaps), window, None


def _regex_from_text(text: str) -> Parts:
    # Braces inside quotes do not count; the expression ends at the last brace outside quotes.
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda quoted: "_" * len(quoted[0]), text)
    start, end = bare.index("{"), bare.rfind("}")
    if end < start:
        raise _failure("a brace that is not closed", start + 1)
    gap, window = _read_ending(text, end + 1, gap_allowed=True)
    return (
        (),
        (CONTIGUOUS if gap is None else gap,),
        window,
        read_expression(text[start + 1 : end], start + 1),
    )


def _read_element(text: str, position: int) -> tuple[Element, int]:
    opened = re.compile(r"\s*\(").match(text, position)
    at = opened.end() if opened else position
    events: list[Event] = []
    event = re.compile(_EVENT)
    while (found := event.match(text, at)) and (opened or not events):
        events.append(event_from_text(found[1]))
        at = found.end()
    if not events:
        is_open = text[at:].lstrip().startswith('"')
        raise _failure("a quote that is not closed" if is_open else "an event is missing", at + 1)
    if opened:
        closed = re.compile(r"\s*\)").match(text, at)
        if closed is None:
            raise _failure("a bracket that is not closed", opened.end())
        at = closed.end()
    return frozenset(events), at


def _read_gap(text: str, position: int) -> Gap:
    least, dots, most = text.partition("..")
    bounds = [
        span_from_text(part) if part.strip() else None for part in ((least, most) if dots else (least, least))
    ]
    for part, bound in zip((least, most if dots else least), bounds, strict=True):
        if bound is None and (part.strip() or not dots):
            raise _failure("a gap that is not written as [2..6], [..1h] or [3]", position + 1)
    return Gap(*bounds)


def _read_ending(text: str, position: int, *, gap_allowed: bool) -> tuple[Gap | None, Span | None]:
    found = re.compile(_ENDING, re.DOTALL).fullmatch(text, position)
    if found is None or (found["gap"] is not None and not gap_allowed):
        problem = "an arrow, 'within' or the end is missing"
        raise _failure(problem, position + 1, _ARROWS if re.search(_ARROW, text) else _ONE_EVENT)
    gap = None if found["gap"] is None else _read_gap(found["gap"], found.start("gap"))
    if found["window"] is None:
        return gap, None
    window = span_from_text(found["window"])
    if window is None:
        raise _failure("a window that is neither a number nor a time span", found.start("window") + 1)
    check_window(window, "within")
    return gap, window
