"""Pipelines: building, orders that are refused, what comes out, keys, records, functions of the user's."""

from __future__ import annotations

import warnings

import dask.dataframe as dd
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pdseqpriv
from pdseqpriv import Pipeline, PrivacyWarning, SeqPrivError, verify
from pdseqpriv.sequences.record import record_of
from tests.pipeline.test_promises import table_of

pytestmark = pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
VISITS = ["abc", "abc", "abd", "bd", "abc", "acb", "acb"]


def visits():
    return table_of(*VISITS).rename(columns={"seq_id": "user", "event": "url", "time": "ts"})


def named():
    return Pipeline(seq_id="user", event="url", time="ts")


def test_the_example_of_a_user():
    recipe = named().hide(["a -> c"], max_support=2).k_anonymize(2, guarantee="identical", seed=1)
    result = recipe.run(visits())
    bound = visits().seqpriv.using(seq_id="user", event="url", time="ts")
    hidden = bound.hide(["a -> c"], max_support=2)
    assert result.table.columns.tolist() == ["user", "url", "ts"]
    assert verify.is_hidden(result.table, ["a -> c"], max_support=2)
    assert verify.is_k_anonymous(hidden, result.table, 2, guarantee="identical")
    assert [(one.step, one.operation, one.check) for one in result.verdicts] == [
        (1, "hide", "is_hidden"),
        (2, "k_anonymize", "is_k_anonymous"),
    ]
    assert [step["operation"] for step in result.record["applied"]] == ["hide", "k_anonymize"]
    assert record_of(result.table) == result.record
    assert sorted(result.key["user"]) == list(range(7))
    assert repr(result).splitlines()[0] == "Result: table, key (for the owner), and 2 verdicts:"


def test_a_pipeline_does_not_change_when_a_step_is_added():
    first = named().hide(["a -> c"])
    second = first.k_anonymize(2)
    assert len(first.steps) == 1
    assert len(second.steps) == 2


def test_no_key_where_ids_stay():
    result = named().hide(["a -> c"]).sanitize(0.5, events=["b"]).run(visits())
    assert result.key is None
    assert set(result.table["user"]) <= set(range(7))


def test_operations_fit_pipe():
    df = table_of(*VISITS)
    piped = df.pipe(pdseqpriv.hide, ["a -> c"], output="drop")
    pd.testing.assert_frame_equal(piped, Pipeline().hide(["a -> c"], output="drop").run(df).table)


KINDS = {
    "pandas": (lambda df, _: df, pd.DataFrame),
    "Arrow": (lambda df, _: pa.Table.from_pandas(df, preserve_index=False), pa.Table),
    "Polars": (lambda df, _: pl.from_pandas(df), pl.DataFrame),
    "a stream": (lambda df, _: pa.Table.from_pandas(df, preserve_index=False).to_reader(), pa.Table),
    "a file": (lambda df, folder: written(df, folder / "visits.parquet"), pd.DataFrame),
    "a folder": (lambda df, folder: written(df, folder / "many").parent, pd.DataFrame),
    "Dask": (lambda df, _: dd.from_pandas(df, npartitions=3), pd.DataFrame),
    "a scanned folder": (lambda df, folder: scan(written(df, folder / "many").parent), pd.DataFrame),
    "bound": (lambda df, _: df.seqpriv.using(seq_id="user", event="url", time="ts"), pd.DataFrame),
}


def scan(path):
    return pdseqpriv.scan_parquet(path, seq_id="user", event="url", time="ts")


def written(df, path):
    if path.suffix:
        df.to_parquet(path)
        return path
    for day in range(2):
        (path / f"day={day}").mkdir(parents=True)
        df[df["user"] % 2 == day].to_parquet(path / f"day={day}" / "part.parquet")
    return path / "day=0"


@pytest.mark.parametrize(("make", "kind"), KINDS.values(), ids=KINDS)
def test_what_comes_out_is_of_the_kind_that_came_in(make, kind, tmp_path):
    recipe = named().hide(["a -> c"]).k_anonymize(2, seed=1)
    result = recipe.run(make(visits(), tmp_path))
    assert type(result.table) is kind
    assert type(result.key) is kind
    expected = recipe.run(visits())
    frames = [one.to_pandas() if kind is not pd.DataFrame else one for one in (result.table, result.key)]
    assert frames[0].astype({"url": "str"}).equals(expected.table.astype({"url": "str"}))
    assert frames[1]["released_id"].tolist() == expected.key["released_id"].tolist()


def spans(**more):
    return {"patterns": ["a -> b within 1h"], **more}


