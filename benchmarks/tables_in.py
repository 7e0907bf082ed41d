"""Tables on their way in: Arrow beside pandas, and validation beside a sort, in turns in one process."""

from __future__ import annotations

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
    seconds: tuple[list[float], list[float]] = ([], [])
    megabytes: tuple[list[float], list[float]] = ([], [])
    for _ in range(TURNS):
        for place, task in enumerate(tasks):
            release_what_is_free()
            memory, began = Own(), time.process_time()
            with memory:
                task()
            seconds[place].append(time.process_time() - began)
            megabytes[place].append(memory.most)
    more = min(megabytes[0]) - min(megabytes[1])
    return {TIMES: min(seconds[0]) / min(seconds[1]), MORE: round(more)}


CASES = [
    *(
        Case(
            f"arrays, 5M of Arrow beside pandas, {kind}",
            partial(both_ways, kind),
            in_turns,
            (Shown(TIMES, "at most", 1.1), Shown(MORE, "at most", 1)),
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
