"""Read the columns that are kept: what they say of each sequence, and how it can be made coarser."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.engines.engine import Run
from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.kept_columns.trees import ValueTree, tree_of_categories, tree_of_values
from pdseqpriv.parameters import KEPT
from pdseqpriv.sequences.encoding import encode
from pdseqpriv.sequences.kept_values import of_several_values, problem_of_kept_values
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.taxonomy.of_kept_columns import taxonomies_to_keep
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# Names that nobody's column has, for what is known of each sequence.
_ID, _PERSON, _KEPT = "pdseqpriv id", "pdseqpriv person", "pdseqpriv kept"


class Kept(NamedTuple):
    """What is kept of each sequence, as the number of a combination of values.

    A combination is a row of nodes, one in each tree. All sequences of a person have the same.
    """

    ids: pd.Index
    people: Ints
    numbers: Ints
    leaves: Ints
    trees: list[ValueTree]


def read_kept(keep: object, run: Run) -> Kept:
    """Return what is kept of each sequence; all sequences of a person must say the same."""
    categories = taxonomies_to_keep(keep)
    names = list(categories)
    _check_names(names, run)
    found, n_varying = run.gather(partial(kept_of_part, names=names))
    if n_varying:
        raise of_several_values(n_varying, "sequence" if run.columns.person is None else "person")
    columns = {name: found[f"{_KEPT} {place}"] for place, name in enumerate(names)}
    if isinstance(keep, Mapping):
        made = [_tree_of(name, column, categories[name]) for name, column in columns.items()]
    else:
        made = [tree_of_values(columns)]
    nodes = np.stack([leaves for _, leaves in made], axis=1)
    leaves, numbers = np.unique(nodes, axis=0, return_inverse=True)
    people = encode(found[_PERSON]).codes.astype(np.int64)
    return Kept(pd.Index(found[_ID]), people, numbers.reshape(-1), leaves, [tree for tree, _ in made])


def _tree_of(name: Hashable, column: pd.Series, taxonomy: Taxonomy | None) -> tuple[ValueTree, Ints]:
    if taxonomy is None:
        return tree_of_values({name: column})
    return tree_of_categories(name, column, taxonomy)


def _check_names(names: list[Hashable], run: Run) -> None:
    for name in names:
        if name in run.columns.roles.values():
            raise wrong_parameter("keep", KEPT, f"{name!r}, which has a role of its own")
        if run.other_columns.count(name) > 1:
            raise refusal(f"several columns are named {name!r}. Rename them.")
        if name not in run.other_columns:
            others = ", ".join(map(repr, run.other_columns)) or "none"
            raise wrong_parameter("keep", KEPT, f"{name!r}", f"The other columns are: {others}.")


def kept_of_part(
    frame: pd.DataFrame, sequences: Sequences, names: list[Hashable]
) -> tuple[pd.DataFrame, int]:
    """Return the columns of each sequence of a part, and how many people have several values in one."""
    owners, people = sequences.owners, sequences.whose
    first = np.unique(people[owners], return_index=True)[1]  # a row of each person
    varies = np.zeros(first.size, np.bool_)
    begins = sequences.rows[sequences.offsets[:-1]]
    whose = sequences.ids if sequences.person_ids is None else sequences.person_ids[people]
    known = {_ID: sequences.ids, _PERSON: whose}
    for place, name in enumerate(names):
        problem = problem_of_kept_values(frame[name])
        if problem is not None:
            raise problem
        codes = encode(frame[name]).codes[sequences.rows]
        varies[people[owners[codes != codes[first][people[owners]]]]] = True
        known[f"{_KEPT} {place}"] = frame[name].array[begins]
    return pd.DataFrame(known), int(varies.sum())
