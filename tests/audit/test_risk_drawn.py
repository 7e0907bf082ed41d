"""Where there is too much that may be known, it is drawn: the numbers are limits, and the work is bounded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.audit import candidates, drawn_knowledge
from pdseqpriv.audit.sets_of_rows import draw_rows, rarest_rows
from pdseqpriv.sequences.ragged import Ragged, offsets_of
from tests.audit import naive_risk as naive
from tests.audit.test_risk import elements_of
from tests.strategies import plain_rows, plain_table

LOWER = ["unique_share", "below_k_share", "worst_probability", "mean_worst_probability"]


def drawn_risk(table, known, **options):
    """Measure as if nothing were cheap."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_CHEAP", -1)
        patch.setattr(candidates, "_CHEAP_BESIDE", -1)
        return table.seqpriv.risk(known, **options).iloc[0]


@given(plain_rows(max_rows=18, n_events=3).filter(bool), st.integers(1, 4), st.integers(2, 4), st.booleans())
def test_what_is_drawn_is_a_lower_limit(rows, known, k, in_order):
    people = elements_of(rows)
    if not in_order:
        people = [naive.any_order(elements) for elements in people]
    found = drawn_risk(plain_table(rows), known, k=k, in_order=in_order)
    expected = naive.risk(people, people, known, k)
    for name in LOWER:
        assert found[name] <= expected[name] + 1e-12
    assert found["unique_low"] <= expected["unique_share"] <= found["unique_high"] + 1e-12
    assert found["people"] == found["of_people"] == expected["people"]
    assert found["method"] == "sampled knowledge"
    few = [len(naive.knowledge(elements, known)) == 1 for elements in people]
    if all(few):  # nothing was left out
        for name in (*LOWER, "mean_probability"):
            assert found[name] == pytest.approx(expected[name])
    event(f"{sum(few)} of {len(few)} can be known in one way only")


@given(plain_rows(max_rows=14, n_events=3).filter(bool), st.integers(1, 3), st.integers(2, 4), st.randoms())
def test_what_is_drawn_of_a_release_is_a_lower_limit(rows, known, k, random):
    released = [row for row in rows if random.random() < 0.7]
    if not {row[1] for row in released} - {None}:
        return
    found = drawn_risk(plain_table(released), known, k=k, original=plain_table(rows))
    expected = naive.risk(elements_of(rows), elements_of(released), known, k)
    for name in LOWER:
        assert found[name] <= expected[name] + 1e-12


def test_every_pattern_counts_once_however_often_it_can_be_chosen(monkeypatch):
    monkeypatch.setattr(drawn_knowledge, "SETS", 4_000)
    rows = [(0, event, time) for time, event in enumerate("aaaaab")]
    rows += [(1, event, time) for time, event in enumerate("aab")] + [(2, "a", 0), (2, "a", 1)]
    expected = naive.risk(*[elements_of(rows)] * 2, 2, 2)
    found = drawn_risk(pd.DataFrame(rows, columns=["seq_id", "event", "time"]), 2, k=2)
    assert found["mean_probability"] == pytest.approx(expected["mean_probability"], rel=0.02)


def long_sequences(n_people, length, n_events=20):
    random = np.random.default_rng(1)
    events = random.integers(0, n_events, n_people * length)
    time = np.tile(np.arange(length), n_people)
    return pd.DataFrame({"seq_id": np.repeat(np.arange(n_people), length), "event": events, "time": time})


def test_ten_known_events_of_long_sequences_are_drawn():
    found = long_sequences(4, 100).seqpriv.risk(10).iloc[0]  # more than 10**13 sets each
    assert found["method"] == "sampled knowledge"
    assert (found["people"], found["of_people"]) == (4, 4)
    assert 0 < found["known_sets"] <= 4 * 22
    assert found["unique_share"] == 1


def test_work_is_bounded_and_who_was_left_out_is_not_counted(monkeypatch):
    frame = long_sequences(300, 60)
    everybody = frame.seqpriv.risk(5).iloc[0]
    assert everybody["people"] == 300
    monkeypatch.setattr(drawn_knowledge, "BUDGET", 2e6)
    some = frame.seqpriv.risk(5).iloc[0]
    assert 0 < some["people"] < 300
    assert some["of_people"] == 300
    assert some["known_sets"] == 22 * some["people"]
    assert some["unique_low"] < 1


def test_people_says_how_many_were_looked_at():
    frame = pdseqpriv.datasets.make_clickstream(2_000, n_pages=30, seed=1)
    found = frame.seqpriv.risk(2, sample=400).iloc[0]
    assert (found["people"], found["of_people"], found["method"]) == (400, 2_000, "sampled")


