"""Which operation may follow which: what is called safe never breaks a promise, what is not can break one."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import verify
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from pdseqpriv.sequences.later_steps import CHECKS, keeps_promise
from tests.strategies import plain_rows, plain_table

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


def verdict(name, original, final):
    """Check the promise of a step on the final table."""
    if name.startswith("hide"):
        left = 1 if name == "hide, one left" else 0
        asked = TIED if name == "hide, gaps" else ["c -> d", "d"] if "others" in name else FREE
        return verify.is_hidden(final, asked, max_support=left)
    if name.startswith("sanitize"):
        delta, events = (0.5, ["c"]) if name == "sanitize" else (0.4, ["a", "d"])
        scope = "table" if "table" in name else "sequence"
        return verify.is_sanitized(final, delta, events=events, scope=scope)
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


@given(
    rows=plain_rows(max_rows=30, n_ids=6, marked=False),
    earlier=st.sampled_from(list(STEPS)),
    later=st.sampled_from(list(STEPS)),
)
@settings(max_examples=300)
@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_step_without_a_warning_breaks_no_promise(earlier, later, rows):
    original = plain_table(rows)
    try:
        final, warned = chained(original, earlier, later)
    except SeqPrivError:  # nothing is left of the table
        assume(False)
    if not warned:
        assert verdict(earlier, original, final)


def table_of(*texts):
    rows = [(i, event, t) for i, text in enumerate(texts) for t, event in enumerate(text)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


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
    page = Path(__file__).parents[1] / "docs" / "order.md"
    assert table_of_orders() in page.read_text(encoding="utf-8")
