"""Everything that an attacker may know of some people, and how many sequences it fits.

Patterns grow one event at a time, as long as somebody of interest has enough events left. A sequence that
has the pattern is kept with the element where the earliest match ends: the next event either comes later,
or joins an element from there on that holds all of the pattern's last element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pdseqpriv.compiled import Array, compiled

NOBODY = np.iinfo(np.int64).max
DONE, STOP = 0, 1  # of a pulse: how much is done, and not 0 when the work is to end


class Whose(NamedTuple):
    """The people who have sequence i: people[offsets[i]:offsets[i + 1]], each once."""

    people: Array
    offsets: Array
    wanted: Array  # per person
    seen: Array  # per person: the last pattern for which seen in the original, in the release, and noted
    stamp: Array  # of one number: the pattern

    def for_one_thread(self) -> Whose:
        """Return the same with notes of its own."""
        return self._replace(seen=np.zeros_like(self.seen), stamp=np.zeros_like(self.stamp))


@compiled
def first_events(codes: Array, elements: Array, offsets: Array, n_codes: int) -> tuple[Array, ...]:
    """Group by the events with which patterns may begin: keys, starts, members, where each is first."""
    n = offsets.size - 1
    nothing = np.empty(0, np.int64)
    return _extensions(
        codes, elements, offsets, n_codes, _scratch(n_codes), np.arange(n), np.full(n, -1), nothing
    )


@compiled
def hide_among(
    data: tuple[Array, ...],
    known: int,
    k: int,
    n_codes: int,
    first: tuple[Array, ...],
    found: tuple[Array, ...],
    whose: Whose,
    pulse: Array,
) -> None:
    """Note for each wanted sequence its fewest candidates, sum of chances and number of patterns.

    Takes the patterns that begin with one of the ``first`` events, as `first_events` groups them.
    ``data`` is codes, elements, offsets, weights, is_release (empty when there is only one table), wanted;
    ``found`` is worst, chances, patterns. Where people have several sequences, ``whose`` says which people
    have each sequence, and ``found`` is about people; otherwise its arrays are empty.
    """
    codes, elements, offsets = data[0], data[1], data[2]
    scratch = _scratch(n_codes)
    nothing = np.empty(0, np.int64)
    # What extends the pattern at each depth, group by group, and which group is next.
    keys = [nothing for _ in range(known)]
    starts = [nothing for _ in range(known)]
    members = [nothing for _ in range(known)]
    places = [nothing for _ in range(known)]
    lasts = [nothing for _ in range(known)]
    following = np.zeros(known, np.int64)
    keys[0], starts[0], members[0], places[0] = first
    depth = 0
    while depth >= 0 and pulse[STOP] == 0:
        i = following[depth]
        if i == keys[depth].size:
            depth -= 1
            continue
        following[depth] += 1
        if depth == 0:
            pulse[DONE] += 1
        start, stop = starts[depth][i], starts[depth][i + 1]
        those, where = members[depth][start:stop], places[depth][start:stop]
        if whose.offsets.size == 0:
            _note(data, known, k, found, those, depth + 1)
        else:
            _note_people(data, known, k, found, those, depth + 1, whose)
        if _goes_on(data, known, those, where, keys[depth][i] % n_codes, depth + 1):
            last = _last_element(lasts[depth], keys[depth][i], n_codes)
            depth += 1
            lasts[depth], following[depth] = last, 0
            keys[depth], starts[depth], members[depth], places[depth] = _extensions(
                codes, elements, offsets, n_codes, scratch, those, where, last
            )


@compiled
def _scratch(n_codes: int) -> tuple[Array, Array, Array]:
    """Give, per kind of extension: who was the last to offer it, and how often it was; and a counter."""
    return np.full(2 * n_codes, -1, np.int64), np.zeros(2 * n_codes, np.int64), np.zeros(1, np.int64)


@compiled
def _last_element(last: Array, key: int, n_codes: int) -> Array:
    """Return the last element of the longer pattern: one event more, or a new element."""
    if key < n_codes:
        return np.full(1, key)
    longer = np.empty(last.size + 1, np.int64)
    longer[:-1] = last
    longer[-1] = key - n_codes
    return longer


@compiled
def _extensions(
    codes: Array,
    elements: Array,
    offsets: Array,
    n_codes: int,
    scratch: tuple[Array, ...],
    those: Array,
    ends: Array,
    last: Array,
) -> tuple[Array, Array, Array, Array]:
    """Group by the event that comes later, or n_codes + the one that joins: who has it, where first."""
    seen, counts, stamp = scratch
    size = 64
    keys, members, new_ends = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    count = 0
    for i in range(those.size):
        s = those[i]
        stamp[0] += 1
        row = offsets[s]
        while row < offsets[s + 1] and elements[row] < ends[i]:
            row += 1
        while row < offsets[s + 1]:
            stop = row
            while stop < offsets[s + 1] and elements[stop] == elements[row]:
                stop += 1
            later = elements[row] > ends[i]
            may_join = last.size > 0 and _includes(codes, row, stop, last)
            for r in range(row, stop):
                for joins in range(2):
                    if joins == 0 and not later:
                        continue
                    if joins == 1 and (not may_join or codes[r] <= last[-1]):
                        continue
                    key = codes[r] + joins * n_codes
                    if seen[key] == stamp[0]:
                        continue
                    seen[key] = stamp[0]
                    if count == size:
                        size *= 2
                        keys, members, new_ends = _longer(keys), _longer(members), _longer(new_ends)
                    keys[count], members[count], new_ends[count] = key, s, elements[row]
                    counts[key] += 1
                    count += 1
            row = stop
    return _grouped(keys[:count], members, new_ends, counts)


@compiled
def _grouped(keys: Array, members: Array, ends: Array, counts: Array) -> tuple[Array, Array, Array, Array]:
    """Bring members with the same key together, and leave ``counts`` as clean as it was."""
    distinct = np.unique(keys) if keys.size < counts.size else np.flatnonzero(counts)
    starts = np.zeros(distinct.size + 1, np.int64)
    for i in range(distinct.size):
        starts[i + 1] = starts[i] + counts[distinct[i]]
        counts[distinct[i]] = starts[i]
    grouped, grouped_ends = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    for j in range(keys.size):
        place = counts[keys[j]]
        counts[keys[j]] += 1
        grouped[place], grouped_ends[place] = members[j], ends[j]
    for i in range(distinct.size):
        counts[distinct[i]] = 0
    return distinct, starts, grouped, grouped_ends


@compiled
def _goes_on(data: tuple[Array, ...], known: int, group: Array, ends: Array, event: int, length: int) -> bool:
    """Return whether somebody may be known by more: enough events are left after the earliest match.

    Without counting what is left, all beginnings of what may be known would be tried, also those that do not
    lead to it; these are far more where nearly all of a sequence is known.
    """
    codes, elements, offsets, is_release, wanted = data[0], data[1], data[2], data[4], data[5]
    for i in range(group.size):
        s = group[i]
        if not wanted[s] or (is_release.size and is_release[s]):
            continue
        missing = min(known, offsets[s + 1] - offsets[s]) - length
        row = offsets[s + 1] - missing
        if missing > 0 and (elements[row] > ends[i] or (elements[row] == ends[i] and codes[row] > event)):
            return True
    return False


@compiled
def _note(
    data: tuple[Array, ...], known: int, k: int, found: tuple[Array, ...], group: Array, length: int
) -> None:
    """Note a pattern for those who can be known by it."""
    offsets, weights, is_release, wanted = data[2], data[3], data[4], data[5]
    worst, chances, patterns = found
    in_original, in_release = 0, 0
    for s in group:
        if is_release.size and is_release[s]:
            in_release += weights[s]
        else:
            in_original += weights[s]
    candidates = in_original if is_release.size == 0 else candidates_of(in_original, in_release, k)
    for s in group:
        whole = offsets[s + 1] - offsets[s] == length
        if wanted[s] and (length == known or whole):
            patterns[s] += 1
            worst[s] = min(worst[s], candidates)
            if candidates != NOBODY:
                chances[s] += 1.0 / candidates


@compiled
def _note_people(
    data: tuple[Array, ...],
    known: int,
    k: int,
    found: tuple[Array, ...],
    group: Array,
    length: int,
    whose: Whose,
) -> None:
    """Do the same for people, each of whom counts once, however many of their sequences have the pattern."""
    offsets, is_release, wanted = data[2], data[4], data[5]
    worst, chances, patterns = found
    is_known = False
    for s in group:
        if wanted[s] and not (is_release.size and is_release[s]):
            is_known = is_known or length in (known, offsets[s + 1] - offsets[s])
    if not is_known:
        return
    whose.stamp[0] += 1
    stamp, in_original, in_release = whose.stamp[0], 0, 0
    for s in group:
        place = 1 if is_release.size and is_release[s] else 0
        for i in range(whose.offsets[s], whose.offsets[s + 1]):
            person = whose.people[i]
            if whose.seen[place, person] != stamp:
                whose.seen[place, person] = stamp
                in_original += 1 - place
                in_release += place
    candidates = in_original if is_release.size == 0 else candidates_of(in_original, in_release, k)
    for s in group:
        whole = offsets[s + 1] - offsets[s] == length
        if not wanted[s] or not (length == known or whole):
            continue
        for i in range(whose.offsets[s], whose.offsets[s + 1]):
            person = whose.people[i]
            if whose.wanted[person] and whose.seen[2, person] != stamp:
                whose.seen[2, person] = stamp
                patterns[person] += 1
                worst[person] = min(worst[person], candidates)
                if candidates != NOBODY:
                    chances[person] += 1.0 / candidates


@compiled
def candidates_of(in_original: int, in_release: int, k: int) -> int:
    """Count those among whom a person hides, as in the proof of theorem 1."""
    if in_release == 0:
        return NOBODY
    if in_original < k or in_release >= k:
        return in_release
    return in_original


@compiled
def _includes(codes: Array, start: int, stop: int, wanted: Array) -> bool:
    """Return whether a sorted element holds all of some sorted events."""
    place = 0
    for row in range(start, stop):
        if place < wanted.size and codes[row] == wanted[place]:
            place += 1
    return place == wanted.size


@compiled
def _longer(values: Array) -> Array:
    more = np.empty(values.size * 2, values.dtype)
    more[: values.size] = values
    return more
