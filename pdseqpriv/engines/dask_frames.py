"""The engine for data frames of Dask: parts are summarised and changed by its workers, releases are lazy."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from pdseqpriv.engines.memory import gathered, read_memory_limit, refuse_too_much
from pdseqpriv.engines.on_workers import FANOUT, ROWS_OF_A_PART, RunOnWorkers
from pdseqpriv.engines.part_tasks import (
    PLACE,
    Task,
    bytes_of,
    change_part,
    change_part_to_divide,
    in_order_of_ids,
    look_at_part,
    make_part,
    numbered,
    plain_values,
    typed_as,
    with_arrow_types,
)
from pdseqpriv.engines.parts import cuts, released_part, said_of_all
from pdseqpriv.engines.stamps import (
    Stamps,
    change_planned,
    changed_since,
    contents,
    merge_stamped,
    on_numbered_part,
    stamped,
)
from pdseqpriv.errors import SeqPrivError, called_function, refusal
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of, hand_on
from pdseqpriv.sequences.sequences import Sequences

if TYPE_CHECKING:
    from pdseqpriv.engines.engine import Counted

Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Dask:
    """Runs operations on Dask's workers; with whole sequences in every partition, rows need not be moved."""

    whole_sequences: bool = False

    def start(self, frame: Any, columns: Columns, others: Sequence[Hashable] | None = None) -> DaskRun:  # noqa: ANN401
        """Bring the rows of every person together."""
        return DaskRun(frame, columns, others, moves=not self.whole_sequences)

    def collect(self, frame: Any) -> pd.DataFrame:  # noqa: ANN401 (Dask's)
        """Bring all rows here, in their order, with their record."""
        refuse_odd_columns(frame)
        sizes = computed([dask.delayed(bytes_of)(part) for part in frame.to_delayed()])
        rows, size = (sum(one) for one in zip(*sizes, strict=True))
        refuse_too_much(rows, size, read_memory_limit(None))
        parts = computed([dask.delayed(plain_values)(part) for part in frame.to_delayed()])
        whole = pd.concat(parts, ignore_index=True)
        whole.attrs = {}
        if ATTRIBUTE in attributes_of(frame):
            hand_on(frame, whole)
        return whole

    def each_part(
        self,
        frame: Any,  # noqa: ANN401 (Dask's)
        columns: Columns,  # noqa: ARG002 (parts are as they are)
        work: Callable[[int, pd.DataFrame], None],
    ) -> None:
        """Do something with every part, where it is."""
        task = Task(called_function())
        doing = dask.delayed(functools.partial(task.on_numbered, work), pure=False)
        computed([doing(number, part) for number, part in enumerate(frame.to_delayed())])


