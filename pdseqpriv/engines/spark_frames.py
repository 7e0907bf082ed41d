"""The engine for data frames of Spark: parts go to its workers as Arrow, releases are lazy."""

from __future__ import annotations

import functools
import itertools
import operator
import pickle
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from pdseqpriv.engines.arrow_tasks import (
    ANSWER,
    Reader,
    Writer,
    answered,
    answered_pieces,
    answers_in,
    changed_rows,
    counted_places,
    made_rows,
    merged_answers,
    on_a_worker,
    packed,
    size_of_part,
    with_number,
)
from pdseqpriv.engines.memory import gathered, read_memory_limit, refuse_too_much
from pdseqpriv.engines.on_workers import FANOUT, ROWS_OF_A_PART, RunOnWorkers
from pdseqpriv.engines.part_tasks import (
    PLACES,
    Task,
    change_part,
    change_part_to_divide,
    look_at_part,
    make_part,
)
from pdseqpriv.engines.parts import cuts, merged, released_part, said_of_all
from pdseqpriv.engines.spark_errors import words_for
from pdseqpriv.errors import SeqPrivError, called_function, refusal
from pdseqpriv.sequences.columns import USUAL, Columns
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of, hand_on
from pdseqpriv.sequences.sequences import Sequences

if TYPE_CHECKING:
    from pdseqpriv.engines.engine import Counted

Summary = TypeVar("Summary")
Piece = TypeVar("Piece")
Found = TypeVar("Found")

_PLACE = 33  # bits in which Spark numbers the rows of a partition
_BYTES = f"{ANSWER} binary"


@dataclass(frozen=True)
class Spark:
    """Runs operations on Spark's workers."""

    def start(self, frame: Any, columns: Columns, others: Sequence[Hashable] | None = None) -> SparkRun:  # noqa: ANN401
        """Bring the rows of every person together."""
        return SparkRun(frame, columns, others)

    def collect(self, frame: Any) -> pd.DataFrame:  # noqa: ANN401 (Spark's)
        """Bring all rows here, in their order, with their record."""
        refuse_odd_columns(frame)
        rows, size = sum(_answers(_mapped(frame, size_of_part)), np.zeros(2))
        refuse_too_much(int(rows), float(size), read_memory_limit(None))
        whole = _reader_of(frame, USUAL).frame_of(_arrow_of(frame).to_batches())
        if ATTRIBUTE in attributes_of(frame):
            hand_on(frame, whole)
        return whole

    def each_part(self, frame: Any, columns: Columns, work: Callable[[int, pd.DataFrame], None]) -> None:  # noqa: ANN401
        """Do something with every part, where it is."""
        reader = _reader_of(frame, columns)
        doing = functools.partial(Task(called_function()).on_numbered, work)
        if not _answers(_mapped(frame, functools.partial(with_number, reader, doing, _number_here))):
            work(0, reader.frame_of([]))


