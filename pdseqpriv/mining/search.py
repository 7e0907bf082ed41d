"""The search for frequent patterns, on arrays: what ``mine``, ``release_patterns`` and the measures share."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from pdseqpriv.errors import SeqPrivError, called_function
from pdseqpriv.mining.kernels.dense import extend_dense
from pdseqpriv.mining.kernels.depth_first import UNIT, Entries, SearchLimits, flatten_tree
from pdseqpriv.mining.kernels.distinct_sequences import Occurrences, write_frequent
from pdseqpriv.mining.kernels.itemsets import extend_itemsets
from pdseqpriv.mining.kernels.plain import extend_plain
from pdseqpriv.patterns.tables import PatternArrays
from pdseqpriv.progress import PATIENCE, progress
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.kernels.ordering import lay_out_by_group, offsets_of_groups
from pdseqpriv.sequences.ragged import offsets_of, owners_of, places_of
from pdseqpriv.threads import number_of_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.sequences.sequences import Sequences

    # Parent, code and support of each pattern.
    Tree = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]

# The largest matrix below one first event, in cells of two bytes.
MOST_CELLS = 1 << 25
NO_LIMIT = 1 << 40
MAX_PATTERNS = 10_000_000
# After so many seconds of search, patterns of so few events are counted on their own: that is quick, and if
# they alone are too many, nobody has to wait until as many have been found among those of any length.
_LOOK_AFTER, _FEW_EVENTS = 2.0, 3


class TooManyError(SeqPrivError):
    """There are more frequent patterns than allowed."""


@dataclass(frozen=True)
class SequencesToMine:
    """The summary that patterns are mined from.

    A part contributes all its sequences, without ids and times: what is frequent is only known once all parts
    are combined. Merging appends the sequences of one part to those of the other, under one vocabulary. The
    order of the parts does not matter, and nothing is lost.

    Attributes
    ----------
    codes : numpy.ndarray of int32
        Events of all sequences, one sequence after the other; -1 is a marked event.
    offsets : numpy.ndarray of int64
        Sequence ``i`` is ``codes[offsets[i]:offsets[i + 1]]``.
    elements : numpy.ndarray of int32
        For each event, the number of its element within its sequence.
    vocabulary : pandas.Index
        Event of each code, sorted.
    people : numpy.ndarray of int64, or None
        Number of each sequence's person, ascending; None if each sequence is a person of its own.
    """

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    elements: NDArray[np.int32]
    vocabulary: pd.Index
    people: NDArray[np.int64] | None = None

    @property
    def total(self) -> int:
        """Number of people of the table."""
        if self.people is None:
            return len(self.offsets) - 1
        return int(self.people[-1]) + 1 if len(self.people) else 0


def summarise(sequences: Sequences) -> SequencesToMine:
    """Take what a search needs to know about a part; people's sequences are put next to each other."""
    if sequences.people is None:
        return SequencesToMine(sequences.codes, sequences.offsets, sequences.elements, sequences.vocabulary)
    bounds = offsets_of_groups(sequences.people, sequences.n_people)
    nothing = np.zeros(sequences.n_sequences, np.int32)
    order, lengths, _ = lay_out_by_group(sequences.people, bounds, sequences.lengths, nothing)
    rows = places_of(sequences.offsets, order)
    return SequencesToMine(
        sequences.codes[rows],
        offsets_of(lengths),
        sequences.elements[rows],
        sequences.vocabulary,
        owners_of(bounds),
    )


def merge(first: SequencesToMine, second: SequencesToMine) -> SequencesToMine:
    """Put the sequences of two parts together; no person is in both."""
    vocabulary, of_first, of_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    # The last entry is for code -1.
    codes = np.append(of_first, np.int32(-1))[first.codes], np.append(of_second, np.int32(-1))[second.codes]
    return SequencesToMine(
        np.concatenate(codes),
        np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1])),
        np.concatenate((first.elements, second.elements)),
        vocabulary,
        None
        if first.people is None or second.people is None
        else np.concatenate((first.people, second.people + first.total)),
    )


def frequent_patterns(
    table: SequencesToMine,
    min_count: int,
    *,
    max_length: int | None = None,
    max_patterns: int = MAX_PATTERNS,
) -> PatternArrays:
    """Find every pattern that at least ``min_count`` people contain in a sequence, in pattern order.

    Raises TooManyError if there are more than ``max_patterns``.
    """
    people = np.empty(0, np.int64) if table.people is None else table.people
    arrays = table.codes, table.offsets, table.elements, people
    frequent, supports, found, gaps = write_frequent(*arrays, len(table.vocabulary), min_count)
    longest = NO_LIMIT if max_length is None else max_length
    stop, so_far = np.zeros(1, np.uint8), np.ones(len(frequent), np.int64)
    limits = SearchLimits(len(frequent), min_count, longest, max_patterns, stop, so_far)
    search = partial(_extend_itemsets if gaps else _extend_plain, found, supports)
    parents, tree_codes, counts = _stack(_run(search, np.diff(found.bounds), limits))
    return PatternArrays(*flatten_tree(parents, tree_codes, frequent), counts, table.vocabulary, parents)


