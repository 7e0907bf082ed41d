"""Decide which sequences form a group, and which intervals are released for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import compress

import numpy as np

from pdseqpriv.errors import counted, infeasible
from pdseqpriv.generalization.grouping.best import Way, best_groups, ways_to_try
from pdseqpriv.generalization.grouping.cells import (
    NO_GROUP,
    are_groups,
    in_torn_cells,
    lists_by_cell,
)
from pdseqpriv.generalization.grouping.group import GroupingMethod
from pdseqpriv.generalization.grouping.search import (
    GroupSearch,
    Privacy,
    SensitiveRows,
    TaxonomyArrays,
    Weights,
    most_shared,
    number_of_people,
    occurrences_of,
    part_of,
    rules_of,
    search_of,
)
from pdseqpriv.generalization.intervals import GroupIntervals, extents_of, optimal_intervals
from pdseqpriv.generalization.kept_cells import cells_of_nodes, nodes_of_kept
from pdseqpriv.generalization.kernels.clusters import MonitoredSequences
from pdseqpriv.generalization.monitored_events import MonitoredEvents, find_monitored
from pdseqpriv.generalization.request import Request
from pdseqpriv.generalization.sorted_sequences import SortedSequences, number_people, sorted_by_content
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.kept_columns.reading import Kept
from pdseqpriv.progress import progress
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.earlier_releases import IN_NONE, cells_of
from pdseqpriv.sequences.ragged import Ints, offsets_of
from pdseqpriv.sequences.window import window_length
from pdseqpriv.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    sequences
        The sequences of the table, in the order of their content.
    events
        What is monitored, what is sensitive, and the taxonomy.
    group
        The group of each sequence; -1 if it is dropped.
    intervals
        What is released for the monitored rows of each group.
    method
        How groups were found.
    window
        The g of the diversity asked for, in the units of the table's times; None if there is none.
    shown
        What is shown of each sequence in kept columns, a row of nodes; the same in a whole group.
    """

    sequences: SortedSequences
    events: MonitoredEvents
    group: Ints
    intervals: GroupIntervals
    method: GroupingMethod
    window: float | None
    shown: Ints


def make_plan(
    summary: Summary, taxonomy: Taxonomy | None, request: Request, kept: Kept | None = None
) -> Plan:
    """Decide on groups and intervals, and on what is shown in kept columns."""
    events = find_monitored(summary.vocabulary, taxonomy, request)
    sequences = sorted_by_content(summary, events.is_monitored)
    privacy = _privacy_of(summary, request)
    chosen, others = _with_and_without_monitored(sequences)
    search = _search(sequences, events, (chosen, others), privacy, request)
    earlier = _cells(summary, request)[sequences.ids]
    shown = np.zeros((sequences.ids.size, 0), np.int64)
    if kept is not None:
        parts = [
            (chosen, partial(_are_groups, search, chosen)),
            (others, partial(_are_private, sequences, events, privacy)),
        ]
        shown = nodes_of_kept(kept, summary.ids[sequences.ids], earlier, parts, _least_size(privacy))
    cells = earlier if kept is None else cells_of_nodes(earlier, shown)
    group_of = np.full(sequences.ids.size, NO_GROUP, np.int64)
    is_one = request.previous is None and (cells[chosen] == cells[chosen[:1]]).all()
    ways = _ways(request, events, search, None if is_one else cells[chosen])
    passes = sum(_passes(search, method) for method, _ in ways)
    with progress(passes * chosen.size, "generalizing sequences") as bar:
        group_of[chosen], method = best_groups(search, ways, bar)
        together = lists_by_cell(cells, others)
        private = compress(together, _are_private(sequences, events, privacy, together))
        for number, members in enumerate(private, int(group_of.max(initial=NO_GROUP)) + 1):
            group_of[members] = number
        if request.previous is not None:
            _drop_torn_cells(group_of, earlier, sequences, privacy)
        _must_be_some(group_of, sequences, others, request)
        left = np.flatnonzero(group_of[chosen] != NO_GROUP)
        theirs = search.sequences if left.size == chosen.size else part_of(search, left).sequences
        intervals = optimal_intervals(
            theirs, search.model, group_of[chosen[left]], bar, by_category=search.by_category
        )
    rows = sequences.monitored & (group_of != NO_GROUP)[sequences.owners]
    extents = extents_of(intervals, sequences.moments[rows])
    return Plan(sequences, events, group_of, extents, method, privacy.window, shown)


