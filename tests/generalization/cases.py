"""Tables for ``generalize``, and the way from frames to the plain lists of the naive check."""

from __future__ import annotations

import warnings
from fractions import Fraction

import pandas as pd

import pdseqpriv
from pdseqpriv import PrivacyWarning
from tests.generalization.naive_check import problems

# Figure 2(c) of the paper, as its examples 2.5, 6.2 and 6.4 and its table III tell it.
SITES = {
    "All": {
        "Internet/Computer": {
            "Social Networks": ["Facebook", "Myspace"],
            "Search Engine": ["Google", "Bing"],
        },
        "Shopping": {"Auctions": ["eBay", "Seenit"], "Stores": ["Amazon", "Walmart"]},
    }
}

# Figure 1(a): what the text tells of it, completed so that the totals of example 5.2 (14 and 10) hold, and
# that of the three who visit Google at 1, two visit eBay within 7 to 8.
FIGURE_1 = {
    "S1": [("Google", 1), ("Bing", 3), ("Amazon", 6), ("Google", 10), ("Amazon", 12)],
    "S2": [("Google", 1), ("eBay", 7), ("Google", 11), ("Facebook", 13)],
    "S3": [("Google", 1), ("Google", 3), ("eBay", 8), ("Google", 11), ("Myspace", 13)],
    "S4": [("Facebook", 1), ("Google", 4), ("Google", 6), ("Myspace", 8), ("Bing", 10), ("Amazon", 13)],
    "S5": [("Seenit", 2), ("Google", 5), ("Bing", 7), ("eBay", 11)],
}

# Table II.
TABLE_II = {
    "S1": [("Google", 3), ("Bing", 7), ("Bing", 10), ("eBay", 1)],
    "S2": [("Google", 2), ("Bing", 9), ("Myspace", 6)],
    "S3": [("Google", 3), ("Bing", 1), ("Bing", 11), ("eBay", 5)],
    "S4": [("Google", 7), ("Facebook", 9)],
    "S5": [("Bing", 8), ("Amazon", 10)],
    "S6": [("Twitter", 1)],
    "S7": [("Youtube", 10)],
}


def frame_of(sequences):
    """Return a dict of lists of (event, time) as a table."""
    rows = [(name, event, time) for name, pairs in sequences.items() for event, time in pairs]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def lists_of(released):
    """Return a release as a list of groups of lists of (event, from, to)."""
    groups = {}
    for row in released.itertuples(index=False):
        groups.setdefault(row.group, {}).setdefault(row.seq_id, []).append(
            (row.event, row.time_from, row.time_to)
        )
    return [list(group.values()) for group in groups.values()]


def generalized(table, taxonomy=None, **asked):
    """Generalize without a word about dropped columns and sequences."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return pdseqpriv.generalize(table, taxonomy, **{"seed": 0, **asked})


def exact(column):
    """Return times as numbers that subtract exactly."""
    if column.dtype.kind == "M":
        if isinstance(column.dtype, pd.ArrowDtype):
            column = column.astype("datetime64[us]")
        return column.astype("int64").tolist()
    return [time if isinstance(time, int) else Fraction(time) for time in column.tolist()]


def plain_sequences(frame):
    """Return the rows of each sequence without its marked ones."""
    sequences = {one: [] for one in frame["seq_id"].tolist()}
    rows = zip(frame["seq_id"].tolist(), frame["event"].tolist(), exact(frame["time"]), strict=True)
    for one, event, time in rows:
        if not pd.isna(event):
            sequences[one].append((str(event), time))
    return sequences


def problems_of(frame, released, key, *, monitored, root, **asked):
    """Check a release of a table with the names seq_id, event and time by brute force."""
    original = plain_sequences(frame)
    back = dict(zip(key["released_id"].tolist(), key["seq_id"].tolist(), strict=True))
    rows = zip(
        released["seq_id"].tolist(),
        released["event"].tolist(),
        exact(released["time_from"]),
        exact(released["time_to"]),
        released["group"].tolist(),
        strict=True,
    )
    shown, groups = {}, {}
    for one, event, first, last, group in rows:
        shown.setdefault(back[one], []).append((event, first, last))
        groups[back[one]] = group
    kept = {one: original[one] for one in shown}
    return problems(kept, shown, groups, monitored=monitored, root=root, **asked)
