"""Where patterns are, by listing every match of plain sequences and sorting them."""

from __future__ import annotations

from tests.hiding.naive import matches


def find(sequences, patterns, limit, row_of):
    """Return (sequence, pattern, match, position, event, time, row) for every event, in the order promised.

    ``sequences`` are by id, each a list of (time, events); ``row_of`` is the first row of (id, time, event).
    """
    listed = []
    for owner in sorted(sequences):
        for number, pattern in enumerate(patterns, 1):
            found = [
                tuple((place, sorted(events)) for place, events in match)
                for match in matches(sequences[owner], pattern)
            ]
            for match_number, match in enumerate(sorted(found)[:limit], 1):
                for position, (place, events) in enumerate(match, 1):
                    time = sequences[owner][place][0]
                    listed += [
                        (owner, number, match_number, position, event, time, row_of[owner, time, event])
                        for event in events
                    ]
    return listed
