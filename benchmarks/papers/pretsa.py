"""PRETSA (Fahrenkrog-Petersen, van der Aa, Weidlich 2019) for k-anonymity, without t-closeness.

The prefix tree of an event log is walked in pre-order. A node with fewer than k cases is cut, and each of its
cases becomes a copy of the most similar variant that is left, by string edit distance. Cutting takes cases
from the nodes above, so the walk is repeated until every node has k cases or none. No package on the index
has it, so it is written here from that description.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.papers.bf_p2ka import build
from benchmarks.papers.variants import as_table, sorted_variants
from pdseqpriv.compiled import Array, compiled


def pretsa(frame: pd.DataFrame, k: int) -> pd.DataFrame:
    """Return the log in which every beginning of a case is shared by k cases of the release."""
    codes, offsets, counts, vocabulary = sorted_variants(frame)
    counts = counts.copy()
    merge_rare(codes, offsets, counts, k)
    return as_table(codes, offsets, counts, vocabulary)


@compiled
def merge_rare(codes: Array, offsets: Array, counts: Array, k: int) -> None:
    """Change how many cases each variant has; cases are lost only when nothing else is left."""
    item, parent, cases, last = build(codes, offsets, counts)
    first, end = variants_below(parent, last)
    line = (
        np.empty(1 + np.max(offsets[1:] - offsets[:-1]), np.int64) if counts.size else np.empty(1, np.int64)
    )
    is_done = False
    while not is_done:
        is_done = True
        for node in range(1, item.size):
            if cases[node] == 0 or cases[node] >= k:
                continue
            is_done = False
            for variant in range(first[node], end[node]):
                if counts[variant] > 0:
                    other = most_similar(codes, offsets, counts, variant, first[node], end[node], line)
                    moved = counts[variant]
                    add_cases(cases, parent, last[variant], -moved)
                    counts[variant] = 0
                    if other >= 0:
                        add_cases(cases, parent, last[other], moved)
                        counts[other] += moved


@compiled
def variants_below(parent: Array, last: Array) -> tuple[Array, Array]:
    """Return the range of variants whose path goes through each node; they are sorted, so it is a range."""
    first = np.full(parent.size, last.size, np.int64)
    end = np.zeros(parent.size, np.int64)
    for variant in range(last.size):
        node = last[variant]
        while True:
            first[node] = min(first[node], variant)
            end[node] = variant + 1
            if node == 0:
                break
            node = parent[node]
    return first, end


@compiled
def add_cases(cases: Array, parent: Array, node: int, amount: int) -> None:
    """Add to a node and all above it."""
    while node != 0:
        cases[node] += amount
        node = parent[node]


@compiled
def most_similar(
    codes: Array, offsets: Array, counts: Array, variant: int, first: int, end: int, line: Array
) -> int:
    """Return the variant with cases, outside of the range that is cut, at the least distance; -1 for none."""
    own = codes[offsets[variant] : offsets[variant + 1]]
    best, least = -1, 1 << 40
    for other in range(counts.size):
        if counts[other] == 0 or first <= other < end:
            continue
        length = offsets[other + 1] - offsets[other]
        if abs(length - own.size) < least:  # the distance is at least that
            distance = edit_distance(own, codes[offsets[other] : offsets[other + 1]], line)
            if distance < least:
                best, least = other, distance
    return best


@compiled
def edit_distance(one: Array, two: Array, line: Array) -> int:
    """Count insertions, deletions and substitutions."""
    for j in range(two.size + 1):
        line[j] = j
    for i in range(one.size):
        diagonal = line[0]
        line[0] = i + 1
        for j in range(two.size):
            cost = diagonal if one[i] == two[j] else diagonal + 1
            diagonal = line[j + 1]
            line[j + 1] = min(cost, min(line[j], diagonal) + 1)
    return line[two.size]  # type: ignore[no-any-return]
