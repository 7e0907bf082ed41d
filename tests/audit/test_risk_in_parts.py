"""Candidates that are counted where a table is: the numbers of a frame, and only what is drawn comes here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.audit import candidates, candidates_in_parts, drawn_knowledge
from pdseqpriv.audit.candidates_in_parts import TablesElsewhere, facts_of_part, merge_facts
from pdseqpriv.engines.memory import bytes_in
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.columns import Columns
from tests.engines.posted import Posted
from tests.engines.test_same_answers import as_dask, as_folder, told, without_index
from tests.strategies import tables

WAYS = {"in order": {}, "any order": {"in_order": False}, "with times": {"with_time": True}}


def nothing_is_cheap(patch, budget=None):
    patch.setattr(candidates, "_CHEAP", -1)
    patch.setattr(candidates, "_CHEAP_BESIDE", -1)
    if budget is not None:
        patch.setattr(drawn_knowledge, "BUDGET", budget)


@settings(max_examples=40)
@given(
    frame=tables(min_rows=6),
    order=st.sampled_from(list(WAYS)),
    parts=st.sampled_from([1, 3, 7]),
    sample=st.sampled_from([None, 2]),
    budget=st.sampled_from([None, 40]),
)
def test_people_are_drawn_and_counted_as_in_one_place(frame, order, parts, sample, budget):
    """What crosses the border between here and the parts is pickled, too."""
    drawing = {"k": 2, "sample": sample, "seed": 1}
    with pytest.MonkeyPatch.context() as patch:
        nothing_is_cheap(patch, budget)
        expected = pdseqpriv.risk(frame, [1, 2, 4], **drawing, **WAYS[order])
        run = Posted(parts).start(frame, Columns())
        found = TablesElsewhere([run], [10**9]).count_candidates(
            [1, 2, 4], order, None, **drawing, has_times=True
        )
    pd.testing.assert_frame_equal(found, expected, check_exact=True, check_dtype=False)


@pytest.mark.parametrize("engine", [as_folder, as_dask])
@settings(max_examples=12)
@given(
    frame=tables(min_rows=6),
    other=st.sampled_from(["none", "release elsewhere", "original elsewhere", "both elsewhere"]),
    order=st.sampled_from(list(WAYS)),
    kept=st.integers(0, 2**12 - 1),
)
def test_releases_may_be_anywhere(engine, frame, other, order, kept):
    """Also what is no release of anything: answers and refusals are those of frames."""
    rows = np.array([kept >> n & 1 for n in range(12)], bool)
    release = without_index(frame).iloc[np.flatnonzero(np.resize(rows, len(frame)))].reset_index(drop=True)
    with pytest.MonkeyPatch.context() as patch, engine(frame, 3) as (here, make), engine(release, 3) as after:
        nothing_is_cheap(patch)

        def measure(original, released):
            options = {} if original is None else {"original": original}
            return pdseqpriv.risk(released, [1, 3], k=2, **options, **WAYS[order])

        expected = told(lambda _: measure(None if other == "none" else here, after[0]), None)
        original = None if other == "none" else here if other == "release elsewhere" else make()
        released = after[0] if other == "original elsewhere" else after[1]()
        assert told(lambda _: measure(original, released), None) == expected


@pytest.mark.parametrize(("times", "resolution"), [("datetime64[s]", "week"), ("float64", 2.5), ("int64", 3)])
def test_times_may_be_known_roughly(times, resolution):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "seq_id": random.integers(0, 40, 400),
            "event": random.choice(list("abcd"), 400),
            "time": (random.integers(-9, 9, 400) * (86400 if "date" in times else 1)).astype(times),
        }
    )
    with pytest.MonkeyPatch.context() as patch, as_folder(frame, 4) as (here, make):
        nothing_is_cheap(patch)
        expected, found = (
            pdseqpriv.risk(one, [1, 2], with_time=True, resolution=resolution) for one in (here, make())
        )
        exactly = pdseqpriv.risk(here, [1, 2], with_time=True)
    assert (exactly["mean_probability"] > expected["mean_probability"]).all()
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_only_those_who_are_drawn_come_here(monkeypatch):
    """All summaries together take fewer bytes than a byte per row, beside 20 for a distinct sequence."""
    nothing_is_cheap(monkeypatch)
    frame = pdseqpriv.datasets.make_clickstream(3_000, n_pages=30, seed=1)[["seq_id", "event", "time"]]
    sizes = []

    class Weighed(Posted):
        def start(self, frame, columns, others=None):
            run = super().start(frame, columns, others)
            reduce = run.reduce
            run.reduce = lambda *given, **named: weigh(reduce(*given, **named))
            return run

    def weigh(summary):
        sizes.append(bytes_in(summary))
        return summary

    run = Weighed(5).start(frame, Columns())
    found = TablesElsewhere([run], [10**9]).count_candidates(
        [3], "in order", None, k=10, sample=20, seed=0, has_times=True
    )
    assert found["people"].item() == 20
    distinct = frame["seq_id"].nunique()
    assert sum(sizes) < 2 * 20 * distinct + len(frame)


def test_tables_that_do_not_belong_together_are_refused(monkeypatch):
    nothing_is_cheap(monkeypatch)
    frame = pd.DataFrame({"seq_id": [1, 1, 2], "event": ["a", "b", "a"], "time": [1, 2, 3]})
    with as_dask(frame, 2) as (_, make):
        with pytest.raises(SeqPrivError, match="more sequences than the original"):
            pdseqpriv.risk(make(), original=frame[frame["seq_id"] == 1])
        with pytest.raises(SeqPrivError, match="no event of the release occurs in the original"):
            pdseqpriv.risk(make(), original=frame.assign(event="z"))
        with pytest.raises(SeqPrivError, match="resolution must be left out unless with_time=True"):
            pdseqpriv.risk(make(), resolution=3)


def test_facts_of_parts_without_rows_do_not_count():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "b"], "time": [0.5, 1.5]})
    whole = Posted(7).start(frame, Columns()).reduce(facts_of_part, merge_facts)
    assert (whole.n_rows, whole.n_sequences, list(whole.vocabulary)) == (2, 2, ["a", "b"])
    assert whole.times.dtype == np.float64


def test_little_is_tried_in_full_where_it_is(monkeypatch):
    frame = pdseqpriv.datasets.make_clickstream(50, n_pages=5, seed=1)[["seq_id", "event", "time"]]
    with as_dask(frame, 3) as (here, make):
        pd.testing.assert_frame_equal(pdseqpriv.risk(make()), pdseqpriv.risk(here), check_exact=True)
        monkeypatch.setattr(candidates_in_parts, "all_sequences", lambda *_: pytest.fail("came here"))
        nothing_is_cheap(monkeypatch)
        assert pdseqpriv.risk(make())["method"].item() == "sampled knowledge"
