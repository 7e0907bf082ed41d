"""What all miners share: patterns grow depth first, one level of the search per event.

``children`` has a row per frequent extension of the patterns on the way: its code, its support, and what else
a miner keeps of it. ``levels`` has a row per pattern on the way: which child comes next, where its children
begin and end, its number, and what else a miner keeps. The children of a level come directly after those of
the level above, so that nothing has to be freed when a level is done.

A weight and a count travel in the same 64 bits, as ``weight * UNIT + count``: that is what "packed" means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

NEXT, BEGIN, END, PATTERN, LEVEL_COLUMNS = range(5)
CODE, SUPPORT, FIRST, LAST, CHILD_COLUMNS = range(5)
UNIT = 1 << 32


class SearchLimits(NamedTuple):
    """What all searches of one call have in common."""

    n_events: int
    min_support: int
    max_length: int
    most: int  # patterns below one first event
    stop: Array  # uint8, not 0 when the search is to end
    found: Array  # int64, patterns so far below each first event


class Entries(NamedTuple):
    """Where a pattern goes on: one place in a text per sequence, and the packed weight of the sequence.

    Sequences of one person are next to each other.
    """

    text: Array  # int32
    places: Array  # int64
    packed: Array  # int64
    people: Array  # int64, number of the person; empty if each sequence is a person of its own


@compiled
def first_pattern(event: int, support: int) -> tuple[Array, Array, Array]:
    """Begin the list of patterns: parent, code and support of each."""
    parents, codes, supports = np.empty(256, np.int32), np.empty(256, np.int32), np.empty(256, np.int64)
    parents[0], codes[0], supports[0] = -1, event, support
    return parents, codes, supports


@compiled
def next_child(levels: Array, level: int) -> tuple[int, int]:
    """Return the deepest level, from this one up, with a child left, and that child; (-1, -1) at the end."""
    while level >= 0 and levels[level, NEXT] == levels[level, END]:
        level -= 1
    if level < 0:
        return -1, -1
    levels[level, NEXT] += 1
    return level, levels[level, NEXT] - 1


@compiled
def with_pattern(
    found: tuple[Array, Array, Array], number: int, parent: int, child: Array
) -> tuple[Array, Array, Array]:
    """Add the pattern that consists of a parent and one child."""
    parents, codes, supports = found
    if number == len(parents):
        parents = with_room(parents, number + 1)
        codes = with_room(codes, number + 1)
        supports = with_room(supports, number + 1)
    parents[number], codes[number], supports[number] = parent, child[CODE], child[SUPPORT]
    return parents, codes, supports


@compiled
def with_level(levels: Array, level: int, first: int, last: int, pattern: int) -> Array:
    """Open a level for the children of a pattern."""
    levels = with_room(levels, level + 1)
    levels[level, NEXT], levels[level, BEGIN], levels[level, END] = first, first, last
    levels[level, PATTERN] = pattern
    return levels


@compiled
def with_room(array: Array, needed: int) -> Array:
    """Return the array, or a larger copy if it has fewer rows than needed."""
    if needed <= len(array):
        return array
    larger = np.empty((2 * needed, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def first_rows(found: tuple[Array, Array, Array], number: int) -> tuple[Array, Array, Array]:
    """Return the first patterns of the list, without spare room."""
    parents, codes, supports = found
    return parents[:number].copy(), codes[:number].copy(), supports[:number].copy()


@compiled
def count_followers(
    entries: Entries, begin: int, end: int, counts: Array, last_seen: Array, tick: int
) -> tuple[int, int, int]:
    """Add up, per event, the packed weights of the sequences in which it follows a place.

    A person's weight counts once, however many of their sequences have the event. ``last_seen`` holds ticks
    of earlier sequences only. Gives the last tick, and how long the texts that follow are: the longest, and
    all together.
    """
    text, places, packed, people = entries
    longest, total, first_tick = 0, 0, 0
    for entry in range(begin, end):
        tick += 1
        weight = packed[entry]
        place = places[entry]
        code = text[place]
        if len(people) and entry > begin and people[entry] == people[entry - 1]:
            while code >= 0:
                is_new_person = last_seen[code] < first_tick
                counts[code] += (weight - 1) * is_new_person + (last_seen[code] != tick)
                last_seen[code] = tick
                place += 1
                code = text[place]
        else:
            first_tick = tick
            while code >= 0:
                counts[code] += weight * (last_seen[code] != tick)
                last_seen[code] = tick
                place += 1
                code = text[place]
        length = place - places[entry]
        total += length
        longest = max(longest, length)
    return tick, longest, total


@compiled
def with_children(
    children: Array,
    child_top: int,
    names: int,
    counts: Array,
    min_support: int,
    place_top: int,
    target: Array,
) -> tuple[Array, int, int]:
    """List the frequent extensions, with room for the places of each from ``place_top`` on.

    Codes are counted; where ``names`` is not negative, they stand for the codes of the children from there
    on. ``target`` gets the rank of each code among the new children, or -1. Gives the children, how many they
    are now, and how far places may fill their stack.
    """
    children = with_room(children, child_top + len(counts))
    rank = 0
    for code in range(len(counts)):
        target[code] = -1
        if counts[code] >> 32 >= min_support:
            target[code] = rank
            rank += 1
            children[child_top, CODE] = code if names < 0 else children[names + code, CODE]
            children[child_top, SUPPORT] = counts[code] >> 32
            children[child_top, FIRST], children[child_top, LAST] = place_top, place_top
            place_top += counts[code] & (UNIT - 1)
            child_top += 1
    return children, child_top, place_top


@compiled
def flatten_tree(parents: Array, tree_codes: Array, frequent: Array) -> tuple[Array, Array, Array]:
    """Spell out patterns that were found as a tree: each is its parent's events and one more.

    A code is a place among the frequent events; beyond them, it is one that joins the last element.
    """
    n_patterns = len(parents)
    offsets = np.zeros(n_patterns + 1, np.int64)
    lengths = np.empty(n_patterns, np.int64)
    for pattern in range(n_patterns):
        parent = parents[pattern]
        lengths[pattern] = 1 if parent < 0 else lengths[parent] + 1
        offsets[pattern + 1] = offsets[pattern] + lengths[pattern]
    codes = np.empty(offsets[-1], np.int32)
    joined = np.empty(offsets[-1], np.bool_)
    for pattern in range(n_patterns):
        place = offsets[pattern + 1] - 1
        joined[place] = tree_codes[pattern] >= len(frequent)
        codes[place] = frequent[tree_codes[pattern] - joined[place] * len(frequent)]
        if parents[pattern] >= 0:
            begin = offsets[parents[pattern]]
            for step in range(lengths[pattern] - 1):
                codes[offsets[pattern] + step] = codes[begin + step]
                joined[offsets[pattern] + step] = joined[begin + step]
    return codes, offsets, joined
