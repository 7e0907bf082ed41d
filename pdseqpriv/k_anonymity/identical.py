"""Classes of at least k people who are released as equal sequences: one that each of them contains.

What k people have in common as a whole is released as it is. All others begin in one class with an empty
pattern, which is refined and divided as long as k people are left in every class. Then everybody who
contains the pattern of another class that says more goes there, unless too few would stay behind, and the
classes that changed are refined again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from pdseqpriv.k_anonymity.kernels.best_patterns import (
    NO_PATTERN,
    PatternTree,
    best_patterns,
    make_pattern_tree,
    move,
    move_people,
)
from pdseqpriv.k_anonymity.kernels.element_matching import Book, make_book
from pdseqpriv.k_anonymity.kernels.growing_classes import Classes, grow_classes
from pdseqpriv.k_anonymity.rare_events import different_people_of, without_rare_events
from pdseqpriv.progress import DONE, Bar, Pulse, progress
from pdseqpriv.sequences.kernels.lexicographic import distinct_sequences
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged, offsets_of
from pdseqpriv.sequences.variants import Variants
from pdseqpriv.taxonomy.labels import Labels
from pdseqpriv.threads import on_all_cores

# How often people may go to better classes: after three times hardly anything changes.
ROUNDS = 5
# What a label is worth, as a whole number: sums are exact.
WORTH = 1_000_000
# Rows per compiled call, roughly: between calls an interrupt is heard and the bar moves.
ROWS = 200_000
NO_CELL = -1


class Release(NamedTuple):
    """The distinct patterns of all classes, in lexicographic order, and the class of each sequence."""

    symbols: Ints
    offsets: Ints
    people: Ints  # of each class, who count once for each of their sequences
    shared: Ints
    own: Ints
    is_new: Flags  # patterns that nobody was offered yet


def make_equal(variants: Variants, k: int, labels: Labels) -> tuple[Variants, Ints]:
    """Return the sequences to release, each to at least k people, and which of them replaces each variant.

    The empty one replaces those who share nothing; how many they are does not matter. Events are labels.
    """
    merged, place, _ = without_rare_events(variants, labels, k)
    worth = np.rint(WORTH * labels.kept).astype(np.int64)
    people = different_people_of(merged.people)
    book = make_book(*merged[:3], people, labels.above, labels.end, worth, variants.n_cells)
    with progress(None, "finding people who can be made equal") as bar:
        release = _first_classes(book, merged.lists, k, bar)
        for _ in range(ROUNDS):
            has_changed = _move_to_better(book, release, k, bar, merged.people)
            if not has_changed.any():
                break
            release = _regrown(book, release, has_changed, k, bar)
    counts = np.bincount(release.own, merged.counts, minlength=release.people.size).astype(np.int64)
    patterns = (release.symbols, release.offsets, counts, release.shared)
    return Variants(*patterns, variants.vocabulary, variants.event_dtype), release.own[place]


def _first_classes(book: Book, sequences: Ragged, k: int, bar: Bar) -> Release:
    """Begin with a class for each sequence that k people have, and with one for all others, or per cell."""
    cell_of = _cells_of(book, sequences)
    # Those whose cell is too small are in none, and then nothing of them is released, however many are equal.
    is_in_none = (cell_of == NO_CELL) & (book.n_cells > 0)
    is_whole = (book.counts >= k) & ~is_in_none
    whole, others = np.flatnonzero(is_whole), np.flatnonzero(~is_whole)
    as_they_are = sequences.take(whole)
    cells, sizes = np.array([NO_CELL]), np.array([others.size])
    if book.n_cells:
        others = others[np.argsort(cell_of[others], kind="stable")]
        cells, sizes = np.unique(cell_of[others], return_counts=True)
    begins = Ragged.of(2 * cells[cells != NO_CELL] + 1, cells != NO_CELL)
    patterns = Ragged.concat([as_they_are, begins])
    starts = np.append(np.arange(whole.size), whole.size + offsets_of(sizes))
    is_done = np.append(np.ones(whole.size, np.bool_), (cells == NO_CELL) & (book.n_cells > 0))
    classes = Classes(np.append(whole, others), starts, patterns.values, patterns.offsets, is_done)
    return _release(book, _grown(book, classes, k, bar), as_they_are.take(whole[:0]))


def _cells_of(book: Book, sequences: Ragged) -> Ints:
    """Return the cell that each sequence begins with."""
    cells = np.full(len(sequences), NO_CELL)
    there = np.flatnonzero(sequences.lengths)
    first = sequences.values[sequences.offsets[there]] >> 1
    cells[there] = np.where(first < book.n_cells, first, NO_CELL)
    return cells


def _move_to_better(book: Book, release: Release, k: int, bar: Bar, people: Ragged | None) -> Flags:
    """Move people to the new class that tells most about them, most to gain first; return which changed.

    Changes the classes of the sequences in place.
    """
    says = _worth_of_patterns(book, release)
    new = np.flatnonzero(release.is_new)
    patterns = Ragged(release.symbols, release.offsets).take(new)
    shared = distinct_sequences(patterns.values, patterns.offsets, release.people[new])[3]
    tree = make_pattern_tree(patterns.values, patterns.offsets, shared, book.worth)
    found = _best_targets(book, tree, says[release.own], bar)
    target = np.where(found == NO_PATTERN, NO_PATTERN, np.append(new, NO_PATTERN)[found])
    going = np.flatnonzero(target != NO_PATTERN)
    gain = says[target[going]] - says[release.own[going]]
    order = going[np.argsort(-gain, kind="stable")]
    least = np.where(np.diff(release.offsets) > (book.n_cells > 0), k, 0)
    has_changed = np.zeros(least.size, np.bool_)
    if people is None:
        move(order, release.own, target, book.counts, release.people, least, has_changed)
    else:
        pairs = _pair_with_classes(people, release.own, target, least.size)
        move_people(order, release.own, target, people.offsets, *pairs, least, has_changed)
    return has_changed


def _pair_with_classes(people: Ragged, own: Ints, target: Ints, n: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Number the pairs of classes and people, for the n classes that sequences are in and go to.

    Return these numbers for each person of each sequence, how often each pair is there, and how many
    different people each class has.
    """
    size = max(1, people.bound)
    owners = people.owners
    goes_to = np.where(target == NO_PATTERN, own, target)
    here, there = (classes[owners] * size + people.values for classes in (own, goes_to))
    pairs, number = np.unique(np.concatenate((here, there)), return_inverse=True)
    here_pair, there_pair = np.split(number, 2)
    often = np.bincount(here_pair, minlength=pairs.size)
    return here_pair, there_pair, often, np.bincount(pairs[often > 0] // size, minlength=n)


def _worth_of_patterns(book: Book, release: Release) -> Ints:
    so_far = offsets_of(book.worth[release.symbols >> 1])
    return so_far[release.offsets[1:]] - so_far[release.offsets[:-1]]


def _best_targets(book: Book, tree: PatternTree, least: Ints, bar: Bar) -> Ints:
    """Return for each sequence the pattern that says most of it, if it is more than what is said now."""
    n = least.size
    size = max(1, n * ROWS // (8 * book.codes.size + 1))
    parts = [np.arange(first, min(first + size, n)) for first in range(0, max(1, n), size)]
    look_up = partial(_best_of_part, book, tree, least)
    return np.concatenate(on_all_cores(look_up, parts, bar))


def _best_of_part(book: Book, tree: PatternTree, least: Ints, part: Ints, pulse: Pulse) -> Ints:
    found: Ints = best_patterns(book, tree, part, least[part], pulse)
    pulse[DONE] += part.size
    return found


def _regrown(book: Book, release: Release, has_changed: Flags, k: int, bar: Bar) -> Release:
    """Refine and divide the classes that people left or came to."""
    members = np.argsort(release.own, kind="stable")
    starts = offsets_of(np.bincount(release.own, minlength=has_changed.size))
    classes = Classes(members, starts, release.symbols, release.offsets, ~has_changed)
    known = Ragged(release.symbols, release.offsets)
    return _release(book, _grown(book, classes, k, bar), known)


def _grown(book: Book, classes: Classes, k: int, bar: Bar) -> Classes:
    """Refine and divide classes as far as possible."""
    parts = []
    while True:
        is_large = ~classes.is_done & (_rows_of(book, classes) > ROWS)
        parts.append(_take(classes, np.flatnonzero(~is_large)))
        pieces = [_take(classes, np.array([c])) for c in np.flatnonzero(is_large)]
        if not pieces:
            break
        once = partial(_grow, book, k, once=True)
        classes = _join(on_all_cores(once, pieces, bar))
    classes = _join(parts)
    batch_of = np.cumsum(_rows_of(book, classes)) // ROWS
    batches = [_take(classes, np.flatnonzero(batch_of == batch)) for batch in np.unique(batch_of)]
    finish = partial(_grow, book, k, once=False)
    return _join(on_all_cores(finish, batches, bar))


def _rows_of(book: Book, classes: Classes) -> Ints:
    """Count the rows of all members of each class."""
    so_far = offsets_of(np.diff(book.offsets)[classes.members])
    return so_far[classes.starts[1:]] - so_far[classes.starts[:-1]]


def _grow(book: Book, k: int, classes: Classes, pulse: Pulse, *, once: bool) -> Classes:
    grown = grow_classes(book, classes, k, once, pulse)
    pulse[DONE] += 0 if once else classes.members.size
    begin, _, is_done, end = grown.lines.T
    patterns = Ragged(grown.symbols[: end.max(initial=0)], np.append(0, end))
    order = np.argsort(begin, kind="stable")
    ordered = patterns.take(order)
    starts = np.append(begin[order], grown.members.size)
    return Classes(grown.members, starts, ordered.values, ordered.offsets, is_done[order] == 1)


def _take(classes: Classes, chosen: Ints) -> Classes:
    members = Ragged(classes.members, classes.starts).take(chosen)
    patterns = Ragged(classes.symbols, classes.offsets).take(chosen)
    return Classes(
        members.values, members.offsets, patterns.values, patterns.offsets, classes.is_done[chosen]
    )


def _join(parts: Sequence[Classes]) -> Classes:
    members = Ragged.concat([Ragged(part.members, part.starts) for part in parts])
    patterns = Ragged.concat([Ragged(part.symbols, part.offsets) for part in parts])
    is_done = np.concatenate([part.is_done for part in parts])
    return Classes(members.values, members.offsets, patterns.values, patterns.offsets, is_done)


def _release(book: Book, classes: Classes, known: Ragged) -> Release:
    """Put classes with equal patterns together; patterns are new unless they are known."""
    owner = Ragged(classes.members, classes.starts).owners
    people = np.bincount(owner, book.counts[classes.members], minlength=classes.is_done.size)
    found = distinct_sequences(classes.symbols, classes.offsets, people.astype(np.int64))
    own = np.empty(book.counts.size, np.int64)
    own[classes.members] = found[4][owner]
    both = Ragged.concat([known, Ragged(found[0], found[1])])
    place = distinct_sequences(both.values, both.offsets, np.zeros(len(both), np.int64))[4]
    return Release(*found[:4], own, ~np.isin(place[len(known) :], place[: len(known)]))
