"""The public page tells nothing that the release and its record do not tell."""

from __future__ import annotations

import re
import warnings

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import PrivacyWarning, Taxonomy, verify
from tests.reporting.pages import checked, visits, words

SECRET = ["secret-7", "secret-9", "home -> secret-11"]


def _k_anonymized(df, **options):
    released, key = df.seqpriv.k_anonymize(5, with_key=True, **options)
    return released, {"key": key}


def _generalized(df, **options):
    released, key = df.seqpriv.generalize(k=5, with_key=True, **options)
    return released, {"key": key}


def _hidden(df, max_support=0, **options):
    patterns = [*SECRET, "home -> work"]
    return df.seqpriv.hide(patterns, max_support=[0, 0, 0, max_support], **options), {}


def _sanitized(df):
    events = ["secret-7", "secret-9"]
    released = df.seqpriv.sanitize(0.2, events=events)
    return released, {"verdicts": {"It is rare": verify.is_sanitized(released, 0.2, events=events)}}


def _with_categories(df):
    tree = Taxonomy({f"secret-{i}": "private" for i in range(40)} | {"home": "place", "work": "place"})
    return _k_anonymized(df, taxonomy=tree)[0], {"taxonomy": tree}


def _hidden_then_shared(df):
    hidden = df.seqpriv.hide("home -> work", max_support=30, output="drop", seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return hidden.seqpriv.k_anonymize(5), {}


MADE = {
    "contained": _k_anonymized,
    "mutual": lambda df: _k_anonymized(df, guarantee="mutual"),
    "identical": lambda df: _k_anonymized(df, guarantee="identical"),
    "prefix tree": lambda df: _k_anonymized(df, method="prefix_tree"),
    "categories": _with_categories,
    "groups": _generalized,
    "groups without a key": lambda df: (_generalized(df)[0], {}),
    "groups of some events": lambda df: _generalized(df.iloc[:80], monitored=["home"]),
    "marked": _hidden,
    "marked, some left": lambda df: _hidden(df, max_support=7),
    "dropped": lambda df: _hidden(df, output="drop"),
    "replaced": lambda df: _hidden(df, output="replace", seed=3),
    "sanitized": _sanitized,
    "patterns": lambda df: (df.seqpriv.release_patterns(0.5, k=5), {}),
    "patterns, some left out": lambda df: (
        df.seqpriv.release_patterns(0.5, k=5, alpha=0.9, method="suppress"),
        {},
    ),
    "two steps": _hidden_then_shared,
}


@pytest.fixture
def page_of(tmp_path):
    def write(original, made):
        released, options = made
        if "monitored" in str(released.attrs) or options.get("key") is None:
            options = {name: one for name, one in options.items() if name != "key"}
        pdseqpriv.report(original, released, tmp_path / "page.html", **options)
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    return write


def _made(name, df):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released, options = MADE[name](df)
    if name == "groups of some events":
        options["monitored"] = ["home"]
    return released, options


def _events_in(released):
    if "pattern" in released:
        return {event for pattern in released["pattern"] for event in pattern}
    return set(released["event"].dropna())


def _dated(df, zone=None):
    begin = pd.Timestamp("2024-05-01 06:40:00", tz=zone)
    return df.assign(time=begin + pd.to_timedelta(df["time"] - 500_000, unit="s"))


TIMES = {
    "numbers": lambda df: df,
    "dates": _dated,
    "dates in a zone": lambda df: _dated(df, "Europe/Oslo"),
}


def _as_written(times):
    """Return times in every way in which a page could show them."""
    if times.dtype.kind != "M":
        return {*times.map(str), *times.map("{:,}".format)}
    clocks = [times] if times.dt.tz is None else [times, times.dt.tz_convert("UTC")]
    formats = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%B %d, %Y", "%H:%M", "%H:%M:%S"]
    seconds = (clocks[-1].dt.tz_localize(None) - pd.Timestamp(0)) // pd.Timedelta(seconds=1)
    written = {*seconds.map(str), *(seconds * 1_000).map(str), *(seconds * 10**9).map(str)}
    for clock in clocks:
        written |= {*clock.map(str), *clock.map(pd.Timestamp.isoformat)}
        written |= {*clock.dt.strftime("%Y-%m-%dT%H:%M:%S"), *clock.dt.strftime("%Y-%m-%d %H:%M:%S")}
        written |= {text for one in formats for text in clock.dt.strftime(one)}
    return written


def _found_in(text, hidden):
    return {one for one in hidden if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text)}


