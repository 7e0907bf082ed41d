"""The same task at growing sizes, by a published algorithm and by us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from benchmarks.cases import Case, Memory, Shown, Target


class Runner(NamedTuple):
    """Who runs, and how."""

    name: str
    run: Callable[[Any], Any]
    facts: Callable[[Any, Any], dict[str, Any]] | None = None


def race(
    ours: Runner,
    theirs: Runner,
    *,
    sizes: Sequence[int],
    counted: str,
    prepare: Callable[[int], Any],
    targets: Callable[[str], tuple[Target | Memory | Shown, ...]] = lambda _: (),
) -> list[Case]:
    """Make two cases per size; at the largest, ours has the targets that are given for the name of theirs."""
    cases = []
    for size in sizes:
        their_name, our_name = (f"{who.name}, {size:,} {counted}" for who in (theirs, ours))
        one = Case(
            their_name,
            partial(prepare, size),
            theirs.run,
            warm_up=partial(prepare, sizes[0]),
            facts=theirs.facts,
            curve=theirs.name,
            size=size,
            counted=counted,
        )
        held = targets(their_name) if size == sizes[-1] else ()
        two = replace(one, name=our_name, run=ours.run, facts=ours.facts, curve=ours.name, targets=held)
        cases += [one, replace(two, beside=their_name)]
    return cases
