"""What the plan needs to know: who contains which pattern, and what hiding would cost there.

Two summaries, because the second is only taken where there is a choice: with a threshold of 0, or for
patterns below their threshold, nothing is to be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdseqpriv.hiding.matcher import Digits, Flags, Ints, Matcher, stack_digits
from pdseqpriv.patterns.pattern import Pattern
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.sequences import Sequences

# Of the patterns in one sequence that may be left there, so many are tried in every combination.
MOST_FREE = 6


@dataclass(frozen=True)
class Supporters:
    """The sequences that contain any of the patterns, and the events of the table."""

    sequences: int
    rows: int
    ids: pd.Index
    supports: Flags
    vocabulary: pd.Index
    frequencies: Ints


def supporters_of(sequences: Sequences, patterns: Sequence[Pattern]) -> Supporters:
    """Summarise one part."""
    supports = Matcher(sequences, patterns).supports()
    any_pattern = np.flatnonzero(supports.any(axis=1))
    counted = sequences.codes[sequences.codes >= 0]
    return Supporters(
        sequences.n_sequences,
        sequences.n_rows,
        sequences.ids[any_pattern],
        supports[any_pattern],
        sequences.vocabulary,
        np.bincount(counted, minlength=len(sequences.vocabulary)),
    )


def merge_supporters(first: Supporters, second: Supporters) -> Supporters:
    """Add up two parts."""
    vocabulary, to_first, to_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    frequencies = np.zeros(len(vocabulary), np.int64)
    frequencies[to_first] += first.frequencies
    frequencies[to_second] += second.frequencies
    ids = first.ids.append(second.ids)
    order = np.asarray(ids.argsort())
    return Supporters(
        first.sequences + second.sequences,
        first.rows + second.rows,
        ids[order],
        np.concatenate([first.supports, second.supports])[order],
        vocabulary,
        frequencies,
    )


@dataclass(frozen=True)
class Question:
    """What the second summary is to find out."""

    above: Flags
    free: Flags
    marking: str
    with_sizes: bool


@dataclass(frozen=True)
class Costs:
    """What hiding takes in every supporter.

    Attributes
    ----------
    sizes : digits of the number of matches of all patterns
    free : patterns that may be left in the sequence, at most ``MOST_FREE``
    first : where its costs begin: ``costs[first + subset]`` is the fewest marks that hide, besides the
    patterns that must
        be hidden there, those in the subset (bit b is the b-th free one)
    """

    ids: pd.Index
    sizes: Digits
    free: Flags
    first: Ints
    costs: Ints


def costs_of(
    sequences: Sequences,
    patterns: Sequence[Pattern],
    supporters: Supporters,
    question: Question,
) -> Costs:
    """Summarise one part: numbers of matches, and costs of all subsets of the patterns open to choice."""
    place = np.asarray(sequences.ids.get_indexer(supporters.ids))
    here, chosen = np.flatnonzero(place >= 0), place[place >= 0]
    matcher, supported = Matcher(sequences, patterns), supporters.supports[here]
    sizes = np.zeros((chosen.size, 1), np.uint64)
    if question.with_sizes:
        sizes = matcher.numbers(chosen, supported)
    free = supported & question.free
    free &= np.cumsum(free, axis=1) <= MOST_FREE
    subsets = 1 << free.sum(axis=1)
    owner, subset = _expand(subsets)
    bit = np.where(free, np.cumsum(free, axis=1) - 1, 0)[owner]
    in_subset = ((subset[:, None] >> bit) & 1).astype(np.bool_)
    wanted = (supported & question.above)[owner] & (~free[owner] | in_subset)
    costs = np.zeros(owner.size, np.int64)
    if question.free.any():
        costs = _cost(matcher, chosen[owner], wanted, question.marking)
    return Costs(supporters.ids[here], sizes, free, np.cumsum(subsets) - subsets, costs)


def _expand(sizes: Ints) -> tuple[Ints, Ints]:
    """For every job, whose it is and which number it has there."""
    owner = np.repeat(np.arange(sizes.size), sizes)
    return owner, np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _cost(matcher: Matcher, chosen: Ints, wanted: Flags, marking: str) -> Ints:
    # What a random choice will take is not known before; the paper's rule stands for it.
    rule = "greedy" if marking == "random" else marking
    codes = matcher.sequences.codes.copy()
    return matcher.mark(codes, chosen, wanted, rule, np.zeros(chosen.size, np.uint64), keep=False)


def merge_costs(first: Costs, second: Costs) -> Costs:
    """Put two parts together, sorted by id."""
    ids = first.ids.append(second.ids)
    order = np.asarray(ids.argsort())
    return Costs(
        ids[order],
        stack_digits([first.sizes, second.sizes])[order],
        np.concatenate([first.free, second.free])[order],
        np.concatenate([first.first, second.first + first.costs.size])[order],
        np.concatenate([first.costs, second.costs]),
    )
