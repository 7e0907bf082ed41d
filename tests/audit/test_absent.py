"""What is not in the table protects nothing: tables in the place of lists, and misspelt names."""

from __future__ import annotations

import subprocess
import sys

import dask
import dask.dataframe as dd
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Pattern, PrivacyWarning, SeqPrivError, verify
from pdseqpriv.sequences import named_events


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
    with pytest.warns(PrivacyWarning, match=r"is_hidden: 1 of 2 patterns .* \('aa -> b'\)"):
        assert verify.is_hidden(visits, ["aa -> b", "b -> a"])
    with pytest.warns(PrivacyWarning, match=r"is_sanitized: 1 of 2 events .* \('aa'\). Check"):
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


@pytest.mark.parametrize("name", ["aa", "c"])
def test_no_step_excuses_names_that_it_was_not_given(visits, name):
    """An operation removes what it is told to; any other name that is absent may be misspelt."""
    gone = visits[visits["event"] != "c"].reset_index(drop=True)
    for released in (
        gone.seqpriv.hide(["b"], output="drop"),
        gone.seqpriv.sanitize(0.1, events=["b"]),
        gone.seqpriv.k_anonymize(2),
    ):
        assert not verify.is_hidden(released, [name])
        assert not verify.is_sanitized(released, 0.3, events=[name])
        assert "may_be_absent=True if they were removed" in repr(verify.is_hidden(released, [name]))


def test_a_removed_name_does_not_excuse_another(visits):
    hidden = visits.seqpriv.hide(["b"])
    with pytest.warns(PrivacyWarning, match=r"1 of 2 patterns names .* \('Completd'\)"):
        assert verify.is_hidden(hidden, ["b", "Completd"])
    with pytest.warns(PrivacyWarning, match=r"1 of 2 events does not occur in the table \('Completd'\)"):
        assert verify.is_sanitized(hidden, 0.3, events=["b", "Completd"])


def test_changed_rows_are_not_excused(visits):
    hidden = visits.seqpriv.hide(["b"])
    assert not verify.is_hidden(hidden.assign(event=hidden["event"].str.upper()), ["b"])
    assert verify.is_hidden(hidden.copy(), ["b"])


def test_later_steps_know_what_earlier_ones_removed(visits):
    chained = visits.seqpriv.hide(["b"], output="drop").seqpriv.sanitize(0.1, events=["c"])
    assert verify.is_hidden(chained, ["b"])
    assert verify.is_sanitized(chained, 0.1, events=["b", "c"])
    assert verify.is_hidden(visits.seqpriv.hide(["b"]).seqpriv.k_anonymize(2), ["b"])


def test_a_file_does_not_say_what_was_removed(visits, tmp_path):
    pdseqpriv.write_parquet(visits.seqpriv.hide(["b"]), tmp_path / "hidden.parquet")
    assert verify.is_hidden(pdseqpriv.read_parquet(tmp_path / "hidden.parquet"), ["b"])
    elsewhere = (
        "import sys, pdseqpriv; hidden = pdseqpriv.read_parquet(sys.argv[1]); is_hidden = "
        "pdseqpriv.verify.is_hidden; print(is_hidden(hidden, ['b'])); "
        "print(is_hidden(hidden, ['b'], may_be_absent=True))"
    )
    command = [sys.executable, "-W", "error", "-c", elsewhere, str(tmp_path / "hidden.parquet")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0].startswith("does not hold: nothing was checked")
    assert said[0].endswith("may_be_absent=True if they were removed")
    assert said[1].startswith("holds: ")


def test_numbers_that_were_removed_are_known_as_text(visits):
    numbers = visits.assign(event=[1, 7, 1, 3])
    assert verify.is_hidden(numbers.seqpriv.hide(["7"]), [[7]])
    assert verify.is_hidden(numbers.seqpriv.hide([[7]]), ["7"])  # the same rows, and another name
    assert verify.is_sanitized(numbers.seqpriv.sanitize(0.1, events=[7]), 0.1, events=["7"])


@pytest.mark.parametrize("scope", ["sequence", "table"])
def test_a_scanned_table_knows_what_was_removed(visits, tmp_path, scope):
    pdseqpriv.write_parquet(visits, tmp_path / "visits.parquet")
    scanned = pdseqpriv.scan_parquet(tmp_path / "visits.parquet")
    released = pdseqpriv.sanitize(scanned, 0.1, events=["b"], scope=scope)
    for table in (released, released.to_pandas()):
        assert verify.is_sanitized(table, 0.1, events=["b"], scope=scope)
        assert not verify.is_sanitized(table, 0.1, events=["aa"], scope=scope)


def test_a_pipeline_hands_on_what_was_removed(visits):
    people = visits.assign(who=["x", "x", "y", "y"])
    steps = pdseqpriv.Pipeline(person="who").hide(["b"]).sanitize(0.1, events=["c"], scope="person")
    released = steps.run(people).table
    assert verify.is_hidden(released, ["b"])


def test_not_everything_is_remembered(monkeypatch, visits):
    monkeypatch.setattr(named_events, "_MOST", 2)
    monkeypatch.setattr(named_events, "_there_before", {})
    first, *_, last = [visits.assign(time=visits["time"] + i).seqpriv.hide(["b"]) for i in range(3)]
    assert len(named_events._there_before) == 2
    assert not verify.is_hidden(first, ["b"])
    assert verify.is_hidden(last, ["b"])


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
    with pytest.raises(SeqPrivError, match=r"names 2 events \('aa', 'bb'\), but none of them occurs"):
        visits.seqpriv.generalize(k=2, monitored=["aa", "bb"])
    with pytest.raises(SeqPrivError, match=r"1 of the 1 monitored event of the table is not in .* \('a'\)"):
        visits.seqpriv.generalize({"b": "x", "c": "x"}, k=2, monitored=["a"])


def test_an_expression_that_cannot_be_read_says_what_its_letters_are():
    for text in ("Res.*", "(home", "home ) bar"):
        with pytest.raises(SeqPrivError, match=r"whole events, not letters: write it like 'home \(bar"):
            Pattern.regex(text)
