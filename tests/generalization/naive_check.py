"""What a generalized release must satisfy, from the definitions of the paper, on plain lists.

Sequences are lists of (event, time), releases are lists of (event, from, to), events are text, times are
exact numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, pairwise


def covers(category, event, links: Mapping[str, str] | None, everything):
    """Climb from the event to see whether it is the category or under it; flat when there are no links."""
    if links is None:
        return category in (event, everything)
    while event != category and event in links:
        event = links[event]
    return event == category


def problems(
    original,
    released,
    groups,
    *,
    monitored,
    k=1,
    diversity=None,
    sensitive=(),
    links=None,
    root,
    person_of=None,
    intervals="apart",
):
    """List all that is wrong with a release.

    ``original`` and ``released`` hold the rows of each kept sequence by its name, ``groups`` its group, and
    ``person_of`` its person, if it is not a person of its own. ``intervals`` says whether all must be apart.
    """
    found = []
    members = {}
    for name, group in groups.items():
        members.setdefault(group, []).append(name)
    for names in members.values():
        shown = {tuple(sorted(intervals_of(released[name], monitored, original))) for name in names}
        if len(shown) != 1:
            found.append("members of a group differ in monitored rows")
            continue
        theirs, rows = next(iter(shown)), [original[name] for name in names]
        found += coverage_problems(theirs, rows, monitored, links, root)
        found += overlap_problems(theirs, links, root, may_be_unrelated=intervals == "by_category")
        people = pooled({name: original[name] for name in names}, person_of)
        if len(people) < k:
            found.append("a group is too small")
        if diversity is not None:
            found += diversity_problems(people, sensitive, *diversity)
    for name in groups:
        own = Counter((e, t, t) for e, t in original[name] if e not in monitored)
        rest = Counter(released[name])
        rest.subtract(Counter(intervals_of(released[name], monitored, original)))
        if own != +rest:
            found.append("rows that are not monitored have changed")
    return found


def pooled(sequences, person_of):
    """Return the rows of each person, whichever of their sequences they are in."""
    people = {}
    for name, rows in sequences.items():
        people.setdefault(name if person_of is None else person_of[name], []).extend(rows)
    return list(people.values())


def intervals_of(rows, monitored, original):
    """Return the released rows that stand for monitored events: all that are no other event of the table."""
    others = {e for events in original.values() for e, _ in events if e not in monitored}
    return [row for row in rows if row[0] not in others]


def coverage_problems(intervals, sequences, monitored, links, root):
    """Property 2.3, strong coverage, both ways."""
    found = []
    for sequence in sequences:
        known = [(e, t) for e, t in sequence if e in monitored]

        def is_covered(interval, row):
            return interval[1] <= row[1] <= interval[2] and covers(interval[0], row[0], links, root)

        if any(not any(is_covered(interval, row) for row in known) for interval in intervals):
            found.append("an interval covers nothing of a member")
        if any(not any(is_covered(interval, row) for interval in intervals) for row in known):
            found.append("a monitored row of a member is not covered")
    return found


def overlap_problems(intervals, links, root, *, may_be_unrelated):
    """Intervals that share a time, unless they may if neither category is the other or above it."""
    for one, other in combinations(intervals, 2):
        is_related = covers(one[0], other[0], links, root) or covers(other[0], one[0], links, root)
        if max(one[1], other[1]) <= min(one[2], other[2]) and (is_related or not may_be_unrelated):
            return ["intervals overlap"]
    return []


def diversity_problems(sequences, sensitive, g, l):  # noqa: E741 (as in the paper)
    """Definition 2.7, for windows that begin at rows, end at rows, or do so half-way between."""
    times = sorted({t for sequence in sequences for _, t in sequence})
    starts = {t - back for t in times for back in (0, g) if back != float("inf")} if times else set()
    ordered = sorted(starts)
    starts |= {Fraction(a + b) / 2 for a, b in pairwise(ordered)}
    found = []
    for event in sensitive:
        moments = [own for rows in sequences if (own := [t for e, t in rows if e == event])]
        for start in starts:
            end = start + g if g != float("inf") else times[-1]
            share = sum(any(start <= t <= end for t in own) for own in moments)
            if share * l > len(sequences):
                found.append("a sensitive event is too certain")
    return found
