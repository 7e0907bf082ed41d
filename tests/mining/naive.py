"""Frequent patterns by growing one event at a time and counting containment in plain lists."""

from __future__ import annotations

from tests.sequences.naive import contains


def support(sequences, pattern):
    return sum(contains(sequence, pattern) for sequence in sequences)


def mine(sequences, min_support, max_length=None):
    """Return a dict from pattern (tuple of sorted tuples) to support."""
    return mine_people([[sequence] for sequence in sequences], min_support, max_length)


def mine_people(people, min_support, max_length=None):
    """The same for people, each a list of sequences: how many have one that contains the pattern."""
    events = sorted({e for person in people for sequence in person for element in sequence for e in element})
    found = {}
    layer = [()]
    length = 0
    while layer and (max_length is None or length < max_length):
        longer = set()
        for pattern in layer:
            for event in events:
                longer.add((*pattern, (event,)))
                if pattern and event > pattern[-1][-1]:
                    longer.add((*pattern[:-1], (*pattern[-1], event)))
        layer = []
        length += 1
        for pattern in longer:
            count = sum(support(person, pattern) > 0 for person in people)
            if count >= min_support:
                found[pattern] = count
                layer.append(pattern)
    return found


def length(pattern):
    """Count the events of a pattern."""
    return sum(len(element) for element in pattern)
