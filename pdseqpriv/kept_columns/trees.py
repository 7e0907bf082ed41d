"""How values of kept columns are made coarser: trees, of which the root is shown as null.

Nodes are numbered, the root is node 0. A null of the table is the root from the start.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.encoding import decode, encode
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.taxonomy.taxonomy import Taxonomy


class ShownColumn(NamedTuple):
    """A column as it is released: for each node of a tree the code of a value; -1 is null."""

    name: Hashable
    dtype: object
    values: pd.Index
    codes: NDArray[np.int32]


class ValueTree(NamedTuple):
    """The node above each node, the root's is its own; and what is shown for each in one or more columns."""

    parents: Ints
    columns: list[ShownColumn]


def tree_of_values(columns: Mapping[Hashable, pd.Series]) -> tuple[ValueTree, Ints]:
    """Make a tree in which all different combinations of values are below the root; return each row's node.

    Examples
    --------
    >>> tree, nodes = tree_of_values({"sex": pd.Series(["m", "f", None, "m"])})
    >>> tree.parents.tolist(), nodes.tolist()
    ([0, 0, 0], [2, 1, 0, 2])
    """
    encoded = [encode(column) for column in columns.values()]
    nothing = np.full((1, len(encoded)), -1, np.int32)  # sorts first
    codes = np.concatenate((nothing, np.stack([one.codes for one in encoded], axis=1)))
    combinations, nodes = np.unique(codes, axis=0, return_inverse=True)
    shown = [
        ShownColumn(name, column.dtype, values, combinations[:, place])
        for place, ((name, column), (_, values)) in enumerate(zip(columns.items(), encoded, strict=True))
    ]
    return ValueTree(np.zeros(len(combinations), np.int64), shown), nodes.reshape(-1)[1:]


def tree_of_categories(name: Hashable, column: pd.Series, taxonomy: Taxonomy) -> tuple[ValueTree, Ints]:
    """Return the tree of a taxonomy, and the node of each row; numbers become text, as categories are."""
    codes, values = encode(column)
    places = taxonomy.find(values)
    _refuse_strangers(name, places, taxonomy)
    is_text = len(values) > 0 and isinstance(values[0], str)
    dtype = column.dtype if is_text else "str"
    if isinstance(column.dtype, pd.CategoricalDtype):
        dtype = pd.CategoricalDtype(taxonomy.names.sort_values())
    shown = np.arange(len(taxonomy), dtype=np.int32)
    shown[0] = -1
    nodes = np.append(places, 0)[codes]  # the last entry is for nulls
    return ValueTree(
        taxonomy.parents.astype(np.int64), [ShownColumn(name, dtype, taxonomy.names, shown)]
    ), nodes


def _refuse_strangers(name: Hashable, places: Ints, taxonomy: Taxonomy) -> None:
    of = f"of the {counted(places.size, 'value')} of column {name!r}"
    missing = int((places < 0).sum())
    if missing:
        are = "is" if missing == 1 else "are"
        raise refusal(f"{missing} {of} {are} not in its taxonomy. Add what is missing.")
    inner = int((~taxonomy.is_leaf[places]).sum())
    if inner:
        are = "is also a category" if inner == 1 else "are also categories"
        do = "Rename the categories, or put the values below them."
        raise refusal(f"{inner} {of} {are} of its taxonomy with other values below. {do}")


def shown_columns(trees: list[ValueTree], nodes: Ints) -> dict[Hashable, pd.Series]:
    """Write out what is shown for rows of nodes, one in each tree."""
    return {
        column.name: _written(column.codes[nodes[:, place]], column)
        for place, tree in enumerate(trees)
        for column in tree.columns
    }


def _written(codes: NDArray[np.int32], column: ShownColumn) -> pd.Series:
    _, dtype, values, _ = column
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and (codes < 0).any():
        dtype = "UInt64" if dtype.kind == "u" else "Int64"  # those of numpy know no null
        values = values.astype(dtype)
    return decode(codes, values, dtype)
