"""Draw what attackers may know, where trying all of it would take too long, and count candidates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.candidates import NOBODY, Whose
from pdseqpriv.audit.kernels.drawn_knowledge import (
    DRAWN,
    RAREST,
    WHOLE,
    CandidateSums,
    IndexedSequences,
    Patterns,
    Sets,
    count_holders,
    tally,
)
from pdseqpriv.audit.known_events import People
from pdseqpriv.audit.sets_of_rows import SetsOfRows, draw_rows, put_together, rarest_rows
from pdseqpriv.progress import Bar, Pulse, progress
from pdseqpriv.sequences.kernels.end_nodes import end_nodes
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged, distinct, offsets_of, owners_of, places_of
from pdseqpriv.threads import on_all_cores

# Sets drawn for each person, fewer if very much is known; and sequences of a person that are tried whole.
SETS = 20
_ROWS = 5_000_000
# Rows that are looked at in all, at most: that takes some seconds.
BUDGET = 2e9
PIECES = 8  # for all cores; each has its share of the budget


class Drawn(NamedTuple):
    """What was found of each person; of those who were not looked at, ``tried`` is 0."""

    worst: Ints
    chances: NDArray[np.float64]
    weights: NDArray[np.float64]
    tried: Ints
    may_be_unique: Flags


class Searched(Protocol):
    """Tables in which it is looked up who has what is known."""

    def rarity(self, people: People) -> tuple[Ints, Ints]:
        """Return for each thing of some people how many have it, and how much they have in all."""

    def holders(self, known: Patterns, bar: Bar) -> tuple[Ints, Flags]:
        """Count who has each pattern, in original and release; tell which were looked up."""


@dataclass(frozen=True, eq=False)
class InOnePlace:
    """Tables whose sequences are all here."""

    people: People
    whose: Whose

    def rarity(self, people: People) -> tuple[Ints, Ints]:
        """Count what can be known of the people, who are all."""
        holders, codes = self._held
        counts = self.people.counts[holders]
        sizes = counts * (1 + self.people.lengths[holders])
        support, cost = (np.bincount(codes, one, people.n_codes).astype(np.int64) for one in (counts, sizes))
        return support[people.codes], cost[people.codes]

    @cached_property
    def _held(self) -> tuple[Ints, Ints]:
        """Return pairs of a sequence and what it has, by what it has."""
        size = max(1, self.people.counts.size)
        pairs = self.people.codes.astype(np.int64) * size + owners_of(self.people.offsets)
        codes, holders = np.divmod(distinct(pairs), size)
        return holders, codes

    @cached_property
    def table(self) -> IndexedSequences:
        """The sequences, and where each event occurs."""
        people, (holders, codes) = self.people, self._held
        starts = offsets_of(np.bincount(codes, minlength=people.n_codes))
        is_release = people.is_release if people.has_release else people.is_release[:0]
        return IndexedSequences(
            people.codes, people.elements, people.offsets, people.counts, is_release, holders, starts
        )

    def holders(self, known: Patterns, bar: Bar) -> tuple[Ints, Flags]:
        """Look every pattern up by its rarest event."""
        found, done = np.zeros((known.offsets.size - 1, 2), np.int64), np.zeros(known.offsets.size - 1, bool)
        table = self.table

        def work(piece: tuple[int, int], pulse: Pulse) -> None:
            stopped = count_holders(table, known, *piece, self.whose.for_one_thread(), found, pulse)
            done[piece[0] : stopped] = True

        cuts = np.linspace(0, done.size, PIECES + 1).astype(np.int64).tolist()
        on_all_cores(work, list(itertools.pairwise(cuts)), bar)
        return found, done


def attack_with_drawn_sets(
    people: People,
    known: int,
    k: int,
    wanted: Flags,
    *,
    owned: tuple[Ints, Ints],
    searched: Searched,
    seed: int,
) -> Drawn:
    """Try some of what may be known of each wanted person, in random order, until the budget is used up.

    ``owned`` has the sequences of the original with events, and whose they are. Nothing is tried of people
    without events.
    """
    random = np.random.default_rng(seed)
    n = wanted.size
    has_events = np.bincount(owned[1], minlength=n) > 0
    order = random.permutation(in_order_of_content(people, np.flatnonzero(wanted & has_events)))
    own = _own_sequences(order, *owned, n)
    found = _nothing(order.size)
    support, cost = searched.rarity(people)
    sets, rows = _sets_of(people, support, known, own, random)
    chosen = np.flatnonzero(_within_budget(_pieces(sets.person, order.size), sets, cost[rows]))
    asked, number = _different(sets.known, chosen)
    holders, tried = np.zeros((sets.kind.size, 2), np.int64), np.zeros(sets.kind.size, np.bool_)
    with progress(asked.offsets.size - 1, f"knowing {known}") as bar:
        holders[chosen], tried[chosen] = (one[number] for one in searched.holders(asked, bar))
    tally(_content(people), sets, tried, holders, known, k, found)
    is_done = np.bincount(sets.person[~tried], minlength=order.size) == 0
    at_their_places = [np.zeros(n, one.dtype) for one in found]
    at_their_places[0][:] = NOBODY
    for place, one in zip(at_their_places, found, strict=True):
        place[order[is_done]] = one[is_done]
    # With a release, or if not all that a person has was tried, there is no limit from above.
    several = np.bincount(owned[1], minlength=n) > SETS
    worst, chances, weights, n_tried, unique = at_their_places
    return Drawn(worst, chances, weights, n_tried, unique | several | people.has_release)


def in_order_of_content(people: People, those: Ints) -> Ints:
    """Sort people by what their sequence holds, if it is one: that is the same however a table is divided."""
    return those if people.whose is not None else those[np.argsort(people.marks[those], kind="stable")]


def _content(people: People) -> IndexedSequences:
    """Return sequences to look at, in which nothing is looked up."""
    nothing = np.zeros(0, np.int64)
    is_release = np.ones(int(people.has_release), np.bool_)
    return IndexedSequences(
        people.codes, people.elements, people.offsets, people.counts, is_release, nothing, nothing
    )


def _within_budget(pieces: list[tuple[int, int]], sets: Sets, cost: Ints) -> Flags:
    """Leave out of each piece what would take too long; at least the first person's sets are tried."""
    is_tried = np.zeros(sets.kind.size, np.bool_)
    if not cost.size:
        return is_tried
    # A set is looked up by the thing that takes least.
    least = np.minimum.reduceat(cost, sets.known.offsets[:-1])
    for begin, end in pieces:
        is_tried[begin : begin + _affordable(least[begin:end], sets.person[begin:end])] = True
    return is_tried


