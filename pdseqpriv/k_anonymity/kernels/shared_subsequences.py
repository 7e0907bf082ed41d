"""For each sequence a long subsequence of its own that enough sequences share.

Sequences are walked in lexicographic order. A state is a pattern made of events of the walked prefix; it
knows its witnesses: for every sequence that contains it, the earliest element where it can end. Each event of
the walked sequence is taken by a state, if at least k sequences go along, or skipped; the best states stay (a
beam). The beam depends on the prefix only, so sequences with a common prefix share the work, and patterns are
remembered in a hash table of (parent pattern, event) until the memory set aside for them is full.
"""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.search_memory import (
    CHILD,
    CHILDREN,
    DEAD,
    EMPTY,
    END,
    FAR,
    KEY,
    LENGTH,
    PARENT,
    PATTERNS,
    PEOPLE,
    RANK,
    ROOT,
    ROW,
    SIZE,
    START,
    SUPPORT,
    SYMBOL,
    VALID,
    WITNESSES,
    WORTH,
    Search,
    Text,
    Whole,
)

# States that are shared as a whole rank before all others.
PINNED = 1 << 60
# What a halving of the support is worth; the most popular event is worth ten times that.
BONUS = 100.0
# Witnesses looked at before asking whether enough are left.
BLOCK = 64
# Instead of a depth: begin where the sequence differs from the one before.
ANEW = -1


@compiled
def walk(
    text: Text,
    search: Search,
    k: Whole,
    shared: Array,
    begin: Whole,
    depth: Whole,
    stop: Whole,
    out: Array,
    ends: Array,
) -> tuple[Whole, Whole]:
    """Choose for the sequences begin..stop; ``ends[s + 1]`` says where in ``out`` the symbols of s end.

    ``shared`` tells how many rows each sequence has in common with the one before it. Gives (stop, ANEW), or,
    when there is no room for the next step, the sequence and the depth to go on from after forgetting.
    """
    for s in range(begin, stop):
        length = text.starts[s + 1] - text.starts[s] - 1
        if depth == ANEW:
            depth = shared[s]
            if depth < search.counters[VALID]:
                depth = 0
                search.counters[VALID] = 0
        while depth < length:
            if _lacks_room(search, depth):
                return s, depth
            _step(text, search, k, depth, text.starts[s] + 1 + depth)
            depth += 1
        ends[s + 1] = _write_best(search.patterns, search.beam[length], search.width[length], out, ends[s])
        depth = ANEW
    return stop, ANEW


@compiled
def rank_root(patterns: Array, k: Whole) -> None:
    """Rank the empty pattern, which everybody contains."""
    patterns[ROOT, RANK] = _bonus(patterns[ROOT, SUPPORT], k)


@compiled
def put_children(children: Array, keys: Array, values: Array) -> None:
    """Fill the table of children with these only."""
    children[:, KEY] = EMPTY
    for i in range(keys.size):
        place = _place_of(children, keys[i])
        children[place, KEY] = keys[i]
        children[place, CHILD] = values[i]


@compiled
def _step(text: Text, search: Search, k: Whole, depth: Whole, row: Whole) -> None:
    """Let every state of the beam skip or take the event of a row; keep the best states."""
    patterns, best, beam = search.patterns, search.best, search.beam
    code, begins = text.codes[row], text.begins[row]
    worth = text.worth[code]
    # Whether the element goes on must not be looked up: another sequence with this prefix may differ.
    stays_open = 0 if text.is_plain else 1
    found = 0
    for b in range(search.width[depth]):
        node = beam[depth, b] >> 1
        is_open = 0 if begins else beam[depth, b] & 1
        found = _offer(best, found, 2 * node + is_open, patterns[node, RANK])
        # A sequence that is shared as a whole must come out whole.
        whole = patterns[node, LENGTH] == depth
        # A child has at most the support of its parent: no need to look when even that is too little.
        at_most = patterns[node, RANK] + worth
        if not whole and found == best.shape[0] and best[found - 1, 1] >= at_most:
            continue
        symbol = 2 * code + 1 - is_open
        place = _place_of(search.children, (np.int64(node) << 32) | np.int64(symbol))
        child = search.children[place, CHILD]
        if search.children[place, KEY] == EMPTY:
            child = _add_child(text, search, k, node, symbol, place)
        if child != DEAD:
            rank = PINNED if whole else patterns[child, RANK]
            found = _offer(best, found, 2 * child + stays_open, rank)
    for b in range(found):
        beam[depth + 1, b] = best[b, 0]
    search.width[depth + 1] = found


