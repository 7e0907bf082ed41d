"""Distinct sequences in lexicographic order: what both methods work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.sequences.kernels.lexicographic import shared_with_previous, sort_sequences, take_sequences

Ints = NDArray[np.int64]


class Lists(NamedTuple):
    """Sequences of symbols, one after the other; a symbol is 2 * code + 1 when it begins an element."""

    symbols: Ints
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        """How many events each sequence has."""
        return np.diff(self.offsets)

    def take(self, chosen: Ints) -> Lists:
        """Give the chosen sequences, which may repeat."""
        return Lists(*take_sequences(self.symbols, self.offsets, chosen))


class Distinct(NamedTuple):
    """Distinct sequences, sorted; how many people have each, and how much each shares with the one before."""

    lists: Lists
    counts: Ints
    shared: Ints


def joined(parts: list[Lists]) -> Lists:
    """Put lists one after the other."""
    lengths = np.concatenate([part.lengths for part in parts])
    symbols = np.concatenate([part.symbols for part in parts])
    return Lists(symbols, np.concatenate(([0], np.cumsum(lengths))))


def distinct_of(lists: Lists, counts: Ints) -> tuple[Distinct, Ints]:
    """Sort and count; also gives the place of every sequence among the distinct ones."""
    order = sort_sequences(*lists)
    shared = shared_with_previous(*lists, order)
    is_new = shared >= 0
    place = np.empty(order.size, np.int64)
    place[order] = np.cumsum(is_new) - 1
    totals = np.zeros(int(is_new.sum()), np.int64)
    np.add.at(totals, place, counts)
    return Distinct(lists.take(order[is_new]), totals, shared[is_new]), place


def without_repeats(lists: Lists) -> Lists:
    """Keep each event of an element once: repeats say nothing about who contains what."""
    repeats = np.zeros(lists.symbols.size, bool)
    # Events of an element are sorted, and one that does not begin an element joins the one before it.
    repeats[1:] = (lists.symbols[1:] % 2 == 0) & (lists.symbols[1:] // 2 == lists.symbols[:-1] // 2)
    return keep_events(lists, ~repeats)


def keep_events(lists: Lists, kept: NDArray[np.bool_]) -> Lists:
    """Leave the other events out; where they began an element, the next event of it does."""
    if kept.all():
        return lists
    owner = np.repeat(np.arange(lists.lengths.size), lists.lengths)
    element = np.cumsum(lists.symbols % 2)[kept]
    begins = np.ones(element.size, bool)
    begins[1:] = element[1:] != element[:-1]
    symbols = lists.symbols[kept] // 2 * 2 + begins
    lengths = np.bincount(owner[kept], minlength=lists.lengths.size)
    return Lists(symbols, np.concatenate(([0], np.cumsum(lengths))))


def event_supports(distinct: Distinct, n_events: int) -> Ints:
    """Count the people who have each event."""
    owner = np.repeat(np.arange(distinct.counts.size), distinct.lists.lengths)
    pairs = np.unique(owner * np.int64(n_events) + distinct.lists.symbols // 2)
    supports = np.zeros(n_events, np.int64)
    np.add.at(supports, pairs % n_events, distinct.counts[pairs // n_events])
    return supports