# Orders that are refused before anything is read, and what is said.
REFUSED = {
    "nothing to do": (Pipeline(), "there is no operation in it"),
    "only a function": (Pipeline().apply(len), "there is no operation in it"),
    "after generalize": (
        Pipeline().generalize(k=2).hide(["a"]),
        "step 2, hide, needs sequences, but step 1, generalize, gives a generalized table",
    ),
    "after patterns": (
        Pipeline().release_patterns(2, k=2).k_anonymize(2),
        "step 2, k_anonymize, needs sequences, but step 1, release_patterns, gives a table of patterns",
    ),
    "hide, then generalize": (
        Pipeline().hide(["a"]).generalize(k=2),
        "what step 1, hide, promises cannot be checked in what step 2, generalize, gives",
    ),
    "sanitize, then patterns": (
        Pipeline().sanitize(0.5, events=["a"]).apply(len).release_patterns(2, k=2),
        "what step 1, sanitize, promises cannot be checked in what step 3, release_patterns, gives",
    ),
    "k_anonymize, then generalize": (
        Pipeline().k_anonymize(2).generalize(k=2),
        "what step 1, k_anonymize, promises cannot be checked",
    ),
    "a window in time after positions": (
        Pipeline().k_anonymize(2).hide(**spans()),
        "step 2, hide, measures time, but step 1, k_anonymize, replaces times with positions",
    ),
    "a gap in time after positions": (
        Pipeline().k_anonymize(2).hide(["a -> b"], max_gap="2h"),
        "step 2, hide, measures time",
    ),
    "numbers that are times": (
        Pipeline().k_anonymize(2).hide(["a -> b"], max_window=3, gap_unit="time"),
        "step 2, hide, measures time",
    ),
    "pooled by time after positions": (
        Pipeline().k_anonymize(2).sanitize(0.5, events=["a"], scope="table"),
        "step 2, sanitize, measures time",
    ),
    "times that are gone": (
        Pipeline().hide(**spans()).k_anonymize(2),
        "what step 1, hide, promises about times cannot be checked after step 2, k_anonymize",
    ),
    "pooled by time, then positions": (
        Pipeline().sanitize(0.5, events=["a"], scope="person").k_anonymize(2),
        "what step 1, sanitize, promises about times cannot be checked",
    ),
    "a column that is gone": (
        Pipeline().k_anonymize(2).k_anonymize(3, keep=["age"]),
        "step 2, k_anonymize, needs the column 'age', but step 1, k_anonymize, drops it",
    ),
    "a column that is replaced": (
        Pipeline().hide(["a"], output="replace").k_anonymize(3, keep={"age": None}),
        "step 2, k_anonymize, needs the column 'age', but step 1, hide, drops it",
    ),
    "marks in a kept column": (
        Pipeline().hide(["a"]).k_anonymize(3, keep=["age"]),
        "step 2, k_anonymize, keeps columns, but step 1, hide, makes them null",
    ),
    "kept columns that are marked": (
        Pipeline().k_anonymize(3, keep=["age"]).hide(["a"]),
        "step 1, k_anonymize, keeps columns, which step 2, hide, would make null or drop",
    ),
    "other classes than compared": (
        Pipeline().k_anonymize(3, guarantee="identical", previous=[pd.DataFrame()]).k_anonymize(2),
        "promises about earlier releases cannot be checked after step 2, k_anonymize",
    ),
    "diversity across releases": (
        Pipeline().generalize(k=2, diversity=(1, 2), previous=[pd.DataFrame()]),
        "diversity cannot be checked across earlier releases",
    ),
}


@pytest.mark.parametrize("name", ["run", "dry_run"])
@pytest.mark.parametrize(("recipe", "said"), REFUSED.values(), ids=REFUSED)
def test_orders_are_refused_before_anything_is_read(recipe, said, name):
    with pytest.raises(SeqPrivError) as caught:
        getattr(recipe, name)("no-such-file.parquet")
    assert str(caught.value).startswith(f"Pipeline.{name}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Pipeline().hide(["a"], max_suport=2),
            r"Pipeline\.hide: there is no parameter 'max_suport'; it",
        ),
        (
            lambda: Pipeline().k_anonymize(2, with_key=True),
            r"Pipeline\.k_anonymize: with_key must be left out",
        ),
        (lambda: Pipeline().hide(), r"Pipeline\.hide: the parameters do not fit. Give patterns, and"),
        (lambda: Pipeline().hide(["a"], 2), r"Pipeline\.hide: the parameters do not fit"),
        (
            lambda: Pipeline().apply("drop"),
            r"apply: function must be a function from a table to a table, got str",
        ),
        (lambda: Pipeline(seq_id="a", event="a"), r"Pipeline: .*three different columns"),
        (lambda: Pipeline().hide(["a"]).run(3), r"must be a pandas DataFrame, got int"),
        (
            lambda: Pipeline().hide(["a"]).k_anonymize(1).run(table_of("ab")),
            r"step 2, k_anonymize: k must be an",
        ),
        (
            lambda: Pipeline().hide([]).run(table_of("ab")),
            r"patterns must be a list of patterns.* an empty list",
        ),
        (lambda: Pipeline(seq_id="usr").hide(["a"]).run(visits()), r"no column 'usr' .*'user', 'url', 'ts'"),
        (lambda: Pipeline().apply(len).hide(["a"]).run(table_of("ab")), r"step 1, .* one that returns int"),
        (
            lambda: Pipeline().apply(lambda df: df[["event"]]).hide(["a"]).run(table_of("ab")),
            r"step 1, .*the function dropped the column 'seq_id'",
        ),
    ],
)
def test_bad_steps_are_one_sentence(make, said):
    with pytest.raises(SeqPrivError, match=said):
        make()


