"""The tables that risk measures: reading them, whether they fit together, and whose records are whose."""

from __future__ import annotations

import pandas as pd

from pdseqpriv.audit.belonging import Belonging, belonging_of, belonging_of_records
from pdseqpriv.audit.candidates_in_parts import Facts
from pdseqpriv.audit.own_sequences import applied_since, own_sequences, warn_of_what_was_applied
from pdseqpriv.engines.engine import RELEASED, BoundTable, Table, bind, read, read_both
from pdseqpriv.errors import SeqPrivError, refusal, said_of
from pdseqpriv.sequences.columns import has_intervals
from pdseqpriv.sequences.record import claims_of
from pdseqpriv.sequences.sequences import Sequences

_ENOUGH = 10  # candidates by default


def read_tables(table: Table, original: Table | None) -> list[Sequences]:
    """Read the table; with an original, that first."""
    warn_of_what_was_applied(table, original)
    if original is None:
        return [read(table)]
    before, after = read_both(original, table)
    if after.people is not None and before.people is None:
        raise refusal("people are named in the release only. Name them in the original: using(person=...).")
    return [before, after]


def refuse_generalized(table: Table) -> None:
    """Refuse a table that has no events to count candidates by."""
    if has_intervals(table):
        raise refusal(
            "this is a generalized table, in which nobody has events to count candidates by. Measure which "
            'records fit what is known of people: attack="linkage" with original and key.'
        )


def names_people(table: Table | None) -> bool:
    """Return whether a table says whose its sequences are."""
    return isinstance(table, BoundTable) and table.columns.person is not None


def belonging_of_tables(
    tables: list[Sequences], table: Table, original: Table | None, key: pd.DataFrame | None
) -> list[Belonging] | None:
    """Say whose the sequences of each table are, where people have several."""
    before = belonging_of(tables[0])
    if before is None or original is None:
        return None if before is None else [before]
    own = own_sequences(tables[0], tables[1], key, applied_since(original, table))
    return [before, belonging_of_records(tables[0], tables[1], own)]


def recorded_k(table: Table, original: Table | None) -> int:
    """Return the k that a release was made with, if it says so."""
    if original is None:
        return _ENOUGH
    try:
        steps = claims_of(bind(table).frame)["applied"]
    except SeqPrivError as error:
        raise said_of(RELEASED, error) from None
    told = [step["parameters"].get("k") for step in steps if step["operation"] == "k_anonymize"]
    return told[-1] if told and isinstance(told[-1], int) else _ENOUGH


def check_pair(original: Sequences | Facts, released: Sequences | Facts, *, with_time: bool) -> None:
    """Refuse tables that do not belong together."""
    if with_time and original.time_unit != released.time_unit:
        raise refusal("the original and the release have different kinds of times, which cannot be compared.")
    if released.n_rows and not original.vocabulary.isin(released.vocabulary).any():
        raise refusal("no event of the release occurs in the original. Do the tables belong together?")
    check_sizes(original, released)


def has_times(tables: list[Sequences]) -> bool:
    """Return whether times may be known: those of a release are times of the original, and not positions."""
    original, released = tables[0], tables[-1]
    if released.time_unit != original.time_unit:
        return False
    return bool(pd.Index(released.times).isin(original.times).all())  # np.isin takes ten times as long


def check_sizes(original: Sequences | Facts, released: Sequences | Facts) -> None:
    """Refuse a release with more sequences than the original."""
    if released.n_sequences > original.n_sequences:
        raise refusal("the release has more sequences than the original. Were they swapped?")
