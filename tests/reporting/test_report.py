"""The report says what was done and what holds, and tells the public nothing that the release does not."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import SeqPrivError, Verdict, ViolatedError
from pdseqpriv.reporting.steps_in_words import not_protected, steps_in_words
from pdseqpriv.sequences.record import DISCLOSABLE

HOSTILE = ["<script>alert(1)</script>", "</svg><img src=x>", "a\u202eb", "x" * 10_000, "\U0001f3e5", "\"&'"]
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "div", "h1",
    "h2", "h3", "p", "ul", "li", "span", "svg", "rect", "text", "line", "polyline", "circle", "details",
    "summary",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def visits(n=40):
    """Everybody goes from home to work; everybody also has an event, an id and times of their own."""
    people = np.arange(n)
    frame = pd.concat(
        [
            pd.DataFrame({"seq_id": people, "event": "home", "time": people * 1_000 + 500_017}),
            pd.DataFrame({"seq_id": people, "event": "work", "time": people * 1_000 + 500_117}),
            pd.DataFrame(
                {"seq_id": people, "event": [f"secret-{i}" for i in people], "time": people + 900_019}
            ),
        ],
        ignore_index=True,
    )
    return frame.assign(seq_id=frame["seq_id"].map("patient-{}".format))


@pytest.fixture
def written(tmp_path):
    def write(*tables, **options):
        pdseqpriv.report(*tables, tmp_path / "report.html", **options)
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    return write


def checked(text):
    """See that a page is inert: only known elements, no script, handler, link or address."""
    found = Tags(text)
    assert set(found.tags) <= ALLOWED
    assert not [
        name for name in found.attributes if name.startswith("on") or name in {"src", "href", "style"}
    ]
    assert not re.search(r"https?:|url\(|@import", text)
    return text


def test_the_public_learns_no_id_no_time_and_no_removed_event(written):
    df = visits()
    for released in (df.seqpriv.k_anonymize(5), df.seqpriv.generalize(k=5)):
        text = checked(written(df, released))
        removed = set(df["event"]) - set(released["event"])
        assert len(removed) >= 40
        hidden = {*removed, *df["seq_id"], *df["time"].map(str), *df["time"].map("{:,}".format)}
        assert [one for one in hidden if re.search(rf"\b{re.escape(one)}\b", text)] == []
        assert "original</" not in text
        assert "owner of the data only" not in text


def test_the_public_learns_no_number_of_the_original(written):
    df = visits()
    text = written(df, df.seqpriv.k_anonymize(5))
    assert "80 events of 2 kinds are released" in text
    assert "120" not in text
    more = pd.concat([df, visits(47).tail(47).assign(seq_id=[f"other-{i}" for i in range(47)])])
    with pytest.warns(pdseqpriv.PrivacyWarning, match="dropped"):
        released = more.seqpriv.k_anonymize(5)
    text = written(more, released)
    assert "40 sequences are released" in text
    assert "87" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_the_owner_sees_both_and_every_section_is_marked(written):
    df = visits()
    released, key = df.seqpriv.k_anonymize(5, with_key=True)
    text = checked(written(df, released, audience="owner", key=key))
    assert text.count("<section") == text.count("For the owner of the data only") == 8
    assert {"Risk", "Linking attacks", "What is kept and lost"} <= set(re.findall("<h2>(.*?)</h2>", text))
    assert "events kept" in text
    assert "0.6667" in text
    assert "patient-" not in text


def test_checks_that_fit_the_record_are_run(written):
    df = visits()
    text = written(df, df.seqpriv.k_anonymize(5, guarantee="identical"))
    assert "✓ holds" in text
    assert "shared by at least 5 people (identical)" in text
    released, key = df.seqpriv.generalize(k=5, with_key=True)
    assert "the key was not given" in written(df, released)
    assert "✓ holds" in written(df, released, key=key)
    assert "give its verdict" in written(df, df.seqpriv.hide("home -> work"))


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


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_hostile_names_are_inert(written, audience):
    frame = pd.DataFrame(
        {"<b>": [f"<i>{i // 6}" for i in range(60)], "</table>": HOSTILE * 10, "t": range(60)}
    )
    table = frame.seqpriv.using(seq_id="<b>", event="</table>", time="t")
    text = checked(written(table, table.k_anonymize(3), audience=audience))
    assert "&lt;script&gt;" in text
    assert "\u202e" not in text
    assert "x" * 100 not in text


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_an_empty_release_has_a_page(written, audience):
    df = visits(3)
    with pytest.warns(pdseqpriv.PrivacyWarning):
        released = df.seqpriv.k_anonymize(5)
    assert "0 sequences are released" in checked(written(df, released, audience=audience))


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_patterns_have_a_page(written, audience):
    mined = visits().seqpriv.mine(2)
    text = checked(written(mined, pdseqpriv.release_patterns(mined, k=2), audience=audience))
    assert "home → work" in text
    assert ("What is kept and lost" in text) == (audience == "owner")


def test_every_operation_is_told_in_words():
    for operation in DISCLOSABLE:
        (step,) = steps_in_words(
            [{"operation": operation, "parameters": {"k": 7, "max_support": 7, "delta": 7}}]
        )
        assert step.done.endswith((".", ")."))
        assert not re.search(r"[`*]|:func:", not_protected(operation))
        assert len(step.not_protected) > 60
    assert not_protected("sanitize").startswith("Sensitive events may still occur, less often.")


def test_a_record_that_does_not_belong_to_the_rows_is_not_told(written):
    df = visits()
    with pytest.warns(pdseqpriv.PrivacyWarning, match="rows are not those"):
        text = written(df, df.seqpriv.k_anonymize(5).iloc[:10])
    assert "no record of what was applied" in text
    assert "nothing was checked" in text


def test_wrong_calls_are_refused_and_the_old_page_stays(tmp_path):
    df = visits()
    released = df.seqpriv.k_anonymize(5)
    page = tmp_path / "report.html"
    page.write_text("old")
    calls = {
        'audience must be "public" or "owner"': (df, released, page, {"audience": "all"}),
        "it is a folder": (df, released, tmp_path, {}),
        "no event of the release occurs in the original": (df, df.assign(event="other"), page, {}),
        "more sequences than the original": (released[released["seq_id"] < 9], df, page, {}),
        "one of the tables holds patterns": (df, df.seqpriv.mine(40), page, {}),
        "report, in the release: the table has no column": (df, df[["seq_id"]], page, {}),
        "verdicts must be a list of Verdicts": (df, released, page, {"verdicts": [True]}),
    }
    for words, (before, after, path, options) in calls.items():
        with pytest.raises(SeqPrivError, match=words):
            pdseqpriv.report(before, after, path, **options)
    assert page.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


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
