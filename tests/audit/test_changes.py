"""changes: what became of every sequence, after every operation and after any other change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError, Taxonomy
from tests.audit import naive_changes
from tests.audit.naive_changes import KINDS
from tests.generalization.cases import generalized
from tests.strategies import EVENTS, plain_rows, plain_table

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")

TREE = {
    "a": "vowel",
    "b": "consonant",
    "c": "consonant",
    "d": "consonant",
    "vowel": "TOP",
    "consonant": "TOP",
}
# What may become of a row: gone, as it was, marked, or another event or category.
OUTCOMES = ["gone", "same", "same", None, *EVENTS[:4], "vowel", "consonant", "TOP"]


def is_above(label, event):
    while event in TREE:
        event = TREE[event]
        if event == label:
            return True
    return False


def elements(rows):
    found = {}
    for time, event in sorted(rows, key=lambda row: row[0]):
        found.setdefault(time, []).append(event)
    return found


def counts_of(found):
    return found[list(KINDS)].to_numpy().tolist()


def events_of(rows):
    return sum(event is not None for _, event in rows)


@given(rows=plain_rows(max_rows=12, n_ids=3), data=st.data())
def test_by_time_it_is_what_brute_force_finds(rows, data):
    original = plain_table(rows)
    with_tree = data.draw(st.booleans())
    outcomes = [data.draw(st.sampled_from(OUTCOMES if with_tree else OUTCOMES[:8])) for _ in rows]
    pairs = zip(original["event"], outcomes, strict=True)
    events = pd.Series([old if new == "same" else new for old, new in pairs], dtype="str")
    stays = np.array([outcome != "gone" for outcome in outcomes], bool)
    released = original.assign(event=events.where(events.notna(), None))[stays]
    found = pdseqpriv.changes(original, released, taxonomy=TREE if with_tree else None)
    names = original["event"].astype(object).where(original["event"].notna(), None)
    shown = events.astype(object).where(events.notna(), None)
    expected = []
    for owner in sorted(set(original["seq_id"])):
        before = [(r[2], e) for r, e in zip(rows, names, strict=True) if r[0] == owner]
        after = [(r[2], e) for r, e, s in zip(rows, shown, stays, strict=True) if r[0] == owner and s]
        covers = is_above if with_tree else naive_changes.nothing_covers
        found_here = naive_changes.by_time(elements(before), elements(after), covers)
        expected.append((owner, not after, events_of(before), events_of(after), *found_here))
    assert [tuple(row) for row in found.drop(columns="released_id").itertuples(index=False)] == expected
    assert (found[list(KINDS[:5])].sum(axis=1) == found["before"]).all()
    assert (found["released_id"].isna() == found["dropped"]).all()


@given(rows=plain_rows(max_rows=14, n_ids=3), other=plain_rows(max_rows=10, n_ids=3), data=st.data())
def test_in_order_it_is_what_brute_force_finds(rows, other, data):
    with_tree = data.draw(st.booleans())
    names = ["vowel", "consonant", "c", "TOP"] if with_tree else EVENTS
    original = plain_table(rows)
    released = plain_table(other)
    released["event"] = [None if row[1] is None else names[row[1]] for row in other]
    ids, new_ids = sorted(set(original["seq_id"])), sorted(set(released["seq_id"]))
    if len(new_ids) > len(ids):
        return
    own = data.draw(st.permutations([*new_ids, *[None] * (len(ids) - len(new_ids))]))
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.array(own, dtype="Int64")})
    found = pdseqpriv.changes(
        original, released.astype({"event": "str"}), key, taxonomy=TREE if with_tree else None
    )
    covers = is_above if with_tree else naive_changes.nothing_covers
    for line, (owner, new) in enumerate(zip(ids, own, strict=True)):
        before = [(r[2], None if r[1] is None else EVENTS[r[1]]) for r in rows if r[0] == owner]
        after = [(r[2], None if r[1] is None else names[r[1]]) for r in other if r[0] == new]
        aligned = [list(elements(one).values()) for one in (before, after)]
        assert counts_of(found)[line] == naive_changes.by_order(*aligned, covers), (before, after)
        assert found["after"][line] == events_of(after)
        assert found["dropped"][line] == (new is None)


@given(rows=plain_rows(max_rows=12, n_ids=2, marked=False), data=st.data())
def test_under_intervals_it_is_what_brute_force_finds(rows, data):
    original = plain_table(rows)
    ids = sorted(set(original["seq_id"]))
    label = st.sampled_from([*EVENTS[:4], "vowel", "consonant", "TOP"])
    row = st.tuples(st.integers(0, max(0, len(ids) - 1)), label, st.integers(0, 5), st.integers(0, 2))
    shown = data.draw(st.lists(row, max_size=8)) if ids else []
    names = ["seq_id", "event", "time_from", "length"]
    released = pd.DataFrame(shown, columns=names).astype({"event": "str", "seq_id": "int64"})
    released = released.assign(
        group=0, time_from=released["time_from"].astype("int64"), length=released["length"].astype("int64")
    )
    released["time_to"] = released["time_from"] + released.pop("length")
    present = sorted({one[0] for one in shown})
    own = [number if number in present else None for number in range(len(ids))]
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.array(own, dtype="Int64")})
    found = pdseqpriv.changes(original, released, key, taxonomy=TREE)
    for line, owner in enumerate(ids):
        before = [(EVENTS[r[1]], r[2]) for r in rows if r[0] == owner]
        after = [(r[1], r[2], r[2] + r[3]) for r in shown if r[0] == line]
        assert counts_of(found)[line] == naive_changes.by_cover(before, after, is_above)
        assert found["after"][line] == len(after)


LOG = pdseqpriv.datasets.make_event_log(120, seed=3)[["seq_id", "event", "time"]]
EVENTS_OF_LOG = sorted(LOG["event"].unique())


def total(found, kind):
    return int(found[kind].sum())


@pytest.mark.parametrize("output", ["mark", "drop", "replace"])
def test_changes_by_hide_are_those_of_its_output(output):
    distinct = LOG.assign(time=range(len(LOG)))
    pattern = [EVENTS_OF_LOG[:2], EVENTS_OF_LOG[2:4]]
    released = distinct.seqpriv.hide(pattern, output=output, seed=1)
    found = pdseqpriv.changes(distinct, released)
    changed = [total(found, kind) for kind in ("marked", "replaced", "deleted")]
    there = released["event"].notna().to_numpy()
    other = len(LOG) == len(released) and (released["event"] != distinct["event"].to_numpy()).to_numpy()
    assert changed == [(~there).sum(), (there & other).sum(), len(LOG) - len(released)]
    assert sum(changed) > 0
    assert total(found, "added") == total(found, "coarser") == 0


def test_sanitize_deletes():
    released = LOG.seqpriv.sanitize(0.2, events=EVENTS_OF_LOG[:2])
    found = pdseqpriv.changes(LOG, released)
    assert total(found, "deleted") == len(LOG) - len(released) > 0
    assert total(found, "kept") == len(released)


@pytest.mark.parametrize("guarantee", ["contained", "mutual", "identical"])
def test_k_anonymize_only_deletes(guarantee):
    released, key = LOG.seqpriv.k_anonymize(5, guarantee=guarantee, with_key=True)
    found = pdseqpriv.changes(LOG, released, key)
    assert total(found, "kept") == total(found, "after") == len(released)
    assert total(found, "deleted") == len(LOG) - len(released) > 0
    assert total(found, "added") == total(found, "replaced") == 0
    assert found["dropped"].tolist() == key["released_id"].isna().tolist()


def test_with_a_taxonomy_k_anonymize_makes_events_coarser():
    tree = Taxonomy({name: f"kind {place % 3}" for place, name in enumerate(EVENTS_OF_LOG)})
    released, key = LOG.seqpriv.k_anonymize(10, taxonomy=tree, with_key=True)
    found = pdseqpriv.changes(LOG, released, key, taxonomy=tree)
    is_category = ~released["event"].isin(EVENTS_OF_LOG)
    assert total(found, "coarser") == is_category.sum() > 0
    assert total(found, "kept") == (~is_category).sum()
    with pytest.warns(PrivacyWarning, match="If they are categories, give the taxonomy"):
        blind = pdseqpriv.changes(LOG, released, key)
    assert total(blind, "added") == is_category.sum()


def test_generalize_makes_events_coarser():
    tree = Taxonomy({name: f"kind {place % 3}" for place, name in enumerate(EVENTS_OF_LOG)})
    monitored = EVENTS_OF_LOG[::2]
    released, key = generalized(LOG, tree, k=4, monitored=monitored, with_key=True)
    found = pdseqpriv.changes(LOG, released, key, taxonomy=tree)
    there = found[~found["dropped"]]
    assert total(there, "deleted") == total(there, "added") == 0
    assert total(there, "coarser") > 0
    assert total(there, "kept") >= LOG["event"].isin(EVENTS_OF_LOG[1::2]).sum()


def test_the_summary_adds_up():
    is_first = LOG["seq_id"] == LOG["seq_id"].iloc[0]
    log = LOG.assign(event=LOG["event"].where(~is_first, "unheard of"))
    released, key = log.seqpriv.k_anonymize(40, with_key=True)
    each = pdseqpriv.changes(log, released, key)
    found = pdseqpriv.changes(log, released, key, by="kind").set_index("kind")
    assert found["events"].drop("added").sum() == len(log)
    assert found.loc["dropped", "events"] == is_first.sum()
    assert found["share"].drop("added").sum() == pytest.approx(1)
    assert found.loc["dropped", "sequences"] == each["dropped"].sum() > 0
    assert found.loc["kept", "events"] == len(released)
    assert found.loc["kept", "sequences"] == (each["kept"] > 0).sum()


def test_people_and_names_are_the_users():
    visits = pd.DataFrame({"visit": [5, 5, 6], "url": list("aba"), "ts": [1, 2, 1], "who": ["x", "x", "x"]})
    bound = visits.seqpriv.using(seq_id="visit", event="url", time="ts", person="who")
    released = visits.drop(columns="who").seqpriv.using(seq_id="visit", event="url", time="ts").hide("b")
    found = pdseqpriv.changes(bound, released)
    assert list(found.columns[:4]) == ["visit", "who", "released_id", "dropped"]
    assert found["who"].tolist() == ["x", "x"]
    assert found["marked"].tolist() == [1, 0]
    key = pd.DataFrame({"visit": [5, 6], "who": ["x", "x"], "released_id": [6, 5], "group": [0, 0]})
    assert pdseqpriv.changes(bound, released, key)["released_id"].tolist() == [6, 5]
    with pytest.raises(SeqPrivError, match="the result has a column 'kept' of its own"):
        pdseqpriv.changes(
            visits.rename(columns={"who": "kept"}).seqpriv.using(
                seq_id="visit", event="url", time="ts", person="kept"
            ),
            released,
        )


BEFORE = pd.DataFrame({"seq_id": [1, 1, 2], "event": list("aba"), "time": [1, 2, 1]})


@pytest.mark.parametrize(
    ("released", "options", "words"),
    [
        (BEFORE.assign(seq_id=[7, 7, 8]), {}, "the key is needed"),
        (BEFORE.assign(time=[5, 6, 7]), {}, "the release does not have the ids and times of the original"),
        (BEFORE.seqpriv.k_anonymize(2), {}, "the ids of this release are new, so the key is needed"),
        (
            BEFORE.seqpriv.generalize(k=2),
            {},
            "the ids of a generalized release are new, so the key is needed",
        ),
        (
            BEFORE,
            {"key": pd.DataFrame({"seq_id": [1, 2], "released_id": [1, None]})},
            "of the 2 sequences of the release, 1 is nobody's",
        ),
        (BEFORE, {"key": pd.DataFrame({"seq_id": [1], "released_id": [1]})}, "must name each sequence"),
        (BEFORE, {"key": "key"}, "key must be a frame"),
        (BEFORE, {"by": "person"}, "by must be"),
        (BEFORE.assign(event=[1, 2, 3]), {}, "numbers"),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(released, options, words):
    with pytest.raises(SeqPrivError, match=words) as caught:
        pdseqpriv.changes(BEFORE, released, **options)
    assert str(caught.value).startswith("changes: ")
