"""Data frames of Dask: lazy releases, whole sequences, odd columns, workers that fail."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
import warnings

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError
from pdseqpriv.engines import dask_frames, elsewhere, on_workers
from pdseqpriv.k_anonymity import walks
from tests.engines.people import ABOUT_PEOPLE, in_their_order, people_in_one_part, shared_visits


def visits(people=12):
    rows = [(f"person {n}", "abc"[(n + t) % 3], t) for t in range(4) for n in range(people)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def as_dask(frame, parts=3):
    return dd.from_pandas(frame, npartitions=parts, sort=False)


@pytest.fixture(autouse=True)
def plain_dask():
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        yield


def in_order(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)


def test_releases_are_lazy_and_plans_are_made_when_called(monkeypatch):
    called = []
    computed = dask_frames.computed
    monkeypatch.setattr(dask_frames, "computed", lambda tasks: called.append(len(tasks)) or computed(tasks))
    released = as_dask(visits()).seqpriv.hide(["a -> b"])
    assert isinstance(released, dd.DataFrame)
    assert called == [1]  # one summary of the whole table
    pd.testing.assert_frame_equal(in_order(released.compute()), in_order(visits().seqpriv.hide(["a -> b"])))


# Calls after which nothing is left, and how often the parts are looked at: once more than for the plan.
NOTHING_LEFT = {
    "hide": (lambda table: pdseqpriv.hide(table, ["a", "b", "c"], output="drop"), 2),
    "sanitize": (lambda table: pdseqpriv.sanitize(table, 0.01, events=list("abc")), 2),
    "sanitize, pooled": (lambda table: pdseqpriv.sanitize(table, 0.01, events=list("abc"), scope="table"), 3),
}


@pytest.mark.parametrize("name", NOTHING_LEFT)
def test_that_nothing_will_be_left_is_said_at_once(monkeypatch, name):
    call, looks = NOTHING_LEFT[name]
    with pytest.warns(PrivacyWarning, match=r"every row was d\w+; the release is empty") as here:
        assert call(visits()).empty
    with pytest.warns(PrivacyWarning) as there:
        lazy = call(as_dask(visits()))
    assert [str(one.message) for one in there] == [str(one.message) for one in here]
    assert lazy.compute().empty
    called = []
    computed = dask_frames.computed
    monkeypatch.setattr(dask_frames, "computed", lambda tasks: called.append(len(tasks)) or computed(tasks))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = pd.concat((visits(), pd.DataFrame({"seq_id": ["person 0"], "event": "d", "time": 9})))
        call(as_dask(other.reset_index(drop=True)))  # d stays, so nobody need look
    assert len(called) == looks - 1


def test_that_no_number_will_be_left_is_said_of_its_digits():
    numbers = visits().assign(event=visits()["event"].map(ord))
    with pytest.warns(PrivacyWarning, match="every row was dropped"):
        pdseqpriv.hide(as_dask(numbers), [[str(ord(event))] for event in "abc"], output="drop")


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_schedulers_do_not_matter(scheduler):
    with dask.config.set(scheduler=scheduler):
        released = pdseqpriv.sanitize(as_dask(visits()), 0.4, events=["a"]).compute()
    expected = pdseqpriv.sanitize(visits(), 0.4, events=["a"])
    assert len(expected) < 48
    pd.testing.assert_frame_equal(in_order(released), in_order(expected))


def test_whole_sequences_need_no_moves_and_are_checked():
    together = visits().sort_values("seq_id", kind="stable", ignore_index=True)
    bound = pdseqpriv.using(as_dask(together), whole_sequences=True)
    expected = visits().seqpriv.hide(["a -> b"])
    pd.testing.assert_frame_equal(in_order(bound.hide(["a -> b"]).compute()), in_order(expected))
    graph = bound.hide(["a -> b"]).optimize().__dask_graph__()
    assert not any("shuffle" in str(key) for key in graph)
    split = pdseqpriv.using(as_dask(visits()), whole_sequences=True)
    with pytest.raises(SeqPrivError, match="12 sequences are in several parts of the table"):
        split.hide(["a -> b"])
    with pytest.raises(SeqPrivError, match="whole_sequences must be left out"):
        pdseqpriv.using(visits(), whole_sequences=True).hide(["a -> b"])


def test_known_divisions_need_no_moves_and_are_checked():
    together = visits().sort_values("seq_id", kind="stable").set_index("seq_id", drop=False)
    indexed = dd.from_pandas(together, npartitions=3)
    assert indexed.known_divisions
    released = indexed.seqpriv.hide(["a -> b"])
    pd.testing.assert_frame_equal(in_order(released.compute()), in_order(visits().seqpriv.hide(["a -> b"])))
    moves = [
        any("shuffle" in str(key) for key in one.optimize().__dask_graph__())
        for one in (released, as_dask(visits()).seqpriv.hide(["a -> b"]))
    ]
    assert moves == [False, True]
    wrong = indexed.assign(seq_id=indexed["event"])
    with pytest.raises(SeqPrivError, match="3 sequences are in several parts of the table"):
        wrong.seqpriv.describe()


@pytest.mark.parametrize("name", ["P2PConsistencyError", "KilledWorker", "P2POutOfDiskError"])
def test_workers_that_are_lost_are_said_to_need_memory(monkeypatch, name):
    def lost(*_):
        raise type(name, (RuntimeError,), {})("person 7 was being moved")

    monkeypatch.setattr(dask, "compute", lost)
    with pytest.raises(SeqPrivError, match="as a rule because they have too little memory") as caught:
        pdseqpriv.describe(as_dask(visits()))
    assert "person" not in str(caught.value)


def test_people_in_several_partitions_are_refused():
    together = visits().sort_values("seq_id", kind="stable", ignore_index=True)
    together["who"] = (
        together["seq_id"].str.split().str[1].astype(int) % 6
    )  # each has two sequences, far apart
    bound = pdseqpriv.using(as_dask(together), whole_sequences=True, person="who")
    with pytest.raises(SeqPrivError, match="6 people are in several parts of the table"):
        bound.describe()
    moved = pdseqpriv.using(as_dask(together), person="who").describe()
    assert moved["people"] == together.seqpriv.using(person="who").describe()["people"] == 6


def test_a_sequence_of_two_people_is_found_wherever_it_is():
    frame = visits().assign(who=[n % 5 for n in range(48)])
    with pytest.raises(SeqPrivError, match="12 sequences belong to several people"):
        pdseqpriv.using(as_dask(frame), person="who").describe()
    with pytest.raises(SeqPrivError, match="belong to several people"):
        pdseqpriv.using(as_dask(frame), person="who", whole_sequences=True).describe()


def test_attributes_and_labels_of_the_input_do_not_come_along():
    frame = visits().set_axis([f"label {n}" for n in range(48)])
    frame.attrs["owner"] = "Dr Jones"
    released = as_dask(frame).seqpriv.hide(["a -> b"]).compute()
    assert not released.attrs
    assert not any("label" in str(label) for label in released.index)


def test_categories_that_differ_between_parts_become_values():
    parts = [visits().iloc[rows].astype({"event": "category"}) for rows in (slice(0, 5), slice(5, None))]
    table = dd.from_map(lambda number: parts[number], range(2), meta=parts[0].iloc[:0])
    released = table.seqpriv.hide(["a -> b"], output="drop").compute()
    expected = visits().seqpriv.hide(["a -> b"], output="drop")
    pd.testing.assert_frame_equal(in_order(released), in_order(expected))


def of_partitions(*parts):
    """Give a table whose partitions need not be of the types that it says, which are those of the first."""
    return dd.from_map(lambda number: parts[number], range(len(parts)), meta=parts[0].iloc[:0])


def test_dictionaries_of_arrow_become_their_values_of_the_same_type():
    packed = {name: pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())) for name in ("seq_id", "event")}
    released = as_dask(visits().astype(packed)).seqpriv.hide(["a -> b"], max_support=3).compute()
    expected = visits().seqpriv.hide(["a -> b"], max_support=3)
    pd.testing.assert_frame_equal(in_order(released), in_order(expected))


def on_the_clock(frame, unit, zone=None):
    times = pd.Timestamp("2024-05-01", tz=zone) + pd.to_timedelta(frame["time"], "h")
    return frame.assign(time=times.dt.as_unit(unit))


ABOUT_TIMES = {
    "describe": pdseqpriv.describe,
    "find": lambda table: pdseqpriv.find(table, ["a -> b"]),
    "generalize": lambda table: pdseqpriv.generalize(table, k=2, seed=1),
    "hide": lambda table: pdseqpriv.hide(table, ["a -> b"], max_gap="90min"),
    "is_sanitized": lambda table: pdseqpriv.verify.is_sanitized(table, 0.4, events=["a"], scope="table"),
    "risk": lambda table: pdseqpriv.risk(table, 1, with_time=True),
    "sanitize": lambda table: pdseqpriv.sanitize(table, 0.4, events=["a"], scope="table"),
}


@pytest.mark.parametrize("name", ABOUT_TIMES)
@pytest.mark.parametrize("moves", [True, False])
def test_times_are_the_same_moments_in_whichever_unit_a_partition_has_them(name, moves):
    """Also where partitions stay as they are, as with whole sequences, and one of no rows has no types."""
    rows = visits(6).sort_values("seq_id", kind="stable", ignore_index=True)
    parts = [on_the_clock(rows[:12], "ns"), on_the_clock(rows[12:], "s")]
    table = of_partitions(*parts, parts[0].iloc[:0].astype(object))
    told = [
        ABOUT_TIMES[name](one)
        for one in (on_the_clock(rows, "ns"), table if moves else table.seqpriv.using(whole_sequences=True))
    ]
    expected, found = (one.compute() if hasattr(one, "npartitions") else one for one in told)
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(in_order(found), in_order(expected), check_dtype=False)
    else:
        assert str(found) == str(expected)


IN_SECONDS, IN_ROME = (
    (lambda rows: on_the_clock(rows, "s")),
    (lambda rows: on_the_clock(rows, "s", "Europe/Rome")),
)
# What the first partition has, as the table says, and another one.
OF_TWO_TYPES = {
    "finer": (IN_SECONDS, lambda rows: on_the_clock(rows, "ns").assign(time=pd.Timestamp(1))),
    "with a zone": (IN_SECONDS, IN_ROME),
    "without a zone": (IN_ROME, IN_SECONDS),
    "numbers": (IN_SECONDS, lambda rows: rows),
    "no numbers": (lambda rows: rows, IN_SECONDS),
}


@pytest.mark.parametrize("name", OF_TWO_TYPES)
@pytest.mark.parametrize("call", ["find", "sanitize"])
def test_times_of_another_type_than_the_table_says_are_refused(name, call):
    rows = visits(6).sort_values("seq_id", kind="stable", ignore_index=True)
    first, second = OF_TWO_TYPES[name]
    table = of_partitions(first(rows[:12]), second(rows[12:]))
    with pytest.raises(
        SeqPrivError, match=rf"^{call}: (some partitions have times of another type|column 'time')"
    ):
        ABOUT_TIMES[call](table.seqpriv.using(whole_sequences=True))


# Columns whose nulls Dask does not know of: their types, and that of a partition with nulls.
NULLS_UNSAID = {
    "float64": ("int64", "float64", "Int64"),
    "Int64": ("int64", "Int64", "Int64"),
    "uint8": ("uint8", "float64", "UInt8"),
    "object": ("bool", "object", "boolean"),
}


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("output", ["mark", "drop"])
@pytest.mark.parametrize("name", NULLS_UNSAID)
def test_nulls_that_only_some_partitions_have_stay_nulls(tmp_path, name, moves, output):
    said, there, expected_type = NULLS_UNSAID[name]
    rows = visits(6).sort_values("seq_id", kind="stable", ignore_index=True)
    rows["note"] = (rows.index % 2 == 0).astype(said)
    expected = rows.assign(note=rows["note"].astype(expected_type).mask(rows.index == 23))
    parts = [rows[:12], rows[12:].assign(note=rows["note"][12:].astype(there).mask(rows.index[12:] == 23))]
    table = of_partitions(*parts)
    assert table.dtypes["note"] == said
    table = table.seqpriv if moves else table.seqpriv.using(whole_sequences=True)
    released = table.hide(["a -> b"], output=output)
    expected = expected.seqpriv.hide(["a -> b"], output=output)
    assert expected["note"].isna().any()
    pd.testing.assert_frame_equal(in_order(released.compute()), in_order(expected))
    pdseqpriv.write_parquet(released, tmp_path / "released")
    read = pdseqpriv.read_parquet(tmp_path / "released").astype(expected.dtypes)
    pd.testing.assert_frame_equal(in_order(read), in_order(expected))
    again = released.seqpriv.hide(["b -> c"], output=output).compute()
    pd.testing.assert_frame_equal(
        in_order(again), in_order(expected.seqpriv.hide(["b -> c"], output=output)), check_dtype=False
    )


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("values", [[0.5, 1.5], ["x", None]])
def test_values_that_are_not_of_the_type_that_the_table_says_are_refused(values):
    """They were cut off, or quoted."""
    rows = visits(6).assign(note=0)
    table = of_partitions(rows[:12], rows[12:].assign(note=values * 6))
    with pytest.raises(
        SeqPrivError, match=r"^hide: column 'note' must be of the type that ddf.dtypes says, int64"
    ):
        table.seqpriv.hide(["a -> b"], output="drop")


# Three people of whom one has a low number: some part has only that one, and another one nobody.
HIGH = pd.DataFrame(
    {
        "seq_id": np.array([0, 0, 2, 2, 2**63 + 3, 2**63 + 3, 2**63 + 5, 2**63 + 5], np.uint64),
        "event": list("abababab"),
        "time": [0, 1] * 4,
    }
)


@pytest.mark.parametrize("parts", [2, 3, 5, 8])
@pytest.mark.parametrize("column", ["seq_id", "person"])
def test_high_numbers_without_a_sign_stay_what_they_are(parts, column):
    frame = HIGH.assign(person=HIGH["seq_id"])
    table, local = (one.seqpriv.using(person="person") for one in (as_dask(frame, parts), frame))
    if column == "seq_id":
        table, local = as_dask(HIGH, parts).seqpriv, HIGH.seqpriv
    pd.testing.assert_frame_equal(
        in_order(table.find("a -> b")), in_order(local.find("a -> b")), check_dtype=False
    )
    released = [one.hide(["a -> b"], max_support=2) for one in (table, local)]
    pd.testing.assert_frame_equal(in_order(released[0].compute()), in_order(released[1]))
    keys = [one.k_anonymize(2, with_key=True, seed=1)[1] for one in (table, local)]
    assert sorted(keys[0]["seq_id"]) == sorted(keys[1]["seq_id"]) == sorted(set(HIGH["seq_id"]))
    groups = [one.generalize(k=2, seed=1, with_key=True)[1] for one in (table, local)]
    assert sorted(groups[0]["seq_id"]) == sorted(set(HIGH["seq_id"]))
    again = [
        one.k_anonymize(2, guarantee="identical", previous=[key], with_key=True, seed=1)[1]
        for one, key in zip((table, local), groups, strict=True)
    ]
    assert sorted(again[0]["seq_id"]) == sorted(set(HIGH["seq_id"]))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("parts", [1, 2])
def test_high_numbers_that_are_categories_are_not_mixed_up_beside_nulls(parts, dtype):
    high = pd.Index([2**53, 2**53 + 1, np.iinfo(dtype).max - 1, np.iinfo(dtype).max], dtype=dtype)
    frame = pd.DataFrame({"seq_id": np.repeat(np.arange(4), 2), "time": [0, 1] * 4})
    frame["event"] = pd.Categorical.from_codes([0, -1, 1, -1, 2, -1, 3, -1], high)
    table = as_dask(frame, parts)
    assert list(in_order(pdseqpriv.mine(table, 1))["pattern"]) == [(number,) for number in high]
    left = pdseqpriv.hide(table, [[2**53]]).compute()["event"]
    assert sorted(left.dropna()) == list(high[1:])
    claimed = pd.DataFrame({"seq_id": [0, 1], "event": 2**53, "time": 0})
    assert not pdseqpriv.verify.is_k_anonymous(table, claimed, 2)


def test_high_numbers_without_a_sign_may_be_categories():
    frame = HIGH.assign(seq_id=HIGH["seq_id"].astype("category"))
    released = pdseqpriv.hide(as_dask(frame), ["a -> b"], max_support=2).compute()
    assert sorted(released["seq_id"]) == sorted(HIGH["seq_id"])


def test_partitions_may_have_whole_numbers_as_categories_of_several_types():
    kinds = ["int64", "uint8", "int16"]
    parts = [
        pd.DataFrame({"seq_id": [n], "event": pd.Categorical([7], pd.Index([7], dtype=kind)), "time": 0})
        for n, kind in enumerate(kinds)
    ]
    assert pdseqpriv.mine(of_partitions(*parts), 3)["support"].tolist() == [3]


def test_empty_partitions_and_one_id_in_half_of_the_rows_do_no_harm():
    frame = pd.concat((visits(), visits(1).iloc[np.repeat(np.arange(4), 12)].assign(time=range(48))))
    frame = frame.reset_index(drop=True)
    table = as_dask(frame, 4)
    table = dd.concat([table, table[table["time"] < 0]])
    released = table.seqpriv.hide(["a -> b"]).compute()
    pd.testing.assert_frame_equal(in_order(released), in_order(frame.seqpriv.hide(["a -> b"])))


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of Dask's own reader
def test_files_that_dask_reads_together_are_the_same_table(tmp_path):
    frame = visits(40).assign(note="x" * 50)
    for number in range(8):
        frame.iloc[number * 20 : (number + 1) * 20].to_parquet(tmp_path / f"{number}.parquet", index=False)
    table = dd.read_parquet(tmp_path)
    pd.testing.assert_frame_equal(table.seqpriv.find("a -> b"), frame.seqpriv.find("a -> b"))
    options = {"events": ["a"], "scope": "table"}
    with pytest.warns(PrivacyWarning, match="note"):
        released, expected = (one.seqpriv.sanitize(0.3, **options) for one in (table, frame))
    assert 0 < len(expected) < 160
    pd.testing.assert_frame_equal(in_order(released.compute()), in_order(expected))


def in_another_order_every_time(frame, parts=3):
    """Give a table whose partitions hold the same rows in another order each time they are computed."""

    def in_any(part):
        return part.sample(frac=1, random_state=np.random.default_rng())

    shuffled = as_dask(frame, parts).map_partitions(in_any, meta=frame.iloc[:0])
    assert not shuffled.compute().equals(shuffled.compute())
    return shuffled


OTHER_ROWS = "Dask computed other rows than those that were planned for, or gave them in another order"


def test_a_plan_that_names_rows_is_not_used_on_rows_in_another_order():
    """Of pooled times the last rows go: those that the plan has counted, and no others."""
    options = {"events": ["a"], "scope": "table"}
    released = pdseqpriv.sanitize(in_another_order_every_time(visits(30)), 0.3, **options)
    with pytest.raises(SeqPrivError, match=f"sanitize: {OTHER_ROWS}"):
        released.compute()
    kept = pdseqpriv.sanitize(in_another_order_every_time(visits(30)).persist(), 0.3, **options).compute()
    assert len(kept) < 120
    assert pdseqpriv.verify.is_sanitized(kept, 0.3, **options)


def test_ties_in_another_order_are_other_sequences():
    """Who may keep a pattern is planned: with ties in another order, others would have it."""
    table = in_another_order_every_time(visits(30).assign(time=0)).seqpriv.using(ties="order")
    with pytest.raises(SeqPrivError, match=f"hide: {OTHER_ROWS}"):
        table.hide(["a -> b"], max_support=3).compute()


def test_the_order_of_rows_does_not_matter_where_no_plan_is_about_it():
    table = in_another_order_every_time(visits(30))
    released = table.seqpriv.hide(["a -> b"], max_support=3).compute()
    expected = visits(30).seqpriv.hide(["a -> b"], max_support=3)
    pd.testing.assert_frame_equal(in_order(released), in_order(expected))


def test_rows_that_change_after_the_plan_are_refused():
    changed = []
    table = as_dask(visits()).map_partitions(
        lambda part: part.assign(event="a") if changed else part, meta=visits().iloc[:0]
    )
    released = table.seqpriv.hide(["a -> b"])
    changed.append("now")
    with pytest.raises(SeqPrivError, match=f"hide: {OTHER_ROWS}"):
        released.compute()


def changing_later(frame, change, after):
    """Give a table whose partitions are others once so many of them were computed."""
    computed = []

    def at_first(part):
        computed.append(len(part))
        return part if len(computed) <= after else change(part)

    # Dask takes functions that look alike for one another, unless they have a name.
    return as_dask(frame).map_partitions(at_first, meta=frame.iloc[:0], token=secrets.token_hex(8))


PEOPLE = pd.Series(range(12), index=[f"person {n}" for n in range(12)])
# What becomes of a table of three partitions after its plan was made of it, once.
LATER = {
    "other notes": lambda part: part.assign(note=part["note"].replace("n7", "n8")),
    "notes of other rows": lambda part: part.assign(note=part["note"].to_numpy()[::-1]),
    "fewer rows": lambda part: part.iloc[1:],
    "no rows": lambda part: part.iloc[:0],
    "half of the people": lambda part: part[part["seq_id"].map(PEOPLE) < 6],
}


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("values", ["text", "lists"])
@pytest.mark.parametrize("name", LATER)
def test_whatever_changes_after_the_plan_is_refused(name, values):
    notes = [f"n{number}" for number in range(48)]
    frame = visits().assign(note=notes if values == "text" else [[note] for note in notes])
    if values == "lists" and name == "other notes":
        change = lambda part: part.assign(note=[[*note, 1] for note in part["note"]])  # noqa: E731
    else:
        change = LATER[name]
    released = changing_later(frame, change, 3).seqpriv.hide(["a -> b"])
    with pytest.raises(SeqPrivError, match=f"hide: {OTHER_ROWS}"):
        released.compute()


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_part_that_becomes_empty_is_refused_beside_one_that_was():
    """All rows are in one of two parts; later the other one is empty, too."""
    frame = visits(1)
    later = []
    table = dd.concat([as_dask(frame, 1), as_dask(frame.iloc[:0], 1)])
    table = table.map_partitions(lambda part: part.iloc[: 0 if later else None], meta=frame.iloc[:0])
    assert len(table.partitions[1]) == 0
    released = pdseqpriv.using(table, whole_sequences=True).hide(["a -> b"])
    assert len(released.compute()) == 4
    later.append("now")
    with pytest.raises(SeqPrivError, match=f"hide: {OTHER_ROWS}"):
        released.compute()


@pytest.mark.parametrize("operation", ["k_anonymize", "generalize"])
def test_kept_columns_are_those_of_the_rows_that_are_planned_for(operation):
    frame = visits().assign(note=visits()["seq_id"].map(PEOPLE) % 2)
    options = {"k": 2, "keep": ["note"]}
    table = changing_later(frame, lambda part: part.assign(note=1 - part["note"]), 3)
    with pytest.raises(SeqPrivError, match=f"{operation}: {OTHER_ROWS}"):
        getattr(table.seqpriv, operation)(**options)
    unchanged = getattr(as_dask(frame).seqpriv, operation)(**options, seed=1).compute()
    expected = getattr(frame.seqpriv, operation)(**options, seed=1)
    pd.testing.assert_frame_equal(in_order(unchanged), in_order(expected), check_dtype=False)


@pytest.mark.parametrize("name", ABOUT_PEOPLE)
@pytest.mark.parametrize("how", ["moved", "whole", "divisions"])
def test_parts_of_a_release_do_not_say_which_sequences_are_of_one_person(tmp_path, name, how):
    """Of 40 people with three sequences, one in five parts by chance has all in one: 1.6 people."""
    frame = shared_visits()
    by_person = frame.sort_values("who", kind="stable", ignore_index=True)
    table = {
        "moved": lambda: as_dask(frame, 5),
        "whole": lambda: as_dask(by_person, 5),
        "divisions": lambda: dd.from_pandas(by_person.set_index("who", drop=False), npartitions=5),
    }[how]()
    bound = table.seqpriv.using(person="who", ties="order", whole_sequences=True if how == "whole" else None)
    pdseqpriv.write_parquet(ABOUT_PEOPLE[name](bound), tmp_path / "released")
    parts = [pd.read_parquet(file) for file in sorted((tmp_path / "released").iterdir())]
    assert len(parts) == 5
    ids = [one for part in parts for one in part["seq_id"].unique()]
    assert len(ids) == len(set(ids)) > 100
    assert people_in_one_part(parts) < 12
    assert all(part["seq_id"].is_monotonic_increasing for part in parts)


@pytest.mark.filterwarnings("ignore:.*this can undo what:pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("name", ABOUT_PEOPLE)
def test_rows_of_a_sequence_keep_their_order_where_people_are_named(name):
    """A later step reads ties in this order; the record of the first is in that of the second."""
    frame = shared_visits()
    assert frame.duplicated(["seq_id", "time"]).any()
    tables = [pdseqpriv.using(one, person="who", ties="order") for one in (frame, as_dask(frame, 5))]
    first, second = (ABOUT_PEOPLE[name](one) for one in tables)
    pd.testing.assert_frame_equal(in_their_order(second.compute()), in_their_order(first))
    then = [pdseqpriv.hide(one, ["b -> c"], max_support=30) for one in (first, second)]
    assert then[0]["event"].isna().sum() > first["event"].isna().sum()
    pd.testing.assert_frame_equal(in_their_order(then[1].compute()), in_their_order(then[0]))
    steps = [one.attrs["pdseqpriv"]["applied"] for one in then]
    assert steps[0] == steps[1]
    assert len(steps[0]) == 2


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_equal_events_with_different_notes_may_come_in_any_order():
    frame = pd.concat((visits().assign(note="x"), visits().assign(note="y")), ignore_index=True)
    released = in_another_order_every_time(frame).seqpriv.hide(["a -> b"], max_support=12).compute()
    pd.testing.assert_frame_equal(in_order(released), in_order(frame))


def test_a_release_is_written_as_a_folder_with_its_record(tmp_path):
    released = as_dask(visits()).seqpriv.hide(["a -> b"])
    pdseqpriv.write_parquet(released, tmp_path / "released")
    read = pdseqpriv.read_parquet(tmp_path / "released")
    expected = visits().seqpriv.hide(["a -> b"])
    pd.testing.assert_frame_equal(in_order(read), in_order(expected))
    assert read.attrs["pdseqpriv"]["applied"] == expected.attrs["pdseqpriv"]["applied"]
    assert [file.name for file in tmp_path.iterdir()] == ["released"]


def test_the_record_goes_along_with_the_frame_and_not_with_what_is_made_of_it():
    hidden = as_dask(visits()).seqpriv.hide(["a -> b -[0..1]-> c"])
    with pytest.warns(PrivacyWarning, match="this can undo what hide did"):
        hidden.seqpriv.sanitize(0.4, events=["a"])
    assert not getattr(hidden[hidden["time"] > 1], "attrs", {})


def test_tables_of_several_kinds_are_compared(tmp_path):
    hidden = visits().seqpriv.hide(["a -> b"])
    lazy = as_dask(visits()).seqpriv.hide(["a -> b"])
    pd.testing.assert_frame_equal(pdseqpriv.compare(visits(), lazy), pdseqpriv.compare(visits(), hidden))
    assert pdseqpriv.verify.is_hidden(lazy, ["a -> b"])
    visits().to_parquet(tmp_path / "rows.parquet", index=False)
    folder = pdseqpriv.scan_parquet(tmp_path)
    pd.testing.assert_frame_equal(pdseqpriv.compare(folder, lazy), pdseqpriv.compare(visits(), hidden))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["seq_id", "event", "event"], "must have a name of its own, which is text"),
        (["seq_id", "event", 7], "must have a name of its own, which is text"),
        (["seq_id", "event", "attrs"], "cannot be called 'attrs'"),
        (["seq_id", "event", "when"], "the table has no column 'time' for time"),
    ],
)
def test_odd_columns_are_refused(names, said):
    with pytest.raises(SeqPrivError, match=said):
        pdseqpriv.hide(as_dask(visits().set_axis(names, axis=1)), ["a"])


def test_whole_numbers_stay_numbers_where_dask_makes_text_of_objects():
    frame = visits().assign(event=visits()["event"].map({"a": 1, "b": 2, "c": 3}).astype(object))
    table = as_dask(frame)
    with dask.config.set({"dataframe.convert-string": True}):
        released = table.seqpriv.hide([[1, 2]], output="drop").compute()
        again = pdseqpriv.sanitize(table, 0.4, events=[1]).compute()
    assert 0 < len(released) < 48
    assert set(map(type, released["event"])) == set(map(type, again["event"])) == {int}
    pd.testing.assert_frame_equal(in_order(released), in_order(frame.seqpriv.hide([[1, 2]], output="drop")))


def test_errors_of_others_are_said_in_our_words():
    def fails(_):
        raise RuntimeError("person 7")

    broken = as_dask(visits()).map_partitions(fails, meta=visits().iloc[:0])
    with pytest.raises(SeqPrivError, match=r"Dask could not compute the table \(RuntimeError\)") as caught:
        pdseqpriv.describe(broken)
    assert "person" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_too_much_for_this_process_is_refused(monkeypatch):
    monkeypatch.setattr(dask_frames, "read_memory_limit", lambda _: 100)
    monkeypatch.setattr(elsewhere, "read_memory_limit", lambda _: 100)
    with pytest.raises(SeqPrivError, match="compare, in the original: all sequences are needed in memory at"):
        pdseqpriv.compare(as_dask(visits()), visits())
    with pytest.raises(SeqPrivError, match="all 48 rows are needed in memory at once"):
        pdseqpriv.write_csv(as_dask(visits()), "rows.csv")


@pytest.mark.parametrize("first", ["dask.dataframe", "pdseqpriv"])
def test_the_accessor_is_there_whoever_is_imported_first(first):
    second = {"dask.dataframe": "pdseqpriv", "pdseqpriv": "dask.dataframe"}[first]
    code = f"import {first}; import {second}; import dask.dataframe as dd; print(dd.DataFrame.seqpriv.hide)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "function hide" in done.stdout


WORKERS = """
import os, signal, sys, warnings
import dask, dask.dataframe as dd, pandas as pd, pdseqpriv
from distributed import Client, LocalCluster

