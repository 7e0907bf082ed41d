"""A step that goes wrong inside an operation is noticed at the door, and nothing is returned."""

from __future__ import annotations

import importlib

import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv import BrokenOutputError, SeqPrivError

VISITS = pd.DataFrame(
    [(s, event, t) for s in range(6) for t, event in enumerate("abca")], columns=["seq_id", "event", "time"]
)
MINED = pd.DataFrame({"pattern": [("a",), ("b",), ("a", "b")], "support": [9, 8, 8], "length": [1, 1, 2]})

MISPLACED = "value of the data"


def changed(**columns):
    """Give a step that puts these in the place of columns of what it should give."""

    def change(frame):
        new = {name: value for name, value in columns.items() if name in frame.columns}
        assert new
        return frame.assign(**new)

    return change


def without(name):
    return lambda frame: frame.drop(columns=name)


def with_more(frame):
    return frame.assign(secret=MISPLACED)


def reversed_times(frame):
    return frame.assign(time_to=frame["time_from"] - 1)


def twice(frame):
    return pd.concat([frame, frame], axis=1)


SEQUENCES = [
    changed(seq_id=None),
    changed(event=1.5),
    changed(time=MISPLACED),
    changed(time=float("inf")),
    without("event"),
    twice,
]
GENERALIZED = [
    changed(group=-1),
    changed(seq_id=MISPLACED),
    reversed_times,
    without("group"),
    with_more,
    twice,
]
PATTERNS = [
    changed(support=0),
    changed(length=None),
    changed(pattern=MISPLACED),
    without("support"),
    with_more,
]
KEYS = [
    changed(released_id=-1),
    changed(seq_id=7),
    changed(released_id=MISPLACED),
    without("seq_id"),
    with_more,
]
RISKS = [
    changed(unique_share=1.1),
    changed(people=-1),
    changed(method=MISPLACED),
    without("people"),
    with_more,
]
CHANNELS = [
    changed(support=0),
    changed(inferred_support=7),
    changed(confidence=1.5),
    changed(channel=MISPLACED),
    changed(longer=MISPLACED),
    without("longer_support"),
    with_more,
]
SWEPT_RISKS = [
    lambda risks: {**risks, "unique_share": 1.1},
    lambda risks: {**risks, "linkage_worst_probability": -0.1},
    lambda risks: {**risks, "mean_probability": MISPLACED},
    lambda risks: {name: value for name, value in risks.items() if name != "linkage_below_k_share"},
]
SWEPT_MEASURES = [
    changed(value=MISPLACED),
    lambda found: found[found["measure"] != "sequences_lost"],
]
MATCHES = [changed(row=-1), changed(seq_id=None), changed(match=0), without("time"), with_more, twice]
CHANGES = [changed(seq_id=7), changed(kept=-1), changed(dropped=None), without("marked"), with_more]
COMPARISONS = [
    lambda rows: [row._replace(better=MISPLACED) for row in rows],
    lambda rows: [row._replace(measure="same") for row in rows],
    lambda rows: [row._replace(basis=MISPLACED) for row in rows],
    lambda rows: [row._replace(value=MISPLACED) for row in rows],
]

