"""What a part of the table contributes to the plan: who contains which pattern, and the cost of hiding it.

There are two summaries, because the second is needed only if there is a choice. With a threshold of 0, and
for patterns that are below their threshold, there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdseqpriv.hiding.automata import CompiledPatterns
from pdseqpriv.hiding.matcher import Digits, Matcher, stack_digits
from pdseqpriv.sequences.encoding import in_order, one_after_the_other
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Flags, Ints, offsets_of, owners_of
from pdseqpriv.sequences.sequences import Sequences

# Up to this many patterns that may be left in one sequence are tried in every combination.
MOST_FREE = 6


@dataclass(frozen=True, eq=False)
class Supporters:
    """The sequences that contain any of the patterns, and the events of the table.

    Attributes
    ----------
    rows : how many there are in all
    ids, supports : the sequences that contain a pattern, sorted, and which patterns each of them contains
    people : whose they are; None if each sequence is a person of its own
    known : which of the events that the patterns name occur in the table
    vocabulary, frequencies : the events of the table, and how often each occurs
    found : which patterns any sequence contains
    """

    rows: int
    ids: pd.Index
    supports: Flags
    people: pd.Index | None
    known: Flags
    vocabulary: pd.Index
    frequencies: Ints
    found: Flags


def find_supporters(sequences: Sequences, patterns: CompiledPatterns, *, with_ids: bool = True) -> Supporters:
    """Summarise one part; without ids if it does not matter who contains a pattern."""
    matcher, codes = Matcher(patterns, sequences), sequences.codes
    supports = matcher.supports(sequences, codes, np.arange(len(sequences.ids)))
    contains_any = np.flatnonzero(supports.any(axis=1) & with_ids)
    return Supporters(
        codes.size,
        sequences.ids[contains_any],
        supports[contains_any],
        _people(sequences, contains_any),
        matcher.known,
        sequences.vocabulary,
        np.bincount(codes[codes >= 0], minlength=len(sequences.vocabulary)),
        np.asarray(supports.any(axis=0)),
    )


def _people(sequences: Sequences, chosen: Ints) -> pd.Index | None:
    if sequences.people is None or sequences.person_ids is None:
        return None
    return sequences.person_ids[sequences.people[chosen]]


def merge_supporters(first: Supporters, second: Supporters) -> Supporters:
    """Add up two parts."""
    vocabulary, to_first, to_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    frequencies = np.zeros(len(vocabulary), np.int64)
    frequencies[to_first] += first.frequencies
    frequencies[to_second] += second.frequencies
    ids, order = in_order(first.ids, second.ids)
    people = None
    if first.people is not None and second.people is not None:
        people = one_after_the_other(first.people, second.people)[order]
    return Supporters(
        first.rows + second.rows,
        ids,
        np.concatenate([first.supports, second.supports])[order],
        people,
        first.known | second.known,
        vocabulary,
        frequencies,
        first.found | second.found,
    )


@dataclass(frozen=True, eq=False)
class Question:
    """What the second summary is to find out.

    Attributes
    ----------
    ids, supports : as in ``Supporters``
    above : which patterns are above their threshold
    free : which of these may be left in some sequences
    marking : as the user asked
    with_sizes : whether the plan needs the numbers of matches
    """

    ids: pd.Index
    supports: Flags
    above: Flags
    free: Flags
    marking: str
    with_sizes: bool


@dataclass(frozen=True, eq=False)
class Costs:
    """What hiding costs in every supporter.

    Attributes
    ----------
    ids : of the supporters, sorted
    sizes : digits of the number of matches of all patterns
    free : patterns that may be left in the sequence, at most ``MOST_FREE``
    first : where its costs begin
    costs : ``costs[first + subset]`` is the fewest marks that hide, besides the patterns that must be hidden
        there, those in the subset (bit b is the b-th free one)
    """

    ids: pd.Index
    sizes: Digits
    free: Flags
    first: Ints
    costs: Ints


def find_costs(sequences: Sequences, patterns: CompiledPatterns, question: Question) -> Costs:
    """Summarise one part: numbers of matches, and the costs of all subsets of the optional patterns."""
    matcher = Matcher(patterns, sequences)
    place = np.asarray(sequences.ids.get_indexer(question.ids), np.int64)
    here, chosen = np.flatnonzero(place >= 0), place[place >= 0]
    supported = question.supports[here]
    sizes = np.zeros((chosen.size, 1), np.uint64)
    if question.with_sizes:
        sizes = matcher.numbers(sequences, sequences.codes, chosen, supported)
    free = supported & question.free
    free &= np.cumsum(free, axis=1) <= MOST_FREE
    first = offsets_of(1 << free.sum(axis=1))
    owner = owners_of(first)
    subset = np.arange(owner.size) - first[owner]
    bit = np.where(free, np.cumsum(free, axis=1) - 1, 0)[owner]
    in_subset = ((subset[:, None] >> bit) & 1).astype(np.bool_)
    wanted = (supported & question.above)[owner] & (~free[owner] | in_subset)
    costs = np.zeros(owner.size, np.int64)
    if question.free.any():
        costs = matcher.costs(sequences, chosen[owner], wanted, question.marking)
    return Costs(question.ids[here], sizes, free, first[:-1], costs)


def merge_costs(first: Costs, second: Costs) -> Costs:
    """Combine two parts, sorted by id."""
    ids, order = in_order(first.ids, second.ids)
    return Costs(
        ids,
        stack_digits([first.sizes, second.sizes])[order],
        np.concatenate([first.free, second.free])[order],
        np.concatenate([first.first, second.first + first.costs.size])[order],
        np.concatenate([first.costs, second.costs]),
    )
