"""Count who contains a sequence: an index of who has which events how often, then a look at each.

A token is an event and a number: sequences "have" it when that many of their elements hold the event. Only
sequences that have every token of a pattern can contain it. Common tokens are kept as bits, one per sequence,
rare ones as lists of sequences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

# A list of sequences is kept as bits when it holds more than one in so many.
RARE = 64
NOT_LISTED = -1
EIGHT = np.uint64(0xFF)  # the next eight bits
STOP = 1  # of a pulse: not 0 when the work is to end


class TokenHolders(NamedTuple):
    """Sequences, and who has which token; the tokens of an event are numbered by how often."""

    codes: Array
    elements: Array  # empty if no element holds several events, in the patterns neither
    offsets: Array
    first_token: Array  # per event, and one more
    lists: Array  # sequences, token by token
    starts: Array  # where the list of each token starts, and one more
    line: Array  # per token its line of bits, or NOT_LISTED
    bits: Array  # per line and 64 sequences
    people: Array  # whose each sequence is; empty if each is a person of its own
    met: Array  # per person the pattern for which they were counted last


@compiled
def index_tokens(codes: Array, elements: Array, offsets: Array, n_events: int) -> tuple[Array, Array, Array]:
    """Return the first token of each event, the sequences with each token, and where their lists start."""
    n = offsets.size - 1
    most = np.zeros(n_events, np.int64)
    often = np.zeros(n_events, np.int64)
    for s in range(n):
        _count(codes, elements, offsets[s], offsets[s + 1], often)
        for i in range(offsets[s], offsets[s + 1]):
            most[codes[i]] = max(most[codes[i]], often[codes[i]])
        _clear(codes, offsets[s], offsets[s + 1], often)
    first_token = np.zeros(n_events + 1, np.int64)
    first_token[1:] = np.cumsum(most)
    starts = np.zeros(first_token[-1] + 1, np.int64)
    lists = np.empty(0, np.int32)
    for filling in range(2):
        free = starts[:-1].copy()
        for s in range(n):
            for i in range(offsets[s], offsets[s + 1]):
                if _is_repeat(codes, elements, offsets[s], i):
                    continue
                token = first_token[codes[i]] + often[codes[i]]
                often[codes[i]] += 1
                if filling == 1:
                    lists[free[token]] = s
                    free[token] += 1
                else:
                    starts[token + 1] += 1
            _clear(codes, offsets[s], offsets[s + 1], often)
        if filling == 0:
            starts[:] = np.cumsum(starts)
            lists = np.empty(starts[-1], np.int32)
    return first_token, lists, starts


@compiled
def bits_of_common(lists: Array, starts: Array, n: int) -> tuple[Array, Array]:
    """Return the line of each common token, and the lines."""
    line = np.full(starts.size - 1, NOT_LISTED, np.int64)
    n_lines = 0
    for token in range(line.size):
        if (starts[token + 1] - starts[token]) * RARE > n:
            line[token] = n_lines
            n_lines += 1
    bits = np.zeros((n_lines, n // 64 + 1), np.uint64)
    for token in range(line.size):
        if line[token] != NOT_LISTED:
            for i in range(starts[token], starts[token + 1]):
                bits[line[token], lists[i] >> 6] |= np.uint64(1) << np.uint64(lists[i] & 63)
    return line, bits


@compiled
def count_containing(
    index: TokenHolders, codes: Array, elements: Array, offsets: Array, chosen: Array, k: int, pulse: Array
) -> Array:
    """Count for each chosen pattern the people who contain it, up to k; unknown events have code -1."""
    counts = np.zeros(chosen.size, np.int64)
    longest = 1
    for p in chosen:
        longest = max(longest, offsets[p + 1] - offsets[p])
    often = np.zeros(index.first_token.size - 1, np.int64)
    tokens = np.empty(longest, np.int64)
    for c in range(chosen.size):
        if pulse[STOP] != 0:
            break
        begin, end = offsets[chosen[c]], offsets[chosen[c] + 1]
        n_tokens = _tokens(index, codes, elements, begin, end, often, tokens)
        if n_tokens < 0:
            continue
        rarest = tokens[0]
        for token in tokens[1:n_tokens]:
            if (
                index.starts[token + 1] - index.starts[token]
                < index.starts[rarest + 1] - index.starts[rarest]
            ):
                rarest = token
        p = chosen[c]
        if index.line[rarest] == NOT_LISTED:
            counts[c] = _count_in_list(index, rarest, codes, elements, begin, end, p, k)
        else:
            counts[c] = _count_in_bits(index, tokens[:n_tokens], codes, elements, begin, end, p, k)
    return counts


@compiled
def _tokens(
    index: TokenHolders, codes: Array, elements: Array, begin: int, end: int, often: Array, tokens: Array
) -> int:
    """Write the tokens of a pattern; -1 when no sequence has one of them."""
    for i in range(begin, end):
        if codes[i] < 0:
            return -1
    _count(codes, elements, begin, end, often)
    n = 0
    for i in range(begin, end):
        code = codes[i]
        if often[code] > index.first_token[code + 1] - index.first_token[code]:
            n = -1
            break
        if often[code] > 0:
            tokens[n] = index.first_token[code] + often[code] - 1
            often[code] = 0
            n += 1
    _clear(codes, begin, end, often)
    return n


@compiled
def _count_in_list(
    index: TokenHolders, token: int, codes: Array, elements: Array, begin: int, end: int, p: int, k: int
) -> int:
    found = 0
    for i in range(index.starts[token], index.starts[token + 1]):
        found += _is_one_more(index, index.lists[i], codes, elements, begin, end, p)
        if found == k:
            break
    return found


@compiled
def _count_in_bits(
    index: TokenHolders, tokens: Array, codes: Array, elements: Array, begin: int, end: int, p: int, k: int
) -> int:
    found = 0
    bits, line = index.bits, index.line
    for word in range(bits.shape[1]):
        having = bits[line[tokens[0]], word]
        for token in tokens[1:]:
            having &= bits[line[token], word]
        s = word * 64
        while having != np.uint64(0):
            while having & EIGHT == np.uint64(0):
                having >>= np.uint64(8)
                s += 8
            if having & np.uint64(1):
                found += _is_one_more(index, s, codes, elements, begin, end, p)
                if found == k:
                    return found
            having >>= np.uint64(1)
            s += 1
    return found


@compiled
def _is_one_more(
    index: TokenHolders, s: int, codes: Array, elements: Array, begin: int, end: int, p: int
) -> int:
    """Return 1 when a sequence contains pattern p and its person was not counted for it yet; else 0."""
    if index.people.size and index.met[index.people[s]] == p:
        return 0
    start, stop = index.offsets[s], index.offsets[s + 1]
    if index.elements.size == 0:
        found = _contains_in_order(index.codes, start, stop, codes, begin, end)
    else:
        found = _contains(index.codes, index.elements, start, stop, codes, elements, begin, end)
    if found and index.people.size:
        index.met[index.people[s]] = p
    return found


@compiled
def _contains_in_order(codes: Array, here: int, stop: int, own_codes: Array, begin: int, end: int) -> int:
    """Return 1 when the events of the pattern, each an element of its own, come in this order; else 0."""
    while begin < end and end - begin <= stop - here:
        if codes[here] == own_codes[begin]:
            begin += 1
        here += 1
    return int(begin == end)


@compiled
def _contains(
    codes: Array, elements: Array, here: int, stop: int,
    own_codes: Array, own_elements: Array, begin: int, end: int,
) -> int:  # fmt: skip
    """Return 1 when each element of the pattern is included, in order, in an element of its own; else 0.

    The first element that fits is the best, and events inside elements are sorted.
    """
    while begin < end:
        after = begin + 1
        while after < end and own_elements[after] == own_elements[begin]:
            after += 1
        wanted = begin
        while wanted < after:
            if here == stop:
                return 0
            element = elements[here]
            wanted = begin
            while here < stop and elements[here] == element:
                while wanted < after and own_codes[wanted] == codes[here]:
                    wanted += 1
                here += 1
        begin = after
    return 1


@compiled
def hash_sequences(codes: Array, elements: Array, offsets: Array) -> Array:
    """Number sequences, equal ones alike; different ones only almost always differ."""
    hashes = np.zeros(offsets.size - 1, np.uint64)
    for s in range(hashes.size):
        value = np.uint64(offsets[s + 1] - offsets[s])
        for i in range(offsets[s], offsets[s + 1]):
            begins = i == offsets[s] or elements[i] != elements[i - 1]
            value = (value ^ np.uint64(2 * codes[i] + 3 + begins)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        hashes[s] = value
    return hashes


@compiled
def are_equal(codes: Array, elements: Array, offsets: Array, others: Array) -> Array:
    """Return for each sequence whether it equals the other one named."""
    equal = np.zeros(others.size, np.bool_)
    for s in range(others.size):
        shift = offsets[others[s]] - offsets[s]
        length = offsets[s + 1] - offsets[s]
        same = length == offsets[others[s] + 1] - offsets[others[s]]
        i = offsets[s]
        while same and i < offsets[s] + length:
            begins = i == offsets[s] or elements[i] != elements[i - 1]
            other_begins = i == offsets[s] or elements[i + shift] != elements[i + shift - 1]
            same = codes[i] == codes[i + shift] and begins == other_begins
            i += 1
        equal[s] = same
    return equal


@compiled
def _count(codes: Array, elements: Array, begin: int, end: int, often: Array) -> None:
    """Count the elements that hold each event."""
    for i in range(begin, end):
        if not _is_repeat(codes, elements, begin, i):
            often[codes[i]] += 1


@compiled
def _is_repeat(codes: Array, elements: Array, begin: int, i: int) -> bool:
    """Return whether the row before is the same event of the same element; they are sorted."""
    return i > begin and elements[i] == elements[i - 1] and codes[i] == codes[i - 1]


@compiled
def _clear(codes: Array, begin: int, end: int, often: Array) -> None:
    for i in range(begin, end):
        often[codes[i]] = 0
