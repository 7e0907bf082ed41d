"""k-anonymity of sequences by brute force, on plain lists.

A sequence is a tuple of elements, an element a sorted tuple of distinct events (small numbers).
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

from tests.sequences.naive import contains


def support(sequences, pattern):
    return sum(contains(sequence, pattern) for sequence in sequences)


def subsequences(sequence):
    """Give all that a sequence contains, itself included, the empty one not."""
    found = {()}
    for element in sequence:
        parts = [part for size in range(1, len(element) + 1) for part in combinations(element, size)]
        found |= {(*begin, part) for begin in found for part in parts}
    return found - {()}


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
    """Give the length of the longest common subsequence, by dynamic programming."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            longest = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else longest
    return table[-1][-1]


def prefix_tree(sequences, k, *, strict=False):
    """BF-P2kA: give for each sequence the path that replaces it, () when there is none.

    Paths stand for nodes. What is cut goes to the path with the longest common subsequence; ties: the
    shortest path, then the first in lexicographic order. Strict: prune again after cutting, until stable.
    """
    flat = [rows_of(sequence) for sequence in sequences]
    staying = flat
    paths = _frequent_prefixes(staying, k)
    while strict:
        left = [rows for rows in staying if rows in paths]
        if left == staying:
            break
        staying = left
        paths = _frequent_prefixes(staying, k)
    return [elements_of(rows if rows in paths else _closest(rows, paths)) for rows in flat]


def _frequent_prefixes(all_rows, k):
    supports = Counter(rows[:length] for rows in all_rows for length in range(1, len(rows) + 1))
    return {path for path, count in supports.items() if count >= k}


def _closest(rows, paths):
    common = {path: common_length(rows, path) for path in paths}
    most = max(common.values(), default=0)
    return min((len(path), path) for path in paths if common[path] == most)[1] if most else ()


def subsequence(sequences, k, *, beam=8, strict=False, n_events=250_000):
    """Give for each sequence the shared subsequence that replaces it, () when there is none.

    A walk covers about ``n_events`` events and looks for others that share something in what it covers and in
    the longest sequences, ``n_events`` events of them, only.
    """
    supports = _event_supports(sequences)
    most = max(supports.values(), default=1)
    worth = {event: max(1, round(1000 * (count / most) ** 0.6)) for event, count in supports.items()}
    result = _subsequence_once(sequences, k, beam, worth, n_events)
    while strict:
        again = _subsequence_once(result, k, beam, worth, n_events)
        if again == result:
            break
        result = again
    return result


def _event_supports(sequences):
    return Counter(event for sequence in sequences for event in {e for element in sequence for e in element})


def _subsequence_once(sequences, k, beam, worth, n_events):
    supports = _event_supports(sequences)
    reduced = []
    for sequence in sequences:
        elements = (tuple(event for event in element if supports[event] >= k) for element in sequence)
        reduced.append(tuple(element for element in elements if element))
    chosen = {}
    for walked, looked_at in _walks(reduced, n_events):
        for sequence in walked:
            best = _best_state(looked_at, sequence, k, beam, worth)
            events = [event for element in sequence for event in element]
            # Who shares something with others in other walks only gets the most common event.
            chosen[sequence] = best or tuple((max(events, key=supports.get),) for _ in events[:1])
    return [chosen[sequence] for sequence in reduced]


def _walks(sequences, n_events):
    """Cut the distinct sequences, in order, into equal parts; give each with all that is looked at for it."""
    in_order = sorted(set(sequences), key=lambda one: [2 * event + begins for event, begins in rows_of(one)])
    by_length = sorted(in_order, key=lambda one: -len(rows_of(one)))
    cost = [min(64, len(rows_of(one))) for one in by_length]
    longest = {one for place, one in enumerate(by_length) if sum(cost[: place + 1]) <= n_events}
    n_walks = max(1, math.ceil(sum(cost) / n_events))
    n = len(in_order)
    for walk in range(n_walks):
        walked = in_order[walk * n // n_walks : (walk + 1) * n // n_walks]
        yield walked, [one for one in sequences if one in longest or one in walked]


def _best_state(sequences, sequence, k, beam, worth):
    """Walk the events; a state is (pattern, whether its last element is the one we are in)."""

    def value(pattern):
        return sum(worth[event] for element in pattern for event in element)

    def rank(pattern):
        return value(pattern) + max(0, int(100 * math.log2(support(sequences, pattern) / k)))

    is_plain = all(len(element) == 1 for one in sequences for element in one)
    states = [((), False)]
    for depth, (event, begins) in enumerate(rows_of(sequence)):
        candidates = []
        for pattern, is_open in states:
            joins = is_open and not begins
            longer = (*pattern[:-1], (*pattern[-1], event)) if joins else (*pattern, (event,))
            candidates.append((rank(pattern), (pattern, joins)))
            if support(sequences, longer) >= k:
                whole = sum(map(len, pattern)) == depth
                candidates.append((math.inf if whole else rank(longer), (longer, not is_plain)))
        candidates.sort(key=lambda candidate: -candidate[0])  # stable
        states = list(dict.fromkeys(state for _, state in candidates))[:beam]
    return max((pattern for pattern, _ in states), key=lambda p: (value(p), support(sequences, p)))
