"""For each sequence a long subsequence of its own that enough sequences share.

Sequences are walked in lexicographic order. A state is a pattern made of events of the walked prefix; it knows
its witnesses: for every sequence that contains it, the earliest element where it can end. Each event of the
walked sequence is taken by a state, if at least k sequences go along, or skipped; the best states stay (a
beam). The beam depends on the prefix only, so sequences with a common prefix share the work, and patterns are
remembered in a hash table of (parent pattern, event) until the memory set aside for witnesses is full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.kernels.compile import Array, compiled

END = -1
EMPTY = -1
DEAD = -1
FAR = 255
PINNED = 1 << 60
BONUS = 100.0
ROOT = 0
BLOCK = 64
# Columns of Search.patterns: where its witnesses are and how many, how many people they stand for, what its
# events are worth together, that and a bonus for the support that is left, how many events, all but the last
# event, and the last one: 2 * code + 1 when it begins an element, else 2 * code.
START, SIZE, SUPPORT, WORTH, RANK, LENGTH, PARENT, SYMBOL = 0, 1, 2, 3, 4, 5, 6, 7
# Columns of Search.witnesses: the row of the first event of the element where a pattern ends, and people.
ROW, PEOPLE = 0, 1
# Columns of Search.children: (parent, symbol) as one number, and the pattern or DEAD.
KEY, CHILD = 0, 1
# Places of Search.counters: patterns, witnesses, children; depths from VALID on have a beam that is in memory.
PATTERNS, WITNESSES, CHILDREN, VALID = 0, 1, 2, 3


class Text(NamedTuple):
    """All sequences with an END row before each and after the last; what is known of every row and event."""

    codes: Array  # int32 per row
    is_plain: bool  # no element has more than one event
    begins: Array  # bool per row: the row begins an element
    first: Array  # int32 per row: the first row of its element
    after: Array  # int32 per row: the row after its element
    starts: Array  # int64 per sequence: the END row before it; one more for the last END row
    weights: Array  # int64 per sequence: how many people have it
    worth: Array  # int64 per event: what keeping it is worth
    slot: Array  # int32 per event: its line in jumps, -1 for none
    jumps: Array  # uint8 per line and row: how far the next such event in a later element is; 0 never, FAR or more


class Search(NamedTuple):
    """Memory of a walk, all of it set aside beforehand; a pattern fills one line of the processor's cache."""

    patterns: Array  # int64, a row per pattern
    witnesses: Array  # int32, a row per witness, pattern by pattern
    children: Array  # int64, a hash table
    beam: Array  # per depth the states: 2 * pattern, plus 1 while its last element may be joined
    width: Array  # per depth how many states
    best: Array  # state and rank of the candidates of one step
    members: Array  # events of one element
    counters: Array


@compiled
def fill_jumps(codes: Array, first: Array, slot: Array, jumps: Array) -> None:
    """Note for each first row of an element how far the next event of each kind is, in later elements."""
    last = np.zeros(jumps.shape[0], np.int64)
    row = codes.size - 1
    while row >= 0:
        begin = row if codes[row] == END else first[row]
        for line in range(last.size):
            if last[line] > 0:
                jumps[line, begin] = min(last[line] - begin, FAR)
        if codes[row] == END:
            last[:] = 0
        else:
            for r in range(begin, row + 1):
                if slot[codes[r]] >= 0:
                    last[slot[codes[r]]] = r
        row = begin - 1


@compiled
def plant_root(text: Text, search: Search, k: int) -> None:
    """Begin with the empty pattern, which everybody contains."""
    n = text.weights.size
    for s in range(n):
        search.witnesses[s, ROW] = text.starts[s]
        search.witnesses[s, PEOPLE] = text.weights[s]
        search.patterns[ROOT, SUPPORT] += text.weights[s]
    search.patterns[ROOT, SIZE] = n
    search.patterns[ROOT, RANK] = _bonus(search.patterns[ROOT, SUPPORT], k)
    search.counters[PATTERNS] = 1
    search.counters[WITNESSES] = n
    search.beam[0, 0] = 2 * ROOT
    search.width[0] = 1


@compiled
def walk(
    text: Text, search: Search, k: int, shared: Array, begin: int, stop: int, out: Array, ends: Array
) -> None:
    """Choose for the sequences begin..stop; ``ends[s + 1]`` says where in ``out`` the symbols of s end.

    ``shared`` tells how many rows each sequence has in common with the one before it.
    """
    for s in range(begin, stop):
        length = text.starts[s + 1] - text.starts[s] - 1
        depth = shared[s]
        if depth < search.counters[VALID]:
            depth = 0
            search.counters[VALID] = 0
        for d in range(depth, length):
            if _lacks_room(search, d):
                _forget(search, d)
            _step(text, search, k, d, text.starts[s] + 1 + d)
        ends[s + 1] = _write_best(search.patterns, search.beam[length], search.width[length], out, ends[s])


@compiled
def _step(text: Text, search: Search, k: int, depth: int, row: int) -> None:
    """Let every state of the beam skip or take the event of a row; keep the best states."""
    patterns, best, beam = search.patterns, search.best, search.beam
    code = text.codes[row]
    begins = text.begins[row]
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
def _offer(best: Array, found: int, state: int, rank: int) -> int:
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
def _add_child(text: Text, search: Search, k: int, node: int, symbol: int, place: int) -> int:
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
def _bonus(support: int, k: int) -> int:
    """Value what support is left above k: every halving that later events may still cost."""
    return np.int64(BONUS * np.log2(support / k)) if support > k else np.int64(0)


