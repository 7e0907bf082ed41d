"""Check that a generalized release hides every sequence in its group."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdseqpriv.audit.pairs import warn_if_swapped
from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import Table
from pdseqpriv.errors import refusal, wrong_parameter
from pdseqpriv.generalization import verify_checks as checks
from pdseqpriv.generalization.original_and_release import Flags, Ints, Pair, check_found, owners_of, read_pair
from pdseqpriv.parameters import SMALLEST_K, diversity_pair, list_of_events, whole_number, yes_or_no
from pdseqpriv.sequences.clock import Clock
from pdseqpriv.sequences.span import SpanLike, span
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike
from pdseqpriv.verdict import Verdict


@on_tables()
def is_generalized(
    original: Table,
    released: Table,
    key: pd.DataFrame,
    *,
    k: int | None = None,
    diversity: tuple[SpanLike, float | Fraction] | None = None,
    monitored: Iterable[Hashable] | None = None,
    sensitive: Iterable[Hashable] | None = None,
    taxonomy: TaxonomyLike | None = None,
    reveal: bool = False,
) -> Verdict:
    """Check that every sequence of a generalized release hides in its group, and that the release is true.

    Parameters
    ----------
    original : DataFrame, or ``df.seqpriv.using(...)``
        The table that must be protected.
    released : DataFrame
        What is to be shared, as :func:`pdseqpriv.generalize` gives it.
    key : DataFrame
        Which released sequence is whose, as ``generalize(..., with_key=True)`` gives it.
    k : int, optional
        How many sequences a group must have, at least 2.
    diversity : (g, l), optional
        How long a window is, and how uncertain a sensitive event must be within it.
    monitored, sensitive : list of events, optional
        As for ``generalize``: None stands for all events, and for all others.
    taxonomy : Taxonomy or what makes one, optional
        The one that the release was made with; None is the flat one.
    reveal : bool
        Show in ``details`` which released sequences and groups break the rules. For the owner only.

    Returns
    -------
    Verdict
        What was checked are released sequences. ``details`` has a row per rule that is broken, with how many
        sequences or groups break it; with ``reveal=True`` a row per sequence or group.

    Notes
    -----
    Sherkat, Li, Mamoulis: Efficient time-stamped event sequence anonymization, ACM TWEB 8 (2013).

    **Guarantee**: checked row by row with code of its own: groups of at least ``k``; the same intervals for
    all sequences of a group; every monitored event of a released person inside one of their intervals, of
    its category, and every interval around such an event (strong coverage, both ways); other rows as they
    were; every released sequence exactly one person's; and for every sensitive event and every window of
    length g, closed on both sides, a share of at most 1/l of the group that has it. Windows that begin with
    an occurrence are enough: any other can be moved to the next occurrence in it without losing one.

    **Not protected**: what is not monitored is published as it is; nothing is said about it but the
    windows. The key tells who is who: keep it.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdseqpriv import verify
    >>> df = pd.DataFrame({"seq_id": [7, 8], "event": ["Google", "Bing"], "time": [3, 5]})
    >>> released = pd.DataFrame(
    ...     {"seq_id": [0, 1], "group": 0, "event": "ALL", "time_from": 3, "time_to": 5}
    ... )
    >>> key = pd.DataFrame({"seq_id": [7, 8], "released_id": [1, 0]})
    >>> verify.is_generalized(df, released, key, k=2)
    holds: 2 released sequences in 1 groups of at least 2, all true to their people
    >>> verify.is_generalized(df, released, key, k=3)
    does not hold: 1 of 9 rules is broken: groups of at least 3 (2)
    """
    asked = _read(k, diversity, monitored, sensitive, reveal=reveal)
    warn_if_swapped(original, released)
    tree = None if taxonomy is None else Taxonomy(taxonomy)
    pair = read_pair(original, released, tree, asked.monitored)
    owner, lost = owners_of(pair, key)
    return _verdict(pair, [*_truths(pair, owner, lost), *_demands(pair, asked)], reveal=reveal)


class _Asked(NamedTuple):
    k: int | None
    length: object
    certainty: Fraction | None
    monitored: pd.Index | None
    sensitive: pd.Index | None


class _Rule(NamedTuple):
    """A rule, what it counts ("sequence", "group" or "person"), and those that break it."""

    rule: str
    counts: str
    broken: Ints


def _read(k: object, diversity: object, monitored: object, sensitive: object, *, reveal: object) -> _Asked:
    yes_or_no("reveal", reveal)
    if k is None and diversity is None:
        raise refusal("give k, diversity or both: without them nothing is protected.")
    length, certainty = (None, None) if diversity is None else diversity_pair(diversity)
    return _Asked(
        None if k is None else whole_number("k", k, least=SMALLEST_K),
        length,
        certainty,
        None if monitored is None else list_of_events("monitored", monitored),
        None if sensitive is None else list_of_events("sensitive", sensitive),
    )


def _window(length: object, clock: Clock) -> float:
    """Give g in the numbers that the times count in."""
    if isinstance(length, float | np.floating) and length == math.inf:
        return clock.longest
    read = span(length, "time", "diversity")
    if read is None or read.kind != ("number" if clock.unit is None else "timedelta"):
        must = "a pair (g, l) whose g is a number where time is one, and a time span for datetimes"
        raise wrong_parameter("diversity", must, "another")
    return clock.longest_allowed(read)


def _truths(pair: Pair, owner: Ints, lost: Ints) -> list[_Rule]:
    """Give what must hold whatever was asked."""
    bare, empty = checks.uncovered(pair, owner)
    return [
        _Rule("every person of the key in the release", "person", lost),
        _Rule("every sequence one person's", "sequence", checks.unowned(pair, owner)),
        _Rule("every sequence in one group", "sequence", checks.in_several_groups(pair)),
        _Rule("the same intervals throughout a group", "group", checks.in_uneven_groups(pair)),
        _Rule("intervals apart from each other", "group", checks.in_overlapping_groups(pair)),
        _Rule("every monitored event in an interval", "person", bare),
        _Rule("every interval around an event of its person", "sequence", empty),
        _Rule("other rows as they were", "sequence", checks.with_other_rows_changed(pair, owner)),
    ]


def _demands(pair: Pair, asked: _Asked) -> list[_Rule]:
    demands = []
    if asked.k is not None:
        small = checks.in_small_groups(pair, asked.k)
        demands.append(_Rule(f"groups of at least {asked.k}", "sequence", small))
    if asked.certainty is not None:
        length = _window(asked.length, pair.clock)
        certain = checks.in_certain_groups(pair, _sensitive(pair, asked), length, asked.certainty)
        demands.append(_Rule("no sensitive event too certain within a window", "group", certain))
    return demands


def _sensitive(pair: Pair, asked: _Asked) -> Flags:
    if asked.sensitive is None:
        return pair.nodes.is_leaf & ~pair.is_monitored
    chosen = np.zeros(len(pair.nodes.names), bool)  # an empty list leaves nothing to protect
    places = pair.nodes.find(asked.sensitive)
    check_found(places, "sensitive")
    chosen[places[places >= 0]] = True
    if (chosen & pair.is_monitored).any():
        raise refusal("an event cannot be monitored and sensitive.")
    return chosen


def _verdict(pair: Pair, rules: list[_Rule], *, reveal: bool) -> Verdict:
    broken = [rule for rule in rules if rule.broken.size]
    checked = len(pair.released_ids)
    if not broken:
        sizes = checks.group_sizes(pair)
        least = int(sizes.min()) if len(sizes) else 0
        hidden = f"{checked} released sequences in {len(sizes)} groups of at least {least}"
        return Verdict(True, f"{hidden}, all true to their people", checked)
    listed = ", ".join(f"{rule.rule} ({rule.broken.size})" for rule in broken)
    verb = "is" if len(broken) == 1 else "are"
    sentence = f"{len(broken)} of {len(rules)} rules {verb} broken: {listed}"
    violations = int(sum(rule.broken.size for rule in broken))
    details = [_revealed(pair, rule) if reveal else _counted(rule) for rule in broken]
    return Verdict(False, sentence, checked, violations, pd.concat(details, ignore_index=True))


def _counted(rule: _Rule) -> pd.DataFrame:
    return pd.DataFrame({"rule": [rule.rule], "counts": [rule.counts], "violations": [rule.broken.size]})


def _revealed(pair: Pair, rule: _Rule) -> pd.DataFrame:
    """Name who breaks a rule: released ids, original ids of people, or groups as they are numbered."""
    names = {"sequence": pair.released_ids, "person": pair.ids, "group": pair.group_names}[rule.counts]
    shown = names.astype(object)[rule.broken]
    return pd.DataFrame({"rule": rule.rule, "counts": rule.counts, "which": shown})
