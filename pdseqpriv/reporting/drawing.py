"""Small drawings as inline SVG: their colours come from the page, so that they are light or dark as it is.

They are drawn for a narrow screen and are made larger on a wide one. Text is text, and every name is escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from pdseqpriv.short_names import short_name

_WIDTH = 300
_NAME = 100  # how wide the column of names is
_LETTERS = 15  # that fit into it
_LINE = 42  # letters that fit into the whole width
_ROW = 15  # the height of one bar
_VALUE = 44  # the room for a number
NOTHING = "\N{EN DASH}"
_TOPS = (0.04, 0.1, 0.2, 0.4, 1.0)  # where the axis of a curve may end


class Curve(NamedTuple):
    """A line or a group of bars: its name, the class that gives it a colour, and its values."""

    name: str
    look: str
    values: Sequence[float]


def bars(title: str, names: Sequence[object], groups: Sequence[Curve], *, shares: bool) -> str:
    """Draw horizontal bars, one for each group under each name; long names get a line of their own."""
    labels = [short_name(name, _LINE) for name in names]
    is_long = any(_width(label) > _LETTERS for label in labels)
    left, largest = 0 if is_long else _NAME, _largest(groups)
    parts, y = [], 6
    for place, label in enumerate(labels):
        if is_long:
            y += _ROW
            parts.append(f'<text x="0" y="{y - 4}">{escape(_cut(label, _LINE))}</text>')
        else:
            middle = y + len(groups) * _ROW / 2 + 3
            parts.append(f'<text x="{_NAME - 6}" y="{middle:.0f}" class="name">{escape(label)}</text>')
        for group in groups:
            parts.append(_bar(group, place, left, y, largest, shares=shares))
            y += _ROW
        y += 8
    return _svg(title, y, parts)


def _largest(groups: Sequence[Curve]) -> float:
    values = [float(value) for group in groups for value in group.values]
    return float(np.nanmax([0.0, *values])) or 1.0


def _bar(group: Curve, place: int, left: int, y: int, largest: float, *, shares: bool) -> str:
    value = float(group.values[place])
    if np.isnan(value):
        return f'<text x="{left + 4}" y="{y + 10}" class="value">{NOTHING}</text>'
    wide = (_WIDTH - left - _VALUE) * value / largest
    share = f"{value:.0%}"
    said = escape(f"{value:,.0f}" if not shares else "<1%" if value > 0 and share == "0%" else share)
    return (
        f'<rect x="{left}" y="{y}" width="{wide:.1f}" height="{_ROW - 2}" class="{group.look}"/>'
        f'<text x="{left + wide + 4:.1f}" y="{y + 10}" class="value">{said}</text>'
    )


def curves(title: str, steps: Sequence[int], lines: Sequence[Curve], x_name: str) -> str:
    """Draw shares against a few whole numbers; the axis begins at 0 and ends above the largest."""
    left, top, room, tall = 42, 10, _WIDTH - 60, 140
    highest = next((one for one in _TOPS if max(_values(lines), default=0) <= one), 1.0)
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + tall * (1 - share)
        parts.append(f'<line x1="{left}" x2="{left + room}" y1="{y:.0f}" y2="{y:.0f}" class="grid"/>')
        said = f"{100 * share * highest:.3g}%"
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" class="name">{said}</text>')
    across = [left + room * (i + 0.5) / max(len(steps), 1) for i in range(len(steps))]
    for x, step in zip(across, steps, strict=True):
        parts.append(f'<text x="{x:.0f}" y="{top + tall + 16}" class="tick">{step}</text>')
    for line in lines:
        values = zip(across, map(float, line.values), strict=True)
        points = [(x, top + tall * (1 - value / highest)) for x, value in values if not np.isnan(value)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{joined}" class="line {line.look}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{line.look}"/>' for x, y in points]
    middle = left + room / 2
    parts.append(f'<text x="{middle:.0f}" y="{top + tall + 34}" class="tick">{escape(x_name)}</text>')
    return _svg(title, top + tall + 42, parts)


def _values(lines: Sequence[Curve]) -> list[float]:
    return [float(value) for line in lines for value in line.values if not np.isnan(value)]


def _svg(title: str, height: int, parts: list[str]) -> str:
    said = escape(title)
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{said}">{"".join(parts)}</svg>'


def _width(text: str) -> float:
    """Count letters; wide ones count twice, and capitals are wider than others."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide + 0.6 * sum(letter.isupper() for letter in text)


def _cut(text: str, most: int) -> str:
    """Cut what is wider than the drawing."""
    while _width(text) > most:
        text = text[:-2].rstrip() + "…"
    return text
