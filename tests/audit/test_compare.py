"""Measures, against cases computed by hand."""

from __future__ import annotations

import html
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import SeqPrivError, schemas
from pdseqpriv.sanitization import measures as sanitization_measures
from tests.k_anonymity.cases import table_of
from tests.strategies import tables


def measures(original, released):
    frame = pdseqpriv.compare(original, released)
    assert list(frame.columns) == ["measure", "value", "better", "paper", "meaning", "basis"]
    assert set(frame["better"]) <= {"lower", "higher"}
    assert frame["meaning"].str.len().gt(10).all()
    return frame.set_index("measure")["value"]


def table(*sequences):
    rows = [(i, event, t) for i, one in enumerate(sequences) for t, event in enumerate(one)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def test_general_measures_by_hand():
    original = table("aab", "ab", "c", "c")
    released = table("ab", "ab", "c")
    values = measures(original, released)
    assert values["sequences_lost"] == pytest.approx(1 / 4)
    assert values["events_kept"] == pytest.approx(5 / 7)
    # Lengths 1, 2, 3: shares 1/2, 1/4, 1/4 against 1/3, 2/3, 0.
    assert values["length_distance"] == pytest.approx((1 / 6 + 5 / 12 + 1 / 4) / 2)
    # Events a, b, c: shares 3/7, 2/7, 2/7 against 2/5, 2/5, 1/5.
    assert values["event_distance"] == pytest.approx((1 / 35 + 4 / 35 + 3 / 35) / 2)


def test_the_meaning_of_a_measure_is_shown_whole_in_a_notebook():
    compared = pdseqpriv.compare(table("ab", "ac"), table("ab", "a"), min_support=1, delta=0.5)
    longest = max(compared["meaning"], key=len)
    assert len(longest) > 50  # where pandas cuts
    for shown in (compared, compared.sort_values("value"), pickle.loads(pickle.dumps(compared))):  # noqa: S301 (our own)
        assert html.escape(longest, quote=False) in shown._repr_html_()
    assert pd.get_option("display.max_colwidth") == 50


def test_a_comparison_is_a_frame_like_any_other():
    compared = pdseqpriv.compare(table("ab"), table("ab"))
    plain = pd.DataFrame({name: list(compared[name]) for name in compared})
    assert type(plain) is pd.DataFrame
    assert compared.equals(plain)
    assert plain.equals(compared)
    pd.testing.assert_frame_equal(compared, plain)
    assert repr(compared) == repr(plain)
    schemas.ComparisonTable.validate(compared)


def test_a_table_compared_with_itself():
    original = table("aab", "ab", "c")
    values = measures(original, original)
    assert values["events_kept"] == 1
    assert values.drop("events_kept").eq(0).all()


def test_a_release_with_nothing_left():
    values = measures(table("ab"), table())
    assert values["sequences_lost"] == 1
    assert values["events_kept"] == 0
    assert values["length_distance"] == values["event_distance"] == 1


def test_more_sequences_than_before_are_not_called_lost_in_silence():
    one = pd.DataFrame({"seq_id": [1], "event": ["a"], "time": [1]})
    two = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "b"], "time": [1, 1]})
    with pytest.warns(pdseqpriv.PrivacyWarning, match="compare: the release has more sequences"):
        assert pdseqpriv.compare(one, two)["value"][0] == -1


def test_marked_events_are_not_events():
    original = table("ab", "b")
    released = original.assign(event=original["event"].where(original["event"] != "b"))
    values = measures(original, released)
    assert values["sequences_lost"] == pytest.approx(1 / 2)
    assert values["events_kept"] == pytest.approx(1 / 3)


def test_measures_of_hiding_by_hand():
    original = table("abc", "abc", "ab", "c")
    released = original.copy()
    released.loc[[0, 6], "event"] = None  # the a of the first and of the third
    values = pdseqpriv.compare(original, released, min_support=2).set_index("measure")["value"]
    assert values["M1"] == 2
    # At least twice before: a b c ab ac bc abc; after: b c bc.
    assert values["M2"] == pytest.approx(4 / 7)
    # b keeps 3 of 3, c 3 of 3, bc 2 of 2.
    assert values["M3"] == 0
    values = pdseqpriv.compare(original, released, min_support=1).set_index("measure")["value"]
    # All seven are still there: a lost 2 of 3, ab 2 of 3, ac 1 of 2, abc 1 of 2.
    assert values["M2"] == 0
    assert values["M3"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 2 + 1 / 2) / 7)


def test_replaced_events_count_as_changed():
    original = table("abb")
    original["time"] = [1, 1, 1]
    released = original.assign(event=["b", "c", "b"])
    assert measures(original, released)["M1"] == 1


def test_rows_that_moved_have_no_m1():
    original = table("ab", "b")
    assert "M1" not in measures(original, original[original["event"] == "b"])
    assert "M1" not in measures(original, original.assign(time=[5, 6, 7]))


