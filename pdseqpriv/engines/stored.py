"""Tables in files, which need not fit into memory: where their rows are, and how they are brought here."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from pdseqpriv.engines.memory import how_to_allow, refuse_too_much
from pdseqpriv.engines.scratch import Scratch
from pdseqpriv.errors import refusal
from pdseqpriv.namespaces import DeferredAccessor
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import ATTRIBUTE, hand_on

if TYPE_CHECKING:
    import pyarrow as pa

_TEMPORARY = "pdseqpriv"
# Bytes that a row takes at work, beside several copies of what it holds: sanitize takes most (2026-11-18).
_COPIES, _BESIDE = 3, 400
# Bytes for the parts that are worked on at once: larger ones are no faster, and plans need memory, too.
_FOR_PARTS = 10**9
_GIGA = 10**9


class Limits(NamedTuple):
    """How many bytes of memory may be used, and in which folder temporary files are."""

    memory: int
    scratch: Path


class Rows(Protocol):
    """Rows in files."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def row_bytes(self) -> float:
        """About how many bytes a row takes in memory."""

    def batches(self, names: Sequence[Hashable]) -> Iterator[tuple[Ints, pa.Table]]:
        """Yield the places of some rows in the whole table, and these columns of the rows."""

    def frame_of(self, table: pa.Table) -> pd.DataFrame:
        """Turn rows into a frame of the types that they have in pandas."""


class StoredTable:
    """A table in files that need not fit into memory; every function takes it like a DataFrame.

    Its rows cannot be changed. Temporary files, which only the owner can read, are removed with it.
    """

    seqpriv = property(DeferredAccessor())

    def __init__(self, rows: Rows, limits: Limits, attrs: dict[Hashable, Any] | None = None) -> None:
        self.rows, self.limits = rows, limits
        self.attrs: dict[Hashable, Any] = {} if attrs is None else attrs
        self.parts: Any = rows if isinstance(rows, StoredParts) else None  # as they were last divided

    @property
    def columns(self) -> pd.Index:
        """The names of the columns."""
        return pd.Index(self.rows.names)

    def __len__(self) -> int:
        return self.rows.n_rows

    def __repr__(self) -> str:
        return f"<table in files: {self.rows.n_rows} rows, columns {', '.join(map(repr, self.rows.names))}>"

    def to_pandas(self) -> pd.DataFrame:
        """Bring all rows here, in their order, with their record."""
        refuse_too_much(self.rows.n_rows, self.rows.n_rows * self.rows.row_bytes, self.limits.memory)
        places, tables = zip(*self.rows.batches(self.rows.names), strict=True)
        import pyarrow as pa

        frame = self.rows.frame_of(pa.concat_tables(tables))
        order = np.argsort(np.concatenate(places), kind="stable")
        if (np.diff(order) != 1).any():
            frame = frame.take(order).reset_index(drop=True)
        if ATTRIBUTE in self.attrs:
            hand_on(self, frame)
        return frame


class PartFile(NamedTuple):
    """A temporary file of rows that belong together, and how many there are."""

    file: Path
    n_rows: int


@dataclass(frozen=True)
class StoredParts:
    """Rows in temporary files, one for each part; those with the same value of ``key`` are in one part.

    All parts have the same types: those of ``source``, but for ``dtypes``, or of ``schema`` where files were
    written part by part. The first column of a file are the places of its rows.
    """

    files: list[PartFile]
    names: list[str]
    key: Hashable
    row_bytes: float
    source: Rows | None
    dtypes: dict[Hashable, Any]
    scratch: Scratch
    schema: pa.Schema | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are in all."""
        return sum(one.n_rows for one in self.files)

    def batches(self, names: Sequence[Hashable]) -> Iterator[tuple[Ints, pa.Table]]:
        """Yield one part after the other."""
        for one in self.files:
            yield self.read(one, names)

    def read(self, part: PartFile, names: Sequence[Hashable]) -> tuple[Ints, pa.Table]:
        """Return the places of the rows of a part, in order, and these columns."""
        import pyarrow as pa

        fields = [0, *(1 + place for place, name in enumerate(self.names) if name in names)]
        with pa.memory_map(str(part.file)) as stream:
            options = pa.ipc.IpcReadOptions(included_fields=fields)
            table = pa.ipc.open_file(stream, options=options).read_all()
        places, rows = table.column(0).to_numpy(), table.remove_column(0)
        if self.schema is not None:
            fields = [self.schema.field(name) for name in rows.column_names]
            rows = rows.cast(pa.schema(fields, self.schema.metadata))
        if (np.diff(places) < 0).any():
            order = np.argsort(places)
            places, rows = places[order], rows.take(order)
        return places, rows

    def frame_of(self, table: pa.Table) -> pd.DataFrame:
        """Turn rows into a frame; all parts have the same types."""
        frame = table.to_pandas() if self.source is None else self.source.frame_of(table)
        others = {name: kind for name, kind in self.dtypes.items() if frame.dtypes.get(name, kind) != kind}
        return frame.astype(others) if others else frame


def new_scratch(limits: Limits) -> Scratch:
    """Make a folder for temporary files."""
    return Scratch(limits.scratch, _TEMPORARY)


def number_of_parts(rows: Rows, limits: Limits, at_once: int) -> int:
    """Return how many parts keep those that are worked on at once within half of the memory, or less."""
    needed = rows.n_rows * (rows.row_bytes * _COPIES + _BESIDE) * at_once
    return max(1, -int(-needed // min(_FOR_PARTS, limits.memory / 2)))


def refuse_large_parts(parts: StoredParts, limits: Limits) -> None:
    """Raise if a part does not fit into memory: it holds whole people, and some may have most of the rows."""
    most = max((one.n_rows for one in parts.files), default=0)
    needed = most * (parts.row_bytes * _COPIES + _BESIDE)
    if needed > limits.memory:
        raise refusal(
            "the rows of a person or a sequence are needed in memory at once, and there are "
            f"{most} rows that cannot be divided. They need about {needed / _GIGA:.1f} GB, but memory_limit "
            f"is {limits.memory / _GIGA:.1f} GB. {how_to_allow(needed)}"
        )
