"""How much memory a plan takes, made of the distinct sequences of a table that is elsewhere."""

from __future__ import annotations

from pdseqpriv.engines.elsewhere import memory_for
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.engines.memory import bytes_in, refuse_plan_of
from pdseqpriv.sequences.variants import Variants

# Copies of the distinct sequences that planning takes, about.
COPIES = 9
# Bytes that walks take besides, for each byte of the distinct sequences, and at most: they go on in blocks.
_BYTES_OF_WALKS, _MOST_OF_WALKS = 100, 9 * 10**8


def refuse_large_walks(table: Table, variants: Variants) -> None:
    """Raise if a plan, with what walks take besides, does not fit here."""
    size = bytes_in(variants)
    besides = min(_BYTES_OF_WALKS * size, _MOST_OF_WALKS)
    refuse_plan_of(COPIES * size + besides, memory_for(bind(table).frame))
