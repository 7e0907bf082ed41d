"""What an operation at work has in common wherever its parts go to workers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import pandas as pd

from pdseqpriv.engines.looking import refuse_wrong_whole
from pdseqpriv.engines.memory import read_memory_limit, refuse_large_plan
from pdseqpriv.engines.part_tasks import (
    Task,
    check_part,
    merge_both,
    of_sequences,
    plan_piece,
    summarise_part,
)
from pdseqpriv.progress import Bar, Pulse
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.record import ATTRIBUTE, attributes_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.threads import on_all_cores

Summary = TypeVar("Summary")
Piece = TypeVar("Piece")
Answer = TypeVar("Answer")

ROWS_OF_A_PART = 1 << 21
FANOUT = 8  # summaries that one task merges
# Pieces of planning that are sent at once: all of them may be larger than what they were cut from.
AT_ONCE = 32


class RunOnWorkers:
    """One operation at work on one data frame whose partitions are on workers."""

    _task: Task

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 (Dask's or Spark's)
        empty: pd.DataFrame,
        columns: Columns,
        others: Sequence[Hashable] | None,
    ) -> None:
        """Take a data frame, and an empty part of it."""
        problem = columns.problem(empty)
        if problem is not None:
            raise problem
        roles = list(columns.roles.values())
        self.columns = columns
        self.other_columns: list[Hashable] = [name for name in frame.columns if name not in roles]
        self.before = frame if ATTRIBUTE in attributes_of(frame) else None
        self.is_here = False
        self.has_labels = False
        self._frame = frame
        self._names = [*roles, *(self.other_columns if others is None else others)]
        self._is_checked = False

    def reduce(
        self,
        summarise: Callable[[Sequences], Summary],
        merge: Callable[[Summary, Summary], Summary],
        *,
        copies: int = 0,
    ) -> Summary:
        """Summarise every part and merge the summaries into one; the first time, the rows are checked."""
        whole: Summary = self._reduced(functools.partial(of_sequences, summarise), merge)
        refuse_large_plan(whole, copies, read_memory_limit(None))
        return whole

    def _reduced(
        self, look: Callable[[pd.DataFrame, Sequences], Any], merge: Callable[[Any, Any], Any]
    ) -> Any:  # noqa: ANN401
        """Look at every part, and merge what was seen."""
        if self._is_checked:
            return self._tree(summarise_part, look, merge)
        seen, whole = self._tree(check_part, look, functools.partial(merge_both, merge))
        refuse_wrong_whole(seen, self.columns)
        self._is_checked = True
        return whole

    def spread(
        self, work: Callable[[Piece, Pulse], Answer], pieces: Sequence[Piece], bar: Bar
    ) -> list[Answer]:
        """Let workers do independent pieces of planning, some at a time; a single one is done here."""
        if len(pieces) == 1:
            return on_all_cores(work, pieces, bar)
        doing = functools.partial(plan_piece, self._task, work)
        found: list[Answer] = []
        for first in range(0, len(pieces), AT_ONCE):
            for answer, done in self._spread(doing, pieces[first : first + AT_ONCE]):
                found.append(answer)
                bar.update(done)
        return found

    def _spread(self, work: Callable[[Piece], Answer], pieces: Sequence[Piece]) -> list[Answer]:
        """Send pieces to the workers, and return their answers in this order."""
        raise NotImplementedError

    def _tree(self, work: Any, look: Any, merge: Any) -> Any:  # noqa: ANN401 (as in reduce)
        """Look at parts and merge what comes of it, a few at a time."""
        raise NotImplementedError
