"""Attackers who link by best match, against brute force, and what they make of real releases."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv.audit.knowledge import draw_known, read_knows
from pdseqpriv.audit.known_events import events_in_order
from pdseqpriv.engines.engine import read
from pdseqpriv.errors import PrivacyWarning, SeqPrivError
from tests.audit import naive_linkage as naive
from tests.sequences import naive as naive_table
from tests.strategies import EVENTS, plain_rows, plain_table, tables, taxonomies

MEASURES = [
    "people",
    "unique_share",
    "below_k_share",
    "worst_probability",
    "mean_probability",
    "events_learned",
    "events_mistaken",
]
SHARES = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)]


def elements_of(frame):
    """Return {id: elements} of a plain table, marked events left out."""
    rows = [(i, None if pd.isna(e) else e, t) for i, e, t in frame[["seq_id", "event", "time"]].to_numpy()]
    found = {}
    for owner in sorted({row[0] for row in rows}):
        times = sorted({t for i, _, t in rows if i == owner})
        sets = [sorted({e for i, e, t in rows if (i, t) == (owner, time)} - {None}) for time in times]
        found[owner] = [one for one in sets if one]
    return found


def known_of(frame, knows, seed):
    """Return {id: elements} of what the attackers of such a call know."""
    table = read(frame)
    lists = draw_known(events_in_order(table), read_knows(knows)[0], seed)
    found = {}
    for i, owner in enumerate(table.ids):
        found[owner] = []
        for j in range(lists.offsets[i], lists.offsets[i + 1]):
            if lists.begins[j]:
                found[owner].append([])
            found[owner][-1].append(table.vocabulary[lists.codes[j]])
    return found


def naive_row(people, known, records, own, attack, **rules):
    k = rules.pop("k")
    is_whole = rules.pop("is_whole")
    outcomes = []
    for person, elements in people.items():
        if attack == "containment":
            matches = naive.by_containment(records, known[person], is_whole=is_whole, **rules)
        else:
            matches = naive.by_common_subsequence(records, known[person], **rules)
        covers = rules.get("covers", naive.equal)
        outcomes.append(
            naive.attacked(records, own.get(person), elements, known[person], matches=matches, covers=covers)
        )
    return naive.row(outcomes, k)


def assert_same(frame, released, key, *, knows, k, seed=0, taxonomy=None, **rules):
    """Hold both rows of a call against brute force."""
    found = released.seqpriv.risk(
        original=frame, key=key, attack="linkage", knows=knows, k=k, seed=seed, taxonomy=taxonomy
    )
    people, records = elements_of(frame), elements_of(released)
    known = known_of(frame, knows, seed)
    own = {person: record for person, record in key.itertuples(index=False) if not pd.isna(record)}
    for _, row in found.iterrows():
        expected = naive_row(
            people, known, records, own, row["attack"], k=k, is_whole=knows == "whole", **rules
        )
        for name in MEASURES:
            assert row[name] == pytest.approx(expected[name], abs=1e-9), (row["attack"], name)


def any_key(frame, released, random):
    """Say at random who is whose: some are dropped, and the records may be of anybody."""
    people, records = sorted(frame["seq_id"].unique()), sorted(released["seq_id"].unique())
    random.shuffle(records)
    mine = [records[i] if i < len(records) and random.random() < 0.9 else None for i in range(len(people))]
    return pd.DataFrame({"seq_id": people, "released_id": pd.array(mine, dtype="Int64")})


def shrunk(rows, random):
    """Make a release by deleting rows."""
    return [row for row in rows if random.random() < 0.6]


def some_knows():
    return st.sampled_from(["whole", 0.5, 0.3, 1, 2, 3])


def some_rows():
    """Return few people with different sequences, or many among whom the same happens more than once."""
    few, many = plain_rows(max_rows=30, n_events=3), plain_rows(max_rows=30, n_events=2, n_ids=9)
    return st.one_of(few, many).filter(bool)


@given(some_rows(), some_knows(), st.integers(2, 4), st.randoms())
@pytest.mark.parametrize("kind", ["sets", "plain"])
def test_attacks_are_what_brute_force_finds(kind, rows, knows, k, random):
    # The bit-parallel way needs that no two events of a sequence happen at the same time.
    rows = [(o, event, place if kind == "plain" else t // 3) for place, (o, event, t) in enumerate(rows)]
    frame, released = plain_table(rows), plain_table(shrunk(rows, random))
    if not released["event"].notna().any():
        return
    assert_same(frame, released, any_key(frame, released, random), knows=knows, k=k, seed=random.randrange(9))


@pytest.mark.parametrize("knows", ["whole", 0.5, 2])
@pytest.mark.parametrize(("n_people", "n_events", "n_times"), [(60, 2, 3), (50, 3, 2), (40, 4, 12)])
def test_crowds_are_what_brute_force_finds(n_people, n_events, n_times, knows):
    """Many people with short sequences, so that much is equal: sets of events, and of people."""
    rng = np.random.default_rng(n_people)
    size = 6 * n_people
    rows = zip(rng.integers(n_people, size=size), rng.integers(n_events, size=size), strict=True)
    rows = [(int(owner), int(event), int(rng.integers(n_times))) for owner, event in rows]
    if n_times > n_events:  # no two at the same time
        rows = [(owner, event, place) for place, (owner, event, _) in enumerate(rows)]
    frame = plain_table(rows)
    random = Random(0)  # noqa: S311 (for tables)
    released = plain_table(shrunk(rows, random))
    assert_same(frame, released, any_key(frame, released, random), knows=knows, k=4)


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("knows", ["whole", 0.9, 0.5, 70])
def test_sequences_longer_than_a_word_of_bits(knows, at_once):
    rng = np.random.default_rng(at_once)
    lengths = [130, 128, 64, 65, 80]
    frame = pd.DataFrame(
        [(i, rng.choice(list("abc")), t // at_once) for i, n in enumerate(lengths) for t in range(n)],
        columns=["seq_id", "event", "time"],
    )
    released = frame[rng.random(len(frame)) < 0.8]
    key = pd.DataFrame({"seq_id": range(5), "released_id": pd.array(range(5), dtype="Int64")})
    assert_same(frame, released, key, knows=knows, k=2)


@given(
    plain_rows(max_rows=24, n_events=3, marked=False).filter(bool),
    plain_rows(max_rows=24, n_events=3).filter(bool),
    some_knows(),
    st.randoms(),
)
def test_releases_that_have_little_to_do_with_the_original(rows, others, knows, random):
    frame, released = plain_table(rows), plain_table(others)
    is_strange = not set(frame["event"]) & set(released["event"].dropna())
    if is_strange or released["seq_id"].nunique() > frame["seq_id"].nunique():
        return
    key = any_key(frame, released, random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdseqpriv.audit.searched_release.warn", lambda _: None)
        assert_same(frame, released, key, knows=knows, k=3)


def covering(links):
    """Return the rule by which labels stand for events, and for how many other events each could stand."""
    above = {}
    for name in [*links, *links.values()]:
        above[name], at = {name}, name
        while at in links:
            at = links[at]
            above[name].add(at)
    leaves = [name for name in above if name not in links.values()]
    others = {label: max(0, sum(label in above[leaf] for leaf in leaves) - 1) for label in above}
    return (lambda label, event: label in above[event]), others, above


@given(
    plain_rows(max_rows=24, n_events=4, marked=False).filter(bool),
    taxonomies(EVENTS[:4]),
    some_knows(),
    st.booleans(),
    st.randoms(),
)
def test_categories_stand_for_the_events_below_them(rows, links, knows, is_plain, random):
    if is_plain:
        rows = [(owner, event, place) for place, (owner, event, _) in enumerate(rows)]
    covers, others, above = covering(links)
    frame = plain_table(rows)
    released = plain_table(shrunk(rows, random))
    released["event"] = pd.Series(
        [random.choice(sorted(above[event])) for event in released["event"]], dtype="str"
    )
    if released.empty:
        return
    key = any_key(frame, released, random)
    assert_same(frame, released, key, knows=knows, k=2, taxonomy=links, covers=covers, others=others)


@given(plain_rows(max_rows=30, n_events=3), st.sampled_from([*SHARES, 1, 2, 5]), st.integers(0, 5))
def test_what_is_known_is_drawn_from_the_person(rows, knows, seed):
    frame = plain_table(rows)
    people, known = elements_of(frame), known_of(frame, knows, seed)
    for person, elements in people.items():
        size = naive.size(elements)
        wanted = -(-size * knows // 1) if isinstance(knows, Fraction) else min(size, knows)
        assert naive.size(known[person]) == wanted
        assert naive_table.contains(elements, known[person])


def test_every_event_is_as_likely_to_be_known():
    frame = pd.DataFrame({"seq_id": np.repeat(np.arange(4_000), 6), "event": list("abcdef") * 4_000})
    frame["time"] = np.tile([0, 0, 1, 2, 2, 3], 4_000)
    counts = pd.Series(
        [event for elements in known_of(frame, 0.5, 0).values() for element in elements for event in element]
    ).value_counts()
    assert counts.sum() == 12_000
    # Standard deviation: 4,000 times 1/2 * 1/2, square root: 32.
    assert ((counts - 2_000).abs() < 5 * 32).all()


@given(tables(max_rows=20), st.randoms(use_true_random=False), st.sampled_from(["whole", 0.5]))
def test_tables_in_every_dress(frame, random, knows):
    """Rows in another order, and whatever types and indexes: the same answer, and nothing is changed."""
    released = frame.iloc[[i for i in range(len(frame)) if random.random() < 0.7]]
    if frame["event"].notna().any() and not released["event"].notna().any():
        released = frame
    order = list(range(len(frame)))
    random.shuffle(order)
    before, before_released = frame.copy(deep=True), released.copy(deep=True)
    options = {"attack": "linkage", "knows": knows}
    found = released.seqpriv.risk(original=frame, **options)
    pd.testing.assert_frame_equal(found, released.seqpriv.risk(original=frame.iloc[order], **options))
    ids = pd.Index(frame["seq_id"].unique())
    left = ids.isin(released["seq_id"])
    key = pd.DataFrame({"seq_id": ids, "released_id": pd.Series(ids, dtype=object).where(left, None)})
    pd.testing.assert_frame_equal(found, released.seqpriv.risk(original=frame, key=key, **options))
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(released, before_released)


def visits(*texts, first=0):
    return pd.DataFrame(
        [(first + i, page, t) for i, text in enumerate(texts) for t, page in enumerate(text)],
        columns=["seq_id", "event", "time"],
    )


def key_of(*numbers):
    return pd.DataFrame({"seq_id": range(len(numbers)), "released_id": pd.array(numbers, dtype="Int64")})


def test_who_knows_the_whole_takes_the_longest_record_inside():
    frame, released = visits("abcd", "abx", "bcd", "cd"), visits("abc", "ab", "bcd")
    row = released.seqpriv.risk(original=frame, key=key_of(0, 1, 2, None), attack="linkage", knows="whole")
    # 0 contains abc and bcd, 1 only ab, 2 only bcd; 3 was dropped, and the record around it is another's.
    chances = [1 / 2, 1, 1, 0]
    assert row["mean_probability"].iloc[0] == pytest.approx(sum(chances) / 4)
    assert row["unique_share"].iloc[0] == pytest.approx(2 / 4)
    assert row["events_mistaken"].iloc[0] == pytest.approx(1 / 4)


def test_who_knows_a_part_takes_the_shortest_record_around():
    frame, released = visits("ab", "ab", "ac"), visits("ab", "abc", "ac")
    found = released.seqpriv.risk(original=frame, key=key_of(1, 0, 2), attack="linkage", knows=2)
    assert found["mean_probability"].tolist() == pytest.approx([2 / 3, 2 / 3])  # nobody takes abc
    assert found["events_learned"].tolist() == [0, 0]
    only_long = released[released["seq_id"] == 1]
    key = pd.DataFrame({"seq_id": [0, 1, 2], "released_id": pd.array([1, None, None], dtype="Int64")})
    found = only_long.seqpriv.risk(original=frame, key=key, attack="linkage", knows=2)
    assert found["mean_probability"].tolist() == pytest.approx([1 / 3, 1 / 3])


def test_equal_records_are_picked_at_random_and_tell_the_same():
    frame, released = visits("aab", "aac", "aad"), visits("aa", "aa", "aa")
    found = released.seqpriv.risk(original=frame, key=key_of(0, 1, 2), attack="linkage", knows="whole")
    assert found["worst_probability"].tolist() == pytest.approx([1 / 3] * 2)
    assert found["below_k_share"].tolist() == [1, 1]  # by default 10 are enough
    assert found["events_learned"].tolist() == [0, 0]
    same = visits("aa", "aa", "aa")
    found = released.seqpriv.risk(original=same, key=key_of(0, 1, 2), attack="linkage", knows=1)
    assert found["mean_probability"].tolist() == pytest.approx([1 / 3] * 2)
    assert found["events_learned"].tolist() == [1, 1]  # whichever they pick, there is one more


def test_events_that_are_not_true_are_no_gain():
    frame, released = visits("ab", "cd"), visits("acc", "cd")
    found = released.seqpriv.risk(original=frame, key=key_of(0, 1), attack="linkage", knows="whole", k=2)
    assert found["events_mistaken"].tolist() == pytest.approx([0, 2 / 2])
    assert found["mean_probability"].tolist() == pytest.approx([1 / 2, 1])


def test_everybody_and_a_sample_agree():
    frame = pdseqpriv.datasets.make_clickstream(3_000, n_pages=30, seed=1)
    released, key = frame.seqpriv.k_anonymize(5, with_key=True)
    given_ = {"original": frame, "key": key, "attack": "linkage", "knows": "whole"}
    exact = released.seqpriv.risk(**given_)
    drawn = released.seqpriv.risk(**given_, sample=500, seed=3)
    assert exact["method"].tolist() == ["exact"] * 2
    assert drawn["method"].tolist() == ["sampled"] * 2
    assert drawn["attacked"].tolist() == [500, 500]
    assert drawn["people"].tolist() == exact["attacked"].tolist() == [3_000, 3_000]
    assert (drawn["mean_low"] <= exact["mean_probability"]).all()
    assert (drawn["mean_high"] >= exact["mean_probability"]).all()
    assert (exact["mean_low"] == exact["mean_probability"]).all()
    pd.testing.assert_frame_equal(drawn, released.seqpriv.risk(**given_, sample=500, seed=3))
    everybody = released.seqpriv.risk(**given_, sample=3_000)
    pd.testing.assert_frame_equal(everybody, exact)


def test_where_it_would_take_long_people_are_drawn(monkeypatch):
    frame = pdseqpriv.datasets.make_clickstream(1_500, n_pages=20, seed=1)
    hidden = frame.seqpriv.hide([[frame["event"].iloc[0]]], seed=1)
    monkeypatch.setattr("pdseqpriv.audit.linkage._CHEAP", 1_000)
    found = hidden.seqpriv.risk(original=frame, attack="linkage")
    assert found["attacked"].tolist() == [1_000] * 4
    assert found["method"].tolist() == ["sampled"] * 4


def test_the_same_is_known_whatever_the_release():
    frame = pdseqpriv.datasets.make_clickstream(300, n_pages=20, seed=1)
    same = frame.seqpriv.risk(original=frame, attack="linkage", knows=[0.5, 2], seed=4)
    again = frame.seqpriv.risk(original=frame, attack="linkage", knows=2, seed=4)
    pd.testing.assert_frame_equal(same.iloc[2:].reset_index(drop=True), again)


def test_a_release_without_records_shows_nobody():
    frame = visits("ab", "cd")
    found = frame.head(0).seqpriv.risk(original=frame, attack="linkage", knows=["whole", 1])
    assert found["worst_probability"].tolist() == [0] * 4
    assert found["events_learned"].tolist() == [0] * 4


def test_nobody_is_found_among_nobody():
    empty = visits()
    found = empty.seqpriv.risk(original=empty, attack="linkage")
    assert found["people"].tolist() == [0] * 4
    assert found["mean_probability"].isna().all()


def test_people_of_whom_nothing_is_left_are_records_too():
    frame = visits("ab", "cd", "ef")
    marked = frame.assign(event=frame["event"].where(frame["seq_id"] == 1, None))
    found = marked.seqpriv.risk(original=frame, attack="linkage", knows="whole")
    # Of the other two nothing is left: each is one of two empty records.
    assert found["mean_probability"].tolist() == pytest.approx([(1 + 1 / 2 + 1 / 2) / 3] * 2)


def test_ids_are_the_key_where_the_release_kept_them():
    frame = pdseqpriv.datasets.make_event_log(200, seed=1)[["seq_id", "event", "time"]]
    event = frame["event"].iloc[0]
    for released in (
        frame.seqpriv.hide([[event]], output="drop"),
        frame.seqpriv.hide([[event]], output="mark"),
        frame.seqpriv.hide([[event]], output="replace", seed=1),
        frame.seqpriv.sanitize(0.1, events=[event]),
    ):
        ids = pd.Series(frame["seq_id"].unique())
        key = pd.DataFrame({"seq_id": ids, "released_id": ids.where(ids.isin(released["seq_id"]))})
        by_ids = released.seqpriv.risk(original=frame, attack="linkage")
        pd.testing.assert_frame_equal(
            by_ids, released.seqpriv.risk(original=frame, key=key, attack="linkage")
        )


def test_new_ids_are_never_taken_for_the_old_ones():
    frame = visits("abc", "abc", "abc", "ab")
    released = frame.seqpriv.k_anonymize(3)
    assert set(released["seq_id"]) <= set(frame["seq_id"])
    with pytest.raises(SeqPrivError, match="the ids of this release are new, so the key is needed"):
        released.seqpriv.risk(original=frame, attack="linkage")
    # Nor where there is no record, or where the times are new, too.
    for strange in (
        released.assign(time=released["time"] + 7),
        released.assign(seq_id=released["seq_id"] + 9),
    ):
        strange.attrs = {}
        with pytest.raises(SeqPrivError, match="does not have the ids and times of the original"):
            strange.seqpriv.risk(original=frame, attack="linkage")
    # A table that was k-anonymized before is an original like any other.
    hidden = released.seqpriv.hide([["a", "b"]])
    with pytest.warns(PrivacyWarning, match="the record shows 2 steps"):
        found = hidden.seqpriv.risk(original=released, attack="linkage", knows="whole")
    assert found["people"].tolist() == [4, 4]


def test_keys_of_any_kind_of_id():
    frame = visits("abc", "abd", "x").assign(seq_id=lambda d: d["seq_id"].map({0: "ann", 1: "bob", 2: "eve"}))
    released = visits("ab", "d").assign(seq_id=lambda d: d["seq_id"].map({0: "r1", 1: "r2"}))
    key = pd.DataFrame({"seq_id": ["eve", "bob", "ann"], "released_id": [None, "r2", "r1"]})
    found = released.seqpriv.risk(original=frame, key=key, attack="linkage", knows="whole")
    assert found["mean_probability"].tolist() == pytest.approx([1 / 3, 1 / 3])
    renamed = frame.rename(columns={"seq_id": "case"}).seqpriv.using(seq_id="case")
    found_again = released.seqpriv.risk(
        original=renamed, key=key.rename(columns={"seq_id": "case"}), attack="linkage", knows="whole"
    )
    pd.testing.assert_frame_equal(found, found_again)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"attack": "link"}, 'attack must be "candidates" or "linkage", got \'link\''),
        ({"attack": None}, 'attack must be "candidates" or "linkage"'),
        ({"original": None}, 'original must be given with attack="linkage", got None'),
        ({"known": 2}, 'known must be left out with attack="linkage".* it is called knows'),
        ({"with_time": True}, 'with_time must be left out with attack="linkage"'),
        ({"in_order": False}, 'in_order must be left out with attack="linkage"'),
        ({"resolution": 5}, 'resolution must be left out with attack="linkage"'),
        ({"attack": "candidates"}, 'key must be left out with attack="candidates"'),
        ({"attack": "candidates", "key": None, "knows": "whole"}, "knows must be left out with"),
        ({"attack": "candidates", "key": None, "taxonomy": {"a": "x"}}, "taxonomy must be left out with"),
        ({"knows": "half"}, "knows must be \"whole\", a share of the events .* got 'half'"),
        ({"knows": 0}, "knows must be an int of at least 1, got 0"),
        ({"knows": 0.0}, 'knows must be "whole", .* got 0'),
        ({"knows": 1.5}, "knows must be .* got 1.5"),
        ({"knows": float("nan")}, "knows must be .* got nan"),
        ({"knows": True}, "knows must be .* got bool"),
        ({"knows": []}, "knows must be .* got an empty list"),
        ({"knows": ["whole", None]}, "knows must be .* got NoneType"),
        ({"knows": b"whole"}, "knows must be .* got bytes"),
        ({"k": 1}, "k must be an int of at least 2, got 1"),
        ({"sample": 0}, "sample must be an int of at least 1, got 0"),
        ({"seed": -1}, "seed must be an int of at least 0, got -1"),
        ({"key": "key"}, "key must be a frame with two columns, .* got str"),
        ({"key": pd.DataFrame({"seq_id": [0], "new": [0]})}, "key must be a frame with two columns"),
        ({"key": key_of(0)}, "the key must name each sequence of the original exactly once"),
        (
            {"key": key_of(0, 1, 7)},
            "1 of the 3 ids in column 'released_id' of the key is not in the release",
        ),
        ({"key": key_of(0, 1, 2).assign(seq_id=[0, 1, 1])}, "each sequence of the original exactly once"),
        ({"taxonomy": {"a": "letters"}}, "2 events of the original are not in the taxonomy"),
        ({"taxonomy": 5}, "."),
    ],
)
def test_bad_options_are_named(options, said):
    frame = visits("ab", "ac", "a")
    asked = {"original": frame, "key": key_of(0, 1, 2), "attack": "linkage"} | options
    with pytest.raises(SeqPrivError, match=said) as caught:
        frame.seqpriv.risk(**asked)
    assert str(caught.value).startswith(("risk", "Taxonomy"))


def test_tables_that_do_not_belong_together():
    frame = visits("ab", "ac")
    with pytest.raises(SeqPrivError, match="no event of the release occurs in the original"):
        visits("xy", "x").seqpriv.risk(original=frame, key=key_of(0, 1), attack="linkage")
    with pytest.raises(SeqPrivError, match="more sequences than the original"):
        visits("a", "b", "c").seqpriv.risk(original=frame, key=key_of(0, 1), attack="linkage")
    with pytest.warns(
        PrivacyWarning, match="1 of the 2 events of the release does not occur .* give the taxonomy"
    ):
        visits("aX", "a").seqpriv.risk(original=frame, key=key_of(0, 1), attack="linkage")


def test_categories_are_found_with_their_taxonomy_only():
    frame = visits("ab", "cd")
    released = visits("ab", "yy").replace({"b": "x"})
    taxonomy = {"a": "x", "b": "x", "c": "y", "d": "y"}
    options = {"original": frame, "key": key_of(0, 1), "attack": "linkage", "knows": "whole", "k": 2}
    with pytest.warns(PrivacyWarning, match="2 of the 3 events of the release"):
        without = released.seqpriv.risk(**options)
    found = released.seqpriv.risk(**options, taxonomy=taxonomy)
    assert found["unique_share"].tolist() == [1, 1]
    assert without["unique_share"].tolist() == [0, 0.5]


def test_arrow_tables_get_arrow_back():
    import pyarrow as pa

    frame = visits("abc", "abd", "ab")
    released, key = frame.seqpriv.k_anonymize(2, with_key=True)
    plain = released.seqpriv.risk(original=frame, key=key, attack="linkage", k=2)
    arrow = pdseqpriv.risk(
        pa.Table.from_pandas(released),
        original=pa.Table.from_pandas(frame),
        key=pa.Table.from_pandas(key),
        attack="linkage",
        k=2,
    )
    assert isinstance(arrow, pa.Table)
    pd.testing.assert_frame_equal(arrow.to_pandas(), plain)


ATTACKED = ["foursquare_nyc", "sepsis", "trucks"]


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
@pytest.mark.parametrize("name", ATTACKED)
def test_real_releases_say_less_than_theorem_1_makes_believe(real_data, name):
    frame = pdseqpriv.read_parquet(real_data(name))[["seq_id", "event", "time"]]
    released, key = frame.seqpriv.k_anonymize(10, with_key=True)
    by_theorem = released.seqpriv.risk(known=2, original=frame)
    found = released.seqpriv.risk(original=frame, key=key, attack="linkage", knows=["whole", 0.5])
    assert by_theorem["worst_probability"].item() <= 1 / 10
    assert found["worst_probability"].max() == 1
    assert found["mean_probability"].iloc[0] > 2 / 10
    # Who knows more finds more.
    assert (found["mean_probability"].to_numpy()[:2] > found["mean_probability"].to_numpy()[2:]).all()


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@given(plain_rows(max_rows=40, n_events=2, n_ids=8).filter(bool), st.integers(2, 4), some_knows())
def test_among_k_equal_records_nobody_is_found_more_surely_than_one_in_k(rows, k, knows):
    """Whatever is released, k times: no way to link can tell which of them is whose."""
    frame = plain_table(rows)
    texts = [tuple(map(tuple, elements)) for elements in elements_of(frame).values()]
    if len(texts) < k:
        return
    groups = [min(i // k, len(texts) // k - 1) for i in range(len(texts))]
    made = [
        (i, event, t)
        for i, group in enumerate(groups)
        for t, element in enumerate(texts[group])
        for event in element
    ]
    released = pd.DataFrame(made, columns=["seq_id", "event", "time"])
    if released.empty:
        return
    people = sorted(frame["seq_id"].unique())
    there = set(released["seq_id"])
    key = pd.DataFrame(
        {
            "seq_id": people,
            "released_id": pd.array([i if i in there else None for i in range(len(people))], dtype="Int64"),
        }
    )
    found = released.seqpriv.risk(original=frame, key=key, attack="linkage", knows=knows, k=k)
    assert (found["worst_probability"] <= 1 / k).all()
    assert (found["below_k_share"] == 0).all()
