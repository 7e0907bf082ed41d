"""Groups that are grown block by block: the guarantee, whatever the threads, and little more loss."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.generalization.grouping import hybrid
from tests.generalization.cases import problems_of


def visits(seed, n=400, **changes):
    random = np.random.default_rng(seed)
    owner = np.repeat(np.arange(n), random.geometric(0.4, n))
    times = random.integers(0, 100_000, owner.size)
    return pd.DataFrame({"seq_id": owner, "event": "a", "time": times}).assign(**changes)


def loss_of(df, released, key):
    return pdseqpriv.compare(df, released, key=key).set_index("measure")["value"]["time_loss"]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(hybrid, "BLOCK", 60)
    monkeypatch.setattr(hybrid, "GROUPS", 1)
    seen = []
    grown = hybrid._grown
    monkeypatch.setattr(hybrid, "_grown", lambda search, pulse: seen.append(1) or grown(search, pulse))
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_blocks_keep_the_guarantee(seed, small_blocks):
    df = visits(seed)
    released, key = df.seqpriv.generalize(k=4, method="hybrid", with_key=True)
    assert len(small_blocks) > 2
    assert not problems_of(df, released, key, monitored={"a"}, root="*", k=4)
    assert pdseqpriv.verify.is_generalized(df, released, key, k=4)


def test_blocks_lose_little_more(monkeypatch):
    ratios = []
    for seed in range(5):
        df = visits(seed, n=1500)
        whole = loss_of(df, *df.seqpriv.generalize(k=4, method="hybrid", with_key=True))
        with monkeypatch.context() as patch:
            patch.setattr(hybrid, "BLOCK", 200)
            patch.setattr(hybrid, "GROUPS", 1)
            ratios.append(loss_of(df, *df.seqpriv.generalize(k=4, method="hybrid", with_key=True)) / whole)
    assert np.mean(ratios) < 1.15
    assert len(set(ratios)) > 1  # blocks were used


def test_the_answer_does_not_depend_on_threads(small_blocks, monkeypatch):
    df = visits(7)
    answers = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(pdseqpriv.options, "threads", threads)
        answers.append(df.seqpriv.generalize(k=4, method="hybrid", with_key=True, seed=3))
    assert small_blocks
    for released, key in answers[1:]:
        pd.testing.assert_frame_equal(released, answers[0][0])
        pd.testing.assert_frame_equal(key, answers[0][1])


def test_blocks_that_are_cut_side_by_side_write_nowhere_in_common(monkeypatch):
    shared, cuts_of_block = [], hybrid._cuts_of_block

    def watched(search, clusters, order, pulse):
        before = pickle.dumps(clusters)
        found = cuts_of_block(search, clusters, order, pulse)
        shared.append(pickle.dumps(clusters) == before)
        return found

    monkeypatch.setattr(hybrid, "_cuts_of_block", watched)
    df = visits(7)
    df.seqpriv.generalize(k=4, method="hybrid")
    df.assign(who=df["seq_id"] // 2).seqpriv.generalize(k=4, method="hybrid", person="who")
    assert len(shared) == 2
    assert all(shared)


def test_people_who_are_too_few_in_a_block_are_grown_together(small_blocks):
    # One person has most sequences, so that many blocks have too few people.
    df = visits(1, person=lambda rows: np.where(rows["seq_id"] < 390, 0, rows["seq_id"]))
    table = df.seqpriv.using(person="person")
    released, key = table.generalize(k=4, method="hybrid", with_key=True)
    assert not small_blocks
    assert pdseqpriv.verify.is_generalized(pdseqpriv.using(df, person="person"), released, key, k=4)
