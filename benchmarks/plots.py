"""Time against size as SVG: the same numbers give the same bytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import Case, Measured
from benchmarks.growth import amount, points_of

STYLE = {
    "svg.fonttype": "none",  # text stays text, in whatever sans-serif the reader has
    "svg.hashsalt": "pdseqpriv",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "legend.fontsize": 8,
}
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#ff7f0e"]
PANELS = {  # of growth.svg: how the names of its curves begin
    "k_anonymize": ("k_anonymize",),
    "generalize": ("generalize",),
    "hide, sanitize, mine, release": ("hide", "sanitize", "mine", "release_patterns"),
    "audit": ("describe", "risk", "compare", "is_"),
    "audit of patterns": ("are_patterns_safe", "inference_channels"),
    "files": ("read_", "write_"),
}


class Curve(NamedTuple):
    """Seconds by size, and what size counts."""

    counted: str
    sizes: list[float]
    seconds: list[float]


def draw(folder: Path, cases: list[Case], measured: dict[str, Measured]) -> None:
    """Write papers.svg and growth.svg."""
    curves = points_of(cases, measured)
    beside = {case.curve: theirs.curve for case, theirs in pairs_of(cases)}
    papers = [(ours, [ours, theirs]) for ours, theirs in beside.items()]
    write(folder / "papers.svg", [(title, pick(curves, names)) for title, names in papers], columns=2)
    alone = [name for name in curves if name not in beside and name not in beside.values()]
    panels = [
        (title, of_one_kind(pick(curves, [name for name in alone if name.startswith(beginnings)])))
        for title, beginnings in PANELS.items()
    ]
    write(folder / "growth.svg", panels, columns=3)


def of_one_kind(curves: dict[str, Curve]) -> dict[str, Curve]:
    """Keep the curves whose sizes count what most count: an axis has one name."""
    kinds = Counter(curve.counted for curve in curves.values()).most_common(1)
    return {name: curve for name, curve in curves.items() if curve.counted == kinds[0][0]}


def pairs_of(cases: Iterable[Case]) -> list[tuple[Case, Case]]:
    """Return each case of ours with that of the published algorithm."""
    by_name = {case.name: case for case in cases}
    return [
        (case, by_name[case.beside]) for case in by_name.values() if case.curve and case.beside in by_name
    ]


def pick(curves: dict[str, Any], names: list[str]) -> dict[str, Curve]:
    """Return the points of some curves that came to an end."""
    picked = {}
    for name in names:
        points = [(case, found) for case, found in curves.get(name, []) if not found.trouble]
        if points:
            picked[name] = Curve(
                points[0][0].counted,
                [case.size for case, _ in points],
                [found.seconds for _, found in points],
            )
    return picked


def write(path: Path, panels: list[tuple[str, dict[str, Curve]]], *, columns: int) -> None:
    """Draw one panel per title, with logarithmic axes."""
    panels = [(title, curves) for title, curves in panels if curves]
    if not panels:
        return
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    rows = math.ceil(len(panels) / columns)
    height = 2.6 + 0.2 * max(len(curves) for _, curves in panels)  # room for the legend
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            rows, columns, figsize=(3.6 * columns, height * rows), squeeze=False, layout="constrained"
        )
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis, (title, curves) in zip(axes.flat, panels, strict=False):
            panel(axis, title, curves)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)


def panel(axis: Any, title: str, curves: dict[str, Curve]) -> None:  # noqa: ANN401 (matplotlib has no types)
    """Draw some curves on logarithmic axes, with the sizes that were measured below."""
    for colour, (name, curve) in zip(COLOURS, curves.items(), strict=False):
        axis.plot(curve.sizes, curve.seconds, marker="o", markersize=3, label=name, color=colour)
    sizes = sorted({size for curve in curves.values() for size in curve.sizes})
    counted = next(iter(curves.values())).counted
    axis.set(title=title, xscale="log", yscale="log", xlabel=counted, ylabel="seconds")
    axis.set_xticks(sizes, [amount(size) for size in sizes])
    axis.minorticks_off()
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22))
