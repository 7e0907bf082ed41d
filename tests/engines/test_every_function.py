"""What holds for every function on tables: no metadata leaks, other names do, bad tables are refused."""

from __future__ import annotations

import io
import tempfile
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pdseqpriv
from pdseqpriv import SeqPrivError
from tests.engines import every_function
from tests.engines.every_function import CALLS, told

ROWS = [(person, (person + time) % 3, time) for person in range(6) for time in range(4)]
SECRET = b"Dr Jones"
OTHER = {"seq_id": "user", "event": "url", "time": "ts"}


def visits(**changes):
    columns = {
        "seq_id": pa.array([f"person {row[0]}" for row in ROWS]),
        "event": pa.array(["abc"[row[1]] for row in ROWS]),
        "time": pa.array([row[2] for row in ROWS]),
        "note": pa.array(["old" if row[0] < 3 else "young" for row in ROWS]),
    }
    return pa.table(columns | changes)


def with_metadata():
    table = visits()
    fields = [field.with_metadata({b"who": SECRET, SECRET: b"x"}) for field in table.schema]
    return table.cast(pa.schema(fields, metadata={b"owner": SECRET, b"pandas": b"{}", SECRET: b"x"}))


def bytes_of(answer):
    """Give all that somebody sees who gets an answer, with what Parquet would write of it."""
    if isinstance(answer, tuple):
        return b"".join(map(bytes_of, answer))
    if isinstance(answer, pa.Table):
        file = io.BytesIO()
        pq.write_table(answer, file, compression="none")
        return answer.schema.serialize().to_pybytes() + file.getvalue()
    return answer if isinstance(answer, bytes) else f"{answer} {getattr(answer, 'attrs', None)}".encode()


def written(table, name):
    """Write a table, and give the bytes of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{name}"
        getattr(pdseqpriv, f"write_{name}")(table, path)
        return path.read_bytes()


# These times are numbers, which XES has not; its own tests look for metadata.
@pytest.mark.parametrize("name", [name for name in CALLS if name != "write_xes"])
def test_no_metadata_of_the_input_is_in_the_answer(monkeypatch, name):
    monkeypatch.setattr(every_function, "_written", written)
    assert SECRET in bytes_of(with_metadata())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        answer = CALLS[name](with_metadata)
    assert SECRET not in bytes_of(answer)


def written_with_names(table, name):
    """Write a table whose columns are to be named, and read it under these names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{name}"
        bound = table if "support" in getattr(table, "column_names", []) else pdseqpriv.using(table, **OTHER)
        getattr(pdseqpriv, f"write_{name}")(bound, path)
        return getattr(pdseqpriv, f"read_{name}")(path, **(OTHER if name == "csv" else {}))


@pytest.mark.parametrize("name", CALLS)
def test_other_names_give_the_same_answer(monkeypatch, name):
    expected = told(CALLS[name], visits)
    monkeypatch.setattr(every_function, "_written", written_with_names)
    renamed = visits().rename_columns([*OTHER.values(), "note"])
    answer = told(CALLS[name], lambda: pdseqpriv.using(renamed, **OTHER))
    assert usual(answer) == expected


def usual(answer):
    """Put the usual names into the place of the others."""
    if isinstance(answer, tuple) and answer and isinstance(answer[0], str):  # a verdict, with its details
        return (*answer[:-1], usual(answer[-1]))
    if isinstance(answer, tuple) and answer and isinstance(answer[0], tuple):
        return tuple(map(usual, answer))
    if isinstance(answer, tuple):
        names = {other: name for name, other in OTHER.items()}
        return [names.get(name, name) for name in answer[0]], answer[1]
    return answer


def read_already():
    stream = visits().to_reader()
    stream.read_all()
    return stream


def stamps(first, last):
    return visits(time=pa.array([first] * 23 + [last]).cast(pa.timestamp("s")))


def no_text(size):
    """Make text of bytes that are none."""
    data, ends = pa.py_buffer(b"7777\xff" * size), np.arange(0, 5 * size + 1, 5, dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), size, [None, pa.py_buffer(ends), data])


class NoText:
    """What only Python knows."""

    def __repr__(self):
        return "deep 7777"


