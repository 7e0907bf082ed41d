"""A plot of what a release keeps: how frequent events are, or how long sequences are, before and after."""

from __future__ import annotations

from typing import Literal, Unpack, get_args

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import ORIGINAL, RELEASED, Table, bind
from pdseqpriv.errors import SeqPrivError, said_of
from pdseqpriv.parameters import one_of, whole_number
from pdseqpriv.plotting.axes import AFTER, BEFORE, Axes, add_legend, as_shares, axes_or_new, name_rows, tidy
from pdseqpriv.plotting.counted import Frequencies, frequencies_of, lengths_of, validated
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.record import warn_if_swapped

What = Literal["events", "lengths"]
_HEIGHT = 0.4


@on_tables()
def kept(
    original: Table,
    released: Table,
    *,
    what: What = "events",
    n: int = 15,
    ax: Axes | None = None,
    **_columns: Unpack[ColumnNames],
) -> Axes:
    """Plot how frequent events are, or how long sequences are, before and after.

    Parameters
    ----------
    original, released : DataFrame, or ``df.seqpriv.using(...)``
        The table before and after. The release may be a generalized table.
    what : {"events", "lengths"}
        Whether to draw the frequencies of the most frequent events, or the lengths of the sequences.
    n : int
        How many events to draw, or into how many steps to divide the lengths.
    ax : matplotlib axes, optional
        Where to draw; by default in a new figure.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    matplotlib axes
        Two bars for each event, or two outlines of the lengths.

    Notes
    -----
    **Guarantee**: none; exact counts.

    **Not protected**: the plot shows what was removed. It is for the owner of the data only.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> ax = pdseqpriv.plot.kept(df, df.seqpriv.k_anonymize(2))
    >>> [text.get_text() for text in ax.get_yticklabels()], [int(bar.get_width()) for bar in ax.patches]
    (['a', 'b', 'c'], [2, 1, 1, 2, 0, 0])
    """
    one_of("what", what, get_args(What))
    whole_number("n", n, least=1)
    pair = [_read(original, ORIGINAL, what), _read(released, RELEASED, what)]
    warn_if_swapped(bind(original).frame, bind(released).frame)
    ax = axes_or_new(ax)
    if what == "lengths":
        _draw_lengths(ax, [lengths for _, lengths in pair], n)
        tidy(ax, "How long sequences are", "events per sequence", "share of sequences")
    else:
        _draw_events(ax, [events for events, _ in pair], n)
        tidy(ax, "How frequent events are", "rows", "")
    add_legend(ax)
    return ax


def _read(table: Table, which: str, what: What) -> tuple[Frequencies, pd.Series]:
    try:
        bound = validated(bind(table))
        return frequencies_of(bound), lengths_of(bound) if what == "lengths" else pd.Series(dtype="int64")
    except SeqPrivError as error:
        raise said_of(which, error) from None


def _draw_events(ax: Axes, pair: list[Frequencies], n: int) -> None:
    names = pair[0].add(pair[1], fill_value=0).sort_values(ascending=False, kind="stable").index[:n]
    places = np.arange(len(names))
    for counts, shift, colour, label in zip(
        pair, (-_HEIGHT / 2, _HEIGHT / 2), (BEFORE, AFTER), ("before", "after"), strict=True
    ):
        ax.barh(places + shift, counts.reindex(names, fill_value=0), _HEIGHT, color=colour, label=label)
    name_rows(ax, names)


def _draw_lengths(ax: Axes, pair: list[pd.Series], n: int) -> None:
    longest = max((int(one.max()) for one in pair if len(one)), default=1)
    width = -(-(longest + 1) // n)
    edges = np.arange(0, longest + 1 + width, width)
    for lengths, colour, label in zip(pair, (BEFORE, AFTER), ("before", "after"), strict=True):
        counts = np.histogram(lengths, edges)[0]
        ax.stairs(counts / max(len(lengths), 1), edges, color=colour, label=label, linewidth=2)
    ax.set_ylim(0, None)
    as_shares(ax.yaxis, whole=False)