def _different(known: Patterns, chosen: Ints) -> tuple[Patterns, Ints]:
    """Return each of the chosen patterns once, as people often know the same, and which one each is."""
    taken = _taken(known, chosen)
    begins = np.ones(taken.codes.size, np.bool_)
    begins[1:] = taken.elements[1:] != taken.elements[:-1]
    begins[taken.offsets[:-1]] = True
    ends, _ = end_nodes(2 * taken.codes + begins, taken.offsets)
    _, first, number = np.unique(ends, return_index=True, return_inverse=True)
    return _taken(taken, first), number


def _taken(known: Patterns, chosen: Ints) -> Patterns:
    rows, sizes = places_of(known.offsets, chosen), np.diff(known.offsets)[chosen]
    return Patterns(known.codes[rows], known.elements[rows], offsets_of(sizes))


def _affordable(cost: Ints, person: Ints) -> int:
    """Return how many sets are tried: all of those people of whom the first one is within the budget."""
    is_over = np.flatnonzero((np.cumsum(cost)[:-1] > BUDGET / PIECES) & (person[1:] != person[:-1]))
    return int(is_over[0]) + 1 if is_over.size else cost.size


def _pieces(person: Ints, n: int) -> list[tuple[int, int]]:
    """Cut the sets into pieces with as many people each, always the same ones."""
    cuts = np.searchsorted(person, np.linspace(0, n, PIECES + 1).astype(np.int64)).tolist()
    return list(itertools.pairwise(cuts))


def _nothing(n: int) -> CandidateSums:
    return CandidateSums(
        np.full(n, NOBODY), np.zeros(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    )


def _own_sequences(order: Ints, sequences: Ints, people: Ints, n: int) -> Ragged:
    """Return the sequences of each of these people, in this order."""
    by_person = np.argsort(people, kind="stable")
    return Ragged.of(sequences[by_person], np.bincount(people, minlength=n)).take(order)


def _sets_of(
    people: People, support: Ints, known: int, own: Ragged, random: np.random.Generator
) -> tuple[Sets, Ints]:
    """Choose what is known of each person: sets at random, those of rare events, and whole sequences.

    Returns them, and their rows.
    """
    sequences, offsets = own.values, own.offsets
    owner, n_people = owners_of(offsets), offsets.size - 1
    lengths = people.lengths[sequences]
    n_sets = max(1, min(SETS, _ROWS // max(1, known * n_people)))
    # Where only one thing can be known, it is tried once.
    times = np.where((np.diff(offsets) == 1) & (lengths[offsets[:-1]] <= known), 1, n_sets)
    drawn = draw_rows(people.offsets, own, known, times, random)
    some = np.flatnonzero(np.arange(owner.size) - offsets[owner] < SETS)
    rarest = rarest_rows(people.offsets, sequences[some], known, support)
    whole = places_of(people.offsets, sequences[some])
    parts = [
        SetsOfRows(owners_of(offsets_of(times)), *drawn),
        SetsOfRows(owner[some], *rarest),
        SetsOfRows(owner[some], whole, lengths[some]),
    ]
    together, kind = put_together(parts, [DRAWN, RAREST, WHOLE])
    rows = together.rows
    patterns = Patterns(people.codes[rows], people.elements[rows], offsets_of(together.sizes))
    return Sets(patterns, together.person, kind, sequences, offsets), rows
