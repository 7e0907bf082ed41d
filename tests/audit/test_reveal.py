"""Verdicts name nothing of the data, unless their owner asks."""

from __future__ import annotations

import pandas as pd
import pytest

from pdseqpriv import SeqPrivError, verify
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.sequences.columns import Columns

SECRETS = ["person one", "person two", "illness", "cure", "visit"]
TABLE = pd.DataFrame(
    {
        "seq_id": ["person one"] * 3 + ["person two"] * 2,
        "event": ["visit", "illness", "cure", "visit", "visit"],
        "time": [1, 2, 3, 1, 2],
    }
)
PATTERNS = pd.DataFrame({"pattern": [("illness",), ("illness", "cure"), ("visit",)], "support": [9, 8, 1]})


def violated():
    """Every check, on something that breaks what it checks."""
    events = ["visit", "illness"]
    yield verify.is_k_anonymous, (TABLE, TABLE, 2), {}
    yield verify.is_k_anonymous, (TABLE, TABLE, 2), {"guarantee": "mutual"}
    yield verify.is_hidden, (TABLE, ["visit", "illness -> cure"]), {}
    yield verify.is_sanitized, (TABLE, 0.5), {"events": events}
    yield verify.is_sanitized, (TABLE, 0.5), {"events": events, "scope": "table"}
    yield verify.is_sanitized, (TABLE, 1), {"events": ["cure"], "camouflage": 4}
    yield verify.are_patterns_safe, (PATTERNS,), {"k": 2}
    yield verify.are_patterns_safe, (PATTERNS,), {"alpha": 0.5}


CASES = list(violated())


def everything_in(verdict):
    return repr(verdict) + verdict.sentence + verdict.details.to_csv() + repr(verdict.details.attrs)


@pytest.mark.parametrize(("check", "arguments", "options"), CASES)
def test_a_verdict_names_nothing(check, arguments, options):
    for asked in (options, {**options, "reveal": False}):
        verdict = check(*arguments, **asked)
        assert not verdict
        assert len(verdict.details)
        assert not any(secret in everything_in(verdict) for secret in SECRETS)
        with pytest.raises(SeqPrivError) as caught:
            verdict.raise_if_violated()
        assert not any(secret in str(caught.value) for secret in SECRETS)


@pytest.mark.parametrize(("check", "arguments", "options"), CASES)
def test_revealing_changes_only_the_details(check, arguments, options):
    plain, revealed = check(*arguments, **options), check(*arguments, **options, reveal=True)
    assert (plain.sentence, plain.checked, plain.violations) == (
        revealed.sentence,
        revealed.checked,
        revealed.violations,
    )
    assert not any(secret in repr(revealed) for secret in SECRETS)
    assert any(secret in revealed.details.to_csv() for secret in SECRETS)


def test_sequences_that_too_few_share():
    details = verify.is_k_anonymous(TABLE, TABLE, 2, reveal=True).details
    found = dict(zip(details["seq_ids"], details["sequence"], strict=True))
    assert found == {
        ("person one",): ("visit", "illness", "cure"),
        ("person two",): ("visit", "visit"),
    }
    copies = pd.concat([TABLE, TABLE.assign(seq_id=TABLE["seq_id"] + " again")])
    twice = verify.is_k_anonymous(copies, copies, 3, reveal=True).details
    assert ("person one", "person one again") in twice["seq_ids"].tolist()
    assert verify.is_k_anonymous(copies, copies, 2, reveal=True).details.empty


@pytest.mark.parametrize("partitions", [1, 2])
def test_patterns_that_are_not_hidden(partitions):
    table = BoundTable(TABLE, Columns(), Local(partitions))
    details = verify.is_hidden(
        table, ["visit", "illness -> cure", "cure -> visit"], [1, 1, 0], reveal=True
    ).details
    assert details["text"].tolist() == ["visit", "illness -> cure", "cure -> visit"]
    # Only what is too frequent is shown with those who have it.
    assert [set(ids) for ids in details["seq_ids"]] == [{"person one", "person two"}, set(), set()]


def test_events_that_are_too_frequent():
    asked = {"events": ["illness", "visit"], "reveal": True}
    details = verify.is_sanitized(TABLE, 0.5, **asked).details.set_index("event")
    assert set(details.loc["visit", "seq_ids"]) == {"person one", "person two"}
    assert details.loc["illness", "seq_ids"] == ("person one",)
    pooled = verify.is_sanitized(TABLE, 0.5, **asked, scope="table").details
    assert pooled["event"].tolist() == ["visit"]
    assert "seq_ids" not in pooled  # a pooled table has no owner
    alone = verify.is_sanitized(TABLE, 1, events=["cure"], camouflage=4, reveal=True).details
    assert alone[["event", "prefixes"]].to_numpy().tolist() == [["cure", 1]]
    assert alone["seq_ids"].tolist() == [("person one",)]


def test_patterns_that_tell_too_much():
    details = verify.are_patterns_safe(PATTERNS, k=2, alpha=0.5, reveal=True).details
    assert details.astype(object).where(details.notna(), None).to_numpy().tolist() == [
        ["support below k", ("visit",), None],
        ["difference below k", ("illness",), ("illness", "cure")],
        ["confidence of alpha or more", ("illness",), ("illness", "cure")],
    ]
    safe = verify.are_patterns_safe(PATTERNS.iloc[[0]], k=2, reveal=True)
    assert safe
    assert safe.details.empty


@pytest.mark.parametrize(("check", "arguments", "options"), CASES)
def test_reveal_is_true_or_false(check, arguments, options):
    with pytest.raises(SeqPrivError, match=rf"^{check.__name__}: reveal must be True or False, got str"):
        check(*arguments, **options, reveal="yes")
