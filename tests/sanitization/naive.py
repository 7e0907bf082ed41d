"""Sanitization by brute force and as in the paper, on plain lists and fractions.

An event sequence is a list of time points; a time point is a dict from event to
the number of its occurrences. Deletions have the same shape.
"""

from fractions import Fraction
from itertools import product
from typing import Any

Points = list[dict[Any, int]]


def distribution(point: dict[Any, int], alphabet: set[Any]) -> dict[Any, Fraction]:
    """The 0.5-smoothed distribution of one time point; both sides of the fraction are doubled."""
    doubled = {event: 2 * point.get(event, 0) + 1 for event in alphabet}
    total = sum(doubled.values())
    return {event: Fraction(count, total) for event, count in doubled.items()}


def point_error(before: dict[Any, int], after: dict[Any, int], alphabet: set[Any]) -> Fraction:
    """The sanitization error of one time point."""
    p, q = distribution(before, alphabet), distribution(after, alphabet)
    return sum(((p[event] - q[event]) ** 2 for event in alphabet), Fraction(0))


def without(point: dict[Any, int], deleted: dict[Any, int]) -> dict[Any, int]:
    """What is left of a time point."""
    return {event: count - deleted.get(event, 0) for event, count in point.items()}


def error(before: Points, after: Points, alphabet: set[Any]) -> Fraction:
    """The sanitization error of a whole event sequence."""
    pairs = zip(before, after, strict=True)
    return sum((point_error(p, q, alphabet) for p, q in pairs), Fraction(0))


def is_below(points: Points, sensitive: list[Any], delta: Fraction) -> bool:
    """Whether no sensitive event reaches delta in any prefix."""
    for end in range(1, len(points) + 1):
        length = sum(sum(point.values()) for point in points[:end])
        for event in sensitive:
            count = sum(point.get(event, 0) for point in points[:end])
            if count > 0 and Fraction(count, length) >= delta:
                return False
    return True


def brute_force(
    points: Points, sensitive: list[Any], delta: Fraction, alphabet: set[Any]
) -> tuple[Fraction, Points]:
    """The least error over all ways to delete, and one way that has it."""
    ways = []
    for point in points:
        present = [event for event in sensitive if point.get(event, 0)]
        counts = product(*(range(point[event] + 1) for event in present))
        left = [without(point, dict(zip(present, chosen, strict=True))) for chosen in counts]
        costed = [(point_error(point, after, alphabet), after) for after in left]
        ways.append(sorted(costed, key=lambda way: way[0]))
    best: list[Any] = [None, []]

    def extend(chosen: Points, cost: Fraction) -> None:
        if best[0] is not None and cost >= best[0]:
            return
        if not is_below(chosen, sensitive, delta):
            return
        if len(chosen) == len(points):
            best[:] = [cost, list(chosen)]
            return
        for extra, after in ways[len(chosen)]:
            extend([*chosen, after], cost + extra)

    extend([], Fraction(0))
    return best[0], best[1]


def least_to_delete(count: int, length: int, delta: Fraction) -> int:
    """The paper's b_j, strictly: the fewest deletions that bring a count below delta."""
    for b in range(count):
        if Fraction(count - b, length - b) < delta:
            return b
    return count


def odesa(points: Points, event: Any, delta: Fraction, alphabet: set[Any]) -> Points:
    """The paper's dynamic programme for one sensitive event."""
    needed, count, length = [], 0, 0
    for point in points:
        count += point.get(event, 0)
        length += sum(point.values())
        needed.append(least_to_delete(count, length, delta))
    best: dict[int, tuple[Fraction, tuple[int, ...]]] = {0: (Fraction(0), ())}
    for point, need in zip(points, needed, strict=True):
        reached: dict[int, tuple[Fraction, tuple[int, ...]]] = {}
        for done, (cost, path) in best.items():
            for k in range(point.get(event, 0) + 1):
                if done + k < need:
                    continue
                total = cost + point_error(point, without(point, {event: k}), alphabet)
                if done + k not in reached or total < reached[done + k][0]:
                    reached[done + k] = (total, (*path, k))
        best = reached
    _, path = min(best.values(), key=lambda entry: entry[0])
    return [without(point, {event: k}) for point, k in zip(points, path, strict=True)]


def essa(points: Points, sensitive: list[Any], delta: Fraction, alphabet: set[Any]) -> Points:
    """The paper's iteration over the sensitive events, in the order given."""
    left = points
    while not is_below(left, sensitive, delta):
        for event in sensitive:
            left = odesa(left, event, delta, alphabet)
    return left


def is_camouflaged(points: Points, sensitive: list[Any], delta: Fraction, k: int) -> bool:
    """Whether a sensitive event always has k - 1 others below delta that occur as often."""
    for end in range(1, len(points) + 1):
        counts: dict[Any, int] = {}
        for point in points[:end]:
            for event, count in point.items():
                counts[event] = counts.get(event, 0) + count
        length = sum(counts.values())
        for event in sensitive:
            own = counts.get(event, 0)
            company = [
                other
                for other, count in counts.items()
                if other not in sensitive and count >= own and Fraction(count, length or 1) < delta
            ]
            if own > 0 and len(company) < k - 1:
                return False
    return True


def ghosts(before: Points, after: Points, delta: Fraction) -> set[Any]:
    """Events that are infrequent in a prefix before and frequent in the same prefix after."""
    found = set()
    for end in range(1, len(before) + 1):
        lengths = [sum(sum(point.values()) for point in side[:end]) for side in (before, after)]
        for event in {event for point in before for event in point}:
            had, has = (sum(point.get(event, 0) for point in side[:end]) for side in (before, after))
            was = had > 0 and Fraction(had, lengths[0]) >= delta
            if not was and has > 0 and Fraction(has, lengths[1]) >= delta:
                found.add(event)
    return found
