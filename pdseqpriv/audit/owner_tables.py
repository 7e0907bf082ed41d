"""What tables for the owner have in common: they name sequences and people as the original does."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import pandas as pd

from pdseqpriv.errors import refusal
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import Codes, decode


def refuse_own_names(names: Iterable[Hashable], own: Iterable[str]) -> None:
    """Raise if a column of the user's has a name that the result needs."""
    taken = [name for name in names if name in tuple(own)]
    if taken:
        raise refusal(f"the result has a column {taken[0]!r} of its own. Rename that column of the table.")


def people_column(columns: Columns, people: Codes, person_ids: pd.Index | None) -> dict[Hashable, pd.Series]:
    """Return the column of people under the user's name; none if they are not named."""
    if columns.person is None or person_ids is None:
        return {}
    return {columns.person: decode(people, person_ids, person_ids.dtype)}
