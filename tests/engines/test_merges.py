"""Summaries are merged as a tree of any shape: every merge of every function is associative."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from pdseqpriv import PrivacyWarning, SeqPrivError
from pdseqpriv.audit.candidates_in_parts import facts_of_part, merge_facts
from pdseqpriv.audit.crowd import crowd_of, merge_crowds
from pdseqpriv.engines.engine import BoundTable
from pdseqpriv.engines.local import Local, LocalRun
from pdseqpriv.engines.together import append_parts, narrow
from pdseqpriv.mining import tables_to_mine
from pdseqpriv.sequences.columns import Columns
from tests.engines.every_function import CALLS
from tests.engines.test_same_answers import IN_PARTS, with_several_sequences, without_index
from tests.strategies import with_people


class Regrouped(Local):
    """An engine in three parts that merges them from the left and from the right, and notes both."""

    def __init__(self, noted):
        super().__init__(3)
        object.__setattr__(self, "noted", noted)

    def start(self, frame, columns, others=None):  # noqa: ARG002 (they are all here)
        run = RegroupedRun(frame, columns, 3)
        run.is_here, run.noted = False, self.noted
        return run


class RegroupedRun(LocalRun):
    """The verbs, with every reduce in both ways."""

    def reduce(self, summarise, merge, *, copies=0):  # noqa: ARG002 (the table itself is here)
        first, second, third = (summarise(sequences) for _, sequences in self._parts)
        from_left, from_right = merge(merge(first, second), third), merge(first, merge(second, third))
        self.noted.append((name_of(merge), values_in(from_left), values_in(from_right)))
        return from_left


def name_of(merge):
    while isinstance(merge, functools.partial):
        merge = merge.func
    return getattr(merge, "__qualname__", str(merge))


def values_in(found):
    """Give all that a summary holds as text, without the types of its arrays."""
    if isinstance(found, pd.DataFrame):
        found = {str(name): found[name] for name in found}
    if isinstance(found, np.ndarray | pd.Index | pd.Series):
        return repr(found.tolist())
    if dataclasses.is_dataclass(found):
        found = [getattr(found, field.name) for field in dataclasses.fields(found)]
    if isinstance(found, dict):
        found = list(found.items())
    return list(map(values_in, found)) if isinstance(found, list | tuple) else repr(found)


# Risks are counted in parts only if the rows are elsewhere.
SUMMARIES = {
    "facts": (facts_of_part, merge_facts),
    "crowd": (functools.partial(crowd_of, order="in order", resolution=None), merge_crowds),
    "all sequences": (narrow, append_parts),
}


def merges_of(name, frame, options):
    noted = []
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", PrivacyWarning)
        patch.setattr(tables_to_mine, "FEW_ROWS", -1)
        with contextlib.suppress(SeqPrivError):  # what was merged before a refusal is noted
            if name in SUMMARIES:
                Regrouped(noted).start(frame, Columns(**options)).reduce(*SUMMARIES[name])
            else:
                CALLS[name](lambda: BoundTable(frame, Columns(**options), Regrouped(noted)))
    return noted


@pytest.mark.parametrize("name", [*IN_PARTS, *SUMMARIES])
@settings(max_examples=2)
@given(frame=with_people(with_several_sequences(6)))
def test_it_does_not_matter_which_parts_are_merged_first(name, frame):
    for options in ({}, {"person": "person"}):
        bare = without_index(frame if options else frame.drop(columns="person"))
        for merge, from_left, from_right in merges_of(name, bare, options):
            assert from_left == from_right, merge


def test_every_merge_was_looked_at():
    rows = [(f"person {n}", "abc"[(n * t + t) % 3], t // 2, "xy"[n % 2]) for t in range(5) for n in range(9)]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time", "note"])
    seen = {merge for name in [*IN_PARTS, *SUMMARIES] for merge, _, _ in merges_of(name, frame, {})}
    assert seen >= {
        "_join",
        "_merge_candidates",
        "_merged",
        "append_parts",
        "merge",
        "merge_costs",
        "merge_counts",
        "merge_crowds",
        "merge_facts",
        "merge_matches",
        "merge_owners",
        "merge_supporters",
        "merge_variants",
    }
