"""Check the groups of a generalized release, and that it agrees with the original."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Literal, NamedTuple, Unpack

import pandas as pd

from pdseqpriv.engines.door import on_tables
from pdseqpriv.engines.engine import ORIGINAL, RELEASED, BoundTable, Table, bind, collected, read
from pdseqpriv.errors import counted, refusal, said_of
from pdseqpriv.generalization import verify_checks as checks
from pdseqpriv.generalization.original_and_release import (
    OriginalAndRelease,
    OwnersByKey,
    nodes_named,
    read_key,
    read_original_and_release,
)
from pdseqpriv.generalization.verify_traces import problem_of_traces
from pdseqpriv.kept_columns.verify_kept import one_for_each, read_told
from pdseqpriv.parameters import list_of_events, one_of, yes_or_no
from pdseqpriv.sequences.columns import INTERVAL, NamesBesideTime
from pdseqpriv.sequences.ragged import Flags, Ints, distinct
from pdseqpriv.sequences.span import Span, SpanLike
from pdseqpriv.sequences.window import k_and_diversity, window_length
from pdseqpriv.taxonomy.taxonomy import Keep, Taxonomy, TaxonomyLike
from pdseqpriv.verdict import Verdict


@on_tables(anywhere=True)
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
    keep: Keep | None = None,
    time: Literal["real", "since_start"] = "real",
    intervals: Literal["apart", "by_category"] = "apart",
    reveal: bool = False,
    **_columns: Unpack[NamesBesideTime],
) -> Verdict:
    """Check that a generalized release has the groups asked for and agrees with the original.

    Parameters
    ----------
    original : DataFrame, or ``df.seqpriv.using(...)``
        The table that must be protected. If ``using`` names the column ``person``, different people are
        counted instead of sequences.
    released : DataFrame
        What is to be shared, as :func:`pdseqpriv.generalize` returns it.
    key : DataFrame
        Which released sequence belongs to whom, as ``generalize(..., with_key=True)`` returns it.
    k : int, optional
        How many sequences, or different people, a group must have, at least 2.
    diversity : (g, l), optional
        The length of a window, and how many members a group must have for each member with a sensitive event
        in it, as for ``generalize``.
    monitored, sensitive : list of events, optional
        As for ``generalize``: by default all events are monitored, and all other events are sensitive.
    taxonomy : Taxonomy, or what makes one, optional
        The one that the release was made with; by default the flat one.
    keep : list of column names, or dict of column names and taxonomies, optional
        The columns that were kept beside the sequences, as for ``generalize``. The release must have no
        others.
    time : {"real", "since_start"}
        Whether the times of the release are those of the original or, as for ``generalize``, are counted from
        the first event of each sequence.
    intervals : {"apart", "by_category"}
        Whether all intervals of a group must be apart in time or, as for ``generalize``, only those of which
        one category is the other or above it. By default the stricter of the two: a release for which
        nothing was said about overlaps has none.
    reveal : bool
        Show in ``details`` which released sequences, people and groups break the rules. For the owner only.
    seq_id, event, ties, person : optional
        What the columns are called, and what simultaneous rows mean, as in `using`. To name the column of
        times, too, call `using`.

    Returns
    -------
    Verdict
        ``checked`` counts released sequences. ``details`` has a row per broken rule, with the number of
        sequences, people or groups that break it; with ``reveal=True`` it has a row for each of them.

    Notes
    -----
    Sherkat, Li, Mamoulis: Efficient time-stamped event sequence anonymization, ACM TWEB 8 (2013).

    **Guarantee**: every row is checked, with code that ``generalize`` does not use. Groups have at least
    ``k`` sequences, or sequences of ``k`` different people, and a whole group has the same intervals. Every
    monitored event of a released sequence lies in exactly one interval of its category, and every interval
    holds such an event (strong coverage, both ways). All other rows are unchanged, and every released
    sequence belongs to exactly one original. Kept columns say the same of a whole group, and of each of its
    people what the original says, a category above it, or nothing (null). If the key names groups, they are
    those of the release. With ``diversity``, groups have at least l members, or as many as the original if it
    has fewer. For every sensitive event and every window of length g, both ends included, at most one in l
    members of a group has the event in it; if people are named, members are people, who have what any of
    their sequences in the group has. Only windows that begin with an occurrence need to be checked:
    any other can be moved to the next occurrence in it without losing one.

    A release with other columns, with an index that is not of plain whole numbers, with attributes beside the
    record, or with categories that no row has is refused: they may reveal what the rows do not.

    **Not protected**: events that are not monitored are released as they are; apart from being unchanged,
    only the windows are checked for them. The order of the rows, whole numbers in the index, how groups and
    ids are numbered, and names inside events are not checked. The key says who is who: do not share it.

    **Large tables**: the same verdict. The sequences of the original are brought here as numbers, at 12 bytes
    per row; the release, and with ``keep`` the original, with all their rows.

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
    holds: 2 released sequences in 1 group of at least 2, and every row agrees with the original
    >>> verify.is_generalized(df, released, key, k=3)
    does not hold: 1 of 9 rules is broken: groups have at least 3 sequences (violated by 2 sequences)
    """
    asked = _read(k, diversity, monitored, sensitive, reveal=reveal)
    known = None if taxonomy is None else Taxonomy(taxonomy)
    one_of("time", time, ("real", "since_start"))
    one_of("intervals", intervals, ("apart", "by_category"))
    since_start = time == "since_start"
    released = collected(released)
    original = original if keep is None else collected(original)  # what else is told is in the rows
    both = read_original_and_release(original, released, known, asked.monitored, since_start=since_start)
    owners = read_key(both, key)
    rules = [
        *_truths(both, owners, key, by_category=intervals == "by_category"),
        *_kept_truths(original, released, both, owners.sequence_of, keep),
        *_demands(both, owners.sequence_of, asked),
    ]
    least = int(checks.people_of_groups(both, owners.sequence_of).min()) if len(both.group_names) else 0
    return _verdict(both, rules, least, reveal=reveal)


class _Asked(NamedTuple):
    k: int | None
    window: Span | None  # None where g is infinite
    one_in: Fraction | None  # l; None where no diversity is asked
    monitored: pd.Index | None
    sensitive: pd.Index | None


class _Rule(NamedTuple):
    """A rule, what it counts ("sequence", "group" or "person"), and those that break it."""

    rule: str
    counts: str
    broken: Ints


def _read(k: object, diversity: object, monitored: object, sensitive: object, *, reveal: object) -> _Asked:
    yes_or_no("reveal", reveal)
    return _Asked(
        *k_and_diversity(k, diversity),
        None if monitored is None else list_of_events("monitored", monitored),
        None if sensitive is None else list_of_events("sensitive", sensitive),
    )


def _truths(
    both: OriginalAndRelease, owners: OwnersByKey, key: pd.DataFrame, *, by_category: bool
) -> list[_Rule]:
    """Return the rules that must hold whatever was asked for."""
    sequence_of = owners.sequence_of
    bare, empty = checks.uncovered(both, sequence_of)
    apart = "intervals of related categories do not overlap" if by_category else "intervals do not overlap"
    overlapping = checks.in_overlapping_groups(both, by_category=by_category)
    rules = [
        _Rule("everyone released according to the key is in the release", "person", owners.lost),
        _Rule("every sequence belongs to one person", "sequence", checks.unowned(both, sequence_of)),
        _Rule("every sequence is in one group", "sequence", checks.in_several_groups(both)),
        _Rule("all members of a group have the same intervals", "group", checks.in_uneven_groups(both)),
        _Rule(apart, "group", overlapping),
        _Rule("every monitored event lies in an interval", "person", bare),
        _Rule("every interval holds an event of its person", "sequence", empty),
        _Rule("other rows are unchanged", "sequence", checks.with_other_rows_changed(both, sequence_of)),
    ]
    if "group" in key.columns:
        rules.append(_Rule("the key names the group of everyone", "person", owners.misplaced))
    return rules


def _kept_truths(
    original: Table, released: Table, both: OriginalAndRelease, sequence_of: Ints, keep: Keep | None
) -> list[_Rule]:
    """Return the rules about columns that are kept; others must not be in the release."""
    frames = bind(original).frame, bind(released).frame
    columns = bind(released).columns if isinstance(released, BoundTable) else both.columns
    names = {columns.seq_id, columns.event, *INTERVAL}
    problem = problem_of_traces(frames[1])
    if problem is not None:
        raise said_of(RELEASED, problem)
    told = None if keep is None else read_told(keep, frames, {*names, *both.columns.roles.values()})
    strange = [name for name in frames[1].columns if name not in {*names, *(keep or ())}]
    if strange:
        do = "Name it in keep if it was kept, or drop it."
        raise said_of(RELEASED, refusal(f"it also has a column {strange[0]!r}. {do}"))
    if told is None:
        return []
    own = one_for_each(told.original, read(original, ORIGINAL), ORIGINAL)
    untrue = checks.with_untrue_columns(both, sequence_of, told, own)
    return [
        _Rule("kept columns are the same in a whole group", "group", checks.in_mixed_groups(both, told)),
        _Rule("kept columns fit every member", "sequence", untrue),
    ]


def _demands(both: OriginalAndRelease, sequence_of: Ints, asked: _Asked) -> list[_Rule]:
    demands = []
    if asked.k is not None:
        small, counts = checks.in_small_groups(both, sequence_of, asked.k), _counts(both)
        demands.append(_Rule(f"groups have at least {asked.k} {counts}", "sequence", small))
    if asked.one_in is not None:
        least = min(math.ceil(asked.one_in), checks.n_people(both))
        if least > (asked.k or 1):
            small, counts = checks.in_small_groups(both, sequence_of, least), _counts(both)
            demands.append(_Rule(f"groups have at least l, here {least}, {counts}", "sequence", small))
        length = window_length("diversity", asked.window, both.clock)
        certain = checks.in_certain_groups(both, sequence_of, _sensitive(both, asked), length, asked.one_in)
        demands.append(_Rule("no sensitive event is shared by too many in a window", "group", certain))
    return demands


def _counts(both: OriginalAndRelease) -> str:
    return "sequences" if both.people is None else "people"


def _sensitive(both: OriginalAndRelease, asked: _Asked) -> Flags:
    if asked.sensitive is None:
        return both.tree.is_leaf & ~both.is_monitored
    chosen = nodes_named(both.tree, both.vocabulary, asked.sensitive, "sensitive")
    if (chosen & both.is_monitored).any():
        raise refusal("an event cannot be both monitored and sensitive.")
    return chosen


def _verdict(both: OriginalAndRelease, rules: list[_Rule], least: int, *, reveal: bool) -> Verdict:
    broken = [_of_people(both, rule) for rule in rules if rule.broken.size]
    checked = len(both.released_ids)
    if not broken:
        of = f"{least}" if both.people is None else f"{least} people"
        groups = f"{counted(checked, 'released sequence')} in {counted(len(both.group_names), 'group')}"
        return Verdict(True, f"{groups} of at least {of}, and every row agrees with the original", checked)
    listed = ", ".join(f"{rule.rule} ({_how_many(rule)})" for rule in broken)
    verb = "is" if len(broken) == 1 else "are"
    sentence = f"{len(broken)} of {len(rules)} rules {verb} broken: {listed}"
    violations = int(sum(rule.broken.size for rule in broken))
    details = [_revealed(both, rule) if reveal else _counted(rule) for rule in broken]
    return Verdict(False, sentence, checked, violations, pd.concat(details, ignore_index=True))


def _of_people(both: OriginalAndRelease, rule: _Rule) -> _Rule:
    """Name the people where a rule names those of their sequences that break it."""
    if both.people is None or rule.counts != "person":
        return rule
    return rule._replace(broken=distinct(both.people[rule.broken]))


def _how_many(rule: _Rule) -> str:
    people = rule.counts == "person" and rule.broken.size > 1
    return f"violated by {f'{rule.broken.size} people' if people else counted(rule.broken.size, rule.counts)}"


def _counted(rule: _Rule) -> pd.DataFrame:
    return pd.DataFrame({"rule": [rule.rule], "counts": [rule.counts], "violations": [rule.broken.size]})


def _revealed(both: OriginalAndRelease, rule: _Rule) -> pd.DataFrame:
    """List what breaks a rule: ids of the release, ids of the original (or its people), or group numbers."""
    people = both.ids if both.person_ids is None else both.person_ids
    names = {"sequence": both.released_ids, "person": people, "group": both.group_names}[rule.counts]
    shown = names.astype(object)[rule.broken]
    return pd.DataFrame({"rule": rule.rule, "counts": rule.counts, "which": shown})
