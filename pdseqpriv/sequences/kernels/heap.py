"""A priority queue, lowest key first: a heap in two arrays, the keys and what they belong to."""

from __future__ import annotations

from pdseqpriv.compiled import Array, compiled


@compiled
def push(keys: Array, links: Array, size: int, key: float, link: int) -> int:
    """Add to a heap; return its new size."""
    child = size
    while child > 0:
        parent = (child - 1) // 2
        if not _comes_first(key, link, keys[parent], links[parent]):
            break
        keys[child], links[child] = keys[parent], links[parent]
        child = parent
    keys[child], links[child] = key, link
    return size + 1


@compiled
def pop(keys: Array, links: Array, size: int) -> int:
    """Remove the first entry, which is left at position size - 1; return the new size."""
    size -= 1
    key, link, hole, child = keys[size], links[size], 0, 1
    keys[size], links[size] = keys[0], links[0]
    while child < size:
        right = child + 1
        if right < size and _comes_first(keys[right], links[right], keys[child], links[child]):
            child = right
        if not _comes_first(keys[child], links[child], key, link):
            break
        keys[hole], links[hole] = keys[child], links[child]
        hole, child = child, 2 * child + 1
    if size > 0:
        keys[hole], links[hole] = key, link
    return size


@compiled
def _comes_first(key: float, link: int, other_key: float, other_link: int) -> bool:
    """Return whether an entry comes before another: the lower key, or for equal keys the higher link."""
    return key < other_key or (key == other_key and link > other_link)
