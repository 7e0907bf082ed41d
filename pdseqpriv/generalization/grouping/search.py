"""What a search for groups works on: the sequences, what groups must satisfy, and what counts as loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.clusters import (
    GroupRules,
    MonitoredSequences,
    SensitiveOccurrences,
    most_in_a_window,
)
from pdseqpriv.generalization.kernels.profiles import LossModel
from pdseqpriv.generalization.kernels.windows import last_within
from pdseqpriv.generalization.sorted_sequences import numbered_without_gaps
from pdseqpriv.sequences.clock import rounded_times
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of, places_of
from pdseqpriv.sequences.times import Times

Floats = NDArray[np.float64]


class SensitiveRows(NamedTuple):
    """Sensitive rows, sequence by sequence: ``i`` has ``offsets[i]:offsets[i + 1]``, perhaps none."""

    code: NDArray[np.int32]  # its event, per row
    time: Times  # exact, in the units of the table; ascending in a sequence
    offsets: Ints


class TaxonomyArrays(NamedTuple):
    """A taxonomy for compiled code: parents have lower numbers than children, the root is node 0."""

    parents: NDArray[np.int32]  # the root is its own
    shares: Floats  # of all events, those under the node (|c| / |E|); 0 for an event


class Privacy(NamedTuple):
    """What every group must satisfy.

    At least ``k`` different people; and, if diversity is asked for, for every sensitive event and every
    closed window [t, t + g]: (people of the group with that event in the window) * l <= people of the group.
    Unless the caller says whose the sequences are, each is a person of its own.
    """

    k: int = 1
    window: float | None = None  # g, in the units of sensitive_time; None: no diversity asked for
    one_in: Fraction | None = None  # l, as an exact fraction


class Weights(NamedTuple):
    """How much each kind of loss counts."""

    time: float = 1.0
    event: float = 1.0


@dataclass(frozen=True)
class GroupSearch:
    """Everything that the grouping methods share, in the form for compiled code."""

    sequences: MonitoredSequences
    privacy: Privacy
    weights: Weights
    model: LossModel
    occurrences: SensitiveOccurrences
    rules: GroupRules
    random: np.random.Generator
    by_category: bool = False  # whether events of a group may be separated by category

    @property
    def n_people(self) -> int:
        """How many different people the sequences have."""
        return number_of_people(self.sequences.people, self.sequences.totals.size)

    @property
    def counts(self) -> str:
        """What groups must have enough of."""
        return "people" if self.sequences.people.size else "sequences"


def number_of_people(people: Ints, n: int) -> int:
    """Return how many different people n sequences have; people are numbered without gaps."""
    return int(people.max()) + 1 if people.size else n


def search_of(  # noqa: PLR0917 (an inner seam)
    sequences: MonitoredSequences,
    sensitive: SensitiveRows,
    taxonomy: TaxonomyArrays,
    privacy: Privacy,
    weights: Weights,
    seed: int,
    *,
    by_category: bool,
) -> GroupSearch:
    """Bring the request into the form for compiled code."""
    occurrences = occurrences_of(sensitive, privacy)
    n_people = number_of_people(sequences.people, sequences.totals.size)
    rules = rules_of(privacy, occurrences, n_people)
    model = _loss_model(taxonomy, weights, sequences.span)
    random = np.random.default_rng(seed)
    return GroupSearch(sequences, privacy, weights, model, occurrences, rules, random, by_category)


def part_of(search: GroupSearch, members: Ints) -> GroupSearch:
    """Return the same search among some of the sequences."""
    all_of, occurrences = search.sequences, search.occurrences
    rows = places_of(all_of.offsets, members)
    people = numbered_without_gaps(all_of.people[members]) if all_of.people.size else all_of.people
    sequences = MonitoredSequences(
        all_of.when[rows],
        all_of.node[rows],
        offsets_of(np.diff(all_of.offsets)[members]),
        all_of.totals[members],
        all_of.span,
        people,
    )
    theirs = SensitiveOccurrences(
        occurrences.place[places_of(occurrences.offsets, members)],
        offsets_of(np.diff(occurrences.offsets)[members]),
        occurrences.until,
    )
    rules = rules_of(search.privacy, theirs, number_of_people(people, members.size))
    return replace(search, sequences=sequences, occurrences=theirs, rules=rules)


def _loss_model(taxonomy: TaxonomyArrays, weights: Weights, span: float) -> LossModel:
    """Return equations 1 and 2 with their divisions done once.

    If there is only one time, no interval has a length; if both weights are 0, nothing is lost.
    """
    both = weights.time + weights.event
    per_time = weights.time / both / span if both > 0 and span > 0 else 0.0
    per_event = weights.event / both if both > 0 else 0.0
    return LossModel(taxonomy.parents, taxonomy.shares, float(per_time), float(per_event))


def occurrences_of(sensitive: SensitiveRows, privacy: Privacy) -> SensitiveOccurrences:
    """Number the places of the sensitive rows; there are none if no diversity is asked for."""
    if privacy.window is None or privacy.one_in is None:
        nothing = np.zeros(0, np.int64)
        return SensitiveOccurrences(nothing, np.zeros(sensitive.offsets.size, np.int64), nothing)
    times, when = np.unique(sensitive.time, return_inverse=True)
    n_times = max(1, times.size)
    keys, place = np.unique(sensitive.code.astype(np.int64) * n_times + when, return_inverse=True)
    within = keys // n_times * n_times + _last_within(times, privacy.window)[keys % n_times]
    place = place[np.lexsort((place, owners_of(sensitive.offsets)))].astype(np.int64)
    return SensitiveOccurrences(place, sensitive.offsets, np.searchsorted(keys, within, side="right") - 1)


def _last_within(times: NDArray[Any], length: float) -> Ints:
    """Return the last time in the window that begins at each; decimals count as they are written."""
    both: Any
    limit: Any
    if times.dtype.kind == "f":
        rounded = float(length)
        longest = rounded if rounded >= length else math.nextafter(rounded, math.inf)
        both, limit = rounded_times(times), rounded_times(np.array([longest]))[1][0]
    else:
        # Times relative to the first one fit into unsigned numbers, whatever the times are.
        since = times.view(np.uint64) - times[:1].view(np.uint64)
        both, limit = (since, since), np.uint64(2**64 - 1 if length >= 2**64 else math.floor(length))
    last: Ints = last_within(both[0], both[1], limit)
    return last


def rules_of(privacy: Privacy, occurrences: SensitiveOccurrences, n: int) -> GroupRules:
    """Return the privacy asked for as whole numbers, for groups of up to n people.

    Of a group of s, floor(s / l) may share an event in a window. The target is the least size at which groups
    of people who share nothing satisfy both requirements, or else the number of people.
    """
    sizes = np.arange(n + 1)
    if privacy.window is None or privacy.one_in is None:
        return GroupRules(privacy.k, min(privacy.k, n), sizes, occurrences.until)
    l = privacy.one_in  # noqa: E741 (as in the paper)
    # Python's own numbers: the parts of a fraction may be large.
    allowed = np.minimum(sizes.astype(object) * l.denominator // l.numerator, sizes).astype(np.int64)
    return GroupRules(privacy.k, min(max(privacy.k, math.ceil(l)), n), allowed, occurrences.until)


def most_shared(occurrences: SensitiveOccurrences, people: Ints) -> int:
    """Return the largest number of people in the table who share a sensitive event in one window."""
    place, offsets = occurrences.place, occurrences.offsets
    if not place.size:
        return 0
    order = np.argsort(place, kind="stable")
    owner = owners_of(offsets)[order]
    rows = np.stack([place[order], people[owner] if people.size else owner])
    inside = np.zeros(offsets.size - 1, np.int64)
    return int(most_in_a_window(rows, 0, order.size, occurrences.until, inside))
