"""How many sequences have an event in a period of time, in the original and in the release."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.generalization.category_tree import CategoryTree
from pdseqpriv.generalization.original_and_release import OriginalAndRelease
from pdseqpriv.sequences.ragged import Flags, Ints, distinct

# As in the paper, the time is divided into this many parts of equal length.
PARTS = 100


class ShownRows(NamedTuple):
    """Which sequence shows which node, from which part of the time to which; arrays of equal length.

    One query looks at few rows, so that selecting them from a DataFrame would take longer than to count.
    """

    pair: Ints
    first: Ints
    last: Ints


def range_query_errors(both: OriginalAndRelease) -> tuple[float, float]:
    """Return the share of queries whose answer is too high, and of those whose answer is too low.

    There is one query per event and part of the time. For answers that are too low, only queries with a true
    answer above 0 count. A category answers for the monitored events below it; others are released as they
    are.
    """
    leaves = np.flatnonzero(both.tree.is_leaf)
    before, own, intervals = _before(both), _after(both, interval=False), _after(both, interval=True)
    too_high = too_low = answered = 0
    for part in range(PARTS):
        true = _hits(before, part, both.tree)[leaves]
        blurred = _hits_under(intervals, part, both.tree)
        shown = np.where(both.is_monitored, blurred, _hits(own, part, both.tree))[leaves]
        too_high += int((shown > true).sum())
        too_low += int((shown < true).sum())
        answered += int((true > 0).sum())
    return too_high / max(1, PARTS * leaves.size), too_low / max(1, answered)


def _before(both: OriginalAndRelease) -> ShownRows:
    part = _part(both, both.original["time"])
    return _rows(both, both.original["person"], both.original["node"], part, part)


def _after(both: OriginalAndRelease, *, interval: bool) -> ShownRows:
    known = both.released[(both.released["node"] >= 0) & (both.released["interval"] == interval)]
    first, last = _part(both, known["start"]), _part(both, known["end"])
    return _rows(both, known["sequence"], known["node"], first, last)


def _rows(both: OriginalAndRelease, who: pd.Series, node: pd.Series, first: Ints, last: Ints) -> ShownRows:
    pair = _joined(who.to_numpy(np.int64), node.to_numpy(np.int64), both.tree)
    once = pd.DataFrame({"pair": pair, "first": first, "last": last}).drop_duplicates()
    return ShownRows(*(once[name].to_numpy() for name in once.columns))


def _part(both: OriginalAndRelease, times: pd.Series) -> Ints:
    """Return the number of the part that each time falls into; the last one includes its end."""
    since = (times - both.original["time"].min()).to_numpy(float) if len(times) else np.zeros(0)
    return np.clip(since / (both.span or 1.0) * PARTS, 0, PARTS - 1).astype(np.int64)


def _pairs(rows: ShownRows, part: int) -> Ints:
    """Return which sequence shows which node in this part of the time, each pair as one number."""
    return distinct(rows.pair[(rows.first <= part) & (rows.last >= part)])


def _hits(rows: ShownRows, part: int, tree: CategoryTree) -> Ints:
    """Count, per node, the sequences that show it."""
    return np.bincount(_pairs(rows, part) % tree.parent.size, minlength=tree.parent.size)


def _hits_under(rows: ShownRows, part: int, tree: CategoryTree) -> Ints:
    """Count, per node, the sequences that show it or a category above it."""
    pairs = _pairs(rows, part)
    who, node = np.divmod(pairs, tree.parent.size)
    # A sequence that shows a category and something under it counts once, for the category.
    counted = ~_shows_above(pairs, who, node, tree)
    hits = np.bincount(node[counted], minlength=tree.parent.size)
    return _handed_down(hits, tree)


def _joined(who: Ints, node: Ints, tree: CategoryTree) -> Ints:
    return who * tree.parent.size + node


def _shows_above(pairs: Ints, who: Ints, node: Ints, tree: CategoryTree) -> Flags:
    found, at = np.zeros(node.size, bool), node
    for _ in range(tree.height):
        above = tree.parent[at]
        found |= (above != at) & np.isin(_joined(who, above, tree), pairs, assume_unique=False)
        at = above
    return found


def _handed_down(hits: Ints, tree: CategoryTree) -> Ints:
    """Add to every node what was counted for all those above it."""
    total, at = hits.copy(), np.arange(hits.size)
    for _ in range(tree.height):
        above = tree.parent[at]
        total += np.where(above != at, hits[above], 0)
        at = above
    return total
