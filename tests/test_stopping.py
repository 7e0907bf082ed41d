"""Ctrl-C is heard while compiled loops run, however long a piece of work would still take."""

from __future__ import annotations

import signal
import threading
from functools import cache
from time import process_time

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.hiding import verify as hidden
from pdseqpriv.k_anonymity import identical, verify_search
from pdseqpriv.sanitization import per_sequence

# Seconds of processor time, all threads together, as the machine may be busy: a second on two cores, and
# some to spare. Each of the calls takes several times as long.
ASKED_AFTER, SOON = 1.5, 3
UNLIMITED = 1 << 40


@cache
def table(n, length, n_events, per_time=1):
    random = np.random.default_rng(3)
    rows = {"seq_id": np.repeat(np.arange(n), length), "event": random.integers(0, n_events, n * length)}
    return pd.DataFrame({**rows, "time": np.tile(np.arange(length) // per_time, n)})


def contained(n):
    table(n, 60, 30).seqpriv.k_anonymize(40)


def equal(n):
    table(n, 100, 30).seqpriv.k_anonymize(40, guarantee="identical")


def grouped(n):
    frame = table(n, 3, 5)
    times = np.random.default_rng(4).integers(0, 1_000_000, len(frame))
    frame.assign(time=times).seqpriv.generalize(k=16, method="indexed")


def checked(n):
    verify.is_k_anonymous(table(n, 60, 4), table(n, 12, 4), n)


def sanitized(n):
    table(n, 120, 12, per_time=4).seqpriv.sanitize(0.1, events=list(range(8)))


def hidden_in_windows(n):
    table(1, n, 1).seqpriv.hide(["0 -> 0 -> 0"], max_window=500)


def looked_for(n):
    verify.is_hidden(table(n, 10_000, 1), [" -> ".join(["0"] * 600)], max_gap=3)


def attacked(n):
    table(n, 20, 30).seqpriv.risk(6)


def swept(n):
    table(n, 60, 30).seqpriv.sweep("k_anonymize", k=[40, 50])


def in_a_pipeline(n):
    pdseqpriv.Pipeline().k_anonymize(40).run(table(n, 60, 30))


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize(
    ("work", "few", "many", "threads"),
    [
        (contained, 100, 20_000, None),
        (equal, 100, 30_000, None),
        (grouped, 100, 40_000, None),
        (checked, 100, 30_000, None),
        (sanitized, 2, 2_000, None),
        (hidden_in_windows, 20, 5_000, None),
        (looked_for, 1, 100, None),
        (attacked, 20, 60_000, None),
        (contained, 100, 20_000, 1),
        (grouped, 100, 40_000, 1),
        (checked, 100, 30_000, 1),
        (swept, 100, 20_000, 1),
        (in_a_pipeline, 100, 20_000, 1),
    ],
)
def test_ctrl_c_stops_all_cores(monkeypatch, work, few, many, threads):
    work(few)  # so that the compiled code is there
    # As few and as large pieces as possible: it is the compiled loop that must hear.
    monkeypatch.setattr(pdseqpriv.options, "progress", False)  # bars have a thread of their own
    monkeypatch.setattr(pdseqpriv.options, "threads", threads)
    monkeypatch.setattr(identical, "ROWS", UNLIMITED)
    for module in (verify_search, per_sequence, hidden):
        monkeypatch.setattr(module, "_CHUNK", UNLIMITED)
    handlers = {
        signal.SIGALRM: signal.signal(signal.SIGALRM, signal.default_int_handler),
        signal.SIGPROF: signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGALRM)),
    }
    # Not since the handler ran: it waits for compiled code to be back.
    running, asked = threading.active_count(), process_time() + ASKED_AFTER
    signal.setitimer(signal.ITIMER_PROF, ASKED_AFTER)
    try:
        with pytest.raises(KeyboardInterrupt):
            work(many)
        took = process_time() - asked
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert took < SOON
    assert threading.active_count() == running
