"""The parts of a page that show numbers: of the release for the public, of both tables for the owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.audit.compare import compare
from pdseqpriv.audit.risk import risk
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.plotting.counted import frequencies_of, lengths_of
from pdseqpriv.plotting.pattern_bars import pattern_name
from pdseqpriv.reporting.drawing import Curve, bars, curves
from pdseqpriv.short_names import short_name

_KNOWN = (1, 2, 3)
_SHOWN = 10  # events or patterns
_SAMPLE = 1_000  # people whose risk is measured
_STEPS = 8  # into which lengths are divided


@dataclass(frozen=True)
class Section:
    """A heading, what is said under it, a drawing, and the same numbers as a table."""

    title: str
    text: str
    drawing: str = ""
    legend: Sequence[tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def pattern_section(tables: list[pd.DataFrame]) -> Section:
    """Show the most frequent patterns of the last table, with the supports that each table gives them."""
    supports = [pd.Series(one["support"].to_numpy(), map(pattern_name, one["pattern"])) for one in tables]
    top = supports[-1].sort_values(ascending=False, kind="stable").head(_SHOWN)
    names = list(top.index)
    values = [one[~one.index.duplicated()].reindex(names).to_numpy(float) for one in supports]
    text = f"{len(tables[-1]):,} patterns are released. These are the most frequent."
    return _section("Patterns", text, names, values)


def event_section(tables: list[BoundTable]) -> Section:
    """Show the most frequent events."""
    counts = [frequencies_of(one) for one in tables]
    names = list(pd.concat(counts).groupby(level=0).sum().nlargest(_SHOWN).index)
    values = [one.reindex(names, fill_value=0).to_numpy(float) for one in counts]
    text = f"{int(counts[-1].sum()):,} events of {len(counts[-1]):,} kinds are released."
    text += " These are the most frequent." if len(names) < len(counts[-1]) else ""
    return _section("Events", text, names, values)


def length_section(tables: list[BoundTable]) -> Section:
    """Show how long the sequences are, as shares of the sequences of each table."""
    lengths = [lengths_of(one).to_numpy() for one in tables]
    longest = max((int(one.max()) for one in lengths if one.size), default=0)
    edges = np.unique(np.linspace(0, longest + 1, min(_STEPS, longest + 1) + 1).astype(int))
    names = [f"{a} to {b - 1}" if b - a > 1 else f"{a}" for a, b in pairwise(edges)]
    values = [np.histogram(one, edges)[0] / max(one.size, 1) for one in lengths]
    text = f"{lengths[-1].size:,} sequences are released. The bars show how many events they have."
    return _section("Lengths", text, names, values, shares=True)


def _section(title: str, text: str, names: list[str], values: list[Any], *, shares: bool = False) -> Section:
    looks = [("original", "before"), ("release", "after")][-len(values) :]
    groups = [Curve(name, look, one) for (name, look), one in zip(looks, values, strict=True)]
    drawing = bars(f"{title}: {text}", names, groups, shares=shares) if names else ""
    shown = "{:.1%}" if shares else "{:,.0f}"
    rows = [(short_name(name), *(shown.format(one[i]) for one in values)) for i, name in enumerate(names)]
    return Section(title, text, drawing, looks, ["", *(name for name, _ in looks)], rows)


def public_risk_section(released: BoundTable, k: int) -> Section | None:
    """Show the risk in the release alone, if nobody in it is found with a probability above 1/k."""
    after = risk(released, list(_KNOWN), k=k, sample=_SAMPLE)
    if not (
        (after["worst_probability"] <= 1 / k) & (after["method"] == "exact")
    ).all():  # no promise from a sample
        return None
    text = (
        f"Somebody who knows a few events of a person and looks for them in the release finds at least {k} "
        "records that fit, or none."
    )
    return _risk_section(text, [after])


def owner_risk_section(original: BoundTable, released: BoundTable, key: pd.DataFrame | None) -> Section:
    """Show the risk in the original, and what is left of it in the release."""
    of_people = key if original.columns.person is not None else None
    before = risk(original, list(_KNOWN), sample=_SAMPLE)
    after = risk(released, list(_KNOWN), original=original, key=of_people, sample=_SAMPLE)
    text = (
        "Solid lines: the share of people whom a few known events single out. Dashed lines: how likely "
        "people are to be found on average by somebody who picks one of the records that fit. For the "
        "release, candidates are counted as in theorem 1 of Monreale et al.; attackers who take the record "
        "that fits best find more."
    )
    return _risk_section(text, [before, after])


def _risk_section(text: str, found: list[pd.DataFrame]) -> Section:
    looks = [("original", "before"), ("release", "after")][-len(found) :]
    lines, rows = [], []
    for (name, look), one in zip(looks, found, strict=True):
        lines.append(Curve(name, look, one["unique_share"].to_list()))
        lines.append(Curve(name, f"{look} dashed", one["mean_probability"].to_list()))
        rows += [
            (
                name,
                str(row.known),
                f"{row.unique_share:.1%}",
                f"{row.mean_probability:.2%}",
                f"{row.worst_probability:.1%}",
            )
            for row in one.itertuples()
        ]
    drawing = curves("Risk by known events", list(_KNOWN), lines, "events that an attacker knows")
    head = ["", "known events", "unique", "found, on average", "found, at worst"]
    return Section("Risk", text, drawing, looks, head, rows)


def linkage_section(
    original: BoundTable, released: BoundTable, key: pd.DataFrame | None, taxonomy: object
) -> Section:
    """Show how often attackers are right who take the record that fits best."""
    options: dict[str, Any] = {"original": original, "key": key, "taxonomy": taxonomy, "sample": _SAMPLE}
    found = risk(released, attack="linkage", **options)
    names = [f"{row.knows}, {row.attack}" for row in found.itertuples()]
    rows = [
        (name, f"{row.unique_share:.1%}", f"{row.mean_probability:.1%}", f"{row.worst_probability:.1%}")
        for name, row in zip(names, found.itertuples(), strict=True)
    ]
    text = "Attackers who know a whole sequence, or half of it, and take the record that fits best."
    return Section(
        "Linking attacks", text, head=["known", "found for certain", "on average", "at worst"], rows=rows
    )


def measure_section(original: Any, released: Any, **options: Any) -> Section:  # noqa: ANN401 (of compare)
    """Show every measure of what is left."""
    found = compare(original, released, **options)
    rows = [
        (row.measure.replace("_", " "), f"{row.value:.4g}", row.better, row.meaning)
        for row in found.itertuples()
    ]
    text = "What the release keeps of the original, measured."
    return Section("What is kept and lost", text, head=["measure", "value", "better", "meaning"], rows=rows)
