"""The same task at growing sizes, by a published algorithm and by us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.cases import Case, Target


class Runner(NamedTuple):
    """Who runs, and how."""

    name: str
    run: Callable[[Any], Any]


def race(
    ours: Runner,
    theirs: Runner,
    *,
    sizes: Sequence[int],
    counted: str,
    prepare: Callable[[int], Any],
    most: float | None = None,
) -> list[Case]:
    """Make two cases per size; at the largest, ours may take ``most`` times what theirs takes."""

    def warm_up() -> Any:  # noqa: ANN401 (whatever the task is)
        return prepare(sizes[0])

    cases = []
    for size in sizes:
        their_name, our_name = (f"{who.name}, {size:,} {counted}" for who in (theirs, ours))
        target = Target(most, (their_name,)) if most is not None and size == sizes[-1] else None
        common = {
            "prepare": lambda size=size: prepare(size),
            "warm_up": warm_up,
            "size": size,
            "counted": counted,
        }
        cases.append(Case(their_name, run=theirs.run, curve=theirs.name, **common))
        cases.append(
            Case(our_name, run=ours.run, curve=ours.name, beside=their_name, target=target, **common)
        )
    return cases
