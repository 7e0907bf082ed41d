"""Which sequences hide together, and behind which intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.errors import infeasible
from pdseqpriv.generalization.content import Content, content_of
from pdseqpriv.generalization.grouping.group import Method, group
from pdseqpriv.generalization.grouping.sensitive import most_shared, places_of, rules_of
from pdseqpriv.generalization.intervals import Intervals, optimal_intervals
from pdseqpriv.generalization.people import Ints, People, Privacy, Tree
from pdseqpriv.generalization.request import Request
from pdseqpriv.generalization.roles import Roles
from pdseqpriv.generalization.summary import Summary
from pdseqpriv.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class Plan:
    """What to release.

    Attributes
    ----------
    content
        The sequences of the table.
    group
        Of each sequence; -1 when it is dropped.
    interval_group, interval_node, interval_first, interval_last
        Of each interval: its group, its place in the taxonomy, its first and last time in ``content.clock``.
        A group without monitored events has none.
    method
        How groups were found.
    """

    content: Content
    group: Ints
    interval_group: Ints
    interval_node: NDArray[np.int32]
    interval_first: Ints
    interval_last: Ints
    method: Method


def make_plan(summary: Summary, taxonomy: Taxonomy, roles: Roles, request: Request) -> Plan:
    """Decide on groups and intervals."""
    content = content_of(summary, roles.is_monitored)
    privacy = request.privacy(summary.clock)
    counts = np.bincount(content.owners[content.monitored], minlength=content.n_sequences)
    chosen = np.flatnonzero(counts)
    if roles.is_monitored.any() and chosen.size < (request.k or 0):
        raise infeasible(
            f"k asks for groups of at least {request.k} sequences, but only {chosen.size} of the "
            f"{content.n_sequences} sequences have a monitored event. Ask for a smaller k."
        )
    people, tree, weights = people_of(content, roles, chosen), tree_of(taxonomy), request.weights
    method = _method(request, roles)
    groups = group(people, tree, _with_least_size(privacy, people), weights, method, request.seed)
    intervals = optimal_intervals(people, tree, weights, groups)
    first, last = _extents(intervals, content.moments[content.monitored])
    group_of = np.full(content.n_sequences, -1, np.int64)
    group_of[chosen] = groups
    others = np.flatnonzero((counts == 0) & (np.diff(content.offsets) > 0))
    if others.size and _is_private(people_of(content, roles, others), privacy):
        group_of[others] = groups.max(initial=-1) + 1
    if (group_of < 0).all():
        raise infeasible(
            f"where no event is monitored all {others.size} sequences are one group, but that is "
            "smaller than k, or a sensitive event is too certain in it. Ask for less."
        )
    return Plan(content, group_of, intervals.interval_group, intervals.interval_node, first, last, method)


def people_of(content: Content, roles: Roles, chosen: Ints) -> People:
    """Give what grouping needs to know of these sequences."""
    is_chosen = np.zeros(content.n_sequences, bool)
    is_chosen[chosen] = True
    rows = np.flatnonzero(is_chosen[content.owners])
    owners = (np.cumsum(is_chosen) - 1)[content.owners[rows]]
    monitored = content.monitored[rows]
    sensitive = roles.sensitive_code[content.codes[rows]] >= 0
    times = content.times
    shown, hidden = rows[monitored], rows[sensitive]
    span, shift = np.frexp(np.float64(content.clock[-1] - content.clock[0]))
    return People(
        # Scaled by a power of two, which is exact, so that no span is too short to divide by.
        np.ldexp((times[shown] - content.clock[0]).astype(np.float64), -shift),
        roles.node[content.codes[shown]],
        _offsets(owners[monitored], chosen.size),
        np.bincount(owners, minlength=chosen.size).astype(np.int64),
        roles.sensitive_code[content.codes[hidden]],
        times[hidden],
        _offsets(owners[sensitive], chosen.size),
        float(span),
    )


def tree_of(taxonomy: Taxonomy) -> Tree:
    """Give the taxonomy as arrays of its own."""
    return Tree(taxonomy.parents.copy(), taxonomy.depths.copy(), taxonomy.shares.copy())


def _with_least_size(privacy: Privacy, people: People) -> Privacy:
    """Ask for groups of l, too: without a sensitive event diversity would be content with one person."""
    if privacy.certainty is None:
        return privacy
    k = max(privacy.k, min(math.ceil(privacy.certainty), people.totals.size))
    return replace(privacy, k=k) if people.sensitive_code.size else Privacy(k)


def _method(request: Request, roles: Roles) -> Method:
    if request.method != "auto":
        return request.method
    only_time = request.event_weight == 0 or int(roles.is_monitored.sum()) == 1
    return "hybrid" if only_time else "partition"


def _extents(intervals: Intervals, moments: Ints) -> tuple[Ints, Ints]:
    """Give where each interval begins and ends: at the first and the last of its rows."""
    n = intervals.interval_group.size
    first, last = np.full(n, np.iinfo(np.int64).max), np.zeros(n, np.int64)
    np.minimum.at(first, intervals.interval_of_row, moments)
    np.maximum.at(last, intervals.interval_of_row, moments)
    return first, last


def _is_private(people: People, privacy: Privacy) -> bool:
    """Tell whether sequences without monitored events can be one group."""
    size = people.totals.size
    if size < max(privacy.k, math.ceil(privacy.certainty or 1)):
        return False
    places = places_of(people, privacy)
    return most_shared(places) <= int(rules_of(privacy, places, size).allowed[size])


def _offsets(owners: Ints, n: int) -> Ints:
    return np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=n)))).astype(np.int64)
