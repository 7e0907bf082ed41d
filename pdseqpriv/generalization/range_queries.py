"""How many sequences have an event in a period of time, in the original and in the release."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdseqpriv.generalization.category_tree import CategoryTree
from pdseqpriv.generalization.original_and_release import OriginalAndRelease
from pdseqpriv.sequences.ragged import Flags, Ints, distinct

# As in the paper, the time is divided into this many parts of equal length.
PARTS = 100


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


def _before(both: OriginalAndRelease) -> pd.DataFrame:
    part = _part(both, both.original["time"])
    rows = both.original.assign(who=both.original["person"], first=part, last=part)
    return rows[["who", "node", "first", "last"]].drop_duplicates()


def _after(both: OriginalAndRelease, *, interval: bool) -> pd.DataFrame:
    known = both.released[(both.released["node"] >= 0) & (both.released["interval"] == interval)]
    rows = known.assign(
        who=known["sequence"], first=_part(both, known["start"]), last=_part(both, known["end"])
    )
    return rows[["who", "node", "first", "last"]].drop_duplicates()


def _part(both: OriginalAndRelease, times: pd.Series) -> Ints:
    """Return the number of the part that each time falls into; the last one includes its end."""
    since = (times - both.original["time"].min()).to_numpy(float) if len(times) else np.zeros(0)
    return np.clip(since / (both.span or 1.0) * PARTS, 0, PARTS - 1).astype(np.int64)


def _pairs(rows: pd.DataFrame, part: int, tree: CategoryTree) -> Ints:
    """Return which sequence shows which node in this part of the time, each pair as one number."""
    there = rows[(rows["first"] <= part) & (rows["last"] >= part)]
    return distinct(_joined(there["who"].to_numpy(np.int64), there["node"].to_numpy(np.int64), tree))


def _hits(rows: pd.DataFrame, part: int, tree: CategoryTree) -> Ints:
    """Count, per node, the sequences that show it."""
    return np.bincount(_pairs(rows, part, tree) % tree.parent.size, minlength=tree.parent.size)


def _hits_under(rows: pd.DataFrame, part: int, tree: CategoryTree) -> Ints:
    """Count, per node, the sequences that show it or a category above it."""
    pairs = _pairs(rows, part, tree)
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
