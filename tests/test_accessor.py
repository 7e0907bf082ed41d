"""The accessor, other column names, options, the verdict and the record."""

from __future__ import annotations

import io
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from pdseqpriv.progress import progress
from pdseqpriv.sequences import record
from pdseqpriv.verdict import Verdict, ViolatedError


def visits():
    return pd.DataFrame({"user": ["x", "x"], "url": ["/", "/buy"], "ts": [1, 2]})


def test_using_binds_other_names():
    bound = visits().seqpriv.using(seq_id="user", event="url", time="ts")
    assert bound.describe()["events"] == 2
    assert pdseqpriv.describe(bound)["events"] == 2
    assert repr(bound) == "<seqpriv: seq_id='user', event='url', time='ts', ties='element'>"


NAMES = {"seq_id": "user", "event": "url", "time": "ts"}


def test_a_call_can_name_the_columns_itself():
    many = pd.concat([visits(), visits().assign(user="y")], ignore_index=True)
    released = pdseqpriv.k_anonymize(many, 2, **NAMES)
    assert list(released.columns) == ["user", "url", "ts"]
    assert released["url"].to_list() == ["/", "/buy"] * 2
    assert pdseqpriv.verify.is_k_anonymous(many, released, 2, **NAMES)
    assert not pdseqpriv.verify.is_k_anonymous(visits(), visits(), 2, **NAMES)
    assert pdseqpriv.risk(released, 2, original=many, **NAMES)["people"].to_list() == [2]
    assert visits().seqpriv.describe(**NAMES)["events"] == 2
    assert pdseqpriv.describe(visits().seqpriv.using(seq_id="user"), event="url", time="ts")["events"] == 2


def test_a_call_can_say_who_the_people_are():
    many = pd.concat([visits(), visits().assign(user="y")], ignore_index=True).assign(who="one person")
    with pytest.warns(PrivacyWarning, match="of 2 sequences, no 2 share"):
        released = pdseqpriv.k_anonymize(many, 2, person="who", **NAMES)
    assert len(released) == 0
    assert pdseqpriv.verify.is_k_anonymous(many, released, 2, person="who", **NAMES)
    assert not pdseqpriv.verify.is_k_anonymous(many, many.drop(columns="who"), 2, person="who", **NAMES)


def test_where_time_is_an_option_it_is_no_column():
    given = visits().rename(columns={"ts": "time"})
    released = pdseqpriv.generalize(
        pd.concat([given, given.assign(user="y", time=[11, 12])]),
        k=2,
        seq_id="user",
        event="url",
        time="since_start",
    )
    assert released["time_from"].to_list() == [0, 1] * 2


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"max_suport": 2}, r"hide\(\) got an unexpected keyword argument 'max_suport'"),
        ({"_columns": 2}, r"hide\(\) got an unexpected keyword argument '_columns'"),
        (
            {"seq_id": "q"},
            "hide: the table has no column 'q' for seq_id; its columns are 'user', 'url'",
        ),
        ({"time": "url"}, "seq_id, event and time must name three different columns"),
        ({"ties": "q"}, 'ties must be "element" or "order", got \'q\''),
        ({"person": "user"}, "person must be a column of its own"),
    ],
)
def test_wrong_names_in_a_call_are_told(bad, said):
    with pytest.raises((TypeError, SeqPrivError), match=said):
        pdseqpriv.hide(visits(), ["/"], **{**NAMES, **bad})


@pytest.mark.parametrize(
    "order",
    [
        "import pandas as pd, pdseqpriv",
        "import pdseqpriv, sys; assert 'pandas' not in sys.modules; import pandas as pd",
        "import pdseqpriv; pdseqpriv.describe; import pandas as pd",
    ],
    ids=["pandas first", "pdseqpriv first", "a function first"],
)
def test_frames_have_the_accessor_whoever_is_imported_first(order):
    code = f"""{order}
df = pd.DataFrame({{"seq_id": [1], "event": ["a"], "time": [0]}})
assert df.seqpriv.describe()["events"] == 1
assert pd.DataFrame.seqpriv.describe is pdseqpriv.describe
assert isinstance(df.seqpriv, pdseqpriv.SeqprivAccessor)
"""
    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, "")