@compiled
def _offer(best: Array, found: Whole, state: Whole, rank: Whole) -> Whole:
    """Put a state in its place among the best, after those of equal rank; the last may fall out."""
    for i in range(found):
        if best[i, 0] == state:
            return found
    place = found
    while place > 0 and best[place - 1, 1] < rank:
        place -= 1
    if place == best.shape[0]:
        return found
    last = min(found, best.shape[0] - 1)
    for i in range(last, place, -1):
        best[i, 0] = best[i - 1, 0]
        best[i, 1] = best[i - 1, 1]
    best[place, 0] = state
    best[place, 1] = rank
    return last + 1


@compiled
def _add_child(text: Text, search: Search, k: Whole, node: Whole, symbol: Whole, place: Whole) -> Whole:
    """Make the pattern with one event more, or note that it is DEAD: fewer than k people share it."""
    code = symbol >> 1
    top = search.counters[WITNESSES]
    begin, support = search.patterns[node, START], search.patterns[node, SUPPORT]
    stop = begin + search.patterns[node, SIZE]
    if symbol & 1 == 0:
        n_members = _read_element(search.patterns, node, search.members)
        end, support = _join(
            text.codes, text.first, text.after, search.witnesses, begin, stop, top, support, k, code,
            search.members[:n_members],
        )  # fmt: skip
    elif text.is_plain and text.slot[code] >= 0:
        jumps = text.jumps[text.slot[code]]
        end, support = _jump(text.codes, jumps, search.witnesses, begin, stop, top, support, k, code)
    else:
        end, support = _follow(
            text.codes, text.first, text.after, search.witnesses, begin, stop, top, support, k, code
        )
    child = np.int64(DEAD)
    if support >= k:
        child = search.counters[PATTERNS]
        line = search.patterns[child]
        line[START], line[SIZE], line[SUPPORT] = top, end - top, support
        line[WORTH] = search.patterns[node, WORTH] + text.worth[code]
        line[RANK] = line[WORTH] + _bonus(support, k)
        line[LENGTH] = search.patterns[node, LENGTH] + 1
        line[PARENT], line[SYMBOL] = node, symbol
        search.counters[PATTERNS] += 1
        search.counters[WITNESSES] = end
    search.children[place, KEY] = (np.int64(node) << 32) | np.int64(symbol)
    search.children[place, CHILD] = child
    search.counters[CHILDREN] += 1
    return child


@compiled
def _bonus(support: Whole, k: Whole) -> Whole:
    """Value what support is left above k: every halving that later events may still cost."""
    return np.int64(BONUS * np.log2(support / k)) if support > k else np.int64(0)


@compiled
def _jump(
    codes: Array,
    jumps: Array,
    witnesses: Array,
    begin: Whole,
    stop: Whole,
    end: Whole,
    support: Whole,
    k: Whole,
    code: Whole,
) -> tuple[Whole, Whole]:
    """Find the witnesses of a pattern with one element more, where every row is an element.

    Writes them at end, gives the new end and their support; gives up when fewer than k people can be left.
    """
    while begin < stop and support >= k:
        block = min(begin + BLOCK, stop)
        for i in range(begin, block):
            row, people = witnesses[i, ROW], witnesses[i, PEOPLE]
            jump = np.int32(jumps[row])
            row += jump
            if jump == FAR:
                while codes[row] != code:
                    row += 1
            # Written always and counted on a hit only: no branch to mispredict.
            witnesses[end, ROW] = row
            witnesses[end, PEOPLE] = people
            end += 1 if jump > 0 else 0
            support -= people if jump == 0 else 0
        begin = block
    return end, support


