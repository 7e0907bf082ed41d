"""Options that are almost right are refused in our words, wherever they are given."""

from __future__ import annotations

import inspect
import operator

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import Pattern, SeqPrivError, verify

TABLE = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abac"), "time": [1, 2, 1, 2]})
HUGE = 10**400
LONG = "1" * 5000  # more digits than Python turns into a number


def hide(**options):
    return TABLE.seqpriv.hide(**{"patterns": ["a -> b"], **options})


def is_hidden(**options):
    return verify.is_hidden(TABLE, **{"patterns": ["a -> b"], **options})


@pytest.mark.parametrize("function", [hide, is_hidden])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_gap": HUGE}, "max_gap must be an int of at least 0 .* got a larger one"),
        ({"max_gap": -HUGE}, "max_gap must be an int of at least 0 .* got a larger one"),
        ({"max_gap": HUGE, "gap_unit": "time"}, "max_gap must be"),
        ({"max_gap": str(HUGE)}, "max_gap must be .* got str"),
        ({"max_gap": LONG}, "max_gap must be .* got str"),
        ({"max_gap": f"{LONG} time"}, "max_gap must be .* got str"),
        ({"max_window": HUGE}, "max_window must be"),
        ({"max_gap": np.array(3)}, "max_gap must be .* got ndarray"),
        ({"gap_unit": np.array("time")}, 'gap_unit must be "element" or "time"'),
        ({"max_support": np.array(1)}, "max_support must be an int of at least 0.* got ndarray"),
        ({"patterns": np.array("a -> b")}, "patterns must be a list of patterns.* got ndarray"),
    ],
)
def test_options_of_hiding(function, options, said):
    with pytest.raises(SeqPrivError, match=rf"^{function.__name__}: {said}") as caught:
        function(**options)
    assert "111" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pattern("a -> b", max_gap=HUGE),
        lambda: Pattern("a -> b", within=np.array(3)),
        lambda: Pattern("a -> b", gap_unit=np.array(["time", "x"])),
        lambda: Pattern("a -> b", gap_unit=["time"]),
        lambda: Pattern(f"a -[..{LONG}]-> b"),
        lambda: Pattern(f"a -[..{HUGE}]-> b"),
        lambda: Pattern(np.array("a")),
        lambda: Pattern(["a", np.array("b")]),
        lambda: Pattern.regex(f"a{{{LONG}}}"),
        lambda: Pattern.regex(np.array("a")),
    ],
)
def test_patterns(make):
    with pytest.raises(SeqPrivError, match=r"^Pattern") as caught:
        make()
    assert "111" not in str(caught.value)


@pytest.mark.parametrize("gaps", ["no", "yes", 1, None, np.array(True)])
def test_gaps_of_a_regular_expression_are_allowed_or_not(gaps):
    with pytest.raises(SeqPrivError, match=r"^Pattern.regex: gaps must be True or False"):
        Pattern.regex("a b", gaps=gaps)


def test_switches_of_numpy_are_switches():
    assert Pattern.regex("a b", gaps=np.bool_(True)) == Pattern.regex("a b", gaps=True)
    assert TABLE.seqpriv.risk(1, with_time=np.bool_(False)).equals(TABLE.seqpriv.risk(1))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: TABLE.seqpriv.sanitize(0.4, events=np.array("a")), "^sanitize: events must be a list"),
        (lambda: TABLE.seqpriv.sanitize(np.array(0.4), events=["a"]), "^sanitize: delta must be a number"),
        (lambda: TABLE.seqpriv.sanitize(0.4, events=["a"], scope=np.array("table")), "^sanitize: scope"),
        (
            lambda: verify.is_sanitized(TABLE, 0.4, events=np.array("a")),
            "^is_sanitized: events must be a list",
        ),
        (
            lambda: verify.is_sanitized(TABLE, 0.4, events=["a"], scope=np.array(["table", "x"])),
            "scope must be",
        ),
        (
            lambda: pdseqpriv.compare(TABLE, TABLE, delta=0.2, events=np.array("a")),
            "^compare: events must be",
        ),
        (lambda: pdseqpriv.compare(TABLE, TABLE, scope=np.array("table")), "^compare: scope must be"),
        (lambda: pdseqpriv.compare(TABLE, TABLE, scope=np.array(["table", "x"])), "^compare: scope must be"),
        (lambda: pdseqpriv.compare(TABLE, TABLE, min_support=np.array(2)), "^compare: min_support must be"),
        (lambda: verify.is_k_anonymous(TABLE, TABLE, np.array(2)), "^is_k_anonymous: k must be"),
        (lambda: verify.is_k_anonymous(TABLE, TABLE, HUGE), "^is_k_anonymous: k must be"),
        (
            lambda: verify.are_patterns_safe(TABLE.seqpriv.mine(1), k=np.array(2)),
            "^are_patterns_safe: k must be",
        ),
        (lambda: verify.are_patterns_safe(TABLE.seqpriv.mine(1), alpha=np.array(0.2)), "alpha must be"),
    ],
)
def test_arrays_that_hold_one_thing_and_numbers_out_of_reach(call, said):
    with pytest.raises(SeqPrivError, match=said):
        call()


