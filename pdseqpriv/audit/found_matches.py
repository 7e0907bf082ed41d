"""Matches of patterns in one part of a table, event by event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pdseqpriv.audit.kernels.matches_in_order import JOB, MATCH, POSITION, ROW, list_matches
from pdseqpriv.audit.owner_tables import people_column
from pdseqpriv.errors import refusal
from pdseqpriv.hiding.automata import CompiledPatterns
from pdseqpriv.hiding.matcher import Matcher
from pdseqpriv.progress import progress
from pdseqpriv.sequences.columns import Columns
from pdseqpriv.sequences.encoding import Codes, decode, in_order, one_after_the_other
from pdseqpriv.sequences.events import merge_vocabularies
from pdseqpriv.sequences.ragged import Flags, Ints
from pdseqpriv.sequences.sequences import Dtypes, Sequences
from pdseqpriv.sequences.times import Times, decode_times

# Events of matches that are listed at most: beyond that, nobody reads them, and memory may not hold them.
MOST = 10_000_000
_ALL = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class FoundMatches:
    """Matches in a part: an entry for each event, sorted by sequence, pattern, match and position.

    Attributes
    ----------
    known : which of the events that the patterns name occur, pattern by pattern
    ids, people, person_ids, vocabulary, dtypes : as in ``Sequences``
    owners, codes, times : sequence, event and time of each entry
    numbers : pattern, match and position of each entry, and the position of its row in the whole table
    """

    known: Flags
    ids: pd.Index
    people: Ints | None
    person_ids: pd.Index | None
    vocabulary: pd.Index
    dtypes: Dtypes
    owners: Ints
    codes: Codes
    times: Times
    numbers: Ints


def frame_of(found: FoundMatches, columns: Columns, row_numbers: Callable[[Ints], Ints]) -> pd.DataFrame:
    """Return the entries as a table, under the user's names."""
    people = found.owners if found.people is None else found.people[found.owners]
    pattern, match, position, row = (pd.Series(column) for column in found.numbers.T)
    return pd.DataFrame(
        {
            columns.seq_id: decode(found.owners.astype(np.int32), found.ids, found.dtypes.seq_id),
            **people_column(columns, people.astype(np.int32), found.person_ids),
            "pattern": pattern,
            "match": match,
            "position": position,
            columns.event: decode(found.codes, found.vocabulary, found.dtypes.event),
            columns.time: decode_times(found.times, found.dtypes.time),
            "row": row_numbers(row.to_numpy()),
        }
    )


def find_matches(sequences: Sequences, patterns: list[CompiledPatterns], limit: int | None) -> FoundMatches:
    """List the matches in one part; ``limit`` is per sequence and pattern."""
    finders = [_Finder(pattern, sequences) for pattern in patterns]
    parts = [finder.listed(sequences, limit) for finder in finders]
    numbers = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
    found = np.column_stack((numbers, np.concatenate(parts)))
    if len(parts) > 1:
        found = found[np.argsort(found[:, 1 + JOB], kind="stable")]
    refuse_too_many(len(found))
    places = found[:, 1 + ROW]
    return FoundMatches(
        np.concatenate([finder.known for finder in finders]),
        sequences.ids,
        sequences.people,
        sequences.person_ids,
        sequences.vocabulary,
        sequences.dtypes,
        found[:, 1 + JOB],
        sequences.codes[places],
        sequences.times[places],
        np.column_stack((found[:, [0, 1 + MATCH, 1 + POSITION]], sequences.numbers[places])),
    )


def merge_matches(first: FoundMatches, second: FoundMatches) -> FoundMatches:
    """Put two parts together, sorted by sequence."""
    vocabulary, *new_codes = merge_vocabularies(first.vocabulary, second.vocabulary)
    ids, order = in_order(first.ids, second.ids)
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    owners = rank[np.concatenate((first.owners, second.owners + len(first.ids)))]
    by = np.argsort(owners, kind="stable")
    codes = [new[part.codes] for new, part in zip(new_codes, (first, second), strict=True)]
    refuse_too_many(by.size)
    merged = FoundMatches(
        first.known | second.known,
        ids,
        None,
        None,
        vocabulary,
        first.dtypes,
        owners[by],
        np.concatenate(codes)[by],
        np.concatenate((first.times, second.times))[by],  # type: ignore[arg-type]
        np.concatenate((first.numbers, second.numbers))[by],
    )
    if first.person_ids is None or second.person_ids is None or first.people is None or second.people is None:
        return merged
    people = np.concatenate((first.people, second.people + len(first.person_ids)))[order]
    return replace(merged, people=people, person_ids=one_after_the_other(first.person_ids, second.person_ids))


def refuse_too_many(events: int) -> None:
    """Raise if the matches are too many to be listed."""
    if events > MOST:
        raise refusal(f"the matches have more than {MOST:,} events. Give a smaller limit.")


class _Finder(Matcher):
    """One pattern, whose matches are listed."""

    def listed(self, sequences: Sequences, limit: int | None) -> Ints:
        """Return one row of (sequence, match, position, row) for each event of each match."""
        everyone = np.arange(sequences.n_sequences)
        holders = np.flatnonzero(self.supports(sequences, sequences.codes, everyone)[:, 0])
        parts, used, clock = [np.empty((0, 4), np.int64)], 0, self._clock(sequences)
        codes, most = sequences.codes, _ALL if limit is None else limit
        with progress(holders.size, "listing matches") as bar:
            for batch in self._batches(sequences, holders):
                chosen = holders[batch]
                fitted = self._fit(sequences, clock, codes, chosen, np.ones((chosen.size, 1), np.bool_))
                room = np.empty((4 * chosen.size, 4), np.int64)
                found, filled = list_matches(codes, self.automata, fitted, most, MOST - used, room)
                used += filled
                refuse_too_many(used)
                found[:filled, JOB] = chosen[found[:filled, JOB]]
                parts.append(found[:filled])
                bar.update(chosen.size)
        return np.concatenate(parts)
