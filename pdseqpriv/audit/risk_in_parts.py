"""Measure risk where the tables are."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdseqpriv.audit.attacked_tables import check_pair
from pdseqpriv.audit.candidates_in_parts import Facts, TablesElsewhere, facts_of_part, have_times, merge_facts
from pdseqpriv.audit.known_events import Order, read_resolution
from pdseqpriv.audit.own_sequences import warn_of_what_was_applied
from pdseqpriv.engines.elsewhere import engine_elsewhere, memory_for
from pdseqpriv.engines.engine import Table, reduce_both, start, start_both, with_its_columns
from pdseqpriv.sequences.events import merge_vocabularies


def risk_in_parts(
    table: Table,
    original: Table | None,
    numbers: list[int],
    order: Order,
    resolution: object,
    **drawing: Any,  # noqa: ANN401 (k, sample and seed)
) -> pd.DataFrame | None:
    """Count candidates where the tables are; None if they are here, or if people have several sequences.

    Whose the records of a release are is not known in its parts.
    """
    both = [table] if original is None else [original, table]
    bound = [with_its_columns(one) for one in both]
    is_elsewhere = any(engine_elsewhere(one.frame) for one in bound)
    if not is_elsewhere or any(one.columns.person is not None for one in bound):
        return None
    warn_of_what_was_applied(table, original)
    tables, facts = _looked_at(table, original, [memory_for(one.frame) for one in bound])
    with_time = order == "with times"
    if original is not None:
        check_pair(*facts, with_time=with_time)
        merge_vocabularies(facts[0].vocabulary, facts[1].vocabulary)  # which must be of one kind
    width = read_resolution(resolution, facts[0], with_time=with_time)
    has_times = not with_time and have_times(tables.runs, facts)
    return tables.count_candidates(numbers, order, width, **drawing, has_times=has_times)


def _looked_at(
    table: Table, original: Table | None, limits: list[int]
) -> tuple[TablesElsewhere, list[Facts]]:
    """Check the tables, and return what can be seen of them as a whole."""
    if original is None:
        run = start(table, others=())
        return TablesElsewhere([run], limits), [run.reduce(facts_of_part, merge_facts)]
    facts = list(reduce_both(original, table, facts_of_part, merge_facts))
    return TablesElsewhere(start_both(original, table), limits), facts
