"""The search for frequent patterns, on arrays: what ``mine`` and the measures share."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pdseqpriv.errors import SeqPrivError, called_function
from pdseqpriv.mining.kernels.dense import extend_dense
from pdseqpriv.mining.kernels.distinct_sequences import event_supports, has_itemsets, merge_equal, write_text
from pdseqpriv.mining.kernels.itemsets import all_places, extend_itemsets
from pdseqpriv.mining.kernels.plain import extend_plain, first_places
from pdseqpriv.options import options
from pdseqpriv.patterns.kernels.pattern_index import flatten_tree
from pdseqpriv.patterns.tables import PatternArrays
from pdseqpriv.progress import progress
from pdseqpriv.sequences.events import merge_vocabularies

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from pdseqpriv.sequences.sequences import Sequences

    Tree = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]

# The largest matrix below one first event, in cells of two bytes.
MOST_CELLS = 1 << 25
NO_LIMIT = 1 << 40


class TooManyError(SeqPrivError):
    """More patterns are frequent than may be found."""


@dataclass(frozen=True)
class WeightedSequences:
    """Sequences with how often each occurs; what a search needs to know of a table."""

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    elements: NDArray[np.int32]
    weights: NDArray[np.int64]
    vocabulary: pd.Index

    @property
    def total(self) -> int:
        """Number of sequences of the table."""
        return int(self.weights.sum())


def summarise(sequences: Sequences) -> WeightedSequences:
    """Take what a search needs; nothing is copied."""
    weights = np.ones(sequences.n_sequences, np.int64)
    return WeightedSequences(
        sequences.codes, sequences.offsets, sequences.elements, weights, sequences.vocabulary
    )


def merge(first: WeightedSequences, second: WeightedSequences) -> WeightedSequences:
    """Put two parts of a table together."""
    vocabulary, of_first, of_second = merge_vocabularies(first.vocabulary, second.vocabulary)
    # The last place answers for code -1.
    codes = np.append(of_first, np.int32(-1))[first.codes], np.append(of_second, np.int32(-1))[second.codes]
    return WeightedSequences(
        np.concatenate(codes),
        np.concatenate((first.offsets, second.offsets[1:] + first.offsets[-1])),
        np.concatenate((first.elements, second.elements)),
        np.concatenate((first.weights, second.weights)),
        vocabulary,
    )


def frequent_patterns(
    table: WeightedSequences,
    min_count: int,
    *,
    max_length: int | None = None,
    max_patterns: int = 10_000_000,
) -> PatternArrays:
    """Find every pattern that at least ``min_count`` sequences contain, in the order of patterns.

    Raises TooManyError, in the name of ``function``, where they are more than ``max_patterns``.
    """
    limit = NO_LIMIT if max_length is None else max_length
    supports = event_supports(table.codes, table.offsets, table.weights, len(table.vocabulary))
    frequent = np.flatnonzero(supports >= min_count)
    search = _prepare(table, frequent, supports[frequent], (min_count, limit, max_patterns))
    parents, events, counts, joined = _stack(_run(search, max_patterns))
    codes, offsets, same = flatten_tree(parents, events, joined)
    codes = frequent.astype(np.int32)[codes]
    return PatternArrays(codes, offsets, same, counts, table.vocabulary, parents)


@dataclass(frozen=True)
class _Search:
    """One independent piece of work per first event, and roughly how large each is."""

    extend: Callable[[int, NDArray[np.uint8]], Tree]
    sizes: NDArray[np.int64]


def _prepare(
    table: WeightedSequences,
    frequent: NDArray[np.int64],
    supports: NDArray[np.int64],
    limits: tuple[int, int, int],
) -> _Search:
    new_code = np.full(len(table.vocabulary), -1, np.int32)
    new_code[frequent] = np.arange(len(frequent), dtype=np.int32)
    gaps = has_itemsets(table.codes, table.offsets, table.elements, new_code)
    text, starts, weights = write_text(
        table.codes, table.offsets, table.elements, table.weights, new_code, gaps
    )
    starts, weights = merge_equal(text, starts, weights)
    find = _itemset_search if gaps else _plain_search
    return find(text, starts, weights, supports, limits)


def _plain_search(
    text: NDArray[np.int32],
    starts: NDArray[np.int64],
    weights: NDArray[np.int64],
    supports: NDArray[np.int64],
    limits: tuple[int, int, int],
) -> _Search:
    n_events = len(supports)
    bounds, places, packed = first_places(text, starts, weights, n_events)

    def extend(event: int, stop: NDArray[np.uint8]) -> Tree:
        here = slice(bounds[event], bounds[event + 1])
        known = (text, places[here], packed[here], event, supports[event], n_events, *limits)
        tree = extend_dense(*known, MOST_CELLS, stop)
        if len(tree[0]) == 0:
            tree = extend_plain(*known, stop)
        return (*tree, np.zeros(len(tree[0]), np.bool_))

    return _Search(extend, np.diff(bounds))


def _itemset_search(
    text: NDArray[np.int32],
    starts: NDArray[np.int64],
    weights: NDArray[np.int64],
    supports: NDArray[np.int64],
    limits: tuple[int, int, int],
) -> _Search:
    n_events = len(supports)
    bounds, places, owners = all_places(text, starts, n_events)

    def extend(event: int, stop: NDArray[np.uint8]) -> Tree:
        here = slice(bounds[event], bounds[event + 1])
        known = (places[here], owners[here], event, supports[event], n_events)
        tree: Tree = extend_itemsets(text, weights, *known, *limits, stop)
        return tree

    return _Search(extend, np.diff(bounds))


def _run(search: _Search, max_patterns: int) -> list[Tree]:
    """Search below every first event, on all cores; Ctrl-C and an error stop the others at once."""
    stop = np.zeros(1, np.uint8)
    trees: list[Any] = [None] * len(search.sizes)
    found = 0

    def work(batch: list[int]) -> list[tuple[int, Tree]]:
        return [(event, search.extend(event, stop)) for event in batch if not stop[0]]

    threads = options.threads or os.cpu_count() or 1
    with progress(len(trees), "mining") as bar, ThreadPoolExecutor(threads) as pool:
        waiting = {pool.submit(work, batch) for batch in _batches(search.sizes, threads)}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for event, tree in (pair for future in done for pair in future.result()):
                    trees[event] = tree
                    found += len(tree[0])
                    bar.update(1)
                _check_number(found, max_patterns)
        finally:
            stop[0] = 1
            pool.shutdown(cancel_futures=True)
    return trees


def _batches(sizes: NDArray[np.int64], threads: int) -> list[list[int]]:
    """Largest first, alone; the many small ones together."""
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


def _check_number(found: int, max_patterns: int) -> None:
    if found > max_patterns:
        raise TooManyError(
            f"{called_function()}: there are more than {max_patterns:,} patterns, which max_patterns allows. "
            "Raise min_support, set max_length, or raise max_patterns if memory allows."
        )


def _stack(trees: list[Tree]) -> Tree:
    """Put the trees one behind the other: parents move along."""
    if not trees:
        nothing = np.empty(0, np.int32)
        return nothing, nothing, np.empty(0, np.int64), np.empty(0, np.bool_)
    sizes = np.array([len(tree[0]) for tree in trees])
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    parents, events, supports, joined = (np.concatenate(part) for part in zip(*trees, strict=True))
    parents = np.where(parents < 0, -1, parents + begins).astype(np.int32)
    return parents, events, supports, joined
