"""Follow sequences down a prefix tree that is stored as a hash table of (parent, symbol)."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled

EMPTY = -1


@compiled
def end_nodes(symbols: Array, offsets: Array) -> tuple[Array, int]:
    """Return the node at which each sequence ends (0 is the root), and the number of nodes below the root."""
    ends = np.empty(offsets.size - 1, np.int64)
    keys = np.full(1 << 12, EMPTY, np.int64)
    children = np.empty(keys.size, np.int32)
    nodes = 0
    for s in range(offsets.size - 1):
        node = 0
        for i in range(offsets[s], offsets[s + 1]):
            if 2 * (nodes + 1) > keys.size:
                keys, children = _grown(keys, children)
            key = (np.int64(node) << 32) | np.int64(symbols[i])
            place = _place_of(keys, key)
            if keys[place] == EMPTY:
                nodes += 1
                keys[place] = key
                children[place] = nodes
            node = children[place]
        ends[s] = node
    return ends, nodes


@compiled
def _grown(keys: Array, children: Array) -> tuple[Array, Array]:
    more_keys = np.full(keys.size * 2, EMPTY, np.int64)
    more_children = np.empty(more_keys.size, np.int32)
    for i in range(keys.size):
        if keys[i] != EMPTY:
            place = _place_of(more_keys, keys[i])
            more_keys[place] = keys[i]
            more_children[place] = children[i]
    return more_keys, more_children


@compiled
def _place_of(keys: Array, key: np.int64) -> np.int64:
    """Find the key, or the free place where it belongs; the table is never full."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(keys.size - 1))
    while keys[place] != EMPTY and keys[place] != key:
        place = (place + 1) & (keys.size - 1)
    return place
