"""A part of a page: a heading, a few words, a drawing, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pdseqpriv.reporting.drawing import NOTHING, Curve, bars
from pdseqpriv.short_names import short_name

ORIGINAL, RELEASE = ("original", "before"), ("release", "after")


@dataclass(frozen=True)
class Section:
    """A heading, what is said under it, a drawing with its key, and the same numbers as a table."""

    title: str
    text: str
    drawing: str = ""
    legend: Sequence[tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def bar_section(
    title: str, text: str, names: Sequence[object], values: Sequence[Any], *, shares: bool = False
) -> Section:
    """Show bars of the release, or of the original and the release."""
    looks = [ORIGINAL, RELEASE][-len(values) :]
    if not len(names):
        return Section(title, text)
    groups = [Curve(name, look, one) for (name, look), one in zip(looks, values, strict=True)]
    drawing = bars(f"{title}: {text}", names, groups, shares=shares)
    rows = [(short_name(name), *(_told(one[i], shares) for one in values)) for i, name in enumerate(names)]
    return Section(title, text, drawing, looks, [title, *(name for name, _ in looks)], rows)


def _told(value: float, shares: bool) -> str:  # noqa: FBT001 (as bars take it)
    if value != value:  # noqa: PLR0124 (NaN)
        return NOTHING
    return f"{value:.1%}" if shares else f"{value:,.0f}"
