"""What must hold between an original and its generalized release, one function per rule.

Each returns the released sequences (or people, or groups) that break it, to be counted or shown.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from pdseqpriv.generalization.kernels.certainty import most_within
from pdseqpriv.generalization.original_and_release import NOBODY, OriginalAndRelease
from pdseqpriv.kept_columns.verify_kept import Told
from pdseqpriv.sequences.clock import rounded_times
from pdseqpriv.sequences.ragged import Flags, Ints, distinct, offsets_of

_INTERVAL = ["group", "node", "start", "end"]


def group_sizes(both: OriginalAndRelease) -> pd.Series:
    """Count the sequences of each group."""
    return both.released.groupby("group")["sequence"].nunique()


def people_of_groups(both: OriginalAndRelease, sequence_of: Ints) -> pd.Series:
    """Count the different people of each group; without people, its sequences."""
    if both.people is None:
        return group_sizes(both)
    members = both.released[["group", "sequence"]].drop_duplicates()
    owners = pd.DataFrame({"sequence": sequence_of, "person": both.people})
    people = members.merge(owners, on="sequence").groupby("group")["person"].nunique()
    return people.reindex(range(len(both.group_names)), fill_value=0)


def n_people(both: OriginalAndRelease) -> int:
    """Count the different people of the original who have an event that is not marked."""
    sequences = both.original["person"].unique()
    return len(sequences if both.people is None else np.unique(both.people[sequences]))


def in_small_groups(both: OriginalAndRelease, sequence_of: Ints, k: int) -> Ints:
    """Return the sequences whose group has fewer than k different people."""
    sizes = people_of_groups(both, sequence_of)
    small = both.released["group"].map(sizes) < k
    return _distinct(both.released["sequence"][small])


def in_several_groups(both: OriginalAndRelease) -> Ints:
    """Return the sequences whose rows name more than one group."""
    groups = both.released.groupby("sequence")["group"].nunique()
    return _distinct(groups[groups > 1].index.to_series())


def unowned(both: OriginalAndRelease, sequence_of: Ints) -> Ints:
    """Return the sequences that belong to no person, or to more than one."""
    owners = np.bincount(sequence_of[sequence_of != NOBODY], minlength=len(both.released_ids))
    return np.flatnonzero(owners != 1)


def in_uneven_groups(both: OriginalAndRelease) -> Ints:
    """Return the groups whose sequences do not all show the same intervals, each once."""
    intervals = both.released[both.released["interval"]]
    shown = intervals.groupby(_INTERVAL)["sequence"].agg(["size", "nunique"]).reset_index()
    expected = shown["group"].map(group_sizes(both))
    uneven = (shown["size"] != expected) | (shown["nunique"] != expected)
    return _distinct(shown["group"][uneven])


def in_overlapping_groups(both: OriginalAndRelease, *, by_category: bool) -> Ints:
    """Return the groups with an interval that ends before it starts, or that touches another one.

    By category, two may touch if neither category is the other or above it: no event can be in both.
    """
    intervals = both.released.loc[both.released["interval"], _INTERVAL].drop_duplicates()
    if not by_category:
        return _touching(intervals, ["group"])
    alike = _touching(intervals, ["group", "node"])
    return np.union1d(alike, _touching_above(both, intervals))


def _touching(intervals: pd.DataFrame, by: list[str]) -> Ints:
    """Return the groups with an interval that ends before it starts, or touches one with the same ``by``."""
    intervals = intervals.sort_values([*by, "start", "end"], kind="stable")
    latest = intervals.groupby(by)["end"].cummax().to_numpy()
    group, start, end = (intervals[name].to_numpy() for name in ("group", "start", "end"))
    same = (intervals[by].to_numpy()[1:] == intervals[by].to_numpy()[:-1]).all(axis=1)
    wrong = end < start
    wrong[1:] |= same & (start[1:] <= latest[:-1])
    return distinct(group[wrong])


def _touching_above(both: OriginalAndRelease, intervals: pd.DataFrame) -> Ints:
    """Return the groups in which an interval touches one with a category above its own.

    Those of one category are taken to be apart: then only the last that begins before the end can touch.
    """
    known = intervals[intervals["node"] >= 0].reset_index(drop=True)
    above = known.rename(columns={"start": "since"}).drop(columns="end").rename_axis("place").reset_index()
    above, below = above.sort_values("since"), known.sort_values("end")
    ends = np.append(known["end"].to_numpy(), 0)
    found = [np.zeros(0, np.int64)]
    for _ in range(both.tree.height):
        parent = both.tree.parent[below["node"]]
        below = below.assign(node=parent)[parent != below["node"]]
        pairs = pd.merge_asof(below, above, left_on="end", right_on="since", by=["group", "node"])
        place = pairs["place"].fillna(NOBODY).to_numpy(np.int64)
        touch = (place != NOBODY) & (ends[place] >= pairs["start"].to_numpy())
        found.append(pairs["group"].to_numpy(np.int64)[touch])
    return distinct(np.concatenate(found))


def uncovered(both: OriginalAndRelease, sequence_of: Ints) -> tuple[Ints, Ints]:
    """Return what is not covered, in both directions.

    First the people with a monitored event outside every interval, then the released sequences with an
    interval that holds no such event.
    """
    events, covering = cover(both, sequence_of)
    bare = _distinct(events["person"][covering == NOBODY])
    is_empty = both.released["interval"].to_numpy(copy=True)
    is_empty[covering[covering != NOBODY]] = False
    empty = np.flatnonzero(is_empty)
    return bare, _distinct(both.released["sequence"].iloc[empty])


def cover(both: OriginalAndRelease, sequence_of: Ints) -> tuple[pd.DataFrame, Ints]:
    """Return the monitored rows of released people, and the release's row that covers each (or NOBODY).

    That is the one whose time holds it and whose category is the event or above it.
    """
    events = both.original[both.original["monitored"]].copy()
    events["sequence"] = sequence_of[events["person"]]
    events = events[events["sequence"] != NOBODY].sort_values("time", kind="stable")
    shown, n_nodes = both.released[both.released["interval"]], both.tree.parent.size
    shown = shown.assign(row=shown.index, of=shown["sequence"] * n_nodes + shown["node"])
    shown = shown[shown["node"] >= 0].sort_values("start", kind="stable")[["row", "of", "start"]]
    end = np.append(both.released["end"].to_numpy(), 0)
    covering, label = np.full(len(events), NOBODY), events["node"].to_numpy(np.int64)
    for _ in range(both.tree.height + 1):
        left = np.flatnonzero(covering == NOBODY)
        some = events.iloc[left][["sequence", "time"]]
        some = some.assign(of=some["sequence"] * n_nodes + label[left])
        found = pd.merge_asof(some, shown, left_on="time", right_on="start", by="of")
        row = found["row"].fillna(NOBODY).to_numpy(np.int64)
        # By position, not from the merge, which turns numbers into floats where it finds nothing.
        covering[left] = np.where((row != NOBODY) & (end[row] >= some["time"].to_numpy()), row, NOBODY)
        label = both.tree.parent[label]
    return events, covering


def with_other_rows_changed(both: OriginalAndRelease, sequence_of: Ints) -> Ints:
    """Return the released sequences whose unmonitored rows are not those of their person."""
    before = both.original[~both.original["monitored"]]
    before = before.assign(sequence=sequence_of[before["person"]], end=before["time"])
    before = before.rename(columns={"time": "start"})[before["sequence"] != NOBODY]
    after = both.released[~both.released["interval"]]
    keys = ["sequence", "node", "start", "end"]
    rows = pd.concat([before[keys].assign(surplus=1), after[keys].assign(surplus=-1)])
    surplus = rows.groupby(keys)["surplus"].sum()
    return _distinct(surplus[surplus != 0].reset_index()["sequence"])


def in_certain_groups(
    both: OriginalAndRelease, sequence_of: Ints, sensitive: Flags, length: float, one_in: Fraction
) -> Ints:
    """Return the groups in which too many people share a sensitive event within some window.

    That is the case if more than one in ``one_in`` people have it there.
    """
    rows = both.released[sensitive[both.released["node"]] & ~both.released["interval"]]
    rows = rows.sort_values(["group", "node", "start"], kind="stable")
    runs = rows.groupby(["group", "node"], sort=True).size()
    times, person = rows["start"].to_numpy(), _person_of(both, sequence_of)
    # Times as decimals are written: what is exactly as far apart as allowed is in the window.
    early, late = rounded_times(times)
    longest = rounded_times(np.array([float(length)]))[1][0] if times.dtype.kind == "f" else length
    people = person[rows["sequence"].to_numpy(np.int64)]
    most = most_within(early, late, people, offsets_of(runs), longest, int(person.max(initial=0)) + 1)
    group = runs.index.get_level_values("group").to_numpy(np.int64)
    size = people_of_groups(both, sequence_of).reindex(group).to_numpy(np.int64)
    # Python's own integers: nothing is rounded and nothing overflows.
    certain = [
        int(found) * one_in.numerator > int(whole) * one_in.denominator
        for found, whole in zip(most, size, strict=True)
    ]
    return distinct(group[np.array(certain, bool)])


def in_mixed_groups(both: OriginalAndRelease, told: Told) -> Ints:
    """Return the groups of which kept columns do not say the same in all rows."""
    said = pd.Series(told.released).groupby(both.released["group"].to_numpy()).nunique()
    return _distinct(said[said > 1].index.to_series())


def with_untrue_columns(both: OriginalAndRelease, sequence_of: Ints, told: Told, own: Ints) -> Ints:
    """Return the released sequences of which kept columns say what does not fit their person.

    ``own`` has what the original says of each of its sequences.
    """
    rows = pd.DataFrame({"sequence": both.released["sequence"], "told": told.released}).drop_duplicates()
    owned = pd.DataFrame({"sequence": sequence_of, "own": own})
    pairs = rows.merge(owned[owned["sequence"] != NOBODY], on="sequence")
    wrong = [
        group["sequence"][~told.fitting(int(number))[group["own"].to_numpy()]]
        for number, group in pairs.groupby("told")
    ]
    return _distinct(pd.concat([pd.Series([], dtype=np.int64), *wrong]))


def _person_of(both: OriginalAndRelease, sequence_of: Ints) -> Ints:
    """Number whose each released sequence is; one that is nobody's counts as somebody else."""
    each_its_own = np.arange(len(both.released_ids))
    if both.people is None:
        return each_its_own
    person = each_its_own + int(both.people.max(initial=0)) + 1
    person[sequence_of[sequence_of != NOBODY]] = both.people[sequence_of != NOBODY]
    return person


def _distinct(values: pd.Series) -> Ints:
    return distinct(values.to_numpy(np.int64))