def test_a_scanned_folder_has_the_accessor_before_anything_else_is_called(tmp_path):
    pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [0]}).to_parquet(tmp_path / "visits.parquet")
    code = "import sys, pdseqpriv; print(pdseqpriv.scan_parquet(sys.argv[1]).seqpriv.describe()['events'])"
    said = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "1\n"), said.stderr


def test_pipe_calls_a_function_with_the_table_under_its_names():
    bound = visits().seqpriv.using(seq_id="user", event="url", time="ts")

    def first(table, number, *, column):
        return table.describe()["events"], table.columns.names[:number], column

    assert bound.pipe(first, 2, column="x") == (2, ("user", "url"), "x")
    hidden = bound.pipe(pdseqpriv.hide, [[visits()["url"].iloc[0]]], output="drop")
    pd.testing.assert_frame_equal(hidden, bound.hide([[visits()["url"].iloc[0]]], output="drop"))
    assert len(hidden) == 1


def test_using_can_be_said_in_steps():
    assert (
        visits()
        .rename(columns={"url": "event", "ts": "time"})
        .seqpriv.using(seq_id="user")
        .using(ties="order")
        .columns.ties
        == "order"
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"seq_id": "usr"}, "Did you mean 'user'?"),
        ({"seq_id": "user", "event": "user"}, "three different columns"),
        ({"seq_id": ["user"]}, "seq_id must be the name of a column, got list"),
        ({"seq_id": ("a", "b", "c")}, "no column ('a', 'b', 'c')"),
        (
            {"seq_id": "user", "event": "url", "time": "ts", "ties": "rows"},
            'ties must be "element" or "order"',
        ),
    ],
)
def test_using_says_what_is_wrong(names, said):
    with pytest.raises(SeqPrivError) as caught:
        visits().seqpriv.using(**names).describe()
    assert said in str(caught.value)


def test_names_that_are_not_text():
    frame = visits()
    frame.columns = [0, ("a", 1), 2]
    assert frame.seqpriv.using(seq_id=0, event=("a", 1), time=2).describe()["events"] == 2


def test_several_levels_of_columns_are_refused():
    frame = pd.DataFrame(
        [[1, 2, 3]], columns=pd.MultiIndex.from_product([["a"], ["seq_id", "event", "time"]])
    )
    with pytest.raises(SeqPrivError, match="several levels"):
        frame.seqpriv.describe()


@pytest.mark.parametrize("table", [None, [1], {"seq_id": [1]}, pd.Series([1]), np.zeros((2, 3))])
def test_what_is_no_table_is_said_so(table):
    with pytest.raises(SeqPrivError, match="describe: table must be a pandas DataFrame"):
        pdseqpriv.describe(table)


def test_options_are_checked():
    with pytest.raises(SeqPrivError, match="progress must be True or False"):
        pdseqpriv.options.progress = "no"
    with pytest.raises(SeqPrivError, match="threads must be None or an int of at least 1, got 0"):
        pdseqpriv.options.threads = 0
    with pytest.raises(AttributeError):
        pdseqpriv.options.progres = False
    pdseqpriv.options.threads = 1
    pdseqpriv.options.threads = None


class Terminal(io.StringIO):
    """Keeps what is printed."""

    def isatty(self):
        return True