def visits():
    rows = [(f"person {n}", "abc"[(n + t) % 3], t) for t in range(4) for n in range(200)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])

def in_order(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)

def killed_once(part, flag):
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return part
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    dask.config.set({"dataframe.convert-string": False})
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster):
        table = dd.from_pandas(visits(), npartitions=4)
        killing = table.map_partitions(killed_once, sys.argv[1], meta=visits().iloc[:0])
        released = killing.seqpriv.hide(["a -> b"])
        pdseqpriv.write_parquet(released, sys.argv[2])
    pd.testing.assert_frame_equal(
        in_order(pdseqpriv.read_parquet(sys.argv[2])), in_order(visits().seqpriv.hide(["a -> b"]))
    )
    print("the same")
"""

WALKS = """
import dask, dask.dataframe as dd, pandas as pd, pdseqpriv
from distributed import Client, LocalCluster
from pdseqpriv.engines import on_workers
from pdseqpriv.k_anonymity import walks

if __name__ == "__main__":
    dask.config.set({"dataframe.convert-string": False})
    walks.EVENTS, walks.EVENTS_PER_K, on_workers.AT_ONCE = 100, 0, 3
    frame = pdseqpriv.datasets.make_clickstream(150, n_pages=6, seed=1)[["seq_id", "event", "time"]]
    expected = frame.seqpriv.k_anonymize(3)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster):
        released = dd.from_pandas(frame, npartitions=4).seqpriv.k_anonymize(3).compute()
    pd.testing.assert_frame_equal(released.reset_index(drop=True), expected, check_dtype=False)
    print("the same", len(expected))
