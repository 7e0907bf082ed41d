"""Which events belong to which category: a tree whose leaves are events."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdseqpriv.errors import SeqPrivError, in_our_words, public, refusal, unreadable
from pdseqpriv.paths import path_of, reading
from pdseqpriv.patterns.event_text import Event
from pdseqpriv.sequences.events import free_name, text_of_names
from pdseqpriv.taxonomy.folding_tree import tree_html
from pdseqpriv.taxonomy.source import Levels, arrange, read_links, refuse_nulls

# As users give it: child -> parent, nested dicts, or a frame with two columns.
TaxonomyLike: TypeAlias = "Taxonomy | Mapping[Any, Any] | pd.DataFrame"
# Columns that are kept: their names, or the taxonomy of each, None if it has none.
Keep: TypeAlias = "Sequence[Hashable] | Mapping[Any, TaxonomyLike | None]"
Names: TypeAlias = "pd.Index | pd.Series | NDArray[Any] | Iterable[Event]"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Taxonomy:
    """A tree of categories over events.

    Parameters
    ----------
    source : mapping, nested dicts or DataFrame
        A mapping of each child to its parent; nested dicts such as ``{"Search": ["Google", "Bing"]}`` that
        end in lists of events, empty dicts or None; or a DataFrame with two columns, child and parent (with
        these names, or in this order).

    Attributes
    ----------
    names : pandas.Index
        All events and categories, as text: parents before children, the root first.
    parents : int32 per name
        The position of each name's parent; the root is its own parent.
    depths : int32 per name
        The number of steps from the root.
    shares : float64 per name
        The share of all events that is below the name; 0 for an event.

    Notes
    -----
    There is one root. If the source has several, a root is added above them and called "ALL", or "ALL (all
    events)" if that name is taken, so that no category can be mistaken for an event. Names are text or whole
    numbers; 7 and "7" are the same name. A taxonomy cannot be changed once it is made.

    Examples
    --------
    >>> from pdseqpriv import Taxonomy
    >>> sites = Taxonomy({"Google": "Search", "Bing": "Search", "eBay": "Shopping", "Amazon": "Shopping"})
    >>> sites
    Taxonomy(events=4, categories=3, levels=2)
    >>> sites.lowest_common_ancestor(["Google", "Bing"]), sites.lowest_common_ancestor(["Google", "eBay"])
    ('Search', 'ALL')
    >>> sites.share("Search"), sites.share("Bing")
    (0.5, 0.0)
    >>> sites == Taxonomy({"Search": ["Google", "Bing"], "Shopping": {"eBay": {}, "Amazon": {}}})
    True
    """

    names: pd.Index
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    shares: NDArray[np.float64]

    @public
    def __init__(self, source: TaxonomyLike) -> None:
        if isinstance(source, Taxonomy):
            self._set(Levels(source.names, source.parents, source.depths))
        else:
            self._set(arrange(read_links(source)))

    @classmethod
    @public
    def flat(cls, events: Names) -> Self:
        """Make a taxonomy with all events directly below one category.

        Examples
        --------
        >>> from pdseqpriv import Taxonomy
        >>> Taxonomy.flat(["a", "b", "ALL"]).root
        'ALL (all events)'
        """
        names = text_of_names(events, "events")
        refuse_nulls(names, "events")
        if not len(names):
            raise refusal("events is empty. Give at least one event.")
        made = cls.__new__(cls)
        made._set(_flat_levels(names.unique()))  # noqa: SLF001 (its own)
        return made

    @classmethod
    @public
    def read_parquet(cls, path: str | os.PathLike[str]) -> Self:
        """Read a Parquet file with two columns, child and parent."""
        source = path_of(path)
        with in_our_words(_unreadable(path)), reading(source):
            frame = pd.read_parquet(source)
        return cls(frame)

    @classmethod
    @public
    def read_csv(cls, path: str | os.PathLike[str]) -> Self:
        """Read a CSV file with a header and two columns, child and parent; an empty cell is null."""
        source = path_of(path)
        with in_our_words(_unreadable(path)), reading(source):
            frame = pd.read_csv(source, dtype="str", keep_default_na=False, na_values=[""])
        return cls(frame)

    @property
    def root(self) -> str:
        """The category of all events."""
        return str(self.names[0])

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each name is an event."""
        leaf = np.ones(len(self), bool)
        leaf[self.parents] = False
        return leaf

    @property
    def leaves(self) -> pd.Index:
        """The events."""
        return self.names[self.is_leaf]

    def find(self, names: Names) -> NDArray[np.int64]:
        """Return the position of each name; -1 for a name that is not in the taxonomy.

        Examples
        --------
        >>> from pdseqpriv import Taxonomy
        >>> Taxonomy({1: "odd", 2: "even"}).find([2, "1", "odd", 3]).tolist()
        [4, 3, 2, -1]
        """
        text = text_of_names(names, "names")
        return np.where(text.isna(), -1, self.names.get_indexer(text)).astype(np.int64)

    def covers(self, category: Event, event: Event) -> bool:
        """Return whether the event is the category itself or below it; False for unknown names.

        Examples
        --------
        >>> from pdseqpriv import Taxonomy
        >>> sites = Taxonomy({"Search": ["Google", "Bing"], "News": ["Wired"]})
        >>> sites.covers("Search", "Bing"), sites.covers("Bing", "Bing"), sites.covers("News", "Bing")
        (True, True, False)
        """
        return bool(self.is_under([event], [category])[0])

    def is_under(self, events: Names, categories: Names) -> NDArray[np.bool_]:
        """Return, for each pair, whether the event is the category itself or below it."""
        below, above = self.find(events), self.find(categories)
        known = (below >= 0) & (above >= 0)
        wanted = np.where(known, self.depths[above], np.iinfo(np.int32).max)
        return np.asarray(known & (self._lifted(below, wanted) == above), dtype=bool)

    @public
    def parent_of(self, name: Event) -> str | None:
        """Return the category directly above a name; None for the root."""
        place = self._place(name)
        return None if place == 0 else str(self.names[self.parents[place]])

    @public
    def lowest_common_ancestor(self, names: Names) -> str:
        """Return the smallest category that covers all the names; for a single name, that name."""
        places = np.unique(self.find(names))
        if not places.size:
            raise refusal("names must be a list of at least one name.")
        if places[0] < 0:
            raise refusal("a name is not in the taxonomy.")
        places = np.unique(self._lifted(places, self.depths[places].min()))
        while places.size > 1:
            places = np.unique(self.parents[places])
        return str(self.names[places[0]])

    @public
    def share(self, name: Event) -> float:
        """Return the share of all events below the category; 0 for an event."""
        return float(self.shares[self._place(name)])

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self.names.equals(other.names) and np.array_equal(self.parents, other.parents)

    def __hash__(self) -> int:
        return hash((len(self), self.root))

    def __repr__(self) -> str:
        events = int(self.is_leaf.sum())
        return f"Taxonomy(events={events}, categories={len(self) - events}, levels={self.depths[-1]})"

    def _repr_html_(self) -> str:
        return tree_html(self.names, self.parents, repr(self))

    def _lifted(self, places: NDArray[np.int64], depth: NDArray[np.int32] | np.int32) -> NDArray[np.int64]:
        """Go up from each position to the given depth."""
        places = places.copy()
        while (deeper := np.flatnonzero((self.depths[places] > depth) & (places >= 0))).size:
            places[deeper] = self.parents[places[deeper]]
        return places

    def _place(self, name: Event) -> int:
        place = int(self.find([name])[0])
        if place < 0:
            raise refusal("the name is not in the taxonomy.")
        return place

    def _set(self, levels: Levels) -> None:
        arrays = (("parents", levels.above), ("depths", levels.depth), ("shares", _shares(levels)))
        array: NDArray[Any]
        for name, array in arrays:
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "names", levels.names)


def _flat_levels(names: pd.Index) -> Levels:
    root = pd.Index([free_name(names)], dtype=names.dtype)
    above, depth = np.zeros(len(names) + 1, np.int32), np.ones(len(names) + 1, np.int32)
    depth[0] = 0
    return Levels(root.append(names.sort_values()), above, depth)


def _shares(levels: Levels) -> NDArray[np.float64]:
    """Count the events below each category: those directly below it, then, from the bottom up, the others."""
    is_leaf = np.ones(len(levels.names), bool)
    is_leaf[levels.above] = False
    under = np.bincount(levels.above[is_leaf], minlength=is_leaf.size)
    for category in np.flatnonzero(~is_leaf)[:0:-1].tolist():
        under[levels.above[category]] += under[category]
    return np.where(is_leaf, 0.0, under / under[0])


def _unreadable(path: object) -> SeqPrivError:
    return unreadable(path, "it is not a table of two columns")
