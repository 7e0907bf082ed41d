"""k-anonymity of sequences by brute force, on plain lists.

A sequence is a tuple of elements, an element a sorted tuple of distinct events (small numbers).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tests.sequences.naive import contains


def support(sequences, pattern):
    return sum(contains(sequence, pattern) for sequence in sequences)


def people_with(sequences, owners, pattern):
    """Return the different people who contain a pattern; sequences and owners by id."""
    return {owners[one] for one, sequence in sequences.items() if contains(sequence, pattern)}


def subsequences(sequence):
    """Return all that a sequence contains, itself included, the empty one not."""
    found = {()}
    for element in sequence:
        parts = [part for size in range(1, len(element) + 1) for part in combinations(element, size)]
        found |= {(*begin, part) for begin in found for part in parts}
    return found - {()}


def size(sequence):
    """Count the events of a sequence."""
    return sum(len(element) for element in sequence)


def most_that_k_share(sequences, sequence, k):
    """Count the events of the longest subsequence that at least k sequences contain."""
    longest_first = sorted(subsequences(sequence), key=size, reverse=True)
    return next((size(part) for part in longest_first if support(sequences, part) >= k), 0)


def is_k_anonymous_by_definition(original, released, k):
    """Definition 3: what is k-harmful in the original is not k-harmful in the release."""
    shown = set().union(*(subsequences(sequence) for sequence in released))
    return not any(0 < support(original, p) < k and 0 < support(released, p) < k for p in shown)


def rows_of(sequence):
    """Flatten to (event, whether it begins an element)."""
    return tuple((event, place == 0) for element in sequence for place, event in enumerate(element))


def elements_of(rows):
    """Undo rows_of."""
    elements = []
    for event, begins in rows:
        if begins:
            elements.append([])
        elements[-1].append(event)
    return tuple(tuple(element) for element in elements)


def common_length(left, right):
    """Return the length of the longest common subsequence, by dynamic programming."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            longest = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else longest
    return table[-1][-1]


def prefix_tree(sequences, k, guarantee="contained"):
    """BF-P2kA: give for each sequence the path that replaces it, () when there is none.

    Paths stand for nodes. What is cut goes to the path with the longest common subsequence; ties: the
    shortest path, then the first in lexicographic order. Mutual: prune again after cutting, until stable.
    Identical: sequences lose their last event, the longest first, as long as fewer than k are equal to them.
    """
    flat = [rows_of(sequence) for sequence in sequences]
    if guarantee == "identical":
        return [elements_of(rows) for rows in _collapsed(flat, k)]
    staying = flat
    paths = _frequent_prefixes(staying, k)
    while guarantee == "mutual":
        left = [rows for rows in staying if rows in paths]
        if left == staying:
            break
        staying = left
        paths = _frequent_prefixes(staying, k)
    return [elements_of(rows if rows in paths else _closest(rows, paths)) for rows in flat]


def _collapsed(flat, k):
    for length in range(max(map(len, flat), default=0), 0, -1):
        flat = [rows[:-1] if len(rows) == length and flat.count(rows) < k else rows for rows in flat]
    return flat


def _frequent_prefixes(all_rows, k):
    supports = Counter(rows[:length] for rows in all_rows for length in range(1, len(rows) + 1))
    return {path for path, count in supports.items() if count >= k}


def _closest(rows, paths):
    common = {path: common_length(rows, path) for path in paths}
    most = max(common.values(), default=0)
    return min((len(path), path) for path in paths if common[path] == most)[1] if most else ()
