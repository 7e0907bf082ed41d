"""The owner's page shows all, and says on every section that it is the owner's."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.reporting import pair, who_is_found
from tests.reporting.pages import checked, visits, words

MARK = "For the owner of the data only"


@pytest.fixture
def owner_page(tmp_path):
    def write(original, released, **options):
        pdseqpriv.report(original, released, tmp_path / "page.html", audience="owner", **options)
        text = checked((tmp_path / "page.html").read_text(encoding="utf-8"))
        assert text.count("<section>") == text.count(MARK) > 3
        assert "Confidential" in text
        return text

    return write


def headings(text):
    return re.findall("<h2>(.*?)</h2>", text)


def test_shared_sequences(owner_page):
    df = visits()
    released, key = df.seqpriv.k_anonymize(5, with_key=True)
    text = owner_page(df, released, key=key)
    assert headings(text) == [
        "What was done",
        "Checks",
        "Risk",
        "Linking attacks",
        "Events",
        "Lengths",
        "Patterns",
        "Times",
        "Events that are gone",
        "What is kept and lost",
        "What is not protected",
    ]
    said = words(text)
    assert "80 of 120" in said
    assert "40 of 42 kinds of events are not released" in said
    assert "secret-10 1 secret-11 1" in said
    assert re.search(r"events kept: [^0-9]* 0.6667 +higher", said)
    assert "patient-" not in said


def test_what_a_few_known_events_give_away(owner_page):
    """Everybody has an event that nobody else has; none of these is released."""
    df = visits()
    released, key = df.seqpriv.k_anonymize(5, with_key=True)
    said = words(owner_page(df, released, key=key))
    assert re.search(r"original, 1 known +100.0%", said)
    assert re.search(r"release, 1 known +0.0%", said)
    assert re.search(r"all events, what contains them +0.0% +2.5% +2.5%", said)  # one of 40 equal records


def test_known_times_are_told_beside_known_events(owner_page):
    """Times are everybody's own: whoever knows them finds everybody, unless they are not released."""
    df = visits().iloc[:80]  # from home to work, as everybody
    hidden, shared = df.seqpriv.hide("work", max_support=40), df.seqpriv.k_anonymize(5)
    known = "With their times, 3 known events single out 100% of the people in the {}"
    assert known.format("release") in words(owner_page(df, hidden))
    assert "With their times" not in words(owner_page(df, shared))


def test_what_was_drawn_at_random_is_said(owner_page, monkeypatch):
    df = visits()
    released, key = df.seqpriv.k_anonymize(5, with_key=True)
    said = "Measured for 12 people, drawn at random."
    assert said not in words(owner_page(df, released, key=key))
    monkeypatch.setattr(who_is_found, "_SAMPLE", 12)
    assert said in words(owner_page(df, released, key=key))

    def measured(people, of_people, method):
        numbers = {"unique_share": 0.5, "mean_probability": 0.5, "worst_probability": 1.0}
        found = {"known": [1, 2, 3], "people": people, "of_people": of_people, "method": method}
        return pd.DataFrame(found | numbers | {"unique_with_times": None})

    answers = {
        (40, 40, "exact"): "dashed). In the release, records are counted that contain all that is known.",
        (1_000, 9_000, "sampled"): "Where there are many, 1,000 people were drawn at random and measured.",
        (40, 40, "sampled knowledge"): "Not all that may be known about them was tried",
    }
    for given, told in answers.items():
        monkeypatch.setattr(who_is_found, "risk", lambda *_, given=given, **__: measured(*given))
        text = words(owner_page(df, released))
        assert [one for one in answers.values() if one in text] == [
            one for one in answers.values() if one == told or one.startswith("dashed")
        ]


def test_without_a_key_linking_is_not_measured(owner_page):
    df = visits()
    assert "only the key, which with_key=True returns, says" in words(
        owner_page(df, df.seqpriv.k_anonymize(5))
    )


def test_hidden_patterns_keep_their_ids(owner_page):
    df = visits()
    said = words(owner_page(df, df.seqpriv.hide("secret-3")))
    assert "all events, most in common" in said
    assert "Times are released" in said
    assert "119 of 120" in said
    assert "Check it with verify.is_hidden" in said


def test_groups(owner_page):
    df = visits().iloc[:80]
    released, key = df.seqpriv.generalize(k=5, with_key=True)
    said = words(owner_page(df, released, key=key))
    assert "all events, what they fit into" in said
    assert "Their lengths, as shares of the time" in said
    assert re.search(r"original, 1 known +100.0% +100.00%", said)  # everybody's times are their own
    assert re.search(r"release, 3 known +0.0% +20.00% +20.0%", said)  # groups of 5 that look the same
    assert "causality divergence" in said


@pytest.mark.parametrize("people", ["drawn", "all"])
def test_people_in_groups_are_drawn_if_there_are_many(owner_page, monkeypatch, people):
    df = visits().iloc[:80]
    released, key = df.seqpriv.generalize(k=5, with_key=True)
    monkeypatch.setattr(who_is_found, "_SAMPLE", 12 if people == "drawn" else 40)
    said = words(owner_page(df, released, key=key))
    assert ("Where there are many, 12 people were drawn at random" in said) == (people == "drawn")


