"""Pool the sequences of each person by time into one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdseqpriv.sequences.kernels import ordering
from pdseqpriv.sequences.ragged import Flags
from pdseqpriv.sequences.sequences import Sequences


def pooled_by_person(sequences: Sequences, is_sensitive: Flags) -> Sequences:
    """Return one sequence per person; rows of a time are one element, whichever sequences they come from.

    Rows of one time and event are in the order of the frame. People without a sensitive event (by its code)
    have an empty sequence: nothing of theirs is deleted.
    """
    if sequences.people is None or sequences.person_ids is None:
        return sequences  # each is a person of its own
    people = sequences.people[sequences.owners]
    concerned = np.zeros(len(sequences.person_ids), np.bool_)
    concerned[people[np.append(is_sensitive, False)[sequences.codes]]] = True
    chosen = np.flatnonzero(concerned[people])
    place = np.full(sequences.n_rows, -1, np.int64)
    place[sequences.rows[chosen]] = chosen
    in_order = place[place >= 0]  # as in the frame
    people = people[in_order]
    offsets = ordering.offsets_of_groups(people, concerned.size)
    arrays = (sequences.times[in_order], sequences.codes[in_order])
    rows, times, codes = ordering.lay_out_by_group(people, offsets, *arrays)
    ordering.sort_inside(rows, offsets, times, codes, True)
    return replace(
        sequences,
        codes=codes,
        offsets=offsets,
        times=times,
        rows=sequences.rows[in_order[rows]],
        ids=sequences.person_ids,
        columns=replace(sequences.columns, ties="element"),
        people=None,
        person_ids=None,
    )
