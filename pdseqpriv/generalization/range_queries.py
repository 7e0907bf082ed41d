"""How many sequences have an event in a part of the time: asked of both tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.generalization.category_tree import Ancestry
from pdseqpriv.generalization.original_and_release import Ints, Pair

# As in the paper: the time is cut into so many parts of equal length.
PARTS = 100


def range_query_errors(pair: Pair) -> tuple[float, float]:
    """Give the share of queries with too high, and with too low an answer.

    One query per event and part of the time. Of the second kind only queries with an answer count. A category
    answers for the monitored events under it; others are published as they are.
    """
    leaves = np.flatnonzero(pair.ancestry.is_leaf)
    before, own, intervals = _before(pair), _after(pair, interval=False), _after(pair, interval=True)
    too_high = too_low = answered = 0
    for part in range(PARTS):
        true = _hits(before, part, pair.ancestry)[leaves]
        blurred = _hits_under(intervals, part, pair.ancestry)
        shown = np.where(pair.is_monitored, blurred, _hits(own, part, pair.ancestry))[leaves]
        too_high += int((shown > true).sum())
        too_low += int((shown < true).sum())
        answered += int((true > 0).sum())
    return too_high / max(1, PARTS * leaves.size), too_low / max(1, answered)


def _before(pair: Pair) -> pd.DataFrame:
    part = _part(pair, pair.original["time"])
    rows = pair.original.assign(who=pair.original["person"], first=part, last=part)
    return rows[["who", "node", "first", "last"]].drop_duplicates()


def _after(pair: Pair, *, interval: bool) -> pd.DataFrame:
    known = pair.released[(pair.released["node"] >= 0) & (pair.released["interval"] == interval)]
    rows = known.assign(
        who=known["sequence"], first=_part(pair, known["start"]), last=_part(pair, known["end"])
    )
    return rows[["who", "node", "first", "last"]].drop_duplicates()


def _part(pair: Pair, times: pd.Series) -> Ints:
    """Give the number of the part that each time falls into; the last one includes its end."""
    since = (times - pair.original["time"].min()).to_numpy(float) if len(times) else np.zeros(0)
    return np.clip(since / (pair.span or 1.0) * PARTS, 0, PARTS - 1).astype(np.int64)


def _pairs(rows: pd.DataFrame, part: int, ancestry: Ancestry) -> Ints:
    """Give, as one number each, who shows which node in this part of the time."""
    there = rows[(rows["first"] <= part) & (rows["last"] >= part)]
    return np.unique(_joined(there["who"].to_numpy(np.int64), there["node"].to_numpy(np.int64), ancestry))


def _hits(rows: pd.DataFrame, part: int, ancestry: Ancestry) -> Ints:
    """Count, per node, the sequences that show it."""
    return np.bincount(_pairs(rows, part, ancestry) % ancestry.parent.size, minlength=ancestry.parent.size)


def _hits_under(rows: pd.DataFrame, part: int, ancestry: Ancestry) -> Ints:
    """Count, per node, the sequences that show it or a category above it."""
    pairs = _pairs(rows, part, ancestry)
    who, node = np.divmod(pairs, ancestry.parent.size)
    # A sequence that shows a category and something under it counts once, for the category.
    counted = ~_shows_above(pairs, who, node, ancestry)
    hits = np.bincount(node[counted], minlength=ancestry.parent.size)
    return _handed_down(hits, ancestry)


def _joined(who: Ints, node: Ints, ancestry: Ancestry) -> Ints:
    return who * ancestry.parent.size + node


def _shows_above(pairs: Ints, who: Ints, node: Ints, ancestry: Ancestry) -> NDArray[np.bool_]:
    found, at = np.zeros(node.size, bool), node
    for _ in range(ancestry.height):
        above = ancestry.parent[at]
        found |= (above != at) & np.isin(_joined(who, above, ancestry), pairs, assume_unique=False)
        at = above
    return found


def _handed_down(hits: Ints, ancestry: Ancestry) -> Ints:
    """Add to every node what was counted for all those above it."""
    total, at = hits.copy(), np.arange(hits.size)
    for _ in range(ancestry.height):
        above = ancestry.parent[at]
        total += np.where(above != at, hits[above], 0)
        at = above
    return total
