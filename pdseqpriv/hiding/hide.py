"""Hide sensitive patterns until few enough sequences contain them (Abul et al. 2007)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from itertools import compress
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, start
from pdseqpriv.errors import listed, warn
from pdseqpriv.hiding.apply import Tally, apply, count_dropped, finish
from pdseqpriv.hiding.automata import compile_patterns
from pdseqpriv.hiding.plan import Plan, ask, make_plan, names_nobody
from pdseqpriv.hiding.summary import find_costs, find_supporters, merge_costs, merge_supporters
from pdseqpriv.parameters import choices, secret_seed
from pdseqpriv.patterns.reading import (
    PatternsLike,
    patterns_and_thresholds,
    warn_of_absent_events,
    without_repeats,
)
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.other_columns import warn_of_dropped_columns, warn_of_released_columns
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.span import SpanLike

Marking = Literal["optimal", "greedy", "random"]
Selection = Literal["per_pattern", "shared", "random"]
Output = Literal["mark", "drop", "replace"]

# Copies of what is known of sequences with a pattern that planning takes, about.
_COPIES = 3


@on_tables("sequences", anywhere=True)
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
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame:
    """Hide sensitive patterns so that each is in at most ``max_support`` sequences.

    Parameters
    ----------
    table : DataFrame, or ``df.seqpriv.using(...)``
        One event per row.
    patterns : list of patterns, or a single one as text or Pattern
        Each a text such as ``"a -> b -[2..6]-> (c d) within 1h"``, a list of events and of sets of events,
        or a :class:`pdseqpriv.Pattern`, which may be a regular expression over events. A flat list is a
        list of patterns: ``["a", "b"]`` is two patterns of one event each, ``[["a", "b"]]`` is one pattern
        of two events.
    max_support : int or list of int
        How many sequences may still contain a pattern: one number, or one per pattern. With
        ``using(person=...)``: how many people may still have sequences that contain it.
    min_gap, max_gap : int or time span, optional
        The fewest and the most elements between neighbours of a pattern; a time span (``"30min"``,
        ``pd.Timedelta``) is measured on the time column. A pattern's own constraints take precedence.
    max_window : int or time span, optional
        The most elements from the first to the last of a match, or the longest time between them.
    gap_unit : {"element", "time"}
        What plain numbers mean in these three parameters: elements, or differences on a numeric time column.
    marking : {"optimal", "greedy", "random"}
        Which events of a sequence are marked. ``"greedy"`` is the paper's rule: mark the event that is part
        of the most matches (the earliest, in case of a tie) and repeat until no match is left. ``"optimal"``
        uses the fewest marks possible for patterns without constraints, as long as the product of their
        lengths is at most 4096 and no element holds more than ten of their events; otherwise it starts from
        the greedy marks and removes those that are not needed. ``"random"`` marks any event that is part of
        a match.
    selection : {"per_pattern", "shared", "random"}
        Which sequences are left as they are if ``max_support`` is above 0. ``"shared"`` is the paper's
        rule: leave those with the most matches, and hide every pattern in all others. ``"per_pattern"``
        leaves, for every pattern, the sequences where that saves the most marks, and hides in each sequence
        only what must be hidden there. ``"random"`` leaves random sequences. If there are several
        thresholds, ``"shared"`` and ``"random"`` use the smallest. With ``using(person=...)`` it is people
        who are left, with all their sequences.
    output : {"mark", "drop", "replace"}
        What happens to marked rows. ``"mark"`` sets the event and every other column except ``seq_id`` and
        ``time`` to null; whole numbers become nullable. ``"drop"`` removes the rows. ``"replace"`` puts
        another event of the table in their place, if possible one that no pattern names; where a pattern
        would come back, the mark stays. As replaced rows must look like any others, ``"replace"`` releases
        no other columns and numbers the rows anew: both could belong to the event that was there.
    seed : int, optional
        Seed for all random choices. The same seed gives the same result; None takes fresh randomness from
        the system. Keep a seed as secret as a key: whoever knows it can work out which events were replaced
        or marked at random.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        The table with the same rows, order, index and columns; rows that are not marked are unchanged.
        An index label that equals the event of a marked row also becomes null. If rows are dropped, an index
        that only numbers the rows is renumbered. With ``"replace"``: id, event and time, with a new index.

    Warns
    -----
    PrivacyWarning
        When other columns are released as they are, or dropped with ``"replace"``; when patterns name events
        that are not in the table; when every row was dropped.

    Notes
    -----
    **Guarantee**: the support of every pattern, under its constraints, is at most ``max_support``. This also
    holds after dropping and replacing, which can bring elements together; the result is therefore checked
    again. The support is the number of sequences that contain the pattern; with ``using(person=...)``, the
    number of different people of whom at least one sequence does. :func:`pdseqpriv.verify.is_hidden` checks
    it with a different algorithm.

    **Not protected**: patterns that were not given, such as parts or variants of the given ones. Marks show
    that something was hidden, where and when, and someone who knows the data well may guess what; dropped
    rows do not show, but leave gaps in time. Replaced rows look like any others one by one, but may be rare
    between their neighbours: in real tables, a third to a half of as many guesses were right
    (docs/threats.md). Ids and times stay as they are, and with ``"mark"`` and ``"drop"`` so do other columns
    and whatever else index labels say: all of these can identify people. Sequences that may keep a pattern
    are published as they are. A pattern is looked for within a sequence, so one whose events are spread over
    several sequences of a person is not seen.

    **Large tables**: the same rows, changed where they are. With ``max_support=0``, marking that is not
    random and any output but ``"replace"``, the plan names nobody and is small; otherwise it holds the id of
    every sequence that contains a pattern.

    The method is that of Abul, Atzori, Bonchi and Giannotti, *Hiding sequences* (2007), extended by optimal
    marking, a threshold per pattern and regular expressions.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": 1, "event": list("aabccbae"), "time": range(8)})
    >>> df.seqpriv.hide(["a -> b -> c"])["event"].tolist()
    ['a', 'a', nan, 'c', 'c', 'b', 'a', 'e']
    """
    constraints = {"min_gap": min_gap, "max_gap": max_gap, "max_window": max_window, "gap_unit": gap_unit}
    wanted, thresholds = without_repeats(*patterns_and_thresholds(patterns, max_support, **constraints))
    choices(marking=(marking, Marking), selection=(selection, Selection), output=(output, Output))
    options = {"marking": marking, "selection": selection, "output": output}
    chance, compiled, run = secret_seed(seed), compile_patterns(wanted), start(table)

    everywhere = not run.is_here and names_nobody(thresholds, marking, output)
    finding = partial(find_supporters, patterns=compiled, with_ids=not everywhere)
    supporters = run.reduce(finding, merge_supporters, copies=_COPIES)
    costs, question = None, ask(supporters, thresholds, selection, marking)
    if question is not None:
        pricing = partial(find_costs, patterns=compiled, question=question)
        costs = run.reduce(pricing, merge_costs, copies=_COPIES)
    plan = make_plan(compiled, supporters, costs, thresholds, everywhere=everywhere, seed=chance, **options)
    hiding = partial(apply, plan=plan, has_labels=run.has_labels)
    finishing = partial(finish, output=output, event=run.columns.event)
    blanks = output == "replace" and plan.changes
    released, tally = run.map(hiding, finishing, blanks=blanks)
    if tally is None and plan.may_drop_all:  # rows are dropped later, but whether any is left is said now
        tally = run.reduce(partial(count_dropped, plan=plan), operator.add)

    _warn(plan, tally, list(map(str, wanted)))
    others = warn_of_dropped_columns if output == "replace" else warn_of_released_columns
    others(run.other_columns)
    most = int(thresholds[0]) if np.unique(thresholds).size == 1 else None
    constrained = not compiled.simple.all()
    parameters = {"max_support": most, "constrained": constrained, **options, **run.columns.noted}
    there = list(compress(compiled.events, supporters.known))
    return record_step(released, "hide", parameters, run.before, columns=run.columns, named=there)


def _warn(plan: Plan, tally: Tally | None, typed: list[str]) -> None:
    known = plan.supporters.known
    absent = [bool((named & ~known).any()) for named in plan.patterns.named]
    if all(absent):
        spelling = "Check their spelling: an event that is not there cannot be hidden."
        warn(f"every pattern names events that are not in the table ({listed(typed)}). {spelling}")
    else:
        warn_of_absent_events(typed, absent)
    if tally is not None and tally.dropped and tally.dropped == plan.supporters.rows:
        warn("every row was dropped; the release is empty.")
