"""Look every released sequence up in the original."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.audit.pairs import read_both, warn_if_swapped
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import counted
from pdseqpriv.k_anonymity.kernels import containment
from pdseqpriv.parameters import SMALLEST_K, whole_number, yes_or_no
from pdseqpriv.progress import progress
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import offsets_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.verdict import Verdict

_CHUNK = 4096


@on_tables()
def is_k_anonymous(
    original: Table, released: Table, k: int, *, strict: bool = False, reveal: bool = False
) -> Verdict:
    """Check that every released sequence is contained in at least k original ones.

    Works on any two sequence tables, whoever made the second one. Only events are compared: the ids and times
    of the release may be anything that puts its rows in order.

    Parameters
    ----------
    original : DataFrame
        The table that must be protected.
    released : DataFrame
        What is to be shared. A plain DataFrame may use the column names that the original was bound to.
    k : int
        How many people must share what is released, at least 2.
    strict : bool
        Also check that every released sequence is contained in at least ``k`` released ones.
    reveal : bool
        Let ``details`` also show the events and the released ids of the sequences that break the guarantee.
        For the data owner's eyes only: these are the very sequences that must not be seen.

    Returns
    -------
    Verdict
        Truthy if the guarantee holds. ``details`` has a row for each distinct sequence that breaks it: its
        number of events, how many original (and released) sequences contain it, counted up to ``k``, and how
        many released sequences are equal to it.

    Notes
    -----
    **Guarantee**: the check is exact. Each distinct released sequence is looked up in the original, among the
    sequences that have its events often enough, until ``k`` are found that contain it. It shares no algorithm
    with ``k_anonymize``. If it holds, definition 3 of Monreale et al. (2014) holds too: no part of a released
    sequence is shared by fewer than ``k`` people.

    **Not protected**: the verdict is about sequences of events. It does not look at other columns of the
    release, at real times or ids, or at names inside events. Marked (null) events match nothing and are left
    out.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdseqpriv import verify
    >>> df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
    >>> verify.is_k_anonymous(df, df[df["event"] == "a"], 2)
    holds: each of 2 released sequences is contained in at least 2 of the 2 original ones
    >>> verify.is_k_anonymous(df, df, 2)
    does not hold: 2 of 2 released sequences are contained in fewer than 2 of the 2 original ones
    """
    k = whole_number("k", k, least=SMALLEST_K)
    strict = yes_or_no("strict", strict)
    reveal = yes_or_no("reveal", reveal)
    people, shown = map(_events_of, read_both(original, released))
    warn_if_swapped(original, released)
    code_of = find_events(shown.vocabulary, people.vocabulary)
    chosen, group = _distinct(shown)
    alike = np.bincount(group, minlength=chosen.size)
    in_original = _count(people, shown._replace(codes=code_of[shown.codes]), chosen, k)
    in_release = _count(shown, shown, chosen, k) if strict else np.full(chosen.size, k)
    wrong = (in_original < k) | (in_release < k)
    columns = {"events": np.diff(shown.offsets)[chosen], "in_original": in_original}
    if strict:
        columns["in_release"] = in_release
    details = pd.DataFrame({**columns, "sequences": alike})[wrong].reset_index(drop=True)
    if reveal:
        details = details.assign(**_revealed(shown, chosen, group, wrong))
    found = int(alike.sum()), int(alike[wrong].sum())
    verdict = _verdict(*found, k, people.n_people, details, strict=strict)
    if not found[0]:
        of_whom = counted(people.n_people, "original sequence")
        return replace(verdict, sentence=f"the release is empty and shows nothing of the {of_whom}")
    if (code_of < 0).all():
        unrelated = "none of its events occurs in the original: do the tables belong together?"
        return replace(verdict, sentence=f"{verdict.sentence}; {unrelated}")
    return verdict


class Events(NamedTuple):
    """The events of a table that are not marked, sequence by sequence; no sequence is empty."""

    codes: NDArray[np.int64]
    elements: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: pd.Index
    ids: pd.Index
    n_people: int  # with those who have marked events only


def _events_of(sequences: Sequences) -> Events:
    there = sequences.codes >= 0
    lengths = np.diff(offsets_of(there)[sequences.offsets])
    # People with marked events only count as people, but nothing of theirs can be released wrongly.
    offsets, ids = offsets_of(lengths[lengths > 0]), sequences.ids[lengths > 0]
    codes = sequences.codes[there].astype(np.int64)
    return Events(codes, sequences.elements[there], offsets, sequences.vocabulary, ids, lengths.size)


def _revealed(
    shown: Events, chosen: NDArray[np.int64], group: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> dict[str, list[tuple[object, ...]]]:
    """Give events and released ids of each kind of sequence that breaks the guarantee."""
    events = shown.vocabulary.to_numpy(dtype=object)[shown.codes]
    kinds = np.flatnonzero(wrong)
    bounds = [(shown.offsets[chosen[kind]], shown.offsets[chosen[kind] + 1]) for kind in kinds]
    members = pd.Series(np.arange(group.size)).groupby(group).indices
    return {
        "sequence": [tuple(events[first:last]) for first, last in bounds],
        "seq_ids": [tuple(shown.ids[members[kind]]) for kind in kinds],
    }


def _distinct(events: Events) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give one sequence of each kind, and the kind of every sequence."""
    hashes = containment.hash_sequences(events.codes, events.elements, events.offsets)
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    equal = containment.are_equal(events.codes, events.elements, events.offsets, first[kind])
    # Where different sequences share a hash, each of the others is a kind of its own.
    others = np.flatnonzero(~equal)
    kind[others] = first.size + np.arange(others.size)
    return np.concatenate((first, others)), kind


def _count(people: Events, shown: Events, chosen: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    arrays = (people.codes, people.elements, people.offsets)
    first_token, lists, starts = containment.index_tokens(*arrays, len(people.vocabulary))
    lines = containment.bits_of_common(lists, starts, people.offsets.size - 1)
    index = containment.Index(*arrays, first_token, lists, starts, *lines)
    counts = np.empty(chosen.size, np.int64)
    with progress(chosen.size, "looking sequences up") as bar:
        for begin in range(0, chosen.size, _CHUNK):
            part = chosen[begin : begin + _CHUNK]
            counts[begin : begin + _CHUNK] = containment.count_containing(
                index, shown.codes, shown.elements, shown.offsets, part, k
            )
            bar.update(part.size)
    return counts


def _verdict(
    checked: int, violations: int, k: int, people: int, details: pd.DataFrame, *, strict: bool
) -> Verdict:
    shown, original = counted(checked, "released sequence"), counted(people, "original one")
    if violations:
        are = "is" if violations == 1 else "are"
        sentence = f"{violations} of {shown} {are} contained in fewer than {k} of the {original}"
        sentence += " or of the released ones" if strict else ""
    else:
        sentence = f"each of {shown} is contained in at least {k} of the {original}"
        sentence += f" and in at least {k} of the released ones" if strict else ""
    return Verdict(violations == 0, sentence, checked, violations, details)