def test_a_step_says_what_it_dropped_and_nothing_of_what_is_checked_here():
    df = table_of("adb", "cccd", "cb").assign(note="x")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Pipeline().hide(["a -[0..0]-> b"]).hide(["d"], output="drop").run(df)
    texts = [str(one.message) for one in said]
    assert texts
    assert all(text.startswith("Pipeline.run: step ") for text in texts)
    assert not [text for text in texts if "can undo" in text]
    hidden = df[["seq_id", "event", "time"]].seqpriv.hide(["a -[0..0]-> b"])
    with pytest.warns(PrivacyWarning, match="step 1, hide: this can undo what hide did"):  # not checked here
        Pipeline().hide(["d"], output="drop").run(hidden)


def test_two_releases_have_one_key_and_those_who_were_dropped_before_are_in_it():
    df = table_of("cc", "abab", "abab", "aba", "aba", "ab", "d")
    recipe = Pipeline().sanitize(0.4, events=["c", "d"]).k_anonymize(2, seed=1)
    twice = recipe.k_anonymize(2, guarantee="identical", seed=2).run(df)
    key = twice.key.set_index("seq_id")["released_id"]
    assert sorted(key.index) == list(range(7))
    assert key[[0, 6]].isna().all()  # of whom sanitize left nothing
    assert sorted(key.dropna()) == sorted(twice.table["seq_id"].unique())
    texts = twice.table.groupby("seq_id")["event"].sum()
    own = dict(enumerate(["cc", "abab", "abab", "aba", "aba", "ab", "d"]))
    assert all(own[old].startswith(texts[new]) for old, new in key.dropna().items())
    assert "group" in twice.key


def test_people_are_counted_after_new_ids():
    """Four sequences of two people: each pattern may be left with one person, in all of their sequences."""
    df = table_of("abab", "abab", "abab", "abab").assign(who=[0] * 8 + [1] * 8)
    result = Pipeline(person="who").k_anonymize(2, seed=3).hide(["a -> b"], max_support=1, seed=3).run(df)
    owner = result.key.set_index("released_id")["who"]
    left = result.table.groupby("seq_id")["event"].agg(lambda events: "ab" in "".join(events.dropna()))
    assert left.any()
    assert len({owner[one] for one in left[left].index}) == 1
    assert "who" not in result.table


def test_classes_are_compared_with_earlier_releases():
    df = table_of(*(["ab"] * 4 + ["ac"] * 4))
    first = Pipeline().k_anonymize(2, guarantee="identical", seed=1).run(df)
    again = Pipeline().k_anonymize(2, guarantee="identical", previous=[first.key], seed=2).run(df)
    assert [one.check for one in again.verdicts] == ["is_k_anonymous", "are_compatible"]
    grouped = Pipeline().generalize(k=2, previous=[first.key]).run(df)
    assert [one.check for one in grouped.verdicts] == ["is_generalized", "are_compatible"]
    assert grouped.table.columns.tolist() == ["seq_id", "group", "event", "time_from", "time_to"]


def test_a_function_that_changes_ids_is_refused_where_a_key_is_needed():
    df = table_of(*VISITS)
    with pytest.raises(SeqPrivError, match="a function changed the ids"):
        Pipeline().apply(lambda df: df.assign(seq_id=df["seq_id"] + 100)).k_anonymize(2).run(df)
    with pytest.raises(SeqPrivError, match="the key must name"):
        Pipeline().k_anonymize(2).apply(lambda df: df.assign(seq_id=df["seq_id"] + 100)).run(df)


def test_a_function_gets_a_copy_and_the_record_stays():
    def spoil(df):
        df["time"] = df["time"] + 1
        return df

    df = table_of(*VISITS)
    result = Pipeline().hide(["a -> c"]).apply(spoil).run(df)
    assert result.table["time"].min() == 1
    assert df["time"].min() == 0
    assert [step["operation"] for step in result.record["applied"]] == ["hide"]
    assert record_of(result.table) == result.record


