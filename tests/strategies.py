"""Odd tables: ties, duplicates, categories, strange indexes, empty ones, unicode, huge ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st

TEXT_IDS = ["ann", "", "Zoë", "a b", "名前", "x" * 200, "007", "NA", "-1"]
NUMBER_IDS = [0, 1, -5, 2**62, -(2**62), 7, 8]
EVENTS = ["a", "b", "c", "d", "é", "a b", "NA"]
NUMBER_EVENTS = [0, 1, 2, 3, -1, 10**12, 9]


def tables(
    *,
    max_rows: int = 24,
    n_events: int = 4,
    n_ids: int = 5,
    marked: bool = True,
    distinct_times: bool = False,
    min_rows: int = 0,
) -> st.SearchStrategy[pd.DataFrame]:
    """Sequence tables in every dress that the contract allows."""
    return st.builds(
        _dress,
        _rows(max_rows, n_events, n_ids, marked=marked, distinct_times=distinct_times, min_rows=min_rows),
        seq_id=st.sampled_from(["int", "int32", "huge", "text", "object", "category", "Int64", "arrow"]),
        event=st.sampled_from(["text", "object", "category", "ordered", "number", "arrow", "string"]),
        time=st.sampled_from(
            ["int", "int8", "float", "s", "ms", "us", "ns", "zone", "Int64", "arrow", "uint"]
        ),
        index=st.sampled_from(["range", "text", "duplicate", "multi", "time"]),
        extra=st.booleans(),
    )


def with_people(
    some_tables: st.SearchStrategy[pd.DataFrame], *, n_people: int = 3
) -> st.SearchStrategy[pd.DataFrame]:
    """The same tables with a column ``person``: whose sequence it is; some people have several."""
    return st.builds(
        _with_people,
        some_tables,
        st.lists(st.integers(0, n_people - 1), min_size=len(TEXT_IDS), max_size=len(TEXT_IDS)),
        st.sampled_from(["int", "int32", "huge", "text", "object", "category", "Int64", "arrow"]),
    )


def _with_people(frame, owners, kind):
    number = pd.factorize(frame["seq_id"].astype(object))[0]
    people = _ids([owners[n % len(owners)] for n in number], kind)
    return frame.assign(person=people.array)


def plain_rows(
    max_rows: int = 24, n_events: int = 4, n_ids: int = 5, *, marked: bool = True
) -> st.SearchStrategy[list[tuple[int, int | None, int]]]:
    """Rows (id, event, time) as small numbers, for comparing with brute force."""
    return _rows(max_rows, n_events, n_ids, marked=marked, distinct_times=False, min_rows=0)


def plain_table(rows: list[tuple[int, int | None, int]]) -> pd.DataFrame:
    """Return such rows as the plainest table there is: text events, int ids and times."""
    return pd.DataFrame(
        {
            "seq_id": pd.Series([row[0] for row in rows], dtype="int64"),
            "event": pd.Series([None if row[1] is None else EVENTS[row[1]] for row in rows], dtype="str"),
            "time": pd.Series([row[2] for row in rows], dtype="int64"),
        }
    )


def taxonomies(leaves: list[str | int], *, depth: int = 3) -> st.SearchStrategy[dict[str | int, str]]:
    """Taxonomies over these events and perhaps some more, as child to parent, a few levels deep."""
    return st.builds(
        lambda more, above: _hung_up([*leaves, *[f"more {i}" for i in range(more)]], above),
        st.integers(0, 2),
        st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), max_size=depth),
    )


def _hung_up(leaves, above):
    """Put names under categories, level by level; without any level all are right under the root."""
    links, names = {}, leaves
    for level, choices in enumerate(above):
        for place, name in enumerate(names):
            links[name] = f"level {level} {choices[place % len(choices)]}"
        names = sorted({links[name] for name in names})
    for name in names:
        links[name] = "TOP"
    return links


def _rows(max_rows, n_events, n_ids, *, marked, distinct_times, min_rows):
    event = st.integers(0, n_events - 1)
    # Few different times make simultaneous events common; distinct ones need room.
    latest = 2 * max_rows if distinct_times else max(1, max_rows // 3)
    row = st.tuples(st.integers(0, n_ids - 1), st.none() | event if marked else event, st.integers(0, latest))
    unique = (lambda r: (r[0], r[2])) if distinct_times else None
    # Left alone, lists are mostly very short; any size is as likely as any other here.
    sizes = st.integers(min_rows, max_rows)
    return sizes.flatmap(lambda size: st.lists(row, min_size=size, max_size=size, unique_by=unique))


def _dress(rows, *, seq_id, event, time, index, extra):
    ids, events, times = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    frame = pd.DataFrame(
        {"seq_id": _ids(ids, seq_id), "event": _events(events, event), "time": _times(times, time)}
    )
    if extra:
        frame["note"] = [f"note {i}" for i in range(len(frame))]
    frame.index = _index(len(frame), index)
    frame.attrs["source"] = "attribute of the input"
    return frame


def _ids(ids, kind):
    text = pd.Series([TEXT_IDS[i] for i in ids], dtype="str")
    match kind:
        case "text":
            return text
        case "object":
            return text.astype(object)
        case "category":
            return pd.Series(pd.Categorical(text, categories=[*reversed(TEXT_IDS), "unused id"]))
        case "arrow":
            return text.astype(pd.ArrowDtype(pa.string()))
        case "huge":
            return pd.Series([2**64 - 1 - i for i in ids], dtype="uint64")
        case "int32":
            return pd.Series([i - 2 for i in ids], dtype="int32")
        case _:
            return pd.Series([NUMBER_IDS[i] for i in ids], dtype="Int64" if kind == "Int64" else "int64")


def _events(events, kind):
    if kind == "number":
        return pd.Series([None if e is None else NUMBER_EVENTS[e] for e in events], dtype="Int64")
    text = pd.Series([None if e is None else EVENTS[e] for e in events], dtype="str")
    match kind:
        case "object":
            return pd.Series([None if e is None else EVENTS[e] for e in events], dtype=object)
        case "category" | "ordered":
            names = ["unused event", *reversed(EVENTS)]
            return pd.Series(pd.Categorical(text, categories=names, ordered=kind == "ordered"))
        case "arrow":
            return text.astype(pd.ArrowDtype(pa.string()))
        case "string":
            return text.astype("string")
        case _:
            return text


def _times(times, kind):
    match kind:
        case "int" | "Int64":
            return pd.Series([t - 10 for t in times], dtype="int64" if kind == "int" else "Int64")
        case "int8":
            return pd.Series([t - 10 for t in times], dtype="int8")
        case "uint":
            return pd.Series(times, dtype="uint64")
        case "float":
            return pd.Series([t / 4 - 1 for t in times], dtype="float64")
    unit = kind if kind in ("s", "ms", "ns") else "us"
    clock = pd.Series(np.array(times, dtype="int64") + 1_700_000_000).astype(f"datetime64[{unit}]")
    if kind == "zone":
        return clock.dt.tz_localize("UTC").dt.tz_convert("Europe/Rome")
    return clock.astype(pd.ArrowDtype(pa.timestamp("us"))) if kind == "arrow" else clock


def _index(size, kind):
    match kind:
        case "text":
            return pd.Index([f"label {i}" for i in range(size)], name="event")
        case "duplicate":
            return pd.Index([7] * size)
        case "multi":
            return pd.MultiIndex.from_arrays(
                [[i % 2 for i in range(size)], [f"deep {i}" for i in range(size)]]
            )
        case "time":
            return pd.date_range("2020-01-01", periods=size, freq="D")
        case _:
            return pd.RangeIndex(size)
