"""Patterns: what they may be, and that their text form leads back to them."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import Pattern, SeqPrivError
from pdseqpriv.patterns.expression import Any, Choice, Concatenation, Named, Repeat, may_be_empty
from pdseqpriv.sequences.span import Gap, Span

ODD = [
    "within",
    "with",
    "a->b",
    ".",
    "a-",
    "-",
    "->",
    "-[",
    "{",
    "}",
    'x"y',
    "\\",
    "a b",
    "/u",
    "1",
    "-3",
    "]",
    "",
]
events = st.one_of(st.text(max_size=4), st.integers(-50, 50), st.sampled_from(ODD))
elements = st.one_of(events, st.frozensets(events, min_size=1, max_size=3))
spans = st.one_of(
    st.none(),
    st.integers(1, 9),
    st.timedeltas(min_value=dt.timedelta(0), max_value=dt.timedelta(days=90_000)),
)


def kind(value):
    return type(value).__name__


@given(st.lists(elements, min_size=1, max_size=4), spans, spans, spans)
def test_text_form_leads_back(items, least, most, window):
    if kind(least) == kind(most) and least is not None and least > most:
        least, most = most, least
    pattern = Pattern(items, min_gap=least, max_gap=most, within=window)
    assert Pattern(str(pattern)) == pattern
    assert hash(Pattern(str(pattern))) == hash(pattern)


@given(st.floats(0, 1e300), st.integers(0, 10**20))
def test_numbers_by_time_lead_back(decimal, whole):
    for value in (decimal, whole):
        pattern = Pattern(["a", "b"], min_gap=value, within=value, gap_unit="time")
        assert Pattern(str(pattern)) == pattern


def flat(kind_of, parts):
    inner = [getattr(part, "parts", None) or getattr(part, "options", None) for part in parts]
    return kind_of(
        tuple(
            one
            for part, own in zip(parts, inner, strict=True)
            for one in (own if isinstance(part, kind_of) else (part,))
        )
    )


expressions = st.recursive(
    st.one_of(events.map(Named), st.just(Any())),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: flat(Concatenation, parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: flat(Choice, parts)),
        st.tuples(inner, st.integers(0, 2), st.none() | st.integers(1, 2)).map(
            lambda r: Repeat(r[0], r[1], None if r[2] is None else r[1] + r[2])
        ),
    ),
    max_leaves=8,
).filter(lambda expression: not may_be_empty(expression))


@given(expressions, spans, st.booleans())
def test_expressions_lead_back(expression, window, gaps):
    pattern = Pattern.regex(str(expression), within=window, gaps=gaps)
    assert pattern.expression == expression
    assert Pattern(str(pattern)) == pattern


def test_text_says_what_it_says():
    pattern = Pattern("a -> b -[2..6]-> (c d) within 1h")
    assert pattern.elements == (frozenset("a"), frozenset("b"), frozenset("cd"))
    assert pattern.gaps == (Gap(), Gap(Span(2), Span(6)))
    assert pattern.window == Span(pd.Timedelta("1h"), by_time=True)
    assert Pattern("a -[3]-> b") == Pattern(["a", "b"], min_gap=3, max_gap=3)
    assert Pattern("a -[..90s]-> b") == Pattern(["a", "b"], max_gap=pd.Timedelta("1min30s"))
    assert Pattern("1 -> 2") == Pattern([1, 2])
    assert Pattern(("a", ("b", "c"))) == Pattern(["a", {"c", "b"}])
    assert Pattern.regex("home (bar|club)+ home", within="6h") == Pattern(
        "{home (bar | club)+ home} within 6h"
    )


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 1),
        ("a ->", 5),
        ("a secret", 2),
        ("a -> (secret", 6),
        ("a -[secret]-> b", 5),
        ("secret within", 7),
        ("a within secret", 10),
        ("a -> b ->", 10),
        ('"secret', 1),
        ("{a", 1),
        ("{a|}", 4),
        ("{(a}", 2),
        ("{a)}", 3),
        ("{a{3,2}}", 3),
        ("{a{}}", 3),
        ("{+}", 2),
        ("{a} with gap secret", 14),
    ],
)
def test_message_shows_where(text, position):
    with pytest.raises(SeqPrivError, match=f"at character {position}[.]") as error:
        Pattern(text)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pattern([]),
        lambda: Pattern([set()]),
        lambda: Pattern(["a", []]),
        lambda: Pattern({"secret"}),
        lambda: Pattern([1.5]),
        lambda: Pattern([None]),
        lambda: Pattern([True]),
        lambda: Pattern(None),
        lambda: Pattern(["a", "b"], min_gap=3, max_gap=2),
        lambda: Pattern(["a", "b"], min_gap="2h", max_gap="1h"),
        lambda: Pattern("a -[6..2]-> b"),
        lambda: Pattern(["a", "b"], max_gap=-1),
        lambda: Pattern(["a", "b"], max_gap=1.5),
        lambda: Pattern(["a", "b"], max_gap=True),
        lambda: Pattern(["a", "b"], max_gap="secret"),
        lambda: Pattern(["a", "b"], max_gap="-1h"),
        lambda: Pattern(["a", "b"], max_gap=float("nan"), gap_unit="time"),
        lambda: Pattern(["a", "b"], within=0),
        lambda: Pattern(["a", "b"], within=dt.timedelta(days=200_000)),
        lambda: Pattern(["a", "b"], gap_unit="hours"),
        lambda: Pattern.regex("a*"),
        lambda: Pattern.regex("a? b{0,3}"),
        lambda: Pattern.regex(["a"]),
        lambda: Pattern.regex("a b", max_gap=2),
    ],
)
def test_impossible_patterns_are_refused(make):
    with pytest.raises(SeqPrivError, match=r"^Pattern") as error:
        make()
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("function", ["hide", "is_hidden"])
def test_a_bad_pattern_is_told_by_its_place(function):
    frame = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [1, 2]})
    call = {"hide": pdseqpriv.hide, "is_hidden": pdseqpriv.verify.is_hidden}[function]
    for wrong, said in {
        "icu x": "cannot be read: an arrow, 'within' or the end is missing at character 4",
        5: "must be a text, or a list of events and of sets of events, got int",
    }.items():
        with pytest.raises(SeqPrivError, match=f"^{function}: pattern 2 of the list {said}"):
            call(frame, ["a", wrong])


@pytest.mark.parametrize("text", ["a -> b", "a -[0..2]-> b", "(a | b) -> c"])
def test_an_arrow_is_no_event_of_an_expression(text):
    with pytest.raises(SeqPrivError, match="an arrow has no meaning in an expression at character") as caught:
        Pattern.regex(text)
    assert "home (bar | club)+ home" in str(caught.value)


def test_an_event_that_is_an_arrow_is_quoted():
    assert str(Pattern.regex('a "->" b')) == '{a "->" b}'
