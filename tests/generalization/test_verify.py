"""The check of generalized releases, and what it must refuse."""

from __future__ import annotations

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.generalization.verify import is_generalized

SITES = {"Search": ["Google", "Bing"], "Shopping": ["eBay", "Amazon"]}
MONITORED = ["Google", "Bing"]


def original():
    rows = [
        ("u", "Google", 1),
        ("u", "Google", 10),
        ("u", "Amazon", 4),
        ("v", "Bing", 2),
        ("v", "Google", 11),
        ("v", "eBay", 5),
        ("w", "Google", 1),
        ("w", "Bing", 2),
        ("w", "Google", 10),
        ("w", "eBay", 7),
        ("x", "eBay", 3),  # without a monitored event, and dropped
    ]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def released():
    shared = [("Search", 1, 2), ("Google", 10, 11)]
    own = {0: [("Amazon", 4, 4)], 1: [("eBay", 5, 5)], 2: [("eBay", 7, 7)]}
    rows = [(i, 0, *row) for i in own for row in sorted(shared + own[i], key=lambda row: row[1])]
    return pd.DataFrame(rows, columns=["seq_id", "group", "event", "time_from", "time_to"])


def key():
    return pd.DataFrame({"seq_id": list("uvwx"), "released_id": pd.array([0, 1, 2, None], dtype="Int64")})


def check(release=None, owners=None, **asked):
    release = released() if release is None else release
    asked = {"k": 3, "taxonomy": SITES, "monitored": MONITORED, **asked}
    return is_generalized(original(), release, key() if owners is None else owners, **asked)


def rules(verdict):
    return set(verdict.details["rule"])


def test_a_good_release_holds():
    verdict = check()
    assert verdict
    assert (verdict.checked, verdict.violations) == (3, 0)
    assert repr(verdict) == (
        "holds: 3 released sequences in 1 group of at least 3, and every row agrees with the original"
    )


def test_a_group_that_is_too_small():
    verdict = check(k=4)
    assert not verdict
    assert rules(verdict) == {"groups have at least 4 sequences"}


def test_a_split_group():
    release = released().assign(group=lambda frame: (frame["seq_id"] == 2).astype(int))
    assert rules(check(release)) == {"groups have at least 3 sequences"}
    assert rules(check(release, k=2)) == {"groups have at least 2 sequences"}


def test_one_exact_time_put_back():
    release = released()
    release.loc[0, ["time_from", "time_to"]] = 1
    assert rules(check(release)) == {
        "all members of a group have the same intervals",
        "intervals do not overlap",
    }


def test_one_exact_event_put_back():
    release = released()
    release.loc[0, "event"] = "Google"
    assert "all members of a group have the same intervals" in rules(check(release))


def test_a_narrower_interval_for_all():
    release = released().replace({"time_to": {11: 10}})
    assert rules(check(release)) == {
        "every monitored event lies in an interval",
        "every interval holds an event of its person",
    }


def test_a_category_that_does_not_cover():
    release = released().replace({"event": {"Search": "Bing"}})
    assert "every monitored event lies in an interval" in rules(check(release))
    release = released().replace({"event": {"Search": "Shopping"}})
    assert "every monitored event lies in an interval" in rules(check(release))
    assert check(released().replace({"event": {"Search": "ALL"}}))  # wider, but true


def test_an_unknown_label():
    release = released().replace({"event": {"Search": "somewhere"}})
    assert "every interval holds an event of its person" in rules(check(release))


def test_an_invented_interval():
    extra = pd.DataFrame({"seq_id": [0, 1, 2], "group": 0, "event": "Google", "time_from": 8, "time_to": 9})
    release = pd.concat([released(), extra], ignore_index=True)
    assert rules(check(release)) == {"every interval holds an event of its person"}


def test_an_interval_twice():
    release = pd.concat([released(), released().iloc[[0]]], ignore_index=True)
    assert "all members of a group have the same intervals" in rules(check(release))


def test_overlapping_intervals():
    release = released().replace({"time_to": {2: 10}})
    assert rules(check(release)) == {"intervals do not overlap"}


def test_a_sequence_fewer():
    verdict = check(released().query("seq_id != 2"))
    assert rules(verdict) == {
        "everyone released according to the key is in the release",
        "groups have at least 3 sequences",
    }


