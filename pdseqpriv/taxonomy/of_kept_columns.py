"""Read which columns are kept, and the taxonomy of each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pdseqpriv.errors import SeqPrivError, refusal
from pdseqpriv.parameters import columns_to_keep
from pdseqpriv.taxonomy.taxonomy import Taxonomy, TaxonomyLike


def taxonomies_to_keep(keep: object) -> dict[Hashable, Taxonomy | None]:
    """Return the columns that are kept, each with its taxonomy, or None if it has none."""
    names = columns_to_keep(keep)
    given = keep if isinstance(keep, Mapping) else dict.fromkeys(names)
    return {name: None if one is None else _taxonomy_of(name, one) for name, one in given.items()}


def _taxonomy_of(name: Hashable, source: TaxonomyLike) -> Taxonomy:
    try:
        return Taxonomy(source)
    except SeqPrivError as error:
        why = str(error).removeprefix("Taxonomy: ")
        raise refusal(f"keep has no usable taxonomy for column {name!r}: {why}") from None