def test_it_is_said_when_nothing_is_frequent():
    original = table("ab", "cd", "ef")
    with pytest.warns(pdseqpriv.PrivacyWarning, match="compare: no pattern of the original is frequent"):
        values = pdseqpriv.compare(original, original, min_support=3).set_index("measure")["value"]
    assert values[["pattern_precision", "pattern_recall"]].isna().all()
    assert not {"M2", "M3"} & set(values.index)


def test_recall_counts_sequences_of_the_release_and_m2_those_of_the_original():
    original = table(*["ab"] * 10)
    values = pdseqpriv.compare(original, table(*["ab"] * 4), min_support=0.5).set_index("measure")["value"]
    assert (values["pattern_recall"], values["M2"]) == (1, 1)


def test_min_support_is_checked():
    original = table("a", "b")
    with pytest.raises(pdseqpriv.SeqPrivError, match="compare: min_support must be"):
        pdseqpriv.compare(original, original, min_support=0)


def test_frequent_patterns_by_hand():
    # In 2 of 4: a, b, c, ab. In the release, in half of 2: a, b, ab, d, and what goes with d.
    original = table("ab", "ab", "c", "c")
    released = table("ab", "d")
    frame = pdseqpriv.compare(original, released, min_support=0.5).set_index("measure")
    values = frame["value"]
    assert values["pattern_precision"] == pytest.approx(3 / 4)
    assert values["pattern_recall"] == pytest.approx(3 / 4)
    assert values["f_measure"] == pytest.approx(3 / 4)
    assert values["support_similarity"] == pytest.approx(1)
    assert set(frame["paper"][values.index.str.startswith("pattern_")]) == {"Monreale et al. 2014"}
    # By count: a, b, ab twice of 4 against once of 2 is no longer enough.
    counted = pdseqpriv.compare(original, table("ab", "a", "c"), min_support=2).set_index("measure")["value"]
    assert counted["pattern_recall"] == pytest.approx(1 / 4)
    assert counted["pattern_precision"] == 1
    # a is in 2 of 4 and in 2 of 3.
    assert counted["support_similarity"] == pytest.approx(3 / 4)


def test_frequent_patterns_of_an_empty_release():
    values = pdseqpriv.compare(table("ab", "ab"), table(), min_support=1.0).set_index("measure")["value"]
    assert values["pattern_recall"] == values["f_measure"] == 0
    assert values[["pattern_precision", "support_similarity"]].isna().all()


def basis_of(frame):
    return frame.set_index("measure")["basis"]


EXPENSIVE = ["pattern_precision", "pattern_recall", "f_measure", "support_similarity", "M2", "M3"]


def test_a_sample_is_of_the_same_people_where_ids_match():
    # Everybody has an event of their own; the release keeps every second one of these.
    original = table(*[f"a{chr(200 + i)}" for i in range(40)])
    kept = (original["time"] == 0) | (original["seq_id"] % 2 == 0)
    frame = pdseqpriv.compare(original, original[kept], min_support=1, sample=10, seed=3)
    basis = basis_of(frame)
    assert set(basis[EXPENSIVE]) == {"sample of 10"}
    assert set(basis.drop(EXPENSIVE)) == {"all"}
    values = frame.set_index("measure")["value"]
    # 10 people have 21 patterns: a, and two each. Only if they are the same people no pattern is new.
    assert values["pattern_precision"] == 1
    assert 0 < values["pattern_recall"] < 1
    assert values["pattern_recall"] * 21 == pytest.approx(round(values["pattern_recall"] * 21))
    assert values["events_kept"] == pytest.approx(60 / 80)
    again = pdseqpriv.compare(original, original[kept], min_support=1, sample=10, seed=3)
    pd.testing.assert_frame_equal(frame, again)


def test_a_sample_of_a_release_with_other_ids_has_the_same_share():
    original = table(*["ab"] * 60, *["c"] * 60)
    released = original[original["seq_id"] % 3 != 0].assign(seq_id=lambda df: df["seq_id"] + 1000)
    values = pdseqpriv.compare(original, released, min_support=0.2, sample=60).set_index("measure")["value"]
    assert values["f_measure"] == 1
    assert 0.7 < values["support_similarity"] <= 1


def test_a_count_is_scaled_to_the_sample():
    original = table(*["ab"] * 50, *["c"] * 50)
    for sample in (None, 40):
        frame = pdseqpriv.compare(original, original, min_support=30, sample=sample)
        values = frame.set_index("measure")["value"]
        assert values["f_measure"] == 1  # in 30 of 100, so in 12 of 40: a, b, c and ab
        assert values["M2"] == 0


def test_a_sample_of_everybody_is_all():
    original = table("ab", "c")
    sampled = pdseqpriv.compare(original, original, min_support=1, sample=2)
    pd.testing.assert_frame_equal(sampled, pdseqpriv.compare(original, original, min_support=1))
    assert set(sampled["basis"]) == {"all"}


@pytest.mark.parametrize(
    "wrong", [{"sample": 0}, {"sample": "all"}, {"sample": 2.5}, {"seed": -1}, {"seed": None}]
)
def test_sample_and_seed_are_checked(wrong):
    with pytest.raises(
        pdseqpriv.SeqPrivError, match=rf"^compare: {next(iter(wrong))} must be an int of at least"
    ):
        pdseqpriv.compare(table("a"), table("a"), **wrong)


