"""Distinct sequences, how many there are of each, and whose: the summary that parts of a table share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels.lexicographic import count_variants, distinct_sequences, symbols_of_rows
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged
from pdseqpriv.sequences.sequences import Sequences


class Variants(NamedTuple):
    """Distinct sequences of events, without ids and times, in lexicographic order.

    Marked events are left out.

    Attributes
    ----------
    symbols, offsets
        Variant ``i`` is ``symbols[offsets[i]:offsets[i + 1]]``. A symbol is ``2 * code + 1`` when its event
        begins an element and ``2 * code`` when it joins the element before it; in a table without
        simultaneous events every symbol is odd.
    counts
        How many sequences of the table each variant stands for.
    shared
        How many first symbols each variant has in common with the one before it.
    vocabulary
        The event of each code.
    event_dtype
        The original type of the events.
    people
        The different people of each variant, as numbers; None if each sequence is a person of its own.
    n_cells
        If there are cells, each variant begins with the symbol of its cell: codes up to this number are
        cells, and those of events come after them. Equal sequences of different cells are two variants.
    """

    symbols: Ints
    offsets: Ints
    counts: Ints
    shared: Ints
    vocabulary: pd.Index
    event_dtype: object
    people: Ragged | None = None
    n_cells: int = 0

    @property
    def lists(self) -> Ragged:
        """The symbols, variant by variant."""
        return Ragged(self.symbols, self.offsets)


class Cells(NamedTuple):
    """Cells that must not be mixed.

    Which cell each id is in, as numbers from 0 on, and which cells can be looked for in earlier releases.
    """

    ids: pd.Index
    numbers: Ints
    were_released: Flags

    @property
    def n(self) -> int:
        """How many cells there are; the first may be empty."""
        return self.were_released.size


def variants_of(sequences: Sequences, cells: Cells | None = None) -> Variants:
    """Count the distinct sequences of a part, cell by cell if there are cells."""
    by_time = sequences.columns.ties == "element"
    rows = (sequences.codes, sequences.times, sequences.offsets, by_time)
    if sequences.people is None and cells is None:
        return Variants(*count_variants(*rows), sequences.vocabulary, sequences.dtypes.event)
    written = _in_cells(Ragged(*symbols_of_rows(*rows)), sequences, cells)
    ones = np.ones(sequences.n_sequences, np.int64)
    people = None if sequences.people is None else Ragged.of(sequences.people, ones)
    names, n_cells = (sequences.vocabulary, sequences.dtypes.event), 0 if cells is None else cells.n
    return variants_of_lists(written, ones, *names, people=people, n_cells=n_cells)[0]


def variants_of_lists(
    lists: Ragged,
    counts: Ints,
    vocabulary: pd.Index,
    event_dtype: object,
    *,
    people: Ragged | None = None,
    n_cells: int = 0,
) -> tuple[Variants, Ints]:
    """Make variants of lists of symbols, and say which one each list is.

    ``counts`` says how many sequences each list stands for, and ``people`` whose they are.
    """
    found = distinct_sequences(lists.values, lists.offsets, counts)
    if people is not None:
        people = people.together(found[4], found[2].size)
    return Variants(*found[:4], vocabulary, event_dtype, people, n_cells), found[4]


def merge_variants(first: Variants, second: Variants) -> Variants:
    """Add up the variants of two parts."""
    vocabulary, *new_codes = merge_vocabularies(first.vocabulary, second.vocabulary)
    both = Ragged.concat(
        [
            Ragged(_renumbered(part.symbols, codes, part.n_cells), part.offsets)
            for part, codes in zip((first, second), new_codes, strict=True)
        ]
    )
    counts = np.concatenate((first.counts, second.counts))
    people = None
    if first.people is not None and second.people is not None:  # parts have no person in common
        people = Ragged.concat([first.people, second.people.plus(first.people.bound)])
    names = (vocabulary, first.event_dtype)
    return variants_of_lists(both, counts, *names, people=people, n_cells=first.n_cells)[0]


def find_variants(sequences: Sequences, variants: Variants, cells: Cells | None) -> Ints:
    """Return the variant of each sequence of a part, which may lack events and so number them differently."""
    by_time = sequences.columns.ties == "element"
    rows = symbols_of_rows(sequences.codes, sequences.times, sequences.offsets, by_time)
    written = _in_cells(Ragged(*rows), sequences, cells)
    codes = variants.vocabulary.get_indexer(sequences.vocabulary)
    renumbered = Ragged(_renumbered(written.values, codes, variants.n_cells), written.offsets)
    both = Ragged.concat([variants.lists, renumbered])
    # All sequences of the part are among the variants, which are distinct and sorted: positions are numbers.
    place: Ints = distinct_sequences(both.values, both.offsets, np.zeros(len(both), np.int64))[-1]
    return place[variants.counts.size :]


def _in_cells(symbols: Ragged, sequences: Sequences, cells: Cells | None) -> Ragged:
    """Write its cell in front of each sequence, if there are cells."""
    if cells is None:
        return symbols
    own = cells.numbers[cells.ids.get_indexer(sequences.ids)]
    shifted = symbols.plus(2 * cells.n)
    written = np.insert(shifted.values, symbols.offsets[:-1], 2 * own + 1)
    return Ragged.of(written, symbols.lengths + 1)


def count_nodes(variants: Variants) -> int:
    """Count the nodes of the prefix tree of all variants, not including its root."""
    return int(variants.symbols.size - variants.shared.sum())


def _renumbered(symbols: Ints, new_codes: NDArray[np.integer], n_cells: int) -> Ints:
    """Give events new codes; cells, whose codes come first, keep theirs."""
    codes = new_codes.astype(np.int64)
    if n_cells:
        codes = np.concatenate((np.arange(n_cells), codes + n_cells))
    renumbered: Ints = 2 * codes[symbols >> 1] + (symbols & 1)
    return renumbered