def test_an_invented_sequence():
    extra = released().query("seq_id == 2").assign(seq_id=3)
    release = pd.concat([released(), extra], ignore_index=True)
    assert "every sequence belongs to one person" in rules(check(release))


def test_two_people_of_one_sequence():
    owners = key().assign(released_id=pd.array([0, 1, 1, None], dtype="Int64"))
    assert "every sequence belongs to one person" in rules(check(owners=owners))


def test_a_swapped_key():
    owners = key().assign(released_id=pd.array([1, 0, 2, None], dtype="Int64"))
    assert rules(check(owners=owners)) == {"other rows are unchanged"}


def test_other_rows_that_changed():
    moved = released()
    moved.loc[moved["event"] == "Amazon", ["time_from", "time_to"]] = 5
    renamed = released().replace({"event": {"Amazon": "eBay"}})
    gone = released().query("event != 'Amazon'").reset_index(drop=True)
    blurred = released()
    blurred.loc[blurred["event"] == "Amazon", "time_to"] = 5
    for release in (moved, renamed, gone, blurred):
        assert rules(check(release)) == {"other rows are unchanged"}


def test_rows_of_one_sequence_in_two_groups():
    release = released()
    release.loc[0, "group"] = 1
    assert "every sequence is in one group" in rules(check(release))


def test_events_that_are_not_monitored_need_no_place_in_the_taxonomy():
    search = {"Search": ["Google", "Bing"]}
    assert check(taxonomy=search)
    assert not check(taxonomy=search, diversity=(2, 1.6))
    assert not check(released().replace({"event": {"Amazon": "eBay"}}), taxonomy=search)


def test_certainty_within_windows():
    # eBay: v at 5 and w at 7, of three.
    assert check(diversity=(1, 3))
    assert check(diversity=(2, 1.5))
    verdict = check(diversity=(2, 1.6))
    assert rules(verdict) == {"no sensitive event is shared by too many in a window"}
    assert not check(diversity=(float("inf"), 2))
    assert check(diversity=(2, 3), sensitive=["Amazon"])
    assert not check(diversity=(2, 3), sensitive=["Amazon", "eBay"])


def test_somebody_without_sensitive_events_is_not_alone():
    original = pd.DataFrame({"seq_id": list("xyz"), "event": list("abb"), "time": [1, 1, 2]})
    alone = pd.DataFrame({"seq_id": [0], "group": 0, "event": ["a"], "time_from": 1, "time_to": 1})
    key = pd.DataFrame({"seq_id": list("xyz"), "released_id": pd.array([0, None, None], dtype="Int64")})
    asked = {"diversity": (float("inf"), 1.5), "monitored": ["a"], "taxonomy": {"a": "ALL", "b": "ALL"}}
    assert "groups have at least l, here 2, sequences" in str(is_generalized(original, alone, key, **asked))
    assert is_generalized(original[:1], alone, key[:1], **asked)


def test_repeats_of_one_person_are_not_more_people():
    df = pd.DataFrame({"seq_id": [1, 1, 1, 2], "event": list("gsss"), "time": [0, 1, 2, 9]})
    df = pd.concat([df, pd.DataFrame({"seq_id": [2], "event": ["g"], "time": [0]})])
    release = pd.DataFrame(
        {
            "seq_id": [0, 0, 0, 1, 1],
            "group": 0,
            "event": list("gssgs"),
            "time_from": [0, 1, 2, 0, 9],
            "time_to": [0, 1, 2, 0, 9],
        }
    )
    owners = pd.DataFrame({"seq_id": [1, 2], "released_id": [0, 1]})
    assert is_generalized(df, release, owners, monitored=["g"], diversity=(6, 2))
    assert not is_generalized(df, release, owners, monitored=["g"], diversity=(7, 2))


def test_large_whole_numbers_are_told_apart():
    far = 2**60
    df = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": [far, far + 1]})
    release = pd.DataFrame({"seq_id": [0, 1], "group": 0, "event": "a", "time_from": far, "time_to": far + 1})
    owners = pd.DataFrame({"seq_id": [1, 2], "released_id": [0, 1]})
    assert is_generalized(df, release, owners, k=2)
    assert not is_generalized(df, release.assign(time_to=far), owners, k=2)