MINED = TABLE.seqpriv.mine(1)
GENERALIZED, KEY = TABLE.seqpriv.generalize(k=2, with_key=True)
# Every function with options: what it is given before one of them is replaced by something odd.
GIVEN = {
    "hide": {"table": TABLE, "patterns": ["a -> b"]},
    "sanitize": {"table": TABLE, "delta": 0.4, "events": ["a"]},
    "generalize": {"table": TABLE, "k": 2, "diversity": (1, 2)},
    "k_anonymize": {"table": TABLE, "k": 2, "guarantee": "identical"},
    "mine": {"table": TABLE, "min_support": 1},
    "release_patterns": {"table": TABLE, "min_support": 1, "k": 2},
    "find": {"table": TABLE, "patterns": ["a"]},
    "risk": {"table": TABLE, "attack": "linkage", "original": TABLE},
    "compare": {"original": TABLE, "released": GENERALIZED},
    "changes": {"original": TABLE, "released": TABLE},
    "inference_channels": {"patterns": MINED, "k": 2},
    "verify.is_hidden": {"released": TABLE, "patterns": ["a -> b"]},
    "verify.is_sanitized": {"released": TABLE, "delta": 0.4, "events": ["a"]},
    "verify.is_generalized": {"original": TABLE, "released": GENERALIZED, "key": KEY, "k": 2},
    "verify.is_k_anonymous": {"original": TABLE, "released": TABLE, "k": 2},
    "verify.are_patterns_safe": {"patterns": MINED, "k": 2},
}
# What differs between functions: patterns to hide and tables of patterns, whose keys they are, whether a seed
# hides something or draws a sample.
OWN_WORDS = {"method", "patterns", "key", "keys", "previous", "seed", "scope", "time"}
ODD = object()


def said_of_odd_options():
    """Return by option what each function says of one that is odd."""
    said = {}
    for name, given in GIVEN.items():
        function = operator.attrgetter(name)(pdseqpriv)
        for option in set(inspect.signature(function).parameters) - OWN_WORDS:
            with pytest.raises(SeqPrivError) as caught:
                function(**{**given, option: ODD})
            said.setdefault(option, {})[name] = str(caught.value).split(": ", 1)[1]
    return said


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_an_option_is_refused_in_the_same_words_everywhere():
    # Options that do not apply to what was given are refused for that, which other tests look at.
    said = {
        option: {one for one in by.values() if "applies to" not in one and "left out" not in one}
        for option, by in said_of_odd_options().items()
    }
    assert {"k", "delta", "max_support", "min_support", "taxonomy", "reveal", "person"} <= set(said)
    assert {option: words for option, words in said.items() if len(words) > 1} == {}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda df: df.seqpriv.hide([["a"]], output="remove"), "hide: output must be .* got 'remove'"),
        (lambda df: df.seqpriv.hide([["a"]], marking=3), "hide: marking must be .* got 3"),
        (lambda df: df.seqpriv.hide([["a"]], gap_unit="hours"), "hide: gap_unit must be .* got 'hours'"),
        (lambda df: df.seqpriv.hide([["a"]], seed=-1), "hide: seed must be .* got -1"),
        (lambda df: pdseqpriv.compare(df, df, scope="Table"), "compare: scope must be .* got 'Table'"),
        (
            lambda df: pdseqpriv.verify.is_sanitized(df, 0.5, events=["a"], scope="all"),
            "is_sanitized: scope must be .* got 'all'",
        ),
        (lambda df: df.seqpriv.k_anonymize(2, method="tree"), "k_anonymize: method must be .* got 'tree'"),
        (lambda _: pdseqpriv.datasets.make_clickstream(10, mean_length=-1), "mean_length must be .* got -1"),
        (lambda df: df.seqpriv.hide([["a"]], output="x" * 1000), "hide: output must be .* got str"),
    ],
)
def test_a_wrong_option_is_repeated(call, said):
    df = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "b"], "time": [1, 2]})
    with pytest.raises(SeqPrivError, match=said):
        call(df)