def test_columns_that_a_function_adds_do_not_tell_equal_records_apart():
    df = table_of(*["ab"] * 4)
    recipe = Pipeline().k_anonymize(2, guarantee="identical")
    assert recipe.apply(lambda df: df.assign(site="north")).run(df).verdicts
    with pytest.raises(pdseqpriv.ViolatedError, match="step 1, k_anonymize"):
        recipe.apply(lambda df: df.assign(who=df["seq_id"])).run(df)


def test_what_repairs_is_not_in_the_record():
    df = table_of("adb", "cccd", "cb")
    result = Pipeline().hide(["a -[0..0]-> b"]).hide(["d"], output="drop").run(df)
    assert [step["parameters"]["output"] for step in result.record["applied"]] == ["mark", "drop"]
    assert record_of(result.table) == result.record


def test_patterns_can_be_released():
    result = Pipeline().release_patterns(2, k=2).run(table_of(*VISITS))
    assert verify.are_patterns_safe(result.table, k=2)
    assert [one.check for one in result.verdicts] == ["are_patterns_safe"]


def test_a_dry_run_tells_no_secret_and_reads_no_rows(tmp_path):
    df = visits().assign(age=30)
    recipe = named().hide(["a -> c", "b"], max_support=2, seed=5).k_anonymize(2)
    told = ["1. hide(patterns=2 given, max_support=2, seed=given)", "2. k_anonymize(k=2)"]
    told.append("on 20 rows; columns read: 'user', 'url', 'ts'")
    assert repr(recipe.dry_run(df)) == "\n".join(told)
    assert named().hide(["a"]).dry_run(df).columns == ("user", "url", "ts", "age")
    keeping = named().apply(len).k_anonymize(2, keep=["age"])
    assert keeping.dry_run(df).columns == ("user", "url", "ts", "age")
    assert named().generalize(k=2).dry_run(df).columns == ("user", "url", "ts")
    folder = KINDS["a folder"][0](df, tmp_path)
    dry = named().hide("a -> c -> b", output="replace").dry_run(folder)
    assert (dry.steps, dry.rows, dry.columns) == (
        ("hide(patterns=given, output='replace')",),
        20,
        ("user", "url", "ts"),
    )
    with pytest.raises(SeqPrivError, match=r"no column 'seq_id'.*'user', 'url', 'ts', 'age', 'day'"):
        Pipeline().hide(["a"]).dry_run(folder)


def test_a_dry_run_knows_what_a_file_remembers(tmp_path):
    path = tmp_path / "visits.parquet"
    pdseqpriv.write_parquet(visits().seqpriv.using(seq_id="user", event="url", time="ts"), path)
    assert Pipeline().k_anonymize(2).dry_run(path).columns == ("user", "url", "ts")
    assert Pipeline().k_anonymize(2).run(path).table.columns.tolist() == ["user", "url", "ts"]


def test_events_that_do_not_occur_today_are_no_failure():
    recipe = Pipeline().hide(["x -> y"]).sanitize(0.5, events=["z"])
    result = recipe.run(table_of(*VISITS))
    assert [bool(one.verdict) for one in result.verdicts] == [True, True]
    assert len(result.table) == sum(map(len, VISITS))


def test_times_since_the_start_are_checked_as_such():
    table = table_of(*VISITS).assign(time=lambda rows: rows["time"] + 100 * rows["seq_id"])
    (checked,) = Pipeline().generalize(k=3, time="since_start").run(table).verdicts
    assert checked.verdict
    assert "holds" in str(checked)


def test_intervals_that_overlap_are_checked_as_such(tmp_path):
    rows = [(one, event, time) for one in range(6) for event, time in (("a", one), ("b", 6 - one))]
    table = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    pipeline = Pipeline().generalize(k=3, intervals="by_category")
    pipeline.save(tmp_path / "recipe.toml")
    for one in (pipeline, Pipeline.load(tmp_path / "recipe.toml")):
        result = one.run(table)
        assert result.verdicts[0].verdict
        assert set(result.table["event"]) == {"a", "b"}
        assert not verify.is_generalized(table, result.table, result.key, k=3)


def test_warnings_of_a_step_point_to_the_line_that_runs_the_pipeline():
    table = pd.DataFrame({"seq_id": [1, 2], "event": "a", "time": 1, "age": [30, 40]})
    with pytest.warns(PrivacyWarning, match="step 1, k_anonymize: dropped 'age'") as said:
        pdseqpriv.Pipeline().k_anonymize(2).run(table)
    assert said[0].filename == __file__
