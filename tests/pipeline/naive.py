"""The promises of all operations by brute force, on rows (id, event, time); None is a mark."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise

ANY = float("inf")


def elements_of(rows):
    """Return, for each id, its elements in time order: (time, events). Marks keep their place."""
    by_id = defaultdict(lambda: defaultdict(list))
    for one, event, time in rows:
        by_id[one][time] += [] if event is None else [event]
    return {one: sorted(elements.items()) for one, elements in by_id.items()}


def shows(sequence, events, *, gap=ANY, window=ANY):
    """Return whether single events follow each other with at most so many elements between two of them."""
    for places in combinations(range(len(sequence)), len(events)):
        fits = all(event in sequence[i][1] for i, event in zip(places, events, strict=True))
        near = all(j - i - 1 <= gap for i, j in pairwise(places))
        if fits and near and places[-1] - places[0] + 1 <= window:
            return True
    return False


def support(rows, owners, pattern):
    """Count the people of whom a sequence shows the pattern."""
    return len({owners[one] for one, sequence in elements_of(rows).items() if shows(sequence, **pattern)})


def is_below(rows, events, delta, scope, owners):
    """Return whether no event reaches delta in any prefix of a sequence, a person, or the table."""
    whose = {"sequence": lambda one: one, "person": owners.get, "table": lambda _: 0}[scope]
    pooled = defaultdict(list)
    for one, event, time in rows:
        if event is not None:
            pooled[whose(one)].append((time, event))
    for told in pooled.values():
        for end, _ in told:
            until = [event for time, event in told if time <= end]
            if any(
                until.count(event) > 0 and Fraction(until.count(event), len(until)) >= delta
                for event in events
            ):
                return False
    return True


def plain(sequence):
    """Return the sets of events, without marks."""
    return tuple(frozenset(events) for _, events in sequence if events)


def contains(whole, part):
    """Return whether a part is contained: sets included in later and later sets."""
    place = 0
    for element in part:
        while place < len(whole) and not element <= whole[place]:
            place += 1
        if place == len(whole):
            return False
        place += 1
    return True


def is_k_anonymous(before, owners, after, owners_after, *, k, guarantee):
    """Return whether k people share what is released, and for "identical" all that it looks like."""
    original = {one: plain(sequence) for one, sequence in elements_of(before).items()}
    released = {one: plain(sequence) for one, sequence in elements_of(after).items()}
    for part in set(released.values()):
        if len({owners[one] for one, whole in original.items() if contains(whole, part)}) < k:
            return False
        if guarantee == "mutual":
            having = {owners_after[one] for one, whole in released.items() if contains(whole, part)}
            if len(having) < k:
                return False
    if guarantee == "identical":
        looks = defaultdict(list)
        for one, event, time in after:
            looks[one].append((time, str(event)))
        people = defaultdict(set)
        for one, rows in looks.items():
            people[tuple(sorted(rows))].add(owners_after[one])
        return all(len(having) >= k for having in people.values())
    return True
