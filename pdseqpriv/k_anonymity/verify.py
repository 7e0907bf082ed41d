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
from pdseqpriv.k_anonymity.kernels import containment
from pdseqpriv.parameters import whole_number, yes_or_no
from pdseqpriv.progress import progress
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.verdict import Verdict

_SMALLEST_K = 2
_CHUNK = 4096


@on_tables()
def is_k_anonymous(
    original: Table, released: Table, k: int, *, strict: bool = False, reveal: bool = False
) -> Verdict:
    """Check that every released sequence is contained in at least k original ones.

    Works on any two sequence tables, whoever made the second one, and compares events only: ids and times of
    the release may be anything that orders its rows.

    Parameters
    ----------
    original : DataFrame
        The table that must be protected.
    released : DataFrame
        What is to be shared; a plain one may have the column names that the original was bound to.
    k : int
        How many people must share what is released, at least 2.
    strict : bool
        Also check that every released sequence is contained in at least ``k`` released ones.
    reveal : bool
        Let ``details`` also show the events and the released ids of the sequences that violate it.
        For the owner's eyes only: what breaks a guarantee is what must not be seen.

    Returns
    -------
    Verdict
        Truthy when it holds. ``details`` has a row per distinct sequence that violates it: its number of
        events, in how many original (and released) sequences it is contained, and how many released sequences
        are like it.

    Notes
    -----
    **Guarantee**: exact. Each distinct released sequence is counted in the original, by looking at every
    original sequence that has its events often enough, until ``k`` are found. It shares no algorithm with
    ``k_anonymize``. When it holds, definition 3 of Monreale et al. (2014) holds, too: no part of a released
    sequence is shared by fewer than ``k`` people.

    **Not protected**: the verdict is about sequences of events. Other columns of the release, real times, ids
    and names inside events are not looked at. Marked (null) events match nothing and are left out.

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
    whole_number("k", k, least=_SMALLEST_K)
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
        return replace(
            verdict, sentence=f"the release is empty: it shows nothing of {people.n_people} sequences"
        )
    if (code_of < 0).all():
        unrelated = "none of its events occurs in the original: do the tables belong together?"
        return replace(verdict, sentence=f"{verdict.sentence}; {unrelated}")
    return verdict


class Events(NamedTuple):
    """The events of a table that are not marked, sequence by sequence; none is empty."""

    codes: NDArray[np.int64]
    elements: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: pd.Index
    ids: pd.Index
    n_people: int  # with those who have marked events only


def _events_of(sequences: Sequences) -> Events:
    there = sequences.codes >= 0
    before = np.concatenate(([0], np.cumsum(there)))[sequences.offsets]
    # A sequence of marks only contains nothing but still is a person; it cannot be released wrongly.
    offsets = np.concatenate(([0], before[1:][np.diff(before) > 0]))
    codes = sequences.codes[there].astype(np.int64)
    ids = sequences.ids[np.diff(before) > 0]
    return Events(codes, sequences.elements[there], offsets, sequences.vocabulary, ids, sequences.n_sequences)


def _revealed(
    shown: Events, chosen: NDArray[np.int64], group: NDArray[np.int64], wrong: NDArray[np.bool_]
) -> dict[str, list[tuple[object, ...]]]:
    """Give events and released ids of each kind of sequence that violates."""
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
    among = f"the {people} original ones" + (" and of the released ones" if strict else "")
    if violations:
        sentence = f"{violations} of {checked} released sequences are contained in fewer than {k} of {among}"
    else:
        sentence = f"each of {checked} released sequences is contained in at least {k} of {among}"
    return Verdict(violations == 0, sentence, checked, violations, details)
