"""Sequences and patterns of every kind, in plain lists for brute force and as the library takes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd
from hypothesis import strategies as st

from pdseqpriv import Pattern
from tests.hiding.naive import ANY, NaivePattern, NaiveRegex


@dataclass
class Case:
    """Sequences as lists of (time, events), and every pattern twice."""

    sequences: list
    naive: list
    patterns: list

    @property
    def table(self):
        rows = [
            (owner, event, time)
            for owner, sequence in enumerate(self.sequences)
            for time, events in sequence
            for event in events
        ]
        return pd.DataFrame(rows, columns=["seq_id", "event", "time"]).astype(
            {"seq_id": "int64", "event": "str", "time": "int64"}
        )


@st.composite
def cases(draw, *, most_sequences=1, most_patterns=3, kinds=("list", "constrained", "regex")):
    """Draw a case; itemsets in half of them."""
    itemsets = draw(st.booleans())
    size = 6 if itemsets else 8
    sequences = draw(st.lists(_sequence(size, itemsets=itemsets), min_size=1, max_size=most_sequences))
    made = draw(st.lists(_pattern(kinds, itemsets=itemsets), min_size=1, max_size=most_patterns))
    # Repeated patterns count once.
    distinct = dict(zip((pattern for _, pattern in made), (naive for naive, _ in made), strict=True))
    return Case(sequences, list(distinct.values()), list(distinct))


@st.composite
def _sequence(draw, size, *, itemsets):
    steps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=size))
    most = 3 if itemsets else 1
    return [
        (sum(steps[: i + 1]), draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=most)))
        for i in range(len(steps))
    ]


def _pattern(kinds, *, itemsets):
    made = {
        "list": _list(itemsets=itemsets, constrained=False),
        "constrained": _list(itemsets=itemsets, constrained=True),
        "regex": _regex(),
    }
    return st.one_of([made[kind] for kind in kinds])


@st.composite
def _list(draw, *, itemsets, constrained):
    element = st.frozensets(st.sampled_from("abc"), min_size=1, max_size=2 if itemsets else 1)
    elements = draw(st.lists(element, min_size=1, max_size=4))
    text, gaps = _text(elements[0]), []
    for element in elements[1:]:
        arrow, gap = draw(_gap()) if constrained else (" -> ", (0, ANY, 0, ANY))
        text += arrow + _text(element)
        gaps.append(gap)
    ending, window = draw(_window()) if constrained else ("", (ANY, ANY))
    return NaivePattern(tuple(elements), tuple(gaps), window), Pattern(text + ending)


def _text(element):
    return f"({' '.join(sorted(element))})"


@st.composite
def _gap(draw):
    """Bounds in elements or by time, each side on its own."""
    least, most = draw(st.none() | st.integers(0, 2)), draw(st.none() | st.integers(2, 4))
    least_by_time, most_by_time = draw(st.booleans()), draw(st.booleans())
    left = "" if least is None else f"{least} time" if least_by_time else f"{least}"
    right = "" if most is None else f"{most} time" if most_by_time else f"{most}"
    gap = (
        0 if least is None or least_by_time else least,
        ANY if most is None or most_by_time else most,
        least if least is not None and least_by_time else 0,
        most if most is not None and most_by_time else ANY,
    )
    return f" -[{left}..{right}]-> " if left or right else " -> ", gap


@st.composite
def _window(draw):
    size, by_time = draw(st.none() | st.integers(1, 6)), draw(st.booleans())
    if size is None:
        return "", (ANY, ANY)
    return (f" within {size} time", (ANY, size)) if by_time else (f" within {size}", (size, ANY))


_letters = st.sampled_from("abc.").map(lambda letter: (letter, letter))


def _nested(inner):
    """Expressions in Python's syntax and in ours."""
    pair = st.tuples(inner, inner)
    repeated = st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}"]))
    return st.one_of(
        pair.map(lambda two: ("".join(f"(?:{p})" for p, _ in two), " ".join(f"({o})" for _, o in two))),
        pair.map(lambda two: ("|".join(f"(?:{p})" for p, _ in two), " | ".join(f"({o})" for _, o in two))),
        repeated.map(lambda both: (f"(?:{both[0][0]}){both[1]}", f"({both[0][1]}){both[1]}")),
    )


_expressions = st.recursive(_letters, _nested, max_leaves=4).filter(
    lambda both: not re.compile(both[0]).fullmatch("")
)


@st.composite
def _regex(draw):
    python, ours = draw(_expressions)
    ending, window = draw(_window())
    if draw(st.booleans()):
        most = draw(st.none() | st.integers(0, 2))
        ending = f" with gap ..{'' if most is None else most}" + ending
        return NaiveRegex(python, (0, ANY if most is None else most, 0, ANY), window), Pattern(
            f"{{{ours}}}{ending}"
        )
    return NaiveRegex(python, (0, 0, 0, ANY), window), Pattern(f"{{{ours}}}{ending}")