# How a bad table is made, and what every function says of it.
BAD = {
    "a lazy table": (lambda: pl.from_arrow(visits()).lazy(), "Collect it first: table.collect()."),
    "a stream that was read": (read_already, "the stream has no rows: it is empty, or was read already."),
    "an empty stream": (lambda: visits().slice(0, 0).to_reader(), "the stream has no rows: it is empty"),
    "times too far apart": (
        lambda: stamps(1 - 2**63, 2**63 - 1),
        "column 'time' must be within a span of 64 bits",
    ),
    "times beyond 64 bits": (
        lambda: visits(time=pa.array([2**64 - 77] * 24, pa.uint64())),
        "column 'time' must be within the range of signed 64 bits",
    ),
    "decimal times": (
        lambda: visits(time=pa.array([7777] * 24).cast(pa.decimal128(21, 2))),
        "but its type is decimal128(21, 2)[pyarrow].",
    ),
    "decimal events": (
        lambda: visits(event=pa.array([7777] * 24).cast(pa.decimal128(21, 2))),
        "but its type is decimal128(21, 2)[pyarrow].",
    ),
    "nested events": (lambda: visits(event=pa.array([["deep 7777"]] * 24)), "but it holds lists."),
    "nested ids": (
        lambda: visits(seq_id=pa.array([{"x": "deep 7777"}] * 24)),
        "column 'seq_id' must be all text or all whole numbers",
    ),
    "events that are no text": (
        lambda: visits(event=no_text(24)),
        "column 'event' must be text that can be written as UTF-8, but some of it cannot.",
    ),
    "ids that are no text": (
        lambda: visits(seq_id=no_text(24)),
        "column 'seq_id' must be text that can be written as UTF-8, but some of it cannot.",
    ),
    "Python objects": (
        lambda: pl.from_arrow(visits()).with_columns(note=pl.Series([NoText()] * 24, dtype=pl.Object)),
        "column 'note' must be of a type that Arrow has, but its type is Object.",
    ),
    "the same name twice": (
        lambda: pa.Table.from_arrays([pa.array([7777])] * 4, names=["seq_id", "event", "time", "time"]),
        "several columns have the same name. Rename them.",
    ),
}
VALUES = ("person", "deep", "7777", str(2**63 - 1), str(2**64 - 77))


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_bad_tables_are_refused_in_one_sentence(name, bad):
    make, said = BAD[bad]
    with pytest.raises(SeqPrivError) as caught:
        CALLS[name](make)
    assert said in str(caught.value)
    assert not any(value in str(caught.value) for value in VALUES)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", CALLS)
def test_far_times_and_high_numbers_are_as_good_as_others(name):
    """Years 1 and 300000, and ids and events that only unsigned numbers can be, fit into 64 bits."""
    high = 2**64 - 10
    events = pa.array([high + row[1] for row in ROWS], pa.uint64())
    ids = pa.array([high + row[0] for row in ROWS], pa.uint64())
    first = -62_135_596_800
    times = pa.array([first + 9_000_000_000_000 * (row[2] > 1) + row[2] for row in ROWS]).cast(
        pa.timestamp("s")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdseqpriv.PrivacyWarning)
        try:
            CALLS[name](lambda: visits(seq_id=ids, event=events, time=times))
        except SeqPrivError as error:
            assert str(high)[:-2] not in str(error)  # noqa: PT017 (a refusal is as good, if it quotes nothing)


EVENTS = {
    pa.string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.dictionary(pa.int8(), pa.string()): pa.string(),
    pa.int16(): pa.int64(),
    pa.uint64(): pa.uint64(),
}


@pytest.mark.parametrize("kind", EVENTS, ids=str)
def test_a_table_without_patterns_has_the_types_of_one_with_patterns(kind):
    values = pa.array([row[1] for row in ROWS])
    events = values.cast(kind) if pa.types.is_integer(kind) else visits()["event"].cast(kind)
    table = visits(event=events)
    full, empty = (pdseqpriv.mine(table, support, max_length=2) for support in (1, 7))
    assert full.num_rows
    assert not empty.num_rows
    assert full.schema.field("pattern").type == pa.list_(pa.list_(EVENTS[kind]))
    assert empty.schema.types == full.schema.types
    again = pdseqpriv.release_patterns(empty, k=2)
    assert again.schema.types == full.schema.types
    channels = [pdseqpriv.inference_channels(one, alpha=0.5) for one in (full, empty)]
    assert channels[0].schema.types == channels[1].schema.types
