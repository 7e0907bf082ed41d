"""Check that sensitive events are not frequent in any prefix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, read
from pdseqpriv.engines.whose import read_with_people
from pdseqpriv.errors import counted, wrong_parameter
from pdseqpriv.parameters import list_of_events, one_of, share, whole_number, yes_or_no
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.ragged import Ints
from pdseqpriv.sequences.record import claims_of, with_absent
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.verdict import Verdict


@on_tables()
def is_sanitized(
    released: Table,
    delta: float | Fraction | Decimal,
    *,
    events: Iterable[Hashable],
    scope: Literal["sequence", "person", "table"] = "sequence",
    camouflage: int | None = None,
    original: Table | None = None,
    may_be_absent: bool = False,
    reveal: bool = False,
    **_columns: Unpack[ColumnNames],
) -> Verdict:
    """Check that the relative frequency of a sensitive event reaches delta in no prefix.

    Parameters
    ----------
    released : DataFrame, or ``df.seqpriv.using(...)``
        Any sequence table, whoever made it. For scope "person" it must say whose each sequence is, with
        ``using(person=...)``, unless the original does.
    delta : number above 0 and at most 1
        As for ``sanitize``: used exactly as it is written.
    events : list of events
        The sensitive events.
    scope : {"sequence", "person", "table"}
        Whether to check the prefixes of each sequence, those of all sequences of a person pooled by time, or
        those of the table pooled by time.
    camouflage : int of at least 2, optional
        Also check that in every prefix with a sensitive event at least ``camouflage - 1`` other events, below
        ``delta`` themselves, occur at least as often.
    original : sequence table with ``using(person=...)``, optional
        For scope "person": the table that the release was made from. A release does not say whose a sequence
        is, but it keeps the ids, and the original says whose they are.
    may_be_absent : bool
        Whether it is fine that none of the events occurs in the table. Otherwise the verdict does not hold
        then: the names may be misspelt, and nothing was checked. Not needed if the table's record shows that
        events were removed.
    reveal : bool
        Also show in ``details`` the sensitive event and the ids of the sequences, or of the people.
        For the data owner only: this is exactly what nobody else may see.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    Verdict
        ``checked`` counts prefixes, once for each sensitive event that occurs at their end. ``details`` has a
        row for each sensitive event that is too frequent somewhere: its position in ``events``, the number of
        prefixes, and its largest relative frequency. If some events do not occur in the table, the verdict
        says so, with a PrivacyWarning unless the table's record says that events were removed; if none
        occurs, it does not hold.

    Notes
    -----
    **Guarantee**: counts are compared as whole numbers, without rounding, by code that ``sanitize`` does not
    use: for each row of a sensitive event, how often the event has occurred so far, and how many rows there
    are so far. The definition is that of Loukides and Gwadera, Optimal event sequence sanitization (2015).

    **Not protected**: the verdict says nothing about events that were not named, or about parts of a sequence
    that are not prefixes.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> df = pd.DataFrame({"seq_id": [1, 1, 1, 1], "event": list("bbab"), "time": [1, 2, 3, 4]})
    >>> pdseqpriv.verify.is_sanitized(df, 0.4, events=["a"])
    holds: every sensitive event stays below delta (1 prefix checked)
    >>> pdseqpriv.verify.is_sanitized(df, 0.25, events=["a"]).violations
    1
    """
    exact = share("delta", delta)
    one_of("scope", scope, ("sequence", "person", "table"))
    if camouflage is not None:
        whole_number("camouflage", camouflage, least=2)
    sequences = _read(released, original, scope)
    reveal, may_be_absent = yes_or_no("reveal", reveal), yes_or_no("may_be_absent", may_be_absent)
    named = list_of_events("events", events)
    if not len(named):
        raise wrong_parameter("events", "a list of at least one event", "an empty list")
    ordered = _ordered_rows(sequences, scope)
    codes = find_events(named, sequences.vocabulary)
    verdict = _check_frequencies(ordered, codes, exact)
    if verdict and camouflage is not None:
        verdict = _check_camouflage(ordered, codes, exact, camouflage)
    verdict = replace(verdict, details=_shown(verdict.details, named, sequences, scope, reveal=reveal))
    unknown = int((codes < 0).sum())
    if not unknown:
        return verdict
    do = "does" if unknown == 1 else "do"
    missing = f"{unknown} of {counted(len(named), 'event')} {do} not occur in the table"
    record, may_be = claims_of(bind(released).frame), may_be_absent or not sequences.n_rows
    return with_absent(verdict, missing, record, none_occurs=unknown == len(named), may_be_absent=may_be)


@dataclass(frozen=True)
class OrderedRows:
    """Unmarked rows of one event sequence after the other, in time order."""

    owners: Ints
    moments: Ints  # number of the time point; the same for rows that no prefix can separate
    codes: Ints
    n_events: int


def _read(released: Table, original: Table | None, scope: str) -> Sequences:
    """Read the release; for scope "person" it must be known whose its sequences are."""
    sequences = read(bind(released)) if original is None else read_with_people(original, released)
    if scope == "person" and sequences.people is None:
        do = "Give original=df.seqpriv.using(person=...), the table that the release was made from."
        raise wrong_parameter("original", 'given for scope="person"', "nothing", do)
    return sequences


def _ordered_rows(sequences: Sequences, scope: str) -> OrderedRows:
    owners = sequences.owners
    keys = pd.DataFrame({"owner": owners, "moment": sequences.elements, "code": sequences.codes})
    if scope != "sequence":
        people = 0 if sequences.people is None or scope == "table" else sequences.people[owners]
        keys = keys.assign(owner=people, moment=pd.factorize(sequences.times, sort=True)[0])
    keys = keys[keys["code"] >= 0].sort_values(["owner", "moment"], kind="stable").astype(np.int64)
    owner, moment, code = (keys[name].to_numpy() for name in ("owner", "moment", "code"))
    return OrderedRows(owner, moment, code, len(sequences.vocabulary))


def _check_frequencies(ordered: OrderedRows, named: Ints, delta: Fraction) -> Verdict:
    rows = pd.DataFrame({"owner": ordered.owners, "moment": ordered.moments, "code": ordered.codes})
    rows["length"] = rows.groupby("owner").cumcount() + 1
    rows["length"] = rows.groupby(["owner", "moment"])["length"].transform("max")
    rows["occurrences"] = rows.groupby(["owner", "code"]).cumcount() + 1
    sensitive = rows[rows["code"].isin(named[named >= 0])]
    prefixes = sensitive.groupby(["owner", "moment", "code"], as_index=False)[["length", "occurrences"]].max()
    frequent = prefixes[prefixes["occurrences"].to_numpy() > _most_below(prefixes["length"], delta)]
    if frequent.empty:
        sentence = f"every sensitive event stays below delta ({_prefixes(len(prefixes))} checked)"
        return Verdict(True, sentence, len(prefixes))
    sentence = f"a sensitive event reaches delta in {len(frequent)} of {_prefixes(len(prefixes))}"
    return Verdict(False, sentence, len(prefixes), len(frequent), _details(frequent, named))


def _prefixes(number: int) -> str:
    return "1 prefix" if number == 1 else f"{number} prefixes"


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
            "place": place[~place.index.duplicated()].reindex(found.index).to_numpy(),
            "prefixes": found["size"].to_numpy(),
            "largest_share": found["max"].to_numpy(),
            "owners": [tuple(owners) for owners in shares.groupby("code")["owner"].unique()],
        }
    )


def _shown(
    details: pd.DataFrame, named: pd.Index, sequences: Sequences, scope: str, *, reveal: bool
) -> pd.DataFrame:
    """Show events and ids instead of their numbers, or leave them out."""
    if not reveal or details.empty:
        return details.drop(columns="owners", errors="ignore")
    revealed = details.assign(event=named[details["place"]].to_numpy())
    shown = {"sequence": ("seq_ids", sequences.ids), "person": ("people", sequences.person_ids)}
    if scope in shown:
        name, ids = shown[scope]
        revealed[name] = [tuple(ids[list(owners)]) for owners in details["owners"]]
    return revealed.drop(columns="owners")


def _check_camouflage(ordered: OrderedRows, named: Ints, delta: Fraction, camouflage: int) -> Verdict:
    # The compiled code is loaded only when it is needed.
    from pdseqpriv.sanitization.kernels.company import find_exposed

    is_named = np.zeros(ordered.n_events, bool)
    is_named[named[named >= 0]] = True
    longest = int(np.bincount(ordered.owners).max(initial=0))
    most = _most_below(pd.Series(np.arange(longest + 1)), delta)
    rows = (ordered.owners, ordered.moments, ordered.codes)
    checked, owners, codes = find_exposed(*rows, is_named, most, camouflage - 1)
    found = pd.DataFrame({"owner": owners, "code": codes})
    if len(found):
        sentence = f"a sensitive event is below delta but stands out in {len(found)} of {_prefixes(checked)}"
        return Verdict(False, sentence, checked, len(found), _exposed(found, named))
    sentence = f"every sensitive event stays below delta and never stands out ({_prefixes(checked)} checked)"
    return Verdict(True, sentence, checked)


def _exposed(found: pd.DataFrame, named: Ints) -> pd.DataFrame:
    groups = found.groupby("code")["owner"]
    places = [int(np.flatnonzero(named == code)[0]) for code in groups.size().index]
    owners = [tuple(some) for some in groups.unique()]
    return pd.DataFrame({"place": places, "prefixes": groups.size().to_numpy(), "owners": owners})
