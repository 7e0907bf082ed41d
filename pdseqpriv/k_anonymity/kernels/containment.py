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
            counts[c] = _count_in_bits(index, tokens, n_tokens, codes, elements, begin, end, p, k)
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
        s = index.lists[i]
        start, stop = index.offsets[s], index.offsets[s + 1]
        # Handing on single arrays: to hand on the whole index for each sequence takes longer than the look.
        if _is_new(index.people, index.met, s, p) and _contains(
            index.codes, index.elements, start, stop, codes, elements, begin, end
        ):
            _note(index.people, index.met, s, p)
            found += 1
            if found == k:
                break
    return found


@compiled
def _count_in_bits(
    index: TokenHolders, tokens: Array, n_tokens: int,
    codes: Array, elements: Array, begin: int, end: int, p: int, k: int,
) -> int:  # fmt: skip
    found = 0
    bits, line = index.bits, index.line
    for word in range(bits.shape[1]):
        having = bits[line[tokens[0]], word]
        for t in range(1, n_tokens):
            having &= bits[line[tokens[t]], word]
        s = word * 64
        while having != np.uint64(0):
            while having & EIGHT == np.uint64(0):
                having >>= np.uint64(8)
                s += 8
            if having & np.uint64(1):
                start, stop = index.offsets[s], index.offsets[s + 1]
                if _is_new(index.people, index.met, s, p) and _contains(
                    index.codes, index.elements, start, stop, codes, elements, begin, end
                ):
                    _note(index.people, index.met, s, p)
                    found += 1
                    if found == k:
                        return found
            having >>= np.uint64(1)
            s += 1
    return found


@compiled
def _is_new(people: Array, met: Array, s: int, p: int) -> bool:
    """Return whether the person of a sequence was not counted for pattern p yet."""
    return people.size == 0 or met[people[s]] != p


@compiled
def _note(people: Array, met: Array, s: int, p: int) -> None:
    if people.size:
        met[people[s]] = p


@compiled
def _contains(
    codes: Array, elements: Array, here: int, stop: int,
    own_codes: Array, own_elements: Array, begin: int, end: int,
) -> int:  # fmt: skip
    """Return 1 when each element of the pattern is included, in order, in an element of its own; else 0."""
    if elements.size == 0:
        return _contains_events(codes, here, stop, own_codes, begin, end)
    return _contains_sets(codes, elements, here, stop, own_codes, own_elements, begin, end)


@compiled
def _contains_events(codes: Array, here: int, stop: int, own_codes: Array, begin: int, end: int) -> int:
    """The same where every event is an element of its own."""
    last = stop - (end - begin)  # where the next event can be at the latest
    for i in range(begin, end):
        while here <= last and codes[here] != own_codes[i]:
            here += 1
        if here > last:
            return 0
        here += 1
        last += 1
    return 1


@compiled
def _contains_sets(
    codes: Array, elements: Array, here: int, stop: int,
    own_codes: Array, own_elements: Array, begin: int, end: int,
) -> int:  # fmt: skip
    """The same where elements can hold several events, which are sorted; the first that fits is the best."""
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