"""

SLOW = """
import os, sys, time
import dask, dask.dataframe as dd, pandas as pd, pdseqpriv
from distributed import Client, LocalCluster

def slow(part, flag):
    with open(flag, "a") as noted:
        noted.write("begun")
    time.sleep(3)
    return part

if __name__ == "__main__":
    rows = [(f"person {n}", "abc"[(n + t) % 3], t) for t in range(4) for n in range(200)]
    visits = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    dask.config.set({"dataframe.convert-string": False})
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster):
        released = dd.from_pandas(visits, npartitions=4).seqpriv.hide(["a -> b"])
        later = released.map_partitions(slow, sys.argv[1], meta=visits.iloc[:0])
        pdseqpriv.write_parquet(later, sys.argv[2])
"""


def test_workers_share_the_walks_of_a_plan(tmp_path):
    script = tmp_path / "walks.py"
    script.write_text(WALKS)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.startswith("the same"), done.stderr
    assert int(done.stdout.split()[-1]) > 100


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("guarantee", ["contained", "mutual"])
def test_a_plan_in_pieces_is_the_same(monkeypatch, scheduler, guarantee):
    monkeypatch.setattr(walks, "EVENTS", 100)
    monkeypatch.setattr(walks, "EVENTS_PER_K", 0)
    monkeypatch.setattr(on_workers, "AT_ONCE", 3)
    sizes = []
    sent = dask_frames.DaskRun._spread
    noted = lambda run, work, pieces: sizes.append(len(pieces)) or sent(run, work, pieces)  # noqa: E731
    monkeypatch.setattr(dask_frames.DaskRun, "_spread", noted)
    frame = pdseqpriv.datasets.make_clickstream(150, n_pages=6, seed=1)[["seq_id", "event", "time"]]
    with dask.config.set(scheduler=scheduler):
        released = as_dask(frame).seqpriv.k_anonymize(3, guarantee=guarantee).compute()
    expected = frame.seqpriv.k_anonymize(3, guarantee=guarantee)
    assert len(expected) > 100
    assert len(sizes) > 1
    assert max(sizes) == 3
    pd.testing.assert_frame_equal(in_order(released), in_order(expected), check_dtype=False)


def test_whoever_writes_a_folder_and_is_killed_leaves_nothing_half(tmp_path):
    script, flag, target = (tmp_path / name for name in ("slow.py", "flag", "released"))
    script.write_text(SLOW)
    with subprocess.Popen([sys.executable, script, flag, target], stderr=subprocess.DEVNULL) as process:
        for _ in range(600):
            if flag.exists():
                break
            time.sleep(0.1)
        process.kill()
    assert flag.exists()
    time.sleep(4)  # workers that are not gone yet have ended their part by now
    assert not target.exists()
    pdseqpriv.write_parquet(as_dask(visits()).seqpriv.hide(["a -> b"]), target)
    assert len(pdseqpriv.read_parquet(target)) == len(visits())
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_a_worker_that_is_killed_changes_nothing(tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    command = [sys.executable, str(script), str(tmp_path / "flag"), str(tmp_path / "released")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.endswith("the same\n"), done.stderr
    assert (tmp_path / "flag").exists()


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64"])
def test_large_numbers_as_categories_beside_nulls_are_not_rounded(kind):
    large = 2**62 + 1 if kind != "uint64" else 2**63 + 2**62 + 1
    events = pd.Categorical([large, large - 1, None, large], pd.Index([large - 1, large], dtype=kind))
    frame = pd.DataFrame({"seq_id": [1, 1, 2, 2], "event": events, "time": [1, 2, 3, 4]})
    ddf = dd.from_pandas(frame, npartitions=1)
    assert not pdseqpriv.verify.is_hidden(ddf, [[large]], max_support=1)
    released = pdseqpriv.hide(ddf, [[large]], output="drop").compute()
    assert [one for one in released["event"] if not pd.isna(one)] == [large - 1]