@pytest.mark.parametrize("kind", ["dates", "dates in a zone"])
def test_times_would_be_found_however_they_are_written(kind):
    df = TIMES[kind](visits(1))
    written = _as_written(df["time"])
    shown = ["first 2024-05-01 06:40:17", "at 2024-05-01T06:40:17.", "(2024-05-01)", "06:40", "May 01, 2024"]
    for text in [*shown, str(df["time"].iloc[0]), df.to_string(), df.to_csv(), df.to_html()]:
        assert _found_in(text, written), text
    assert not _found_in("from 0 to 10 %, k = 5, 2024 rows, one of 40", written)


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("name", MADE)
def test_no_id_no_time_and_no_removed_event_is_on_the_page(page_of, name, kind):
    df = TIMES[kind](visits())
    made = _made(name, df)
    original = df.iloc[:80] if name == "groups of some events" else df
    text = words(checked(page_of(original, made)))
    removed = {*df["event"], *SECRET} - _events_in(made[0])
    assert len(removed) >= 3
    assert _found_in(text, {*removed, *df["seq_id"], *_as_written(df["time"])}) == set()
    assert "owner" not in text.replace("A check that the owner of the data ran", "")


@pytest.mark.parametrize("name", MADE)
def test_the_page_is_the_same_whatever_else_the_original_holds(page_of, name):
    """Others with events, ids, times and lengths of their own leave no number behind."""
    df = visits()
    released, options = _made(name, df)
    original = df.iloc[:80] if name == "groups of some events" else df
    others = pd.DataFrame(
        {"seq_id": "other", "event": [f"odd-{i}" for i in range(23)], "time": range(-23, 0)}
    )
    more = pd.concat([original, others], ignore_index=True)
    page = page_of(original, (released, options))
    if "key" in options and name.startswith("groups"):
        nobody = pd.DataFrame({"seq_id": ["other"], "released_id": pd.array([None], dtype="Int64")})
        options = {**options, "key": pd.concat([options["key"].drop(columns="group"), nobody])}
    if "taxonomy" in options:
        tree = {f"secret-{i}": "private" for i in range(40)} | {"home": "place", "work": "place"}
        options = {"taxonomy": Taxonomy(tree | {f"odd-{i}": "private" for i in range(23)})}
    assert page_of(more, (released, options)) == page


def test_people_who_were_dropped_are_not_counted(page_of):
    df = visits()
    alone = pd.DataFrame({"seq_id": "alone", "event": "unheard of", "time": [1]})
    with pytest.warns(PrivacyWarning, match="dropped"):
        released = pd.concat([df, alone]).seqpriv.k_anonymize(5)
    text = words(page_of(pd.concat([df, alone]), (released, {})))
    assert "40" in text
    assert not re.search(r"\b(41|121|120)\b", text)
    assert "dropped" not in text


def test_the_release_itself_is_told(page_of):
    df = visits()
    text = words(page_of(df, (df.seqpriv.k_anonymize(5, guarantee="identical"), {})))
    for told in ("at least 5 sequences", "Ids are new", "✓ holds", "home → work", "Times became positions"):
        assert told in text
    assert re.search(r"sequences are released\s+40", text)
    assert re.search(r"events are released\s+80", text)
    assert "best can be right" not in text
    assert "best can be right" in words(page_of(df, (df.seqpriv.k_anonymize(5), {})))


def test_the_risk_is_told_to_the_public_only_if_it_is_kept(page_of):
    df = visits()
    assert "finds at least 5, or none" in words(page_of(df, (df.seqpriv.k_anonymize(5), {})))
    assert "known events" not in words(page_of(df, (df.seqpriv.hide("secret-3"), {})))
