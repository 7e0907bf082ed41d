"""k-anonymity of sequences: the paper's example, brute force, the guarantee, odd and bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from pdseqpriv.schemas import validate
from pdseqpriv.sequences.columns import Columns
from tests.k_anonymity import naive
from tests.k_anonymity.cases import (
    GUARANTEES,
    METHODS,
    anonymize,
    elements_of,
    people_of,
    random_texts,
    table_of,
    texts_of,
)
from tests.strategies import plain_rows, plain_table, tables

pytestmark = pytest.mark.usefixtures("uncompressed")

FIGURE_1A = [*["ABCDEF"] * 3, *["ADEF"] * 3, "BKS", "BK", "BK", "DEJF"]
FIGURE_1B = [*["ABCDEF"] * 3, *["ADEF"] * 4, *["BK"] * 3]

ASKED = st.fixed_dictionaries({"method": st.sampled_from(METHODS), "guarantee": st.sampled_from(GUARANTEES)})


def test_the_papers_running_example():
    released = table_of(FIGURE_1A).seqpriv.k_anonymize(2, method="prefix_tree")
    assert texts_of(released) == FIGURE_1B


def test_the_running_example_without_invented_events():
    released, key = table_of(FIGURE_1A).seqpriv.k_anonymize(2, with_key=True)
    texts = texts_of(released)
    assert texts == [*["ABCDEF"] * 3, *["ADEF"] * 3, *["BK"] * 3, "DEF"]
    assert texts[key["released_id"][9]] == "DEF"  # its person had D E J F, and never an A


@given(plain_rows(), st.integers(2, 4), st.sampled_from(GUARANTEES))
def test_prefix_tree_is_what_the_paper_prints(rows, k, guarantee):
    present = [person for person in people_of(rows).values() if person]
    expected = naive.prefix_tree(present, k, guarantee)
    released = anonymize(plain_table(rows), k, method="prefix_tree", guarantee=guarantee)
    assert sorted(elements_of(released).values()) == sorted(one for one in expected if one)


@given(plain_rows(max_rows=20, n_events=3), st.integers(2, 4), ASKED)
def test_definition_3_and_the_stronger_levels_by_enumeration(rows, k, asked):
    people = list(people_of(rows).values())
    released = list(elements_of(anonymize(plain_table(rows), k, **asked)).values())
    assert naive.is_k_anonymous_by_definition(people, released, k)
    assert all(naive.support(people, one) >= k for one in released)
    if asked["guarantee"] != "contained":
        assert all(naive.support(released, one) >= k for one in released)
    if asked["guarantee"] == "identical":
        assert all(released.count(one) >= k for one in released)


@given(tables(), st.integers(2, 4), ASKED)
def test_the_release_of_any_table(frame, k, asked):
    before = frame.copy(deep=True)
    released, key = anonymize(frame, k, **asked, with_key=True)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs
    assert pdseqpriv.verify.is_k_anonymous(frame, released, k, guarantee=asked["guarantee"])
    assert list(released.columns) == ["seq_id", "event", "time"]
    assert released.index.equals(pd.RangeIndex(len(released)))
    assert released["seq_id"].dtype == released["time"].dtype == np.int64
    assert sorted(released["seq_id"].unique()) == list(range(released["seq_id"].nunique()))
    assert not released["event"].isna().any()
    for _, times in released.groupby("seq_id")["time"]:
        assert sorted(set(times)) == list(range(times.nunique()))
    assert key["released_id"].dropna().is_unique
    assert set(key["released_id"].dropna()) == set(released["seq_id"])
    is_category = isinstance(frame["seq_id"].dtype, pd.CategoricalDtype)  # of which some may not be left
    assert key["seq_id"].dtype == ("category" if is_category else frame["seq_id"].dtype)
    assert set(key["seq_id"]) == set(frame["seq_id"])


@given(tables(), st.integers(2, 3), ASKED, st.randoms())
def test_neither_row_order_nor_ids_nor_partitions_matter(frame, k, asked, chance):
    whole, key = anonymize(frame, k, **asked, with_key=True, seed=1)
    order = list(range(len(frame)))
    chance.shuffle(order)
    pd.testing.assert_frame_equal(anonymize(frame.iloc[order], k, **asked), whole)
    ids = {one: f"id {place}" for place, one in enumerate(reversed(list(frame["seq_id"].unique())))}
    renamed = frame.assign(seq_id=frame["seq_id"].map(ids).astype("str"))
    pd.testing.assert_frame_equal(anonymize(renamed, k, **asked), whole)
    parted = BoundTable(frame, Columns(), Local(partitions=3))
    again, key_again = anonymize(parted, k, **asked, with_key=True, seed=1)
    pd.testing.assert_frame_equal(again, whole)
    pd.testing.assert_frame_equal(key_again, key)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_sequences_of_several_words_of_64_events(seed, guarantee):
    texts = random_texts(seed, 12, 150)
    people = [tuple((ord(letter) - ord("a"),) for letter in text) for text in texts]
    expected = naive.prefix_tree(people, 2, guarantee)
    released = anonymize(table_of(texts), 2, method="prefix_tree", guarantee=guarantee)
    assert sorted(elements_of(released).values()) == sorted(one for one in expected if one)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_one_giant_among_short_ones(method, guarantee):
    chance = np.random.default_rng(0)
    short = table_of(["".join(chance.choice(list("abcdef"), 6)) for _ in range(300)])
    giant = pd.DataFrame(
        {"seq_id": -1, "event": chance.choice(list("abcdefxyz"), 100_000), "time": range(100_000)}
    )
    df = pd.concat([short, giant])
    released, key = anonymize(df, 3, method=method, guarantee=guarantee, with_key=True)
    assert pdseqpriv.verify.is_k_anonymous(df, released, 3, guarantee=guarantee)
    if guarantee == "contained":
        assert key["released_id"].notna().all()


@pytest.mark.parametrize("method", METHODS)
def test_several_equal_giants_stay_whole(method):
    text = "".join(np.random.default_rng(1).choice(list("abc"), 20_000))
    df = table_of([text, text, text, text[:-1]])
    assert texts_of(df.seqpriv.k_anonymize(2, method=method)) == [text[:-1], *[text] * 3]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_all_equal_and_all_different(method, guarantee):
    same = table_of(["abc"] * 5)
    assert texts_of(same.seqpriv.k_anonymize(5, method=method, guarantee=guarantee)) == ["abc"] * 5
    pairs = table_of(["ab", "bc", "cd", "da"] * 2)
    with pytest.warns(PrivacyWarning, match="nothing is released: of 8 sequences, no 5 share"):
        assert pairs.seqpriv.k_anonymize(5, method=method, guarantee=guarantee).empty
    different = table_of([chr(ord("a") + i) * 3 for i in range(8)])
    with pytest.warns(PrivacyWarning, match="nothing is released: of 8 sequences, no 2 share"):
        assert different.seqpriv.k_anonymize(2, method=method, guarantee=guarantee).empty


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_the_owner_is_told_how_many_sequences_are_dropped(method, guarantee):
    df = table_of(["ab", "ab", "cd"])
    with pytest.warns(PrivacyWarning, match="dropped 1 of 3 sequences: no 2 share anything"):
        released = df.seqpriv.k_anonymize(2, method=method, guarantee=guarantee)
    assert texts_of(released) == ["ab", "ab"]


@pytest.mark.parametrize("method", METHODS)
def test_fewer_than_k_sequences(method):
    df = table_of(["ab", "ab"]).astype({"event": "category"})
    with pytest.warns(PrivacyWarning, match="nothing is released: of 2 sequences, no 3 share"):
        released, key = df.seqpriv.k_anonymize(3, method=method, with_key=True)
    assert released.dtypes.astype(str).to_dict() == {"seq_id": "int64", "event": "category", "time": "int64"}
    assert released.empty
    assert list(released["event"].cat.categories) == []
    assert key["released_id"].isna().all()
    assert key["released_id"].dtype == "Int64"


def test_simultaneous_events_are_sets():
    rows = [(owner, event, time) for owner in range(3) for event, time in [("a", 1), ("b", 1), ("c", 5)]]
    rows += [(3, "b", 1), (3, "a", 1), (3, "a", 1), (3, "x", 1), (3, "c", 2), (4, "a", 1), (4, "b", 2)]
    df = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    released, key = df.seqpriv.k_anonymize(4, with_key=True)
    given_out = elements_of(released)
    assert [given_out[i] for i in key["released_id"][:4]] == [((0, 1), (2,))] * 4
    # a before b is shared by nobody else: one of the two is all that can be told.
    assert given_out[key["released_id"][4]] in [((0,),), ((1,),)]


def test_rows_with_one_time_are_separate_when_asked():
    df = table_of(["ab", "ab", "ba"]).assign(time=0)
    released = df.seqpriv.using(ties="order").k_anonymize(2)
    assert texts_of(released) == ["ab", "ab", "b"]
    assert released["time"].tolist() == [0, 1, 0, 1, 0]


def test_marked_events_are_shared_by_nobody():
    df = table_of(["axb", "axb", "ab"])
    df["event"] = df["event"].where(df["event"] != "x")
    assert texts_of(df.seqpriv.k_anonymize(3)) == ["ab"] * 3
    only_marks = pd.DataFrame(
        {"seq_id": [1, 2], "event": pd.Series([None, None], dtype="str"), "time": [1, 1]}
    )
    with pytest.warns(PrivacyWarning, match="nothing is released"):
        assert only_marks.seqpriv.k_anonymize(2).empty


def test_names_of_the_user_are_kept_and_other_columns_named():
    df = table_of(["ab", "ab"]).rename(columns={"seq_id": "user", "event": "url", "time": "ts"})
    df["ip address"] = "10.0.0.1"
    bound = df.seqpriv.using(seq_id="user", event="url", time="ts")
    with pytest.warns(PrivacyWarning, match="dropped 'ip address': other columns") as caught:
        released, key = bound.k_anonymize(2, with_key=True)
    assert len(caught) == 1
    assert list(released.columns) == ["user", "url", "ts"]
    assert list(key.columns) == ["user", "released_id"]
    validate(key, "key", Columns(seq_id="user"))


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_a_key_needs_a_name_of_its_own(tmp_path):
    df = table_of(["ab", "ab", "c"])
    _, key = df.seqpriv.k_anonymize(2, with_key=True)
    assert set(key["released_id"][:2]) == {0, 1}
    assert key["released_id"].isna().tolist() == [False, False, True]
    pdseqpriv.write_parquet(key, tmp_path / "key.parquet")
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "key.parquet"), key)
    bound = df.rename(columns={"seq_id": "released_id"}).seqpriv.using(seq_id="released_id")
    with pytest.raises(SeqPrivError, match="Rename the id column"):
        bound.k_anonymize(2, with_key=True)
    assert list(bound.k_anonymize(2).columns) == ["released_id", "event", "time"]


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_the_record_says_what_was_applied():
    released = table_of(["ab", "ab", "c"]).seqpriv.k_anonymize(np.int64(2), guarantee="mutual")
    (step,) = released.attrs["pdseqpriv"]["applied"]
    assert step["operation"] == "k_anonymize"
    assert step["parameters"] == {"k": 2, "guarantee": "mutual", "method": "subsequence", "taxonomy": False}
    assert set(step) == {"operation", "parameters", "library"}


@pytest.mark.parametrize(
    ("k", "options", "message"),
    [
        (1, {}, "k_anonymize: k must be an int of at least 2, got 1."),
        (2.0, {}, "k_anonymize: k must be an int of at least 2, got float."),
        (True, {}, "k_anonymize: k must be an int of at least 2, got"),
        ("2", {}, "k_anonymize: k must be an int of at least 2, got str."),
        (None, {}, "k_anonymize: k must be an int of at least 2, got NoneType."),
        (2, {"method": "tree"}, 'k_anonymize: method must be "subsequence" or "prefix_tree", got \'tree\'.'),
        (2, {"method": None}, 'k_anonymize: method must be "subsequence" or "prefix_tree", got NoneType.'),
        (
            2,
            {"guarantee": "same"},
            'k_anonymize: guarantee must be one of "contained", "mutual", "identical", got \'same\'.',
        ),
        (2, {"guarantee": True}, "k_anonymize: guarantee must be one of"),
        (2, {"seed": -1}, "k_anonymize: seed must be None or an int of at least 0, got -1."),
        (
            2,
            {"taxonomy": {"a": "A", "b": "A"}, "method": "prefix_tree"},
            'k_anonymize: taxonomy must be None unless method="subsequence", got dict.',
        ),
        (
            2,
            {"taxonomy": {"a": "A"}},
            "k_anonymize: 1 of the 2 events of the table is not in the taxonomy. Add what is missing.",
        ),
        (
            2,
            {"taxonomy": "categories.csv", "guarantee": "identical"},
            "Taxonomy: source must be a mapping of child to parent",
        ),
        (2, {"with_key": 1}, "k_anonymize: with_key must be True or False, got int."),
    ],
)
def test_bad_parameters(k, options, message):
    with pytest.raises(SeqPrivError) as error:
        table_of(["ab"]).seqpriv.k_anonymize(k, **options)
    assert str(error.value).startswith(message)


def as_kind(events, kind):
    if kind == "text":
        return pd.Series(events, dtype="str").array
    with_unused = pd.Categorical(events, categories=[*sorted(set(events)), "never-used"])
    if kind == "category":
        return with_unused
    return pd.Series(with_unused).astype(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))).array


@pytest.mark.parametrize("kind", ["text", "category", "dictionary"])
def test_nothing_of_the_input_is_in_the_file(tmp_path, kind):
    times = pd.date_range("1987-06-05 04:03:02", periods=9, freq="h", tz="Asia/Tokyo")
    events = ["shared", "commonplace", "seldom-seen"] * 3
    events[2], events[5], events[8] = "only-ann", "only-bob", "only-eve"
    names = ["ann-secret", "bob-secret", "eve-secret"]
    df = pd.DataFrame(
        {
            "seq_id": np.repeat(names, 3),
            "event": as_kind(events, kind),
            "time": times,
            "note": "a-note",
        },
        index=[f"label-{i}" for i in range(9)],
    )
    df.attrs["source"] = "an-attribute"
    for method in METHODS:
        path = tmp_path / f"{method}.parquet"
        pdseqpriv.write_parquet(anonymize(df, 3, method=method), path)
        found = path.read_bytes()
        assert b"commonplace" in found
        for removed in [
            *names,
            "only-",
            "never-used",
            "a-note",
            "label-",
            "an-attribute",
            "1987",
            "Tokyo",
            "note",
        ]:
            assert removed.encode() not in found
        for moment in times.as_unit("us").asi8.tolist() + times.as_unit("ns").asi8.tolist():
            assert moment.to_bytes(8, "little") not in found
