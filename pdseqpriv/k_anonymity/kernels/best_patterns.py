"""The pattern of a class that says most of a sequence: a walk through the prefix tree of all patterns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.element_matching import STOP, Book, find_element

NO_PATTERN = -1


class PatternTree(NamedTuple):
    """The prefix tree of patterns, in pre-order, without its root."""

    symbol: Array
    depth: Array  # of its last symbol: 0 below the root
    end: Array  # the node after its subtree
    says: Array  # what its path is worth
    most: Array  # what a pattern in its subtree is worth at most
    pattern: Array  # which pattern ends here, or NO_PATTERN


@compiled
def make_pattern_tree(symbols: Array, offsets: Array, shared: Array, worth: Array) -> PatternTree:
    """Make the tree of distinct patterns in lexicographic order.

    ``shared`` tells how many first symbols each has in common with the one before it.
    """
    size, longest = symbols.size, 0
    for p in range(shared.size):
        size -= shared[p]
        longest = max(longest, offsets[p + 1] - offsets[p])
    symbol, depth, says = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    pattern = np.full(size, NO_PATTERN, np.int64)
    path = np.zeros(longest + 1, np.int64)  # what the path is worth so far
    node = 0
    for p in range(offsets.size - 1):
        for d in range(shared[p], offsets[p + 1] - offsets[p]):
            symbol[node], depth[node] = symbols[offsets[p] + d], d
            path[d + 1] = path[d] + worth[symbol[node] >> 1]
            says[node] = path[d + 1]
            node += 1
        if offsets[p + 1] > offsets[p]:
            pattern[node - 1] = p
    end, most = _close(depth, says, pattern)
    return PatternTree(symbol, depth, end, says, most, pattern)


@compiled
def _close(depth: Array, says: Array, pattern: Array) -> tuple[Array, Array]:
    """Return the end of each subtree, and what a pattern in it is worth at most."""
    size = depth.size
    end, most = np.empty(size, np.int64), np.zeros(size, np.int64)
    for node in range(size - 1, -1, -1):
        most[node] = says[node] if pattern[node] != NO_PATTERN else 0
        child = node + 1
        while child < size and depth[child] > depth[node]:
            most[node] = max(most[node], most[child])
            child = end[child]
        end[node] = child
    return end, most


@compiled
def best_patterns(book: Book, tree: PatternTree, sequences: Array, least: Array, pulse: Array) -> Array:
    """Return for each sequence the pattern that says most of it, if more than ``least``, else NO_PATTERN."""
    deepest = 1
    for depth in tree.depth:
        deepest = max(deepest, depth + 1)
    path = np.empty(deepest, np.int64)  # symbols on the way
    begun = np.zeros(deepest, np.int64)  # where the element of each began on the path
    row = np.empty(deepest, np.int64)  # where it is found
    met = np.full(book.end.size, -1, np.int64)  # the sequence that had an event below a label last
    found = np.full(sequences.size, NO_PATTERN, np.int64)
    for x in range(sequences.size):
        if pulse[STOP] != 0:
            break
        s = sequences[x]
        _note_labels(book, s, met)
        stop, best = book.offsets[s + 1], least[x]
        node = 0
        while node < tree.symbol.size:
            d, symbol = tree.depth[node], tree.symbol[node]
            here = stop
            if tree.most[node] > best and met[symbol >> 1] == s:
                path[d] = symbol
                begun[d] = d if symbol & 1 else begun[d - 1]
                if symbol & 1:
                    start = book.offsets[s] if d == 0 else book.after[row[d - 1]]
                else:
                    start = row[d - 1]
                here = find_element(book, start, stop, path[begun[d] : d + 1])
            if here == stop:
                node = tree.end[node]
                continue
            row[d] = here
            if tree.pattern[node] != NO_PATTERN and tree.says[node] > best:
                found[x], best = tree.pattern[node], tree.says[node]
            node += 1
    return found


@compiled
def _note_labels(book: Book, s: int, met: Array) -> None:
    for i in range(book.offsets[s], book.offsets[s + 1]):
        label = np.int64(book.codes[i])
        while label >= 0 and met[label] != s:
            met[label] = s
            label = book.above[label]


@compiled
def move(
    order: Array, own: Array, target: Array, counts: Array, people: Array, least: Array, is_new: Array
) -> int:
    """Let sequences, in order, go to the class that is their target, where enough people stay behind.

    Gives how many went; ``is_new`` is set for the classes that they left or came to.
    """
    moved = 0
    for s in order:
        here, there = own[s], target[s]
        if people[here] - counts[s] >= least[here]:
            people[here] -= counts[s]
            people[there] += counts[s]
            own[s] = there
            is_new[here] = is_new[there] = True
            moved += 1
    return moved


@compiled
def move_people(
    order: Array, own: Array, target: Array, offsets: Array, here_pair: Array, there_pair: Array,
    often: Array, people: Array, least: Array, is_new: Array,
) -> int:  # fmt: skip
    """Do the same where people have several sequences.

    ``offsets`` tells which people each sequence has. A pair is a class and a person: for each of these people
    the pair with the class that the sequence is in and with its target, and for each pair how ``often`` the
    person is there.
    """
    moved = 0
    for s in order:
        here, there = own[s], target[s]
        lost = 0
        for i in range(offsets[s], offsets[s + 1]):
            lost += often[here_pair[i]] == 1
        if people[here] - lost < least[here]:
            continue
        people[here] -= lost
        for i in range(offsets[s], offsets[s + 1]):
            often[here_pair[i]] -= 1
            people[there] += often[there_pair[i]] == 0
            often[there_pair[i]] += 1
        own[s] = there
        is_new[here] = is_new[there] = True
        moved += 1
    return moved
