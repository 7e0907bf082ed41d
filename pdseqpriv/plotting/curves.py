"""Plots of what risk and sweep return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.plotting.axes import (
    AFTER,
    BEFORE,
    COLOURS,
    Axes,
    add_legend,
    as_shares,
    axes_or_new,
    name_rows,
    tidy,
    with_fonts,
    write_as_they_are,
)
from pdseqpriv.short_names import short_name

_CANDIDATES = {"known", "unique_share", "unique_low", "unique_high", "mean_probability"}
_LINKAGE = {"knows", "attack", "unique_share", "mean_probability"}
_WIDTH = 0.38  # of one of two bars


@on_tables()
def risk(frame: pd.DataFrame, *, after: pd.DataFrame | None = None, ax: Axes | None = None) -> Axes:
    """Plot how many people can be found, against what an attacker knows.

    Parameters
    ----------
    frame : DataFrame
        What :func:`pdseqpriv.risk` returned, for either kind of attacker.
    after : DataFrame, optional
        The same for the release, to be drawn beside it.
    ax : matplotlib axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib axes
        For attackers who count candidates, a curve of the share of people who are unique, with its interval
        where it is estimated, and one of the mean probability of being found. For attackers who link, bars
        of both.

    Notes
    -----
    **Guarantee**: none; it draws the numbers as they are.

    **Not protected**: the plot is for the owner of the data only, as the numbers are.

    Examples
    --------
    >>> import pdseqpriv
    >>> df = pdseqpriv.datasets.make_event_log(50, seed=1)
    >>> pdseqpriv.plot.risk(df.seqpriv.risk(known=[1, 2, 3])).get_xlabel()
    'events that an attacker knows'
    """
    frames = [frame] if after is None else [frame, after]
    kinds = {_kind_of(one) for one in frames}
    if len(kinds) > 1:
        raise refusal("frame and after are about different kinds of attackers. Measure both alike.")
    ax = axes_or_new(ax, width=8.4 if kinds == {"linkage"} else 6.4)  # the names of attacks are long
    names = ["before: ", "after: "] if after is not None else [""]
    if kinds == {"linkage"}:
        _draw_bars(ax, frames, names)
        tidy(ax, "Who is found by the record that fits best", "share of people", "")
        as_shares(ax.xaxis)
    else:
        _draw_curves(ax, frames, names)
        tidy(ax, "Who is found by a few known events", "events that an attacker knows", "share of people")
        ax.set_xticks(sorted(set(frame["known"])))
        as_shares(ax.yaxis)
    add_legend(ax)
    return ax


def _kind_of(frame: object) -> str:
    there = set(frame.columns) if isinstance(frame, pd.DataFrame) else set()
    if there >= _CANDIDATES:
        return "candidates"
    if there >= _LINKAGE:
        return "linkage"
    raise wrong_parameter("frame", "what pdseqpriv.risk returned", "a table without its columns")


def _draw_curves(ax: Axes, frames: list[pd.DataFrame], names: list[str]) -> None:
    colours = [AFTER] if len(frames) == 1 else [BEFORE, AFTER]
    for frame, name, colour in zip(frames, names, colours, strict=True):
        rows = frame.sort_values("known")
        ax.plot(rows["known"], rows["unique_share"], color=colour, marker="o", label=f"{name}unique")
        ax.fill_between(
            rows["known"], rows["unique_low"], rows["unique_high"], color=colour, alpha=0.2, linewidth=0
        )
        label = f"{name}found, on average"
        ax.plot(
            rows["known"], rows["mean_probability"], color=colour, marker="s", linestyle="--", label=label
        )


def _draw_bars(ax: Axes, frames: list[pd.DataFrame], names: list[str]) -> None:
    """Draw bars for each knowledge and attack: found for certain, and on average."""
    rows = pd.concat([one.assign(which=name) for one, name in zip(frames, names, strict=True)])
    places = np.arange(len(rows))
    ax.barh(places - _WIDTH / 2, rows["unique_share"], _WIDTH, color=COLOURS[0], label="found for certain")
    average = {"color": COLOURS[1], "label": "found, on average"}
    ax.barh(places + _WIDTH / 2, rows["mean_probability"], _WIDTH, **average)
    told = [f"{row.which}{row.knows} known, {row.attack}" for row in rows.itertuples(index=False)]
    name_rows(ax, told, longest=60)


@on_tables()
def trade_off(
    frame: pd.DataFrame,
    *,
    risk: str = "linkage_mean_probability",
    utility: str = "events_kept",
    ax: Axes | None = None,
) -> Axes:
    """Plot what is left against what can still be found, for every setting of a sweep.

    Parameters
    ----------
    frame : DataFrame
        What :func:`pdseqpriv.sweep` returned.
    risk : str
        The column to use as risk, such as ``"unique_share"`` or ``"linkage_worst_probability"``.
    utility : str
        The column to use as utility, such as ``"events_kept"`` or ``"f_measure"``.
    ax : matplotlib axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib axes
        One point per setting, with its setting beside it, and a line for each of the others if several
        parameters were tried. The best are at the upper left.

    Notes
    -----
    **Guarantee**: none; it draws the numbers as they are.

    **Not protected**: the plot is for the owner of the data only, as the numbers are.

    Examples
    --------
    >>> import pdseqpriv
    >>> df = pdseqpriv.datasets.make_event_log(50, seed=1)[["seq_id", "event", "time"]]
    >>> ax = pdseqpriv.plot.trade_off(df.seqpriv.sweep("k_anonymize", k=[2, 5]))
    >>> [text.get_text() for text in ax.texts]
    ['k=2', 'k=5']
    """
    settings = _settings_of(frame, {"risk": risk, "utility": utility})
    ax = axes_or_new(ax)
    for place, (name, rows) in enumerate(_lines_of(settings).items()):
        points = frame.iloc[rows]
        colour = COLOURS[place % len(COLOURS)]
        ax.plot(points[risk], points[utility], color=colour, marker="o", alpha=0.9, label=name)
        for row, x, y in zip(rows, points[risk], points[utility], strict=True):
            if not (pd.isna(x) or pd.isna(y)):
                _say(ax, settings[row], (x, y))
    tidy(ax, "What protection costs", risk.replace("_", " "), utility.replace("_", " "))
    ax.margins(0.15)
    if len(ax.lines) > 1:
        add_legend(ax)
    return ax


def _lines_of(settings: list[dict[Any, Any]]) -> dict[str, list[int]]:
    """Return which rows belong to a line: those that differ in the first parameter only."""
    lines: dict[str, list[int]] = {}
    for place, row in enumerate(settings):
        others = list(row.items())[1:]
        lines.setdefault(", ".join(f"{name}={value}" for name, value in others), []).append(place)
    return lines


def _say(ax: Axes, row: dict[Any, Any], place: tuple[float, float]) -> None:
    """Write the first parameter below a point, where no line of a trade-off goes."""
    name, value = next(iter(row.items()))
    offset: dict[str, Any] = {"xytext": (5, -12), "textcoords": "offset points"}
    (label,), fonts = with_fonts([short_name(f"{name}={value}")])
    write_as_they_are([ax.annotate(label, place, **offset)], fonts)


def _settings_of(frame: Any, columns: dict[str, str]) -> list[dict[Any, Any]]:  # noqa: ANN401 (it may be anything)
    """Return the settings of each row: the columns before the first measured one."""
    there = list(frame.columns) if isinstance(frame, pd.DataFrame) else []
    if "unique_share" not in there or there[0] == "known":
        must = "what pdseqpriv.sweep returned"
        raise wrong_parameter("frame", must, "a table without its columns")
    for parameter, name in columns.items():
        if name not in there:
            do = f"There are {', '.join(map(repr, there[there.index('unique_share') :]))}."
            raise wrong_parameter(parameter, "a column of the sweep", repr(name), do)
    return frame[there[: there.index("unique_share")]].to_dict("records")  # type: ignore[no-any-return]