@compiled
def _follow(
    codes: Array, first: Array, after: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, code: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Do what _jump does, for elements with several events and for events without a line of jumps."""
    for i in range(begin, stop):
        row = after[witnesses[i, ROW]]
        while codes[row] != code and codes[row] != END:
            row += 1
        if codes[row] == code:
            witnesses[end, ROW] = first[row]
            witnesses[end, PEOPLE] = witnesses[i, PEOPLE]
            end += 1
        else:
            support -= witnesses[i, PEOPLE]
            if support < k:
                break
    return end, support


@compiled
def _join(
    codes: Array, first: Array, after: Array, witnesses: Array, begin: Whole, stop: Whole, end: Whole,
    support: Whole, k: Whole, code: Whole, members: Array,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Find the witnesses of a pattern whose last element, with these members, gets one event more."""
    for i in range(begin, stop):
        row = _element_with(codes, first, after, members, witnesses[i, ROW], code)
        if row >= 0:
            witnesses[end, ROW] = row
            witnesses[end, PEOPLE] = witnesses[i, PEOPLE]
            end += 1
        else:
            support -= witnesses[i, PEOPLE]
            if support < k:
                break
    return end, support


@compiled
def _read_element(patterns: Array, node: Whole, members: Array) -> Whole:
    """Write the events of the last element of a pattern; gives how many there are."""
    n = 0
    while True:
        members[n] = patterns[node, SYMBOL] >> 1
        n += 1
        if patterns[node, SYMBOL] & 1:
            return n
        node = patterns[node, PARENT]


@compiled
def _element_with(codes: Array, first: Array, after: Array, members: Array, row: Whole, code: Whole) -> Whole:
    """Give the first element, from the one at row on, with the code and all members; -1 for none."""
    here = row
    while True:
        while codes[here] != code and codes[here] != END:
            here += 1
        if codes[here] == END:
            return -1
        if first[here] == row or _holds_all(codes[first[here] : after[here]], members):
            return first[here]
        here = after[here]


@compiled
def _holds_all(element: Array, members: Array) -> Whole:
    for member in members:
        place = 0
        while place < element.size and element[place] != member:
            place += 1
        if place == element.size:
            return False
    return True


@compiled
def _write_best(patterns: Array, states: Array, n_states: Whole, out: Array, end: Whole) -> Whole:
    """Write the symbols of the state that is worth most, then has most support; gives the new end."""
    best = states[0] >> 1
    for state in states[1:n_states]:
        node = state >> 1
        if patterns[node, WORTH] > patterns[best, WORTH] or (
            patterns[node, WORTH] == patterns[best, WORTH]
            and patterns[node, SUPPORT] > patterns[best, SUPPORT]
        ):
            best = node
    new_end = end + patterns[best, LENGTH]
    place = new_end
    while best != ROOT:
        place -= 1
        out[place] = patterns[best, SYMBOL]
        best = patterns[best, PARENT]
    return new_end


@compiled
def _lacks_room(search: Search, depth: Whole) -> Whole:
    """Tell whether the next step might not find room; a witness is written one past the last hit."""
    needed = 1
    for b in range(search.width[depth]):
        needed += search.patterns[search.beam[depth, b] >> 1, SIZE]
    width = search.best.shape[0]
    return (
        search.counters[WITNESSES] + needed > search.witnesses.shape[0]
        or search.counters[PATTERNS] + width > search.patterns.shape[0]
        or 2 * (search.counters[CHILDREN] + width) > search.children.shape[0]
    )


@compiled
def _place_of(children: Array, key: Whole) -> Whole:
    """Find the key, or the free place where it belongs; the table is never full."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    last = children.shape[0] - 1
    place = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while children[place, KEY] != EMPTY and children[place, KEY] != key:
        place = (place + 1) & last
    return place
