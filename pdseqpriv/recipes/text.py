"""The text of a recipe as plain values, each with the line that it is in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from pdseqpriv.errors import SeqPrivError

Place = tuple[str | int, ...]
_TAGS = {"!file": "file", "!env": "env"}
_MOST = 100_000  # values; aliases of aliases could make any number
_PLAIN = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")}


class BadTextError(SeqPrivError):
    """The text is not what it should be; the message says where."""


@dataclass(frozen=True)
class Written:
    """What a recipe says, and the line of every key and entry by its place."""

    values: Any
    lines: dict[Place, int] = field(default_factory=dict)

    def written_part(self, place: Place) -> Place:
        """Return what of a place is written in the text; other parts only tell which type was tried."""
        found: Place = ()
        for part in place:
            found = (*found, part) if (*found, part) in self.lines else found
        return found

    def line_of(self, place: Place) -> int:
        """Return the line of a place, or of the nearest one around it."""
        return self.lines.get(self.written_part(place), 1)


def from_yaml(text: str) -> Written:
    """Read YAML; only text, numbers, true, false and null are values, and ``!file`` and ``!env`` are tags."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadTextError(f"line {1 if mark is None else mark.line + 1}: this is not YAML") from None
    if node is None:
        return Written(None)
    walk = _YamlWalk(loader)
    return Written(walk.value_of(node, ()), walk.lines)


class _YamlWalk:
    def __init__(self, loader: yaml.SafeLoader) -> None:
        self.lines: dict[Place, int] = {}
        self._loader = loader
        self._open: list[int] = []  # nodes that are being read

    def value_of(self, node: yaml.Node, place: Place) -> Any:  # noqa: ANN401 (whatever is written)
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        if id(node) in self._open:
            raise BadTextError(f"line {line}: this contains itself")
        if len(self.lines) > _MOST:
            raise BadTextError(f"line {line}: there are more than {_MOST} values")
        self._open.append(id(node))
        if isinstance(node, yaml.ScalarNode):
            value = self._scalar(node, line)
        elif isinstance(node, yaml.SequenceNode):
            value = [self.value_of(one, (*place, number)) for number, one in enumerate(node.value)]
        else:
            value = dict(self._pairs(node, place))
        self._open.pop()
        return value

    def _pairs(self, node: yaml.Node, place: Place) -> Iterator[tuple[str, Any]]:
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise BadTextError(f"line {line}: a key must be text")
            if key.value in seen:
                raise BadTextError(f"line {line}: the key {key.value!r} occurs twice")
            seen.add(key.value)
            self.lines[(*place, key.value)] = line
            yield key.value, self.value_of(value, (*place, key.value))

    def _scalar(self, node: yaml.ScalarNode, line: int) -> Any:  # noqa: ANN401 (whatever is written)
        if node.tag in _TAGS:
            return {_TAGS[node.tag]: node.value}
        if node.tag in _PLAIN:
            return self._loader.construct_object(node)
        if node.tag.startswith("tag:yaml.org,2002:"):  # a date, which is text for us
            return node.value
        raise BadTextError(f"line {line}: there is no tag {node.tag!r}; there are !file and !env")


def from_toml(text: str) -> Written:
    """Read TOML; its reader does not tell lines, so that they are looked for."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise BadTextError(f"line {line}: this is not TOML") from None
    lines = text.splitlines()
    return Written(values, dict(_toml_lines(values, (), 0, lines)))


def _toml_lines(values: Any, place: Place, start: int, lines: list[str]) -> Iterator[tuple[Place, int]]:  # noqa: ANN401
    """Find the line of each key below a place: the first that names it from where its table begins."""
    if isinstance(values, list) and values and isinstance(values[0], dict):
        for number, one in enumerate(values):
            start = _next_line(rf"^\s*\[\[\s*{re.escape(str(place[-1]))}\s*\]\]", start, lines)
            yield (*place, number), start + 1
            yield from _toml_lines(one, (*place, number), start, lines)
            start += 1
    elif isinstance(values, dict):
        for key, below in values.items():
            name = rf"(?<![\w-])[\"']?{re.escape(key)}[\"']?\s*(=|\.|\])"
            found = start if isinstance(below, list) and below and isinstance(below[0], dict) else None
            found = _next_line(name, start, lines) if found is None else found
            yield (*place, key), found + 1
            yield from _toml_lines(below, (*place, key), found, lines)


def _next_line(pattern: str, start: int, lines: list[str]) -> int:
    places = range(start, len(lines))
    return next((number for number in places if re.search(pattern, lines[number])), start)
