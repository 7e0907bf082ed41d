"""Tables on their way in: Arrow beside pandas, and validation beside a sort, in turns in one process."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa

from benchmarks.cases import Case, Shown
from benchmarks.measure import Own, release_what_is_free
from benchmarks.table import arrays, five_million, pandas_sort
from pdseqpriv.engines.arrow import from_arrow
from pdseqpriv.schemas import validate
from pdseqpriv.sequences.columns import Columns

TURNS = 5
# The same task, some 170 MB, differs from run to run by so much.
SAME_MB = 8
M_MMAP_THRESHOLD = -3  # as malloc.h has it: larger blocks are the system's
TIMES, MORE = "times as long as the other", "MB more than the other"
Task = Callable[[], object]


# Text that Arrow has in other types than pandas.
TEXTS = {"text as string": pa.string(), "text as string_view": pa.string_view()}


def as_frame(kind: str) -> pd.DataFrame:
    """Make 5 million shuffled rows: text, whole numbers, or events as categories."""
    frame = five_million(text_ids=kind.startswith("text"))
    if kind == "whole numbers":
        return frame.assign(event=frame["event"].str.removeprefix("page").astype("int64"))
    return frame.astype({"event": "category"}) if kind == "dictionary" else frame


def both_ways(kind: str) -> tuple[Task, Task]:
    """Give two tasks: arrays from an Arrow table, and from the same rows in a frame."""
    frame = as_frame(kind)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if kind in TEXTS:
        table = table.cast(pa.schema({"seq_id": TEXTS[kind], "event": TEXTS[kind], "time": pa.int64()}))
    return lambda: arrays(from_arrow(table, Columns())[0]), lambda: arrays(frame)


def validate_and_sort(kind: str) -> tuple[Task, Task]:
    """Give two tasks: validating a table, and sorting it."""
    frame = as_frame(kind)
    return lambda: validate(frame, "sequences"), lambda: pandas_sort(frame)


def in_turns(tasks: tuple[Task, Task]) -> dict[str, Any]:
    """Do one and the other in turns; tell how the best of the first compares with the best of the second."""
    seconds = best_of_turns(tasks, seconds_of)
    give_back_at_once()
    megabytes = best_of_turns(tasks, megabytes_of)
    return {TIMES: seconds[0] / seconds[1], MORE: round(megabytes[0] - megabytes[1])}


def best_of_turns(tasks: tuple[Task, Task], measure: Callable[[Task], float]) -> list[float]:
    """Measure each task as often as the other, in turns."""
    found = [[measure(task) for task in tasks] for _ in range(TURNS)]
    return [min(of_task) for of_task in zip(*found, strict=True)]


def seconds_of(task: Task) -> float:
    """Return the CPU time of a task."""
    release_what_is_free()
    began = time.process_time()
    task()
    return time.process_time() - began


def give_back_at_once() -> None:
    """Have this process give back what it frees; usually it keeps some, by chance 50 MB or nothing."""
    pa.set_memory_pool(pa.system_memory_pool())
    ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, 1 << 20)


def megabytes_of(task: Task) -> float:
    """Return the most memory that a task takes."""
    release_what_is_free()
    with Own() as memory:
        task()
    return memory.most


CASES = [
    *(
        Case(
            f"arrays, 5M of Arrow beside pandas, {kind}",
            partial(both_ways, kind),
            in_turns,
            (Shown(TIMES, "at most", 1.1), Shown(MORE, "at most", SAME_MB)),
            repeats=1,
            facts=lambda _, found: found,
        )
        for kind in ("text", *TEXTS, "whole numbers", "dictionary")
    ),
    *(
        Case(
            f"validate, 5M beside their sort, {kind}",
            partial(validate_and_sort, kind),
            in_turns,
            (Shown(TIMES, "at most", 0.15),),
            repeats=1,
            facts=lambda _, found: found,
        )
        for kind in ("text", "whole numbers", "dictionary")
    ),
]
