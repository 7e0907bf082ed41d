"""Find the sequences that contain a pattern, and where in them it is."""

from __future__ import annotations

from functools import partial
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from pdseqpriv.audit.found_matches import find_matches, frame_of, merge_matches
from pdseqpriv.audit.owner_tables import refuse_own_names
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.hiding.automata import compile_patterns
from pdseqpriv.parameters import whole_number
from pdseqpriv.patterns.reading import PatternsLike, patterns_and_thresholds, warn_of_absent_events
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.span import SpanLike

_OWN = ("pattern", "match", "position", "row")  # columns of the result that are not the user's


@on_tables("matches", anywhere=True)
def find(
    table: Table,
    patterns: PatternsLike,
    *,
    limit: int | None = 1,
    min_gap: SpanLike = None,
    max_gap: SpanLike = None,
    max_window: SpanLike = None,
    gap_unit: Literal["element", "time"] = "element",
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame:
    """Find the sequences that contain a pattern, with the rows and times of its matches.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    patterns : list of patterns, or a single one as text or Pattern
        As for :func:`pdseqpriv.hide`: ``"a -> b"`` and ``[["a", "b"]]`` are one pattern of two events, and
        ``["a", "b"]`` is two patterns of one event each.
    limit : int, optional
        How many matches to list for each pattern and sequence: the first one by default, or the first ones in
        the order below. None lists all of them, and there may be very many.
    min_gap, max_gap, max_window, gap_unit
        As for :func:`pdseqpriv.hide`.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        One row for each event of a match, sorted by sequence, pattern, match and position:

        - the id of the sequence and, if they are named, of the person, under the user's names;
        - ``pattern``, ``match`` (within the sequence and the pattern) and ``position`` (of the element within
          the match), all counted from 1;
        - the event and its time, under the user's names;
        - ``row``: which row of the table it is, as for ``df.iloc``. If an event is there several times at the
          same time, this is the first of these rows.

    Notes
    -----
    **Guarantee**: exact. The sequences listed are those that contain the pattern as :func:`pdseqpriv.hide`
    and :func:`pdseqpriv.verify.is_hidden` count them. Matches are in the order of the places of their
    elements: the first match starts earliest; of those that start there, it has the earliest second element,
    and so on. In a regular expression, which takes one event of each element, the smaller event comes first
    among those of one element, and a match before the longer ones that begin with it.

    **Large tables**: the same matches, found where the rows are and brought here, at most 10,000,000 events.

    **Not protected**: the result shows who did what and when. It is for the owner of the data only.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 1, 2, 2], "event": list("abbba"), "time": [1, 2, 3, 1, 2]})
    >>> df.seqpriv.find("a -> b")
       seq_id  pattern  match  position event  time  row
    0       1        1      1         1     a     1    0
    1       1        1      1         2     b     2    1
    >>> len(df.seqpriv.find("a -> b", limit=None)) // 2
    2
    """
    constraints = {"min_gap": min_gap, "max_gap": max_gap, "max_window": max_window, "gap_unit": gap_unit}
    asked, _ = patterns_and_thresholds(patterns, 0, **constraints)
    most = None if limit is None else whole_number("limit", limit, least=1)
    run = start(table, others=())
    refuse_own_names(run.columns.roles.values(), _OWN)
    compiled = [compile_patterns([pattern]) for pattern in asked]
    found = run.reduce(partial(find_matches, patterns=compiled, limit=most), merge_matches)
    of_each = np.split(found.known, np.cumsum([len(pattern.events) for pattern in compiled])[:-1])
    warn_of_absent_events(list(map(str, asked)), [not known.all() for known in of_each])
    return frame_of(found, run.columns, run.row_numbers)
