"""Attackers who link what they know about a person to the record that fits best, however well it fits.

Two attackers are simulated. One uses *containment*: if he knows the whole sequence, he takes the longest
record that it contains, because operations delete events but keep as many as they can; if he knows a part, he
takes the shortest record that contains all of it, because the part makes up most of that record. If there is
no such record, he uses the other of these two rules. The second attacker takes the records with the longest
*common subsequence*, and of these the shortest, which has the fewest events that he cannot explain. Of
several rules for choosing between equals, these found the most people in releases of real tables (see the
notes of :func:`pdseqpriv.risk`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.belonging import belonging_of_records
from pdseqpriv.audit.kernels.fitting_labels import CoveringLabels, Lists
from pdseqpriv.audit.kernels.linkage import (
    COMMON_SUBSEQUENCE,
    CONTAINMENT_OF_PART,
    CONTAINMENT_OF_WHOLE,
    DROPPED,
    Cases,
    LinkageOutcome,
    link,
)
from pdseqpriv.audit.knowledge import Knowledge, draw_known
from pdseqpriv.audit.known_events import events_in_order
from pdseqpriv.audit.sample import draw_people, interval_of, mean_of
from pdseqpriv.audit.searched_release import SearchedRelease, searched_release
from pdseqpriv.progress import Pulse, progress
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged, owners_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy
from pdseqpriv.threads import on_all_cores

# Up to this many steps in the tree of records everybody is attacked; beyond that, people are drawn at random.
_CHEAP = 2_000_000_000
_DRAWN = 1_000
# Steps that one core takes at once, roughly.
_CHUNK = 30_000_000
# Places of a list that a step of average cost looks at: where elements are single labels, and where sets.
_PLACES, _PLACES_OF_SETS = 64, 16


class Targets(NamedTuple):
    """All sequences, what is known of each, where in the tree its own record is, and whose it is."""

    people: Lists
    known: Lists
    same_known: Ints  # a number that those have in common of whom the same is known
    own: Ints
    owners: Ints  # the person whose sequence it is; empty if each sequence is a person of its own
    records: Ragged  # per person: the nodes of all records of the person


class Chosen(NamedTuple):
    """The sequences that are attacked, how often their people were drawn, and whether that is everybody."""

    people: Ints
    weights: Ints
    is_everybody: bool


class Outcome(NamedTuple):
    """What happened to people, or to those of whom the same is known, and how many each of them is."""

    is_certain: Flags
    is_above: Flags  # found with a probability above 1/k
    worst: NDArray[np.float64]
    chance: NDArray[np.float64]
    learned: NDArray[np.float64]
    mistaken: NDArray[np.float64]
    weights: Ints


def link_people(
    original: Sequences,
    released: Sequences,
    own: Ints,
    knows: list[Knowledge],
    taxonomy: Taxonomy | None,
    *,
    k: int,
    sample: int | None,
    seed: int,
) -> pd.DataFrame:
    """Return two rows per kind of knowledge; ``own`` is which record each sequence of the original has.

    Where people have several sequences, attackers know one of them, and any record of the person is a hit.
    """
    records = searched_release(released, original.vocabulary, taxonomy)
    people = events_in_order(original)
    own_nodes = np.append(records.nodes, DROPPED)[own]  # the last place answers for DROPPED itself
    owners, whose = _records_of_people(original, released, own, records.nodes)
    rows = []
    for knowledge in knows:
        known = draw_known(people, knowledge, seed)
        targets = Targets(people, known, _numbered(known), own_nodes, owners, whose)
        chosen = _choose(targets, records, sample, seed)
        cases, case_of = _cases(targets, records.labels, chosen)
        is_exact = chosen.is_everybody and knowledge.is_whole
        for name, attack in _attacks(knowledge):
            found = _attacked(records, targets, cases, attack, f"{name}, knowing {knowledge.name}")
            about = {"knows": knowledge.name, "attack": name, "people": original.n_people}
            outcome = _outcome(found, targets, chosen, case_of, k)
            rows.append({**about, **_row(outcome, is_exact=is_exact)})
    return pd.DataFrame(rows)


def _records_of_people(
    original: Sequences, released: Sequences, own: Ints, nodes: Ints
) -> tuple[Ints, Ragged]:
    """Return the person of each sequence, and the nodes of each person's records, where people are named."""
    if original.people is None:
        return np.empty(0, np.int64), Ragged.of(np.empty(0, np.int64), [])
    belonging = belonging_of_records(original, released, own)
    by_person = np.argsort(belonging.people, kind="stable")
    sizes = np.bincount(belonging.people, minlength=belonging.n_people)
    return original.people, Ragged.of(nodes[belonging.sequences[by_person]], sizes)


def _attacks(knowledge: Knowledge) -> list[tuple[str, int]]:
    by_containment = CONTAINMENT_OF_WHOLE if knowledge.is_whole else CONTAINMENT_OF_PART
    return [("containment", by_containment), ("common subsequence", COMMON_SUBSEQUENCE)]


def _choose(targets: Targets, records: SearchedRelease, sample: int | None, seed: int) -> Chosen:
    """Decide whom to attack: everybody if that is quick, else one person from each stratum of lengths."""
    owners = targets.owners if targets.owners.size else np.arange(targets.own.size)
    _, first, person = np.unique(owners, return_index=True, return_inverse=True)
    n_people = first.size
    size = n_people if _work(targets, records) <= _CHEAP else _DRAWN
    size = size if sample is None else sample
    lengths = np.bincount(person, np.diff(targets.people.offsets), minlength=n_people).astype(np.int64)
    order = np.argsort(first)  # as their sequences come, whatever people are called
    times = np.empty(n_people, np.int64)
    times[order] = draw_people(lengths[order], np.ones(n_people, np.int64), size, seed)
    chosen = np.flatnonzero(times[person])
    return Chosen(chosen, times[person][chosen], size >= n_people)


