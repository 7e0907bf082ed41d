"""Which operation may follow which: what is called safe never breaks a promise, what is not can break one."""

from __future__ import annotations

import functools
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.errors import PrivacyWarning
from pdseqpriv.sequences.later_steps import CHECKS, keeps_promise

FREE, TIED = ["a -> b"], ["a -[0..0]-> b", "b -> c within 2", "{a b+ c}"]
TREE = {"a": "x", "b": "x", "c": "y", "d": "y"}
STEPS = {
    "hide": partial(pdseqpriv.hide, patterns=FREE),
    "hide, one left": partial(pdseqpriv.hide, patterns=FREE, max_support=1),
    "hide, gaps": partial(pdseqpriv.hide, patterns=TIED),
    "hide others": partial(pdseqpriv.hide, patterns=["c -> d", "d"]),
    "hide others, drop": partial(pdseqpriv.hide, patterns=["c -> d", "d"], output="drop"),
    "hide others, replace": partial(pdseqpriv.hide, patterns=["c -> d", "d"], output="replace"),
    "sanitize": partial(pdseqpriv.sanitize, delta=0.5, events=["c"]),
    "sanitize others": partial(pdseqpriv.sanitize, delta=0.4, events=["a", "d"]),
    "sanitize, table": partial(pdseqpriv.sanitize, delta=0.4, events=["a", "d"], scope="table"),
    "contained": partial(pdseqpriv.k_anonymize, k=2),
    "contained, tree": partial(pdseqpriv.k_anonymize, k=2, method="prefix_tree"),
    "contained, taxonomy": partial(pdseqpriv.k_anonymize, k=2, taxonomy=TREE),
    "mutual": partial(pdseqpriv.k_anonymize, k=2, guarantee="mutual"),
    "identical": partial(pdseqpriv.k_anonymize, k=2, guarantee="identical"),
    "identical, 3": partial(pdseqpriv.k_anonymize, k=3, guarantee="identical"),
    "identical, tree": partial(pdseqpriv.k_anonymize, k=2, guarantee="identical", method="prefix_tree"),
}


