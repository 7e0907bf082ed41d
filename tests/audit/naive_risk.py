"""The linking attack by brute force: everything an attacker may know, everyone it fits."""

from __future__ import annotations

from itertools import combinations

from tests.sequences.naive import contains

NOBODY = None


def knowledge(elements, known):
    """Return every distinct pattern of ``known`` events of a sequence; all of it when it is shorter."""
    events = [(place, event) for place, element in enumerate(elements) for event in sorted(set(element))]
    patterns = set()
    for chosen in combinations(events, min(known, len(events))):
        places = sorted({place for place, _ in chosen})
        patterns.add(tuple(tuple(e for p, e in chosen if p == place) for place in places))
    return patterns


def candidates(pattern, original, released, k):
    """Return among how many a person hides, as in the proof of theorem 1; None when nobody is found."""
    in_original = sum(contains(elements, pattern) for elements in original)
    in_release = sum(contains(elements, pattern) for elements in released)
    if in_release == 0:
        return NOBODY
    if in_original < k or in_release >= k:
        return in_release
    return in_original


def risk(original, released, known, k):
    """Return the numbers of one row of the risk table."""
    worst, averages = [], []
    for elements in original:
        found = [candidates(p, original, released, k) for p in knowledge(elements, known)]
        chances = [0 if count is NOBODY else 1 / count for count in found]
        worst.append(max(chances))
        averages.append(sum(chances) / len(chances))
    return row_of(worst, averages, k)


def row_of(worst, averages, k):
    """Sum up the worst and the average chance of finding each person."""
    people = len(worst)
    return {
        "people": people,
        "unique_share": sum(chance == 1 for chance in worst) / people,
        "below_k_share": sum(chance > 1 / k for chance in worst) / people,
        "worst_probability": max(worst),
        "mean_worst_probability": sum(worst) / people,
        "mean_probability": sum(averages) / people,
    }


def any_order(elements):
    """Forget the order: one event after the other, sorted."""
    return [[event] for event in sorted(event for element in elements for event in element)]
