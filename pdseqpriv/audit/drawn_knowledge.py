"""Draw what attackers may know, where trying all of it would take too long, and count candidates."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.kernels.candidates import NOBODY, Whose
from pdseqpriv.audit.kernels.drawn_knowledge import DRAWN, RAREST, WHOLE, Found, Sets, Table, try_sets
from pdseqpriv.audit.known_events import People
from pdseqpriv.audit.sets_of_rows import SetsOfRows, draw_rows, put_together, rarest_rows
from pdseqpriv.progress import Pulse, progress
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged, distinct, offsets_of, owners_of, places_of
from pdseqpriv.threads import on_all_cores

# Sets drawn for each person, fewer if very much is known; and sequences of a person that are tried whole.
SETS = 20
_ROWS = 5_000_000
# Rows that are looked at in all: that takes some seconds.
BUDGET = 2e9
PIECES = 8  # for all cores; each has its share of the budget


class Drawn(NamedTuple):
    """What was found of each person; of those who were not looked at, ``tried`` is 0."""

    worst: Ints
    chances: NDArray[np.float64]
    weights: NDArray[np.float64]
    tried: Ints
    may_be_unique: Flags


def attack_with_drawn_sets(
    people: People, known: int, k: int, wanted: Flags, *, owned: tuple[Ints, Ints], whose: Whose, seed: int
) -> Drawn:
    """Try some of what may be known of each wanted person, in random order, until the budget is used up.

    ``owned`` has the sequences of the original with events, and whose they are. Nothing is tried of people
    without events.
    """
    random = np.random.default_rng(seed)
    n = wanted.size
    has_events = np.bincount(owned[1], minlength=n) > 0
    order = random.permutation(np.flatnonzero(wanted & has_events))
    own = _own_sequences(order, *owned, n)
    found = _nothing(order.size)
    table = _table_of(people)
    sets = _sets_of(people, table, known, own, random)

    def work(piece: tuple[int, int], pulse: Pulse) -> Flags:
        budget, own_notes = BUDGET / PIECES, whose.for_one_thread()
        stopped = try_sets(table, sets, *piece, known, k, budget, own_notes, found, pulse)
        return np.arange(*piece) < stopped

    with progress(sets.kind.size, f"knowing {known}") as bar:
        tried = np.concatenate(on_all_cores(work, _pieces(sets.person, order.size), bar))
    is_done = np.bincount(sets.person[~tried], minlength=order.size) == 0
    at_their_places = [np.zeros(n, one.dtype) for one in found]
    at_their_places[0][:] = NOBODY
    for place, one in zip(at_their_places, found, strict=True):
        place[order[is_done]] = one[is_done]
    # With a release, or if not all that a person has was tried, there is no limit from above.
    several = np.bincount(owned[1], minlength=n) > SETS
    worst, chances, weights, n_tried, unique = at_their_places
    return Drawn(worst, chances, weights, n_tried, unique | several | people.has_release)


def _pieces(person: Ints, n: int) -> list[tuple[int, int]]:
    """Cut the sets into pieces with as many people each, always the same ones."""
    cuts = np.searchsorted(person, np.linspace(0, n, PIECES + 1).astype(np.int64)).tolist()
    return list(itertools.pairwise(cuts))


def _nothing(n: int) -> Found:
    return Found(np.full(n, NOBODY), np.zeros(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.bool_))


def _own_sequences(order: Ints, sequences: Ints, people: Ints, n: int) -> Ragged:
    """Return the sequences of each of these people, in this order."""
    by_person = np.argsort(people, kind="stable")
    return Ragged.of(sequences[by_person], np.bincount(people, minlength=n)).take(order)


def _table_of(people: People) -> Table:
    """Note where each event occurs."""
    size = max(1, people.counts.size)
    codes, holders = np.divmod(
        distinct(people.codes.astype(np.int64) * size + owners_of(people.offsets)), size
    )
    starts = offsets_of(np.bincount(codes, minlength=people.n_codes))
    is_release = people.is_release if people.has_release else people.is_release[:0]
    return Table(people.codes, people.elements, people.offsets, people.counts, is_release, holders, starts)


def _sets_of(people: People, table: Table, known: int, own: Ragged, random: np.random.Generator) -> Sets:
    """Choose what is known of each person: sets at random, those of rare events, and whole sequences."""
    sequences, offsets = own.values, own.offsets
    owner, n_people = owners_of(offsets), offsets.size - 1
    lengths = people.lengths[sequences]
    n_sets = max(1, min(SETS, _ROWS // max(1, known * n_people)))
    # Where only one thing can be known, it is tried once.
    times = np.where((np.diff(offsets) == 1) & (lengths[offsets[:-1]] <= known), 1, n_sets)
    drawn = draw_rows(people.offsets, own, known, times, random)
    some = np.flatnonzero(np.arange(owner.size) - offsets[owner] < SETS)
    support = np.diff(table.starts)[people.codes]
    rarest = rarest_rows(people.offsets, sequences[some], known, support)
    whole = places_of(people.offsets, sequences[some])
    parts = [
        SetsOfRows(np.repeat(np.arange(n_people), times), *drawn),
        SetsOfRows(owner[some], *rarest),
        SetsOfRows(owner[some], whole, lengths[some]),
    ]
    together, kind = put_together(parts, [DRAWN, RAREST, WHOLE])
    return Sets(together.rows, offsets_of(together.sizes), together.person, kind, sequences, offsets)
