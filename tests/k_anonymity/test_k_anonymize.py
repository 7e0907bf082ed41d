"""k-anonymity of sequences: the paper's example, brute force, the guarantee, odd and bad input."""

from __future__ import annotations

import random
import warnings

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
from pdseqpriv.k_anonymity import subsequence
from pdseqpriv.schemas import validate
from pdseqpriv.sequences.columns import Columns
from tests.k_anonymity import naive
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, tables

pytestmark = pytest.mark.usefixtures("uncompressed")

METHODS = ["subsequence", "prefix_tree"]
FIGURE_1A = [*["ABCDEF"] * 3, *["ADEF"] * 3, "BKS", "BK", "BK", "DEJF"]
FIGURE_1B = [*["ABCDEF"] * 3, *["ADEF"] * 4, *["BK"] * 3]


def table_of(texts):
    rows = [(i, event, time) for i, text in enumerate(texts) for time, event in enumerate(text)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"]).astype({"event": "str"})


def texts_of(released):
    return released.groupby("seq_id")["event"].agg("".join).tolist()


def anonymize(table, k, **options):
    """Anonymize and let warnings pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return pdseqpriv.k_anonymize(table, k, **options)


def people_of(rows):
    """Give each id its tuple of elements without marks and repeats."""
    people = {}
    for owner, elements in naive_table.sequences(rows).items():
        people[owner] = tuple(tuple(sorted(set(element))) for element in naive_table.unmarked(elements))
    return people


def elements_of(frame, names=EVENTS):
    """Give each id of a frame its tuple of elements, events as numbers."""
    rows = zip(frame["seq_id"], frame["event"], frame["time"], strict=True)
    return people_of([(owner, names.index(event), time) for owner, event, time in rows])


def test_the_papers_running_example():
    released = table_of(FIGURE_1A).seqpriv.k_anonymize(2, method="prefix_tree")
    assert texts_of(released) == FIGURE_1B


def test_the_running_example_without_invented_events():
    released, key = table_of(FIGURE_1A).seqpriv.k_anonymize(2, with_key=True)
    texts = texts_of(released)
    assert texts == [*["ABCDEF"] * 3, *["ADEF"] * 3, *["BK"] * 3, "DEF"]
    assert texts[key["released_id"][9]] == "DEF"  # its person had D E J F, and never an A


@given(plain_rows(), st.integers(2, 4), st.sampled_from(METHODS), st.booleans())
def test_it_is_what_brute_force_gives(rows, k, method, strict):
    people = people_of(rows)
    present = [person for person in people.values() if person]
    expected = getattr(naive, method)(present, k, strict=strict)
    released = anonymize(plain_table(rows), k, method=method, strict=strict)
    assert sorted(elements_of(released).values()) == sorted(one for one in expected if one)


@given(plain_rows(max_rows=20, n_events=3), st.integers(2, 4), st.sampled_from(METHODS), st.booleans())
def test_definition_3_and_the_stronger_property_by_enumeration(rows, k, method, strict):
    people = list(people_of(rows).values())
    released = list(elements_of(anonymize(plain_table(rows), k, method=method, strict=strict)).values())
    assert naive.is_k_anonymous_by_definition(people, released, k)
    assert all(naive.support(people, one) >= k for one in released)
    if strict:
        assert all(naive.support(released, one) >= k for one in released)


@given(plain_rows(), st.integers(2, 4), st.booleans())
def test_subsequences_are_true_of_their_person(rows, k, strict):
    people = people_of(rows)
    released, key = anonymize(plain_table(rows), k, strict=strict, with_key=True)
    given_out = elements_of(released)
    assert key["seq_id"].tolist() == list(people)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if pd.notna(released_id):
            assert naive_table.contains(people[owner], given_out.pop(released_id))
    assert not given_out  # everything that is released is somebody's


@given(plain_rows(), st.integers(2, 4))
def test_who_is_shared_as_a_whole_comes_out_whole(rows, k):
    people = people_of(rows)
    released, key = anonymize(plain_table(rows), k, with_key=True)
    given_out = elements_of(released)
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if people[owner] and naive.support(people.values(), people[owner]) >= k:
            assert given_out[released_id] == people[owner]


@given(tables(), st.integers(2, 4), st.sampled_from(METHODS), st.booleans())
def test_the_release_of_any_table(frame, k, method, strict):
    before = frame.copy(deep=True)
    released, key = anonymize(frame, k, method=method, strict=strict, with_key=True)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs
    assert pdseqpriv.verify.is_k_anonymous(frame, released, k, strict=strict)
    assert list(released.columns) == ["seq_id", "event", "time"]
    assert released.index.equals(pd.RangeIndex(len(released)))
    assert released["seq_id"].dtype == released["time"].dtype == np.int64
    assert sorted(released["seq_id"].unique()) == list(range(released["seq_id"].nunique()))
    assert not released["event"].isna().any()
    for _, times in released.groupby("seq_id")["time"]:
        assert sorted(set(times)) == list(range(times.nunique()))
    assert key["released_id"].dropna().is_unique
    assert set(key["released_id"].dropna()) == set(released["seq_id"])
    assert key["seq_id"].dtype == frame["seq_id"].dtype or key["seq_id"].dtype == "category"
    assert set(key["seq_id"]) == set(frame["seq_id"])
    (step,) = released.attrs["pdseqpriv"]["applied"]
    assert step["counts"]["sequences_dropped"] == key["released_id"].isna().sum()


@given(tables(), st.integers(2, 3), st.sampled_from(METHODS), st.booleans(), st.randoms())
def test_neither_row_order_nor_ids_nor_partitions_matter(frame, k, method, strict, chance):
    asked = {"method": method, "strict": strict}
    whole, key = anonymize(frame, k, **asked, with_key=True)
    order = list(range(len(frame)))
    chance.shuffle(order)
    pd.testing.assert_frame_equal(anonymize(frame.iloc[order], k, **asked), whole)
    ids = {one: f"id {place}" for place, one in enumerate(reversed(list(frame["seq_id"].unique())))}
    renamed = frame.assign(seq_id=frame["seq_id"].map(ids).astype("str"))
    pd.testing.assert_frame_equal(anonymize(renamed, k, **asked), whole)
    parted = BoundTable(frame, Columns(), Local(partitions=3))
    again, key_again = anonymize(parted, k, **asked, with_key=True)
    pd.testing.assert_frame_equal(again, whole)
    pd.testing.assert_frame_equal(key_again, key)


def random_texts(seed, n, length, letters="abcd"):
    """Give texts that are variations of a few, so that some are shared and some are not."""
    chance = random.Random(seed)  # noqa: S311 (nothing secret)
    models = ["".join(chance.choices(letters, k=length)) for _ in range(3)]
    texts = []
    for _ in range(n):
        text = list(chance.choice(models)[: chance.randint(length // 2, length)])
        for _ in range(chance.randint(0, 3)):
            text[chance.randrange(len(text))] = chance.choice(letters)
        texts.append("".join(text))
    return texts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strict", [False, True])
def test_sequences_of_several_words_of_64_events(seed, strict):
    texts = random_texts(seed, 12, 150)
    people = [tuple((ord(letter) - ord("a"),) for letter in text) for text in texts]
    expected = naive.prefix_tree(people, 2, strict=strict)
    released = anonymize(table_of(texts), 2, method="prefix_tree", strict=strict)
    assert sorted(elements_of(released).values()) == sorted(one for one in expected if one)


def test_events_that_are_far_apart():
    texts = ["a" + "b" * 400 + "c" + "d" * 300 + "e", "ace", "abce"]
    assert texts_of(table_of(texts).seqpriv.k_anonymize(3)) == ["ace"] * 3


@pytest.mark.parametrize("table", [0, 100, subsequence.JUMPS])
@pytest.mark.parametrize("room", [1, 600, subsequence.WITNESSES])
def test_little_memory_costs_no_guarantee(monkeypatch, room, table):
    monkeypatch.setattr(subsequence, "WITNESSES", room)
    monkeypatch.setattr(subsequence, "PATTERNS", room)
    monkeypatch.setattr(subsequence, "JUMPS", table)
    df = table_of(random_texts(7, 60, 30))
    released, key = df.seqpriv.k_anonymize(5, with_key=True)
    assert pdseqpriv.verify.is_k_anonymous(df, released, 5)
    assert len(released) > len(df) / 2
    given_out, people = elements_of(released), elements_of(df)
    assert all(naive_table.contains(people[i], given_out[j]) for i, j in key.itertuples(index=False))


@given(plain_rows(max_rows=40), st.integers(2, 3), st.integers(1, 9), st.booleans())
def test_blocks_cost_no_guarantee_and_drop_nobody(rows, k, n_events, strict):
    people = people_of(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsequence, "EVENTS", n_events)
        patch.setattr(subsequence, "EVENTS_PER_K", 0)
        released, key = anonymize(plain_table(rows), k, strict=strict, with_key=True)
    given_out = elements_of(released)
    expected = naive.subsequence(list(people.values()), k, strict=strict, n_events=n_events)
    assert sorted(given_out.values()) == sorted(one for one in expected if one)
    assert all(naive.support(people.values(), one) >= k for one in given_out.values())
    for owner, released_id in zip(key["seq_id"], key["released_id"], strict=True):
        if pd.notna(released_id):
            assert naive_table.contains(people[owner], given_out[released_id])
        elif not strict:
            events = {event for element in people[owner] for event in element}
            assert all(naive.support(people.values(), ((event,),)) < k for event in events)
    if strict:
        assert all(naive.support(given_out.values(), one) >= k for one in given_out.values())


def test_the_longest_sequences_are_looked_at_for_every_block(monkeypatch):
    monkeypatch.setattr(subsequence, "EVENTS", 7)
    monkeypatch.setattr(subsequence, "EVENTS_PER_K", 0)
    df = table_of(["abc", "abd", "cba", "cbd", "dab", "ddabcbd"])
    assert texts_of(df.seqpriv.k_anonymize(2)) == ["abc", "abd", "cb", "cbd", "dab", "dab"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("strict", [False, True])
def test_one_giant_among_short_ones(method, strict):
    chance = np.random.default_rng(0)
    short = table_of(["".join(chance.choice(list("abcdef"), 6)) for _ in range(300)])
    giant = pd.DataFrame(
        {"seq_id": -1, "event": chance.choice(list("abcdefxyz"), 100_000), "time": range(100_000)}
    )
    df = pd.concat([short, giant])
    released, key = anonymize(df, 3, method=method, strict=strict, with_key=True)
    assert pdseqpriv.verify.is_k_anonymous(df, released, 3, strict=strict)
    assert strict or key["released_id"].notna().all()


@pytest.mark.parametrize("method", METHODS)
def test_several_equal_giants_stay_whole(method):
    text = "".join(np.random.default_rng(1).choice(list("abc"), 20_000))
    df = table_of([text, text, text, text[:-1]])
    assert texts_of(df.seqpriv.k_anonymize(2, method=method)) == [text[:-1], *[text] * 3]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("strict", [False, True])
def test_all_equal_and_all_different(method, strict):
    same = table_of(["abc"] * 5)
    assert texts_of(same.seqpriv.k_anonymize(5, method=method, strict=strict)) == ["abc"] * 5
    pairs = table_of(["ab", "bc", "cd", "da"] * 2)
    with pytest.warns(PrivacyWarning, match="nothing is released: nothing is left that 5 of the 8"):
        assert pairs.seqpriv.k_anonymize(5, method=method, strict=strict).empty
    different = table_of([chr(ord("a") + i) * 3 for i in range(8)])
    with pytest.warns(PrivacyWarning, match="nothing is released: nothing is left that 2 of the 8"):
        assert different.seqpriv.k_anonymize(2, method=method, strict=strict).empty


@pytest.mark.parametrize("method", METHODS)
def test_fewer_than_k_sequences(method):
    df = table_of(["ab", "ab"]).astype({"event": "category"})
    with pytest.warns(PrivacyWarning, match="nothing is released"):
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


def test_a_key_needs_a_name_of_its_own(tmp_path):
    df = table_of(["ab", "ab", "c"])
    _, key = df.seqpriv.k_anonymize(2, with_key=True)
    assert key["released_id"].tolist() == [0, 1, pd.NA]
    pdseqpriv.write_parquet(key, tmp_path / "key.parquet")
    pd.testing.assert_frame_equal(pdseqpriv.read_parquet(tmp_path / "key.parquet"), key)
    bound = df.rename(columns={"seq_id": "released_id"}).seqpriv.using(seq_id="released_id")
    with pytest.raises(SeqPrivError, match="Rename the id column"):
        bound.k_anonymize(2, with_key=True)
    assert list(bound.k_anonymize(2).columns) == ["released_id", "event", "time"]


def test_the_record_says_what_was_applied():
    released = table_of(["ab", "ab", "c"]).seqpriv.k_anonymize(np.int64(2), strict=True)
    (step,) = released.attrs["pdseqpriv"]["applied"]
    assert step["operation"] == "k_anonymize"
    assert step["parameters"] == {"k": 2, "method": "subsequence", "strict": True}
    assert step["counts"] == {
        "sequences_in": 3,
        "sequences_out": 2,
        "sequences_dropped": 1,
        "events_in": 5,
        "events_out": 4,
    }


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
        (2, {"strict": "yes"}, "k_anonymize: strict must be True or False, got str."),
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


@given(plain_rows(max_rows=30), plain_rows(max_rows=10, n_ids=3), st.integers(2, 4), st.booleans())
def test_verify_counts_what_brute_force_counts(rows, shown, k, strict):
    people = list(people_of(rows).values())
    released = [one for one in people_of(shown).values() if one]
    wrong = [
        naive.support(people, one) < k or (strict and naive.support(released, one) < k) for one in released
    ]
    verdict = pdseqpriv.verify.is_k_anonymous(plain_table(rows), plain_table(shown), k, strict=strict)
    assert (verdict.holds, verdict.checked, verdict.violations) == (not any(wrong), len(released), sum(wrong))
    assert verdict.details["sequences"].sum() == sum(wrong)
    assert (verdict.details[["in_original"] + ["in_release"] * strict].min(axis=1) < k).all()


def test_verify_counts_people_with_marked_events_only():
    df = table_of(["ab", "ab", "xx"])
    df["event"] = df["event"].where(df["event"] != "x")
    verdict = pdseqpriv.verify.is_k_anonymous(df, df[df["seq_id"] < 2], 2)
    assert repr(verdict) == (
        "holds: each of 2 released sequences is contained in at least 2 of the 3 original ones"
    )


def test_verify_with_rare_and_common_events():
    chance = random.Random(3)  # noqa: S311 (nothing secret)
    letters = "aaaaaaaabbbbbcccdde"
    texts = ["".join(chance.choices(letters, k=chance.randint(1, 9))) for _ in range(700)]
    shown = ["".join(chance.choices(letters, k=chance.randint(1, 7))) for _ in range(200)]
    people = [[[letter] for letter in text] for text in texts]
    supports = {text: naive.support(people, [[letter] for letter in text]) for text in shown}
    for k in (2, 5, 40):
        verdict = pdseqpriv.verify.is_k_anonymous(table_of(texts), table_of(shown), k)
        assert verdict.violations == sum(supports[text] < k for text in shown)
        assert 0 < verdict.violations < verdict.checked


def test_verify_finds_a_release_that_was_tampered_with():
    df = table_of(random_texts(1, 40, 12))
    released = df.seqpriv.k_anonymize(4)
    assert pdseqpriv.verify.is_k_anonymous(df, released, 4)
    swapped = released.assign(time=-released["time"])
    assert not pdseqpriv.verify.is_k_anonymous(df, swapped, 4)
    unknown = released.replace({"event": {"a": "never seen"}})
    assert not pdseqpriv.verify.is_k_anonymous(df, unknown, 4)
    numbers = released.assign(event=1)
    assert not pdseqpriv.verify.is_k_anonymous(df, numbers, 4)


def test_verify_tells_no_value_and_wants_a_sensible_k():
    df = table_of(["secret", "word"])
    verdict = pdseqpriv.verify.is_k_anonymous(df, df, 2)
    assert verdict.details.dtypes.map(lambda dtype: dtype.kind).unique().tolist() == ["i"]
    for k in (1, 2.5, "2"):
        with pytest.raises(SeqPrivError, match="is_k_anonymous: k must be an int of at least 2"):
            pdseqpriv.verify.is_k_anonymous(df, df, k)
    with pytest.raises(SeqPrivError, match="is_k_anonymous: strict must be True or False, got str"):
        pdseqpriv.verify.is_k_anonymous(df, df, 2, strict="yes")
