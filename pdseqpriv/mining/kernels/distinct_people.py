"""Equal people only once: those whose sequences are the same, apart from how often they occur."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import Array, compiled
from pdseqpriv.mining.kernels.equal_lists import number_equal

END_OF_LIST = -1


@compiled
def list_people(people: Array, numbers: Array, first: Array) -> tuple[Array, Array, Array]:
    """List the sequences of all distinct people: where each begins, its weight, and its person.

    ``numbers`` says which distinct sequence each is, ``first`` where these begin in the text; sequences are
    in order of their people.
    """
    lists, starts = _write_lists(people, numbers, len(first))
    begins, of_people = number_equal(lists, starts)
    totals = np.zeros(len(begins), np.int64)
    for person in of_people:
        totals[person] += 1
    size = 0
    for person in range(len(begins)):
        place = begins[person]
        while lists[place] != END_OF_LIST:
            size += 1
            place += 1
    places, weights, owners = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    top = 0
    for person in range(len(begins)):
        place = begins[person]
        while lists[place] != END_OF_LIST:
            places[top], weights[top], owners[top] = first[lists[place]], totals[person], person
            top += 1
            place += 1
    return places, weights, owners


@compiled
def _write_lists(people: Array, numbers: Array, n_numbers: int) -> tuple[Array, Array]:
    """Write for each person the numbers of their sequences, in order and each once."""
    own = _sort_inside(people, numbers, n_numbers)
    lists = np.empty(2 * len(people), np.int32)
    starts = np.zeros(len(people) + 1, np.int64)
    top, n_lists = 0, 0
    for place in range(len(people)):
        is_same_person = place > 0 and people[place] == people[place - 1]
        if place > 0 and not is_same_person:
            lists[top] = END_OF_LIST
            top += 1
            n_lists += 1
            starts[n_lists] = top
        if not is_same_person or own[place] != own[place - 1]:
            lists[top] = own[place]
            top += 1
    if len(people):
        lists[top] = END_OF_LIST
        top += 1
        n_lists += 1
        starts[n_lists] = top
    return lists[:top].copy(), starts[: n_lists + 1].copy()


@compiled
def _sort_inside(people: Array, numbers: Array, n_numbers: int) -> Array:
    """Sort the numbers of each person: by counting, all at once."""
    ends = np.zeros(n_numbers + 1, np.int64)
    for number in numbers:
        ends[number + 1] += 1
    for number in range(n_numbers):
        ends[number + 1] += ends[number]
    by_number = np.empty(len(numbers), np.int64)
    for place in range(len(numbers)):
        by_number[ends[numbers[place]]] = place
        ends[numbers[place]] += 1
    # Where each person's numbers begin, and how many of them are written.
    begins, filled = np.zeros(len(people), np.int64), np.zeros(len(people), np.int64)
    for place in range(1, len(people)):
        begins[place] = begins[place - 1] if people[place] == people[place - 1] else place
    own = np.empty_like(numbers)
    for sequence in by_number:
        begin = begins[sequence]
        own[begin + filled[begin]] = numbers[sequence]
        filled[begin] += 1
    return own
