"""Sequences as grouping sees them, written by hand or drawn at random."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pdseqpriv.generalization.grouping.search import SensitiveRows, TaxonomyArrays, Weights, search_of
from pdseqpriv.generalization.kernels.clusters import MonitoredSequences
from tests.generalization import naive

# Figure 2c of the paper: 0 All, 1 Internet/Computer, 2 Shopping, 3 Social Networks, 4 Search Engines.
FACEBOOK, MYSPACE, GOOGLE, BING, EBAY, SEENIT, AMAZON, OTHER = range(5, 13)
PARENT = [0, 0, 0, 1, 1, 3, 3, 4, 4, 2, 2, 2, 2]

# Figure 1a, the visits to Google and Bing; the whole of each sequence has so many rows.
CLICKS = {
    1: [(1, GOOGLE), (3, BING), (10, GOOGLE)],
    2: [(1, GOOGLE), (11, GOOGLE)],
    3: [(1, GOOGLE), (3, GOOGLE), (11, GOOGLE)],
    4: [(4, GOOGLE), (6, GOOGLE), (10, BING)],
    5: [(5, GOOGLE), (7, BING)],
}
CLICK_TOTALS = {1: 5, 2: 4, 3: 5, 4: 5, 5: 5}  # 14 rows in the first three, 10 in the others


def taxonomy_of(parents):
    """Return a taxonomy by the parent of each node as arrays."""
    taxonomy = dict(enumerate(parents))
    shares = [float(naive.event_loss(taxonomy, node)) for node in taxonomy]
    return TaxonomyArrays(np.array(parents, np.int32), np.array(shares))


def sequences_of(sequences, totals=None, *, span=None, people=()):
    """Return lists of (time, node) as arrays; each is a person of its own unless people are given."""
    totals = totals or [len(sequence) for sequence in sequences]
    rows = [row for sequence in sequences for row in sorted(sequence)]
    times = [time for time, _ in rows]
    return MonitoredSequences(
        np.array(times, np.float64),
        np.array([node for _, node in rows], np.int32),
        np.cumsum([0, *map(len, sequences)]).astype(np.int64),
        np.array(totals, np.int64),
        float(max(times, default=0) - min(times, default=0) if span is None else span),
        np.array(people, np.int64),
    )


def sensitive_of(marks, *, dtype=np.int64):
    """Return lists of sensitive (time, code) as arrays."""
    rows = [row for sequence in marks for row in sorted(sequence)]
    return SensitiveRows(
        np.array([code for _, code in rows], np.int32),
        np.array([time for time, _ in rows], dtype),
        np.cumsum([0, *map(len, marks)]).astype(np.int64),
    )


def search_for(sequences, parents, privacy, weights, *, seed=0, totals=None, marks=None, span=None):
    """Return a search for groups among lists of (time, node)."""
    return search_of(
        sequences_of(sequences, totals, span=span),
        sensitive_of(marks or [[] for _ in sequences]),
        taxonomy_of(parents),
        privacy,
        Weights(*weights),
        seed,
        by_category=False,
    )


class NoBar:
    """Hears of progress, and says nothing."""

    def update(self, n=1):
        pass


NO_BAR = NoBar()


def google_only(numbers):
    """Return the visits to Google of some sequences of figure 1, and all rows of each."""
    visits = [[row for row in CLICKS[number] if row[1] == GOOGLE] for number in numbers]
    return visits, [CLICK_TOTALS[number] for number in numbers]


# Eight events, so that shares are whole eighths and sums of losses are exact; also lopsided and flat ones.
TAXONOMIES = [PARENT, [0] * 9, [0, 0, 1, 2, 2, 1, 1, 0, 0, 0, 0, 0]]


@st.composite
def problems(draw, *, max_people=7, max_rows=4, max_time=16, sensitive=False):
    """Draw sequences on a taxonomy; the span is a power of 2, so that losses are exact and ties real."""
    parents = draw(st.sampled_from(TAXONOMIES))
    events = naive.leaves(dict(enumerate(parents)))
    row = st.tuples(st.integers(0, max_time), st.sampled_from(events))
    sequences = draw(st.lists(st.lists(row, min_size=1, max_size=max_rows), min_size=1, max_size=max_people))
    totals = [len(s) + draw(st.integers(0, 3)) for s in sequences]
    marks = [[] for _ in sequences]
    if sensitive:
        mark = st.tuples(st.integers(0, 8), st.integers(0, 2))
        marks = [draw(st.lists(mark, max_size=3)) for _ in sequences]
    weights = draw(st.sampled_from([(1, 0), (0, 1), (1, 1), (3, 1), (0, 0)]))
    return {"parents": parents, "sequences": sequences, "totals": totals, "marks": marks, "weights": weights}


certainties = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 3), Fraction(3)])
