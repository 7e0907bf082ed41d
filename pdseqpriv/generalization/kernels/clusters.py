"""Clusters of sequences that are joined step by step.

A cluster is known by its *slot*: its first member. Profiles of clusters, and the places at which their
members have sensitive events, stand side by side in rooms that are tidied when they are full.

A *place* is a sensitive event at a time; places are numbered by event, then time, and ``until[place]`` is the
last place of the same event in the window that begins at this one. Only windows that begin at an
occurrence are looked at: any other window holds no more than the one that begins at the first occurrence
inside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.generalization.kernels.loss import least_loss
from pdseqpriv.generalization.kernels.profiles import (
    COUNT,
    LATEST,
    NODE,
    TIME,
    LossModel,
    LossTable,
    Profiles,
    common_ancestor,
    join,
    new_loss_table,
    new_profiles,
)

# Rows of Clusters.slots: where the profile is, how many different people (0: it is part of another cluster),
# all rows of the members, where the places are, the slot of the cluster that it became part of, and the next
# member: the members of a cluster stand in a circle.
BEGIN, END, SIZE, TOTAL, PLACES_BEGIN, PLACES_END, JOINED, NEXT = range(8)
# Rows of Clusters.places: the place, and the person who was there.
PLACE, PERSON = range(2)


class MonitoredSequences(NamedTuple):
    """The sequences that have at least one monitored event, in an order that does not depend on row order.

    Sequence ``i`` has the monitored rows ``offsets[i]:offsets[i + 1]``.
    """

    when: (
        Array  # float64 per monitored row, time since the earliest row of the table; ascending in a sequence
    )
    node: Array  # int32 per monitored row, the event's place in the taxonomy
    offsets: Array  # int64
    totals: Array  # int64 per sequence, all its rows, monitored or not (|S| of the paper)
    span: float  # latest minus earliest time of the whole table; 0 when there is only one time
    people: Array  # int64 per sequence, the number of its person; empty: each is a person of its own


class SensitiveOccurrences(NamedTuple):
    """The places of sensitive rows; sequence ``i`` has ``place[offsets[i]:offsets[i + 1]]``, perhaps none."""

    place: Array  # int64 per sensitive row, ascending in a sequence
    offsets: Array  # int64
    until: Array  # int64 per place


class Clusters(NamedTuple):
    """All clusters, and room to work in."""

    profiles: Profiles
    places: Array  # int64, 2 x room
    slots: Array  # int64, 8 x sequences
    used: Array  # int64, how much of both rooms is taken
    union: Profiles  # room for one profile
    union_places: Array  # int64, 2 x room
    inside: Array  # int64 per sequence, and so for every person, all 0
    table: LossTable
    people: Array  # int64 per sequence, or empty: each is a person of its own


class GroupRules(NamedTuple):
    """What groups must satisfy."""

    k: int
    target: int  # the least size at which a group of people without common places satisfies all
    allowed: Array  # int64, how many people of a group of so many may share an event in a window
    until: Array  # int64 per place


@compiled
def new_clusters(
    model: LossModel, sequences: MonitoredSequences, occurrences: SensitiveOccurrences
) -> Clusters:
    """Make every sequence a cluster of its own; events are left out where they cost nothing."""
    when, node, offsets, totals, _, people = sequences
    place, place_offsets, _ = occurrences
    n, with_events = totals.size, model.per_event > 0
    profiles = new_profiles(2 * when.size)
    slots = np.zeros((8, n), np.int64)
    used, n_times = np.zeros(2, np.int64), 0
    for s in range(n):
        slots[BEGIN, s] = n_times
        for row in range(offsets[s], offsets[s + 1]):
            here = node[row] if with_events else 0
            if row == offsets[s] or when[row] != when[row - 1]:
                profiles.times[TIME, n_times] = when[row]
                profiles.times[LATEST, n_times] = when[row]
                profiles.rows[COUNT, n_times] = 0
                profiles.rows[NODE, n_times] = here
                n_times += 1
            top = common_ancestor(model.parent, profiles.rows[NODE, n_times - 1], here)
            profiles.rows[NODE, n_times - 1] = top
            profiles.rows[COUNT, n_times - 1] += 1
        slots[END, s] = n_times
        slots[SIZE, s], slots[TOTAL, s], slots[JOINED, s], slots[NEXT, s] = 1, totals[s], s, s
        slots[PLACES_BEGIN, s], slots[PLACES_END, s] = place_offsets[s], place_offsets[s + 1]
    places = np.empty((2, 2 * place.size), np.int64)
    for s in range(n):
        for row in range(place_offsets[s], place_offsets[s + 1]):
            places[PLACE, row] = place[row]
            places[PERSON, row] = people[s] if people.size else s
    used[0], used[1] = n_times, place.size
    inside = np.zeros(n, np.int64)
    union, union_places = new_profiles(n_times), np.empty((2, place.size), np.int64)
    table = new_loss_table(n_times)
    return Clusters(profiles, places, slots, used, union, union_places, inside, table, people)


@compiled
def _unite(model: LossModel, clusters: Clusters, i: int, j: int) -> int:
    """Write the profile of two clusters together into the room for a union; return its number of times."""
    slots, all_of = clusters.slots, clusters.profiles
    begin, end, other, other_end = slots[BEGIN, i], slots[END, i], slots[BEGIN, j], slots[END, j]
    return join(model, all_of, begin, end, all_of, other, other_end, clusters.union)


@compiled
def loss_of_union(model: LossModel, clusters: Clusters, i: int, j: int) -> float:
    """Return CP of two clusters together: the least loss per row."""
    loss = least_loss(model, clusters.union, 0, _unite(model, clusters, i, j), clusters.table)
    return float(loss / (clusters.slots[TOTAL, i] + clusters.slots[TOTAL, j]))


@compiled
def join_clusters(model: LossModel, clusters: Clusters, i: int, j: int) -> int:
    """Join two clusters under the lower of their slots, which is given."""
    slots, profiles, union = clusters.slots, clusters.profiles, clusters.union
    keep, gone = min(i, j), max(i, j)
    n, n_places = _unite(model, clusters, i, j), _join_places(clusters, i, j)
    slots[SIZE, keep] = people_together(clusters, i, j)
    slots[NEXT, i], slots[NEXT, j] = slots[NEXT, j], slots[NEXT, i]
    slots[TOTAL, keep] += slots[TOTAL, gone]
    slots[SIZE, gone] = 0
    slots[JOINED, gone] = keep
    slots[END, keep], slots[PLACES_END, keep] = slots[BEGIN, keep], slots[PLACES_BEGIN, keep]
    used, room = clusters.used, clusters.places.shape[1]
    if used[0] + n > profiles.times.shape[1] or used[1] + n_places > room:
        _tidy(clusters)
    begin, begin_places = used[0], used[1]
    profiles.times[:, begin : begin + n] = union.times[:, :n]
    profiles.rows[:, begin : begin + n] = union.rows[:, :n]
    slots[BEGIN, keep], slots[END, keep] = begin, begin + n
    clusters.places[:, begin_places : begin_places + n_places] = clusters.union_places[:, :n_places]
    slots[PLACES_BEGIN, keep], slots[PLACES_END, keep] = begin_places, begin_places + n_places
    used[0], used[1] = begin + n, begin_places + n_places
    return keep


@compiled
def _tidy(clusters: Clusters) -> None:
    """Move what is still needed to the beginning of both rooms."""
    slots, profiles, places = clusters.slots, clusters.profiles, clusters.places
    alive, used = np.flatnonzero(slots[SIZE]), 0
    for s in alive[np.argsort(slots[BEGIN, alive])]:
        begin, n = slots[BEGIN, s], slots[END, s] - slots[BEGIN, s]
        profiles.times[:, used : used + n] = profiles.times[:, begin : begin + n].copy()
        profiles.rows[:, used : used + n] = profiles.rows[:, begin : begin + n].copy()
        slots[BEGIN, s], slots[END, s] = used, used + n
        used += n
    clusters.used[0], used = used, 0
    for s in alive[np.argsort(slots[PLACES_BEGIN, alive])]:
        begin, n = slots[PLACES_BEGIN, s], slots[PLACES_END, s] - slots[PLACES_BEGIN, s]
        places[:, used : used + n] = places[:, begin : begin + n].copy()
        slots[PLACES_BEGIN, s], slots[PLACES_END, s] = used, used + n
        used += n
    clusters.used[1] = used


@compiled
def _join_places(clusters: Clusters, i: int, j: int) -> int:
    """Write the places of two clusters, in order, into the room for a union; return how many."""
    slots, places, out = clusters.slots, clusters.places, clusters.union_places
    a, a_end = slots[PLACES_BEGIN, i], slots[PLACES_END, i]
    b, b_end = slots[PLACES_BEGIN, j], slots[PLACES_END, j]
    n = 0
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and places[PLACE, a] <= places[PLACE, b]):
            out[PLACE, n], out[PERSON, n] = places[PLACE, a], places[PERSON, a]
            a += 1
        else:
            out[PLACE, n], out[PERSON, n] = places[PLACE, b], places[PERSON, b]
            b += 1
        n += 1
    return n


@compiled
def most_in_a_window(places: Array, begin: int, end: int, until: Array, inside: Array) -> int:
    """Return the most people who share an event in one window; ``inside`` is all 0 before and after."""
    most, people, after = 0, 0, begin
    for first in range(begin, end):
        while after < end and places[PLACE, after] <= until[places[PLACE, first]]:
            if inside[places[PERSON, after]] == 0:
                people += 1
            inside[places[PERSON, after]] += 1
            after += 1
        most = max(most, people)
        inside[places[PERSON, first]] -= 1
        if inside[places[PERSON, first]] == 0:
            people -= 1
    return most


@compiled
def people_together(clusters: Clusters, i: int, j: int) -> int:
    """Return how many different people two clusters have."""
    if clusters.people.size == 0:
        return int(clusters.slots[SIZE, i] + clusters.slots[SIZE, j])
    together = _mark_members(clusters, i, 1) + _mark_members(clusters, j, 1)
    _mark_members(clusters, i, 0)
    _mark_members(clusters, j, 0)
    return together


@compiled
def _mark_members(clusters: Clusters, slot: int, mark: int) -> int:
    """Mark the people of a cluster; return how many did not have this mark."""
    people, inside, n, member = clusters.people, clusters.inside, 0, slot
    while True:
        n += inside[people[member]] != mark
        inside[people[member]] = mark
        member = clusters.slots[NEXT, member]
        if member == slot:
            return int(n)


@compiled
def count_people_of(clusters: Clusters, sequences: Array) -> int:
    """Return how many different people some sequences have."""
    people, inside, n = clusters.people, clusters.inside, 0
    if people.size == 0:
        return int(sequences.size)
    for s in sequences:
        n += inside[people[s]] == 0
        inside[people[s]] = 1
    for s in sequences:
        inside[people[s]] = 0
    return int(n)


@compiled
def may_join(rules: GroupRules, clusters: Clusters, i: int, j: int) -> bool:
    """Return whether a union can satisfy the rules once it is large enough (definition 4.1 made general)."""
    n = _join_places(clusters, i, j)
    most = most_in_a_window(clusters.union_places, 0, n, rules.until, clusters.inside)
    # The larger a group, the more may share: the people are counted only if there must be more than enough.
    return bool(most <= rules.allowed[rules.target] or most <= rules.allowed[people_together(clusters, i, j)])


@compiled
def satisfies(rules: GroupRules, clusters: Clusters, slot: int) -> bool:
    """Return whether a cluster is a group that may be released."""
    size = clusters.slots[SIZE, slot]
    if size < rules.k:
        return False
    begin, end = clusters.slots[PLACES_BEGIN, slot], clusters.slots[PLACES_END, slot]
    most = most_in_a_window(clusters.places, begin, end, rules.until, clusters.inside)
    return bool(most <= rules.allowed[size])


@compiled
def labels(clusters: Clusters) -> Array:
    """Return the slot of the cluster that each sequence is in."""
    found = np.empty(clusters.slots.shape[1], np.int64)
    for s in range(found.size):
        joined = clusters.slots[JOINED, s]
        found[s] = s if joined == s else found[joined]
    return found
