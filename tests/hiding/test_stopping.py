"""Ctrl-C is heard while patterns are looked for and hidden."""

from __future__ import annotations

import signal
import threading
from time import sleep

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Pattern, verify
from pdseqpriv.hiding import matcher
from pdseqpriv.hiding import verify as check
from pdseqpriv.hiding.automata import compile_patterns
from pdseqpriv.hiding.matcher import Matcher
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.sequences import sequences_of

EQUAL = pd.DataFrame({"seq_id": 1, "event": "a", "time": range(50)})
WINDOW = Pattern("a -> a -> a within 20")
MANY_DIGITS = Pattern.regex("a+ a", gaps=True)


def all_stopped(work, pieces, _):
    return [work(piece, np.array([0, 1])) for piece in pieces]


@pytest.mark.parametrize("pattern", [Pattern("a -> a"), WINDOW, MANY_DIGITS])
@pytest.mark.parametrize("marking", ["optimal", "greedy", "random"])
def test_marking_stops_when_told_to(monkeypatch, pattern, marking):
    sequences = sequences_of(EQUAL, Columns())
    own, jobs = Matcher(compile_patterns([pattern]), sequences), (np.array([0]), np.ones((1, 1), bool))
    seeds = np.zeros(1, np.uint64)
    assert own.marked(sequences, *jobs, marking, seeds).size > 0
    monkeypatch.setattr(matcher, "on_all_cores", all_stopped)
    assert own.marked(sequences, *jobs, marking, seeds).size == 0


@pytest.mark.parametrize("pattern", [WINDOW, MANY_DIGITS])
def test_counting_stops_when_told_to(monkeypatch, pattern):
    sequences = sequences_of(EQUAL, Columns())
    own = Matcher(compile_patterns([pattern]), sequences)
    monkeypatch.setattr(matcher, "on_all_cores", all_stopped)
    assert not own.numbers(sequences, sequences.codes, np.array([0]), np.ones((1, 1), bool)).any()


def test_the_check_stops_when_told_to(monkeypatch):
    assert not verify.is_hidden(EQUAL, [WINDOW])
    monkeypatch.setattr(check, "on_all_cores", all_stopped)
    assert verify.is_hidden(EQUAL, [WINDOW])


@pytest.mark.parametrize(("kernel", "pattern"), [("mark_jobs", WINDOW), ("mark_optimally", "a -> a")])
def test_ctrl_c_is_heard_while_a_kernel_runs(monkeypatch, kernel, pattern):
    ended = []

    def endless(*arguments):
        for _ in range(3000):
            if arguments[-1][1]:
                ended.append(kernel)
                break
            sleep(0.01)
        return np.zeros(1, np.int64)

    monkeypatch.setattr(matcher, kernel, endless)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    threads = threading.active_count()
    signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            EQUAL.seqpriv.hide([pattern])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ended == [kernel]
    assert threading.active_count() == threads


@pytest.mark.parametrize("options", [{"max_support": 3}, {"marking": "random", "seed": 1}, {"max_gap": 2}])
def test_the_number_of_threads_changes_nothing(monkeypatch, options):
    monkeypatch.setattr(matcher, "_SEQUENCES", 7)
    random = np.random.default_rng(2)
    rows = {"seq_id": np.repeat(np.arange(100), 8), "event": random.choice(list("abc"), 800)}
    frame, found = pd.DataFrame({**rows, "time": np.tile(np.arange(8), 100)}), []
    for threads in (1, 2, 3):
        monkeypatch.setattr(pdseqpriv.options, "threads", threads)
        found.append(frame.seqpriv.hide(["a -> b", "c -> c -> a", "b -> b within 4"], **options))
    assert found[0]["event"].isna().any()
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])


def test_the_check_finds_the_same_in_pieces(monkeypatch):
    random = np.random.default_rng(3)
    rows = {"seq_id": np.repeat(np.arange(100), 4), "event": random.choice(list("abc"), 400)}
    frame = pd.DataFrame({**rows, "time": np.tile(np.arange(4), 100)})
    whole = verify.is_hidden(frame, ["a -> b", "c -> c"], reveal=True)
    monkeypatch.setattr(check, "_CHUNK", 7)
    assert str(verify.is_hidden(frame, ["a -> b", "c -> c"], reveal=True)) == str(whole)
    assert not whole
