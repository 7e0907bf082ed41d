"""Count the prefixes in which sensitive events are too frequent, or stand out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.sequences import Sequences


@dataclass(frozen=True)
class OrderedRows:
    """Unmarked rows of one event sequence after the other, in time order."""

    owners: Ints
    moments: Ints  # number of the time point; the same for rows that no prefix can separate
    codes: Ints
    n_events: int


class Violations(NamedTuple):
    """How many prefixes were checked, and for each sensitive event the prefixes that break the guarantee.

    ``details`` has the event, its place among those named, the number of prefixes, and whose they are.
    """

    checked: int
    details: pd.DataFrame


def ordered_rows(sequences: Sequences, scope: str) -> OrderedRows:
    """Bring the rows of sequences, of people or of the whole table into the order of their times."""
    owners = sequences.owners
    keys = pd.DataFrame({"owner": owners, "moment": sequences.elements, "code": sequences.codes})
    if scope != "sequence":
        people = 0 if sequences.people is None or scope == "table" else sequences.people[owners]
        keys = keys.assign(owner=people, moment=pd.factorize(sequences.times, sort=True)[0])
    keys = keys[keys["code"] >= 0].sort_values(["owner", "moment"], kind="stable").astype(np.int64)
    owner, moment, code = (keys[name].to_numpy() for name in ("owner", "moment", "code"))
    return OrderedRows(owner, moment, code, len(sequences.vocabulary))


def find_frequent(ordered: OrderedRows, named: Ints, delta: Fraction) -> Violations:
    """Count the prefixes in which a sensitive event is too frequent."""
    rows = pd.DataFrame({"owner": ordered.owners, "moment": ordered.moments, "code": ordered.codes})
    rows["length"] = rows.groupby("owner").cumcount() + 1
    rows["length"] = rows.groupby(["owner", "moment"])["length"].transform("max")
    rows["occurrences"] = rows.groupby(["owner", "code"]).cumcount() + 1
    sensitive = rows[rows["code"].isin(named[named >= 0])]
    prefixes = sensitive.groupby(["owner", "moment", "code"], as_index=False)[["length", "occurrences"]].max()
    return frequent_prefixes(prefixes, named, delta)


def frequent_prefixes(prefixes: pd.DataFrame, named: Ints, delta: Fraction) -> Violations:
    """Tell which prefixes have too many occurrences of a sensitive event among their rows."""
    frequent = prefixes[prefixes["occurrences"].to_numpy() > _most_below(prefixes["length"], delta)]
    return Violations(len(prefixes), _details(frequent, named))


def _most_below(lengths: pd.Series, delta: Fraction) -> Ints:
    """Return the most occurrences among this many rows that are below delta, using Python's integers."""
    distinct, place = np.unique(lengths.to_numpy(), return_inverse=True)
    top, bottom = delta.numerator, delta.denominator
    most = [(top * int(length) - 1) // bottom for length in distinct]
    return np.array(most, np.int64)[place] if most else np.zeros(0, np.int64)


def _details(frequent: pd.DataFrame, named: Ints) -> pd.DataFrame:
    place = pd.Series(np.arange(named.size), index=named)
    shares = frequent.assign(share=frequent["occurrences"] / frequent["length"])
    found = shares.groupby("code")["share"].agg(["size", "max"])
    return pd.DataFrame(
        {
            "event": found.index.to_numpy(),
            "place": place[~place.index.duplicated()].reindex(found.index).to_numpy(),
            "prefixes": found["size"].to_numpy(),
            "largest_share": found["max"].to_numpy(),
            "owners": [tuple(owners) for owners in shares.groupby("code")["owner"].unique()],
        }
    )


def exposed_events(ordered: OrderedRows, named: Ints, delta: Fraction, camouflage: int) -> Violations:
    """Count the prefixes in which a sensitive event stands out."""
    # The compiled code is loaded only when it is needed.
    from pdseqpriv.sanitization.kernels.company import find_exposed

    is_named = np.zeros(ordered.n_events, bool)
    is_named[named[named >= 0]] = True
    longest = int(np.bincount(ordered.owners).max(initial=0))
    most = _most_below(pd.Series(np.arange(longest + 1)), delta)
    # Copies, as columns of pandas are read-only and would need compiled code of their own.
    rows = (ordered.owners.copy(), ordered.moments.copy(), ordered.codes.copy())
    checked, owners, codes = find_exposed(*rows, is_named, most, camouflage - 1)
    return Violations(checked, _exposed(pd.DataFrame({"owner": owners, "code": codes}), named))


def _exposed(found: pd.DataFrame, named: Ints) -> pd.DataFrame:
    groups = found.groupby("code")["owner"]
    sizes = groups.size()
    places = [int(np.flatnonzero(named == code)[0]) for code in sizes.index]
    owners = [tuple(some) for some in groups.unique()]
    return pd.DataFrame(
        {"event": sizes.index.to_numpy(), "place": places, "prefixes": sizes.to_numpy(), "owners": owners}
    )
