"""Read and check what taxonomies are made from: which name is below which."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal, wrong_parameter
from pdseqpriv.sequences.events import free_name, text_of_names

Places = NDArray[np.int64]

_MUST = "a mapping of child to parent, nested dicts, or a DataFrame with two columns (child, parent)"
_COLUMNS = ("child", "parent")


class Links(NamedTuple):
    """Names, each once, and the place of the name above each; -1 where there is none."""

    names: pd.Index
    above: Places


class Levels(NamedTuple):
    """Names in order of depth and then of text, the place of the name above each, and the depths."""

    names: pd.Index
    above: NDArray[np.int32]
    depth: NDArray[np.int32]


def read_links(source: object) -> Links:
    """Read what a user gives."""
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    if not isinstance(source, Mapping):
        is_file = isinstance(source, str | os.PathLike)
        do = "Read a file with Taxonomy.read_csv or Taxonomy.read_parquet." if is_file else ""
        raise wrong_parameter("source", _MUST, type(source).__name__, do)
    if any(_is_branch(below) for below in source.values()):
        return _from_nested(source)
    children, parents = list(source.keys()), list(source.values())
    return _from_pairs(_text(children), _text(parents))


def arrange(links: Links) -> Levels:
    """Order names so that each comes after the one above it, with one root on top."""
    names, above = links
    tops = np.flatnonzero(above < 0)
    if not len(names):
        raise refusal("source is empty. Give at least one event.")
    is_lonely = tops.size == 1 and len(names) == 1
    if tops.size > 1 or is_lonely:
        above = np.append(np.where(above < 0, len(names), above), -1)
        names = names.append(pd.Index([free_name(names)], dtype=names.dtype))
        tops = np.array([len(names) - 1])
    depth = _depths(above, int(tops[0]) if tops.size else -1)
    by_name = np.empty(len(names), np.int64)
    by_name[np.asarray(names.argsort())] = np.arange(len(names))
    order = np.lexsort((by_name, depth))
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    above[tops[0]] = tops[0]  # the root is its own parent
    return Levels(names[order], place[above[order]], depth[order].astype(np.int32))


def _depths(above: Places, top: int) -> Places:
    """Count the steps up to the root by doubling; names on or below a cycle never reach it."""
    steps = np.ones(above.size, np.int64)
    up = above.copy()
    if top >= 0:
        steps[top], up[top] = 0, top
    for _ in range(int(above.size).bit_length()):
        steps += steps[up]
        up = up[up]
    lost = int((up != top).sum())
    if lost:
        are = "is" if lost == 1 else "are"
        raise refusal(
            f"{counted(lost, 'name')} {are} on or below a cycle, so no category is above them all. "
            "Leave out the row of the root: a root is a name without a parent."
        )
    return steps


def _from_frame(frame: pd.DataFrame) -> Links:
    if frame.shape[1] != len(_COLUMNS):
        raise wrong_parameter("source", _MUST, f"a DataFrame with {counted(frame.shape[1], 'column')}")
    by_name = tuple(frame.columns) == _COLUMNS[::-1]
    child, parent = (frame.iloc[:, 1], frame.iloc[:, 0]) if by_name else (frame.iloc[:, 0], frame.iloc[:, 1])
    return _from_pairs(_text(child), _text(parent))


def _from_pairs(children: pd.Index, parents: pd.Index) -> Links:
    refuse_nulls(children, "children")
    do = "Leave out the rows of names without a parent: such a name is a root."
    refuse_nulls(parents, "parents", do)
    _refuse_repeats(children, parents)
    codes, names = pd.factorize(children.append(parents))
    above = np.full(len(names), -1, np.int64)
    above[codes[: len(children)]] = codes[len(children) :]
    return Links(pd.Index(names), above)


def refuse_nulls(names: pd.Index, what: str, do: str = "") -> None:
    """Raise where a name is null."""
    nulls = int(names.isna().sum())
    if nulls:
        are = "is" if nulls == 1 else "are"
        raise refusal(f"{nulls} of {len(names)} {what} {are} null. {do}".rstrip())


def _refuse_repeats(children: pd.Index, parents: pd.Index) -> None:
    repeats = int(children.duplicated().sum())
    if not repeats:
        return
    pairs = pd.DataFrame({"child": children, "parent": parents}).drop_duplicates()
    several = pairs["child"][pairs["child"].duplicated()].nunique()
    if several:
        have = "name has" if several == 1 else "names have"
        swapped = "" if pairs["parent"].duplicated().any() else " Are children and parents swapped?"
        raise refusal(f"{several} {have} more than one parent. Give each child one parent.{swapped}")
    are = "child is" if repeats == 1 else "children are"
    raise refusal(f"{repeats} {are} listed more than once. Drop the repeated rows.")


def _from_nested(source: Mapping[object, object]) -> Links:
    names: list[str] = []
    above: list[int] = []
    known: set[str] = set()
    waiting: list[tuple[int, object]] = [(-1, source)]
    while waiting:
        parent, below = waiting.pop()
        entries = list(_entries(below))
        for name, (_, branch) in zip(_text([name for name, _ in entries]), entries, strict=True):
            if pd.isna(name):
                raise refusal("a name in the nested dicts is null.")
            if name in known:  # this also stops at dicts that contain themselves
                raise refusal("a name occurs in two places of the nested dicts. Keep one of them.")
            known.add(name)
            waiting.append((len(names), branch))
            names.append(name)
            above.append(parent)
    return Links(pd.Index(names, dtype="str"), np.array(above, np.int64))


def _entries(below: object) -> Iterator[tuple[object, object]]:
    if below is None:
        return
    if isinstance(below, Mapping):
        yield from below.items()
    elif _is_branch(below):
        yield from ((name, None) for name in below)  # type: ignore[attr-defined]
    else:
        must = "nested dicts that end in lists of events, in empty dicts or in None"
        raise wrong_parameter("source", must, f"a {type(below).__name__} inside them")


def _is_branch(below: object) -> bool:
    """Return whether this holds names, rather than being one."""
    return isinstance(below, Collection) and not isinstance(below, str | bytes)


def _text(names: object) -> pd.Index:
    return text_of_names(names, "source")