class DaskRun(RunOnWorkers):
    """One operation at work on one data frame of Dask."""

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 (Dask's)
        columns: Columns,
        others: Sequence[Hashable] | None,
        *,
        moves: bool,
    ) -> None:
        refuse_odd_columns(frame)
        super().__init__(frame, frame._meta, columns, others)  # noqa: SLF001 (known without computing)
        self._moves = moves and not _is_divided_by(frame, columns)
        self._planned: Stamps = {}
        self._task = Task(called_function(), may_divide=not self._moves or columns.person is not None)

    def _reduced(
        self, look: Callable[[pd.DataFrame, Sequences], Any], merge: Callable[[Any, Any], Any]
    ) -> Any:  # noqa: ANN401
        """Look at every part; Dask computes the rows anew each time, and they must be the same."""
        found, whole = super()._reduced(
            functools.partial(stamped, look), functools.partial(merge_stamped, merge)
        )
        self._note(found)
        return whole

    def _note(self, found: Stamps) -> None:
        if self._planned and contents(found) != contents(self._planned):
            raise changed_since()
        self._planned = found

    def gather(
        self, look: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Take few rows from every part."""
        stamps, answers = zip(
            *self._computed(self._at_work(look_at_part, functools.partial(stamped, look))), strict=True
        )
        self._note({number: stamp for one in stamps for number, stamp in one.items()})
        return gathered(answers, read_memory_limit(None))

    def map(
        self,
        apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]],
        finish: Callable[[pd.DataFrame, Counted], pd.DataFrame],
        *,
        blanks: bool = False,
        names_rows: bool = False,
    ) -> tuple[Any, None]:
        """Return the rows as they will be when somebody asks for them; until then there is no tally."""
        together = self._together()
        divides = self.columns.person is not None
        to_change = change_part_to_divide if divides else change_part
        change = functools.partial(to_change, self._task, self.columns, finish=finish)
        made = change(apply, part=together._meta.iloc[:0])  # noqa: SLF001 (an empty part of the same types)
        kinds = typed_as(made, made, with_nulls=[self.columns.event] if blanks else [])
        changing = _sent(functools.partial(change_planned, change, apply, names_rows=names_rows))
        typing = _sent(functools.partial(typed_as, meta=kinds))
        parts = enumerate(together.to_delayed())
        changed = [typing(changing(self._planned.get(number), one)) for number, one in parts]
        rows = _frame_of(changed, kinds)
        return (self._divided_again(rows, kinds) if divides else rows), None

    def _divided_again(self, rows: Any, kinds: pd.DataFrame) -> Any:  # noqa: ANN401 (Dask's)
        """Return rows divided by their ids: who was in one part with whom is not released."""
        ordering = functools.partial(in_order_of_ids, columns=self.columns)
        moved = _moved(rows, self.columns.seq_id, kinds)
        divided = moved.map_partitions(ordering, meta=ordering(kinds), enforce_metadata=False)
        divided.attrs = {}
        return divided

    def emit(
        self,
        make: Callable[[Piece], pd.DataFrame],
        whole: Piece,
        cut: Callable[[Piece, int, int], Piece],
        sizes: Ints,
    ) -> Any:  # noqa: ANN401 (Dask's)
        """Return new rows as they will be when somebody asks for them."""
        rows = max(1, min(ROWS_OF_A_PART, -(-int(sizes.sum()) // self._frame.npartitions)))
        bounds = cuts(sizes, rows)
        kinds = released_part(make(cut(whole, 0, 0)), self.columns)
        making = _sent(functools.partial(make_part, self._task, self.columns, make, kinds))
        pieces = [cut(whole, first, last) for first, last in itertools.pairwise(bounds)]
        return _frame_of([making(dask.delayed(piece, traverse=False)) for piece in pieces], kinds)

    def row_numbers(self, numbers: Ints) -> Ints:
        """Return positions in the table; here rows are known by their partition and position there."""
        sizes = computed([dask.delayed(len)(part) for part in self._chosen().to_delayed()])
        begins = np.concatenate(([0], np.cumsum(sizes)))
        return np.asarray(begins[numbers >> PLACE] + (numbers & ((1 << PLACE) - 1)))

    def _spread(self, work: Callable[[Piece], Answer], pieces: Sequence[Piece]) -> list[Answer]:
        doing = _sent(work)
        return computed([doing(dask.delayed(piece, traverse=False)) for piece in pieces])

    def _tree(self, work: Any, look: Any, merge: Any) -> Any:  # noqa: ANN401 (as in reduce)
        """Look at parts and merge what comes of it, a few at a time, on the workers."""
        merging = _sent(functools.partial(self._task.merged, merge))
        left = self._at_work(work, look)
        while len(left) > 1:
            left = [merging(left[i : i + FANOUT]) for i in range(0, len(left), FANOUT)]
        return self._computed(left)[0]

    def _at_work(self, work: Any, look: Any) -> list[Any]:  # noqa: ANN401 (as in reduce)
        """Return a task for each part; whoever looks at it is told its number."""
        doing = _sent(
            functools.partial(on_numbered_part, functools.partial(work, self._task, self.columns), look)
        )
        return [doing(number, one) for number, one in enumerate(self._together().to_delayed())]

    def _chosen(self) -> Any:  # noqa: ANN401 (Dask's)
        """Return the columns that are needed, always the same: with others Dask may read other partitions."""
        return self._frame[[name for name in self._frame.columns if name in self._names]]

    def _together(self) -> Any:  # noqa: ANN401 (Dask's)
        """Return the frame with numbered rows, and all rows of a person in one partition."""
        chosen = self._chosen()
        numbering = functools.partial(numbered, self._task, self.columns.time, chosen._meta)  # noqa: SLF001
        kinds = numbering(chosen._meta)  # noqa: SLF001
        rows = chosen.map_partitions(numbering, meta=kinds, enforce_metadata=False)
        return _moved(rows, self.columns.undivided, kinds) if self._moves else rows

    def _computed(self, tasks: list[Any]) -> list[Any]:
        """Compute; what is wrong with the rows is said of the whole table, as a single frame would say it."""
        try:
            return computed(tasks)
        except SeqPrivError as error:
            raise said_of_all(error, lambda: Dask().collect(self._frame), self.columns) from None


def computed(tasks: list[Any]) -> list[Any]:
    """Compute tasks with whatever scheduler the user has; errors that are not ours are said in our words."""
    try:
        return list(dask.compute(*tasks))
    except (SeqPrivError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (Dask has many, and some quote values)
        raise refusal(_words_for(error)) from None


def _words_for(error: Exception) -> str:
    name = type(error).__name__
    if name in {"P2PConsistencyError", "KilledWorker", "P2POutOfDiskError"}:
        return (
            "Dask's workers were lost while rows were moved between them, as a rule because they have too "
            "little memory. Give them more, or make the partitions smaller: ddf.repartition(...)."
        )
    return f"Dask could not compute the table ({name}). Try ddf.compute() to see what is wrong with it."


def refuse_odd_columns(frame: Any) -> None:  # noqa: ANN401 (Dask's)
    """Refuse names that Dask cannot move rows with."""
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise refusal("every column of a Dask data frame must have a name of its own, which is text.")
    if "attrs" in names:
        raise refusal("a column of a Dask data frame cannot be called 'attrs'. Rename it.")


def _is_divided_by(frame: Any, columns: Columns) -> bool:  # noqa: ANN401 (Dask's)
    """Return whether the index, which Dask has sorted, says that every partition holds whole people."""
    return bool(frame.known_divisions) and frame.index.name == columns.undivided


def _sent(function: Callable[..., Any]) -> Any:  # noqa: ANN401 (Dask's)
    """Send a function, with all that it holds, to the workers once."""
    return dask.delayed(function, pure=False, traverse=False)


def _moved(rows: Any, key: Hashable, kinds: pd.DataFrame) -> Any:  # noqa: ANN401 (Dask's)
    """Bring rows with the same key into one partition."""
    if rows.npartitions == 1:
        return rows
    typed = functools.partial(with_arrow_types, kinds=kinds)
    # Workers make decimals of whole numbers that are objects, beside nulls, unless tasks move them.
    method = "tasks" if np.dtype(object) in list(kinds.dtypes) else None
    return rows.shuffle(key, shuffle_method=method).map_partitions(typed, meta=kinds, enforce_metadata=False)


def _frame_of(parts: list[Any], kinds: pd.DataFrame) -> Any:  # noqa: ANN401 (Dask's)
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dd.from_delayed(parts, meta=kinds, verify_meta=False)
    frame.attrs = {}
    return frame