def see(monkeypatch):
    """Put a terminal in the place of where errors go; not in a fixture, because pytest takes it back."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "20")
    return terminal


def test_progress_shows_what_was_done_before_it_showed(monkeypatch):
    terminal = see(monkeypatch)
    monkeypatch.setattr(pdseqpriv.progress, "_DELAY", 0.3)
    with progress(40, "testing") as bar:
        bar.update(5)
        assert terminal.getvalue() == ""
        time.sleep(0.4)
        bar.update(5)
        assert "testing" in terminal.getvalue()
        assert "10/40" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")  # and leaves nothing behind


def test_short_work_shows_nothing_and_loads_nothing(monkeypatch):
    terminal = see(monkeypatch)
    code = (
        "import sys; from pdseqpriv.progress import progress\nwith progress(2, 'x') as bar: bar.update(2)\n"
    )
    code += "print('tqdm' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
    with progress(2, "testing") as bar:
        bar.update(2)
    assert terminal.getvalue() == ""


def test_progress_can_be_switched_off(monkeypatch):
    terminal = see(monkeypatch)
    monkeypatch.setattr(pdseqpriv.progress, "_DELAY", 0)
    pdseqpriv.options.progress = False
    try:
        with progress(2, "testing") as bar:
            bar.update(2)
    finally:
        pdseqpriv.options.progress = True
    assert terminal.getvalue() == ""


def test_progress_is_silent_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(pdseqpriv.progress, "_DELAY", 0)
    with progress(2, "testing") as bar:
        bar.update(2)
    assert capsys.readouterr().err == ""


def test_errors_are_value_errors_and_file_errors_are_os_errors():
    assert issubclass(SeqPrivError, ValueError)
    assert issubclass(pdseqpriv.FileError, OSError)
    assert issubclass(pdseqpriv.FileError, SeqPrivError)
    assert issubclass(pdseqpriv.InfeasibleError, SeqPrivError)
    assert issubclass(PrivacyWarning, UserWarning)


def test_verdict_speaks_plainly():
    good = Verdict(holds=True, sentence="4 sequences, each shared by at least 2 people", checked=4)
    bad = Verdict(holds=False, sentence="1 of 4 sequences is shared by too few", checked=4, violations=1)
    assert good
    assert not bad
    assert str(good) == "holds: 4 sequences, each shared by at least 2 people"
    assert str(bad) == "does not hold: 1 of 4 sequences is shared by too few"
    assert good.raise_if_violated() is good
    with pytest.raises(ViolatedError, match="does not hold"):
        bad.raise_if_violated()
    with pytest.raises(AttributeError):
        good.holds = False


@pytest.fixture
def known_step(monkeypatch):
    words = {"k": record.NUMBER, "strict": record.YES_OR_NO, "method": ("fast", "slow")}
    monkeypatch.setitem(record.DISCLOSABLE, "test_step", words)


@pytest.mark.usefixtures("known_step")
def test_record_holds_one_step_after_the_other_and_nothing_else():
    frame = visits()
    frame.attrs["source"] = "secret"
    first = record.record_step(frame, "test_step", {"k": 2, "method": "fast"})
    second = record.record_step(visits(), "test_step", {"strict": True}, before=first)
    assert list(first.attrs) == ["pdseqpriv"]
    steps = second.attrs["pdseqpriv"]["applied"]
    assert [step["parameters"] for step in steps] == [{"k": 2, "method": "fast"}, {"strict": True}]
    assert record.record_of(second) == {"format": 1, "applied": steps}


@pytest.mark.usefixtures("known_step")
@pytest.mark.parametrize(
    "parameters",
    [{"seed": 3}, {"method": "secret"}, {"k": "secret"}, {"events_deleted": 3}, {"strict": 1}],
)
def test_record_refuses_what_may_not_be_told(parameters):
    with pytest.raises(AssertionError):
        record.record_step(visits(), "test_step", parameters)


@pytest.mark.usefixtures("known_step")
def test_record_drops_foreign_steps():
    step = {"operation": "test_step", "parameters": {"k": 2}, "library": "0.1.0"}
    foreign = [
        "secret",
        {**step, "operation": "secret"},
        {**step, "note": "secret"},
        {**step, "parameters": {"k": "secret"}},
        {**step, "counts": {"sequences_in": 1}},
        {**step, "library": "secret"},
        {**step, "operation": ["test_step"]},
    ]
    kept = record.cleaned({"format": 1, "applied": [step, *foreign], "more": "secret"})
    assert kept == {"format": 1, "applied": [step]}
    for value in (None, 3, [], {"format": 2, "applied": [step]}, {"format": 1, "applied": "secret"}):
        assert record.cleaned(value) == record.empty_record()