def _cells(summary: Summary, request: Request) -> Ints:
    """Number the cells: who was not told apart in any earlier release. Without one, everybody is in one."""
    if request.previous is None:
        return np.full(len(summary.ids), IN_NONE)
    return cells_of(request.previous, summary.ids, summary.columns)


def _are_groups(search: GroupSearch, chosen: Ints, lists: list[Ints]) -> list[bool]:
    return are_groups(search, [np.searchsorted(chosen, members) for members in lists])


def _are_private(
    sequences: SortedSequences, events: MonitoredEvents, privacy: Privacy, lists: list[Ints]
) -> list[bool]:
    return [_is_private(sequences, events, members, privacy) for members in lists]


def _drop_torn_cells(group_of: Ints, cells: Ints, sequences: SortedSequences, privacy: Privacy) -> None:
    """Drop whole cells where too few would be dropped, and number the other groups without gaps."""
    people = np.arange(group_of.size) if sequences.people is None else sequences.people
    group_of[in_torn_cells(cells, people, group_of, _least_size(privacy))] = NO_GROUP
    kept = group_of != NO_GROUP
    group_of[kept] = np.unique(group_of[kept], return_inverse=True)[1]


def _must_be_some(group_of: Ints, sequences: SortedSequences, others: Ints, request: Request) -> None:
    if (group_of != NO_GROUP).any():
        return
    if request.previous is not None:
        raise infeasible(
            "nothing can be released in addition to the earlier releases: too few people were together in "
            "all of them, or too many of those share a sensitive event. Use a smaller k or l."
        )
    raise infeasible(
        "if no event is monitored, all sequences form one group, but there are too few of them "
        f"({_n_people(sequences, others)}), or too many of them share a sensitive event. "
        "Use a smaller k or l."
    )


def _must_be_enough(sequences: SortedSequences, enough: int, k: int) -> None:
    if enough >= k:
        return
    if sequences.people is None:
        noun, of = "sequences", f"{enough} of the {counted(sequences.ids.size, 'sequence')}"
    else:
        noun, of = "people", "1 person" if enough == 1 else f"{enough} people"
    have = "has" if enough == 1 else "have"
    raise infeasible(
        f"groups must have at least {k} {noun}, but only {of} {have} a monitored event. Use a smaller k or l."
    )


def _n_people(sequences: SortedSequences, chosen: Ints) -> int:
    return number_of_people(number_people(sequences, chosen), chosen.size)


def _search(
    sequences: SortedSequences,
    events: MonitoredEvents,
    parts: tuple[Ints, Ints],
    privacy: Privacy,
    request: Request,
) -> GroupSearch:
    """Return what grouping needs to know about the request and the sequences with a monitored event.

    ``parts`` are these sequences, and all others.
    """
    chosen = parts[0]
    monitored = _monitored_sequences(sequences, events, chosen)
    n_people = number_of_people(monitored.people, chosen.size)
    if events.is_monitored.any():
        least = request.k or 0
        if request.one_in is not None:
            least = max(least, min(math.ceil(request.one_in), _n_people(sequences, np.concatenate(parts))))
        _must_be_enough(sequences, n_people, least)
    sensitive = _sensitive_rows(sequences, events, chosen)
    # Copies: a taxonomy's own arrays are read-only, and compiled code would be compiled again for those.
    taxonomy = TaxonomyArrays(events.taxonomy.parents.copy(), events.taxonomy.shares.copy())
    return search_of(
        monitored,
        sensitive,
        taxonomy,
        _with_least_size(privacy, sensitive, n_people),
        _scaled(request.weights),
        request.seed,
        by_category=request.intervals == "by_category",
    )


def _scaled(weights: Weights) -> Weights:
    """Return the weights on a scale on which nothing overflows."""
    larger = max(weights)
    return Weights(weights.time / larger, weights.event / larger)


