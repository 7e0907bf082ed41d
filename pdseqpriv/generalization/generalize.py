"""Groups of sequences that look the same to anyone who knows some of the events (Sherkat et al. 2013)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Unpack, overload

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.generalization.plan import make_plan
from pdseqpriv.generalization.release import cut_rows, make_key, release, rows_as_frame
from pdseqpriv.generalization.request import (
    IntervalsOf,
    Method,
    Request,
    TimeOf,
    check_release_names,
    read_previous,
    read_sensitive,
    read_weights,
)
from pdseqpriv.generalization.summary import merge, since_start, summarise
from pdseqpriv.generalization.told_to_owner import warn_of_losses
from pdseqpriv.kept_columns.reading import read_kept
from pdseqpriv.parameters import choices, columns_to_keep, list_of_events, secret_seed, yes_or_no
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.sequences.columns import NamesBesideTime
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.span import SpanLike
from pdseqpriv.sequences.window import k_and_diversity
from pdseqpriv.taxonomy.taxonomy import Keep, Taxonomy, TaxonomyLike

# Copies of the summary that planning takes, about.
_COPIES = 24


@overload
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
    time: TimeOf = ...,
    intervals: IntervalsOf = ...,
    seed: int | None = ...,
    previous: Sequence[pd.DataFrame] | None = ...,
    keep: Keep | None = ...,
    with_key: Literal[False] = ...,
    **_columns: Unpack[NamesBesideTime],
) -> pd.DataFrame: ...


@overload
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
    time: TimeOf = ...,
    intervals: IntervalsOf = ...,
    seed: int | None = ...,
    previous: Sequence[pd.DataFrame] | None = ...,
    keep: Keep | None = ...,
    with_key: Literal[True],
    **_columns: Unpack[NamesBesideTime],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@on_tables("generalized", "key", anywhere=True)
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
    time: TimeOf = "real",
    intervals: IntervalsOf = "apart",
    seed: int | None = None,
    previous: Sequence[pd.DataFrame] | None = None,
    keep: Keep | None = None,
    with_key: bool = False,
    **_columns: Unpack[NamesBesideTime],
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    """Release sequences in groups whose members look the same to anyone who knows the monitored events.

    The times of monitored events become intervals and their names become categories, the same for a whole
    group.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    taxonomy : Taxonomy, or what makes one, optional
        Which events belong to which category: a :class:`pdseqpriv.Taxonomy`, a mapping of child to parent,
        nested dicts or a DataFrame with two columns. Every monitored event must be an event (a leaf) of it.
        Without a taxonomy there is one category, "ALL", for all events of the table.
    k : int, optional
        The smallest number of sequences in a group, at least 2; of different people, if ``using`` names the
        column ``person``.
    diversity : (g, l), optional
        In no window of length ``g`` may more than one in ``l`` members of a group share a sensitive event;
        members are different people, if ``using`` names the column ``person``.
        ``g`` is a number, a time span (``"30min"``, ``pd.Timedelta``) for datetimes, or ``float("inf")`` for
        the whole time. ``l`` is at least 1, not necessarily whole. Give ``k``, ``diversity`` or both.
    monitored : list of events, optional
        What the receivers may know about people: that these events happened, and when. By default all
        events, so that receivers may even pool what they know. An empty list means that they know nothing:
        there is then a single group, released as it is.
    sensitive : list of events, optional
        What ``diversity`` protects; none of these events may be monitored. By default all events that are
        not monitored.
    method : {"auto", "baseline", "indexed", "hybrid", "hilbert", "partition"}
        How groups are found. ``"baseline"`` joins each group with the one that costs least (algorithm 1 of
        the paper); ``"indexed"`` finds the same groups faster (2); ``"hybrid"`` is faster still and loses a
        little more (3); ``"hilbert"`` is the fastest; ``"partition"`` splits by events and by time in turn
        (4, 6). ``"auto"`` tries several and takes what loses least, as the record says: ``"hybrid"`` if only
        time is generalized, otherwise ``"partition"``; the others where they take seconds, not minutes.
    time_weight, event_weight : float
        How much long intervals and broad categories count as loss. A higher ``event_weight`` gives longer
        intervals with narrower categories; by these weights, no intervals of a group lose less.
    time : {"real", "since_start"}
        Which times become intervals: those of the table, or the time since the first event of the sequence
        that is not marked, in the table's unit, or in seconds if the table has datetimes; differences of
        decimals are those of the numbers as written, or rounded where there are too many digits. If dates do
        not matter, that loses much less: sequences need not be of the same time to be alike.
    intervals : {"apart", "by_category"}
        Whether all intervals of a group are apart in time, or events are first separated by category where
        that loses less: categories of which every member has an event then have intervals of their own,
        which may overlap with those of others.
    seed : int, optional
        Seed for the random choices of the methods, and for who in a group gets which number. None takes
        fresh randomness from the system for the numbers; groups are then those of ``seed=0``. A given seed
        makes release and key reproducible and must be kept as secret as the key.
    previous : list of DataFrames, optional
        The keys of earlier releases of the same table, as ``with_key=True`` returns them. What is asked for
        here then holds for every intersection of groups of all releases, also for whoever links them.
    keep : list of column names, or dict of column names and taxonomies, optional
        Columns beside the sequence that are released with it, such as an age group: text or whole numbers,
        the same in all rows of a person. All members of a group then show the same values; see the notes.
    with_key : bool
        Also return which released sequence belongs to whom, for the owner's own audit. Never share it.
    seq_id, event, ties, person : optional
        What the columns are called, as in `using`, which can also name the column of times.

    Returns
    -------
    pandas.DataFrame
        The columns for id and event, and ``group``, ``time_from`` and ``time_to``. Monitored events have one
        row per interval, both ends included, the same for the whole group. Other events have one row each,
        with their own time as both. The columns of ``keep`` follow. Ids and groups are numbered by content.
        Events that are whole numbers become text, because categories are text; other types stay the same,
        except that ordered categories of pandas lose their order, and that times since the start have 64 bits
        where they do not fit into the type of the table's times.
    pandas.DataFrame
        Only with ``with_key=True``: each original id, its person if people are named, its ``released_id``
        and its ``group``, both null if the sequence was dropped.

    Warns
    -----
    PrivacyWarning
        If other columns or sequences are dropped, if a named event does not occur, or if more than half of
        the rows for monitored events say nothing but that something happened.

    Raises
    ------
    InfeasibleError
        If no grouping can satisfy what is asked for; the message says which requirement fails. If people have
        several sequences, also if not even all of them as one group satisfy ``diversity``.

    Notes
    -----
    Sherkat, Li, Mamoulis: Efficient time-stamped event sequence anonymization, ACM Transactions on the Web
    8(1), 2013. The intervals of a group lose as little as possible (equations 3 and 4). The loss is computed
    with 53 bits: times that differ by less are equal for the loss, but never for the guarantee.

    **Guarantee**: with ``k``, the whole monitored part of every released sequence is the same as that of at
    least ``k - 1`` others. Every interval covers a monitored event of every member of its group, so nothing
    is invented, and every monitored event of every member is covered (strong coverage in the paper). With
    ``diversity``, at most one in ``l`` members of a group has the same sensitive event in the same closed
    window [t, t + g]; this is decided with whole numbers. Groups then also have at least ``l`` members, or
    all sequences if there are fewer: otherwise somebody without sensitive events could end up alone in a
    group. ``verify.is_generalized`` checks all of this independently.

    With ``intervals="by_category"``, all of this holds as well. None of the categories is below another, so
    every event is in exactly one interval, and no other choice loses less for the same groups. Groups are
    found by the loss of intervals that are apart; ``"auto"`` compares them by what is released, and also
    tries groups of people with the same categories. Overlapping intervals do not show the order of events.

    With ``time="since_start"``, it holds for the table in which every sequence begins at 0, and the release
    shows no date. Knowing the real times is no better than that, and still leads to a whole group only.

    If ``using(person=...)`` says whose the sequences are, members are different people: a group has
    sequences of at least ``k`` people, and a person has a sensitive event if any of their sequences in the
    group has it. The sequences of a person may be in one group, where they count once, or in several. The
    column of the person is never released; only the key has it.

    With ``previous``, every group is within a single group of each earlier release, and those who were
    dropped from a release count as a group of it. An intersection of groups of all releases is then a whole
    group of this one, so ``k`` and ``diversity`` hold for it; ``verify.are_compatible`` counts them. People
    who shared a group with too few others before are dropped: no release takes back a smaller ``k``. If they
    are few, those who were together with them are dropped too, or the few who are missing would stand out.

    With ``keep``, groups are formed among people with the same values, so what is shown in a group applies to
    all its members: whoever knows it and the monitored events still finds at least ``k`` people. With a
    list, a combination of values is shown as a whole or, if too few people for a group have it, not at all:
    its columns are then null, and so are those of the next rarest one if only a few would be null. With a
    dict, columns are made coarser one by one, with null for the root; numbers with a taxonomy become text.
    Nobody is dropped because of kept columns. They cost detail, because fewer people can be put together, and
    tell receivers more about everybody.

    **Not protected**: events that are not monitored are released as they are, so someone who knows such an
    event and its time, or knows that it is rare, may find a person; leave out ``monitored`` if receivers may
    share what they know. Also not protected: that somebody is in a group; what all members of a group have
    in common, which without ``diversity`` may be sensitive, and about which ``intervals="by_category"`` says
    more; and several releases of the same table, unless each names the earlier ones in ``previous``.
    Intervals begin and end at true times of some member, and someone who knows the method learns a little
    from its choices. Without ``using(person=...)`` the guarantee counts sequences, so each person must have
    one. With it, a person with several in a group is the more likely owner of each, and someone who knows
    several in different groups knows who is in all of them.

    **Large tables**: the same release, written where the data are. The plan is made in one place, from 12
    bytes per row, 24 times, which is refused if it is more than ``memory_limit``. The key is a DataFrame.
    Marked (null) events are not released. Two rows of a sequence with the same event and time count twice in
    the loss. Sequences without a monitored event form a group, or are dropped with a warning if they may not.

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

    Only one of them is in Germany, so only the continent is released:

    >>> df["country"] = ["Spain", "Spain", "Spain", "Spain", "Germany", "Germany"]
    >>> continents = {"Europe": ["Germany", "Spain"], "Africa": ["Egypt"]}
    >>> df.seqpriv.generalize(sites, k=2, keep={"country": continents})["country"].unique().tolist()
    ['Europe']
    """
    choices(method=(method, Method), time=(time, TimeOf), intervals=(intervals, IntervalsOf))
    # First of all: whoever gives k by position has given a taxonomy.
    given = taxonomy if taxonomy is None or isinstance(taxonomy, Taxonomy) else Taxonomy(taxonomy)
    secret = secret_seed(seed)
    request = Request(
        *k_and_diversity(k, diversity),
        None if monitored is None else list_of_events("monitored", monitored),
        None if sensitive is None else read_sensitive(sensitive, diversity),
        method,
        read_weights(time_weight, event_weight),
        0 if seed is None else secret,
        yes_or_no("with_key", with_key),
        None if previous is None else read_previous(previous),
        time,
        intervals,
    )
    run = start(table, others=[] if keep is None else columns_to_keep(keep))
    kept = None if keep is None else read_kept(keep, run)
    names = list(keep or ())
    check_release_names(run.columns, names, with_key=request.with_key)
    merged = run.reduce(summarise, merge, copies=_COPIES)
    summary = since_start(merged) if request.time == "since_start" else merged
    plan = make_plan(summary, given, request, kept)
    whole, numbers = release(plan, summary, secret, [] if kept is None else kept.trees, request.time)
    released = run.emit(rows_as_frame, whole, cut_rows, whole.sizes)
    warn_of_losses([name for name in run.other_columns if name not in names], plan, request)
    parameters = request.disclosed(plan.method, plan.window, summary.time_unit) | summary.columns.noted
    record_step(released, "generalize", parameters, run.before)
    return (released, make_key(plan, numbers, summary)) if request.with_key else released
