"""Delete occurrences of sensitive events so that they are frequent in no prefix."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Run, Table, start
from pdseqpriv.errors import warn
from pdseqpriv.sequences.frames import without_rows, without_traces
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.sequences import Sequences

if TYPE_CHECKING:  # these bring the kernels along, which wait for the first call
    from pdseqpriv.sanitization.request import Request


@on_tables("sequences")
def sanitize(
    table: Table,
    delta: float | Fraction | Decimal,
    *,
    events: Iterable[Hashable],
    scope: Literal["sequence", "table"] = "sequence",
    method: Literal["joint", "essa"] = "joint",
    alphabet: Iterable[Hashable] | None = None,
    camouflage: int | None = None,
) -> pd.DataFrame:
    """Delete occurrences of sensitive events so that in no prefix their relative frequency reaches delta.

    The method of Loukides and Gwadera, Optimal event sequence sanitization (SDM 2015). What is deleted
    changes the distribution of events as little as possible: the sanitization error is the sum, over all
    time points, of the squared differences between the distributions of events before and after, each
    smoothed by adding 0.5 to every count.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One row per event.
    delta : number above 0 and at most 1
        The relative frequency that no sensitive event may reach. It is used exactly as it is written: the
        float 0.1 is one tenth, and ``Fraction(1, 3)`` is one third.
    events : list of events
        The sensitive ones. Those that do not occur are counted in a warning.
    scope : {"sequence", "table"}
        Whether each sequence is protected for itself, or the whole table, pooled by time, is one event
        sequence (as with sales per week).
    method : {"joint", "essa"}
        "joint" looks at all sensitive events together; the order of ``events`` does not matter. "essa" is
        the paper's iteration, one event after the other in the order given.
    alphabet : list of events, optional
        Events that could occur, if they are more than those in the table; only the smoothing uses it.
    camouflage : int of at least 2, optional
        Also keep a sensitive event from standing out just below ``delta``: see the notes.

    Returns
    -------
    pandas.DataFrame
        The table without the deleted rows: the last ones, in row order, of their time and event. All other
        rows stay as they were, in their order. An index that only numbers rows is numbered anew.

    Notes
    -----
    **Guarantee**: in every prefix of every sequence (or of the pooled table), each of ``events`` has a
    relative frequency strictly below ``delta`` or does not occur. This is decided with whole numbers only.
    A prefix ends after all rows of a time; marked rows count for nothing. With ``camouflage=k``, also: in
    every prefix in which a sensitive event occurs, at least k - 1 other events, themselves below
    ``delta``, occur at least as often. ``verify.is_sanitized`` checks both.

    **Not protected**: sensitive events may still occur, less often. Whoever knows how often they should
    occur, or sees the table before and after, learns what was deleted. Parts of a sequence that are no
    prefix, for example its last month, are not protected. Sequences that lose all rows are missing.

    **How good it is**: with one sensitive event, and for either method, the error is the least possible: the
    error of a time point is convex in the number of deletions there, so a greedy walk is exact. With several,
    "joint" places all events together, against the original distribution, then improves by placing events
    anew and by exchanges, and where the number of ways allows it searches for the optimum exactly. For short
    sequences and small tables the error therefore is the least possible. Elsewhere the results of "essa" are
    among its starting points: in every order of up to four events, and in every order of n events where n!
    times n times the number of (time, event) pairs to choose from is at most 16 million for a pooled table, 2
    million for a sequence (six events at 3,800 pairs, or 480). There no order of "essa" is better, which is
    proven. Beyond, up to 64 orders are tried, 8 that the data suggest and shuffled ones, and the best is
    changed step by step, an event moved or two exchanged, each result improved, as long as a limit of work
    allows; in very large tables one order alone. There nothing is proven: in 1,387 such generated cases with
    up to 20 events none of 110 to 210 orders was better. With several events the least error cannot always be
    found quickly: that is NP-hard (exact cover by triples reduces to it: a time point per triple, where
    deleting all three events costs less per deletion than deleting one). The paper's theorem 4.1, that its
    iteration is optimal for several events, does not hold.

    **Why camouflage asks for "at least as often"**: the paper's supplement asks for k - 1 other events with
    the same relative frequency in every prefix. The same in every prefix means the same number of rows at
    every time. Deleting sensitive rows alone cannot give that unless other events happen to coincide; it can
    only lower the sensitive event until enough others are level with it or above. That is what is done, at
    the least error. The others may differ from prefix to prefix, and the probability 1/k of the supplement
    is not promised. Where fewer than k - 1 other events stay below ``delta``, all sensitive rows go.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> sales = pd.DataFrame(
    ...     {
    ...         "seq_id": range(12),
    ...         "event": ["tea", "jam", "tea", "tea", "oil", "jam", "oil", "tea", "jam", "oil", "jam", "tea"],
    ...         "time": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
    ...     }
    ... )
    >>> released = sales.seqpriv.sanitize(0.3, events=["tea"], scope="table")
    >>> released.groupby("time")["event"].agg(list).to_dict()
    {1: ['jam'], 2: ['tea', 'oil', 'jam'], 3: ['oil', 'tea', 'jam'], 4: ['oil', 'jam']}
    """
    from pdseqpriv.sanitization.request import read_request

    request = read_request(
        delta, events=events, scope=scope, method=method, alphabet=alphabet, camouflage=camouflage
    )
    run = start(table)
    facts = run.reduce(count, add)
    delete = _plan_pooled(run, request) if scope == "table" else _plan_each(run, request)
    released, deleted = run.map(partial(apply, delete=delete))
    if deleted == facts.rows > 0:
        warn("every row was deleted; the release is empty.")
    return record_step(
        without_traces(released),
        "sanitize",
        {"delta": float(request.delta), "scope": scope, "method": method, "camouflage": camouflage},
        {"events_in": facts.events, "events_out": facts.events - deleted, "events_deleted": deleted},
        run.record,
    )


Delete = Callable[[Sequences], NDArray[np.int64]]


def apply(frame: pd.DataFrame, sequences: Sequences, delete: Delete) -> tuple[pd.DataFrame, int]:
    """Delete rows of one part; the tally says how many."""
    rows = delete(sequences)
    return without_rows(frame, rows), rows.size


def _plan_pooled(run: Run, request: Request) -> Delete:
    from pdseqpriv.sanitization import pooled

    plan = pooled.plan(run.reduce(pooled.summarise, pooled.merge), request)
    if len(plan.deletions) > 1:
        plan = pooled.share_out(plan, run.reduce(partial(pooled.last_rows, plan), pooled.merge))
    return partial(pooled.rows_to_delete, plan)


def _plan_each(run: Run, request: Request) -> Delete:
    from pdseqpriv.sanitization import per_sequence as each

    plan = each.plan(run.reduce(each.summarise, each.merge), request)
    return partial(each.rows_to_delete, plan)


class Facts(NamedTuple):
    """How many rows there are, and how many of them are not marked."""

    rows: int
    events: int


def count(sequences: Sequences) -> Facts:
    """Count the rows of a part."""
    return Facts(sequences.n_rows, int((sequences.codes >= 0).sum()))


def add(first: Facts, second: Facts) -> Facts:
    """Add the counts of two parts."""
    return Facts(first.rows + second.rows, first.events + second.events)
