"""Linking by best match, by brute force: every record of the release is held against what the attacker knows.

Sequences are lists of elements, each a list of events; the release has labels in the place of events.
``covers(label, event)`` says whether a label stands for an event: without a taxonomy, whether they are equal.
"""

from __future__ import annotations

from functools import cache


def equal(label, event):
    """Let a label stand for nothing but itself."""
    return label == event


def size(elements):
    """Count the events, each once per element."""
    return sum(len(set(element)) for element in elements)


def in_common(record, known, covers=equal):
    """Return the most labels of a record that can be matched in order: element by element, none crossing."""
    record, known = [set(element) for element in record], [set(element) for element in known]

    @cache
    def most(r, k):
        if r == len(record) or k == len(known):
            return 0
        both = sum(any(covers(label, event) for event in known[k]) for label in record[r])
        return max(both + most(r + 1, k + 1), most(r + 1, k), most(r, k + 1))

    return most(0, 0)


def is_inside(record, known, covers=equal):
    """Return whether the record is contained in what is known."""
    return fits(record, known, lambda labels, events: all(any(covers(x, e) for e in events) for x in labels))


def is_around(record, known, covers=equal):
    """Return whether the record contains all that is known."""
    return fits(known, record, lambda events, labels: all(any(covers(x, e) for x in labels) for e in events))


def fits(inner, outer, is_in):
    """Return whether the elements of one are in elements of the other, in order, each in one of its own."""

    @cache
    def rest(i, o):
        if i == len(inner) or o == len(outer):
            return i == len(inner)
        return (is_in(inner[i], outer[o]) and rest(i + 1, o + 1)) or rest(i, o + 1)

    return rest(0, 0)


def vagueness(record, others=None):
    """Count for how many other events the labels could stand; ``others`` says it for each label."""
    return sum(others[label] for element in record for label in set(element)) if others else 0


def best(records, score):
    """Return the numbers of the records with the lowest score."""
    lowest = min((score(record) for record in records.values()), default=None)
    return [number for number, record in records.items() if score(record) == lowest]


def by_containment(records, known, *, is_whole, covers=equal, others=None):
    """Return the records that the attacker takes: the longest one inside, or the shortest one around."""
    inside = {n: r for n, r in records.items() if is_inside(r, known, covers)}
    around = {n: r for n, r in records.items() if is_around(r, known, covers)}
    longest = best(inside, lambda record: (-size(record), vagueness(record, others)))
    shortest = best(around, lambda record: (size(record), vagueness(record, others)))
    return (longest or shortest) if is_whole else (shortest or longest)


def by_common_subsequence(records, known, *, covers=equal, others=None):
    """Return the records with the most in common; of these the shortest."""
    return best(
        records, lambda record: (-in_common(record, known, covers), size(record), vagueness(record, others))
    )


def attacked(records, own, person, known, *, matches, covers=equal):
    """Return how likely a pick is the person's own record, and what it tells: true events, and wrong ones."""
    if not matches:
        return {"chance": 0, "learned": 0, "mistaken": 0}
    true = [in_common(records[number], person, covers) for number in matches]
    new = [all_ - in_common(records[n], known, covers) for n, all_ in zip(matches, true, strict=True)]
    wrong = [size(records[n]) - all_ for n, all_ in zip(matches, true, strict=True)]
    return {
        "chance": 1 / len(matches) if own in matches else 0,
        "learned": sum(new) / len(matches),
        "mistaken": sum(wrong) / len(matches),
    }


def row(outcomes, k):
    """Sum up what happened to all people."""
    chances = [one["chance"] for one in outcomes]
    people = len(outcomes)
    return {
        "people": people,
        "unique_share": sum(chance == 1 for chance in chances) / people,
        "below_k_share": sum(chance > 1 / k for chance in chances) / people,
        "worst_probability": max(chances),
        "mean_probability": sum(chances) / people,
        "events_learned": sum(one["learned"] for one in outcomes) / people,
        "events_mistaken": sum(one["mistaken"] for one in outcomes) / people,
    }