def test_datetimes_of_another_unit_and_other_names():
    df = original().assign(time=pd.to_datetime(original()["time"], unit="h").astype("datetime64[s]"))
    release = released()
    for column in ("time_from", "time_to"):
        release[column] = pd.to_datetime(release[column], unit="h").astype("datetime64[ms]")
    df = df.rename(columns={"seq_id": "user", "event": "site", "time": "at"})
    release = release.rename(columns={"seq_id": "user", "event": "site"})
    bound = df.seqpriv.using(seq_id="user", event="site", time="at")
    owners = key().rename(columns={"seq_id": "user"})
    asked = {"k": 3, "taxonomy": SITES, "monitored": MONITORED}
    assert is_generalized(bound, release, owners, diversity=("1h", 3), **asked)
    assert not is_generalized(bound, release, owners, diversity=("2h", 3), **asked)
    with pytest.raises(pdseqpriv.SeqPrivError, match="diversity must be"):
        is_generalized(bound, release, owners, diversity=(2, 3), **asked)


def test_details_show_nobody_unless_asked():
    release = released().replace({"time_to": {11: 10}})
    assert list(check(release).details.columns) == ["rule", "counts", "violations"]
    shown = check(release, reveal=True).details
    assert shown[["counts", "which"]].to_numpy().tolist() == [["person", "v"], ["sequence", 1]]


def test_what_is_wrong_with_the_input():
    cases = [
        ({"k": 1}, "k must be an int of at least 2"),
        ({"k": None}, "give k, diversity or both"),
        ({"monitored": ["google", "bing"]}, r"2 names, none of which does \('google', 'bing'\)"),
        ({"monitored": ["Search"]}, r"1 name, which does not \('Search'\)"),
        ({"sensitive": ["amazon"], "diversity": (1, 2)}, "1 name, which does not"),
        ({"diversity": (10**400, 2)}, "diversity must be"),
        ({"diversity": 3}, "diversity must be a pair"),
        ({"diversity": (1, 0.5)}, "diversity must be a pair"),
        ({"diversity": ("1h", 2)}, "got a time span, but time is a number"),
        ({"sensitive": ["Bing"], "diversity": (1, 2)}, "both monitored and sensitive"),
        ({"reveal": "yes"}, "reveal must be True or False"),
        ({"taxonomy": {"Search": ["Google"]}}, "1 monitored event of the original is not in the taxonomy"),
    ]
    for asked, words in cases:
        with pytest.raises(pdseqpriv.SeqPrivError, match=words):
            check(**asked)
    with pytest.raises(pdseqpriv.SeqPrivError, match="key must be the frame"):
        check(owners=[0, 1])
    with pytest.raises(pdseqpriv.SeqPrivError, match="name each sequence"):
        check(owners=key().iloc[:3])
    with pytest.warns(pdseqpriv.PrivacyWarning, match="1 of 3 names in monitored"):
        assert check(monitored=[*MONITORED, "bing"])
    with pytest.raises(pdseqpriv.SeqPrivError, match="it also has a column 'who'"):
        check(released().assign(who="u"))
    with pytest.raises(pdseqpriv.SeqPrivError, match="no column"):
        check(released().drop(columns="group"))
    with pytest.raises(pdseqpriv.SeqPrivError, match="datetimes and those of the other are numbers"):
        check(released().assign(time_from=pd.Timestamp(0), time_to=pd.Timestamp(0)))


