"""What is not in the table protects nothing: tables in the place of lists, and misspelt names."""

from __future__ import annotations

import dask
import dask.dataframe as dd
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Pattern, PrivacyWarning, SeqPrivError, verify


@pytest.fixture
def visits():
    return pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})


WRONG_LISTS = {
    "DataFrame": lambda visits: visits.seqpriv.mine(1),
    "dict": lambda visits: dict.fromkeys(visits["event"]),
    "Series of counts": lambda visits: visits["event"].value_counts(),
}


@pytest.mark.parametrize("kind", list(WRONG_LISTS))
def test_what_is_no_list_is_refused(visits, kind):
    given = WRONG_LISTS[kind](visits)
    for function, call in {
        "hide": lambda: visits.seqpriv.hide(given),
        "is_hidden": lambda: verify.is_hidden(visits, given),
        "sanitize": lambda: visits.seqpriv.sanitize(0.3, events=given),
        "is_sanitized": lambda: verify.is_sanitized(visits, 0.3, events=given),
        "compare": lambda: pdseqpriv.compare(visits, visits, delta=0.3, events=given),
    }.items():
        with pytest.raises(SeqPrivError, match=f"^{function}: .* must be a list of .*, got a {kind}"):
            call()


def test_the_column_of_patterns_is_a_list(visits):
    mined = visits.seqpriv.mine(1)
    with pytest.raises(SeqPrivError, match=r"patterns=frame\['pattern'\]"):
        visits.seqpriv.hide(mined)
    assert verify.is_hidden(visits.seqpriv.hide(mined["pattern"]), mined["pattern"])


def test_shares_of_events_are_no_events(visits):
    with pytest.raises(SeqPrivError, match="Give its index instead"):
        visits.seqpriv.sanitize(0.3, events=visits["event"].value_counts(normalize=True))
    assert len(visits.seqpriv.sanitize(0.3, events=visits["event"].value_counts().index[:1])) == 2


def test_checks_warn_of_names_that_never_occur(visits):
    with pytest.warns(PrivacyWarning, match="is_hidden: 1 of 2 patterns names events that are not in"):
        assert verify.is_hidden(visits, ["aa -> b", "b -> a"])
    with pytest.warns(PrivacyWarning, match="is_sanitized: 1 of 2 events does not occur in the table. Check"):
        assert verify.is_sanitized(visits, 0.6, events=["aa", "b"])


def test_nothing_holds_of_names_that_never_occur(visits):
    hidden = verify.is_hidden(visits, ["aa -> bb", "bb"])
    assert not hidden
    assert "nothing was checked: 2 of 2 patterns name events that are not in the table. Check" in repr(hidden)
    sanitized = verify.is_sanitized(visits, 0.3, events=["aa", 1])
    assert not sanitized
    assert "nothing was checked: 2 of 2 events do not occur in the table. Check their spell" in repr(
        sanitized
    )
    for verdict in (hidden, sanitized):
        with pytest.raises(SeqPrivError, match="say may_be_absent=True"):
            verdict.raise_if_violated()
    assert verify.is_hidden(visits, ["aa -> bb", "bb"], may_be_absent=True)
    assert verify.is_sanitized(visits, 0.3, events=["aa", 1], may_be_absent=True)
    assert verify.is_hidden(visits.head(0), ["aa"])  # nothing is in an empty table
    assert verify.is_sanitized(visits.head(0), 0.3, events=["aa"])
    for call in (
        lambda: verify.is_hidden(visits, ["aa"], may_be_absent="yes"),
        lambda: verify.is_sanitized(visits, 0.3, events=["aa"], may_be_absent=1),
    ):
        with pytest.raises(SeqPrivError, match="may_be_absent must be True or False"):
            call()


@pytest.fixture(params=["pandas", "dask", "folder"])
def visits_anywhere(request, visits, tmp_path):
    """Visits here, and where releases are made later or in parts."""
    if request.param == "folder":
        visits.to_parquet(tmp_path / "rows.parquet", index=False)
        yield pdseqpriv.scan_parquet(tmp_path)
        return
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        yield visits if request.param == "pandas" else dd.from_pandas(visits, npartitions=2)


def test_checks_warn_of_names_that_an_operation_did_not_find_either(visits_anywhere):
    with pytest.warns(PrivacyWarning, match="hide: every pattern names events that are not in the table"):
        hidden = pdseqpriv.hide(visits_anywhere, ["aa"])
    assert not verify.is_hidden(hidden, ["aa"])
    for scope in ("sequence", "table"):
        with pytest.warns(PrivacyWarning, match="sanitize: 1 of 1"):
            sanitized = pdseqpriv.sanitize(visits_anywhere, 0.3, events=["aa"], scope=scope)
        assert not verify.is_sanitized(sanitized, 0.3, events=["aa"], scope=scope)


def test_checks_know_that_events_were_removed_wherever_the_rows_are(visits_anywhere):
    for scope in ("sequence", "table"):
        sanitized = pdseqpriv.sanitize(visits_anywhere, 0.1, events=["b"], scope=scope)
        assert verify.is_sanitized(sanitized, 0.1, events=["b"], scope=scope)


def test_what_is_not_found_changes_nothing(visits):
    with pytest.warns(PrivacyWarning, match="hide: every pattern names events that are not in the table"):
        pd.testing.assert_frame_equal(visits.seqpriv.hide(["aa"]), visits)


@pytest.mark.parametrize("output", ["mark", "drop", "replace"])
def test_checks_do_not_warn_of_what_was_removed(visits, output):
    assert verify.is_hidden(visits.seqpriv.hide(["b"], output=output), ["b"])
    assert verify.is_sanitized(visits.seqpriv.sanitize(0.1, events=["b"]), 0.1, events=["b"])


def test_hide_warns_when_nothing_is_left(visits):
    with pytest.warns(PrivacyWarning, match="hide: every row was dropped") as said:
        assert visits.seqpriv.hide(["a", "b", "c"], output="drop").empty
    assert said[0].filename == __file__


def test_sanitize_warns_when_nothing_is_left(visits):
    with pytest.warns(PrivacyWarning, match="sanitize: every row was deleted") as said:
        assert visits.seqpriv.sanitize(0.1, events=["a", "b", "c"]).empty
    assert said[0].filename == __file__


def test_names_that_the_user_typed_are_shown_back(visits):
    with pytest.warns(PrivacyWarning, match=r"1 of 2 events does not occur in the table \('aa'\)"):
        visits.seqpriv.sanitize(0.3, events=["b", "aa"])
    with pytest.warns(PrivacyWarning, match=r"1 of 2 monitored events does not occur in the table \('aa'\)"):
        visits.seqpriv.generalize(k=2, monitored=["aa", "a"])
    with pytest.warns(PrivacyWarning, match=r"1 of 2 patterns names events .* \('b -> aa'\). Check"):
        visits.seqpriv.hide(["b", "b -> aa"])
    with pytest.raises(SeqPrivError, match=r"1 of the 1 monitored event of the table is not in .* \('a'\)"):
        visits.seqpriv.generalize({"b": "x", "c": "x"}, k=2, monitored=["a"])


def test_an_expression_that_cannot_be_read_says_what_its_letters_are():
    for text in ("Res.*", "(home", "home ) bar"):
        with pytest.raises(SeqPrivError, match=r"whole events, not letters: write it like 'home \(bar"):
            Pattern.regex(text)
