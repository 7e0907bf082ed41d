"""A description by brute force, from rows (id, event, time)."""

from __future__ import annotations

from fractions import Fraction

from tests.sequences import naive as table


def describe(rows):
    all_elements = list(table.sequences(rows).values())
    plain = [table.unmarked(elements) for elements in all_elements]
    lengths = [sum(len(element) for element in elements) for elements in plain]
    events = sum(lengths)
    return {
        "sequences": len(all_elements),
        "rows": len(rows),
        "events": events,
        "marked": len(rows) - events,
        "distinct_events": len({row[1] for row in rows} - {None}),
        "elements": sum(len(elements) for elements in all_elements),
        "length_min": min(lengths),
        "length_25": quantile(lengths, Fraction(1, 4)),
        "length_50": quantile(lengths, Fraction(1, 2)),
        "length_75": quantile(lengths, Fraction(3, 4)),
        "length_max": max(lengths),
        "time_from": min(row[2] for row in rows),
        "time_to": max(row[2] for row in rows),
        "time_span": max(row[2] for row in rows) - min(row[2] for row in rows),
        "density": 1 - table.tree_nodes(plain) / events if events else None,
        "unique_sequence_share": sum(plain.count(elements) == 1 for elements in plain) / len(plain),
    }


def quantile(values, share):
    """Interpolate between the two nearest values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
