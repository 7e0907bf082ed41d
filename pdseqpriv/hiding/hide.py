"""Sensitive patterns sink below a threshold (Abul, Atzori, Bonchi, Giannotti 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.errors import wrong_parameter
from pdseqpriv.parameters import one_of, shown
from pdseqpriv.patterns.reading import PatternsLike, read_patterns, read_thresholds, without_repeats
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.span import SpanLike

Marking = Literal["optimal", "greedy", "random"]
Selection = Literal["per_pattern", "shared", "random"]
Output = Literal["mark", "drop", "replace"]


@on_tables("sequences")
def hide(
    table: Table,
    patterns: PatternsLike,
    *,
    max_support: int | Sequence[int] = 0,
    min_gap: SpanLike = None,
    max_gap: SpanLike = None,
    max_window: SpanLike = None,
    gap_unit: Literal["element", "time"] = "element",
    marking: Marking = "optimal",
    selection: Selection = "per_pattern",
    output: Output = "mark",
    seed: int | None = None,
) -> pd.DataFrame:
    """Hide sensitive patterns: afterwards each is in at most ``max_support`` sequences.

    Parameters
    ----------
    patterns : list of patterns, or one as text or Pattern
        Each a text such as ``"a -> b -[2..6]-> (c d) within 1h"``, a list of events and of sets of events,
        or a :class:`pdseqpriv.Pattern`, which may be a regular expression over events. A flat list is a
        list of patterns: ``["a", "b"]`` are two of one event each, ``[["a", "b"]]`` is one of two.
    max_support : int or list of int
        How many sequences may still contain a pattern; one number, or one per pattern.
    min_gap, max_gap : int or time span, optional
        Fewest and most elements between neighbours of a pattern; a time span (``"30min"``,
        ``pd.Timedelta``) is measured on the time column. What a pattern says itself goes first.
    max_window : int or time span, optional
        Most elements from the first to the last of a match, or the longest time between them.
    gap_unit : {"element", "time"}
        What plain numbers in the three above mean: elements, or differences on a time column of numbers.
    marking : {"optimal", "greedy", "random"}
        Which events of a sequence are marked. ``"greedy"`` is the paper's rule: the one in most matches,
        the leftmost of several, again and again. ``"optimal"`` takes the fewest marks for patterns without
        constraints, as long as the product of their lengths is at most 4096 and no element holds more than
        ten of their events; else it takes the greedy marks and brings needless ones back. ``"random"``
        takes any that is in a match.
    selection : {"per_pattern", "shared", "random"}
        Which sequences are left as they are when ``max_support`` is above 0. ``"shared"`` is the paper's
        rule: those with most matches, and every pattern is hidden in all others. ``"per_pattern"`` leaves
        for every pattern the sequences where that saves most marks, and hides in a sequence only what must
        be hidden there. ``"random"`` leaves any. ``"shared"`` and ``"random"`` take the smallest of several
        thresholds.
    output : {"mark", "drop", "replace"}
        What becomes of marked rows. ``"mark"`` sets the event and every other column but ``seq_id`` and
        ``time`` to null; whole numbers become nullable. ``"drop"`` removes the rows. ``"replace"`` puts in
        another event of the table, one that no pattern names if there is any; where a pattern would come
        back, the mark stays.
    seed : int, optional
        For everything random. The same seed gives the same result; None is 0.

    Returns
    -------
    pandas.DataFrame
        The table with the same rows, order, index and columns; rows that are not touched are identical.
        An index label that is the event of a marked or replaced row becomes null, too. Where rows are
        dropped, an index that only numbers them is numbered anew.

    Notes
    -----
    **Guarantee**: the support of every pattern, under its constraints, is at most ``max_support``; also
    after dropping and replacing, which are checked again because they can bring elements together.
    :func:`pdseqpriv.verify.is_hidden` tells it by another algorithm.

    **Not protected**: patterns that were not given, such as parts or variants of the given ones. Marks show
    that, where and when something was hidden, and who knows the data well may guess what; dropped rows do
    not, but leave gaps in time. Sequences that stay below the threshold are published as they are, and so
    is what index labels say besides events.

    The method is that of Abul, Atzori, Bonchi and Giannotti, *Hiding sequences* (2007), with the fewest
    marks, a threshold per pattern and regular expressions besides.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": 1, "event": list("aabccbae"), "time": range(8)})
    >>> df.seqpriv.hide(["a -> b -> c"])["event"].tolist()
    ['a', 'a', nan, 'c', 'c', 'b', 'a', 'e']
    """
    wanted = read_patterns(
        patterns, min_gap=min_gap, max_gap=max_gap, max_window=max_window, gap_unit=gap_unit
    )
    wanted, thresholds = without_repeats(wanted, read_thresholds(max_support, len(wanted)))
    for name, word, words in (
        ("marking", marking, Marking),
        ("selection", selection, Selection),
        ("output", output, Output),
    ):
        one_of(name, word, get_args(words))
    # What does the work loads when it is first needed.
    from pdseqpriv.hiding.carry_out import carry_out
    from pdseqpriv.hiding.task import Way

    way = Way(selection, marking, output, _seed(seed))
    run = start(table)
    released, counts = carry_out(run, wanted, thresholds, way)
    told = {
        "max_support": int(thresholds[0]) if np.unique(thresholds).size == 1 else None,
        "marking": marking,
        "selection": selection,
        "output": output,
    }
    return record_step(released, "hide", told, counts, previous=run.record)


def _seed(seed: object) -> int:
    if seed is None:
        return 0
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise wrong_parameter("seed", "None or an int of at least 0", shown(seed))
    return int(seed)
