"""Small drawings as inline SVG: their colours come from the page, so that they are light or dark as it is.

They are drawn for a narrow screen and are made larger on a wide one. Text is text, and every name is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from pdseqpriv.short_names import short_name

_WIDTH = 340
_NAME = 112  # how wide the column of names is
_LETTERS = 17  # that fit into it
_ROW = 15  # the height of one bar


class Curve(NamedTuple):
    """A line with its points, and the class that gives it a colour."""

    name: str
    look: str
    values: Sequence[float]


def bars(title: str, names: Sequence[object], groups: Sequence[Curve], *, shares: bool = False) -> str:
    """Draw horizontal bars, one for each group under each name."""
    largest = np.nanmax([0.0, *(float(value) for one in groups for value in one.values)]) or 1.0
    room, height = _WIDTH - _NAME - 48, 8 + len(names) * (len(groups) * _ROW + 8)
    parts, y = [], 6
    for place, name in enumerate(names):
        middle = y + len(groups) * _ROW / 2 + 4
        parts.append(f'<text x="{_NAME - 6}" y="{middle:.0f}" class="name">{_text(name)}</text>')
        for group in groups:
            value = float(group.values[place])
            wide = 0.0 if np.isnan(value) else room * value / largest
            said = f"{value:.0%}" if shares else f"{value:,.0f}"
            parts.append(
                f'<rect x="{_NAME}" y="{y}" width="{wide:.1f}" height="{_ROW - 2}" class="{group.look}"/>'
                f'<text x="{_NAME + wide + 4:.1f}" y="{y + 10}" class="value">{said}</text>'
            )
            y += _ROW
        y += 8
    return _svg(title, height, parts)


def curves(title: str, steps: Sequence[int], lines: Sequence[Curve], x_name: str) -> str:
    """Draw shares between 0 and 1 against a few whole numbers."""
    left, top, room, tall = 42, 10, _WIDTH - 60, 140
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + tall * (1 - share)
        parts.append(f'<line x1="{left}" x2="{left + room}" y1="{y:.0f}" y2="{y:.0f}" class="grid"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" class="name">{share:.0%}</text>')
    across = [left + room * (i + 0.5) / max(len(steps), 1) for i in range(len(steps))]
    for x, step in zip(across, steps, strict=True):
        parts.append(f'<text x="{x:.0f}" y="{top + tall + 16}" class="tick">{step}</text>')
    for line in lines:
        values = zip(across, map(float, line.values), strict=True)
        points = [(x, top + tall * (1 - value)) for x, value in values if not np.isnan(value)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{joined}" class="line {line.look}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{line.look}"/>' for x, y in points]
    parts.append(
        f'<text x="{left + room / 2:.0f}" y="{top + tall + 34}" class="tick">{_text(x_name, 60)}</text>'
    )
    return _svg(title, top + tall + 42, parts)


def _svg(title: str, height: int, parts: list[str]) -> str:
    said = escape(title)
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{said}">{"".join(parts)}</svg>'


def _text(name: object, longest: int = _LETTERS) -> str:
    return escape(short_name(name, longest))