@compiled
def _jump(
    codes: Array,
    jumps: Array,
    witnesses: Array,
    begin: int,
    stop: int,
    end: int,
    support: int,
    k: int,
    code: int,
) -> tuple[int, int]:
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
    codes: Array, first: Array, after: Array, witnesses: Array, begin: int, stop: int, end: int, support: int,
    k: int, code: int,
) -> tuple[int, int]:  # fmt: skip
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
    codes: Array, first: Array, after: Array, witnesses: Array, begin: int, stop: int, end: int, support: int,
    k: int, code: int, members: Array,
) -> tuple[int, int]:  # fmt: skip
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
def _read_element(patterns: Array, node: int, members: Array) -> int:
    """Write the events of the last element of a pattern; gives how many there are."""
    n = 0
    while True:
        members[n] = patterns[node, SYMBOL] >> 1
        n += 1
        if patterns[node, SYMBOL] & 1:
            return n
        node = patterns[node, PARENT]


@compiled
def _element_with(codes: Array, first: Array, after: Array, members: Array, row: int, code: int) -> int:
    """Give the first element, from the one that begins at row on, with the code and all members; -1 for none."""
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
def _holds_all(element: Array, members: Array) -> bool:
    for member in members:
        place = 0
        while place < element.size and element[place] != member:
            place += 1
        if place == element.size:
            return False
    return True


@compiled
def _write_best(patterns: Array, states: Array, n_states: int, out: Array, end: int) -> int:
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
def _lacks_room(search: Search, depth: int) -> bool:
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
def _forget(search: Search, depth: int) -> None:
    """Keep the beam at this depth, patterns with many witnesses, and the bare events of their ancestors.

    Many witnesses are dear to find again. Up to half of the room that no step needs is left to them.
    """
    patterns, witnesses, beam = search.patterns, search.witnesses, search.beam
    n_patterns = search.counters[PATTERNS]
    many = _many_witnesses(search)
    new = np.zeros(n_patterns, np.int64)
    is_whole = patterns[:n_patterns, SIZE] >= many
    for b in range(search.width[depth]):
        is_whole[beam[depth, b] >> 1] = True
    for leaf in range(1, n_patterns):
        node = leaf if is_whole[leaf] else ROOT
        while node != ROOT and new[node] == 0:
            new[node] = 1
            node = patterns[node, PARENT]
    kept = 1
    top = patterns[ROOT, SIZE]
    for node in range(1, n_patterns):  # parents come first, and nothing moves to the right
        if new[node] == 0:
            continue
        new[node] = kept
        size = patterns[node, SIZE] if is_whole[node] else 0
        begin = patterns[node, START]
        for i in range(size):
            witnesses[top + i, ROW] = witnesses[begin + i, ROW]
            witnesses[top + i, PEOPLE] = witnesses[begin + i, PEOPLE]
        for column in range(patterns.shape[1]):
            patterns[kept, column] = patterns[node, column]
        patterns[kept, START], patterns[kept, SIZE] = top, size
        patterns[kept, PARENT] = new[patterns[kept, PARENT]]
        top += size
        kept += 1
    for b in range(search.width[depth]):
        beam[depth, b] = 2 * new[beam[depth, b] >> 1] + (beam[depth, b] & 1)
    is_whole[ROOT] = True
    search.counters[PATTERNS] = kept
    search.counters[WITNESSES] = top
    search.counters[CHILDREN] = _renumber_children(search.children, new, is_whole)
    search.counters[VALID] = depth


@compiled
def _many_witnesses(search: Search) -> int:
    """Give the least power of two such that patterns with so many witnesses fit into half of the spare room."""
    width = search.best.shape[0]
    spare_witnesses = search.witnesses.shape[0] - (2 * width + 1) * search.patterns[ROOT, SIZE]
    spare_patterns = search.patterns.shape[0] - 2 * width * search.beam.shape[0]
    sizes = np.zeros(64, np.int64)
    counts = np.zeros(64, np.int64)
    for node in range(1, search.counters[PATTERNS]):
        power = 0
        while (1 << (power + 1)) <= search.patterns[node, SIZE]:
            power += 1
        sizes[power] += search.patterns[node, SIZE]
        counts[power] += 1
    power = 62
    size, count = sizes[power], counts[power]
    # Ancestors are kept with their children, bare or not, and have as many witnesses: they are counted, too.
    while power > 0 and 2 * (size + sizes[power - 1]) <= spare_witnesses and (
        2 * (count + counts[power - 1]) <= spare_patterns
    ):
        power -= 1
        size += sizes[power]
        count += counts[power]
    return np.int64(1) << power


@compiled
def _renumber_children(children: Array, new: Array, is_whole: Array) -> int:
    """Keep what is known of patterns whose witnesses are still there, up to half of what the table takes."""
    keys = children[:, KEY].copy()
    values = children[:, CHILD].copy()
    children[:, KEY] = EMPTY
    used = 0
    for i in range(keys.size):
        node = keys[i] >> 32
        if 4 * used > keys.size:
            break
        if keys[i] != EMPTY and is_whole[node] and (values[i] == DEAD or is_whole[values[i]]):
            key = (new[node] << 32) | (keys[i] & 0xFFFFFFFF)
            place = _place_of(children, key)
            children[place, KEY] = key
            children[place, CHILD] = DEAD if values[i] == DEAD else new[values[i]]
            used += 1
    return used


@compiled
def _place_of(children: Array, key: np.int64) -> np.int64:
    """Find the key, or the free place where it belongs; the table is never full."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    last = children.shape[0] - 1
    place = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while children[place, KEY] != EMPTY and children[place, KEY] != key:
        place = (place + 1) & last
    return place
