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


def _is_generalized(df, event):
    # Groups for another event: those who know when 7 was find each person.
    times = df.assign(time=df["time"] + 10 * df["seq_id"] * (df["event"].astype("str") == "7"))
    released, key = times.seqpriv.generalize(TAXONOMY, k=2, monitored=[8], with_key=True)
    return verify.is_generalized(times, released, key, k=2, taxonomy=TAXONOMY, monitored=[event])


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
    "find": lambda df, event: df.seqpriv.find([[event, 9]]),
    # Without 8, 7 and 9 become frequent, of which only one is sensitive.
    "compare": lambda df, event: pdseqpriv.compare(
        df[df["time"] > 0], df[(df["time"] > 0) & (df["time"] != 1)], delta=0.6, events=[event]
    ),
}
# What each check says of an event that was not removed.
CHECKS = {
    "is_hidden": lambda df, event: verify.is_hidden(df, [[event]]),
    "is_hidden, a regular expression": lambda df, event: verify.is_hidden(
        df, [pdseqpriv.Pattern.regex(f"{event} .")]
    ),
    "is_sanitized": lambda df, event: verify.is_sanitized(df, 0.3, events=[event]),
    "is_sanitized, by person": lambda df, event: verify.is_sanitized(
        df.assign(who=0), 0.3, events=[event], scope="person", person="who"
    ),
    "is_sanitized, pooled": lambda df, event: verify.is_sanitized(df, 0.3, events=[event], scope="table"),
    "is_sanitized, exposed": lambda df, event: verify.is_sanitized(
        df[df["time"] > 0], 1, events=[event], camouflage=3
    ),
    "is_generalized": _is_generalized,
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("table", [NUMBERS, TEXT], ids=["numbers", "text"])
def test_a_number_and_its_digits_do_the_same(call, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_number, by_text = CALLS[call](table, 7), CALLS[call](table, "7")
    pd.testing.assert_frame_equal(by_number, by_text)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("table", [NUMBERS, TEXT], ids=["numbers", "text"])
def test_checks_see_a_number_and_its_digits_alike(check, table):
    by_number, by_text = CHECKS[check](table, 7), CHECKS[check](table, "7")
    assert by_number.violations == by_text.violations > 0  # an event that is not found violates nothing
    assert by_number.sentence == by_text.sentence


def test_ghosts_are_others_than_the_events_that_were_named():
    found = CALLS["compare"](NUMBERS, 7).set_index("measure")["value"]
    others = CALLS["compare"](NUMBERS, 8).set_index("measure")["value"]
    assert found["ghost_events"] != others["ghost_events"]


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


# What is measured against an original, whose events may be numbers where those of the release are text.
PAIRS = {
    "is_k_anonymous": lambda released: repr(verify.is_k_anonymous(NUMBERS, released, 2)),
    "is_k_anonymous, identical": lambda released: repr(
        verify.is_k_anonymous(NUMBERS, released, 2, guarantee="identical")
    ),
    "risk": lambda released: pdseqpriv.risk(
        released, original=NUMBERS, attack="linkage", knows="whole"
    ).to_dict(),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_release_of_text_can_be_one_of_numbers(pair):
    assert PAIRS[pair](NUMBERS) == PAIRS[pair](TEXT)
