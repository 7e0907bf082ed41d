"""What workers do that get their rows as batches of Arrow, and how their answers come back."""

from __future__ import annotations

import functools
import gc
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.arrow import Origin, from_arrow
from pdseqpriv.engines.part_tasks import PLACES, Task
from pdseqpriv.engines.parts import merged
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.sequences.columns import Columns

if TYPE_CHECKING:
    import pyarrow as pa

# The column in which answers come back.
ANSWER = "answer"
# Bytes of rows that Spark keeps as one: few are quick to keep and to send, and none is too large for Java.
_PACK = 32 << 20


class Reader(NamedTuple):
    """How batches become a frame: the names and types of their columns, in order, and the roles of these."""

    schema: pa.Schema
    columns: Columns

    def frame_of(self, batches: Iterable[pa.RecordBatch]) -> pd.DataFrame:
        """Return the rows of some batches; where there is none, a frame without rows."""
        import pyarrow as pa

        some = list(batches)
        arrow = pa.Table.from_batches(some) if some else self.schema.empty_table()
        arrow = arrow.rename_columns(self.schema.names).cast(self.schema)
        frame = from_arrow(arrow, self.columns)[0]
        frame.attrs = {}
        return frame if PLACES not in frame else frame.assign(**{PLACES: arrow[PLACES].to_numpy()})

    def origin(self) -> Origin:
        """Return what turns frames back into rows of Arrow."""
        return from_arrow(self.schema.empty_table(), self.columns)[1]


class Writer(NamedTuple):
    """How a frame becomes batches: what its columns were, and the types that they have in all parts."""

    origin: Origin
    schema: pa.Schema

    def batches_of(self, frame: pd.DataFrame) -> list[pa.RecordBatch]:
        """Return the rows of a frame."""
        bare = frame.copy(deep=False)
        bare.attrs = {}
        batches: list[pa.RecordBatch] = self.origin.give_back(bare).cast(self.schema).to_batches()
        return batches


class Answer(NamedTuple):
    """What a worker found, or why it did not."""

    found: Any
    error: SeqPrivError | None = None

    def value(self) -> Any:  # noqa: ANN401 (whatever was asked)
        """Return what was found, or raise the error here."""
        if self.error is not None:
            raise self.error
        return self.found


def on_a_worker(work: Callable[[Any], Iterator[pa.RecordBatch]], batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Do the work of one part."""
    yield from work(batches)
    _keep_modules(getattr(work, "func", work))


@functools.cache
def _keep_modules(after: object) -> None:  # noqa: ARG001 (each kind of work loads its own)
    """Take modules out of the search for garbage: Spark searches after every part, longer than many take."""
    gc.collect()
    gc.freeze()


def answered(reader: Reader, work: Callable[[pd.DataFrame], Any], batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Work on one part, and send back what comes of it."""
    yield _sent(_tried(work, reader.frame_of(unpacked(batches))))


def packed(batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 (an iterator of batches)
    """Pack the rows of a part as they are, so that Java need not take them apart again."""
    some: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        some.append(batch)
        size += batch.nbytes
        if size >= _PACK:
            yield _in_a_row(_pack_of(some))
            some, size = [], 0
    if some:
        yield _in_a_row(_pack_of(some))


def _pack_of(batches: list[pa.RecordBatch]) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(packs: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 (an iterator of batches)
    """Return the rows of a part again, without copying them."""
    import pyarrow as pa

    for batch in packs:
        for one in batch.column(0):
            yield from pa.ipc.open_stream(one.as_buffer())


def counted_places(bits: int, packs: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 (an iterator of batches)
    """Count the rows of a part by what is above some bits of their place, which is their last column."""
    places = [batch.column(batch.num_columns - 1).to_numpy() for batch in unpacked(packs)]
    all_of = np.concatenate([np.empty(0, np.int64), *places])
    yield _sent(Answer(np.unique(all_of >> bits, return_counts=True)))


def merged_answers(task: Task, merge: Callable[[Any, Any], Any], batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Merge the answers of some parts into one, as they come."""
    answers = (answer for batch in batches for answer in answers_in(batch))
    whole = _tried(lambda several: merged(several, functools.partial(_merged_values, task, merge)), answers)
    if isinstance(whole.found, Answer):
        whole = whole.found
    yield _sent(whole)


def _merged_values(task: Task, merge: Callable[[Any, Any], Any], first: Answer, second: Answer) -> Answer:
    return Answer(task.does(merge, first.value(), second.value()))


def _tried(work: Callable[[Any], Any], given: Any) -> Answer:  # noqa: ANN401
    try:
        return Answer(work(given))
    except SeqPrivError as error:
        return Answer(None, type(error)(str(error)))  # its words, and nothing that it may hold besides


def _sent(answer: Answer) -> pa.RecordBatch:
    return _in_a_row(pickle.dumps(answer))


def _in_a_row(content: bytes) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({ANSWER: pa.array([content], pa.binary())})


def answers_in(table: Any) -> Iterator[Answer]:  # noqa: ANN401 (a table or a batch)
    """Return the answers in rows that came back."""
    for one in table.column(0):
        yield pickle.loads(one.as_buffer())  # noqa: S301 (our own workers made it)


def changed_rows(
    reader: Reader,
    writer: Writer,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    batches: Any,  # noqa: ANN401 (an iterator of batches)
) -> Iterator[pa.RecordBatch]:
    """Change one part."""
    yield from writer.batches_of(change(reader.frame_of(unpacked(batches))))


def answered_pieces(work: Callable[[Any], Any], batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Work on numbered pieces, and send back what comes of each, with its number."""
    for batch in batches:
        for one in batch.column(0):
            yield _sent(_tried(functools.partial(_numbered, work), pickle.loads(one.as_buffer())))  # noqa: S301 (we made it)


def _numbered(work: Callable[[Any], Any], piece: tuple[int, Any]) -> tuple[int, Any]:
    return piece[0], work(piece[1])


def made_rows(writer: Writer, make: Callable[[Any], pd.DataFrame], batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Make new rows of pieces of a plan."""
    for batch in batches:
        for piece in batch.column(0):
            yield from writer.batches_of(make(pickle.loads(piece.as_buffer())))  # noqa: S301 (we made it)


def size_of_part(batches: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
    """Count the rows of a part, and their bytes."""
    rows, size = 0, 0
    for batch in batches:
        rows, size = rows + batch.num_rows, size + batch.nbytes
    yield _sent(Answer(np.array([rows, size])))


def with_number(
    reader: Reader,
    work: Callable[[int, pd.DataFrame], None],
    number_here: Callable[[], int],
    batches: Any,  # noqa: ANN401 (an iterator of batches)
) -> Iterator[pa.RecordBatch]:
    """Do something with a part and its number; with one without rows, nothing."""
    some = [batch for batch in batches if batch.num_rows]
    if some:
        yield _sent(_tried(functools.partial(work, number_here()), reader.frame_of(some)))
