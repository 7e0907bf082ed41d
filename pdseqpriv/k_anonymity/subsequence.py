"""Replace each sequence with a long subsequence of its own that at least k sequences contain.

With categories, an event may also be replaced with a category above it. Sequences are walked in blocks,
which count only what they look at. So those that were cut are looked up in the whole table afterwards: what k
people share as a whole is kept whole.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pdseqpriv.k_anonymity.kernels.holders import LabelHolders, index_sequences, pivots_of, sizes_of
from pdseqpriv.k_anonymity.kernels.shared_whole import are_shared
from pdseqpriv.k_anonymity.rare_events import different_people_of, without_rare_events
from pdseqpriv.k_anonymity.walks import Spread, Values, walk_in_blocks
from pdseqpriv.progress import Pulse, progress
from pdseqpriv.sequences.kernels.lexicographic import take_sequences
from pdseqpriv.sequences.ragged import Flags, Ints, Ragged
from pdseqpriv.sequences.variants import Variants, variants_of_lists
from pdseqpriv.taxonomy.labels import Labels, depths_of
from pdseqpriv.threads import on_all_cores

# What keeping the most popular event is worth. A popular one is in more frequent patterns: an event with a
# tenth of the support is worth a quarter.
WORTH = 1000
POPULARITY = 0.6
# Where there are categories, one is worth as much as the rarest event: this part of the most popular one.
CATEGORY = 0.4
# Words of bits for a look-up in the whole table.
BITS = 1 << 23
# Sequences that are looked up together, at least. Each lot goes through its candidates once, so that there
# are never more than so many lots, which is enough for all cores.
LOOK_UPS = 8192
LOTS = 64


def shorten(
    variants: Variants, k: int, labels: Labels, *, mutual: bool, spread: Spread
) -> tuple[Variants, Ints]:
    """Return the subsequences to release, and which of them replaces each variant. Events are labels.

    The empty one replaces a variant of which no event is shared. With ``mutual`` the output is shortened
    again until nothing changes: then at least k sequences of the output, too, contain each of its sequences.
    """
    released, target, worth = variants, np.arange(variants.counts.size), None
    while True:
        before = released
        common, place, supports = without_rare_events(before, labels, k)
        worth = _worth(supports, labels) if worth is None else worth
        chosen = _find_shared(common, k, Values(labels.above, labels.end, worth, supports), spread)
        names = (before.vocabulary, before.event_dtype)
        released, new_place = variants_of_lists(chosen, common.counts, *names, people=common.people)
        target = new_place[place][target]
        if not mutual or np.array_equal(released.symbols, before.symbols):
            return released, target


def _worth(supports: Ints, labels: Labels) -> Ints:
    """Value each event by how popular it is, and categories below it; what says more is worth more."""
    is_event = labels.kept == 1
    popularity = (supports / max(1, supports[is_event].max(initial=0))) ** POPULARITY
    worth: Ints = np.maximum(1, np.rint(WORTH * popularity)).astype(np.int64)
    if not is_event.all():
        popularity = np.where(is_event, CATEGORY + (1 - CATEGORY) * popularity, CATEGORY)
        worth = np.rint(WORTH * popularity).astype(np.int64) + depths_of(labels.above)
        worth[labels.kept == 0] = 0
    return worth


def _find_shared(common: Variants, k: int, values: Values, spread: Spread) -> Ragged:
    """Return the symbols that are chosen for each variant."""
    parts = walk_in_blocks(common, k, values, spread)
    if len(parts) == 1:
        return parts[0]
    chosen = Ragged.concat(parts)
    del parts  # as large as the table
    whole = common.lists
    is_whole = _are_shared_whole(common, chosen.differs_from(whole), k, values)
    return _at_least_one_event(chosen.replaced(is_whole, whole), whole, values.supports)


def _are_shared_whole(common: Variants, is_asked: Flags, k: int, values: Values) -> Flags:
    """Return which of the sequences that are asked for are contained in k people's as they are."""
    order = np.argsort(-sizes_of(common.symbols, common.offsets), kind="stable")
    symbols, offsets = take_sequences(common.symbols.astype(np.int32), common.offsets, order)
    counts = common.counts[order]
    people = None if common.people is None else common.people.take(order)
    index = index_sequences(symbols, offsets, counts, different_people_of(people), values.above, values.end)
    asked = np.flatnonzero(is_asked[order])
    pivots = pivots_of(index, asked)
    by_pivot = np.argsort(pivots, kind="stable")
    asked, pivots = asked[by_pivot], pivots[by_pivot]
    size = max(LOOK_UPS, asked.size // LOTS)
    cuts = np.arange(size, asked.size, size)
    parts = list(zip(np.split(asked, cuts), np.split(pivots, cuts), strict=True))
    with progress(asked.size, "looking for what is shared as a whole") as bar:
        found = on_all_cores(partial(_look_up, index=index, k=k), parts, bar)
    is_whole = np.zeros(counts.size, np.bool_)
    is_whole[order[asked]] = np.concatenate(found)
    return is_whole


def _look_up(part: tuple[Ints, Ints], pulse: Pulse, *, index: LabelHolders, k: int) -> Flags:
    is_shared: Flags = are_shared(index, *part, k, BITS, pulse)
    return is_shared


def _at_least_one_event(chosen: Ragged, whole: Ragged, supports: Ints) -> Ragged:
    """Give variants that got nothing, as what they share is in other blocks, their most common event."""
    lacking = np.flatnonzero((chosen.lengths == 0) & (whole.lengths > 0))
    theirs = whole.take(lacking)
    order = np.lexsort((-supports[theirs.values >> 1], theirs.owners))
    most_common = theirs.values[order[theirs.offsets[:-1]]] | 1
    lengths = chosen.lengths
    lengths[lacking] = 1
    return Ragged.of(np.insert(chosen.values, chosen.offsets[lacking], most_common), lengths)
