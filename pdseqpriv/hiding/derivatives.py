"""A regular expression over events as a deterministic automaton, by derivatives.

The derivative of an expression by an event is what may still follow after it; the expressions that can be
reached this way are the states. Terms are kept in a normal form so that they stay few.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pdseqpriv.errors import wrong_parameter
from pdseqpriv.patterns import expression as parsed
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.patterns.expression import Expression

MOST_STATES = 500


class _Other:
    """Any event that the expression does not name."""


OTHER = _Other()

Term = tuple[Any, ...]
NOTHING: Term = ("nothing",)
EMPTY: Term = ("empty",)
ANY: Term = ("any",)


def term(expression: Expression) -> Term:
    """Return the expression in normal form."""
    match expression:
        case parsed.Named(event):
            return ("event", type(event).__name__, event)
        case parsed.Any():
            return ANY
        case parsed.Concatenation(parts):
            result = EMPTY
            for part in reversed(parts):
                result = _then(term(part), result)
            return result
        case parsed.Choice(options):
            return _either(map(term, options))
        case parsed.Repeat(body, least, most):
            return _repeat(term(body), least, most)


def _then(first: Term, second: Term) -> Term:
    if NOTHING in (first, second):
        return NOTHING
    if first == EMPTY:
        return second
    if second == EMPTY:
        return first
    if first[0] == "then":
        return ("then", first[1], _then(first[2], second))
    return ("then", first, second)


def _either(options: Iterable[Term]) -> Term:
    flat: set[Term] = set()
    for option in options:
        flat |= option[1] if option[0] == "either" else {option}
    flat.discard(NOTHING)
    if not flat:
        return NOTHING
    return flat.pop() if len(flat) == 1 else ("either", frozenset(flat))


def _repeat(body: Term, least: int, most: int | None) -> Term:
    if most == 0 or body == EMPTY:
        return EMPTY
    return body if (least, most) == (1, 1) else ("repeat", body, least, most)


def accepts(state: Term) -> bool:
    """Return whether a run may end here."""
    match state[0]:
        case "empty":
            return True
        case "then":
            return accepts(state[1]) and accepts(state[2])
        case "either":
            return any(map(accepts, state[1]))
        case "repeat":
            return state[2] == 0 or accepts(state[1])
    return False


def derivative(state: Term, event: Event | _Other) -> Term:
    """Return what may follow once ``event`` has been read."""
    match state[0]:
        case "any":
            return EMPTY
        case "event":
            return EMPTY if event is not OTHER and state[1:] == (type(event).__name__, event) else NOTHING
        case "then":
            first = _then(derivative(state[1], event), state[2])
            return _either((first, derivative(state[2], event))) if accepts(state[1]) else first
        case "either":
            return _either(derivative(option, event) for option in state[1])
        case "repeat":
            _, body, least, most = state
            rest = _repeat(body, max(least - 1, 0), None if most is None else most - 1)
            return _then(derivative(body, event), rest)
    return NOTHING


def transitions(expression: Expression) -> tuple[list[tuple[int, Event | None, int]], list[bool]]:
    """Return (from, event, to), with None for all events not named, and which states accept.

    Nothing leads back to state 0.
    """
    letters: list[Event | _Other] = [
        *sorted(parsed.named_events(expression), key=lambda e: (type(e).__name__, e)),
        OTHER,
    ]
    # The first state is a separate copy: its gap is that of a start, even if the expression could return to
    # it.
    numbers: dict[Term, int] = {}
    waiting, final = [(0, term(expression))], [False]
    found: list[tuple[int, Event | None, int]] = []
    while waiting:
        number, state = waiting.pop()
        for letter in letters:
            after = derivative(state, letter)
            if after == NOTHING:
                continue
            if after not in numbers:
                numbers[after] = len(final)
                final.append(accepts(after))
                waiting.append((numbers[after], after))
                _check_size(len(final))
            found.append((number, None if isinstance(letter, _Other) else letter, numbers[after]))
    return sorted(found, key=lambda step: step[0]), final


def _check_size(states: int) -> None:
    if states > MOST_STATES:
        must = f"regular expressions of at most {MOST_STATES} states"
        raise wrong_parameter("patterns", must, "a larger one", "Use fewer or shorter repetitions.")