class SparkRun(RunOnWorkers):
    """One operation at work on one data frame of Spark."""

    def __init__(self, frame: Any, columns: Columns, others: Sequence[Hashable] | None) -> None:  # noqa: ANN401
        refuse_odd_columns(frame)
        super().__init__(frame, _reader_of(frame, columns).frame_of([]), columns, others)
        self._task = Task(called_function(), may_divide=columns.person is not None)
        self._chosen = frame.select(*(_quoted(name) for name in frame.columns if name in self._names))
        self._numbered = self._chosen.selectExpr("*", f"monotonically_increasing_id() as {_quoted(PLACES)}")
        self._reader = _reader_of(self._numbered, columns)

    def gather(
        self, look: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Take few rows from every part."""
        with self._said_of_all():
            answers = self._found(self._worked_on(look_at_part, look), look_at_part, look)
        return gathered(answers, read_memory_limit(None))

    def map(
        self,
        apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]],
        finish: Callable[[pd.DataFrame, Counted], pd.DataFrame],
        *,
        blanks: bool = False,  # noqa: ARG002 (all columns of Spark may hold nulls)
        names_rows: bool = False,  # noqa: ARG002 (they are kept)
    ) -> tuple[Any, None]:
        """Return the rows as they will be when somebody asks for them; until then there is no tally."""
        divides = self.columns.person is not None
        to_change = change_part_to_divide if divides else change_part
        change = functools.partial(to_change, self._task, self.columns, apply, finish)
        writer = self._writer_of(change(self._reader.frame_of([])))
        changing = functools.partial(changed_rows, self._reader, writer, change)
        rows = self._made(self._together, changing, writer)
        return (self._divided_again(rows) if divides else rows), None

    def _divided_again(self, rows: Any) -> Any:  # noqa: ANN401 (Spark's)
        """Return rows divided by their ids: who was in one part with whom is not released."""
        seq_id, place = _quoted(self.columns.seq_id), _quoted(PLACES)
        divided = rows.repartition(_number_of_parts(self._frame), seq_id)
        return _without_record(divided.sortWithinPartitions(seq_id, place).drop(PLACES))

    def emit(
        self,
        make: Callable[[Piece], pd.DataFrame],
        whole: Piece,
        cut: Callable[[Piece, int, int], Piece],
        sizes: Ints,
    ) -> Any:  # noqa: ANN401 (Spark's)
        """Return new rows as they will be when somebody asks for them."""
        parts = _number_of_parts(self._frame)
        bounds = cuts(sizes, max(1, min(ROWS_OF_A_PART, -(-int(sizes.sum()) // parts))))
        kinds = released_part(make(cut(whole, 0, 0)), self.columns)
        pieces = [cut(whole, first, last) for first, last in itertools.pairwise(bounds)]
        writer = self._writer_of(kinds)
        making = functools.partial(make_part, self._task, self.columns, make, kinds)
        return self._made(self._sent(pieces), functools.partial(made_rows, writer, making), writer)

    def row_numbers(self, numbers: Ints) -> Ints:
        """Return positions in the table; Spark knows rows by their partition and position there."""
        counted = _answers(_mapped(self._together, functools.partial(counted_places, _PLACE)))
        partitions, sizes = (np.concatenate(some) for some in zip(*counted, strict=True))
        partitions, part_of = np.unique(partitions, return_inverse=True)
        begins = np.concatenate(([0], np.cumsum(np.bincount(part_of, sizes)))).astype(np.int64)
        place = np.searchsorted(partitions, numbers >> _PLACE)
        return np.asarray(begins[place] + (numbers & ((1 << _PLACE) - 1)))

    @functools.cached_property
    def _together(self) -> Any:  # noqa: ANN401 (Spark's)
        """The rows with their numbers, packed, and all rows of a person in one partition.

        Spark may give rows in another order when it computes them again. They are kept, so that what was
        planned for rows is done to the same ones.
        """
        with spark_errors():
            key = _quoted(self.columns.undivided)
            rows = self._numbered.repartition(_number_of_parts(self._frame), key)
            return _mapped(rows, packed).localCheckpoint()

    def _spread(self, work: Callable[[Piece], Found], pieces: Sequence[Piece]) -> list[Found]:
        numbered = _mapped(self._sent(list(enumerate(pieces))), functools.partial(answered_pieces, work))
        return [found for _, found in sorted(_answers(numbered), key=operator.itemgetter(0))]

    def _sent(self, pieces: list[Any]) -> Any:  # noqa: ANN401 (Spark's)
        """Return a data frame with about a partition for each piece."""
        with quietly():
            table = pa.table({"piece": [pickle.dumps(piece) for piece in pieces]})
            return self._frame.sparkSession.createDataFrame(table).repartition(len(pieces))

    def _tree(self, work: Any, look: Any, merge: Any) -> Any:  # noqa: ANN401 (as in reduce)
        """Look at parts and merge what comes of it, a few at a time, on the workers, and the rest here."""
        with self._said_of_all():
            summaries, tasks = self._worked_on(work, look), _number_of_parts(self._frame) // FANOUT
            if tasks:
                merging = functools.partial(merged_answers, self._task, merge)
                summaries = _mapped(summaries.coalesce(tasks), merging)
            return merged(self._found(summaries, work, look), merge)

    def _found(self, answers: Any, work: Any, look: Any) -> list[Any]:  # noqa: ANN401 (Spark's)
        """Bring answers here; a table without rows may have no part, and is worked on here."""
        return _answers(answers) or [work(self._task, self.columns, look, self._reader.frame_of([]))]

    def _worked_on(self, work: Any, look: Any) -> Any:  # noqa: ANN401 (Spark's)
        doing = functools.partial(work, self._task, self.columns, look)
        return _mapped(self._together, functools.partial(answered, self._reader, doing))

    def _writer_of(self, kinds: pd.DataFrame) -> Writer:
        origin = self._reader.origin()
        return Writer(origin, origin.give_back(kinds).schema.remove_metadata())

    def _made(self, frame: Any, work: Callable[..., Any], writer: Writer) -> Any:  # noqa: ANN401
        """Return lazy rows, whose columns have the types that such columns had."""
        with quietly():
            known = dict(zip(self._reader.schema.types, self._numbered.schema, strict=True))
            fields = frame.sparkSession.createDataFrame(writer.schema.empty_table()).schema
        for field, kind in zip(fields, writer.schema.types, strict=True):
            field.dataType = known[kind].dataType if kind in known else field.dataType
        return _without_record(_mapped(frame, work, fields))

    @contextmanager
    def _said_of_all(self) -> Iterator[None]:
        """Say what is wrong with the rows as a single frame with all of them would say it."""
        try:
            yield
        except SeqPrivError as error:
            raise said_of_all(error, lambda: Spark().collect(self._frame), self.columns) from None


@contextmanager
def quietly() -> Iterator[None]:
    """Leave out that Spark has not been tested with the pandas that is here: no rows go through pandas."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet", FutureWarning)
        yield


