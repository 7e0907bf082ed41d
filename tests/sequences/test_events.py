"""Which event is meant: one rule for every function that takes the name of an event."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.sequences.events import ABSENT, find_events

ROWS = [(s, event, t) for s in range(4) for t, event in enumerate([7, 8, 7, 9, 7])]
NUMBERS = pd.DataFrame(ROWS, columns=["seq_id", "event", "time"])
TEXT = NUMBERS.assign(event=NUMBERS["event"].astype("str"))
TAXONOMY = {7: "odd", 9: "odd", 8: "even"}


@pytest.mark.parametrize(
    ("wanted", "vocabulary", "codes"),
    [
        (["a", "z"], ["a", "b"], [0, ABSENT]),
        ([7, "7", 7.0], [5, 7], [1, 1, 1]),
        ([7, "7"], ["5", "7"], [1, 1]),
        (["007", "07"], [7], [ABSENT, ABSENT]),
        (["x", "x\0"], ["x", "x\0"], [0, 1]),
        ([2**70, str(2**70)], [3, 2**70], [1, 1]),
        ([("a", "b")], ["a", "b"], [ABSENT]),
        ([], ["a"], []),
        (["a"], [], [ABSENT]),
    ],
)
def test_equal_values_and_digits_are_the_same_event(wanted, vocabulary, codes):
    assert find_events(wanted, pd.Index(vocabulary, dtype=object)).tolist() == codes


# What each function makes of an event, on a table of numbers and on one of text.
CALLS = {
    "hide": lambda df, event: df.seqpriv.hide([[event, 9]]),
    "hide, as text": lambda df, event: df.seqpriv.hide([f"{event} -> 9"]),
    "sanitize": lambda df, event: df.seqpriv.sanitize(0.4, events=[event]),
    "sanitize, named twice": lambda df, event: df.seqpriv.sanitize(0.4, events=[event, 7, "7"]),
    "generalize": lambda df, event: df.seqpriv.generalize(TAXONOMY, k=2, monitored=[event, 9]),
    "generalize, sensitive": lambda df, event: df.seqpriv.generalize(
        TAXONOMY, diversity=(1, 1), monitored=[8], sensitive=[event]
    ),
    "compare": lambda df, event: pdseqpriv.compare(
        df, df[df["event"].astype("str") != "8"], delta=0.5, events=[event]
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("table", [NUMBERS, TEXT], ids=["numbers", "text"])
def test_a_number_and_its_digits_do_the_same(call, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_number, by_text = CALLS[call](table, 7), CALLS[call](table, "7")
    pd.testing.assert_frame_equal(by_number, by_text)


@pytest.mark.parametrize("event", [7, "7"])
@pytest.mark.parametrize("table", [NUMBERS, TEXT], ids=["numbers", "text"])
def test_checks_find_what_operations_must_remove(table, event):
    assert not verify.is_sanitized(table, 0.3, events=[event])
    released = table.seqpriv.sanitize(0.3, events=[event])
    assert len(released) < len(table)
    assert verify.is_sanitized(released, 0.3, events=[event])
    assert not verify.is_hidden(table, [[event]])
    assert verify.is_hidden(table.seqpriv.hide([[event]]), [[8 if event == 7 else "8", event]])
    released, key = table.seqpriv.generalize(TAXONOMY, k=2, monitored=[event], with_key=True)
    assert verify.is_generalized(table, released, key, k=2, taxonomy=TAXONOMY, monitored=[event])


def test_an_event_cannot_be_monitored_and_sensitive_under_two_names():
    with pytest.raises(pdseqpriv.SeqPrivError, match="1 event is both monitored and sensitive"):
        NUMBERS.seqpriv.generalize(TAXONOMY, diversity=(1, 2), monitored=[7], sensitive=["7"])
