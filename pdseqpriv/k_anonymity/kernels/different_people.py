"""Are they enough different people? Counted exactly, and only as far as is needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled


class DifferentPeople(NamedTuple):
    """The different people of each sequence, as numbers; no offsets where every sequence is a person."""

    numbers: Array
    offsets: Array
    seen: Array  # per person the last count that met them, and in the last place the number of that count


NO_PEOPLE = DifferentPeople(np.empty(0, np.int64), np.empty(0, np.int64), np.zeros(1, np.int64))


@compiled
def heads_of(people: DifferentPeople, counts: Array) -> Array:
    """Return how many different people have each sequence, given how often it is there."""
    return np.diff(people.offsets) if are_counted(people) else counts


@compiled
def are_counted(people: DifferentPeople) -> bool:
    """Return whether people have several sequences; else the counts of sequences are those of people."""
    return people.offsets.size > 0


@compiled
def on_their_own(people: DifferentPeople) -> DifferentPeople:
    """Return the same people with a memory of their own, for a thread."""
    return DifferentPeople(people.numbers, people.offsets, np.zeros_like(people.seen))


@compiled
def begin_count(people: DifferentPeople) -> None:
    """Forget whom the last count met."""
    people.seen[-1] += 1


@compiled
def meet(people: DifferentPeople, s: int, wanted: int) -> int:
    """Count the people of a sequence whom this count has not met yet, up to as many as are wanted."""
    new, count = 0, people.seen[-1]
    for i in range(people.offsets[s], people.offsets[s + 1]):
        if new >= wanted:
            break
        if people.seen[people.numbers[i]] != count:
            people.seen[people.numbers[i]] = count
            new += 1
    return new


@compiled
def are_enough(people: DifferentPeople, sequences: Array, k: int) -> bool:
    """Return whether these sequences, of which at least k count, belong to k different people."""
    if not are_counted(people):
        return True
    begin_count(people)
    found = 0
    for s in sequences:
        found += meet(people, s, k - found)
        if found >= k:
            return True
    return False
