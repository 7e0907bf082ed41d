"""How events are written in the text form of patterns."""

from __future__ import annotations

import re

Event = str | int
Element = frozenset[Event]

_PLAIN = r'[^\s()|*+?{}"\[\]\\]+'


class TextError(Exception):
    """A text that cannot be parsed: what is wrong, and at which character."""

    def __init__(self, problem: str, position: int) -> None:
        super().__init__(problem)
        self.problem, self.position = problem, position


def event_text(event: Event) -> str:
    """Return an event as it is written in a pattern, in quotes if it could be read as something else."""
    if not isinstance(event, str):
        return str(event)
    if re.fullmatch(_PLAIN, event) and not _needs_quotes(event):
        return event
    return '"' + event.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _needs_quotes(event: str) -> bool:
    return event in (".", "within", "with") or is_number(event) or "->" in event or event.endswith("-")


def is_number(text: str) -> bool:
    """Return whether an unquoted text is an int; with leading zeros, as in "007", it is a name."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", text, re.ASCII) is not None


def event_from_text(text: str) -> Event:
    """Return the event that an unquoted or quoted text stands for."""
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return int(text) if is_number(text) else text
