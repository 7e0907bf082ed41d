"""Tables as a search sees them: all sequences in one place, or in parts that are searched one by one.

A pattern that is frequent in the whole table is at least as frequent, as a share, in one of its parts. So the
parts are searched at the same share, and what any of them found is counted in all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from pdseqpriv.engines.engine import Run
from pdseqpriv.mining.kernels.count_listed import count_listed
from pdseqpriv.mining.search import (
    SequencesToMine,
    TooManyError,
    check_number,
    frequent_patterns,
    merge,
    summarise,
)
from pdseqpriv.patterns.tables import PatternArrays
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels.lexicographic import shared_with_previous, sort_sequences
from pdseqpriv.sequences.ragged import Ints, offsets_of
from pdseqpriv.sequences.sequences import Sequences

# Up to so many rows, it is quicker to bring the sequences together, at 8 bytes a row.
FEW_ROWS = 20_000_000
# Copies of the sequences that it takes to put those of all parts together.
_COPIES = 3
# A part with more patterns than this is too small to say what is frequent.
MOST_CANDIDATES = 100_000


class TableToMine(Protocol):
    """A table whose frequent patterns can be found."""

    @property
    def total(self) -> int:
        """How many people there are."""

    def patterns(self, min_count: int, *, max_length: int | None, max_patterns: int) -> PatternArrays:
        """Find every pattern that at least so many people contain in a sequence, in pattern order."""


@dataclass(frozen=True)
class WholeTable:
    """All sequences, here."""

    sequences: SequencesToMine

    @property
    def total(self) -> int:
        """How many people there are."""
        return self.sequences.total

    def patterns(self, min_count: int, *, max_length: int | None, max_patterns: int) -> PatternArrays:
        """Search all sequences."""
        return frequent_patterns(self.sequences, min_count, max_length=max_length, max_patterns=max_patterns)


@dataclass(frozen=True)
class TableInParts:
    """Sequences where they are, part by part."""

    run: Run
    total: int

    def patterns(self, min_count: int, *, max_length: int | None, max_patterns: int) -> PatternArrays:
        """Search the parts at the same share, and count what was found in all of them."""
        share = Fraction(min_count, max(1, self.total))
        search = partial(_candidates_of, share=share, max_length=max_length)
        candidates = self.run.reduce(search, _merge_candidates)
        if candidates is None:
            whole = WholeTable(self.run.reduce(summarise, merge, copies=_COPIES))
            return whole.patterns(min_count, max_length=max_length, max_patterns=max_patterns)
        supports: Ints = self.run.reduce(partial(_count, patterns=candidates), np.add)
        frequent = np.flatnonzero(supports >= min_count)
        check_number(frequent.size, max_patterns)
        found = candidates.take(frequent)
        return PatternArrays(
            found.codes, found.offsets, found.joined, supports[frequent], candidates.vocabulary
        )


def table_to_mine(run: Run) -> TableToMine:
    """Return a table as a search sees it."""
    if run.is_here:
        return WholeTable(run.reduce(summarise, merge, copies=_COPIES))
    size = run.reduce(_size_of, _merge_sizes)
    if size.rows > FEW_ROWS:
        return TableInParts(run, size.people)
    return WholeTable(run.reduce(summarise, merge, copies=_COPIES))


class _Size(NamedTuple):
    people: int
    rows: int


def _size_of(sequences: Sequences) -> _Size:
    return _Size(sequences.n_people, sequences.n_rows)


def _merge_sizes(first: _Size, second: _Size) -> _Size:
    return _Size(first.people + second.people, first.rows + second.rows)


def _candidates_of(sequences: Sequences, share: Fraction, max_length: int | None) -> PatternArrays | None:
    """Search one part; None if it has too many patterns to be of use."""
    summary = summarise(sequences)
    count = max(1, math.ceil(share * summary.total))
    try:
        return frequent_patterns(summary, count, max_length=max_length, max_patterns=MOST_CANDIDATES)
    except TooManyError:
        return None


def _merge_candidates(first: PatternArrays | None, second: PatternArrays | None) -> PatternArrays | None:
    """Put patterns of two parts together, each once and in order; their supports mean nothing any more."""
    if first is None or second is None:
        return None
    if not len(first) or not len(second):
        return first if len(first) else second
    vocabulary, *new_codes = merge_vocabularies(first.vocabulary, second.vocabulary)
    both = zip((first, second), new_codes, strict=True)
    codes = np.concatenate([new[part.codes] for part, new in both])
    joined = np.concatenate((first.joined, second.joined))
    offsets = offsets_of(np.concatenate((first.lengths, second.lengths)))
    tokens = codes + len(vocabulary) * joined.astype(np.int32)
    order = sort_sequences(tokens, offsets)
    is_new = shared_with_previous(tokens, offsets, order) >= 0
    supports = np.ones(order.size, np.int64)
    return PatternArrays(codes, offsets, joined, supports, vocabulary).take(order[is_new])


def _count(sequences: Sequences, patterns: PatternArrays) -> Ints:
    """Count the people of one part who contain each pattern."""
    summary = summarise(sequences)
    new_codes = np.append(find_values(summary.vocabulary, patterns.vocabulary), -1)
    people = np.empty(0, np.int64) if summary.people is None else summary.people
    last = patterns.offsets[1:] - 1
    codes = new_codes[summary.codes]
    rows = (codes, summary.offsets, summary.elements, people)
    supports: Ints = count_listed(*rows, patterns.codes[last], patterns.joined[last], patterns.lengths)
    return supports
