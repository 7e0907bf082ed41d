"""How many sequences have one event soon after another, in the original and in the release."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.generalization.kernels.covered_pairs import count_covered
from pdseqpriv.generalization.kernels.unions import count_unions
from pdseqpriv.generalization.original_and_release import OriginalAndRelease
from pdseqpriv.sequences.ragged import Ints, distinct, offsets_of, owners_of

# Pairs of rows that are processed at a time.
_CHUNK = 1 << 22

# A pair of events missing from the release counts as half a sequence; 0 would make the divergence infinite.
_UNSEEN = 0.5
_LARGER_FIRST = [True, True, False]


def causality_divergence(both: OriginalAndRelease, window: float) -> float:
    """Return the Kullback-Leibler divergence between both tables.

    A pair (x, y) counts a sequence that has y at the same time as x or up to ``window`` later. In the release
    y must start when x has ended or up to ``window`` later, and categories count for all events under them.
    What the release shows is a distribution over all pairs, also over those that the original does not have.
    """
    true = _count(_followers(_before(both), window))
    if not len(true):
        return 0.0
    shown = _followers(_after(both), window)
    hits = _covering(shown, true, both)
    seen = np.maximum(hits, _UNSEEN)
    p = true["sequences"].to_numpy(float) / true["sequences"].sum()
    q = seen / (_count_shown(shown, both) + (seen - hits).sum())
    return float((p * np.log(p / q)).sum())


class TimedRows(NamedTuple):
    """Rows sorted by sequence and start; one sequence after the other."""

    who: Ints
    node: Ints
    start: Ints
    end: Ints


def _before(both: OriginalAndRelease) -> TimedRows:
    rows = both.original.sort_values(["person", "time"], kind="stable")
    time = rows["time"].to_numpy()
    return TimedRows(rows["person"].to_numpy(np.int64), rows["node"].to_numpy(np.int64), time, time)


def _after(both: OriginalAndRelease) -> TimedRows:
    rows = both.released[both.released["node"] >= 0].sort_values(["sequence", "start"], kind="stable")
    columns = rows["sequence"].to_numpy(np.int64), rows["node"].to_numpy(np.int64)
    return TimedRows(*columns, rows["start"].to_numpy(), rows["end"].to_numpy())


def _followers(rows: TimedRows, window: float) -> pd.DataFrame:
    """Return which sequence shows which node within the window after which other node, each case once."""
    ranks = pd.Series(rows.start).rank(method="dense").to_numpy(np.int64) if rows.start.size else rows.who
    starts = distinct(rows.start)
    width = starts.size + 2
    position = rows.who * width + ranks
    first = np.searchsorted(position, rows.who * width + np.searchsorted(starts, rows.end) + 1)
    latest = np.searchsorted(starts, rows.end + window, side="right") + 1
    last = np.searchsorted(position, rows.who * width + latest)
    pairs = np.cumsum(np.maximum(last - first, 0))
    ends = np.searchsorted(pairs, np.arange(_CHUNK, pairs[-1] if pairs.size else 0, _CHUNK))
    bounds = distinct(np.concatenate(([0], ends, [rows.who.size])))
    parts = [_expand(rows, first, last, slice(begin, end)) for begin, end in pairwise(bounds)]
    if not parts:
        return pd.DataFrame({"who": [], "before": [], "after": []}, dtype=np.int64)
    return pd.concat(parts, ignore_index=True).drop_duplicates(ignore_index=True)


def _expand(rows: TimedRows, first: Ints, last: Ints, chunk: slice) -> pd.DataFrame:
    offsets = offsets_of(np.maximum(last[chunk] - first[chunk], 0))
    place = owners_of(offsets)
    leader = chunk.start + place
    follower = first[leader] + np.arange(place.size) - offsets[place]
    found = {"who": rows.who[leader], "before": rows.node[leader], "after": rows.node[follower]}
    return pd.DataFrame(found).drop_duplicates()


def _count(followers: pd.DataFrame) -> pd.DataFrame:
    return followers.groupby(["before", "after"], as_index=False).size().rename(columns={"size": "sequences"})


def _covering(shown: pd.DataFrame, true: pd.DataFrame, both: OriginalAndRelease) -> Ints:
    """Count, for each true pair, the sequences of the release that show a pair covering it."""
    shown = shown.sort_values(["before", "after", "who"], kind="stable")
    listed = shown.groupby(["before", "after"]).size()
    place_of = pd.Series(np.arange(len(listed)), index=listed.index)
    above = (_above(both, true["before"].to_numpy(np.int64)), _above(both, true["after"].to_numpy(np.int64)))
    names = pd.MultiIndex.from_arrays(
        [
            np.repeat(above[0], above[1].shape[0], axis=0).ravel(),
            np.tile(above[1], (above[0].shape[0], 1)).ravel(),
        ]
    )
    wanted = place_of.reindex(names).fillna(-1).to_numpy(np.int64).reshape(-1, len(true)).T
    there = wanted >= 0
    who, starts = shown["who"].to_numpy(np.int64), offsets_of(listed)
    return count_unions(who, starts, wanted[there], offsets_of(there.sum(axis=1)), len(both.released_ids))


def _count_shown(shown: pd.DataFrame, both: OriginalAndRelease) -> int:
    """Count the pairs of events that the sequences of the release show."""
    low, high = _intervals(both)
    before, after = shown["before"].to_numpy(np.int64), shown["after"].to_numpy(np.int64)
    thens = pd.DataFrame({"who": shown["who"], "a": low[before], "b": high[before]})
    thens = thens.assign(c=low[after], d=high[after]).sort_values(["who", "c", "d"], ascending=_LARGER_FIRST)
    firsts = (
        thens[["who", "a", "b"]].drop_duplicates().sort_values(["who", "a", "b"], ascending=_LARGER_FIRST)
    )
    starts = [np.searchsorted(rows["who"], np.arange(len(both.released_ids) + 1)) for rows in (firsts, thens)]
    return int(count_covered(firsts[["a", "b"]].to_numpy(), thens[list("abcd")].to_numpy(), *starts))


def _intervals(both: OriginalAndRelease) -> tuple[Ints, Ints]:
    """Number events so that those of a category come together; return where each node begins and ends."""
    occurs = np.zeros(both.tree.parent.size, bool)
    occurs[both.original["node"]] = True
    chains = _above(both, np.flatnonzero(both.is_monitored | occurs))
    up = (chains >= 0).sum(axis=0) - 1 - np.arange(len(chains))[:, None]
    paths = np.where(up >= 0, np.take_along_axis(chains, np.maximum(up, 0), axis=0), -1)  # the root first
    place = np.empty(paths.shape[1], np.int64)
    place[np.lexsort(paths[::-1])] = np.arange(place.size)
    low, high = np.full(occurs.size, place.size), np.zeros(occurs.size, np.int64)
    for nodes in chains:
        there = nodes >= 0
        np.minimum.at(low, nodes[there], place[there])
        np.maximum.at(high, nodes[there], place[there] + 1)
    return np.minimum(low, high), high


def _above(both: OriginalAndRelease, nodes: Ints) -> Ints:
    """Return each node (first row) and those above it that may stand for it; -1 where there is none."""
    parent = both.tree.parent
    levels, at = [nodes], np.where(both.is_monitored[nodes], nodes, -1)
    for _ in range(both.tree.height):
        above = np.where(at >= 0, parent[at], -1)
        above = np.where(above == at, -1, above)
        levels.append(above)
        at = above
    return np.stack(levels)
