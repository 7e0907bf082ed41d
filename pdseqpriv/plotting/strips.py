"""Plots of single sequences: a strip of coloured events for each."""

from __future__ import annotations

from typing import Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import BoundTable, Table, bind, read
from pdseqpriv.errors import refusal
from pdseqpriv.parameters import one_of, whole_number
from pdseqpriv.plotting.axes import (
    COLOURS,
    MARK,
    OTHER,
    Axes,
    add_legend,
    as_dates,
    as_positions,
    axes_or_new,
    several_axes,
    tidy,
)
from pdseqpriv.plotting.counted import frequencies_of, validated
from pdseqpriv.sequences.columns import ColumnNames, has_intervals
from pdseqpriv.sequences.times import decode_times
from pdseqpriv.short_names import MARKED, short_name

Over = Literal["position", "time"]
_HEIGHT = 0.8
_OTHER_EVENTS = "other events"


@on_tables()
def sequences(
    table: Table,
    n: int = 50,
    *,
    over: Over = "position",
    after: Table | None = None,
    ax: Axes | None = None,
    **_columns: Unpack[ColumnNames],
) -> Axes:
    """Plot sequences as strips of coloured events, alone or beside their release.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row, or a generalized table, whose intervals are drawn.
    n : int
        How many sequences to draw, from the first id on.
    over : {"position", "time"}
        What the horizontal axis shows. A generalized table is always drawn over time.
    after : DataFrame, optional
        The release, to be drawn beside the table in the same colours.
    ax : matplotlib axes, optional
        Where to draw; a list of two with ``after``. By default in a new figure.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    matplotlib axes, or a list of two
        The seven most frequent events have colours of their own, all others share a grey one. Marked rows
        are empty, hatched boxes. No id is shown.

    Notes
    -----
    **Guarantee**: none; it draws the rows as they are.

    **Not protected**: the plot shows single sequences. It is for those who may see the table.

    Examples
    --------
    >>> import pdseqpriv
    >>> df = pdseqpriv.datasets.make_event_log(30, seed=1)
    >>> left, right = pdseqpriv.plot.sequences(df, after=df.assign(event=df["event"].replace("triage", None)))
    >>> left.get_title(), right.get_title()
    ('before', 'after')
    """
    whole_number("n", n, least=1)
    one_of("over", over, get_args(Over))
    tables = [validated(bind(one)) for one in ([table] if after is None else [table, after])]
    axes = several_axes([ax] if after is None and ax is not None else ax, len(tables), 6.4, 4.8)
    colours = _colours_of(tables)
    titles = ["Sequences"] if after is None else ["before", "after"]
    units: list[Over] = ["time" if has_intervals(one) else over for one in tables]
    for place, one, unit, title in zip(axes, tables, units, titles, strict=True):
        _draw(place, _boxes_of(one, n, unit), colours)
        tidy(place, title, unit, "sequence").set_yticks([])
    by_position = [place for place, unit in zip(axes, units, strict=True) if unit == "position"]
    if by_position:
        as_positions(by_position)
    add_legend(axes[-1], axes[:-1])
    return axes[0] if after is None else axes


@on_tables()
def intervals(table: Table, n: int = 20, *, ax: Axes | None = None, **_columns: Unpack[ColumnNames]) -> Axes:
    """Plot the intervals of a generalized release, group by group.

    Parameters
    ----------
    table : DataFrame
        What :func:`pdseqpriv.generalize` returned.
    n : int
        How many groups to draw, from the first on.
    ax : matplotlib axes, optional
        Where to draw; by default in a new figure.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    matplotlib axes
        A row for each group, with a bar for each interval that its members share, and for each event that
        is released as it is; bars that overlap in time are below each other. Long bars say little about when
        something happened, which protects people.

    Notes
    -----
    **Guarantee**: none; it draws the rows as they are.

    **Not protected**: the plot shows what the release shows, and nothing else.

    Examples
    --------
    >>> import pdseqpriv
    >>> df = pdseqpriv.datasets.make_event_log(30, seed=1)[["seq_id", "event", "time"]]
    >>> pdseqpriv.plot.intervals(df.seqpriv.generalize(k=5)).get_ylabel()
    'group'
    """
    whole_number("n", n, least=1)
    bound = bind(table)
    if not has_intervals(bound):
        raise refusal("only a generalized table has intervals. Make one with generalize, or plot sequences.")
    ax = axes_or_new(ax)
    _draw(ax, _boxes_of(validated(bound), n, "time", "group"), _colours_of([bound]))
    tidy(ax, "Intervals of each group", "time", "group").set_yticks([])
    add_legend(ax)
    return ax


