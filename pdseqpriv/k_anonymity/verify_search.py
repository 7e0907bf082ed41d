"""Look released sequences up in the original: who contains them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.k_anonymity.kernels import containment
from pdseqpriv.kept_columns.verify_kept import Told
from pdseqpriv.progress import DONE, Pulse, progress
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import Ints, Ragged, offsets_of, places_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.taxonomy import Taxonomy
from pdseqpriv.threads import on_all_cores

_CHUNK = 4096


class Events(NamedTuple):
    """The events of a table that are not marked, sequence by sequence; no sequence is empty."""

    codes: Ints
    elements: NDArray[np.int32]
    offsets: Ints
    vocabulary: pd.Index
    ids: pd.Index
    n_people: int  # including those who have only marked events
    people: Ints | None  # whose each sequence is; None if each is a person of its own, or nobody knows
    kept: Ints | None  # the number of what else is told of it; None if that does not matter


def events_of(sequences: Sequences, kept: Ints | None) -> Events:
    """Leave marked events and what has no others out."""
    there = sequences.codes >= 0
    lengths = sequences.unmarked_lengths
    # People with only marked events count as people, but nothing of theirs can be released wrongly.
    offsets, ids = offsets_of(lengths[lengths > 0]), sequences.ids[lengths > 0]
    codes, elements = sequences.codes[there].astype(np.int64), sequences.elements[there]
    people, told = (None if one is None else one[lengths > 0] for one in (sequences.people, kept))
    return Events(codes, elements, offsets, sequences.vocabulary, ids, sequences.n_people, people, told)


def has_simultaneous(events: Events) -> bool:
    """Return whether some events of a sequence belong to one element."""
    same = np.zeros(events.codes.size, np.bool_)
    same[1:] = events.elements[1:] == events.elements[:-1]
    same[events.offsets[:-1]] = False
    return bool(same.any())


class Search(NamedTuple):
    """Where to look, and the released sequences in the codes that are used there; -1 for unknown events."""

    originals: Events
    for_originals: Events
    releases: Events
    for_releases: Events


def in_common_codes(people: Events, shown: Events, taxonomy: Taxonomy | None) -> Search:
    """Write originals and releases in codes that can be compared, under a taxonomy if there is one."""
    if taxonomy is None:
        code_of = find_events(shown.vocabulary, people.vocabulary)
        return Search(people, shown._replace(codes=code_of[shown.codes]), shown, shown)
    missing = int((taxonomy.find(people.vocabulary) < 0).sum())
    if missing:
        of = f"{missing} of the {counted(len(people.vocabulary), 'event')} of the original"
        raise refusal(f"{of} {'is' if missing == 1 else 'are'} not in the taxonomy. Add what is missing.")
    codes = taxonomy.find(shown.vocabulary)[shown.codes]
    wanted = _sorted(shown, np.arange(codes.size), codes, taxonomy)
    return Search(_with_categories(people, taxonomy), wanted, _with_categories(shown, taxonomy), wanted)


def _with_categories(events: Events, taxonomy: Taxonomy) -> Events:
    """Add all categories above an event to its element, so that plain containment also finds categories."""
    codes = taxonomy.find(events.vocabulary)[events.codes]
    rows = np.flatnonzero(codes >= 0)
    codes, all_rows, all_codes = codes[rows], [rows], [codes[rows]]
    while rows.size:
        rows, codes = rows[codes != 0], taxonomy.parents[codes[codes != 0]].astype(np.int64)  # 0 is the root
        all_rows, all_codes = [*all_rows, rows], [*all_codes, codes]
    return _sorted(events, np.concatenate(all_rows), np.concatenate(all_codes), taxonomy)


def _sorted(events: Events, rows: Ints, codes: Ints, taxonomy: Taxonomy) -> Events:
    """Assign new codes to rows, which may repeat, and sort them within elements."""
    owners, elements = Ragged(events.codes, events.offsets).owners[rows], events.elements[rows]
    order = np.lexsort((codes, elements, owners))
    offsets = offsets_of(np.bincount(owners, minlength=events.offsets.size - 1))
    return Events(codes[order], elements[order], offsets, taxonomy.names, *events[4:])


def count_alike(people: Events, shown: Events, chosen: Ints, k: int, told: Told | None) -> Ints:
    """Count people who contain each chosen sequence; if something is told of it, only those whom it fits."""
    if told is None or people.kept is None or shown.kept is None:
        return _count(people, shown, chosen, k)
    counts = np.empty(chosen.size, np.int64)
    for number in np.unique(shown.kept[chosen]):
        part = np.flatnonzero(shown.kept[chosen] == number)
        alike = take(people, np.flatnonzero(told.fitting(number)[people.kept]))
        counts[part] = _count(alike, shown, chosen[part], k)
    return counts


def take(events: Events, chosen: Ints) -> Events:
    """Return the chosen sequences, which may repeat."""
    rows = places_of(events.offsets, chosen)
    offsets = offsets_of(np.diff(events.offsets)[chosen])
    people = None if events.people is None else events.people[chosen]
    return events._replace(
        codes=events.codes[rows], elements=events.elements[rows], offsets=offsets, people=people
    )


def _count(everybody: Events, shown: Events, chosen: Ints, k: int) -> Ints:
    # Longer sequences contain more, so that k of those that contain a pattern are found sooner.
    people = take(everybody, np.argsort(-np.diff(everybody.offsets), kind="stable"))
    arrays = (people.codes, people.elements, people.offsets)
    first_token, lists, starts = containment.index_tokens(*arrays, len(people.vocabulary))
    lines = containment.bits_of_common(lists, starts, people.offsets.size - 1)
    whose = np.empty(0, np.int64) if people.people is None else people.people
    met = np.full(whose.max(initial=-1) + 1, -1)
    are_sets = has_simultaneous(people) or has_simultaneous(shown)
    elements = people.elements if are_sets else people.elements[:0]
    index = containment.TokenHolders(
        people.codes, elements, people.offsets, first_token, lists, starts, *lines, whose, met
    )
    parts = [chosen[begin : begin + _CHUNK] for begin in range(0, chosen.size, _CHUNK)]

    def look_up(part: Ints, pulse: Pulse) -> Ints:
        own = index._replace(met=index.met.copy())  # notes of one thread
        rows = (shown.codes, shown.elements, shown.offsets)
        found: Ints = containment.count_containing(own, *rows, part, k, pulse)
        pulse[DONE] += part.size
        return found

    with progress(chosen.size, "looking sequences up") as bar:
        return np.concatenate([chosen[:0], *on_all_cores(look_up, parts, bar)])