def test_a_pair_of_intervals_is_in_order_if_they_do_not_overlap(owner_page):
    df = pd.DataFrame({"seq_id": [1, 1, 1], "event": ["a", "b", "c"], "time": [1, 3, 5]})
    rows = [(0, 0, "a", 1, 3), (0, 0, "b", 3, 4), (0, 0, "c", 5, 5)]
    released = pd.DataFrame(rows, columns=["seq_id", "group", "event", "time_from", "time_to"])
    said = words(owner_page(df, released))
    assert (
        "Patterns as a table Patterns original release a → b 100.0% \N{EN DASH}" in said
    )  # both may be at 3
    assert "a → c 100.0% 100.0% b → c 100.0% 100.0%" in said


def _why_not(said):
    return re.search(r"\(dashed\)\. ([^.]*\.)", said)[1]


def test_what_is_not_measured_in_the_release_is_said(owner_page):
    df = visits()
    released = df.seqpriv.generalize(k=5)
    assert "only the key, which with_key=True returns" in _why_not(words(owner_page(df, released)))
    tree = {f"secret-{i}": "private" for i in range(40)} | {"home": "place", "work": "place"}
    released = df.seqpriv.k_anonymize(5, taxonomy=tree)
    assert "some of its events are categories" in _why_not(words(owner_page(df, released, taxonomy=tree)))
    assert "Nothing is released" in _why_not(words(owner_page(df, df.iloc[:0])))
    people = df.assign(who=df["seq_id"]).seqpriv.using(person="who")
    assert "only the key" in _why_not(words(owner_page(people, people.k_anonymize(5))))
    assert "records are counted" in _why_not(words(owner_page(df, df.seqpriv.k_anonymize(5))))


def test_patterns_from_sequences_show_true_supports(owner_page):
    df = visits()
    found = pd.concat([df, df.iloc[:2].assign(seq_id="only at home", event="home")])
    with pytest.warns(pdseqpriv.PrivacyWarning, match="exceeds? the number"):
        released = found.seqpriv.release_patterns(0.5, k=5)
    said = words(owner_page(found, released))
    assert "Patterns as a table Patterns original release home 41 45" in said
    assert "in 3 patterns of the original that are as frequent and as long as those released" in said
    # One person is at home and not at work: home, and home before work, are 1 apart.
    assert "Risk as a table Risk original release differences below 5 1 0" in said
    assert re.search(r"patterns kept: [^0-9]* 1 +higher", said)
    assert re.search(r"share adjusted: [^0-9]* 0.3333 +lower", said)


def test_patterns_that_were_left_out_are_told(owner_page):
    df = visits()
    found = pd.concat([df, df.iloc[:2].assign(seq_id="only at home", event="home")])
    with pytest.warns(pdseqpriv.PrivacyWarning, match="left out"):
        released = found.seqpriv.release_patterns(0.5, k=5, method="suppress")
    said = words(owner_page(found, released))
    assert "differences below 5 1 0" in said
    assert re.search(r"patterns kept: [^0-9]* 0.6667 +higher", said)


def test_supports_that_cannot_be_compared_are_not(owner_page, monkeypatch):
    df = visits()
    assert "no record says for which k or alpha" in words(owner_page(df, df.seqpriv.mine(40)))
    released = df.seqpriv.release_patterns(40, k=5)
    assert "reveal too much neither in the original nor in the release" in words(owner_page(df, released))
    of_people = df.assign(who=df["seq_id"]).seqpriv.using(person="who").release_patterns(40, k=5)
    why = "Not measured: people were counted whom the original does not name, or there are too many"
    short = df.seqpriv.release_patterns(40, k=5, max_length=1, method="suppress")
    for table, most in ((of_people, 9), (short, 2)):
        monkeypatch.setattr(pair, "_MOST", most)
        said = words(owner_page(df, table))
        assert said.count(why) == 2  # the risk, and what is kept
        assert "Patterns original release home \N{EN DASH} 40" in said
    assert words(owner_page(df, df.seqpriv.release_patterns(41, k=5))).count("No pattern is released.") == 2


def test_patterns_from_patterns_are_compared(owner_page):
    mined = pd.DataFrame(
        {"pattern": [("b",), ("a",), ("a", "b")], "support": [2000, 1004, 1000], "length": [1, 1, 2]}
    )
    said = words(owner_page(mined, pdseqpriv.release_patterns(mined, k=5)))
    assert re.search(r"a +1,004 +1,005", said)
    assert "What is kept and lost" in said


def test_a_check_that_does_not_hold_is_shown(owner_page):
    df = visits()
    verdict = verify.is_hidden(df, "home -> work")
    said = words(owner_page(df, df, verdicts={"No commute is seen": verdict}))
    assert "✗ does not hold No commute is seen" in said
    assert verdict.sentence in said


@pytest.mark.parametrize("kind", ["numbers", "floats", "dates", "zones", "huge"])
def test_times_of_every_kind_are_shown_in_tenths(owner_page, kind):
    df = visits().sort_values("time", ignore_index=True)
    place = np.arange(len(df))
    times = {
        "numbers": place - 60,
        "floats": place / 7,
        "dates": pd.Timestamp("2024-05-01") + pd.to_timedelta(place, unit="h"),
        "zones": pd.Timestamp("2024-05-01", tz="Europe/Oslo") + pd.to_timedelta(place, unit="h"),
        "huge": np.linspace(-8e307, 8e307, len(df)),
    }
    df = df.assign(time=times[kind])
    said = words(owner_page(df, df.seqpriv.hide("secret-3")))
    rows = re.findall(r"(\d+ to \d+ %) +(\d+\.\d)% +(\d+\.\d)%", said)
    assert [name for name, _, _ in rows][::9] == ["0 to 10 %", "90 to 100 %"]
    assert {float(before) for _, before, _ in rows} == {10.0}