def _ways(request: Request, events: MonitoredEvents, search: GroupSearch, cells: Ints | None) -> list[Way]:
    if request.method != "auto":
        return [(request.method, cells)]
    only_time = request.weights.event == 0 or int(events.is_monitored.sum()) == 1
    return ways_to_try(search, cells, only_time=only_time)


def _with_and_without_monitored(sequences: SortedSequences) -> tuple[Ints, Ints]:
    """Return the sequences with a monitored event, and those that only have others."""
    n_rows = np.bincount(sequences.owners, minlength=sequences.ids.size)
    n_monitored = np.bincount(sequences.owners[sequences.monitored], minlength=sequences.ids.size)
    return np.flatnonzero(n_monitored), np.flatnonzero((n_monitored == 0) & (n_rows > 0))


def _passes(search: GroupSearch, method: GroupingMethod) -> int:
    """Estimate how many passes over all sequences it takes to find groups and then intervals."""
    halvings = math.log2(max(2, search.sequences.totals.size / max(1, search.rules.target)))
    passes = {"baseline": 2, "indexed": 2, "hybrid": 4, "hilbert": 3, "partition": 1 + math.ceil(halvings)}
    return passes[method] + 1


def _monitored_sequences(
    sequences: SortedSequences, events: MonitoredEvents, chosen: Ints
) -> MonitoredSequences:
    """Return what grouping needs to know about all sequences with a monitored event."""
    rows, clock, n = np.flatnonzero(sequences.monitored), sequences.clock, sequences.ids.size
    span, shift = np.frexp(np.float64(clock[-1] - clock[0]))
    since = clock[sequences.moments[rows]] - clock[0]
    return MonitoredSequences(
        # Scaled by a power of two, which is exact, so that no span is too short to divide by.
        np.ldexp(since.astype(np.float64), -shift),
        events.node[sequences.codes[rows]],
        offsets_of(np.bincount(sequences.owners[rows], minlength=n)[chosen]),
        np.bincount(sequences.owners, minlength=n)[chosen],
        float(span),
        number_people(sequences, chosen),
    )


def _privacy_of(summary: Summary, request: Request) -> Privacy:
    """Express what is asked for in the units of the table's times."""
    k = 1 if request.k is None else request.k
    if request.one_in is None:
        return Privacy(k)
    clock = Clock(summary.time_unit, summary.times.dtype)
    return Privacy(k, window_length("diversity", request.window, clock), request.one_in)


def _with_least_size(privacy: Privacy, sensitive: SensitiveRows, n_people: int) -> Privacy:
    """Also require groups of l: without a sensitive event, a single person would satisfy diversity."""
    if privacy.one_in is None:
        return privacy
    k = max(privacy.k, min(math.ceil(privacy.one_in), n_people))
    return privacy._replace(k=k) if sensitive.code.size else Privacy(k)


def _least_size(privacy: Privacy) -> int:
    """Return how many people a group must have at least."""
    return max(privacy.k, math.ceil(privacy.one_in or 1))


def _sensitive_rows(sequences: SortedSequences, events: MonitoredEvents, chosen: Ints) -> SensitiveRows:
    """Return the sensitive rows of some sequences."""
    codes = events.sensitive_code[sequences.codes]
    is_chosen = np.zeros(sequences.ids.size, bool)
    is_chosen[chosen] = True
    rows = np.flatnonzero((codes >= 0) & is_chosen[sequences.owners])
    lengths = np.bincount(sequences.owners[rows], minlength=is_chosen.size)[chosen]
    return SensitiveRows(codes[rows], sequences.clock[sequences.moments[rows]], offsets_of(lengths))


def _is_private(sequences: SortedSequences, events: MonitoredEvents, others: Ints, privacy: Privacy) -> bool:
    """Return whether sequences without monitored events can be one group."""
    people = number_people(sequences, others)
    size = number_of_people(people, others.size)
    if size < _least_size(privacy) or privacy.one_in is None:
        return size >= _least_size(privacy)
    occurrences = occurrences_of(_sensitive_rows(sequences, events, others), privacy)
    return most_shared(occurrences, people) <= int(rules_of(privacy, occurrences, size).allowed[size])
