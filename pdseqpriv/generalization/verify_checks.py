"""What must hold between an original and its generalized release, one function per demand.

Each gives the released sequences (or groups) that break it, so that they can be counted or shown.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.generalization.kernels.certainty import most_within
from pdseqpriv.generalization.original_and_release import NOBODY, Ints, Pair

_INTERVAL = ["group", "node", "start", "end"]


def group_sizes(pair: Pair) -> pd.Series:
    """Count the sequences of each group."""
    return pair.released.groupby("group")["sequence"].nunique()


def in_small_groups(pair: Pair, k: int) -> Ints:
    """Give the sequences whose group has fewer than k."""
    sizes = group_sizes(pair)
    small = pair.released["group"].map(sizes) < k
    return _distinct(pair.released["sequence"][small])


def in_several_groups(pair: Pair) -> Ints:
    """Give the sequences whose rows name more than one group."""
    groups = pair.released.groupby("sequence")["group"].nunique()
    return _distinct(groups[groups > 1].index.to_series())


def unowned(pair: Pair, owner: Ints) -> Ints:
    """Give the sequences that are nobody's, or more than one person's."""
    owners = np.bincount(owner[owner != NOBODY], minlength=len(pair.released_ids))
    return np.flatnonzero(owners != 1)


def in_uneven_groups(pair: Pair) -> Ints:
    """Give the groups whose sequences do not all show the same intervals, each once."""
    intervals = pair.released[pair.released["interval"]]
    shown = intervals.groupby(_INTERVAL)["sequence"].agg(["size", "nunique"]).reset_index()
    expected = shown["group"].map(group_sizes(pair))
    uneven = (shown["size"] != expected) | (shown["nunique"] != expected)
    return _distinct(shown["group"][uneven])


def in_overlapping_groups(pair: Pair) -> Ints:
    """Give the groups with an interval that ends before it starts, or that touches the next one."""
    intervals = pair.released.loc[pair.released["interval"], _INTERVAL].drop_duplicates()
    intervals = intervals.sort_values(["group", "start", "end"], kind="stable")
    latest = intervals.groupby("group")["end"].cummax().to_numpy()
    group, start, end = (intervals[name].to_numpy() for name in ("group", "start", "end"))
    wrong = end < start
    wrong[1:] |= (group[1:] == group[:-1]) & (start[1:] <= latest[:-1])
    return np.unique(group[wrong])


def uncovered(pair: Pair, owner: Ints) -> tuple[Ints, Ints]:
    """Give who has a monitored event outside every interval, and who has an interval without any event.

    The first are people of the original, the second released sequences.
    """
    events, covering = cover(pair, owner)
    bare = _distinct(events["person"][covering == NOBODY])
    intervals = np.flatnonzero(pair.released["interval"].to_numpy())
    empty = np.setdiff1d(intervals, covering[covering != NOBODY])
    return bare, _distinct(pair.released["sequence"].iloc[empty])


def cover(pair: Pair, owner: Ints) -> tuple[pd.DataFrame, Ints]:
    """Give the monitored rows of released people, and the release's row that covers each (or NOBODY)."""
    events = pair.original[pair.original["monitored"]].copy()
    events["sequence"] = owner[events["person"]]
    events = events[events["sequence"] != NOBODY].sort_values("time", kind="stable")
    intervals = pair.released[pair.released["interval"]].rename_axis("row").reset_index()
    intervals = intervals.sort_values("start", kind="stable")[["row", "sequence", "start"]]
    found = pd.merge_asof(events, intervals, left_on="time", right_on="start", by="sequence")
    row = found["row"].fillna(NOBODY).to_numpy(np.int64)
    # By place and not from the merge, which turns numbers into floats where it finds nothing.
    end, label = (np.append(pair.released[name].to_numpy(), 0)[row] for name in ("end", "node"))
    reaches = (row != NOBODY) & (end >= found["time"].to_numpy())
    fits = reaches & pair.ancestry.covers(label, found["node"].to_numpy(np.int64))
    return events, np.where(fits, row, NOBODY)


def with_other_rows_changed(pair: Pair, owner: Ints) -> Ints:
    """Give the released sequences whose unmonitored rows are not those of their person."""
    before = pair.original[~pair.original["monitored"]]
    before = before.assign(sequence=owner[before["person"]], end=before["time"])
    before = before.rename(columns={"time": "start"})[before["sequence"] != NOBODY]
    after = pair.released[~pair.released["interval"]]
    keys = ["sequence", "node", "start", "end"]
    both = pd.concat([before[keys].assign(surplus=1), after[keys].assign(surplus=-1)])
    surplus = both.groupby(keys)["surplus"].sum()
    return _distinct(surplus[surplus != 0].reset_index()["sequence"])


def in_certain_groups(pair: Pair, sensitive: NDArray[np.bool_], length: float, certainty: Fraction) -> Ints:
    """Give the groups in which a sensitive event is too certain within some window."""
    rows = pair.released[sensitive[pair.released["node"]] & ~pair.released["interval"]]
    rows = rows.sort_values(["group", "node", "start"], kind="stable")
    runs = rows.groupby(["group", "node"], sort=True).size()
    starts = np.concatenate(([0], np.cumsum(runs.to_numpy(np.int64))))
    times, people = rows["start"].to_numpy(), rows["sequence"].to_numpy(np.int64)
    most = most_within(times, people, starts, length, len(pair.released_ids))
    group = runs.index.get_level_values("group").to_numpy(np.int64)
    size = group_sizes(pair).reindex(group).to_numpy(np.int64)
    # Python's own integers: nothing is rounded and nothing overflows.
    certain = [
        int(found) * certainty.numerator > int(whole) * certainty.denominator
        for found, whole in zip(most, size, strict=True)
    ]
    return np.unique(group[np.array(certain, bool)])


def _distinct(values: pd.Series) -> Ints:
    return np.unique(values.to_numpy(np.int64))