def _colours_of(tables: list[BoundTable]) -> dict[str, str]:
    """Give the most frequent events of all tables a colour each."""
    counts = pd.concat([frequencies_of(one) for one in tables]).groupby(level=0).sum()
    names = counts.sort_values(ascending=False, kind="stable").index[: len(COLOURS)]
    return dict(zip(names, COLOURS, strict=False))


def _boxes_of(table: BoundTable, n: int, over: Over, by: str | None = None) -> pd.DataFrame:
    """Return a box for each row of the first n sequences: its row in the plot, start, width and event."""
    if has_intervals(table):
        return _boxes_of_intervals(table, n, by or table.columns.seq_id)
    found = read(table)
    shown = found.take(np.arange(min(n, found.n_sequences)))
    starts = pd.Series(np.arange(shown.n_rows) - shown.offsets[:-1][shown.owners], dtype="int64")
    if over == "time":
        starts = decode_times(shown.times, shown.dtypes.time)
    names = np.array([*map(str, shown.vocabulary), None], dtype=object)  # the last is for marked rows
    boxes = {"row": shown.owners, "start": starts, "end": starts, "event": names[shown.codes]}
    return _with_width(pd.DataFrame(boxes), 1.0 if over == "position" else None)


def _boxes_of_intervals(table: BoundTable, n: int, by: Any) -> pd.DataFrame:  # noqa: ANN401 (a column's name)
    frame = table.frame.sort_values([by, "time_from"], kind="stable")
    row = pd.factorize(frame[by])[0]
    event = frame[table.columns.event]
    event = event.astype(object).map(str).where(event.notna(), None)
    boxes = {"row": row, "start": frame["time_from"], "end": frame["time_to"], "event": event}
    return _in_lanes(_with_width(pd.DataFrame(boxes)[row < n].drop_duplicates(), None))


def _in_lanes(boxes: pd.DataFrame) -> pd.DataFrame:
    """Put boxes of a row that overlap in time below each other, in as many lanes as that needs."""
    boxes = boxes.sort_values(["row", "start", "end"], kind="stable")
    lanes: list[int] = []
    free: dict[int, list[Any]] = {}  # per row and lane: when its last box ends
    for row, start, end in zip(boxes["row"], boxes["start"], boxes["end"], strict=True):
        ends = free.setdefault(row, [])
        lane = next((place for place, last in enumerate(ends) if last < start), len(ends))
        ends[lane : lane + 1] = [end]
        lanes.append(lane)
    height = _HEIGHT / boxes["row"].map({row: len(ends) for row, ends in free.items()})
    top = boxes["row"] - _HEIGHT / 2
    return boxes.assign(height=height, middle=top + (pd.Series(lanes, boxes.index) + 0.5) * height)


def _with_width(boxes: pd.DataFrame, width: float | None) -> pd.DataFrame:
    """Give every box a width that can be seen: a hundredth of the whole at least."""
    boxes = boxes.assign(middle=boxes["row"], height=_HEIGHT)
    if width is not None or not len(boxes):  # where there are no rows, times are of any type
        return boxes.assign(width=width)
    if boxes["start"].dtype.kind != "M":  # the distance of two small whole numbers may not be one
        boxes = boxes.astype({"start": "float64", "end": "float64"})
    whole = boxes["end"].max() - boxes["start"].min()
    least = whole / 100 if whole else (pd.Timedelta("1s") if boxes["start"].dtype.kind == "M" else 1)
    widths = boxes["end"] - boxes["start"]
    return boxes.assign(width=widths.where(widths > least, least))


def _draw(ax: Axes, boxes: pd.DataFrame, colours: dict[str, str]) -> None:
    kinds = boxes["event"].where(boxes["event"].isin(list(colours)), _OTHER_EVENTS)
    kinds = kinds.where(boxes["event"].notna(), MARKED)
    looks: dict[str, dict[str, Any]] = {name: {"color": colour} for name, colour in colours.items()}
    looks[_OTHER_EVENTS] = {"color": OTHER}
    looks[MARKED] = {"facecolor": "none", "edgecolor": MARK, "hatch": "////"}
    for name, look in looks.items():
        some = boxes[kinds == name]
        if len(some):
            ax.barh(
                some["middle"],
                some["width"],
                some["height"],
                some["start"],
                label=short_name(name),
                **look,
            )
    ax.set_ylim(boxes["row"].max() + 0.5 if len(boxes) else 0.5, -0.5)
    if len(boxes) and boxes["start"].dtype.kind == "M":
        as_dates(ax.xaxis)