def test_measures_by_hand():
    df = original().query("seq_id in ('u', 'v', 'x') and event != 'Amazon'")
    release = released().query("seq_id < 2 and event != 'Amazon'")
    owners = pd.DataFrame({"seq_id": list("uvx"), "released_id": pd.array([0, 1, None], dtype="Int64")})
    sites = {"Search": ["Google", "Bing"], "Shopping": ["eBay"]}
    asked = {"key": owners, "taxonomy": sites, "monitored": MONITORED, "window": 1}
    frame = pdseqpriv.compare(df, release, **asked).set_index("measure")
    assert set(frame["better"]) == {"lower"}
    values = frame["value"]
    assert values["sequences_lost"] == pytest.approx(1 / 3)
    # Four of the five rows of the group are in intervals of a tenth of the time.
    assert values["time_loss"] == pytest.approx(4 / 5 * 1 / 10)
    # Two of the five are in Search, which has two of three events.
    assert values["event_loss"] == pytest.approx(2 / 5 * 2 / 3)
    assert values["ncp"] == pytest.approx((values["time_loss"] + values["event_loss"]) / 2)
    # Two for Google and Bing in the hundredths 0 to 10, and for Google in 90 to 99; never truly two.
    assert values["range_query_false_positives"] == pytest.approx(32 / 300)
    # Only the dropped eBay is missed, of six queries with an answer.
    assert values["range_query_false_negatives"] == pytest.approx(1 / 6)
    # Within 1 only (Google, Google) 2, (Bing, Bing) 1, (eBay, eBay) 2; shown are 0, 0 and 1, unseen is 1/2.
    assert values["causality_divergence"] == pytest.approx(0.0541153, abs=1e-7)


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (0, 2)])
def test_the_loss_is_weighted_as_it_was_when_groups_were_formed(weights):
    asked = dict(zip(("time_weight", "event_weight"), weights, strict=True))
    release, owners = original().seqpriv.generalize(SITES, k=2, with_key=True, **asked)
    values = pdseqpriv.compare(original(), release, key=owners, taxonomy=SITES).set_index("measure")["value"]
    expected = (weights[0] * values["time_loss"] + weights[1] * values["event_loss"]) / sum(weights)
    assert values["time_loss"] != values["event_loss"]
    assert values["ncp"] == pytest.approx(expected)


def test_measures_without_a_key_and_of_a_release_that_blurs_nothing():
    df = original().query("seq_id != 'x'")
    release = df.assign(seq_id=df["seq_id"].map({"u": 0, "v": 1, "w": 2}), group=0)
    release = release.assign(time_from=release["time"], time_to=release["time"]).drop(columns="time")
    values = pdseqpriv.compare(df, release, taxonomy=SITES).set_index("measure")["value"]
    assert values.eq(0).all()
    assert "ncp" not in values.index
    with pytest.raises(pdseqpriv.SeqPrivError, match="min_support applies to two sequence tables"):
        pdseqpriv.compare(df, release, min_support=2)
    with pytest.raises(pdseqpriv.SeqPrivError, match="window must be"):
        pdseqpriv.compare(df, release, window="1h")


def test_everything_blurred_is_the_worst():
    df = original().query("seq_id != 'x'")
    release = pd.DataFrame({"seq_id": [0, 1, 2], "group": 0, "event": "ALL", "time_from": 1, "time_to": 11})
    values = pdseqpriv.compare(df, release, key=key().iloc[:3], taxonomy=SITES).set_index("measure")["value"]
    assert values["ncp"] == values["time_loss"] == values["event_loss"] == 1
    assert values["range_query_false_positives"] == 1
    assert values["range_query_false_negatives"] == 0


def table_of(times):
    df = pd.DataFrame({"seq_id": [1, 2, 1, 2], "event": ["a", "a", "s", "t"], "time": times})
    released, owners = df.seqpriv.generalize(k=2, monitored=["a"], with_key=True)
    return df, released, owners


WHOLE, DECIMAL = [0, 1, 2, 3], [0.0, 1.0, 2.5, 3.5]
DATES = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"])


@pytest.mark.parametrize("times", [WHOLE, DECIMAL, DATES], ids=["whole", "decimal", "dates"])
@pytest.mark.parametrize(
    "g",
    [
        *(0, 1, 0.5, 10**299, 10**400, -1, float("nan"), float("inf"), True, None, [1]),
        *("1h", "5", "soon", "2 time", pd.Timedelta("1D"), pd.Timedelta("-1D")),
    ],
    ids=str,
)
def test_g_is_read_as_generalize_reads_it(times, g):
    df, release, owners = table_of(times)
    said = []
    for call in (
        lambda: df.seqpriv.generalize(k=2, monitored=["a"], diversity=(g, 1)),
        lambda: is_generalized(df, release, owners, k=2, monitored=["a"], diversity=(g, 1)),
    ):
        try:
            call()
            said.append("accepted")
        except pdseqpriv.SeqPrivError as error:
            said.append(str(error).partition(": ")[2])
    assert said[0] == said[1]