# Where the step is, what it does wrong, and the call that must not answer.
STEPS = {
    "k_anonymize": (
        "k_anonymity.k_anonymize.make",
        SEQUENCES,
        lambda df: pdseqpriv.k_anonymize(df, 2),
    ),
    "k_anonymize, with the key": (
        "k_anonymity.k_anonymize.make",
        SEQUENCES,
        lambda df: pdseqpriv.k_anonymize(df, 2, with_key=True),
    ),
    "key of k_anonymize": (
        "k_anonymity.k_anonymize.make_key",
        KEYS,
        lambda df: pdseqpriv.k_anonymize(df, 2, with_key=True),
    ),
    "hide": ("hiding.hide.record_step", SEQUENCES, lambda df: pdseqpriv.hide(df, ["a"])),
    "sanitize": (
        "sanitization.sanitize.record_step",
        SEQUENCES,
        lambda df: pdseqpriv.sanitize(df, 0.4, events=["a"]),
    ),
    "generalize": (
        "generalization.generalize.rows_as_frame",
        GENERALIZED,
        lambda df: pdseqpriv.generalize(df, k=2),
    ),
    "key of generalize": (
        "generalization.generalize.make_key",
        KEYS,
        lambda df: pdseqpriv.generalize(df, k=2, with_key=True),
    ),
    "mine": ("mining.mine.record_step", PATTERNS, lambda df: pdseqpriv.mine(df, 2)),
    "release_patterns": (
        "pattern_release.release_patterns.record_step",
        PATTERNS,
        lambda df: pdseqpriv.release_patterns(df, 2, k=2),
    ),
    "release_patterns of a table": (
        "pattern_release.release_patterns.record_step",
        PATTERNS,
        lambda _: pdseqpriv.release_patterns(MINED, k=2),
    ),
    "risk": ("audit.risk.count_candidates", RISKS, lambda df: pdseqpriv.risk(df, known=2)),
    "risk by linkage": (
        "audit.risk.link_people",
        RISKS,
        lambda df: pdseqpriv.risk(df, original=df, attack="linkage"),
    ),
    "inference_channels": (
        "pattern_release.channels._rows",
        CHANNELS,
        lambda df: pdseqpriv.inference_channels(pdseqpriv.mine(df, 2), alpha=0.9),
    ),
    "sweep": ("audit.sweep._risks", SWEPT_RISKS, lambda df: pdseqpriv.sweep(df, "k_anonymize", k=[2])),
    "sweep, its measures": (
        "audit.sweep.compare",
        SWEPT_MEASURES,
        lambda df: pdseqpriv.sweep(df, "k_anonymize", k=[2]),
    ),
    "find": ("audit.find.frame_of", MATCHES, lambda df: pdseqpriv.find(df, ["a"])),
    "changes": ("audit.changes._by_sequence", CHANGES, lambda df: pdseqpriv.changes(df, df)),
    "changes by kind": (
        "audit.changes._by_kind",
        [changed(kind="same"), changed(events=-1), without("share"), with_more],
        lambda df: pdseqpriv.changes(df, df, by="kind"),
    ),
    "compare": ("audit.compare._rows_of", COMPARISONS, lambda df: pdseqpriv.compare(df, df)),
}
KINDS = {"pandas": lambda frame: frame, "arrow": pa.Table.from_pandas}


def test_every_result_that_has_a_model_is_broken_here():
    called = {name.removeprefix("key of ").split(" ")[0].removesuffix(",") for name in STEPS}
    assert called == set(pdseqpriv._METHODS) - {"describe"} | {"compare", "changes", "inference_channels"}


@pytest.mark.filterwarnings("ignore:release_patterns. .* supports? (exceed|is more|are more)")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, (_, ways, _) in STEPS.items() for place in range(len(ways))]
)
def test_a_broken_result_is_not_returned(monkeypatch, name, place, kind):
    step, ways, call = STEPS[name]
    module, function = f"pdseqpriv.{step}".rsplit(".", 1)
    real = getattr(importlib.import_module(module), function)

    def broken(*args, **options):
        result = real(*args, **options)
        return (ways[place](result[0]), result[1]) if isinstance(result, tuple) else ways[place](result)

    monkeypatch.setattr(f"{module}.{function}", broken)
    with pytest.raises(
        BrokenOutputError, match=r"so it is not returned\. This is a bug of pdseqpriv"
    ) as caught:
        call(KINDS[kind](VISITS))
    assert MISPLACED not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("write", ["write_parquet", "write_csv", "write_spmf", "write_xes"])
@pytest.mark.parametrize("place", range(len(SEQUENCES)))
def test_nothing_is_written_of_a_table_that_does_not_fit(tmp_path, write, place):
    path = tmp_path / "table.out"
    broken = SEQUENCES[place](VISITS)
    with pytest.raises(SeqPrivError):
        getattr(pdseqpriv, write)(broken, path)
    assert not list(tmp_path.iterdir())
