"""Which records of a generalized release fit what is known of somebody."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import InfeasibleError, SeqPrivError
from tests.generalization.cases import generalized
from tests.strategies import plain_rows, plain_table

SITES = {"Google": "Search", "Bing": "Search", "eBay": "Shopping", "Amazon": "Shopping"}


def chances(frame, released, key, links):
    """Return the chance that each person is found by who knows everything, by brute force."""

    def is_below(event, label):
        while event != label and event in links:
            event = links[event]
        return label in (event, "ALL")

    def holds(row, event):
        return row["time_from"] <= event["time"] <= row["time_to"] and is_below(
            str(event["event"]), row["event"]
        )

    records = {one: rows.to_dict("records") for one, rows in released.groupby("seq_id")}
    there = key.dropna(subset="released_id")
    own, found = dict(zip(there["seq_id"], there["released_id"], strict=True)), []
    for person, rows in frame.groupby("seq_id"):
        events = rows.dropna(subset="event").to_dict("records")
        fits = [
            one
            for one, record in records.items()
            if all(any(holds(row, event) for row in record) for event in events)
            and all(any(holds(row, event) for event in events) for row in record)
        ]
        found.append(1 / len(fits) if own.get(person) in fits else 0)
    return found


@given(
    plain_rows(max_rows=30, n_events=3, n_ids=8, marked=False),
    st.integers(2, 3),
    st.integers(0, 2),
    st.sampled_from(["apart", "by_category"]),
)
def test_chances_are_those_of_brute_force(rows, k, n_monitored, intervals):
    frame = plain_table(rows).astype({"event": "str"})
    monitored = sorted(set(frame["event"]))[:n_monitored] or None
    assume(len(frame))
    try:
        released, key = generalized(frame, k=k, monitored=monitored, intervals=intervals, with_key=True)
    except InfeasibleError:
        return
    expected = chances(frame, released, key, {})
    found = pdseqpriv.risk(released, original=frame, key=key, attack="linkage", knows="whole", k=k).iloc[0]
    assert found["mean_probability"] == pytest.approx(sum(expected) / len(expected))
    assert found["worst_probability"] == max(expected)
    assert found["method"] == "exact"
    if monitored is None:
        assert found["worst_probability"] <= 1 / k  # the guarantee
        assert found["below_k_share"] == 0
    part = pdseqpriv.risk(released, original=frame, key=key, attack="linkage", knows=1, k=k).iloc[0]
    assert part["worst_probability"] <= found["worst_probability"]


def test_categories_and_people():
    frame = pd.DataFrame(
        {
            "seq_id": [1, 2, 3, 4],
            "event": ["Google", "Bing", "eBay", "Amazon"],
            "time": [1, 2, 1, 2],
            "who": ["a", "b", "c", "c"],
        }
    )
    asked_of_release = {"k": 2, "method": "partition", "with_key": True, "seed": 1}
    released, key = pdseqpriv.generalize(frame.drop(columns="who"), SITES, **asked_of_release)
    asked = {"key": key, "attack": "linkage", "taxonomy": SITES, "knows": ["whole", 1]}
    found = pdseqpriv.risk(released, original=frame.drop(columns="who"), **asked)
    assert found["mean_probability"].tolist() == [0.5, 0.5]
    # Both records that fit what is known of c are theirs.
    theirs = pdseqpriv.risk(released, original=frame.seqpriv.using(person="who"), **asked)
    assert theirs["people"].tolist() == [3, 3]
    assert theirs["mean_probability"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_what_is_missing_is_said():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": [1, 2]})
    released, key = pdseqpriv.generalize(frame, k=2, with_key=True)
    with pytest.raises(
        SeqPrivError, match=r'risk: this is a generalized table.* attack="linkage" with original'
    ):
        pdseqpriv.risk(released, original=frame, key=key)
    with pytest.raises(
        SeqPrivError, match=r"risk: key must be given with a generalized table, got None. Only"
    ):
        pdseqpriv.risk(released, original=frame, attack="linkage")
    with pytest.raises(SeqPrivError, match="risk: original must be given"):
        pdseqpriv.risk(released, key=key, attack="linkage")