def test_too_many_patterns_are_told_by_who_was_called(monkeypatch):
    from pdseqpriv.audit import frequent_patterns

    def find(*_):
        raise frequent_patterns.TooManyError("mine: too many")

    monkeypatch.setattr(frequent_patterns, "frequent_patterns", find)
    with pytest.raises(pdseqpriv.SeqPrivError, match=r"^compare: more than 10,000,000 patterns are frequent"):
        pdseqpriv.compare(table("a"), table("a"), min_support=1)


def test_frequent_patterns_only_when_asked_and_with_a_sensible_level():
    df = table("ab")
    assert "f_measure" not in pdseqpriv.compare(df, df)["measure"].tolist()
    with pytest.raises(pdseqpriv.SeqPrivError, match="compare: min_support must be"):
        pdseqpriv.compare(df, df, min_support=1.5)


def test_patterns_with_simultaneous_events_are_compared():
    original = pd.DataFrame(
        {"seq_id": [1, 1, 1, 2, 2, 2], "event": list("abcabc"), "time": [1, 1, 2, 1, 1, 2]}
    )
    released = original[original["event"] == "a"]
    values = pdseqpriv.compare(original, released, min_support=1).set_index("measure")["value"]
    # Of a, b, c, (a b), a -> c, b -> c and (a b) -> c only a is left.
    assert values["M2"] == pytest.approx(6 / 7)
    assert values["M3"] == 0
    assert values["pattern_recall"] == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("option", "value", "meant"),
    [
        ("key", pd.DataFrame(), "a generalized release"),
        ("monitored", ["a"], "a generalized release"),
        ("monitored", [], "a generalized release"),
        ("window", 5, "a generalized release"),
    ],
)
def test_options_of_generalized_releases_are_refused_for_sequences(option, value, meant):
    df = pd.DataFrame({"seq_id": [1, 1], "event": ["a", "b"], "time": [1, 2]})
    with pytest.raises(
        SeqPrivError, match=f"^compare: {option} applies to {meant}, but got two sequence tables"
    ):
        pdseqpriv.compare(df, df, **{option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("min_support", 2),
        ("delta", 0.5),
        ("events", ["a"]),
        ("events", np.array(["a", "b"])),
        ("scope", "table"),
        ("sample", 3),
        ("seed", 1),
    ],
)
def test_options_of_sequences_are_refused_for_other_tables(option, value):
    df = pd.DataFrame({"seq_id": [1, 2], "event": ["a", "a"], "time": [1, 2]})
    mined, blurred = df.seqpriv.mine(1), df.seqpriv.generalize(k=2)
    for before, after, came in ((mined, mined, "two pattern tables"), (df, blurred, "a generalized release")):
        with pytest.raises(
            SeqPrivError, match=f"^compare: {option} applies to two sequence tables, but got {came}"
        ):
            pdseqpriv.compare(before, after, **{option: value})


@pytest.mark.parametrize("as_numbers", [False, True])
def test_events_kept_as_they_were_and_as_categories(as_numbers):
    original = table_of(["1234", "1234"])
    categories = {"1": "few", "2": "few", "3": "some", "4": "many"}
    released = table_of(["13", "1"])
    released["event"] = released["event"].replace({"3": "few"})
    if as_numbers:
        original = original.astype({"event": "int64"})
    values = pdseqpriv.compare(original, released, taxonomy=categories).set_index("measure")["value"]
    assert values["events_kept"] == 3 / 8
    assert values["events_kept_exactly"] == 2 / 8
    assert values["events_kept_as_category"] == 1 / 8
    assert values["information_kept"] == (1 + 1 + 0.5) / 8
    assert "information_kept" not in set(pdseqpriv.compare(released, released)["measure"])


def test_names_that_the_taxonomy_lacks():
    original = table_of(["12", "12"])
    with pytest.raises(
        SeqPrivError, match="of the 2 names of events in the release, 1 is not in the taxonomy"
    ):
        pdseqpriv.compare(original, original, taxonomy={"1": "few"})


@settings(max_examples=20)
@given(frame=tables(min_rows=4), kept=st.integers(0, 2**20 - 1), scope=st.sampled_from(["sequence", "table"]))
def test_many_rows_are_measured_some_at_a_time(frame, kept, scope):
    """A release without some rows, or the original beside itself the other way round: the numbers stay."""
    bare = frame.reset_index(drop=True)
    other = bare.iloc[[row for row in range(len(bare)) if kept >> (row % 20) & 1]]
    options = {"delta": 0.4, "events": ["a", 0], "scope": scope}
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        for pair in ((bare, other), (other, bare)):
            whole = pdseqpriv.compare(*pair, **options)
            patch.setattr(sanitization_measures, "_MANY", 3)
            pd.testing.assert_frame_equal(pdseqpriv.compare(*pair, **options), whole)
            patch.undo()
