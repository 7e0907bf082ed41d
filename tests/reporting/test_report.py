"""A page says what was done and which checks hold; what cannot be is refused."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings

import pandas as pd
import pytest

import pdseqpriv
import pdseqpriv.reporting.report as reporting
from pdseqpriv import SeqPrivError, Taxonomy, Verdict, ViolatedError
from pdseqpriv.reporting.claims import claim_of
from pdseqpriv.reporting.steps_in_words import steps_in_words
from pdseqpriv.sequences.record import DISCLOSABLE
from tests.reporting.pages import checked, visits, words

HOSTILE = ["<script>alert(1)</script>", "</svg><img src=x>", "a\u202eb", "x" * 10_000, "\U0001f3e5", "\"&'"]


@pytest.fixture
def written(tmp_path):
    def write(*tables, **options):
        pdseqpriv.report(*tables, tmp_path / "report.html", **options)
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    return write


def test_checks_that_fit_the_record_are_run(written):
    df = visits()
    text = words(written(df, df.seqpriv.k_anonymize(5, guarantee="identical")))
    assert "✓ holds Every released sequence is the same for at least 5 sequences." in text
    released, key = df.seqpriv.generalize(k=5, with_key=True)
    assert "the key was not given" in written(df, released)
    assert "✓ holds" in written(df, released, key=key)
    assert "what was chosen is secret" in written(df, df.seqpriv.hide("home -> work"))
    assert "✓ holds" in written(df, df.seqpriv.release_patterns(0.5, k=5))


def test_groups_are_checked_as_they_were_made(written):
    df = visits().iloc[:80]
    released, key = df.seqpriv.generalize(k=5, time="since_start", with_key=True)
    assert "✓ holds" in written(df, released, key=key)
    released, key = df.seqpriv.generalize(k=5, intervals="by_category", with_key=True)
    assert not pdseqpriv.verify.is_generalized(df, released, key, k=5)
    text = written(df, released, key=key)
    assert "✓ holds" in text
    assert "Events of different categories may have intervals that overlap." in text
    df = df.assign(time=pd.Timestamp("2024-05-01") + pd.to_timedelta(df["time"], unit="s"))
    asked = {"monitored": ["home"], "sensitive": ["work"]}
    released, key = df.seqpriv.generalize(diversity=("1min", 2.5), with_key=True, **asked)
    text = written(df, released, key=key, **asked)
    assert "✓ holds" in text
    assert "more than one in 2.5 members" in text
    with pytest.raises(ViolatedError, match="made with categories or events that were not given"):
        written(df, released, key=key)


def test_people_are_counted_if_the_record_says_so(written):
    df = visits().assign(who=[f"person-{i % 20}" for i in range(120)])
    people = df.seqpriv.using(person="who")
    with pytest.warns(pdseqpriv.PrivacyWarning, match="dropped 'who'"):
        plain = df.seqpriv.k_anonymize(5)
    released, key = people.k_anonymize(5, guarantee="identical", with_key=True)
    assert "people were counted, and they are not named" in written(df, released, key=key)
    assert "the key was not given" in written(people, released)
    assert "is the same for at least 5 people" in written(people, released, key=key)
    assert "✓ holds" in written(people, plain)


def test_what_cannot_be_checked_against_the_original_is_not_checked(written):
    df = visits()
    replaced = df.seqpriv.hide("home -> work", output="replace", seed=1)
    released = replaced.seqpriv.k_anonymize(5)
    assert "events were replaced before" in written(df, released)
    hidden = df.iloc[:80].seqpriv.hide("home -> work", max_support=20, output="drop")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        released, key = hidden.seqpriv.generalize(k=5, with_key=True)
    assert "other steps came before" in written(df.iloc[:80], released, key=key)
    tree = Taxonomy({"home": "place", "work": "place"} | {f"secret-{i}": "private" for i in range(40)})
    assert "the taxonomy was not given" in written(df, df.seqpriv.k_anonymize(5, taxonomy=tree))


def test_verdicts_that_are_given_are_shown_to_the_owner_only(written):
    df = visits()
    hidden = df.seqpriv.hide("home -> work")
    verdict = pdseqpriv.verify.is_hidden(hidden, "home -> work")
    assert verdict.sentence not in written(df, hidden, verdicts=[verdict])
    assert "No commute is seen" in written(df, hidden, verdicts={"No commute is seen": verdict})
    assert verdict.sentence in written(df, hidden, verdicts=[verdict], audience="owner")


def test_nothing_is_written_for_the_public_if_a_check_does_not_hold(written, tmp_path):
    df = visits()
    broken = {"It is safe": Verdict(False, "17 are not", 20, 17)}
    with pytest.raises(ViolatedError, match="report: a check does not hold"):
        written(df, df, verdicts=broken)
    assert not list(tmp_path.iterdir())
    assert "✗ does not hold" in written(df, df, verdicts=broken, audience="owner")


MAKE = {
    "k_anonymize": lambda table: table.k_anonymize(3),
    "hide": lambda table: table.hide([[HOSTILE[1]]]),
    "generalize": lambda table: table.generalize(k=3),
    "sanitize": lambda table: table.sanitize(0.1, events=HOSTILE[1:2]),
    "release_patterns": lambda table: table.release_patterns(5, k=2, max_length=1),
}


@pytest.fixture
def hostile():
    """Make a table in which the ids, the events, a column beside them and all columns have hostile names.

    ``first`` says which of the names is that of the first column.
    """

    def make(first):
        names = [f"{(HOSTILE * 2)[first + i]} {i}" for i in range(4)]
        ids = [f"{HOSTILE[i // 6 % 6]} {i // 6}" for i in range(60)]
        beside = [HOSTILE[i // 6 % 2] for i in range(60)]
        frame = pd.DataFrame(dict(zip(names, (ids, HOSTILE * 10, range(60), beside), strict=True)))
        return frame.seqpriv.using(seq_id=names[0], event=names[1], time=names[2]), names[3]

    return make


def inert(text):
    checked(text)
    assert "\u202e" not in text
    assert "x" * 1_000 not in text
    assert "x" * 100 not in re.sub("Found: .*", "", text)  # what a check found may name a column
    return text


@pytest.mark.parametrize("audience", ["public", "owner"])
@pytest.mark.parametrize("first", range(len(HOSTILE)))
@pytest.mark.parametrize("operation", MAKE)
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_hostile_names_are_inert(written, hostile, audience, first, operation):
    table, _ = hostile(first)
    text = inert(written(table, MAKE[operation](table), audience=audience))
    assert ("&lt;script&gt;" in text) == (operation != "generalize" or audience == "owner")


@pytest.mark.parametrize("audience", ["public", "owner"])
@pytest.mark.parametrize("first", range(len(HOSTILE)))
@pytest.mark.parametrize("operation", ["k_anonymize", "generalize"])
def test_hostile_names_of_what_is_kept_are_inert(written, hostile, audience, first, operation):
    table, beside = hostile(first)
    released, key = getattr(table, operation)(k=3, keep=[beside], with_key=True)
    assert beside in released
    inert(written(table, released, key=key, keep=[beside], audience=audience))


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_an_empty_release_has_a_page(written, audience):
    df = visits(3)
    with pytest.warns(pdseqpriv.PrivacyWarning):
        released = df.seqpriv.k_anonymize(5)
    of = " of 3" if audience == "owner" else ""
    assert re.search(
        rf"sequences are released 0{of} ", words(checked(written(df, released, audience=audience)))
    )
    assert re.search(r"events are released 0( of 9)? ", words(written(df, df.iloc[:0], audience=audience)))
    assert re.search(
        "patterns are released 0", words(written(df, df.seqpriv.release_patterns(9, k=2), audience=audience))
    )


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_a_release_of_marks_alone_has_a_page(written, audience):
    df = visits(3)
    said = words(written(df, df.seqpriv.hide(sorted(set(df["event"]))), audience=audience))
    assert re.search(r"events are released 0( of 9)? ", said)


def test_every_operation_is_told_in_words():
    for operation in DISCLOSABLE:
        given = {"k": 7, "max_support": 7, "delta": 7, "diversity_l": 7}
        (step,) = steps_in_words([{"operation": operation, "parameters": given}])
        assert step.done.endswith((".", ")."))
        assert all(one.endswith(".") for one in step.not_protected)
        assert step.not_protected
        if operation != "mine":
            assert "7" in claim_of(operation, given)
            assert claim_of(operation, given)[0].isupper()
    assert "earlier ones still finds at least 7" in claim_of("generalize", {"k": 7}, "are_compatible")


def test_new_ids_of_a_later_step_are_not_those_of_the_original():
    hide = {"operation": "hide", "parameters": {"max_support": 0}}
    alone, (first, _) = steps_in_words([hide]), steps_in_words([hide, {**hide, "operation": "k_anonymize"}])
    is_gone = ("Ids and times", "That something was hidden: marks")
    assert len([one for one in alone[0].not_protected if one.startswith(is_gone)]) == 2
    assert not [one for one in first.not_protected if one.startswith(is_gone)]


def test_a_record_that_does_not_belong_to_the_rows_is_not_told(written):
    df = visits()
    with pytest.warns(pdseqpriv.PrivacyWarning, match="rows are not those"):
        text = written(df, df.seqpriv.k_anonymize(5).iloc[:10])
    assert "no record of what was applied" in text
    assert "nothing was checked" in text


def test_wrong_calls_are_refused_and_the_old_page_stays(tmp_path):
    df = visits()
    released, hidden = df.seqpriv.k_anonymize(5), df.seqpriv.hide("secret-3")
    page = tmp_path / "report.html"
    page.write_text("old")
    mined = df.seqpriv.mine(40)
    groups = df.iloc[:80].seqpriv.generalize(k=5, monitored=["home"])
    tree = {"home": "place", "work": "place", "shop": "other"}
    places, shops = df.iloc[:80].seqpriv.generalize(tree, k=5), df.assign(event="shop")
    calls = {
        'audience must be "public" or "owner"': (df, released, page, {"audience": "all"}),
        "it is a folder": (df, released, tmp_path, {}),
        "no event of the release occurs in the original": (df, df.assign(event="other"), page, {}),
        "no event of the release": (shops, groups, page, {}),
        "no event of the release occurs": (shops, places, page, {"taxonomy": tree}),
        "If events became categories, give taxonomy=": (df.iloc[:80], places, page, {}),
        "no id of the release occurs": (df.replace({"seq_id": "patient"}, "p", regex=True), hidden, page, {}),
        "more sequences than the original": (df.iloc[:9], df, page, {}),
        "the original holds patterns": (mined, df, page, {}),
        "no pattern of the release occurs": (df.assign(event="other"), mined, page, {}),
        "no pattern of": (mined.assign(pattern=[(str(i),) for i in range(len(mined))]), mined, page, {}),
        "the original is a generalized table": (df.iloc[:80].seqpriv.generalize(k=5), released, page, {}),
        "report, in the release: the table has no column": (df, df[["seq_id"]], page, {}),
        "verdicts must be a list of Verdicts": (df, released, page, {"verdicts": [True]}),
        "the original is the result of k_anonymize, and the release is not": (released, df, page, {}),
        "report: key must be the frame that with_key=True returns, got str": (
            df,
            released,
            page,
            {"key": "k"},
        ),
        "got a frame without 'released_id'": (df, released, page, {"key": df}),
        "report: keep must be a list of columns": (df, released, page, {"keep": 5}),
        "Taxonomy: source must be": (df, released, page, {"taxonomy": 5}),
        "report: monitored must be a list of events, got str": (df, released, page, {"monitored": "home"}),
    }
    for said, (before, after, path, options) in calls.items():
        with pytest.raises(SeqPrivError, match=said):
            pdseqpriv.report(before, after, path, **options)
    assert page.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_groups_of_nothing_but_categories_may_belong_to_the_original(written):
    """Only what is above an event of the original, or the category of all events, is left of it."""
    df = visits().iloc[:80]
    tree = {"home": "place", "work": "place", "place": "earth", "shop": "earth"}
    released = df.seqpriv.generalize(tree, k=5)
    assert set(released["event"]) == {"place"}
    assert "What was done" in written(df, released, taxonomy=tree)
    higher = pd.DataFrame(released.to_dict("list")).replace({"event": {"place": "earth"}})
    assert "What was done" in written(df, higher, taxonomy=tree)
    flat = df.seqpriv.generalize(k=5)
    assert set(flat["event"]) == {"ALL"}
    assert "What was done" in written(df, flat)
    assert "What was done" in written(df, df.assign(event="earth"), taxonomy=tree)


def test_one_id_in_common_is_enough_wherever_it_is(written):
    df = visits(300)
    hidden = df.seqpriv.hide("secret-3")
    last = hidden["seq_id"].max()  # as text, patient-99
    others = df.assign(seq_id=df["seq_id"].where(df["seq_id"] == last, "p" + df["seq_id"]))
    assert "Events" in written(others, hidden)


def test_events_that_pandas_cannot_hold_as_text_are_refused_without_quoting_them(tmp_path):
    events = pd.Series(["secret\udcff", "b"], dtype=object)
    frame = pd.DataFrame({"seq_id": [1, 2], "event": events, "time": 0})
    good = frame.assign(event="b")
    with pytest.raises(SeqPrivError, match="column 'event' holds values") as caught:
        pdseqpriv.report(good, frame, tmp_path / "report.html")
    assert "secret" not in repr(caught.value)


def test_a_folder_is_refused_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "page_about", lambda *_, **__: pytest.fail("it was measured"))
    with pytest.raises(pdseqpriv.FileError, match="it is a folder"):
        pdseqpriv.report(visits(), visits(), tmp_path)


def test_without_jinja2_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import pandas as pd, pdseqpriv\n"
        "df = pd.DataFrame({'seq_id': [1], 'event': ['a'], 'time': [1]})\n"
        "try:\n    pdseqpriv.report(df, df, 'report.html')\n"
        "except pdseqpriv.SeqPrivError as error:\n    print(error)"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.strip() == (
        "report: jinja2 is needed to write a report, and it is not installed: "
        "pip install 'pdseqpriv[report]'."
    )
    assert not list(tmp_path.iterdir())
