"""What workers that get batches of Arrow send back: answers, errors in one sentence, rows of their types."""

from __future__ import annotations

import functools
import operator

import pandas as pd
import pyarrow as pa
import pytest

from pdseqpriv import SeqPrivError
from pdseqpriv.engines import arrow_tasks
from pdseqpriv.engines.arrow_tasks import Reader, Writer, packed
from pdseqpriv.engines.part_tasks import Task
from pdseqpriv.engines.spark_errors import words_for
from pdseqpriv.errors import refusal
from pdseqpriv.sequences.columns import USUAL

TABLE = pa.table({"seq_id": ["x", "x", "y"], "event": ["a", None, "b"], "time": [1, 2, 3]})
READER = Reader(TABLE.schema, USUAL)


def summed(part):
    return int(part["time"].sum())


def refused(part):
    raise refusal(f"there are {len(part)} rows.")


def answers(*batches):
    return [answer for batch in batches for answer in arrow_tasks.answers_in(batch)]


def test_batches_are_one_part_whatever_their_columns_are_called():
    batches = TABLE.rename_columns(["0", "1", "2"]).to_batches(max_chunksize=1)
    assert [one.value() for one in answers(*arrow_tasks.answered(READER, summed, packed(batches)))] == [6]
    assert list(READER.frame_of(batches).columns) == ["seq_id", "event", "time"]
    assert not len(READER.frame_of([]))


def test_errors_come_back_as_their_words():
    (answer,) = answers(*arrow_tasks.answered(READER, refused, packed(TABLE.to_batches())))
    with pytest.raises(SeqPrivError, match="there are 3 rows") as caught:
        answer.value()
    assert caught.value.__dict__ == {}


def test_answers_are_merged_until_one_is_an_error():
    each = TABLE.to_batches(max_chunksize=1)
    parts = [next(arrow_tasks.answered(READER, summed, packed([one]))) for one in each]
    task = Task("describe")
    assert [one.value() for one in answers(*arrow_tasks.merged_answers(task, operator.add, parts))] == [6]
    alone = answers(*arrow_tasks.merged_answers(task, operator.add, parts[:1]))
    assert [one.value() for one in alone] == [1]
    parts[1] = next(arrow_tasks.answered(READER, refused, packed(TABLE.to_batches())))
    for some in (parts, parts[1:2]):
        (answer,) = answers(*arrow_tasks.merged_answers(task, operator.add, some))
        with pytest.raises(SeqPrivError, match="there are 3 rows"):
            answer.value()


@pytest.mark.parametrize(("size", "expected"), [(1, 3), (10**6, 1)])
def test_packs_are_small_and_hold_every_row(size, expected, monkeypatch):
    monkeypatch.setattr(arrow_tasks, "_PACK", size)
    packs = list(packed(TABLE.to_batches(max_chunksize=1)))
    assert sum(pack.num_rows for pack in packs) == expected
    assert pa.Table.from_batches(arrow_tasks.unpacked(packs)).equals(TABLE)
    assert not list(packed([]))


def test_rows_are_counted_by_the_partition_that_they_came_from():
    places = TABLE.append_column("place", pa.array([0, 5 << 33, (5 << 33) + 1])).to_batches()
    ((partitions, counts),) = (
        one.value() for one in answers(*arrow_tasks.counted_places(33, packed(places)))
    )
    assert (partitions.tolist(), counts.tolist()) == ([0, 5], [1, 2])
    ((partitions, _),) = (one.value() for one in answers(*arrow_tasks.counted_places(33, packed([]))))
    assert not partitions.size


def test_modules_are_left_out_of_the_search_for_garbage_once(monkeypatch):
    frozen = []
    monkeypatch.setattr(arrow_tasks.gc, "freeze", lambda: frozen.append(True))
    for _ in range(2):
        given = packed(TABLE.to_batches())
        assert [one.value() for one in answers(*arrow_tasks.on_a_worker(partial_sum(), given))] == [6]
    assert frozen == [True]


def partial_sum():
    return functools.partial(arrow_tasks.answered, READER, summed)


def test_rows_go_back_with_the_types_that_they_had():
    schema = pa.schema([("seq_id", pa.string()), ("event", pa.string()), ("time", pa.int64())])
    writer = Writer(READER.origin(), schema)
    frame = pd.DataFrame({"seq_id": ["x"], "event": pd.Categorical(["a"]), "time": [1]})
    frame.attrs["owner"] = "Dr Jones"
    (batch,) = writer.batches_of(frame)
    assert batch.schema == schema
    assert not batch.schema.metadata


def test_parts_are_known_by_their_number():
    seen = {}
    sent = list(arrow_tasks.with_number(READER, seen.__setitem__, lambda: 7, TABLE.to_batches()))
    assert {number: len(part) for number, part in seen.items()} == {7: 3}
    assert len(answers(*sent)) == 1
    nothing = TABLE.slice(0, 0).to_batches()
    assert not list(arrow_tasks.with_number(READER, lambda *_: None, lambda: 7, nothing))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9", "run another Python"),
        ('Cannot run program "/no/python": error=2', "found no Python to start"),
        ("ModuleNotFoundError: No module named 'pdseqpriv'", "have no pdseqpriv, or not all"),
        ("ModuleNotFoundError: No module named 'pyarrow'", "have no pdseqpriv, or not all"),
        ("is bigger than spark.driver.maxResultSize (1024.0 MiB)", "Raise it if there is memory"),
        ("Checkpoint block rdd_3_1 not found!", "Call the function again"),
        ("Python worker exited unexpectedly (crashed)", "raise spark.sql.shuffle.partitions"),
        ("[UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION] VariantType()", "Cast it, or drop it"),
        ("the doctor of person 7", "Spark could not compute the table (RuntimeError)"),
    ],
)
def test_what_spark_says_is_said_in_words_that_help(said, words):
    found = words_for(RuntimeError(said))
    assert words in found
    assert "person" not in found
