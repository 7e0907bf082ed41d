"""Tables that do not belong together, empty releases, other names, a release given as the original."""

from __future__ import annotations

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, verify

ORIGINAL = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3], "event": list("ababa"), "time": [1, 2, 1, 2, 1]})
EMPTY = ORIGINAL.iloc[:0]
RENAMED = ORIGINAL.rename(columns={"event": "url"})
FOREIGN = ORIGINAL.assign(event=list("xyxyx"))
NUMBERS = ORIGINAL.assign(event=[1, 2, 1, 2, 1])


def is_k_anonymous(original, released):
    return verify.is_k_anonymous(original, released, 2)


def compare(original, released):
    return pdseqpriv.compare(original, released, min_support=0.5)


def risk(original, released):
    return pdseqpriv.risk(released, 1, original=original)


def is_hidden(_, released):
    return verify.is_hidden(released, ["a -> b"])


def is_sanitized(_, released):
    return verify.is_sanitized(released, 0.5, events=["a"])


PAIRS = [is_k_anonymous, compare, risk]
RELEASES = [*PAIRS, is_hidden, is_sanitized]


@pytest.mark.parametrize("function", RELEASES)
def test_other_column_names_are_asked_for(function):
    where = function.__name__ + (", in the release" if function in PAIRS else "")
    must = rf"^{where}: the table has no column 'event' for event; .* Name it with"
    with pytest.raises(SeqPrivError, match=must):
        function(ORIGINAL, RENAMED)
    with pytest.raises(SeqPrivError, match=rf"^{where}: the table has no column 'seq_id'"):
        function(ORIGINAL, pd.DataFrame())
    with pytest.raises(SeqPrivError, match=rf"^{where}: .* must be a pandas DataFrame, got str"):
        function(ORIGINAL, "a table")
    renamed_back = RENAMED.rename(columns={"url": "event"})
    named = function(ORIGINAL, RENAMED.seqpriv.using(event="url"))
    assert str(named) == str(function(ORIGINAL, renamed_back))


@pytest.mark.parametrize("function", PAIRS)
def test_other_column_names_of_the_original(function):
    where = f"{function.__name__}, in the original"
    with pytest.raises(SeqPrivError, match=rf"^{where}: the table has no column 'event'"):
        function(RENAMED, ORIGINAL)
    named = function(RENAMED.seqpriv.using(event="url"), ORIGINAL)
    assert str(named) == str(function(RENAMED.rename(columns={"url": "event"}), ORIGINAL))


def test_a_generalized_release_is_named_as_such():
    generalized = pd.DataFrame({"seq_id": [0], "group": 0, "event": "a", "time_from": 1, "time_to": 2})
    told = "in the release: this is a generalized table, which has intervals and categories instead"
    with pytest.raises(SeqPrivError, match=f"^is_k_anonymous, {told} of times and events"):
        is_k_anonymous(ORIGINAL, generalized)
    with pytest.raises(SeqPrivError, match=r"^risk: this is a generalized table, in which nobody has events"):
        risk(ORIGINAL, generalized)


def test_an_empty_release_shows_nothing():
    verdict = is_k_anonymous(ORIGINAL, EMPTY)
    assert repr(verdict) == "holds: the release is empty and shows nothing of the 3 original sequences"
    assert repr(is_hidden(None, EMPTY)).startswith(
        "holds: 1 pattern checked, none in more of the 0 sequences than max_support allows"
    )
    empty = "holds: every sensitive event stays below delta (0 prefixes checked)"
    assert repr(is_sanitized(None, EMPTY)).startswith(empty)
    values = compare(ORIGINAL, EMPTY).set_index("measure")["value"]
    assert values["sequences_lost"] == 1
    assert values["events_kept"] == 0
    assert risk(ORIGINAL, EMPTY)["worst_probability"].item() == 0
    patterns = ORIGINAL.seqpriv.mine(2).iloc[:0]
    assert repr(verify.are_patterns_safe(patterns, k=2)).startswith("holds: 0 patterns")


