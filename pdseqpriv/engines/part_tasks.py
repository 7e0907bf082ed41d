"""What workers elsewhere do with one part: functions that can be sent to them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype as is_clock

from pdseqpriv.engines.dictionaries import without_dictionaries
from pdseqpriv.engines.looking import Look, look_at, merge_looks
from pdseqpriv.engines.parts import (
    ROW,
    merged,
    released_part,
    sequences_of_part,
    without_categories,
    without_person,
)
from pdseqpriv.errors import in_our_words, refusal, speaking_as, wrong_column
from pdseqpriv.progress import DONE, on_a_part
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.frames import nullable
from pdseqpriv.sequences.sequences import Sequences

PLACE = 40  # bits for the position of a row in its partition; its number is above them
# The column of the places of rows: no column of a user has the name.
PLACES = "pdseqpriv place of the row in the whole table"


class Task(NamedTuple):
    """Work in the name of the function that the user called, whose name begins its messages."""

    called: str
    may_divide: bool = False  # whether a sequence may be in several parts, against what was said

    def does(self, work: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401 (any work)
        """Do some work; its progress shows nowhere."""
        with speaking_as(self.called), on_a_part():
            return work(*given)

    def merged(self, merge: Callable[[Any, Any], Any], summaries: list[Any]) -> Any:  # noqa: ANN401
        """Merge some summaries."""
        return self.does(merged, summaries, merge)

    def on_numbered(self, work: Callable[[int, pd.DataFrame], None], number: int, part: pd.DataFrame) -> None:
        """Do something with a part and its number."""
        self.does(work, number, part)


def bytes_of(part: pd.DataFrame) -> tuple[int, int]:
    """Return the number of rows of a part, and their bytes."""
    return len(part), int(part.memory_usage(deep=True, index=False).sum())


def plain_values(part: pd.DataFrame) -> pd.DataFrame:
    """Write categories and dictionaries, which differ from part to part, as their values."""
    return without_categories(without_dictionaries(part)[0])


def numbered(
    task: Task,
    time: Hashable,
    kinds: pd.DataFrame,
    part: pd.DataFrame,
    partition_info: dict[str, Any] | None = None,
) -> pd.DataFrame:
    """Number the rows of a partition, before they are moved: by the partition and the position in it.

    Its times get the type that all partitions have, and so do whole numbers, unless there are nulls.
    """
    first = partition_info["number"] << PLACE if partition_info else 0
    plain = plain_values(part).reset_index(drop=True)
    for name, kind in kinds.dtypes.items():
        if plain[name].dtype != kind and (name == time or nullable(kind) != kind):
            plain[name] = task.does(_times_as if name == time else _whole_as, plain[name], kind)
    plain[PLACES] = np.arange(first, first + len(plain))
    return plain


def _whole_as(column: pd.Series, kind: Any) -> pd.Series:  # noqa: ANN401 (a dtype)
    """Make whole numbers of the type of all partitions; it is the nullable one where there are nulls."""
    came, do = "some partitions have other values", "Convert them in all partitions: ddf.astype(...)."
    wrong = wrong_column(column.name, f"of the type that ddf.dtypes says, {kind}", came, do)
    with in_our_words(wrong):
        whole = column.astype(nullable(kind))  # refuses to cut off decimals
        return whole if whole.hasnans else whole.astype(kind)


def _times_as(times: pd.Series, kind: Any) -> pd.Series:  # noqa: ANN401 (a dtype)
    """Count times of the clock in the unit of all partitions; refused if they would become other ones."""
    if not len(times):
        return times.astype(kind)
    if not any(map(is_clock, (times.dtype, kind))):
        return times
    do = "Convert them in all partitions to one type, of the finest unit: ddf.astype(...)."
    wrong = refusal(f"some partitions have times of another type than ddf.dtypes says. {do}")
    if not is_clock(kind):
        raise wrong
    with in_our_words(wrong):
        same = times.astype(kind)
        if str(same.dt.tz) != str(times.dt.tz) or not same.astype(times.dtype).equals(times):
            raise wrong
    return same


def with_arrow_types(part: pd.DataFrame, kinds: pd.DataFrame) -> pd.DataFrame:
    """Give columns their types back where they were moved: workers of Dask turn Arrow's text into objects."""
    lost = {
        name: kind
        for name, kind in kinds.dtypes.items()
        if isinstance(kind, pd.ArrowDtype) and part[name].dtype == object
    }
    return part.astype(lost) if lost else part


