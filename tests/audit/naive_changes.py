"""What became of events, by trying every way to match what was with what is.

Elements are lists of events, None for a marked one; ``covers(label, event)`` says whether a label is a
category above an event.
"""

from __future__ import annotations

from functools import cache
from itertools import chain

KINDS = ("kept", "coarser", "marked", "replaced", "deleted", "added")


def nothing_covers(_label, _event):
    return False


def in_common(before, after, covers):
    """Return (matched, kept): as many labels as can stand for different events, and as many unchanged."""
    before, after = [e for e in before if e is not None], [e for e in after if e is not None]
    if not after:
        return 0, 0
    label, rest = after[0], after[1:]
    ways = [in_common(before, rest, covers)]
    for place, event in enumerate(before):
        if label == event or covers(label, event):
            matched, kept = in_common(before[:place] + before[place + 1 :], rest, covers)
            ways.append((matched + 1, kept + (label == event)))
    return max(ways)


def rest(before, after, matched, kept, *, may_replace):
    """Say what happened to all that is not matched."""
    gone = sum(e is not None for e in before) - matched
    new = sum(e is not None for e in after) - matched
    marked = min(gone, max(0, after.count(None) - before.count(None)))
    replaced = min(gone - marked, new) if may_replace else 0
    return [kept, matched - kept, marked, replaced, gone - marked - replaced, new - replaced]


def by_time(before, after, covers=nothing_covers):
    """Compare two sequences, each a dict of elements by their times."""
    total = [0] * len(KINDS)
    for time in sorted({*before, *after}):
        here, there = before.get(time, []), after.get(time, [])
        found = rest(here, there, *in_common(here, there, covers), may_replace=True)
        total = [one + other for one, other in zip(total, found, strict=True)]
    return total


def by_order(before, after, covers=nothing_covers):
    """Compare two sequences, each a list of elements, that are matched in order."""

    @cache
    def best(i, j):
        if i == len(before) or j == len(after):
            return 0, 0
        here, further = in_common(before[i], after[j], covers), best(i + 1, j + 1)
        return max((here[0] + further[0], here[1] + further[1]), best(i + 1, j), best(i, j + 1))

    all_before, all_after = (list(chain.from_iterable(one)) for one in (before, after))
    return rest(all_before, all_after, *best(0, 0), may_replace=False)


def by_cover(before, after, covers):
    """Compare a list of (event, time) with a list of (label, from, to)."""
    found = dict.fromkeys(KINDS, 0)
    for event, time in before:
        around = [r for r in after if r[1] <= time <= r[2] and (r[0] == event or covers(r[0], event))]
        kind = "kept" if (event, time, time) in around else "coarser" if around else "deleted"
        found[kind] += 1
    found["added"] = sum(
        not any((r[0] == e or covers(r[0], e)) and r[1] <= t <= r[2] for e, t in before) for r in after
    )
    return list(found.values())
