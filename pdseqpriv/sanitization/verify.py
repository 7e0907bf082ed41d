"""Check that sensitive events are not frequent in any prefix."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, read, start
from pdseqpriv.engines.whose import read_with_people
from pdseqpriv.errors import counted, wrong_parameter
from pdseqpriv.parameters import list_of_events, one_of, share, whole_number, yes_or_no
from pdseqpriv.sanitization.verify_pooled import (
    Pooled,
    count_at_times,
    find_frequent_in_pool,
    merge_counts,
)
from pdseqpriv.sanitization.verify_prefixes import Violations, exposed_events, find_frequent, ordered_rows
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.events import find_events
from pdseqpriv.sequences.named_events import were_there, with_absent
from pdseqpriv.sequences.record import claims_of
from pdseqpriv.sequences.sequences import Sequences
from pdseqpriv.verdict import Verdict


@on_tables(anywhere=True)
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
        in that case: the names may be misspelt, and nothing was checked. Not needed in the process that
        removed the events: it remembers which names ``hide`` and ``sanitize`` were given and found, for the
        rows that they returned. No table or file says that, because it is secret; in another process, or
        after changing rows, say it.
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
        says so, with a PrivacyWarning that shows them; if none occurs, it does not hold. Events that this
        process removed count as if they occurred, and so do all with ``may_be_absent``.

    Notes
    -----
    **Guarantee**: counts are compared as whole numbers, without rounding, by code that ``sanitize`` does not
    use: for each row of a sensitive event, how often the event has occurred so far, and how many rows there
    are so far. The definition is that of Loukides and Gwadera, Optimal event sequence sanitization (2015).

    **Not protected**: the verdict says nothing about events that were not named, or about parts of a sequence
    that are not prefixes.

    **Large tables**: checked where the rows are. For scope "table", the rows at each time are counted: 16
    bytes per time, and 24 per time of a sensitive event; with ``camouflage`` or ``original`` the sequences
    are brought together as numbers, at 12 bytes per row.

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
    reduce = _reduce_of(released, original, scope, pooled=_is_pooled(scope, camouflage, original))
    reveal, may_be_absent = yes_or_no("reveal", reveal), yes_or_no("may_be_absent", may_be_absent)
    named = list_of_events("events", events)
    if not len(named):
        raise wrong_parameter("events", "a list of at least one event", "an empty list")
    asked = {"named": named, "delta": exact, "camouflage": camouflage, "scope": scope, "reveal": reveal}
    if _is_pooled(scope, camouflage, original):
        found = _found_in(reduce(partial(count_at_times, named=named), merge_counts), named, exact)
    else:
        found = reduce(partial(_look_at, **asked), _merged)
    verdict = _verdict_of(found.frequent, *_FREQUENT)
    if verdict and found.exposed is not None:
        verdict = _verdict_of(found.exposed, *_EXPOSED)
    verdict = replace(verdict, details=_shown(verdict.details, named, scope, reveal=reveal))
    if found.occurs.all():
        return verdict
    frame, may_be = bind(released).frame, may_be_absent or not found.rows
    known = found.occurs | were_there(list(named), frame, claims_of(frame))
    return verdict if known.all() else _with_absent(verdict, named, known, may_be_absent=may_be)


def _with_absent(
    verdict: Verdict, named: pd.Index, known: NDArray[np.bool_], *, may_be_absent: bool
) -> Verdict:
    """Say how many events neither occur nor are known to have been removed."""
    unknown = int((~known).sum())
    do = "does" if unknown == 1 else "do"
    missing = f"{unknown} of {counted(len(named), 'event')} {do} not occur in the table"
    none_occurs = not known.any()
    return with_absent(verdict, missing, named[~known], none_occurs=none_occurs, may_be_absent=may_be_absent)


class Found(NamedTuple):
    """What was found in a part: its rows, which of the events occur, and what breaks the guarantee."""

    rows: int
    occurs: NDArray[np.bool_]
    frequent: Violations
    exposed: Violations | None  # None if nobody asked, or if something is too frequent


def _look_at(
    sequences: Sequences,
    named: pd.Index,
    delta: Fraction,
    camouflage: int | None,
    scope: str,
    *,
    reveal: bool,
) -> Found:
    """Check a part, which holds whole sequences, and whole people where they are named."""
    ordered = ordered_rows(sequences, scope)
    codes = find_events(named, sequences.vocabulary)
    ids = {"sequence": sequences.ids, "person": sequences.person_ids}.get(scope) if reveal else None
    frequent, exposed = find_frequent(ordered, codes, delta), None
    if camouflage is not None and frequent.details.empty:
        exposed = _named(exposed_events(ordered, codes, delta, camouflage), sequences.vocabulary, ids)
    return Found(sequences.n_rows, codes >= 0, _named(frequent, sequences.vocabulary, ids), exposed)


def _named(found: Violations, vocabulary: pd.Index, ids: pd.Index | None) -> Violations:
    """Write events and owners as what they are in all parts."""
    details = found.details.assign(event=vocabulary[found.details["event"].to_numpy(np.int64)].to_numpy())
    details["owners"] = [() if ids is None else tuple(ids[list(some)]) for some in details["owners"]]
    return found._replace(details=details)


def _merged(first: Found, second: Found) -> Found:
    """Add up two parts."""
    exposed = None
    if first.exposed is not None and second.exposed is not None:
        exposed = _both(first.exposed, second.exposed)
    frequent = _both(first.frequent, second.frequent)
    return Found(first.rows + second.rows, first.occurs | second.occurs, frequent, exposed)


def _both(first: Violations, second: Violations) -> Violations:
    checked, parts = first.checked + second.checked, [first.details, second.details]
    parts = [one for one in parts if len(one)]
    if len(parts) < 2:  # noqa: PLR2004 (nothing to add up)
        return Violations(checked, parts[0] if parts else first.details)
    how = {"place": "first", "prefixes": "sum", "largest_share": "max", "owners": _in_order}
    groups = pd.concat(parts).groupby("event", as_index=False, sort=True)
    return Violations(checked, groups.agg({name: how[name] for name in parts[0] if name in how}))


def _in_order(owners: pd.Series) -> tuple[Hashable, ...]:
    return tuple(sorted(one for some in owners for one in some))


# What a verdict says where something breaks the guarantee, and where nothing does.
_FREQUENT = ("a sensitive event reaches delta in {}", "every sensitive event stays below delta ({} checked)")
_EXPOSED = (
    "a sensitive event is below delta but stands out in {}",
    "every sensitive event stays below delta and never stands out ({} checked)",
)


def _verdict_of(found: Violations, wrong: str, right: str) -> Verdict:
    violations = int(found.details["prefixes"].sum())
    if violations:
        sentence = wrong.format(f"{violations} of {_prefixes(found.checked)}")
        return Verdict(False, sentence, found.checked, violations, found.details)
    return Verdict(True, right.format(_prefixes(found.checked)), found.checked)


def _is_pooled(scope: str, camouflage: int | None, original: Table | None) -> bool:
    """Return whether it is enough to know how many rows there are at each time."""
    return scope == "table" and camouflage is None and original is None


def _found_in(pooled: Pooled, named: pd.Index, delta: Fraction) -> Found:
    occurs = find_events(named, pooled.vocabulary) >= 0
    frequent = find_frequent_in_pool(pooled, named, delta)
    return Found(pooled.rows, occurs, _named(frequent, pooled.vocabulary, None), None)


def _reduce_of(released: Table, original: Table | None, scope: str, *, pooled: bool) -> Callable[..., Any]:
    """Return how to check the release in parts; for scope "person" it must be known whose they are."""
    if original is not None:
        whole = read_with_people(original, released)
        return lambda look, _: look(whole)
    bound = bind(released)
    if scope == "table" and not pooled:
        whole = read(released)
        return lambda look, _: look(whole)
    run = start(bound, others=())
    if scope == "person" and run.columns.person is None:
        do = "Give original=df.seqpriv.using(person=...), the table that the release was made from."
        raise wrong_parameter("original", 'given for scope="person"', "nothing", do)
    return run.reduce


def _prefixes(number: int) -> str:
    return "1 prefix" if number == 1 else f"{number} prefixes"


def _shown(details: pd.DataFrame, named: pd.Index, scope: str, *, reveal: bool) -> pd.DataFrame:
    """Show events and ids, or leave them out."""
    shown = details.drop(columns=["event", "owners"], errors="ignore")
    if not reveal or details.empty:
        return shown
    shown["event"] = named[details["place"]].to_numpy()
    name = {"sequence": "seq_ids", "person": "people"}.get(scope)
    return shown if name is None else shown.assign(**{name: details["owners"]})