def _laid_out(part: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, Sequences]:
    """Bring the rows of a part into their order in the table, and find its sequences and people."""
    rows = part.sort_values(PLACES, kind="stable")
    places = rows.pop(PLACES).to_numpy(np.int64)
    frame = rows.set_axis(pd.Index(places, name=ROW))
    return without_person(frame, columns), sequences_of_part(frame, columns, places)


def _checked(part: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, Sequences]:
    """Check a part, and lay it out."""
    from pdseqpriv.schemas import validate

    validate(part.drop(columns=PLACES), "sequences", columns)
    return _laid_out(part, columns)


def summarise_part(task: Task, columns: Columns, look: Callable[..., Any], part: pd.DataFrame) -> Any:  # noqa: ANN401
    """Look at a part that was checked."""
    return task.does(lambda: look(*_laid_out(part, columns)))


def check_part(
    task: Task,
    columns: Columns,
    look: Callable[..., Any],
    part: pd.DataFrame,
) -> tuple[Look, Any]:
    """Check a part, look at what no part can see of itself, and at the part."""

    def work() -> tuple[Look, Any]:
        frame, sequences = _checked(part, columns)
        return look_at(sequences, with_ids=task.may_divide), look(frame, sequences)

    found: tuple[Look, Any] = task.does(work)
    return found


def of_sequences(summarise: Callable[[Sequences], Any], _: pd.DataFrame, sequences: Sequences) -> Any:  # noqa: ANN401
    """Summarise a part: of its rows, only the sequences matter."""
    return summarise(sequences)


def look_at_part(task: Task, columns: Columns, look: Callable[..., Any], part: pd.DataFrame) -> Any:  # noqa: ANN401
    """Check a part, and look at its rows."""
    return task.does(lambda: look(*_checked(part, columns)))


def change_part(
    task: Task,
    columns: Columns,
    apply: Callable[..., Any],
    finish: Callable[..., Any],
    part: pd.DataFrame,
) -> pd.DataFrame:
    """Change a part, and leave no trace of what it was."""

    def work() -> pd.DataFrame:
        rows, tally = apply(*_laid_out(part, columns))
        return released_part(finish(rows, tally), columns).reset_index(drop=True)

    changed: pd.DataFrame = task.does(work)
    return changed


def change_part_to_divide(
    task: Task,
    columns: Columns,
    apply: Callable[..., Any],
    finish: Callable[..., Any],
    part: pd.DataFrame,
) -> pd.DataFrame:
    """Change a part whose rows will go to other parts; each takes its place in the table along."""
    places = pd.Index([])

    def finish_and_note(rows: pd.DataFrame, tally: Any) -> pd.DataFrame:  # noqa: ANN401 (the operation's)
        nonlocal places
        places = rows.index
        return finish(rows, tally)

    changed = change_part(task, columns, apply, finish_and_note, part)
    return changed.assign(**{PLACES: places.to_numpy(np.int64)})


def in_order_of_ids(part: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Bring rows into the order of their ids, and those of a sequence into that of the table before."""
    return part.sort_values([columns.seq_id, PLACES], ignore_index=True).drop(columns=PLACES)


def plan_piece(task: Task, work: Callable[..., Any], piece: Any) -> tuple[Any, int]:  # noqa: ANN401
    """Do one piece of planning; also tells how much of it was done."""
    pulse = np.zeros(2, np.int64)
    return task.does(work, piece, pulse), int(pulse[DONE])


def make_part(
    task: Task,
    columns: Columns,
    make: Callable[..., pd.DataFrame],
    kinds: pd.DataFrame,
    piece: Any,  # noqa: ANN401 (what the operation cut)
) -> pd.DataFrame:
    """Make new rows, of the same types in all parts."""
    rows = task.does(lambda: released_part(make(piece), columns))
    return typed_as(rows, kinds)


def typed_as(rows: pd.DataFrame, meta: pd.DataFrame, with_nulls: Sequence[Hashable] = ()) -> pd.DataFrame:
    """Give rows the types that all parts have; whole numbers with nulls, the nullable one.

    Dask may not know of nulls: partitions that it has not computed need not be of the types that it says.
    """
    kinds = {
        name: nullable(kind)
        if name in with_nulls or (nullable(kind) != kind and rows[name].hasnans)
        else kind
        for name, kind in meta.dtypes.items()
    }
    return rows if dict(rows.dtypes) == kinds else rows.astype(kinds)


def merge_both(
    merge: Callable[..., Any], first: tuple[Look, Any], second: tuple[Look, Any]
) -> tuple[Look, Any]:
    """Put what was seen of two parts together, and their summaries."""
    return merge_looks(first[0], second[0]), merge(first[1], second[1])