def _work(targets: Targets, records: SearchedRelease) -> int:
    """Bound the steps in the tree: at each node some for everything that is known of somebody."""
    _, first = np.unique(targets.same_known, return_index=True)
    at_once = _PLACES if records.labels.sizes.max(initial=0) <= 1 else _PLACES_OF_SETS
    steps = 1 + np.diff(targets.known.offsets)[first] // at_once
    return int(steps.sum()) * records.tree.element.size


def _cases(targets: Targets, labels: CoveringLabels, chosen: Chosen) -> tuple[Cases, Ints]:
    """Put together people about whom the same is known; returns which case each chosen sequence is."""
    who = chosen.people
    same_known, same_person = targets.same_known[who], _numbered(targets.people)[who]
    own, letters = targets.own[who], _letters(targets.known, labels)[who]
    hit_by = targets.owners[who] if targets.owners.size else own
    order = np.lexsort((hit_by, same_person, same_known, letters))
    is_group = _changes(same_known[order])
    is_case = is_group | _changes(same_person[order]) | _changes(hit_by[order])
    first = np.flatnonzero(is_case)
    case_of = np.empty(who.size, np.int64)
    case_of[order] = np.cumsum(is_case) - 1
    groups = np.append(np.flatnonzero(is_group[is_case]), first.size)
    those = order[first]
    offsets = np.empty((0, 2), np.int64)
    if targets.owners.size:
        people = targets.owners[who[those]]
        offsets = np.column_stack((targets.records.offsets[people], targets.records.offsets[people + 1]))
    letters = letters[those[groups[:-1]]]
    return Cases(who[those], own[those], groups, letters, targets.records.values, offsets), case_of


def _numbered(lists: Lists) -> Ints:
    """Number lists so that equal ones have the same number."""
    ends, _ = end_nodes(2 * lists.codes + lists.begins, lists.offsets)
    return np.asarray(ends)


def _changes(values: Ints) -> NDArray[np.bool_]:
    return np.concatenate(([True], values[1:] != values[:-1]))[: values.size]


def _letters(known: Lists, labels: CoveringLabels) -> NDArray[np.uint64]:
    """Return for each list which labels can match it, 64 classes of labels in one word."""
    of_event = np.zeros(labels.event_offsets.size - 1, np.uint64)
    bits = np.uint64(1) << (labels.of_event & 63).astype(np.uint64)
    np.bitwise_or.at(of_event, owners_of(labels.event_offsets), bits)
    letters = np.zeros(known.offsets.size - 1, np.uint64)
    filled = np.flatnonzero(np.diff(known.offsets))
    if filled.size:
        letters[filled] = np.bitwise_or.reduceat(of_event[known.codes], known.offsets[filled])
    return letters


def _attacked(
    records: SearchedRelease, targets: Targets, cases: Cases, attack: int, doing: str
) -> LinkageOutcome:
    """Attack everybody, a few groups per call, which cores share."""
    n, n_groups = cases.person.size, cases.groups.size - 1
    found = LinkageOutcome(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    at_once = max(1, _CHUNK // records.tree.element.size)
    everything = (records.tree, records.labels, targets.known, targets.people, cases, found, attack)

    def attack_some(groups: tuple[int, int], pulse: Pulse) -> None:
        link(*everything, *groups, pulse)

    with progress(n_groups, doing) as bar:
        on_all_cores(attack_some, list(pairwise([*range(0, n_groups, at_once), n_groups])), bar)
    return found


def _outcome(found: LinkageOutcome, targets: Targets, chosen: Chosen, case_of: Ints, k: int) -> Outcome:
    """Say what happened to each case or, where people have several sequences, to each person.

    A person is as badly off as the sequence that gives most away; other numbers are averages over sequences.
    """
    matches = np.maximum(found.matches, 1)
    worst = found.hits / matches
    cases = Outcome(
        (found.hits > 0) & (found.hits == found.matches),
        found.hits * k > matches,
        worst,
        worst,
        found.learned,
        found.mistaken,
        np.bincount(case_of, chosen.weights, minlength=worst.size).astype(np.int64),
    )
    if not targets.owners.size:
        return cases
    people, person = np.unique(targets.owners[chosen.people], return_inverse=True)
    worst = np.zeros(people.size)
    np.maximum.at(worst, person, cases.worst[case_of])
    sequences = np.bincount(person)
    weights = np.zeros(people.size, np.int64)
    weights[person] = chosen.weights

    def average(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(person, values[case_of], minlength=people.size) / sequences)

    return Outcome(
        average(cases.is_certain) > 0,
        average(cases.is_above) > 0,
        worst,
        average(cases.chance),
        average(cases.learned),
        average(cases.mistaken),
        weights,
    )


def _row(outcome: Outcome, *, is_exact: bool) -> dict[str, object]:
    weights = outcome.weights
    total = int(weights.sum())
    is_exact = is_exact or not total
    mean = mean_of(outcome.chance, weights)
    low, high = (mean, mean) if is_exact else interval_of(mean, total)
    return {
        "attacked": total,
        "unique_share": mean_of(outcome.is_certain, weights),
        "below_k_share": mean_of(outcome.is_above, weights),
        "worst_probability": float(outcome.worst.max()) if total else float("nan"),
        "mean_probability": mean,
        "mean_low": low,
        "mean_high": high,
        "events_learned": mean_of(outcome.learned, weights),
        "events_mistaken": mean_of(outcome.mistaken, weights),
        "method": "exact" if is_exact else "sampled",
    }
