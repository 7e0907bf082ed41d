"""Handlers of signals run when compiled code is back, and Ctrl-C never ends in a crash."""

from __future__ import annotations

import _signal
import signal
import subprocess
import sys
import threading

import pytest

from pdseqpriv.compiled import undisturbed

# The loop takes a second or two, and Ctrl-C comes in between.
CRASHED = """
import os, signal, threading
from typing import NamedTuple
import numpy as np
from pdseqpriv.compiled import Array, compiled

class Answer(NamedTuple):
    numbers: Array
    total: int

@compiled
def long_loop(numbers, n):
    total = 0
    for i in range(n):
        total += numbers[(total ^ i) % numbers.size]
    return Answer(numbers, total)

long_loop(np.ones(3, np.int64), 3)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    long_loop(np.arange(1000), 100_000_000)
except KeyboardInterrupt:
    print("stopped")
"""


def test_an_answer_is_handed_over_before_ctrl_c_is_heard():
    done = subprocess.run([sys.executable, "-c", CRASHED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
def test_what_a_handler_raises_comes_after_the_work(number):
    steps = []

    def work(name):
        signal.raise_signal(number)
        steps.append(name)

    def stop(*_):
        steps.append("heard")
        raise TimeoutError

    before = signal.signal(number, stop)
    try:
        with pytest.raises(TimeoutError):
            undisturbed(work, ("worked",))
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)
    assert steps == ["worked", "heard"]


def test_compiling_is_stopped_at_once():
    steps = []
    scope = {"__name__": "numba.core.dispatcher", "signal": signal, "steps": steps}
    exec("def work():\n    signal.raise_signal(signal.SIGINT)\n    steps.append('compiled')", scope)  # noqa: S102
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            undisturbed(scope["work"], ())
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps == []


@pytest.fixture
def heard():
    """Note each SIGINT and SIGTERM."""
    seen = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, lambda number, _: seen.append(number)) for one in numbers}
    yield seen
    for one, handler in before.items():
        signal.signal(one, handler)


def test_a_handler_runs_once_while_numba_compiles(heard):
    scope = {"__name__": "numba.core.dispatcher", "signal": signal}
    exec("def work():\n    signal.raise_signal(signal.SIGINT)", scope)  # noqa: S102
    undisturbed(scope["work"], ())
    assert heard == [signal.SIGINT]


def test_no_signal_is_lost_after_ctrl_c_while_handlers_are_put_back(heard, monkeypatch):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    really_set, calls = _signal.signal, []

    def set_handler(number, handler):
        calls.append(number)
        if calls == [signal.SIGINT, signal.SIGTERM] * 2:  # SIGINT is put back, SIGTERM is not
            signal.raise_signal(signal.SIGINT)
        return really_set(number, handler)

    monkeypatch.setattr(_signal, "signal", set_handler)
    with pytest.raises(KeyboardInterrupt):
        undisturbed(int, ())
    signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM]


def test_other_threads_leave_handlers_alone():
    seen = []
    here = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(
        target=undisturbed, args=(lambda: seen.append(signal.getsignal(signal.SIGINT)), ())
    )
    thread.start()
    thread.join()
    assert seen == [here]


# Ctrl-C comes while the first call loads the models, and the user calls again.
INTERRUPTED = """
import pandas as pd
import pdseqpriv
from pdseqpriv import table_model

extensions, register, calls = table_model.extensions, table_model.extensions.register_check_method, []

def interrupted(*checks, **options):
    calls.append(options)
    if len(calls) == 3:
        raise KeyboardInterrupt
    return register(*checks, **options)

frame = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [0, 1]})
extensions.register_check_method = interrupted
for _ in range(2):
    try:
        print(len(frame.seqpriv.hide(["a -> b"], output="drop")))
    except KeyboardInterrupt:
        print("stopped")
"""


def test_ctrl_c_in_the_first_call_does_not_break_the_next():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "stopped\n1\n"), done.stderr
