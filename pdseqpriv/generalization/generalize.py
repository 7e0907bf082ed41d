"""Groups of sequences that look the same to who watches some events (Sherkat, Li, Mamoulis 2013)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, start
from pdseqpriv.errors import refusal, warn, wrong_parameter
from pdseqpriv.generalization.plan import Plan, make_plan
from pdseqpriv.generalization.release import Numbers, make_key, number, release
from pdseqpriv.generalization.request import Method, Request, read_request
from pdseqpriv.generalization.roles import roles_of, taxonomy_for
from pdseqpriv.generalization.summary import Summary, check_span, merge, summarise
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import Value, record_step
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike

_OWN_NAMES = ("group", "time_from", "time_to")


@overload
@on_tables("generalized", "key")
def generalize(
    table: Table,
    taxonomy: TaxonomyLike | None = ...,
    *,
    k: int | None = ...,
    diversity: tuple[SpanLike, float] | None = ...,
    monitored: Iterable[Event] | None = ...,
    sensitive: Iterable[Event] | None = ...,
    method: Method = ...,
    time_weight: float = ...,
    event_weight: float = ...,
    seed: int = ...,
    with_key: Literal[False] = ...,
) -> pd.DataFrame: ...


@overload
@on_tables("generalized", "key")
def generalize(
    table: Table,
    taxonomy: TaxonomyLike | None = ...,
    *,
    k: int | None = ...,
    diversity: tuple[SpanLike, float] | None = ...,
    monitored: Iterable[Event] | None = ...,
    sensitive: Iterable[Event] | None = ...,
    method: Method = ...,
    time_weight: float = ...,
    event_weight: float = ...,
    seed: int = ...,
    with_key: Literal[True],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@on_tables("generalized", "key")
def generalize(
    table: Table,
    taxonomy: TaxonomyLike | None = None,
    *,
    k: int | None = None,
    diversity: tuple[SpanLike, float] | None = None,
    monitored: Iterable[Event] | None = None,
    sensitive: Iterable[Event] | None = None,
    method: Method = "auto",
    time_weight: float = 1.0,
    event_weight: float = 1.0,
    seed: int = 0,
    with_key: bool = False,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    """Release groups of sequences that nobody who watches the monitored events can tell apart.

    Times of monitored events become intervals, and their names categories, the same for a whole group.

    Parameters
    ----------
    taxonomy : Taxonomy, or what makes one, optional
        Which events belong to which category: a :class:`pdseqpriv.Taxonomy`, a mapping of child to parent,
        nested dicts or a two-column DataFrame. Every monitored event must be an event (a leaf) of it. None
        knows one category of all events of the table, "ALL".
    k : int, optional
        How many sequences a group has at the least, from 2 on.
    diversity : (g, l), optional
        In no window of length ``g`` is a sensitive event shared by more than one in ``l`` of a group. ``g``
        is a number, for datetimes a time span (``"30min"``, ``pd.Timedelta``), ``float("inf")`` for any
        time; ``l`` is a number of at least 1, perhaps a fraction, taken as it is written. Give ``k``,
        ``diversity`` or both.
    monitored : list of events, optional
        What the receivers know of people: that these events happened, and when. None is all events: any
        receivers may put together what they know. An empty list is no event: one group, released as it is.
    sensitive : list of events, optional
        What ``diversity`` protects; none of them may be monitored. None is all events that are not monitored.
    method : {"auto", "baseline", "indexed", "hybrid", "hilbert", "partition"}
        How groups are found. ``"baseline"`` joins each with the one that costs least (the paper's algorithm
        1); ``"indexed"`` gives the same groups faster (2); ``"hybrid"`` is faster still at a little more loss
        (3), ``"hilbert"`` the fastest; ``"partition"`` splits by events and by time in turns (4, 6).
        ``"auto"`` is ``"hybrid"`` where only time is generalised (one monitored event, or
        ``event_weight=0``), else ``"partition"``.
    time_weight, event_weight : float
        How much wide intervals and wide categories count as loss.
    seed : int
        For the random choices of the methods. The same seed gives the same release.
    with_key : bool
        Also return which released sequence is whose, for the owner's own audit. Never share it.

    Returns
    -------
    pandas.DataFrame
        The columns for id and event, and ``group``, ``time_from``, ``time_to``. Monitored events: one row per
        interval, both ends included, the same for the whole group. Other events: their own rows, with
        ``time_from`` and ``time_to`` their time. Ids and groups are numbered by what is released. Whole
        numbers as events become text, because categories are; other types stay, but categories of pandas
        lose their order.
    pandas.DataFrame, only with ``with_key=True``
        Each original id and its ``released_id``, null when dropped.

    Warns
    -----
    PrivacyWarning
        When other columns or sequences are dropped, and when a named event does not occur.

    Raises
    ------
    InfeasibleError
        When no grouping can satisfy what is asked; it says which requirement fails.

    Notes
    -----
    Sherkat, Li, Mamoulis: Efficient time-stamped event sequence anonymization, ACM Transactions on the Web
    8(1), 2013. In a group the intervals lose the least that is possible (equations 3 and 4), as far as 53
    bits tell times apart: where whole numbers span more, the closest count as equal for the loss, never for
    the guarantee.

    **Guarantee**: with ``k``, every released sequence has all its monitored part in common with at least
    ``k - 1`` others. Every interval covers a monitored event of every member of its group, so nothing is
    invented, and every monitored event of every member is covered (the paper's strong coverage). With
    ``diversity``, for every group, sensitive event and closed window [t, t + g] of time, at most one in ``l``
    of the members has the event in the window, decided with whole numbers. That is checked for windows that
    begin at an occurrence, which is enough: move any window right until it begins at the first occurrence in
    it, and it still holds all it held. Groups then have at least ``l`` members, too, or all there are:
    otherwise somebody without sensitive events could be left alone. ``verify.is_generalized`` checks all of
    it independently.

    **Not protected**: events that are not monitored are released as they are, so who knows one of those, with
    its time or because it is rare, may find a person; leave ``monitored`` out if receivers may share what
    they know. That somebody is in a group, and what all of a group have in common, be it sensitive without
    ``diversity``. Several releases of one table side by side. Intervals are as short as possible: they begin
    and end at a true time of somebody, and who knows the method learns a little from what it chose. One
    person must be one sequence: the guarantee counts sequences.

    Marked (null) events match nothing and are not released. Two rows of a sequence with the same event and
    time count as two for the loss. Sequences without a monitored event form a group of their own; if they
    are too few for what is asked they are dropped, and the record in ``attrs`` says how many. The answer
    does not depend on the order of rows, the type or values of the ids, or partitions.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame(
    ...     {
    ...         "seq_id": ["sue", "sue", "tom", "tom", "eve", "eve"],
    ...         "event": ["Google", "eBay", "Bing", "Amazon", "Google", "Amazon"],
    ...         "time": [1, 6, 3, 7, 2, 8],
    ...     }
    ... )
    >>> sites = {"Google": "Search", "Bing": "Search", "eBay": "Shopping", "Amazon": "Shopping"}
    >>> df.seqpriv.generalize(sites, k=3)
       seq_id  group     event  time_from  time_to
    0       0      0    Search          1        3
    1       0      0  Shopping          6        8
    2       1      0    Search          1        3
    3       1      0  Shopping          6        8
    4       2      0    Search          1        3
    5       2      0  Shopping          6        8
    """
    request = read_request(
        k=k,
        diversity=diversity,
        monitored=monitored,
        sensitive=sensitive,
        method=method,
        time_weight=time_weight,
        event_weight=event_weight,
        seed=seed,
    )
    if not isinstance(with_key, bool | np.bool_):
        raise wrong_parameter("with_key", "True or False", type(with_key).__name__)
    given = taxonomy if taxonomy is None or isinstance(taxonomy, Taxonomy) else Taxonomy(taxonomy)
    run = start(table)
    _check_names(run.columns, with_key=bool(with_key))
    summary = run.reduce(summarise, merge)
    check_span(summary, run.columns)
    used = taxonomy_for(summary.vocabulary, given)
    plan = make_plan(summary, used, roles_of(summary.vocabulary, used, request), request)
    numbers = number(plan, request.seed)
    released = release(plan, numbers, summary, used, run.columns)
    counts = _counts(summary, numbers, len(released))
    _warn(table, counts["sequences_dropped"])
    record_step(released, "generalize", _parameters(request, plan, summary), counts, run.record)
    return (released, make_key(plan, numbers, summary, run.columns)) if with_key else released


def _check_names(columns: Columns, *, with_key: bool) -> None:
    taken = next((name for name in (columns.seq_id, columns.event) if name in _OWN_NAMES), None)
    if taken is None and with_key and columns.seq_id == "released_id":
        taken = "released_id"
    if taken is not None:
        raise refusal(f"the release needs the column name {taken!r}. Rename the column.")


def _warn(table: Table, dropped: int) -> None:
    bound = bind(table)
    others = [name for name in bound.frame.columns if name not in bound.columns.names]
    if others:
        names = ", ".join(repr(name) for name in others)
        warn(f"dropped {names}: other columns can identify people.")
    if dropped:
        warn(
            f"dropped {dropped} sequences without a monitored event: they are too few, or too "
            "much alike, to hide among each other."
        )


def _parameters(request: Request, plan: Plan, summary: Summary) -> dict[str, Value]:
    return {
        "k": request.k,
        "diversity_g": request.recorded_window(summary.clock),
        "diversity_l": None if request.certainty is None else float(request.certainty),
        "method": plan.method,
        "time_weight": request.time_weight,
        "event_weight": request.event_weight,
    }


def _counts(summary: Summary, numbers: Numbers, rows: int) -> dict[str, int]:
    kept = int((numbers.sequence >= 0).sum())
    return {
        "sequences_in": summary.n_sequences,
        "sequences_out": kept,
        "sequences_dropped": summary.n_sequences - kept,
        "events_in": summary.codes.size,
        "events_out": rows,
        "rows_dropped": summary.marked,
        "groups": int(numbers.group.max()) + 1,
    }