def test_people_with_several_sequences_are_drawn(monkeypatch):
    frame = long_sequences(40, 12, n_events=6).assign(person=lambda df: df["seq_id"] // 2)
    exact = frame.seqpriv.using(person="person").risk(3, k=4).iloc[0]
    monkeypatch.setattr(candidates, "_CHEAP", -1)
    monkeypatch.setattr(drawn_knowledge, "SETS", 400)
    drawn = frame.seqpriv.using(person="person").risk(3, k=4).iloc[0]
    assert (drawn["people"], drawn["method"]) == (20, "sampled knowledge")
    for name in LOWER:
        assert drawn[name] <= exact[name]
    assert drawn["mean_probability"] == pytest.approx(exact["mean_probability"], rel=0.05)


def test_every_set_is_equally_likely():
    own = Ragged(np.array([0, 1]), np.array([0, 2]))  # of one person: sequences of 3 and of 2 rows
    begins = offsets_of([3, 2])
    rows, sizes = draw_rows(begins, own, 2, np.array([8_000]), np.random.default_rng(0))
    assert (sizes == 2).all()
    sets, counts = np.unique(rows.reshape(-1, 2), axis=0, return_counts=True)
    assert sets.tolist() == [[0, 1], [0, 2], [1, 2], [3, 4]]
    assert counts == pytest.approx(2_000, rel=0.1)
    many, sizes = draw_rows(
        offsets_of([100]),
        Ragged(np.array([0]), np.array([0, 1])),
        40,
        np.array([50]),
        np.random.default_rng(0),
    )
    assert all(np.unique(one).tolist() == one.tolist() for one in many.reshape(50, 40))


def test_the_rarest_events_are_known_in_order():
    support = np.array([5, 1, 3, 2, 9])
    rows, sizes = rarest_rows(offsets_of([3, 2]), np.array([1, 0]), 2, support)
    assert (rows.tolist(), sizes.tolist()) == ([3, 4, 1, 2], [2, 2])


@pytest.mark.parametrize("cheap", [-1, 10**9])
def test_counting_stops_when_told_to(monkeypatch, cheap):
    frame = long_sequences(30, 12)
    monkeypatch.setattr(candidates, "_CHEAP", cheap)
    module = drawn_knowledge if cheap < 0 else candidates
    told = np.array([0, 1])
    monkeypatch.setattr(
        module, "on_all_cores", lambda work, pieces, _: [work(piece, told) for piece in pieces]
    )
    stopped = frame.seqpriv.risk(3, with_time=False).iloc[0]
    assert stopped["people"] == 0


@pytest.mark.parametrize("cheap", [-1, 10**9])
def test_the_number_of_threads_changes_nothing(monkeypatch, cheap):
    monkeypatch.setattr(candidates, "_CHEAP", cheap)
    monkeypatch.setattr(candidates, "_SMALL", 10)
    frame = long_sequences(300, 12)
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(pdseqpriv.options, "threads", threads)
        found.append(frame.seqpriv.risk([1, 2, 3]))
    pd.testing.assert_frame_equal(found[0], found[1], check_exact=True)
    pd.testing.assert_frame_equal(found[0], found[2], check_exact=True)


def test_times_are_told_beside_what_is_found_without_them():
    frame = pd.DataFrame({"seq_id": [1, 2, 3, 4], "event": "a", "time": [1, 2, 3, 3]})
    found = frame.seqpriv.risk(1).iloc[0]
    assert (found["unique_share"], found["mean_probability"]) == (0, 0.25)
    assert (found["unique_with_times"], found["mean_with_times"]) == (0.5, 0.75)
    with_times = frame.seqpriv.risk(1, with_time=True).iloc[0]
    assert (with_times["unique_share"], with_times["mean_probability"]) == (0.5, 0.75)
    assert (with_times["unique_with_times"], with_times["mean_with_times"]) == (0.5, 0.75)


def test_positions_are_no_times():
    frame = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": [10, 20]})
    released = frame.seqpriv.k_anonymize(2)
    assert np.isnan(released.seqpriv.risk(1, original=frame)["unique_with_times"].item())
    hidden = frame.seqpriv.hide(["a -> a"])
    assert hidden.seqpriv.risk(1, original=frame)["unique_with_times"].item() == 1


@pytest.mark.parametrize("person", [None, "person"])
def test_what_several_people_know_is_looked_up_once(monkeypatch, person):
    monkeypatch.setattr(candidates, "_CHEAP", -1)
    asked = []
    looked_up = drawn_knowledge.InOnePlace.holders
    monkeypatch.setattr(
        drawn_knowledge.InOnePlace,
        "holders",
        lambda self, known, bar: asked.append(known) or looked_up(self, known, bar),
    )
    # Everybody has a, then b and c at once or b and later c: two sets of two at once, and four others.
    together = {"event": list("abc"), "time": [1, 2, 2]}, {"event": list("abc"), "time": [1, 2, 3]}
    frame = pd.concat([pd.DataFrame(together[n % 2]).assign(seq_id=n, person=n // 3) for n in range(30)])
    found = frame.seqpriv.using(person=person).risk(2, with_time=False).iloc[0]
    known = Ragged(asked[0].codes, asked[0].offsets)
    apart = [len(set(one)) for one in np.split(asked[0].elements, asked[0].offsets[1:-1])]
    ways = sorted((*np.split(known.values, known.offsets[1:-1])[i].tolist(), n) for i, n in enumerate(apart))
    in_pairs = [(0, 1, 2), (0, 2, 2), (1, 2, 1), (1, 2, 2)]
    assert ways == sorted([*in_pairs, (0, 1, 2, 2), (0, 1, 2, 3)])
    assert found["known_sets"] > 10 * len(ways)
