"""Pool the sequences of each person by time into one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdseqpriv.sequences.kernels import ordering
from pdseqpriv.sequences.sequences import Sequences


def pooled_by_person(sequences: Sequences) -> Sequences:
    """Return one sequence per person; rows of a time are one element, whichever sequences they come from.

    Rows of one time and event are in the order of the frame.
    """
    if sequences.people is None or sequences.person_ids is None:
        return sequences  # each is a person of its own
    rows, n_people = sequences.rows, len(sequences.person_ids)
    groups, times, codes = np.empty_like(rows), np.empty_like(sequences.times), np.empty_like(sequences.codes)
    groups[rows] = sequences.people[sequences.owners]
    times[rows], codes[rows] = sequences.times, sequences.codes
    offsets = ordering.offsets_of_groups(groups, n_people)
    rows, times, codes = ordering.lay_out_by_group(groups, offsets, times, codes)
    ordering.sort_inside(rows, offsets, times, codes, True)
    return replace(
        sequences,
        codes=codes,
        offsets=offsets,
        times=times,
        rows=rows,
        ids=sequences.person_ids,
        columns=replace(sequences.columns, ties="element"),
        people=None,
        person_ids=None,
    )
