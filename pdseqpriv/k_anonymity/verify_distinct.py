"""The distinct sequences of tables in parts, and how often each occurs: all that most checks need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.engines.elsewhere import memory_for
from pdseqpriv.engines.engine import Table, bind, reduce_both
from pdseqpriv.engines.memory import refuse_plan_of
from pdseqpriv.k_anonymity.kernels import equal_sequences
from pdseqpriv.k_anonymity.verify_search import Events, events_of, take
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Ints, offsets_of, owners_of
from pdseqpriv.sequences.sequences import Sequences

# Copies of the distinct sequences that it takes to put those of all parts together.
_COPIES = 5
# Copies of the sequences of both tables, of a kind no more than k, that the search takes.
_COPIES_TO_SEARCH = 3


class Distinct(NamedTuple):
    """One sequence of each kind, and how many sequences there are of it."""

    events: Events
    counts: Ints


def read_distinct(original: Table, released: Table, k: int) -> tuple[Events, Events, Ints]:
    """Return the sequences of both tables, of a kind no more than k, and how many each released one is for.

    Who looks for k sequences that contain another needs no more of a kind.
    """
    before, after = reduce_both(original, released, summarise, merge, copies=_COPIES)
    limit = min(memory_for(bind(table).frame) for table in (original, released))
    refuse_plan_of(_COPIES_TO_SEARCH * sum(bytes_repeated(one, k) for one in (before, after)), limit)
    people, _ = _repeated(before, k)
    return people, *_repeated(after, k)


def summarise(sequences: Sequences) -> Distinct:
    """Find the distinct sequences of a part; ids play no role."""
    events = events_of(sequences, None)
    return _counted(events, np.ones(len(events.ids), np.int64))


def merge(first: Distinct, second: Distinct) -> Distinct:
    """Put the distinct sequences of two parts together."""
    one, other = first.events, second.events
    vocabulary, of_one, of_other = merge_vocabularies(one.vocabulary, other.vocabulary)
    codes = np.concatenate((of_one[one.codes], of_other[other.codes])).astype(np.int64)
    both = one._replace(
        codes=codes,
        elements=np.concatenate((one.elements, other.elements)),
        offsets=offsets_of(np.concatenate((np.diff(one.offsets), np.diff(other.offsets)))),
        vocabulary=vocabulary,
        n_people=one.n_people + other.n_people,
    )
    return _counted(both, np.concatenate((first.counts, second.counts)))


def _counted(events: Events, counts: Ints) -> Distinct:
    chosen, kind = kinds_of(events)
    total = np.bincount(kind, counts, chosen.size).astype(np.int64)
    return Distinct(take(events, chosen)._replace(ids=events.ids[:0]), total)


def _repeated(found: Distinct, k: int) -> tuple[Events, Ints]:
    """Repeat each sequence up to k times; the last of a kind stands for all that are left out."""
    times = np.minimum(found.counts, k)
    chosen = owners_of(offsets_of(times))
    stands_for = np.ones(chosen.size, np.int64)
    stands_for[np.cumsum(times) - 1] += found.counts - times
    return take(found.events, chosen), stands_for


def bytes_repeated(found: Distinct, k: int) -> int:
    """Return how many bytes the sequences take if each is repeated up to k times."""
    times = np.minimum(found.counts, k)
    a_row = found.events.codes.itemsize + found.events.elements.itemsize
    return int(times @ np.diff(found.events.offsets)) * a_row


def kinds_of(events: Events) -> tuple[Ints, Ints]:
    """Return one sequence of each kind, and the kind of every sequence."""
    hashes = equal_sequences.hash_sequences(events.codes, events.elements, events.offsets)
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    equal = equal_sequences.are_equal(events.codes, events.elements, events.offsets, first[kind])
    # If different sequences share a hash, each of the others is a separate kind.
    others = np.flatnonzero(~equal)
    kind[others] = first.size + np.arange(others.size)
    if events.kept is None:
        return np.concatenate((first, others)), kind
    both = np.stack((kind, events.kept), axis=1)
    _, first, kind = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)
