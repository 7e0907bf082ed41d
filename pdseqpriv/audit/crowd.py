"""How large the distinct sequences of a table are: enough to say how much work it is, and to draw people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.audit.content_marks import Marks
from pdseqpriv.audit.known_events import Order, People, Resolution, Things, knowable_things, number_items
from pdseqpriv.sequences.ragged import Ints, distinct, owners_of
from pdseqpriv.sequences.sequences import Sequences


class Crowd(NamedTuple):
    """Distinct sequences, by the numbers that stand for their content: 20 bytes each.

    ``different`` are the different things that can be known of each. ``has_sets``: an element may hold
    several of them. ``longest`` also counts the sequences of a release, if there is one.
    """

    marks: Marks
    lengths: NDArray[np.integer]
    different: NDArray[np.integer]
    counts: NDArray[np.integer]
    has_sets: bool
    longest: int


def crowd_of_people(people: People) -> Crowd:
    """Return what is known of the original."""
    own = np.flatnonzero(~people.is_release)
    different = _different(people.codes, people.offsets, people.n_codes)[own]
    owners = owners_of(people.offsets)
    has_sets = ((np.diff(people.elements) == 0) & (owners[1:] == owners[:-1])).any()
    longest = int(people.lengths.max(initial=0))
    return Crowd(
        people.marks[own], people.lengths[own], different, people.counts[own], bool(has_sets), longest
    )


def crowd_of(table: Sequences, order: Order, resolution: Resolution | None) -> Crowd:
    """Return what is known of one part of a table."""
    codes, items = number_items([table], order, resolution)
    things = knowable_things(table, codes[0], order, resolution)
    lengths, different = _sizes(things, len(items.events))
    marks, first, counts = np.unique(things.marks, return_index=True, return_counts=True)
    has_sets, longest = not things.begins.all(), int(lengths.max(initial=0))
    return Crowd(marks, lengths[first], different[first], counts.astype(np.int32), bool(has_sets), longest)


def merge_crowds(first: Crowd, second: Crowd) -> Crowd:
    """Put two parts together."""
    all_marks, lengths, different, counts = (
        np.concatenate(both) for both in zip(first[:4], second[:4], strict=True)
    )
    marks, place, number = np.unique(all_marks, return_index=True, return_inverse=True)
    together = np.bincount(number, counts, marks.size).astype(np.int32)
    has_sets, longest = first.has_sets or second.has_sets, max(first.longest, second.longest)
    return Crowd(marks, lengths[place], different[place], together, has_sets, longest)


def beside(original: Crowd, released: Crowd) -> Crowd:
    """Return the crowd of an original that has a release."""
    has_sets, longest = original.has_sets or released.has_sets, max(original.longest, released.longest)
    return original._replace(has_sets=has_sets, longest=longest)


def work_of(crowd: Crowd, known: int, most: int) -> float:
    """Return an upper bound on the number of (sequence, pattern) pairs, by positions and distinct events.

    A pattern is tried from its beginning on, and a sequence may have beginnings that are tried because of
    others: of each length, at most as many as halves of its events, and no more than are tried in all. These
    are comb(n + 1, known) choices of positions for each sequence of ``n`` events. What is more than ``most``
    for one sequence counts as one more, so that all sums are exact.
    """
    # With sets, each event may come later or join.
    different = crowd.different.astype(float) * (2 if crowd.has_sets else 1)
    lengths, which = np.unique(crowd.lengths, return_inverse=True)
    more = max(0, most) + 1
    sizes = [(n, min(n, known), min(n // 2, known)) for n in lengths.tolist()]
    had = np.array([_choices(n, widest, more) for n, _, widest in sizes], dtype=float)
    tried = np.array([_choices(n + 1, size, more) for n, size, _ in sizes], dtype=float)
    with np.errstate(over="ignore"):
        by_event = different**known
    in_all = np.minimum(tried[which], by_event).sum()
    return float(np.minimum(np.minimum(had[which], by_event), in_all).sum())


def _choices(n: int, size: int, most: int) -> int:
    """Return how many sets of that size ``n`` things have, at most ``most``.

    Examples
    --------
    >>> _choices(5, 2, 100), _choices(10**9, 10**8, 100), _choices(5, 0, 100)
    (10, 100, 1)
    """
    few, count = min(size, n - size), 1
    for i in range(1, few + 1):  # it doubles at least, so that this ends soon
        count = count * (n - few + i) // i
        if count >= most:
            return most
    return count


def _sizes(things: Things, n_codes: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    lengths = np.diff(things.offsets).astype(np.int32)
    return lengths, _different(things.codes, things.offsets, n_codes).astype(np.int32)


def _different(codes: NDArray[np.integer], offsets: Ints, n_codes: int) -> Ints:
    """Count the different things of each sequence."""
    pairs = distinct(owners_of(offsets) * n_codes + codes) // max(1, n_codes)
    return np.bincount(pairs, minlength=offsets.size - 1)
