"""Classes of sequences that are released as equal ones: a pattern that all members contain, made to say more.

A class begins with a short pattern. Refinements that all its members go along with are carried out. Where
there is none, those that say most become classes of their own, together with the members that go along, as
long as k people are in each of them and k stay behind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.k_anonymity.kernels.different_people import (
    DifferentPeople,
    are_counted,
    are_enough,
    begin_count,
    meet,
    on_their_own,
)
from pdseqpriv.k_anonymity.kernels.element_matching import STOP, Book, contains, cut_elements, says_something
from pdseqpriv.k_anonymity.kernels.piles import Pile, no_classes, pop_class, push_class
from pdseqpriv.k_anonymity.kernels.refinements import (
    CHOICE,
    EMPTY,
    KEY,
    KINDS,
    OFTEN,
    PEOPLE,
    Counter,
    count_refinements,
    gain_of,
    make_counter,
    note_choices,
    refine,
)

# Refinements among which members choose at once: one bit each.
CHOICES = 64
ONE = np.uint64(1)


class Classes(NamedTuple):
    """Members and pattern of each class, one class after the other."""

    members: Array
    starts: Array
    symbols: Array
    offsets: Array
    is_done: Array  # whether the pattern cannot say more


@compiled
def grow_classes(book: Book, classes: Classes, k: int, once: bool, pulse: Array) -> Grown:
    """Refine and divide classes until all are done, or each of them once."""
    counter, people = make_counter(book, classes.members), on_their_own(book.people)
    members = classes.members.copy()
    waiting, found = no_classes(), no_classes()
    for c in range(classes.is_done.size - 1, -1, -1):
        pattern = classes.symbols[classes.offsets[c] : classes.offsets[c + 1]]
        waiting = push_class(waiting, classes.starts[c], classes.starts[c + 1], pattern, classes.is_done[c])
    while waiting.size[0] > 0 and pulse[STOP] == 0:
        begin, stop, pattern, is_done = pop_class(waiting)
        if is_done:
            found = push_class(found, begin, stop, pattern, True)
            continue
        counter = count_refinements(book, members[begin:stop], pattern, counter, pulse)
        parts = _refined(book, people, members, begin, stop, pattern, k, counter, pulse)
        while parts.size[0] > 0:
            part = pop_class(parts)
            if once:
                found = push_class(found, *part)
            else:
                waiting = push_class(waiting, *part)
    return Grown(members, found.lines[: found.size[0]], found.symbols)


class Grown(NamedTuple):
    """Members, and for each class their range, whether it is done, and the end of its pattern in symbols."""

    members: Array
    lines: Array
    symbols: Array


@compiled
def _refined(
    book: Book, people: DifferentPeople, members: Array, begin: int, stop: int, pattern: Array, k: int,
    counter: Counter, pulse: Array,
) -> Pile:  # fmt: skip
    """Refine the pattern of a class for all its members, or divide the class; done if neither is possible."""
    own = members[begin:stop]
    total = 0
    for s in own:
        total += book.counts[s]
    if total < k or not are_enough(
        people, own, k
    ):  # they are left with an empty pattern, which is not released
        return push_class(no_classes(), begin, stop, pattern, True)
    keys = _shared_by_all(book, pattern, total, counter)
    if keys.size:
        return push_class(no_classes(), begin, stop, _refined_for_all(book, own, pattern, keys, pulse), False)
    keys, least = _best_choices(book, pattern, total, k, counter)
    if not keys.size:
        return push_class(no_classes(), begin, stop, pattern, True)
    bits = note_choices(book, own, pattern, counter, pulse)
    return _divided(book, people, members, begin, stop, pattern, k, keys, least, bits)


@compiled
def _shared_by_all(book: Book, pattern: Array, total: int, counter: Counter) -> Array:
    """Return the refinements that all go along with, the best of them for each place and kind."""
    best = np.full((pattern.size + 1) * KINDS, EMPTY, np.int64)
    for i in range(counter.n_used[0]):
        line = counter.table[counter.used[i]]
        where = line[KEY] >> 32
        if line[PEOPLE] == total and _is_better(book, pattern, counter, counter.used[i], best[where]):
            best[where] = counter.used[i]
    keys = np.empty(best.size, np.int64)
    n, first = 0, EMPTY
    for where in range(best.size):
        if best[where] != EMPTY:
            keys[n] = counter.table[best[where], KEY]
            # The best of all comes first: it can always be carried out.
            if _is_better(book, pattern, counter, best[where], first):
                first = best[where]
                keys[0], keys[n] = keys[n], keys[0]
            n += 1
    return keys[:n]


@compiled
def _is_better(book: Book, pattern: Array, counter: Counter, one: int, other: int) -> bool:
    """Return which of two refinements says more of more people; of equal ones, which is there more often.

    What is there more often leaves more room for the next refinement.
    """
    if other == EMPTY:
        return True
    a, b = counter.table[one], counter.table[other]
    gain_a = a[PEOPLE] * gain_of(book, pattern, a[KEY])
    gain_b = b[PEOPLE] * gain_of(book, pattern, b[KEY])
    if gain_a != gain_b:
        return bool(gain_a > gain_b)
    return bool((-a[OFTEN], a[KEY]) < (-b[OFTEN], b[KEY]))


@compiled
def _refined_for_all(book: Book, own: Array, pattern: Array, keys: Array, pulse: Array) -> Array:
    """Carry as many refinements out at once as fit together: all, every second one, every fourth ..."""
    step = 1
    while True:
        refined = refine(pattern, keys[::step])
        if step >= keys.size or _all_contain(book, own, refined, pulse):
            return refined
        step *= 2


@compiled
def _all_contain(book: Book, own: Array, pattern: Array, pulse: Array) -> bool:
    cuts, n = cut_elements(pattern)
    for s in own:
        if pulse[STOP] != 0 or not contains(book, s, pattern, cuts, n):
            return False
    return True


@compiled
def _best_choices(book: Book, pattern: Array, total: int, k: int, counter: Counter) -> tuple[Array, int]:
    """Return the refinements that say most of at least k people, and what all others say at most."""
    best = np.empty(CHOICES, np.int64)
    n, least = 0, 0
    for i in range(counter.n_used[0]):
        place = counter.used[i]
        people = counter.table[place, PEOPLE]
        if people < k or (total - people < k and says_something(book, pattern)):
            continue
        at = n
        while at > 0 and _is_better(book, pattern, counter, place, best[at - 1]):
            at -= 1
        falls_out = best[n - 1] if n == CHOICES else EMPTY
        if at == CHOICES:
            falls_out = place
        else:
            n = min(n + 1, CHOICES)
            for j in range(n - 1, at, -1):
                best[j] = best[j - 1]
            best[at] = place
        if falls_out != EMPTY:
            line = counter.table[falls_out]
            least = max(least, line[PEOPLE] * gain_of(book, pattern, line[KEY]))
    keys = np.empty(n, np.int64)
    for i in range(n):
        keys[i] = counter.table[best[i], KEY]
        counter.table[best[i], CHOICE] = i
    return keys, least


@compiled
def _divided(
    book: Book, people: DifferentPeople, members: Array, begin: int, stop: int, pattern: Array, k: int,
    keys: Array, least: int, bits: Array,
) -> Pile:  # fmt: skip
    """Let the best choice take its members along, then the best for those who are left, and so on.

    A choice that by then says less than others that are not among the choices must wait.
    """
    parts = no_classes()
    own = members[begin:stop].copy()
    gains = np.empty(keys.size, np.int64)
    for choice in range(keys.size):
        gains[choice] = gain_of(book, pattern, keys[choice])
    counts = np.zeros(keys.size + 1, np.int64)  # in the last place all who are left
    for x in range(own.size):
        _count_choices(counts, bits[x], book.counts[own[x]])
    # Nobody is released with an empty pattern, so they may be few.
    at_least = k if says_something(book, pattern) else 0
    place, n_left = begin, own.size
    while True:
        choice = _best_choice(counts, gains, k, at_least, least)
        if choice == EMPTY and place == begin and least > 0:  # none of the best is possible: take what is
            least = 0
            continue
        if choice == EMPTY:
            break
        if not _are_enough_on_both_sides(people, own[:n_left], bits, choice, k, at_least):
            gains[choice] = 0  # with fewer members left, they will not be enough either
            continue
        first, n = place, 0
        for x in range(n_left):
            if (bits[x] >> np.uint64(choice)) & ONE:
                members[place] = own[x]
                place += 1
                _count_choices(counts, bits[x], -book.counts[own[x]])
            else:
                own[n], bits[n] = own[x], bits[x]
                n += 1
        n_left = n
        parts = push_class(parts, first, place, refine(pattern, keys[choice : choice + 1]), False)
    for x in range(n_left):
        members[place + x] = own[x]
    return push_class(parts, place, stop, pattern, place == begin) if n_left else parts


@compiled
def _are_enough_on_both_sides(
    people: DifferentPeople, own: Array, bits: Array, choice: int, k: int, at_least: int
) -> bool:
    """Return whether k different people go along with a choice, and enough stay behind, or nobody."""
    if not are_counted(people):
        return True
    for side in range(2):
        wanted, found, n = k if side else at_least, 0, 0
        begin_count(people)
        for x in range(own.size):
            if found >= wanted:
                break
            if (bits[x] >> np.uint64(choice)) & ONE == np.uint64(side):
                found += meet(people, own[x], wanted - found)
                n += 1
        if found < wanted and (side or n):
            return False
    return True


@compiled
def _count_choices(people: Array, bits: np.uint64, number: int) -> None:
    people[-1] += number
    choice = 0
    while bits:
        if bits & ONE:
            people[choice] += number
        bits >>= ONE
        choice += 1


@compiled
def _best_choice(people: Array, gains: Array, k: int, at_least: int, least: int) -> int:
    """Return the choice that says most of the members who are left; EMPTY if there is none."""
    best, most = EMPTY, 0
    for choice in range(gains.size):
        says, stay = people[choice] * gains[choice], people[-1] - people[choice]
        if people[choice] >= k and (stay >= at_least or stay == 0) and says >= least and says > most:
            best, most = choice, says
    return best
