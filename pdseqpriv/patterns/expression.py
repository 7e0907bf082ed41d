"""Regular expressions whose letters are events: ``home (bar | club)+ home``.

Events are separated by spaces, ``|`` means or, ``( )`` groups, ``* + ? {2,3}`` repeat what comes before
them, and a ``.`` on its own is any event. An event whose name contains spaces or one of these characters is
written in double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pdseqpriv.patterns.event_text import Event, TextError, event_from_text, event_text

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<times>\{\s*\d*\s*,?\s*\d*\s*\})
    | (?P<sign>[()|*+?])
    | (?P<name>[^\s()|*+?{}"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ARROW = re.compile(r"-(\[.*\]-)?>")
# Up to this size, both hiding an expression and checking it are quick.
_DEEPEST, _LONGEST = 100, 1000
_RANGES: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@dataclass(frozen=True)
class Named:
    """One event."""

    event: Event

    def __str__(self) -> str:
        return event_text(self.event)


@dataclass(frozen=True)
class Any:
    """Any one event."""

    def __str__(self) -> str:
        return "."


@dataclass(frozen=True)
class Concatenation:
    """One part after the other."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, Choice) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Choice:
    """One of several."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.parts))


@dataclass(frozen=True)
class Repeat:
    """The body, repeated ``least`` to ``most`` times (None: any number of times)."""

    body: Expression
    least: int
    most: int | None

    def __str__(self) -> str:
        body = str(self.body) if isinstance(self.body, Named | Any) else f"({self.body})"
        for sign, bounds in _RANGES.items():
            if bounds == (self.least, self.most):
                return body + sign
        return f"{body}{{{self.least},{'' if self.most is None else self.most}}}"


Expression = Named | Any | Concatenation | Choice | Repeat


def named_events(expression: Expression) -> frozenset[Event]:
    """Return every event that an expression names."""
    match expression:
        case Named(event):
            return frozenset({event})
        case Any():
            return frozenset()
        case Repeat(body):
            return named_events(body)
        case Concatenation(parts) | Choice(parts):
            return frozenset().union(*map(named_events, parts))


def may_be_empty(expression: Expression) -> bool:
    """Return whether the expression also matches no event at all."""
    match expression:
        case Named() | Any():
            return False
        case Repeat(body, least):
            return least == 0 or may_be_empty(body)
        case Concatenation(parts):
            return all(map(may_be_empty, parts))
        case Choice(options):
            return any(map(may_be_empty, options))


def longest_word(expression: Expression) -> int | None:
    """Return the largest number of events that the expression can match; None means no limit."""
    match expression:
        case Named() | Any():
            return 1
        case Repeat(body, _, most):
            inner = longest_word(body)
            return None if inner is None or most is None else inner * most
        case Concatenation(parts):
            lengths = [longest_word(part) for part in parts]
            return None if None in lengths else sum(filter(None, lengths))
        case Choice(options):
            lengths = [longest_word(option) for option in options]
            return None if None in lengths else max(filter(None, lengths))


def parse_expression(text: str) -> Expression:
    """Read an expression."""
    depth = 0
    for kind, sign, position in (parser := _Parser(text)).tokens:
        depth += (sign == "(") - (sign == ")") if kind == "sign" else 0
        if depth > _DEEPEST:
            raise TextError(f"brackets nested more than {_DEEPEST} deep", position)
    expression = parser.whole()
    if _written_out(expression) > _LONGEST:
        raise TextError(f"more than {_LONGEST} events, once repetitions are written out", 1)
    return expression


def _written_out(expression: Expression) -> int:
    """Count the events of an expression with every repetition written out."""
    match expression:
        case Concatenation(parts) | Choice(parts):
            return sum(map(_written_out, parts))
        case Repeat(body, least, most):
            return _written_out(body) * max(least, 1 if most is None else most)
        case _:
            return 1


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.next = text, [], 0
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                raise TextError("a character that has no meaning here", position + 1)
            kind = str(found.lastgroup)
            if kind == "name" and _ARROW.fullmatch(found[kind]):
                raise TextError("an arrow has no meaning in an expression", found.start(kind) + 1)
            self.tokens.append((kind, found[kind], found.start(kind) + 1))
            position = found.end()

    tokens: list[tuple[str, str, int]]

    def whole(self) -> Expression:
        result = self.choice()
        if self.next < len(self.tokens):
            raise TextError("a bracket that was not opened", self.tokens[self.next][2])
        return result

    def peek(self) -> str:
        """Return the next character with a meaning, ``event`` for an event, or nothing at the end."""
        if self.next == len(self.tokens):
            return ""
        kind, text, _ = self.tokens[self.next]
        return {"sign": text, "times": "{"}.get(kind, "event")

    def choice(self) -> Expression:
        return self.several(self.concatenation, lambda: self.peek() == "|", Choice)

    def concatenation(self) -> Expression:
        return self.several(self.repeated, lambda: self.peek() in ("event", "("), Concatenation)

    def several(
        self,
        read: Callable[[], Expression],
        goes_on: Callable[[], bool],
        kind: type[Choice | Concatenation],
    ) -> Expression:
        parts = [read()]
        while goes_on():
            self.next += kind is Choice
            parts.append(read())
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,))]
        return parts[0] if len(parts) == 1 else kind(tuple(flat))

    def repeated(self) -> Expression:
        result = self.single()
        while (sign := self.peek()) in ("*", "+", "?", "{"):
            least, most = _RANGES[sign] if sign in _RANGES else self.times()
            result = Repeat(result, least, most)
            self.next += 1
        return result

    def times(self) -> tuple[int, int | None]:
        _, text, position = self.tokens[self.next]
        bounds = re.fullmatch(r"\{\s*(\d{1,18})\s*(,?)\s*(\d{0,18})\s*\}", text)
        if bounds is None:
            raise TextError("a repetition that is not {n}, {n,} or {n,m}", position)
        least = int(bounds[1])
        most = (int(bounds[3]) if bounds[3] else None) if bounds[2] else least
        if most is not None and (most < least or most == 0):
            raise TextError("an impossible repetition", position)
        return least, most

    def single(self) -> Expression:
        where = self.tokens[self.next][2] if self.next < len(self.tokens) else len(self.text) + 1
        kind = self.peek()
        if kind not in ("event", "("):
            raise TextError("an event or an opening bracket is missing", where)
        self.next += 1
        if kind == "event":
            text = self.tokens[self.next - 1][1]
            return Any() if text == "." else Named(event_from_text(text))
        result = self.choice()
        if self.peek() != ")":
            raise TextError("a bracket that is not closed", where)
        self.next += 1
        return result
