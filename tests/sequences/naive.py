"""The table by brute force: sequences as lists of elements, each a sorted list of events."""

from __future__ import annotations


def sequences(rows, *, ties="element"):
    """Turn rows (id, event, time) into {id: [[event, ...], ...]}; marked events are None."""
    result = {}
    for owner in sorted({row[0] for row in rows}):
        own = [row for row in rows if row[0] == owner]
        if ties == "order":
            result[owner] = [[event] for _, event, _ in sorted(own, key=lambda row: row[2])]
            continue
        times = sorted({row[2] for row in own})
        result[owner] = [
            sorted((e for _, e, t in own if t == time), key=lambda e: -1 if e is None else e)
            for time in times
        ]
    return result


def unmarked(elements):
    """Leave marked events, and elements with nothing else, out."""
    kept = [[event for event in element if event is not None] for element in elements]
    return [element for element in kept if element]


def tree_nodes(all_elements):
    """Count the distinct prefixes, event by event, of sequences of elements."""
    prefixes = set()
    for elements in all_elements:
        path = []
        for element in elements:
            for place, event in enumerate(element):
                path.append((event, place == 0))
                prefixes.add(tuple(path))
    return len(prefixes)


def contains(elements, pattern):
    """Return whether pattern elements are included, in order, in elements at increasing places."""
    place = 0
    for wanted in pattern:
        while place < len(elements) and not set(wanted) <= set(elements[place]):
            place += 1
        if place == len(elements):
            return False
        place += 1
    return True
