"""One thing given in the place of another: errors say which it is and what to do."""

from __future__ import annotations

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import SeqPrivError, verify


@pytest.fixture
def visits():
    return pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abab"), "time": [1, 2, 1, 2]})


MIX_UPS = {
    "patterns are released without min_support": (
        lambda df: pdseqpriv.release_patterns(df.seqpriv.mine(1), 0.2, k=5),
        "^release_patterns: this is a pattern table, .* min_support: leave it out",
    ),
    "channels need patterns": (lambda df: pdseqpriv.inference_channels(df, k=5), "Mine the patterns first"),
    "safety needs patterns": (lambda df: verify.are_patterns_safe(df, k=5), "Mine the patterns first"),
    "a release and its key": (
        lambda df: pdseqpriv.hide(df.seqpriv.k_anonymize(2, with_key=True), ["a"]),
        "got tuple. With with_key=True an operation gives two",
    ),
    "ids in the index": (
        lambda df: df.set_index("seq_id").seqpriv.describe(),
        "^describe: 'seq_id' must be a column, but it is in the index. Use df.reset_index",
    ),
    "lengths the wrong way round": (
        lambda df: df.seqpriv.mine(0.1, min_length=3, max_length=2),
        r"max_length must be at least min_length \(3\), got 2",
    ),
    "lists of events": (
        lambda df: df.assign(event=[["a"], ["b"], ["a", "b"], []]).seqpriv.describe(),
        r"it holds lists. Give every event its own row: df.explode\('event'\)",
    ),
    "differences of times": (
        lambda df: df.assign(time=pd.to_timedelta(df["time"], unit="D")).seqpriv.describe(),
        r"total_seconds\(\)",
    ),
    "periods": (
        lambda df: df.assign(time=pd.period_range("2024", periods=4, freq="M")).seqpriv.describe(),
        r"to_timestamp\(\)",
    ),
    "a key in the place of a table": (
        lambda df: pdseqpriv.write_csv(df.seqpriv.k_anonymize(2, with_key=True)[1], "key.csv"),
        "^write_csv: this is a key, .* Write it with write_parquet",
    ),
    "a path in the place of a table": (
        lambda _: pdseqpriv.k_anonymize("visits.parquet", 2),
        "got str. Read a file with read_parquet, .* scan_parquet",
    ),
    "no columns at all": (lambda _: pdseqpriv.describe(pd.DataFrame()), "it has 0 columns"),
    "a swapped taxonomy": (
        lambda _: pdseqpriv.Taxonomy(pd.DataFrame({"p": ["x", "x", "x"], "c": ["a", "b", "c"]})),
        "1 name has more than one parent. .* Are children and parents swapped",
    ),
    "sensitive events that nobody has": (
        lambda df: df.seqpriv.generalize(k=2, monitored=["a"], sensitive=["c"], diversity=(1, 2)),
        r"^generalize: sensitive names 1 event \('c'\), but none of them occurs",
    ),
    "a generalized table under other names": (
        lambda df: pdseqpriv.write_csv(df.seqpriv.generalize(k=2).rename(columns={"seq_id": "u"}), "x.csv"),
        "^write_csv: the table has no column 'seq_id' for seq_id; its columns are 'u'",
    ),
    "an event with a space": (
        lambda df: df.seqpriv.hide(["a", "IV Antibiotics"]),
        "^hide: pattern 2 of the list cannot be read: .* or a single event like '\"two words\"'",
    ),
    "a quote that is open": (
        lambda df: df.seqpriv.hide('"a -> b'),
        "a quote that is not closed at character 1",
    ),
    "a gap the wrong way round": (
        lambda df: df.seqpriv.hide(["a -[5..2]-> b"]),
        "^hide: pattern 1 of the list: min_gap must be at most max_gap",
    ),
    "null ids": (
        lambda df: df.assign(seq_id=[1, None, 2, 2]).seqpriv.describe(),
        r"it has 1 null, and its type is float64. .* .astype\('Int64'\)",
    ),
}


@pytest.mark.parametrize("name", list(MIX_UPS))
def test_mix_ups_are_named(visits, name):
    call, said = MIX_UPS[name]
    with pytest.raises(SeqPrivError, match=said):
        call(visits)


def test_a_check_asks_for_the_taxonomy_of_a_release(visits):
    released = visits.assign(event=list("abac")).seqpriv.k_anonymize(
        2, taxonomy={"b": "x", "c": "x", "a": "y"}
    )
    assert "x" in set(released["event"])
    verdict = verify.is_k_anonymous(visits, released, 2)
    assert not verdict
    assert "give taxonomy=" in str(verdict)


def test_compare_names_sensitive_events_that_do_not_occur(visits):
    with pytest.warns(
        pdseqpriv.PrivacyWarning, match=r"1 of 2 events does not occur in the table \('typed'\)"
    ):
        pdseqpriv.compare(visits, visits, delta=0.9, events=["a", "typed"])