@pytest.mark.parametrize("event", [7, "7", 7.0], ids=repr)
def test_events_are_found_as_generalize_finds_them(event):
    df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": [7, 9, 7, 8], "time": [0, 5, 1, 6]})
    release, owners = df.seqpriv.generalize(k=2, monitored=[event], with_key=True)
    assert is_generalized(df, release, owners, k=2, monitored=[event])


def test_a_category_is_no_sensitive_event():
    with pytest.raises(pdseqpriv.SeqPrivError, match="1 name, which does not"):
        check(diversity=(1, 2), sensitive=["Shopping"])
    with pytest.warns(pdseqpriv.PrivacyWarning, match="1 of 2 names in sensitive is not an event"):
        check(diversity=(1, 2), sensitive=["Shopping", "eBay"])


def test_the_sentence_counts_in_words():
    assert "(violated by 1 group)" in check(diversity=(2, 1.6)).sentence
    two_gone, one_gone = released().query("seq_id == 0"), released().query("seq_id != 2")
    assert "is in the release (violated by 2 people)" in check(two_gone).sentence
    assert "is in the release (violated by 1 person)" in check(one_gone).sentence


@pytest.mark.parametrize(
    "times", [(0.03, 0.32, 0.29), (0.1, 0.4, 0.3), (-0.3, 0.4, 0.7), (100.1, 100.4, 0.3)]
)
def test_the_edge_of_a_window_is_inside_for_decimals(times):
    # As for hide: 0.03 and 0.32 are 0.29 apart, whatever floats make of it.
    *moments, length = times
    df = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": list("asas"), "time": [0, moments[0], 0, moments[1]]})
    released = pd.DataFrame(
        {"seq_id": [0, 0, 1, 1], "group": 0, "event": df["event"], "time_from": df["time"]}
    )
    released["time_to"] = released["time_from"]
    key = pd.DataFrame({"seq_id": [1, 2], "released_id": [0, 1]})
    asked = {"monitored": ["a"], "sensitive": ["s"]}
    assert not is_generalized(df, released, key, diversity=(length, 2), **asked)
    assert is_generalized(df, released, key, diversity=(length - 0.01, 2), **asked)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda df: df.set_index(pd.Index(["ann", "bob"])), "its index has labels that may reveal something"),
        (lambda df: df.set_index(pd.Index([4711, 4712])), "its index has labels"),  # ids of patients
        (lambda df: df.rename_axis("ann"), "its index has labels"),
        (lambda df: df.rename_axis(columns="ann"), "its index has labels"),
        (lambda df: df.set_index(pd.MultiIndex.from_tuples([(1, 1), (2, 2)])), "its index has labels"),
        (
            lambda df: df.astype({"event": pd.CategoricalDtype(["ALL", "ann"])}),
            "'event' has 1 category that no row",
        ),
        (lambda df: df.assign(time=[1, 2]), "it also has a column 'time'"),
        (lambda df: df.assign(who=["ann", "bob"]), "it also has a column 'who'"),
    ],
)
def test_traces_beside_the_rows_are_refused(change, said):
    df = pd.DataFrame({"seq_id": [7, 8], "event": ["a", "b"], "time": [3, 5]})
    released = pd.DataFrame({"seq_id": [0, 1], "group": 0, "event": "ALL", "time_from": 3, "time_to": 5})
    key = pd.DataFrame({"seq_id": [7, 8], "released_id": [1, 0]})
    assert is_generalized(df, released, key, k=2)
    with pytest.raises(pdseqpriv.SeqPrivError, match="is_generalized, in the release: ") as caught:
        is_generalized(df, change(released), key, k=2)
    assert said in str(caught.value)
    assert "ann" not in str(caught.value)


def test_attributes_beside_the_record_are_refused():
    df = pd.DataFrame({"seq_id": [7, 8], "event": ["a", "b"], "time": [3, 5]})
    released, key = df.seqpriv.generalize(k=2, with_key=True)
    assert is_generalized(df, released, key, k=2)
    released.attrs["source"] = "ann"
    with pytest.raises(pdseqpriv.SeqPrivError, match="1 name in attrs beside the record may reveal"):
        is_generalized(df, released, key, k=2)
