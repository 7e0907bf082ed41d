"""Delete occurrences of sensitive events so that they are not frequent in any prefix."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Literal, Unpack

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Run, Table, start
from pdseqpriv.errors import warn
from pdseqpriv.sanitization import per_sequence, pooled
from pdseqpriv.sanitization.per_sequence import PerSequencePlan
from pdseqpriv.sanitization.pooled import CutOffs, PooledPlan
from pdseqpriv.sanitization.request import Request, check_scope, read_request
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.frames import without_rows, without_traces
from pdseqpriv.sequences.other_columns import warn_of_released_columns
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.sequences import Sequences

# Copies of the counts that planning for a whole table takes, about.
_COPIES = 4


@on_tables("sequences", anywhere=True)
def sanitize(
    table: Table,
    delta: float | Fraction | Decimal,
    *,
    events: Iterable[Hashable],
    scope: Literal["sequence", "person", "table"] = "sequence",
    method: Literal["joint", "essa"] = "joint",
    alphabet: Iterable[Hashable] | None = None,
    camouflage: int | None = None,
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame:
    """Delete occurrences of sensitive events so that their relative frequency reaches delta in no prefix.

    The method of Loukides and Gwadera, Optimal event sequence sanitization (SDM 2015). Rows are deleted so
    that the distribution of events changes as little as possible: the sanitization error is the sum, over all
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
        The sensitive events. If some do not occur, a warning says how many.
    scope : {"sequence", "person", "table"}
        "sequence" protects each sequence separately. "person" pools all sequences of a person by time and
        protects them as one event sequence; it needs ``using(person=...)``, and with it "sequence" warns that
        people are not protected as a whole. "table" pools the whole table by time and protects it as one
        event sequence (for example, sales per week).
    method : {"joint", "essa"}
        "joint" considers all sensitive events together; the order of ``events`` does not matter. "essa" is
        the paper's iteration, one event after the other in the order given.
    alphabet : list of events, optional
        All events that could occur, if there are more than those in the table. It only affects the smoothing.
    camouflage : int of at least 2, optional
        Also keep a sensitive event from standing out just below ``delta``: see the notes.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        The table without the deleted rows; of the rows with the same time and event, the last ones in row
        order are deleted. All other rows stay as they were, in the same order. An index that only numbers
        the rows is renumbered.

    Notes
    -----
    **Guarantee**: in every prefix of every sequence (or of what was pooled), the relative frequency of each
    of ``events`` is strictly below ``delta``, or the event does not occur. This is decided with whole numbers
    only. A prefix ends after all rows of a time, or of a single sequence with ``ties="order"`` after each
    row: where sequences are pooled, the rows of a time stay together. Marked rows do not count.
    With ``camouflage=k``, in addition, at least k - 1 other events, themselves below ``delta``, occur at
    least as often in every prefix in which a sensitive event occurs. ``verify.is_sanitized`` checks both.

    **Not protected**: sensitive events may still occur, less often. Anyone who knows how often they should
    occur, or who sees the table before and after, learns what was deleted. Parts of a sequence that are not
    prefixes, for example its last month, are not protected. Sequences that lose all their rows are missing
    from the release. Ids, times and other columns stay as they are and can identify people; a warning names
    the other columns. A scope protects what it names and nothing else: with "person" a single sequence may
    exceed ``delta`` where the person's others make up for it, and with "sequence" the other way round.

    **Large tables**: the same rows, deleted where they are. For single sequences and people the plan
    holds the distinct events only; for ``"table"``, 12 to 24 bytes for each part and distinct pair of
    time and event, four times.

    **How close to the optimum**: with one sensitive event, both methods reach the least possible error: the
    error of a time point is convex in the number of deletions there, so a greedy walk is exact. With several,
    "joint" places the deletions of all events together, measured against the original distribution, improves
    them event by event and by exchanges, and searches for the exact optimum if the number of ways to delete
    allows it. For short sequences and small tables the error is therefore the least possible. Otherwise the
    results of "essa" are among the starting points: in every order of up to four events, and in every order
    of n events if n! times n times the number of (time, event) pairs to choose from is at most 16 million for
    a pooled table or 2 million for a sequence (six events at 3,800 pairs, or 480). In these cases no order of
    "essa" is better, which is proven. Beyond that, up to 64 orders are tried: 8 that the data suggest, and
    shuffled ones. The best is then changed step by step, by moving an event or exchanging two, and each
    result is improved, as long as a limit on the work allows; in very large tables only one order is tried.
    Nothing is proven there: in 1,387 such generated cases with up to 20 events, none of 110 to 210 orders was
    better. With several events the least error cannot always be found quickly, because the problem is NP-hard
    (exact cover by triples reduces to it: a time point per triple, where deleting all three events costs less
    per deletion than deleting one). The paper's theorem 4.1, that its iteration is optimal for several
    events, does not hold.

    **Why camouflage means "at least as often"**: the paper's supplement asks for k - 1 other events with the
    same relative frequency in every prefix. The same in every prefix means the same number of rows at every
    time. Deleting sensitive rows alone cannot achieve that unless other events happen to coincide; it can
    only reduce the sensitive event until enough others are as frequent or more so. That is what is done. An
    other event counts only if it would stay below ``delta`` even without any sensitive row, so a little more
    may be deleted than the check asks for. The other events may differ from prefix to prefix, and the
    probability 1/k of the supplement is not promised. If fewer than k - 1 other events count, all rows of
    sensitive events are deleted.

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
    request = read_request(
        delta, events=events, scope=scope, method=method, alphabet=alphabet, camouflage=camouflage
    )
    run = start(table)
    check_scope(request.scope, has_people=run.columns.person is not None)
    plan, there, is_all = _make_plan(run, request)
    released, tally = run.map(partial(apply, plan=plan), finish, names_rows=isinstance(plan, CutOffs))
    if tally is None and is_all:  # rows are deleted later, but whether any is left is said now
        tally = run.reduce(partial(count_deleted, plan=plan), operator.add)
    warn_of_released_columns(run.other_columns)
    if tally is not None and tally.deleted == tally.rows > 0:
        warn("every row was deleted; the release is empty.")
    noted = run.columns.noted if scope == "person" else {}
    parameters = {"delta": float(request.delta), "scope": scope, "method": method, "camouflage": camouflage}
    parameters |= noted
    return record_step(released, "sanitize", parameters, run.before, columns=run.columns, named=list(there))