def table_of(*texts):
    rows = [(i, event, t) for i, text in enumerate(texts) for t, event in enumerate(text)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


EVERYTHING = table_of("abcd", "abcd", "abdc", "adbc", "cdab", "abcd")  # every pattern occurs
TABLES = 20
# How many of the steps are safe after each, counted in the table of the docs.
SAFE = {
    **dict.fromkeys(["hide", "hide others", "hide others, drop", "hide others, replace"], 14),
    "hide, one left": 13,
    "hide, gaps": 4,
    **dict.fromkeys(["contained", "contained, tree", "contained, taxonomy"], 14),
    **dict.fromkeys(["identical", "identical, 3", "identical, tree"], 12),
    **dict.fromkeys(["sanitize", "sanitize others", "sanitize, table", "mutual"], 0),
}


@functools.cache
def step_of(name):
    """Return what the record says of a step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return STEPS[name](EVERYTHING).attrs["pdseqpriv"]["applied"][-1]


def verdict(name, original, final):
    """Check the promise of a step on the final table."""
    if name.startswith("hide"):
        left = 1 if name == "hide, one left" else 0
        asked = TIED if name == "hide, gaps" else ["c -> d", "d"] if "others" in name else FREE
        return verify.is_hidden(final, asked, max_support=left, may_be_absent=True)
    if name.startswith("sanitize"):
        delta, events = (0.5, ["c"]) if name == "sanitize" else (0.4, ["a", "d"])
        scope = "table" if "table" in name else "sequence"
        return verify.is_sanitized(final, delta, events=events, scope=scope, may_be_absent=True)
    taxonomy = TREE if "taxonomy" in name else None
    guarantee = name.split(",")[0]
    k = 3 if name.endswith("3") else 2
    return verify.is_k_anonymous(original, final, k, guarantee=guarantee, taxonomy=taxonomy)


def chained(original, earlier, later):
    """Return the table after both steps, and whether the second one warned that it may break the first."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        final = STEPS[later](STEPS[earlier](original))
    return final, any("this can undo what" in str(one.message) for one in said)


def what_is_said(later, between):
    """Return the warnings of a step, also of generalize, after which no promise can be checked."""
    step = partial(pdseqpriv.generalize, taxonomy=TREE, k=2) if later == "generalize" else STEPS[later]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        step(between)
    return [str(one.message) for one in said]


def some_tables():
    """Draw small tables; some have simultaneous events."""
    draw = np.random.default_rng(0)
    for _ in range(TABLES):
        ids = np.repeat(np.arange(6), draw.integers(1, 7, 6))
        events = draw.choice(list("abcd"), ids.size, p=[0.4, 0.3, 0.2, 0.1])
        yield pd.DataFrame({"seq_id": ids, "event": events, "time": draw.integers(0, 9, ids.size)})


# How rows are hidden does not matter later, only which patterns are.
@pytest.mark.parametrize("earlier", [name for name in STEPS if name != "hide others, drop"])
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_step_that_is_called_safe_breaks_no_promise(earlier):
    """On each table, after the same earlier step, every later one that is safe."""
    for original in some_tables():
        between = STEPS[earlier](original)
        for later in set(safe_after(earlier)) - {"identical, 3"}:  # as with 2, to save time
            assert verdict(earlier, original, STEPS[later](between)), (later, original.to_dict("list"))


def safe_after(earlier):
    return [later for later in STEPS if keeps_promise(step_of(earlier), step_of(later))]


def test_as_many_pairs_are_tried_as_the_docs_call_safe():
    assert {earlier: len(safe_after(earlier)) for earlier in STEPS} == SAFE


@pytest.mark.parametrize("earlier", STEPS)
def test_a_step_that_is_not_called_safe_warns(earlier):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        between = STEPS[earlier](EVERYTHING)
    for later in (*STEPS, "generalize"):
        said = what_is_said(later, between)
        is_safe = later in safe_after(earlier)
        assert any("this can undo what" in one for one in said) != is_safe, (later, said)


BROKEN = {
    "new events make a match": ("hide", "hide others, replace", ["bcdaa", "cbbd", "ddbbb"]),
    "a dropped row brings others together": ("hide, gaps", "hide others, drop", ["adb", "cccd", "cb"]),
    "so does a deleted one": ("hide, gaps", "sanitize others", ["dcd", "dadbb", "d", "dbadc", "cbaca"]),
    "and one that few people have": ("hide, gaps", "contained", ["aaba", "acd", "ddddb", "aab", "bcdc"]),
    "fewer others make an event frequent": ("sanitize", "hide others", ["aaba", "acd", "ddddb", "bcdc"]),
    "however they vanish": ("sanitize", "contained", ["dd", "dacd", "bcdccc", "d"]),
    "nobody had the new event": (
        "contained",
        "hide others, replace",
        ["aaba", "acd", "ddddb", "aab", "bcdc"],
    ),
    "who is left out is not the same": ("mutual", "hide, one left", ["aaba", "acd", "ddddb", "aab", "bcdc"]),
    "or not equal any more": ("identical", "hide, one left", ["ddabbc", "adbdba", "cca", "adac", "aadbb"]),
    "or deleted from one only": ("identical", "sanitize, table", ["aaba", "acd", "ddddb", "aab", "bcdc"]),
}


@pytest.mark.parametrize(("earlier", "later", "texts"), BROKEN.values(), ids=BROKEN)
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_step_that_can_break_a_promise_warns(earlier, later, texts):
    original = table_of(*texts)
    assert verdict(earlier, original, STEPS[earlier](original))
    ends = [chained(original, earlier, later) for _ in range(20)]  # some steps are left to chance
    final, warned = next((end for end in ends if not verdict(earlier, original, end[0])), ends[0])
    assert warned
    assert not verdict(earlier, original, final)


def test_the_warning_names_the_step_and_its_check():
    table = table_of("abc", "abc", "abd")
    hidden = table.seqpriv.hide(["a -[0..0]-> b"])
    with pytest.warns(PrivacyWarning, match=r"can undo what hide did .* with verify\.is_hidden, too"):
        hidden.seqpriv.sanitize(0.5, events=["c"])
    with pytest.warns(PrivacyWarning, match="a release of k_anonymize already"):
        table.seqpriv.k_anonymize(2).seqpriv.k_anonymize(2)
    assert set(CHECKS) == {"hide", "sanitize", "k_anonymize"}
    assert all(hasattr(verify, name.removeprefix("verify.")) for name in CHECKS.values())


@pytest.mark.parametrize("kind", [lambda frame: frame, pa.Table.from_pandas, pl.from_pandas])
@pytest.mark.filterwarnings("ignore:.* is released as before")
def test_with_other_ties_or_columns_no_step_is_safe(kind):
    """A set of simultaneous events becomes a sequence, in which there are patterns that were not there."""
    table = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("abab"), "time": 0, "place": list("baba")})
    hidden = pdseqpriv.hide(kind(table[["seq_id", "event", "time"]]), FREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdseqpriv.k_anonymize(hidden, 2)
    with pytest.warns(PrivacyWarning, match="can undo what hide did"):
        released = pdseqpriv.k_anonymize(hidden, 2, ties="order")
    assert not verify.is_hidden(released, FREE)
    hidden = pdseqpriv.hide(kind(table), FREE)
    with pytest.warns(PrivacyWarning, match="can undo what hide did"):
        pdseqpriv.sanitize(hidden, 0.9, events=["a"], event="place")


EARLIER = {
    "`hide` (events in order)": {"operation": "hide", "parameters": {"max_support": 0, "constrained": False}},
    "`hide` (gaps, windows, expressions)": {"operation": "hide", "parameters": {"constrained": True}},
    "`sanitize`": {"operation": "sanitize", "parameters": {}},
    "`k_anonymize`, contained": {"operation": "k_anonymize", "parameters": {"guarantee": "contained"}},
    "`k_anonymize`, mutual": {"operation": "k_anonymize", "parameters": {"guarantee": "mutual"}},
    "`k_anonymize`, identical": {"operation": "k_anonymize", "parameters": {"guarantee": "identical"}},
}
MARKING = {"operation": "hide", "max_support": 0, "marking": "optimal"}
ANONYMOUS = {"operation": "k_anonymize", "guarantee": "contained", "method": "subsequence"}
LATER = {
    "`hide`, mark": MARKING | {"output": "mark"},
    "`hide`, drop": MARKING | {"output": "drop"},
    "`hide`, replace": MARKING | {"output": "replace"},
    "`sanitize`, each sequence": {"operation": "sanitize", "scope": "sequence"},
    "`sanitize`, table": {"operation": "sanitize", "scope": "table"},
    "`k_anonymize`": ANONYMOUS | {"taxonomy": False},
    "`k_anonymize`, taxonomy": ANONYMOUS | {"taxonomy": True},
    "`generalize`": {"operation": "generalize"},
}


def table_of_orders():
    """Write which step keeps the promise of which earlier one."""
    lines = [f"| first | {' | '.join(f'then {name}' for name in LATER)} |", "|---" * (1 + len(LATER)) + "|"]
    for name, earlier in EARLIER.items():
        steps = [{"operation": one["operation"], "parameters": one} for one in LATER.values()]
        cells = ["safe" if keeps_promise(earlier, step) else "check" for step in steps]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_documented_table_is_the_rules():
    for page in ("docs/order.md", "README.md"):
        assert table_of_orders() in (Path(__file__).parents[1] / page).read_text(encoding="utf-8"), page
