"""Attackers who link what they know to the records that fit it best: whom they find, and what that tells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.audit.kernels.best_by_containment import longest_inside, shortest_around
from pdseqpriv.audit.kernels.candidates import DONE, STOP
from pdseqpriv.audit.kernels.common_subsequence import (
    CommonSoFar,
    in_common_with,
    matching_height,
    most_in_common,
    new_table,
)
from pdseqpriv.audit.kernels.fitting_labels import (
    ONE,
    CoveringLabels,
    Fit,
    Lists,
    fit_into,
    forget_lines,
    new_notes,
)
from pdseqpriv.audit.kernels.release_tree import ReleaseTree
from pdseqpriv.compiled import Array, compiled

# How an attacker tells which records fit best.
CONTAINMENT_OF_WHOLE, CONTAINMENT_OF_PART, COMMON_SUBSEQUENCE = range(3)
DROPPED = -1


class Cases(NamedTuple):
    """People who are attacked; those of whom the same is known are one group, one after the other."""

    person: Array  # whose lists are meant
    own: Array  # the node of the person's own record, or DROPPED
    groups: Array  # where each group begins, and at the end where the last one ends
    letters: Array  # per group: which labels can match what is known, 64 classes of labels in one word
    # Where people have several sequences, the nodes of all records of the person; otherwise empty.
    records: Array
    record_offsets: Array  # per case: from, to


class LinkageOutcome(NamedTuple):
    """What happened to each of them."""

    matches: Array  # how many records fit best
    hits: Array  # how many of these are the person's own
    learned: Array  # events of a pick that are true and were not known, on average
    mistaken: Array  # events of a pick that are not true, on average


@compiled
def link(
    tree: ReleaseTree,
    labels: CoveringLabels,
    known: Lists,
    people: Lists,
    cases: Cases,
    found: LinkageOutcome,
    attack: int,
    first: int,
    last: int,
    pulse: Array,
) -> None:
    """Attack the people of the groups from ``first`` to before ``last``; writes nothing of others."""
    notes = new_notes(labels)
    is_plain = labels.sizes.size == 0 or labels.sizes.max() == 1
    n_places = _most_places(people, cases.person[cases.groups[first] : cases.groups[last]])
    table = new_table(tree, n_places, is_plain)
    size = tree.element.size
    matches, at, height = (
        np.empty(size, np.int64),
        np.empty(table.total.size, np.int64),
        np.empty(size, np.int64),
    )
    before, after = np.empty(size, np.int64), np.empty(size, np.int64)
    for group in range(first, last):
        if pulse[STOP] != 0:
            return
        start, stop = cases.groups[group], cases.groups[group + 1]
        fit = fit_into(labels, known, cases.person[start], notes)
        if attack == COMMON_SUBSEQUENCE:
            if group == first or cases.letters[group] != cases.letters[group - 1]:
                matching_height(tree, _gains(labels, cases.letters[group]), height)
            at_least = _try_own(tree, fit, table, cases.own[start:stop])
            n = most_in_common(tree, fit, table, height, at_least, matches)
        else:
            n = _by_containment(tree, fit, at, matches, attack == CONTAINMENT_OF_WHOLE)
        in_common_with(tree, fit, table, matches[:n], before)
        forget_lines(fit)
        n_records = tree.ending[matches[:n]].sum()
        for case in range(start, stop):
            found.matches[case] = n_records
            found.hits[case] = _hits(cases, case, matches[:n])
            true = before
            if _is_part(known, people, cases.person[case]):
                whole = fit_into(labels, people, cases.person[case], notes)
                in_common_with(tree, whole, table, matches[:n], after)
                forget_lines(whole)
                true = after
            for i in range(n):
                share = tree.ending[matches[i]] / n_records
                found.learned[case] += share * (true[i] - before[i])
                found.mistaken[case] += share * (tree.length[matches[i]] - true[i])
        pulse[DONE] += 1


@compiled
def _by_containment(tree: ReleaseTree, fit: Fit, at: Array, matches: Array, knows_whole: bool) -> int:
    """Who knows the whole looks for what it contains first, who knows a part for what contains it."""
    if knows_whole:
        n = longest_inside(tree, fit, at, matches)
        return n or shortest_around(tree, fit, at, matches)
    n = shortest_around(tree, fit, at, matches)
    return n or longest_inside(tree, fit, at, matches)


@compiled
def _try_own(tree: ReleaseTree, fit: Fit, table: CommonSoFar, own: Array) -> tuple[int, int]:
    """Return what the own record of one of the people has in common, and its length: what to search above."""
    nodes, common = own[:1], np.zeros(1, np.int64)
    if nodes[0] == DROPPED:
        return -1, 0
    in_common_with(tree, fit, table, nodes, common)
    return common[0], tree.length[nodes[0]]


@compiled
def _gains(labels: CoveringLabels, letters: np.uint64) -> Array:
    """Count for each released element the labels that may match."""
    gains = np.zeros(labels.sizes.size, np.int64)
    for element in range(gains.size):
        for i in range(labels.element_offsets[element], labels.element_offsets[element + 1]):
            gains[element] += np.int64((letters >> np.uint64(labels.inside[i] & 63)) & ONE)
    return gains


@compiled
def _most_places(lists: Lists, which: Array) -> int:
    most = 0
    for i in which:
        most = max(most, lists.begins[lists.offsets[i] : lists.offsets[i + 1]].sum())
    return most


@compiled
def _is_part(known: Lists, people: Lists, which: int) -> bool:
    all_known = known.offsets[which + 1] - known.offsets[which]
    return bool(all_known < people.offsets[which + 1] - people.offsets[which])


@compiled
def _hits(cases: Cases, case: int, matches: Array) -> int:
    """Count the records of the person among those that fit best."""
    if len(cases.record_offsets) == 0:
        return int(cases.own[case] != DROPPED and _is_among(matches, cases.own[case]))
    hits = 0
    for i in range(cases.record_offsets[case, 0], cases.record_offsets[case, 1]):
        hits += _is_among(matches, cases.records[i])
    return hits


@compiled
def _is_among(nodes: Array, node: int) -> bool:
    """Search nodes in pre-order."""
    place = np.searchsorted(nodes, node)
    return bool(place < nodes.size and nodes[place] == node)
