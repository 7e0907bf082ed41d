"""The engine for a table in files on this machine: parts are read, worked on and written by all cores."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from pdseqpriv.engines.dividing import parts_of, write_part
from pdseqpriv.engines.looking import Look, look_at, refuse_wrong_whole
from pdseqpriv.engines.memory import gathered, refuse_large_plan
from pdseqpriv.engines.part_tasks import merge_both
from pdseqpriv.engines.parts import (
    ROW,
    cuts,
    merged,
    released_part,
    said_of_all,
    sequences_of_part,
    without_person,
)
from pdseqpriv.engines.stored import PartFile, StoredParts, StoredTable, new_scratch
from pdseqpriv.errors import SeqPrivError
from pdseqpriv.progress import progress
from pdseqpriv.sequences.columns import INTERVAL, Columns
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.threads import number_of_threads, on_all_cores, one_by_one

if TYPE_CHECKING:
    import pyarrow as pa

    from pdseqpriv.engines.engine import Counted
    from pdseqpriv.engines.scratch import Scratch

Summary = TypeVar("Summary")
Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Folder:
    """Runs operations on tables in files."""

    def start(
        self, frame: StoredTable, columns: Columns, others: Sequence[Hashable] | None = None
    ) -> FolderRun:
        """Divide the table into parts that hold whole people."""
        return FolderRun(frame, columns, others)

    def collect(self, frame: StoredTable) -> pd.DataFrame:
        """Bring all rows here."""
        return frame.to_pandas()

    def each_part(
        self, frame: StoredTable, columns: Columns, work: Callable[[int, pd.DataFrame], None]
    ) -> None:
        """Do something with every part."""
        refuse_missing(frame, columns)
        parts = parts_of(frame, columns.seq_id, frame.rows.names)

        def read_and_work(numbered: tuple[int, PartFile]) -> None:
            work(numbered[0], parts.frame_of(parts.read(numbered[1], parts.names)[1]))

        with progress(len(parts.files), "writing") as bar:
            for _ in one_by_one(read_and_work, list(enumerate(parts.files)), bar):
                pass


class FolderRun:
    """One operation at work on one table in files."""

    spread = staticmethod(on_all_cores)

    def __init__(self, table: StoredTable, columns: Columns, others: Sequence[Hashable] | None) -> None:
        refuse_missing(table, columns)
        roles = list(columns.roles.values())
        self.columns = columns
        self.other_columns: list[Hashable] = [name for name in table.columns if name not in roles]
        self.before = table if ATTRIBUTE in table.attrs else None
        self.is_here = False
        self.has_labels = False
        self._table, self._roles = table, roles
        self._names = [*roles, *(self.other_columns if others is None else others)]
        self._parts = parts_of(table, columns.undivided, self._names)
        self._is_checked = False

    def reduce(
        self,
        summarise: Callable[[Sequences], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        copies: int = 0,
    ) -> Summary:
        """Summarise every part and merge the summaries into one; the first time, the rows are checked."""
        if self._is_checked:
            whole = merged(self._each(functools.partial(self._summarised, summarise), "reading"), merge)
        else:
            check = functools.partial(self._checked, summarise)
            look, whole = merged(self._each(check, "reading"), functools.partial(merge_both, merge))
            refuse_wrong_whole(look, self.columns)
            self._is_checked = True
        refuse_large_plan(whole, copies, self._table.limits.memory)
        return whole

    def gather(
        self, look: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]]
    ) -> tuple[pd.DataFrame, Counted]:
        """Take few rows from every part."""
        return gathered(
            self._each(functools.partial(self._looked, look), "reading"), self._table.limits.memory
        )

    def map(
        self,
        apply: Callable[[pd.DataFrame, Sequences], tuple[pd.DataFrame, Counted]],
        finish: Callable[[pd.DataFrame, Counted], pd.DataFrame],
        *,
        blanks: bool = False,  # noqa: ARG002 (types are known when all parts are written)
        names_rows: bool = False,  # noqa: ARG002 (files stay what they are)
    ) -> tuple[StoredTable, Counted]:
        """Change every part and write it into a temporary file."""
        scratch = new_scratch(self._table.limits)
        work = functools.partial(self._changed, apply, finish, scratch.folder)
        written, tallies = zip(*self._each(work, "writing"), strict=True)
        return self._made(list(written), scratch), functools.reduce(operator.add, tallies)

    def emit(
        self,
        make: Callable[[Piece], pd.DataFrame],
        whole: Piece,
        cut: Callable[[Piece, int, int], Piece],
        sizes: Ints,
    ) -> StoredTable:
        """Make new rows, some items at a time, and write them into temporary files."""
        scratch = new_scratch(self._table.limits)
        most = max(1, self._table.limits.memory // (2 * number_of_threads() * 200))
        bounds = cuts(sizes, most)
        begins = np.concatenate(([0], np.cumsum(sizes)))[bounds]

        def work(number: int) -> WrittenPart:
            frame = released_part(make(cut(whole, bounds[number], bounds[number + 1])), self.columns)
            places = np.arange(begins[number], begins[number] + len(frame))
            return _written(frame, places, scratch.folder / f"part-{number:05}.arrow")

        with progress(len(bounds) - 1, "writing") as bar:
            return self._made(list(one_by_one(work, range(len(bounds) - 1), bar)), scratch)

    def row_numbers(self, numbers: Ints) -> Ints:
        """Return the numbers, which are positions in the table."""
        return numbers

    def _each(self, work: Callable[[PartFile], Answer], doing: str) -> Iterator[Answer]:
        """Work on every part, on all cores; what is wrong with the rows is said of the whole table."""
        with progress(len(self._parts.files), doing) as bar:
            try:
                yield from one_by_one(work, self._parts.files, bar)
            except SeqPrivError as error:
                raise said_of_all(error, self._table.to_pandas, self.columns) from None

    def _laid_out(self, part: PartFile, names: Sequence[Hashable]) -> tuple[pd.DataFrame, Sequences]:
        """Read a part, and check it unless all parts were checked before."""
        from pdseqpriv.schemas import validate

        places, rows = self._parts.read(part, names)
        frame = self._parts.frame_of(rows).set_axis(pd.Index(places, name=ROW))
        if not self._is_checked:
            validate(frame, "sequences", self.columns)
        sequences = sequences_of_part(frame, self.columns, places)
        return without_person(frame, self.columns), sequences

    def _summarised(self, summarise: Callable[[Sequences], Summary], part: PartFile) -> Summary:
        return summarise(self._laid_out(part, self._roles)[1])

    def _checked(self, summarise: Callable[[Sequences], Summary], part: PartFile) -> tuple[Look, Summary]:
        _, sequences = self._laid_out(part, self._roles)
        # Parts are divided by people, where they are named, and else by sequences.
        look = look_at(sequences, with_ids=self.columns.person is not None)
        return look, summarise(sequences)

    def _looked(self, look: Callable[[pd.DataFrame, Sequences], Answer], part: PartFile) -> Answer:
        return look(*self._laid_out(part, self._names))

    def _changed(
        self,
        apply: Callable[..., Any],
        finish: Callable[..., Any],
        folder: Path,
        part: PartFile,
    ) -> tuple[WrittenPart, Any]:
        rows, tally = self._looked(apply, part)
        places = rows.index.to_numpy()
        frame = released_part(finish(rows, tally), self.columns)
        return _written(frame, places, folder / part.file.name), tally

    def _made(self, written: list[WrittenPart], scratch: Scratch) -> StoredTable:
        """Return what was made as a table; all its parts have the types that hold what is in any of them."""
        empty = pd.concat([one.empty for one in written]) if len(written) > 1 else written[0].empty
        files = [one.file for one in written if one.file.n_rows] or [written[0].file]
        names = [str(name) for name in empty.columns]
        schema = _schema_of_all(empty, [one.schema for one in written])
        row_bytes = self._table.rows.row_bytes
        dtypes: dict[Hashable, Any] = dict(empty.dtypes)
        # Who is in one part with whom is not released: it is divided again before anybody sees its parts.
        key = self.columns.seq_id if self.columns.person is None else None
        parts = StoredParts(files, names, key, row_bytes, None, dtypes, scratch, schema)
        return StoredTable(parts, self._table.limits)


def refuse_missing(table: StoredTable, columns: Columns) -> None:
    """Raise if a column is missing, or there twice."""
    problem = columns.problem(pd.DataFrame(columns=table.columns))
    if problem is not None and not {columns.seq_id, *INTERVAL} <= set(table.columns):
        raise problem


class WrittenPart(NamedTuple):
    """A part that was written: its file, an empty frame of its types, and how Arrow holds them."""

    file: PartFile
    empty: pd.DataFrame
    schema: pa.Schema


def _written(frame: pd.DataFrame, places: Ints, file: Path) -> WrittenPart:
    """Write a part."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame.reset_index(drop=True), preserve_index=False)
    # Made anew: what is cut out of the frame would keep its rows in memory until the last part is done.
    empty = pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in frame.dtypes.items()})
    return WrittenPart(write_part(file, places, table), empty, table.schema)


def _schema_of_all(empty: pd.DataFrame, schemas: list[pa.Schema]) -> pa.Schema:
    """Return how Arrow holds the rows of all parts; of objects, each part shows only what it has."""
    import pyarrow as pa

    of_types = pa.Schema.from_pandas(empty, preserve_index=False)
    bare = [schema.remove_metadata() for schema in schemas]
    found = pa.unify_schemas(bare, promote_options="permissive")
    fields = [found.field(field.name) if pa.types.is_null(field.type) else field for field in of_types]
    return pa.schema(fields, of_types.metadata)
