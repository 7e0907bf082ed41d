"""Whose the sequences of a release are: it does not say, but where it keeps ids the original does."""

from __future__ import annotations

from dataclasses import replace

from pdseqpriv.engines.engine import Table, read_both
from pdseqpriv.errors import counted, refusal, wrong_parameter
from pdseqpriv.sequences.encoding import find_values
from pdseqpriv.sequences.sequences import Sequences


def read_with_people(original: Table, released: Table) -> Sequences:
    """Check both tables and return the sequences of the release, with the people of the original."""
    before, after = read_both(original, released)
    if before.people is None:
        do = "It says whose each sequence is."
        raise wrong_parameter("original", "a table with using(person=...)", "one that names no person", do)
    places = find_values(after.ids, before.ids)
    unknown = int((places < 0).sum())
    if unknown:
        raise refusal(
            f"{counted(unknown, 'sequence')} of the release {'is' if unknown == 1 else 'are'} not in the "
            "original, so it is not known whose. Give the table that the release was made from."
        )
    return replace(after, people=before.people[places], person_ids=before.person_ids)
