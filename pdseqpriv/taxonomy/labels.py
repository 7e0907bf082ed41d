"""What may be released instead of an event: the event itself or a category above it, as numbers.

Labels are the events of a table and all categories above them, numbered from the root down, each followed by
everything below it. So a label covers the labels from its own number up to its ``end``: itself and what is
below. Without a taxonomy the events are the labels, and each covers only itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import counted, refusal
from pdseqpriv.sequences.events import text_of_names
from pdseqpriv.sequences.ragged import Ints, Ragged
from pdseqpriv.sequences.variants import Variants, variants_of_lists
from pdseqpriv.taxonomy.taxonomy import Taxonomy

# What is above the root, or above an event where there is no taxonomy.
NONE = -1


class Labels(NamedTuple):
    """The events of a table and the categories above them.

    Attributes
    ----------
    names
        The text of each label; without a taxonomy the events as they are.
    above
        The label directly above each; NONE for the root, which is label 0, and where there is no taxonomy.
    end
        Label ``a`` covers label ``b``, is ``b`` or a category above it, where ``a <= b < end[a]``.
    kept
        How much information about an event its label keeps: 1 minus the share of the taxonomy's events that
        are below it; 1 for an event, 0 for the root.
    """

    names: pd.Index
    above: Ints
    end: Ints
    kept: NDArray[np.float64]


def find_labels(vocabulary: pd.Index, taxonomy: Taxonomy | None) -> tuple[Labels, Ints]:
    """Return the labels of the events of a table, and the label of each event itself.

    Examples
    --------
    >>> sites = Taxonomy({"Google": "Search", "Bing": "Search", "eBay": "Shops", "Wired": "News"})
    >>> labels, label_of = find_labels(pd.Index(["Bing", "Google", "eBay"]), sites)
    >>> list(labels.names), label_of.tolist()
    (['ALL', 'Search', 'Bing', 'Google', 'Shops', 'eBay'], [2, 3, 5])
    >>> labels.above.tolist(), labels.end.tolist(), labels.kept.tolist()
    ([-1, 0, 1, 1, 0, 4], [6, 4, 3, 4, 6, 6], [0.0, 0.5, 1.0, 1.0, 0.75, 1.0])
    """
    if taxonomy is None or not len(vocabulary):
        every = np.arange(len(vocabulary))
        return Labels(vocabulary, np.full(every.size, NONE), every + 1, np.ones(every.size)), every
    events = taxonomy.names.get_indexer(text_of_names(vocabulary, "event")).astype(np.int64)
    _refuse_strangers(events, taxonomy)
    used = _with_all_above(events, taxonomy)
    number, size = _number(used, taxonomy)
    places = used[np.argsort(number[used])]
    above = number[taxonomy.parents[places]]
    above[0] = NONE
    end = np.arange(places.size) + size[places]
    return Labels(taxonomy.names[places], above, end, 1 - taxonomy.shares[places]), number[events]


def depths_of(above: Ints) -> Ints:
    """Return how many labels are above each.

    Examples
    --------
    >>> depths_of(np.array([-1, 0, 1, 1, 0, 4])).tolist()
    [0, 1, 2, 2, 1, 2]
    """
    depths, up = np.zeros(above.size, np.int64), above
    while (up >= 0).any():
        depths += up >= 0
        up = np.where(up >= 0, above[up], up)
    return depths


def relabel(variants: Variants, labels: Labels, label_of: Ints) -> tuple[Variants, Ints]:
    """Return the variants of a table written in labels, sorted, and the position of each variant there."""
    codes = label_of[variants.symbols >> 1]
    begins = variants.symbols & 1
    if not begins.all():
        # The labels of an element are sorted as well.
        element = np.cumsum(begins) * max(1, labels.above.size)
        codes = np.sort(element + codes) - element
    written = Ragged(2 * codes + begins, variants.offsets)
    dtype = variants.event_dtype
    if labels.names is not variants.vocabulary:
        dtype = _dtype_of_labels(variants, labels)
    names, people = (labels.names, dtype), variants.people
    return variants_of_lists(written, variants.counts, *names, people=people, n_cells=variants.n_cells)


def _dtype_of_labels(variants: Variants, labels: Labels) -> object:
    """Keep the type of the events where it can hold categories; numbers become text."""
    if isinstance(variants.event_dtype, pd.CategoricalDtype):
        return pd.CategoricalDtype(labels.names.sort_values())
    return variants.event_dtype if isinstance(variants.vocabulary[0], str) else "str"


def _refuse_strangers(events: Ints, taxonomy: Taxonomy) -> None:
    missing = int((events < 0).sum())
    if missing:
        are = "is" if missing == 1 else "are"
        raise refusal(
            f"{missing} of the {counted(events.size, 'event')} of the table {are} not in the taxonomy. "
            "Add what is missing."
        )
    inner = int((taxonomy.shares[events] > 0).sum())  # 0 for an event
    if inner:
        are = (
            "event of the table is also a category"
            if inner == 1
            else "events of the table are also categories"
        )
        raise refusal(
            f"{inner} {are} of the taxonomy with other events below, so a release would be ambiguous. Rename "
            "the categories, or put the events below them."
        )


def _with_all_above(events: Ints, taxonomy: Taxonomy) -> Ints:
    """Return the places of events and of everything above them, parents first."""
    is_used = np.zeros(len(taxonomy), bool)
    while not is_used[events].all():
        is_used[events] = True
        events = np.unique(taxonomy.parents[events])
    return np.flatnonzero(is_used)


def _number(used: Ints, taxonomy: Taxonomy) -> tuple[Ints, Ints]:
    """Return the label of each place in use, and how many labels there are from it down; 0 for all others."""
    number, size = np.zeros(len(taxonomy), np.int64), np.zeros(len(taxonomy), np.int64)
    size[used] = 1
    levels = np.split(used, np.searchsorted(taxonomy.depths[used], np.arange(1, taxonomy.depths[-1] + 1)))
    for level in levels[:0:-1]:
        np.add.at(size, taxonomy.parents[level], size[level])
    for level in levels[1:]:
        siblings = level[np.argsort(taxonomy.parents[level], kind="stable")]
        before = np.cumsum(size[siblings]) - size[siblings]
        parents, first, family = np.unique(taxonomy.parents[siblings], return_index=True, return_inverse=True)
        number[siblings] = number[parents][family] + 1 + before - before[first][family]
    return number, size