@contextmanager
def spark_errors() -> Iterator[None]:
    """Say errors that are not ours in our words: Spark's may quote values."""
    try:
        yield
    except (SeqPrivError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (Spark has many)
        raise refusal(words_for(error)) from None


def refuse_odd_columns(frame: Any) -> None:  # noqa: ANN401 (Spark's)
    """Refuse names that Spark cannot tell apart."""
    names = [name.lower() for name in frame.columns]
    if len(set(names)) < len(names):
        raise refusal("every column of a Spark data frame must have a name of its own, whatever its case.")


def _without_record(released: Any) -> Any:  # noqa: ANN401 (Spark's)
    released.attrs = {}
    return released


def _mapped(frame: Any, work: Callable[..., Any], schema: Any = _BYTES) -> Any:  # noqa: ANN401 (Spark's)
    """Work on every partition; columns are known by their order, as Spark reads names as paths."""
    with quietly():
        bare = frame.toDF(*map(str, range(len(frame.columns))))
        return bare.mapInArrow(functools.partial(on_a_worker, work), schema)


def _arrow_of(frame: Any) -> pa.Table:  # noqa: ANN401 (Spark's)
    with spark_errors(), quietly():
        return frame.toArrow()


def _answers(frame: Any) -> list[Any]:  # noqa: ANN401 (Spark's)
    return [answer.value() for answer in answers_in(_arrow_of(frame))]


def _reader_of(frame: Any, columns: Columns) -> Reader:  # noqa: ANN401 (Spark's)
    """Return how rows of a frame become one of pandas; no row is computed."""
    return Reader(_arrow_of(frame.limit(0)).schema, columns)


def _number_here() -> int:
    """Return the number of the part that this worker is at."""
    from pyspark import TaskContext

    return int(TaskContext.get().partitionId())


def _number_of_parts(frame: Any) -> int:  # noqa: ANN401 (Spark's)
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))


def _quoted(name: Hashable) -> str:
    return f"`{str(name).replace('`', '``')}`"
