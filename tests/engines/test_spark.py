"""Data frames of Spark: the answers of a table that is here, lazy releases, files, errors in our words.

``make test-spark`` runs them, in an environment of its own.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdseqpriv
from pdseqpriv import PrivacyWarning, SeqPrivError
from pdseqpriv.engines import on_workers
from pdseqpriv.engines.part_tasks import change_part
from pdseqpriv.k_anonymity import walks
from pdseqpriv.sequences.columns import USUAL
from pdseqpriv.sequences.record import ATTRIBUTE
from pdseqpriv.sequences.sequences import sequences_of
from pdseqpriv.sequences.variants import variants_of
from tests.engines import leaks
from tests.engines.every_function import CALLS, plainly
from tests.engines.people import ABOUT_PEOPLE, in_their_order, people_in_one_part, shared_visits
from tests.engines.test_same_answers import (
    COLLECTED,
    IN_PARTS,
    in_any_order,
    record_of,
    with_several_sequences,
)
from tests.strategies import with_people

pytest.importorskip("pyspark", reason="Spark is not installed: make test-spark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

DOCTOR = "Dr Jones"


@pytest.fixture(scope="module")
def spark():
    """Start a session with few and small parts; times without a zone have none in Spark, either."""
    from pyspark.sql import SparkSession

    settings_of_spark = {
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",  # which would put small parts together
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5",
        "spark.sql.codegen.wholeStage": "false",  # to compile a plan takes longer than to run it on few rows
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.session.timeZone": "Europe/Rome",
    }
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # Spark's own
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings_of_spark.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def visits(people=12):
    rows = [(f"person {n}", "abc"[(n + t) % 3], t) for t in range(4) for n in range(people)]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time"])


def as_spark(spark, frame):
    """Give a frame to Spark, in its order."""
    arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return spark.createDataFrame(arrow)


def arrow_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return table.toArrow()


def here(answer):
    if isinstance(answer, tuple):
        return tuple(map(here, answer))
    return arrow_of(answer) if hasattr(answer, "toArrow") else answer


def told(call, make):
    """Give an answer as plain values, or the refusal; the types of releases; and all warnings."""
    types, applied = {}, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = call(make)
            released = answer[0] if isinstance(answer, tuple) else answer
            if hasattr(released, "toArrow"):
                types, applied = kinds_of(here(released)), record_of(released)
            elif isinstance(released, pa.Table):
                types, applied = kinds_of(released), record_of_arrow(released)
            said = in_any_order(plainly(here(answer)))
        except SeqPrivError as error:
            said = str(error)
    words = [str(one.message) for one in caught if issubclass(one.category, PrivacyWarning)]
    return said, types, sorted(words), applied


def assert_same_answer(spark, name, frame, options):
    table = as_spark(spark, frame)
    arrow = arrow_of(table)
    made = {"local": lambda: arrow, "spark": lambda: table}
    if options:
        made = {where: (lambda one=one: pdseqpriv.using(one(), **options)) for where, one in made.items()}
    expected, answer = (told(CALLS[name], made[where]) for where in ("local", "spark"))
    assert answer[::2] == expected[::2]
    if answer[1]:  # a release
        assert answer[1] == expected[1]
        assert answer[3] == expected[3]


def kinds_of(arrow):
    """Return the types of columns; Spark knows one type of text."""
    return {
        field.name: pa.string() if pa.types.is_large_string(field.type) else field.type
        for field in arrow.schema
    }


def record_of_arrow(arrow):
    """Return what was applied, as the metadata of a table say."""
    written = (arrow.schema.metadata or {}).get(ATTRIBUTE.encode())
    return None if written is None else json.loads(written)["applied"]


def text_and_sets():
    """Make sequences of simultaneous events, some of them marked, and a column that says who is alike."""
    rows = [(f"person {n}", "abc"[(n * t + t) % 3], t // 2, "xy"[n % 2]) for t in range(5) for n in range(9)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time", "note"])
    frame.loc[[7, 20], "event"] = None
    return frame


def numbers_and_zones():
    """Make people with several sequences of numbers, at times with a zone, around a change of the clock."""
    rows = [(n, (n + t) % 3 - 1, t // 2, n % 4) for t in range(5) for n in range(9)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time", "person"]).astype({"event": "Int64"})
    frame.loc[[4, 11], "event"] = pd.NA
    clock = pd.Timestamp("2024-03-31 00:30", tz="Europe/Rome") + pd.to_timedelta(frame["time"], "h")
    return frame.assign(time=clock)


def kinds_of_columns():
    """Make dictionaries, times without a zone, and columns of all kinds that are only kept."""
    frame = visits(6).astype({"event": "category"})
    frame["time"] = pd.Timestamp("2024-05-01 12:00") + pd.to_timedelta(frame["time"], "D")
    return frame.assign(share=0.5, yes=True, day=frame["time"].dt.date, lists=[[1, 2]] * 24, small=1)


# What they show beyond the function itself, the table before has shown.
VARIANTS = (", again", ", keep", ", prefix_tree", ", identical", ", mined", ", one monitored")
SOME = ["hide, drop", "hide, replace", "generalize", "sanitize, pooled", "find"]


@pytest.mark.parametrize("name", IN_PARTS)
def test_spark_gives_the_answer_of_a_table_that_is_here(spark, name):
    assert_same_answer(spark, name, text_and_sets(), {})


@pytest.mark.parametrize("name", [name for name in IN_PARTS if not name.endswith(VARIANTS)])
def test_people_and_ties_are_the_same_on_spark(spark, name):
    assert_same_answer(spark, name, numbers_and_zones(), {"person": "person", "ties": "order"})


@pytest.mark.parametrize("name", SOME)
def test_all_kinds_of_columns_go_through(spark, name):
    assert_same_answer(spark, name, kinds_of_columns(), {"ties": "order"})


def has_types_of_spark(frame):
    return not any("uint" in str(dtype).lower() for dtype in frame.dtypes)


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(IN_PARTS),
    frame=with_people(with_several_sequences(3)).filter(has_types_of_spark),
    options=st.sampled_from([{}, {"ties": "order"}, {"person": "person"}]),
)
def test_whatever_the_table_is_spark_gives_the_same_answer(spark, name, frame, options):
    assert_same_answer(spark, name, frame.reset_index(drop=True), options)


@pytest.mark.parametrize("name", COLLECTED)
def test_rows_are_collected_where_all_are_needed(spark, name):
    assert_same_answer(spark, name, text_and_sets(), {})


def in_order(frame):
    return frame.sort_values(list(frame.columns)).reset_index(drop=True)


def pandas_of(table):
    return in_order(arrow_of(table).to_pandas())


def test_releases_are_lazy_and_plans_are_made_when_called(spark):
    from pyspark.sql import DataFrame

    released = pdseqpriv.hide(as_spark(spark, visits()), ["a -> b"])
    assert isinstance(released, DataFrame)
    pd.testing.assert_frame_equal(pandas_of(released), in_order(visits().seqpriv.hide(["a -> b"])))
    assert pdseqpriv.verify.is_hidden(released, ["a -> b"])


def test_many_parts_are_merged_on_the_workers(spark):
    spark.conf.set("spark.sql.shuffle.partitions", "17")
    try:
        answer = pdseqpriv.describe(as_spark(spark, visits()))
        with pytest.raises(SeqPrivError, match="column 'time' must be free of nulls, but 48 rows"):
            pdseqpriv.describe(as_spark(spark, visits().astype({"time": "Int64"}).assign(time=pd.NA)))
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", "2")
    pd.testing.assert_series_equal(answer, visits().seqpriv.describe())


def test_a_table_without_rows_is_as_good_as_any(spark):
    table = as_spark(spark, visits()).filter("time < 0")
    with pytest.warns(PrivacyWarning, match="every pattern names events that are not in the table"):
        released = pdseqpriv.hide(table, ["a -> b"], output="drop")
    assert arrow_of(released).num_rows == 0
    assert arrow_of(released).schema == arrow_of(table).schema


def test_rows_that_are_computed_in_another_order_every_time_are_kept(spark):
    """Of pooled times the last rows go: those that the plan has counted, and no others."""

    def in_any(batches):
        table = pa.Table.from_batches(list(batches))
        yield from table.take(np.random.default_rng().permutation(len(table))).to_batches()

    table = as_spark(spark, visits(30)).coalesce(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        shuffled = table.mapInArrow(in_any, table.schema)
    assert not arrow_of(shuffled).equals(arrow_of(shuffled))
    released = pdseqpriv.sanitize(shuffled, 0.3, events=["a"], scope="table")
    first, second = pandas_of(released), pandas_of(released)
    assert len(first) < 120
    pd.testing.assert_frame_equal(first, second)
    assert pdseqpriv.verify.is_sanitized(first, 0.3, events=["a"], scope="table")


def test_misspelt_names_do_not_pass_a_check(spark):
    for scope in ("sequence", "table"):
        with pytest.warns(PrivacyWarning, match="sanitize: 1 of 1"):
            released = pdseqpriv.sanitize(as_spark(spark, visits()), 0.3, events=["misspelt"], scope=scope)
        assert not pdseqpriv.verify.is_sanitized(released, 0.3, events=["misspelt"], scope=scope)


def test_what_is_wrong_with_a_release_is_said_in_our_words_when_it_is_written(spark, tmp_path, monkeypatch):
    from pdseqpriv.engines import spark_frames

    def broken(task, columns, apply, finish, part):
        if not len(part):
            return change_part(task, columns, apply, finish, part)
        raise SeqPrivError("hide: the release is broken.")

    monkeypatch.setattr(spark_frames, "change_part", broken)
    released = pdseqpriv.hide(as_spark(spark, visits()), ["a -> b"])
    with pytest.raises(SeqPrivError, match=r"hide: the release is broken\.") as caught:
        pdseqpriv.write_parquet(released, tmp_path / "released")
    assert "Spark could not" not in str(caught.value)


def test_times_without_a_zone_stay_without_one_whatever_the_session_prefers(spark):
    table = as_spark(spark, kinds_of_columns())
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_LTZ")
    try:
        with pytest.warns(PrivacyWarning, match="released as before"):
            released = pdseqpriv.hide(table, ["a -> b"])
    finally:
        spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    assert [field.dataType for field in released.schema] == [field.dataType for field in table.schema]


def test_a_release_is_written_as_a_folder_with_its_record(spark, tmp_path):
    released = pdseqpriv.hide(as_spark(spark, visits()), ["a -> b"])
    pdseqpriv.write_parquet(released, tmp_path / "released")
    read = pdseqpriv.read_parquet(tmp_path / "released")
    expected = visits().seqpriv.hide(["a -> b"])
    pd.testing.assert_frame_equal(in_order(read).astype(expected.dtypes), in_order(expected))
    assert read.attrs["pdseqpriv"]["applied"] == expected.attrs["pdseqpriv"]["applied"]
    assert [file.name for file in tmp_path.iterdir()] == ["released"]
    assert {file.suffix for file in (tmp_path / "released").iterdir()} == {".parquet"}


@pytest.mark.parametrize("name", ABOUT_PEOPLE)
def test_files_of_a_release_do_not_say_which_sequences_are_of_one_person(spark, tmp_path, name):
    """Of 40 people with three sequences, a quarter have all in one of two files by chance: 10 people."""
    table = pdseqpriv.using(as_spark(spark, shared_visits()), person="who", ties="order")
    pdseqpriv.write_parquet(ABOUT_PEOPLE[name](table), tmp_path / "released")
    parts = [pd.read_parquet(file) for file in sorted((tmp_path / "released").iterdir())]
    ids = [one for part in parts for one in part["seq_id"].unique()]
    assert len(parts) == 2
    assert len(ids) == len(set(ids)) > 100
    assert people_in_one_part(parts) < 25
    assert all(part["seq_id"].is_monotonic_increasing for part in parts)


@pytest.mark.filterwarnings("ignore:.*this can undo what:pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("name", ABOUT_PEOPLE)
def test_rows_of_a_sequence_keep_their_order_where_people_are_named(spark, name):
    """A later step reads ties in this order; the record of the first is in that of the second."""
    arrow = pa.Table.from_pandas(shared_visits(), preserve_index=False)
    tables = [
        pdseqpriv.using(one, person="who", ties="order") for one in (arrow, as_spark(spark, shared_visits()))
    ]
    first, second = (ABOUT_PEOPLE[name](one) for one in tables)
    then = [pdseqpriv.hide(one, ["b -> c"], max_support=30) for one in (first, second)]
    for local, there in ((first, second), (then[0], then[1])):
        expected, found = (in_their_order(one.to_pandas()) for one in (local, arrow_of(there)))
        pd.testing.assert_frame_equal(found, expected)
    assert then[0]["event"].null_count > first["event"].null_count
    steps = [record_of_arrow(then[0]), record_of(then[1])]
    assert steps[0] == steps[1]
    assert len(steps[0]) == 2


def test_nothing_that_was_removed_is_in_the_folder(spark, tmp_path):
    frame = visits().replace({"event": {"a": DOCTOR}})
    table = as_spark(spark, frame)
    pdseqpriv.write_parquet(pdseqpriv.hide(table, [f'"{DOCTOR}"']), tmp_path / "released")
    files = sorted((tmp_path / "released").iterdir())
    assert files
    tables = [pq.read_table(file) for file in files]
    assert not any(DOCTOR.encode() in raw(one) for one in tables)
    assert DOCTOR.encode() in raw(pa.Table.from_pandas(frame))


def raw(table):
    """Give all that a file says, without compression."""
    file = io.BytesIO()
    pq.write_table(table, file, compression="none", use_dictionary=False)
    return file.getvalue() + table.schema.serialize().to_pybytes()


def test_a_folder_that_cannot_be_finished_is_not_begun(spark, tmp_path):
    released = as_spark(spark, visits()).selectExpr("seq_id", "event", "if(time < 3, time, raise_error('x'))")
    with pytest.raises(SeqPrivError, match="Spark could not compute the table"):
        pdseqpriv.write_parquet(released.toDF("seq_id", "event", "time"), tmp_path / "released")
    assert not list(tmp_path.iterdir())


def test_tables_without_rows_are_written(spark, tmp_path):
    pdseqpriv.write_parquet(as_spark(spark, visits()).filter("time < 0"), tmp_path / "released")
    assert list(pdseqpriv.read_parquet(tmp_path / "released").columns) == ["seq_id", "event", "time"]


def test_errors_of_others_are_said_in_our_words(spark):
    broken = as_spark(spark, visits()).selectExpr("seq_id", "event", "raise_error(seq_id) + time as time")
    with pytest.raises(SeqPrivError, match="describe: Spark could not compute the table") as caught:
        pdseqpriv.describe(broken)
    assert "person" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_odd_columns_and_missing_ones_are_refused(spark):
    table = as_spark(spark, visits())
    with pytest.raises(SeqPrivError, match="must have a name of its own, whatever its case"):
        pdseqpriv.describe(table.toDF("seq_id", "event", "Event"))
    with pytest.raises(SeqPrivError, match="the table has no column 'time' for time"):
        pdseqpriv.describe(table.toDF("seq_id", "event", "when"))
    with pytest.raises(SeqPrivError, match="whole_sequences must be left out"):
        pdseqpriv.using(table, whole_sequences=True).describe()
    named = pdseqpriv.using(table.toDF("a.b", "`", "c d"), seq_id="a.b", event="`", time="c d")
    assert named.describe()["rows"] == 48


def test_the_record_goes_along_with_the_frame_and_not_with_what_is_made_of_it(spark):
    hidden = pdseqpriv.hide(as_spark(spark, visits()), ["a -> b -[0..1]-> c"])
    with pytest.warns(PrivacyWarning, match="this can undo what hide did"):
        pdseqpriv.sanitize(hidden, 0.4, events=["a"])
    assert not isinstance(getattr(hidden.filter("time > 1"), "attrs", None), dict)


def test_too_much_for_this_process_is_refused(spark, monkeypatch):
    from pdseqpriv.engines import elsewhere, spark_frames

    monkeypatch.setattr(spark_frames, "read_memory_limit", lambda _: 100)
    monkeypatch.setattr(elsewhere, "read_memory_limit", lambda _: 100)
    with pytest.raises(SeqPrivError, match="compare, in the original: all sequences are needed in memory at"):
        pdseqpriv.compare(as_spark(spark, visits()), visits())


def test_the_example_finds_the_same_rows(monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    example = Path(__file__).parents[2] / "examples" / "spark_frames.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("the same rows as in pandas.\n"), done.stderr


def test_a_pipeline_runs_on_it(spark):
    frame = pdseqpriv.datasets.make_clickstream(60, n_pages=5, seed=1)[["seq_id", "event", "time"]]
    recipe = pdseqpriv.Pipeline().hide([frame["event"].head(2).tolist()]).k_anonymize(3, seed=1)
    result = recipe.run(as_spark(spark, frame))
    expected = recipe.run(frame)
    assert len(expected.table) > 0
    assert all(result.verdicts)
    assert result.table.to_dict("list") == expected.table.to_dict("list")


def test_workers_share_the_walks_of_a_plan(spark, monkeypatch):
    monkeypatch.setattr(walks, "EVENTS", 100)
    monkeypatch.setattr(walks, "EVENTS_PER_K", 0)
    monkeypatch.setattr(on_workers, "AT_ONCE", 3)
    frame = pdseqpriv.datasets.make_clickstream(150, n_pages=6, seed=1)[["seq_id", "event", "time"]]
    expected = frame.seqpriv.k_anonymize(3)
    assert len(walks.cut_into_blocks(variants_of(sequences_of(frame, USUAL)), 3)[0]) > 3
    released = arrow_of(pdseqpriv.k_anonymize(as_spark(spark, frame), 3)).to_pandas()
    by_place = ["seq_id", "time"]
    assert released.sort_values(by_place).to_dict("list") == expected.to_dict("list")


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
@pytest.mark.parametrize("name", ["hide, drop", "hide, mark", "sanitize", "k_anonymize", "generalize"])
def test_nothing_that_was_removed_is_in_a_written_folder(spark, tmp_path, name):
    """Ours is compressed by the workers: its statistics, metadata and cells are looked at."""
    released = leaks.RELEASES[name](as_spark(spark, leaks.visits()))
    released.write.option("compression", "none").parquet(str(tmp_path / "of spark"))
    leaks.assert_only_what_is_released(tmp_path / "of spark", name)
    pdseqpriv.write_parquet(released, tmp_path / "ours")
    leaks.assert_only_what_is_released(tmp_path / "ours", name, is_compressed=True)