def _make_plan(run: Run, request: Request) -> tuple[PooledPlan | CutOffs | PerSequencePlan, pd.Index, bool]:
    """Summarise and plan according to the scope.

    Also return the sensitive events that occur, and whether no others do.
    """
    if request.scope != "table":
        events = run.reduce(per_sequence.summarise, per_sequence.merge)
        there = request.events_in([events.vocabulary]), request.has_all([events.vocabulary])
        return per_sequence.make_plan(events, request), *there
    parts = run.reduce(pooled.summarise, pooled.merge, copies=_COPIES)
    vocabularies = [part.vocabulary for part in parts]
    there = request.events_in(vocabularies), request.has_all(vocabularies)
    plan = pooled.make_plan(parts, request)
    del parts  # a large table has no memory to spare
    if plan.pool is None:
        return plan, *there
    last = run.reduce(partial(pooled.last_rows, plan=plan), pooled.merge)
    return pooled.share_out(plan, plan.pool, last), *there


@dataclass(frozen=True)
class Tally:
    """The number of rows of a part, and of those deleted."""

    rows: int
    deleted: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.rows + other.rows, self.deleted + other.deleted)


def apply(
    frame: pd.DataFrame, sequences: Sequences, plan: PooledPlan | CutOffs | PerSequencePlan
) -> tuple[pd.DataFrame, Tally]:
    """Delete rows of one part."""
    rows = plan.rows_to_delete(sequences)
    return without_rows(frame, rows), Tally(len(frame), rows.size)


def count_deleted(sequences: Sequences, plan: PooledPlan | CutOffs | PerSequencePlan) -> Tally:
    """Count what is deleted from one part, whose rows are changed later."""
    return Tally(sequences.n_rows, plan.rows_to_delete(sequences).size)


def finish(released: pd.DataFrame, _: Tally) -> pd.DataFrame:
    """Leave nothing behind that tells of deleted rows."""
    return without_traces(released)