def _extend_plain(found: Occurrences, supports: NDArray[np.int64], limits: SearchLimits, event: int) -> Tree:
    """Search for patterns that begin with one event, if no element holds several events."""
    here = slice(found.bounds[event], found.bounds[event + 1])
    owners = found.owners[here]
    people = found.people[owners] if len(found.people) else found.people
    entries = Entries(found.text, found.places[here], found.weights[owners] * UNIT + 1, people)
    tree: Tree = extend_dense(entries, event, supports[event], limits, MOST_CELLS)
    return tree if len(tree[0]) else extend_plain(entries, event, supports[event], limits)


def _extend_itemsets(
    found: Occurrences, supports: NDArray[np.int64], limits: SearchLimits, event: int
) -> Tree:
    """Search for patterns that begin with one event, if elements may hold several events."""
    here = slice(found.bounds[event], found.bounds[event + 1])
    places, owners = found.places[here], found.owners[here]
    tree: Tree = extend_itemsets(found, places, owners, event, supports[event], limits)
    return tree


def _run(
    search: Callable[[SearchLimits, int], Tree], sizes: NDArray[np.int64], limits: SearchLimits
) -> list[Tree]:
    """Search from every first event, on all cores; Ctrl-C or an error stops all searches at once.

    ``sizes`` estimates how much work each is.
    """
    trees: list[Any] = [None] * len(sizes)

    def work(batch: list[int]) -> list[tuple[int, Tree]]:
        return [(event, search(limits, event)) for event in batch if not limits.stop[0]]

    threads, begun = number_of_threads(), monotonic()
    is_looked_at = limits.max_length <= _FEW_EVENTS
    with progress(len(trees), "mining") as bar, ThreadPoolExecutor(threads) as pool:
        waiting = {pool.submit(work, batch) for batch in _batches(sizes, threads)}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=PATIENCE, return_when=FIRST_COMPLETED)
                batches = [pair for future in done for pair in future.result()]
                for event, tree in batches:
                    trees[event] = tree
                bar.update(len(batches))
                check_number(int(limits.found.sum()), limits.most)
                if waiting and not is_looked_at and monotonic() - begun > _LOOK_AFTER:
                    is_looked_at = True
                    _count_short(search, sizes, limits)
        finally:
            limits.stop[0] = 1
            pool.shutdown(cancel_futures=True)
    return trees


def _count_short(
    search: Callable[[SearchLimits, int], Tree], sizes: NDArray[np.int64], limits: SearchLimits
) -> None:
    """Raise if patterns of few events are too many by themselves: with longer ones there are even more."""
    so_far = np.ones(len(limits.found), np.int64)
    short = limits._replace(max_length=_FEW_EVENTS, found=so_far)
    for event in np.argsort(-sizes, kind="stable").tolist():
        search(short, event)
        check_number(int(so_far.sum()), limits.most)


def _batches(sizes: NDArray[np.int64], threads: int) -> list[list[int]]:
    """Form batches: the largest first, on their own; the many small ones together."""
    share = int(sizes.sum()) // (16 * threads) + 1
    batches: list[list[int]] = []
    room = 0
    for event in np.argsort(-sizes, kind="stable").tolist():
        if room <= 0:
            batches.append([])
            room = share
        batches[-1].append(event)
        room -= int(sizes[event])
    return batches


def check_number(found: int, max_patterns: int) -> None:
    """Raise if there are more patterns than allowed."""
    if found > max_patterns:
        raise TooManyError(
            f"{called_function()}: there are more than {max_patterns:,} patterns, the most that max_patterns "
            "allows. Raise min_support, set max_length, or raise max_patterns if memory allows."
        )


def _stack(trees: list[Tree]) -> Tree:
    """Concatenate the trees, renumbering parents."""
    if not trees:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64)
    parents, codes, supports = (np.concatenate(part) for part in zip(*trees, strict=True))
    sizes = [len(tree[0]) for tree in trees]
    parents += (parents >= 0) * np.repeat(offsets_of(sizes)[:-1].astype(np.int32), sizes)
    return parents, codes, supports
