"""Time against size as SVG: the same numbers give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, Measured
from benchmarks.growth import points_of

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


def draw(folder: Path, cases: list[Case], measured: dict[str, Measured]) -> None:
    """Write papers.svg and growth.svg."""
    curves = points_of(cases, measured)
    beside = {case.curve: theirs.curve for case, theirs in pairs_of(cases)}
    papers = [(ours, [ours, theirs]) for ours, theirs in beside.items()]
    write(folder / "papers.svg", [(title, pick(curves, names)) for title, names in papers], columns=2)
    alone = [name for name in curves if name not in beside and name not in beside.values()]
    on_sequences = [name for name in alone if "by " not in name]
    anonymize = [name for name in on_sequences if name.startswith("k_anonymize")]
    looking = [
        name for name in on_sequences if name.startswith(("describe", "risk", "compare", "is_", "mine"))
    ]
    others = [name for name in on_sequences if name not in anonymize and name not in looking]
    panels = [("k_anonymize", anonymize), ("looking", looking), ("changing and files", others)]
    write(folder / "growth.svg", [(title, pick(curves, names)) for title, names in panels], columns=3)


def pairs_of(cases: Iterable[Case]) -> list[tuple[Case, Case]]:
    """Give each case of ours with that of the published algorithm."""
    by_name = {case.name: case for case in cases}
    return [
        (case, by_name[case.beside]) for case in by_name.values() if case.curve and case.beside in by_name
    ]


def pick(curves: dict[str, Any], names: list[str]) -> dict[str, list[tuple[float, float]]]:
    """Give the points of some curves that came to an end."""
    picked = {}
    for name in names:
        points = [(case.size, found.seconds) for case, found in curves.get(name, []) if not found.trouble]
        if points:
            picked[name] = points
    return picked


def write(
    path: Path, panels: list[tuple[str, dict[str, list[tuple[float, float]]]]], *, columns: int
) -> None:
    """Draw one panel per title, with logarithmic axes."""
    panels = [(title, curves) for title, curves in panels if curves]
    if not panels:
        return
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    rows = math.ceil(len(panels) / columns)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            rows, columns, figsize=(3.6 * columns, 2.9 * rows), squeeze=False, layout="constrained"
        )
        for place, axis in enumerate(axes.flat):
            if place >= len(panels):
                axis.set_visible(False)
                continue
            title, curves = panels[place]
            for colour, (name, points) in zip(COLOURS, curves.items(), strict=False):
                axis.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name, color=colour)
            axis.set(title=title, xscale="log", yscale="log", xlabel="size", ylabel="seconds")
            axis.minorticks_off()
            axis.legend()
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
