"""k-anonymity of sequences (Monreale et al. 2014): no sequence that fewer than k people share."""

from __future__ import annotations

from typing import Literal, get_args, overload

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table, bind, start
from pdseqpriv.errors import refusal, warn, wrong_parameter
from pdseqpriv.k_anonymity.plan import Method, Plan, Summary, make_plan, merge, summarise
from pdseqpriv.k_anonymity.release import make_key, release
from pdseqpriv.parameters import one_of, whole_number
from pdseqpriv.sequences.record import record_step

_SMALLEST_K = 2


@overload
def k_anonymize(
    table: Table, k: int, *, method: Method = ..., strict: bool = ..., with_key: Literal[False] = ...
) -> pd.DataFrame: ...


@overload
def k_anonymize(
    table: Table, k: int, *, method: Method = ..., strict: bool = ..., with_key: Literal[True]
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@on_tables("sequences", "key")
def k_anonymize(
    table: Table, k: int, *, method: Method = "subsequence", strict: bool = False, with_key: bool = False
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    """Release a table in which no sequence is left that fewer than k people share.

    Parameters
    ----------
    k : int
        How many people must share what is released, at least 2.
    method : {"subsequence", "prefix_tree"}
        ``"subsequence"`` replaces every sequence by a long subsequence of its own that at least ``k``
        sequences contain: it deletes events and never invents one. ``"prefix_tree"`` is the paper's BF-P2kA:
        a sequence that is rare is replaced by the closest common beginning of others, which may hold events
        that its person never had.
    strict : bool
        Also ask that every released sequence is contained in at least ``k`` *released* ones, which is what
        somebody who sees only the release can check. It costs some utility; see the notes.
    with_key : bool
        Also return which released sequence is whose, for the owner's own audit. Never share it.

    Returns
    -------
    pandas.DataFrame
        The columns for id, event and time, nothing else. Ids are fresh, 0 to n-1 in the order of content;
        times are positions 0, 1, 2 ... within a sequence. Sequences of which nothing can be kept are dropped;
        the record in ``attrs`` says how many.
    pandas.DataFrame, only with ``with_key=True``
        Each original id, under the name of its column, and its ``released_id``, null when dropped.

    Warns
    -----
    PrivacyWarning
        When other columns are dropped, and when nothing could be released.

    Notes
    -----
    Monreale, Pedreschi, Pensa, Pinelli: Anonymity preserving sequential pattern mining, Artificial
    Intelligence and Law 22 (2014).

    **Guarantee**: every released sequence is contained in at least ``k`` sequences of the table, so no
    sequence that is ``k``-harmful in the table (shared by at least one and fewer than ``k`` people) is found
    in the release at all. That implies the paper's definition 3, and by its theorem 1 somebody who knows any
    part of a person's sequence finds that person with a probability of at most 1/k.
    ``verify.is_k_anonymous`` checks it independently.

    **Not protected**: that somebody took part; what at least ``k`` people have in common, be it sensitive
    or not; how many people share a sequence, because the release shows it; several releases of one table
    held side by side. One person must be one sequence: the guarantee counts sequences.

    Simultaneous events (rows of one sequence with the same time) are a set, and containment is inclusion of
    sets: single events may be deleted from a set, never added to it. An event that occurs twice in one set is
    released once. Marked (null) events match nothing and are not released.

    What is left, and what ``strict`` costs: on 286,260 visits of 5 to 25 page categories (msnbc.com), the
    F-measure of the patterns in 1.5 % of the visits, ``compare(..., min_support=0.015)``, was (2026-11-16,
    pandas 3.1, numba 0.68, 2 cores)

    =========== ====== ============= ======= ==============
    method      k = 10 k = 10 strict k = 500 k = 500 strict
    =========== ====== ============= ======= ==============
    subsequence 0.78   0.60          0.58    0.37
    prefix_tree 0.62   0.55          0.44    0.34
    =========== ====== ============= ======= ==============

    In a large table ``"subsequence"`` looks for those who share something with a sequence among the ones that
    begin like it and among the longest of the table only. This bounds the time and costs some events,
    never the guarantee: who is not looked at is not counted.

    The answer does not depend on the order of rows, the type or values of the ids, or partitions.

    Examples
    --------
    >>> import pandas as pd, pdseqpriv
    >>> visits = ["abc", "abc", "abxc", "bc"]
    >>> df = pd.DataFrame(
    ...     [(i, page, t) for i, visit in enumerate(visits) for t, page in enumerate(visit)],
    ...     columns=["seq_id", "event", "time"],
    ... )
    >>> released = df.seqpriv.k_anonymize(2)
    >>> released.groupby("seq_id")["event"].sum().tolist()
    ['abc', 'abc', 'abc', 'bc']
    >>> pdseqpriv.verify.is_k_anonymous(df, released, 2)
    holds: each of 4 released sequences is contained in at least 2 of the 4 original ones
    """
    _check(k, method, strict=strict, with_key=with_key)
    run = start(table)
    if with_key and run.columns.seq_id == "released_id":
        raise refusal("the key needs the column name 'released_id'. Rename the id column.")
    summary = run.reduce(summarise, merge)
    plan = make_plan(summary.variants, int(k), method, strict=strict)
    vocabulary = summary.variants.vocabulary
    released = release(plan.released, vocabulary, summary.event_dtype, run.columns)
    _warn(table, summary, plan, k)
    parameters = {"k": k, "method": method, "strict": strict}
    record_step(released, "k_anonymize", parameters, _counts(summary, plan), run.record)
    return (released, make_key(run, plan, vocabulary)) if with_key else released


def _check(k: object, method: object, *, strict: object, with_key: object) -> None:
    whole_number("k", k, least=_SMALLEST_K)
    one_of("method", method, get_args(Method))
    for name, value in (("strict", strict), ("with_key", with_key)):
        if not isinstance(value, bool | np.bool_):
            raise wrong_parameter(name, "True or False", type(value).__name__)


def _warn(table: Table, summary: Summary, plan: Plan, k: int) -> None:
    bound = bind(table)
    dropped = [name for name in bound.frame.columns if name not in bound.columns.names]
    if dropped:
        names = ", ".join(repr(name) for name in dropped)
        warn(f"dropped {names}: other columns can identify people.")
    people = int(summary.variants.counts.sum())
    if not plan.released.counts.size:
        warn(f"nothing is released: nothing is left that {k} of the {people} sequences share.")


def _counts(summary: Summary, plan: Plan) -> dict[str, int]:
    people, kept = int(summary.variants.counts.sum()), int(plan.released.counts.sum())
    variants = summary.variants
    return {
        "sequences_in": people,
        "sequences_out": kept,
        "sequences_dropped": people - kept,
        "events_in": int((np.diff(variants.offsets) * variants.counts).sum()),
        "events_out": int((plan.released.lists.lengths * plan.released.counts).sum()),
    }
