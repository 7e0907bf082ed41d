"""Look at a table without running anything on it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import bind
from pdseqpriv.errors import in_our_words, unreadable
from pdseqpriv.files.parquet_sources import decode_note, sources_of
from pdseqpriv.paths import PathLike, opened, reading
from pdseqpriv.pipeline.result import DryRun
from pdseqpriv.pipeline.steps import Step
from pdseqpriv.sequences.columns import Columns

_UNNAMED = r"__index_level_\d+__"  # what pandas calls an index without a name


class Head(NamedTuple):
    """A table without its rows, and how many there are."""

    frame: Any
    rows: int


def head_of(path: PathLike) -> Head:
    """Read the names of the columns of a Parquet file or folder, and the number of its rows."""
    import pyarrow.parquet as pq

    whole, sources = sources_of(path)
    with reading(whole), in_our_words(unreadable(whole, "it is damaged, or not a Parquet file")):
        rows = 0
        for source in reversed(sources):
            with opened(source.file) as stream:
                file = pq.ParquetFile(stream)
                rows, empty = rows + file.metadata.num_rows, file.schema_arrow.empty_table()
    own = [name for name in empty.column_names if not re.fullmatch(_UNNAMED, name)]
    names = [*own, *(one for one in sources[0].partition if one not in empty.column_names)]
    frame = pd.DataFrame(columns=pd.Index(names))
    noted = decode_note(empty)["columns"]
    return Head(frame if not noted else frame.seqpriv.using(**noted), rows)


def _look(table: Any, steps: Sequence[Step], rows: int | None = None) -> DryRun:  # noqa: ANN401 (any table)
    """Return what would be done; a column that is missing is an error."""
    bound = bind(table)
    problem = bound.columns.problem(bound.frame)
    if problem is not None:
        raise problem
    told = tuple(step.summary() for step in steps)
    columns = _columns_read(steps, bound.columns, list(bound.frame.columns))
    return DryRun(told, len(bound.frame) if rows is None else rows, tuple(columns))


_look.__qualname__ = "Pipeline.dry_run"  # which messages begin with
look = on_tables()(_look)


def _columns_read(steps: Sequence[Step], columns: Columns, there: list[Hashable]) -> list[Hashable]:
    """Return the columns that matter: all, as long as steps release other columns as they are."""
    named = list(columns.roles.values())
    for step in steps:
        output = step.parameters.get("output", "mark") if step.operation == "hide" else None
        if step.operation in ("k_anonymize", "generalize", "release_patterns") or output == "replace":
            return [*named, *step.kept]
        if step.operation == "apply":
            return there
    return there
