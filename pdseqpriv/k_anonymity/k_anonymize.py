"""k-anonymity of sequences (Monreale et al. 2014): nothing is shown that fewer than k people share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Literal, Unpack, overload

import numpy as np
import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Run, Table, start
from pdseqpriv.errors import counted, warn, wrong_parameter
from pdseqpriv.k_anonymity.beside_kept import beside_kept, cells_by_kept, nodes_beside
from pdseqpriv.k_anonymity.cells import cells_of_earlier_releases
from pdseqpriv.k_anonymity.key import COPIES_OF_OWNERS, check_key_names, find_owners, make_key, merge_owners
from pdseqpriv.k_anonymity.memory_for_plans import COPIES, refuse_large_walks
from pdseqpriv.k_anonymity.plan import Method, Plan, make_plan, without_torn_cells
from pdseqpriv.k_anonymity.release import Piece, cut, make
from pdseqpriv.kept_columns.reading import read_kept
from pdseqpriv.parameters import (
    SMALLEST_K,
    Guarantee,
    choices,
    columns_to_keep,
    secret_seed,
    whole_number,
    yes_or_no,
)
from pdseqpriv.sequences.columns import ColumnNames
from pdseqpriv.sequences.other_columns import warn_of_dropped_columns
from pdseqpriv.sequences.record import record_step
from pdseqpriv.sequences.variants import Cells, Variants, merge_variants, variants_of
from pdseqpriv.taxonomy.taxonomy import Keep, Taxonomy, TaxonomyLike


@overload
def k_anonymize(
    table: Table,
    k: int,
    *,
    guarantee: Guarantee = ...,
    method: Method = ...,
    taxonomy: TaxonomyLike | None = ...,
    previous: Sequence[pd.DataFrame] | None = ...,
    keep: Keep | None = ...,
    with_key: Literal[False] = ...,
    seed: int | None = ...,
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame: ...


@overload
def k_anonymize(
    table: Table,
    k: int,
    *,
    guarantee: Guarantee = ...,
    method: Method = ...,
    taxonomy: TaxonomyLike | None = ...,
    previous: Sequence[pd.DataFrame] | None = ...,
    keep: Keep | None = ...,
    with_key: Literal[True],
    seed: int | None = ...,
    **_columns: Unpack[ColumnNames],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...


@on_tables("sequences", "key", anywhere=True)
def k_anonymize(
    table: Table,
    k: int,
    *,
    guarantee: Guarantee = "contained",
    method: Method = "subsequence",
    taxonomy: TaxonomyLike | None = None,
    previous: Sequence[pd.DataFrame] | None = None,
    keep: Keep | None = None,
    with_key: bool = False,
    seed: int | None = None,
    **_columns: Unpack[ColumnNames],
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    """Release a table that shows nothing that fewer than k people share.

    Parameters
    ----------
    k : int
        How many people must share what is released, at least 2.
    guarantee : {"contained", "mutual", "identical"}
        What must be shared, each level stronger than the one before it. If people have several sequences,
        name their column with ``using(person=...)``; "at least ``k``" then means sequences of at least ``k``
        different people, at every level:

        - ``"contained"``: every released sequence is contained in at least ``k`` sequences of the table;
        - ``"mutual"``: and in at least ``k`` released ones, which is what somebody who sees only the release
          can look for;
        - ``"identical"``: every released sequence is equal to at least ``k - 1`` other released ones. Choose
          this one where people may try to find somebody whose sequence they know; see the notes.
    method : {"subsequence", "prefix_tree"}
        ``"subsequence"`` replaces every sequence with a long subsequence of itself: it deletes events and
        never invents one. When it has to choose between events, it prefers those that more people have.
        ``"prefix_tree"`` is the paper's BF-P2kA: a rare sequence is replaced with the closest common
        beginning of other sequences, which may contain events that the person never had. With
        ``"identical"`` it shortens every sequence to a beginning of itself instead.
    taxonomy : Taxonomy or what makes one, optional
        Categories of events, for ``"subsequence"``: an event that too few people share may then be released
        as a category above it instead of being deleted. A sequence contains a category if it has one of the
        events below it.
    previous : list of DataFrame, optional
        For ``"identical"``: the keys of earlier releases of the same sequences, by this function or by
        ``generalize``. Whoever links this release to the earlier ones then still finds at least ``k`` people
        in every intersection of classes. Sequences that no ``k`` people were always together with are
        dropped, and so is everybody who was together with fewer than ``k`` who have to be dropped: those few
        would be found as the ones who are missing. Each further release can show less, and none takes back a
        smaller ``k`` of an earlier one.
    keep : list of column names, or dict of column names and taxonomies, optional
        Columns beside the sequence that are released with it, such as an age group: text or whole numbers,
        the same in all rows of a person. They become part of what ``k`` people must share; see the notes.
        A taxonomy, or None, for each column lets rare values become categories.
    with_key : bool
        Also return which released sequence belongs to whom, for the data owner's own audit. Never share it.
    seed : int, optional
        Decides who gets which of several equal sequences, which only the key shows. By default it is random;
        a given seed makes the key reproducible and must be kept as secret as the key.
    seq_id, event, time, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`.

    Returns
    -------
    pandas.DataFrame
        The columns for id, event and time and those of ``keep``, nothing else. Ids are new, 0 to n-1, in the
        order of content; times are the positions 0, 1, 2 ... within a sequence. Sequences with nothing that
        can be kept are dropped, and a warning says how many.
    pandas.DataFrame, only with ``with_key=True``
        Each original id, under the name of its column, the person, if people are named, and its
        ``released_id``, null if dropped. With ``"identical"`` also its ``group``: the class of equal
        sequences, from 0 on, null if dropped.

    Warns
    -----
    PrivacyWarning
        When other columns or sequences are dropped, and when nothing can be released.

    Notes
    -----
    Monreale, Pedreschi, Pensa, Pinelli: Anonymity preserving sequential pattern mining, Artificial
    Intelligence and Law 22 (2014).

    **Guarantee**: every released sequence is contained in at least ``k`` sequences of the table, and with
    ``using(person=...)`` in those of at least ``k`` different people, who are counted exactly. So no
    sequence that is ``k``-harmful in the table (shared by at least one but fewer than ``k`` people) occurs
    anywhere in the release, which implies the paper's definition 3. By its theorem 1, an attacker who
    considers every record that contains all they know picks the right one with a probability of at most 1/k.
    With ``"identical"`` this holds however what is known is linked to the records: they come in classes of at
    least ``k`` equal ones, and who has which of these is random, so that ids do not bring a person's
    sequences together. ``verify.is_k_anonymous`` checks all three levels independently.

    **Not protected**: with ``"contained"`` and, less so, ``"mutual"``, somebody who knows a whole sequence
    and takes the record that *fits best* can be right far more often than 1/k, as the table below shows;
    measure it with ``risk(released, original=table, key=key, attack="linkage")``. At any level: that
    somebody took part; what at least ``k`` people have in common, sensitive or not; how many people share a
    sequence, because the release shows it; several releases of the same table, compared with each other,
    unless ``previous`` names the earlier ones; what somebody who knows this algorithm can infer about
    sequences that were shortened, least with ``"identical"`` by ``"subsequence"``. Without
    ``using(person=...)`` each sequence counts as a person of its own.

    Simultaneous events (rows of one sequence with the same time) are a set, and containment is inclusion of
    sets: events may be deleted from a set but are never added to it. An event that occurs twice in one set is
    released once. Marked (null) events match nothing and are not released.

    What each level withstands, and what it keeps: shares of people found with a chance above 1/k by somebody
    who knows the whole sequence, or half of its events, and takes the record that fits best (the better of
    two ways to link), and the share of events kept, at k = 10 with ``"subsequence"`` (2026-11-17, 2 cores, 24
    GiB, pandas 3.1.1, numba 0.68.1; at most 2,000 people attacked per table):

    ============================== ============= ============= =========
    table                          contained     mutual        identical
    ============================== ============= ============= =========
    3,079 weeks of check-ins       .54 .29, .14  .14 .07, .09  0 0, .06
    1,050 hospital cases (sepsis)  .75 .12, .87  .43 .06, .77  0 0, .68
    273 lorry trips                .67 .32, .49  .34 .14, .30  0 0, .29
    40,000 visits (msnbc.com)      .63 .02, .85  .11 .01, .75  0 0, .75
    ============================== ============= ============= =========

    With ``keep``, the values of a person are shown beside their sequence if at least ``k`` different people
    with the same values are released with the same sequence, and none or at least ``k`` without them; else
    all of them are null. So nobody who knows these columns finds fewer than ``k`` people by them.
    With ``"identical"``, values that fewer than ``k`` people have are null from the start, and classes are
    made among people with the same values. This costs events, as fewer people share more: of the check-ins
    above, at k = 5, ``"identical"`` with categories keeps 31 %, with a sex drawn for everybody 30 %, with sex
    and age in decades 22 %. With a dict, columns are made coarser one by one until ``k`` people fit what is
    shown. At first it is nothing; people are then divided by the column that shows more of most of them, from
    a category to those below it in its taxonomy (without one, from null to the values), wherever ``k`` are
    left; the rest keeps the category, and null stands for the root. Numbers with a taxonomy become text.

    In a large table, ``"contained"`` and ``"mutual"`` compare a sequence only with those that begin alike and
    with the longest ones of the table. This limits the time and costs some events, but never the guarantee:
    sequences that are not compared are not counted. Whatever ``k`` people share as a whole is kept whole: it
    is looked up in the whole table.

    With a ``taxonomy``, every released event is the person's own or a category above it, never the root.
    Categories cost detail and save events: of 20,000 generated visits to 200 pages, ``"contained"`` at k = 10
    keeps 49 % of the events; with the ten sections as categories it keeps 79 %, 39 % as pages. Of the
    check-ins above, at k = 5, it keeps 23 %, with categories 55 %.

    **Large tables**: the same release, written where the data are. The plan is made in one place, mostly by
    workers, from 10 bytes per event of the distinct sequences, 9 times, and at most 0.8 GB and 0.25 GB for
    each core (somewhat more for a large ``k``), within ``memory_limit``; a plan that needs more is refused
    before it is begun. With a key or ``keep``, 16 bytes and the id of each sequence, four times.
    The answer does not depend on the order of rows, on the type or values of the ids, or on partitions.

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
    k = whole_number("k", k, least=SMALLEST_K)
    choices(guarantee=(guarantee, Guarantee), method=(method, Method))
    with_key, secret = yes_or_no("with_key", with_key), secret_seed(seed)
    categories = _read_taxonomy(taxonomy, method)
    run = start(table, others=[] if keep is None else columns_to_keep(keep))
    if with_key:
        check_key_names(run.columns)
    kept = None if keep is None else read_kept(keep, run)
    cells = None if previous is None else cells_of_earlier_releases(previous, guarantee, run)
    nodes, has_groups = None, guarantee == "identical"
    if kept is not None and has_groups:
        cells, nodes = cells_by_kept(cells, kept, k)
    variants = _find_variants(table, run, cells, None if has_groups or method != "subsequence" else k)
    plan = make_plan(variants, k, method, guarantee, categories, spread=run.spread)
    if cells is not None:
        plan = without_torn_cells(plan, k, cells.were_released)
    owners, shown = None, None
    if with_key or kept is not None:
        looking = partial(find_owners, plan=plan, cells=cells)
        owners = run.reduce(looking, merge_owners, copies=COPIES_OF_OWNERS)
    if owners is not None and kept is not None:
        if nodes is None:
            nodes = nodes_beside(plan, owners, kept, k, is_invented=method == "prefix_tree")
        plan, owners, shown = beside_kept(plan, owners, kept, nodes)
    sizes = np.repeat(np.diff(plan.released.offsets), plan.released.counts)
    released = run.emit(make, Piece(plan.released, 0, run.columns, shown), cut, sizes)
    _warn([name for name in run.other_columns if name not in (keep or ())], plan, k)
    parameters = {"k": k, "guarantee": guarantee, "method": method, "taxonomy": taxonomy is not None}
    parameters |= run.columns.noted
    record_step(released, "k_anonymize", parameters, run.before, columns=run.columns)
    if owners is None or not with_key:
        return released
    return released, make_key(owners, plan.released.counts, run.columns, secret, with_groups=has_groups)


def _read_taxonomy(taxonomy: TaxonomyLike | None, method: Method) -> Taxonomy | None:
    if taxonomy is None:
        return None
    if method == "prefix_tree":
        must = 'None unless method="subsequence"'
        raise wrong_parameter("taxonomy", must, type(taxonomy).__name__)
    return Taxonomy(taxonomy)


def _find_variants(table: Table, run: Run, cells: Cells | None, k_of_walks: int | None) -> Variants:
    """Find the distinct sequences; refused if the plan of a table elsewhere would not fit here."""
    finding = variants_of if cells is None else partial(variants_of, cells=cells)
    # What walks take besides is looked at with the rest, so that one refusal tells all that is needed.
    variants = run.reduce(finding, merge_variants, copies=COPIES if k_of_walks is None else 0)
    if k_of_walks is not None and not run.is_here:
        refuse_large_walks(table, variants, k_of_walks)
    return variants


def _warn(other_columns: Sequence[Hashable], plan: Plan, k: int) -> None:
    if other_columns:
        warn_of_dropped_columns(other_columns)
    before, after = int(plan.original.counts.sum()), int(plan.released.counts.sum())
    if not after:
        there = counted(before, "sequence")
        warn(f"nothing is released: of {there}, no {k} share anything that could be kept.")
    elif after < before:
        dropped = f"{before - after} of {before} sequences"
        warn(f"dropped {dropped}: no {k} share anything that could be kept.")