def test_an_empty_original():
    assert not is_k_anonymous(EMPTY, ORIGINAL)
    with pytest.raises(SeqPrivError, match="no event of the release occurs in the original"):
        risk(EMPTY, ORIGINAL)
    with pytest.warns(PrivacyWarning, match="more sequences than the original"):
        values = compare(EMPTY, ORIGINAL).set_index("measure")["value"]
    assert values[["sequences_lost", "events_kept"]].isna().all()


@pytest.mark.parametrize("foreign", [FOREIGN, NUMBERS])
def test_tables_that_do_not_belong_together(foreign):
    verdict = is_k_anonymous(ORIGINAL, foreign)
    assert not verdict
    assert "do the tables belong together?" in repr(verdict)
    with pytest.raises(SeqPrivError, match="Do the tables belong together"):
        risk(ORIGINAL, foreign)
    assert "1 of 1 pattern names events that are not in the table" in repr(is_hidden(None, foreign))
    assert "1 of 1 event does not occur in the table" in repr(is_sanitized(None, foreign))


def test_comparing_tables_that_do_not_belong_together():
    with pytest.warns(PrivacyWarning, match=r"^compare: no event of the release is one of the original\."):
        compared = compare(ORIGINAL, FOREIGN)
    assert compared.set_index("measure").loc["event_distance", "value"] == 1
    with pytest.raises(
        SeqPrivError, match=r"^compare: the events of one table are text .* Do the tables belong"
    ):
        compare(ORIGINAL, NUMBERS)
    patterns = ORIGINAL.seqpriv.mine(2)
    with pytest.raises(SeqPrivError, match="one of the tables holds patterns and the other sequences"):
        compare(ORIGINAL, patterns)


def test_sequences_are_no_patterns():
    with pytest.raises(SeqPrivError, match=r"^are_patterns_safe: patterns must be a pattern table"):
        verify.are_patterns_safe(ORIGINAL, k=2)


@pytest.mark.parametrize("function", PAIRS)
def test_a_release_given_as_the_original(function):
    released = ORIGINAL.seqpriv.k_anonymize(2)
    function(ORIGINAL, released)
    said = rf"^{function.__name__}: the original itself is the result of k_anonymize"
    with pytest.warns(PrivacyWarning, match=said):
        function(released, ORIGINAL)
    with pytest.warns(PrivacyWarning, match=said):
        function(released, released)


@pytest.mark.parametrize("function", PAIRS)
def test_a_release_of_a_release_has_the_first_as_its_original(function):
    first = ORIGINAL.seqpriv.hide(["b -> b"])
    second = first.seqpriv.k_anonymize(2)
    if function is not risk:
        function(first, second)
        return
    # The first may have been released as well.
    with pytest.warns(PrivacyWarning, match="^risk: the record shows 2 steps"):
        function(first, second)


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped 1 of 3")
def test_a_plain_release_has_the_names_of_its_original():
    names = {"seq_id": "patient", "event": "what", "time": "when"}
    plain = pd.DataFrame({"seq_id": [1, 1, 2, 2, 3], "event": list("ababc"), "time": [1, 2, 1, 2, 1]})
    bound = plain.rename(columns=names).seqpriv.using(**names)
    released, usual = bound.k_anonymize(2), plain.seqpriv.k_anonymize(2)
    assert verify.is_k_anonymous(bound, released, 2)
    pd.testing.assert_frame_equal(pdseqpriv.compare(bound, released), pdseqpriv.compare(plain, usual))
    pd.testing.assert_frame_equal(
        released.seqpriv.risk(1, original=bound), usual.seqpriv.risk(1, original=plain)
    )
    # The usual names go first.
    assert verify.is_k_anonymous(bound, usual, 2)
    both = usual.assign(patient=0, what="c", when=0)
    assert verify.is_k_anonymous(bound, both, 2)
    assert not verify.is_k_anonymous(bound, both.seqpriv.using(**names), 2)
