"""How much memory a plan takes, made of the distinct sequences of a table that is elsewhere."""

from __future__ import annotations

from pdseqpriv.engines.elsewhere import memory_for
from pdseqpriv.engines.engine import Table, bind
from pdseqpriv.engines.memory import bytes_in, refuse_plan_of
from pdseqpriv.k_anonymity.walks import most_bytes_of_walks
from pdseqpriv.sequences.variants import Variants

# Copies of the distinct sequences that planning takes, about.
COPIES = 9
# Bytes that walks take besides, for each byte of the distinct sequences, while the table is small.
_BYTES_OF_WALKS = 100


def refuse_large_walks(table: Table, variants: Variants, k: int) -> None:
    """Raise if a plan, with what walks take besides, does not fit here."""
    size = bytes_in(variants)
    besides = min(_BYTES_OF_WALKS * size, most_bytes_of_walks(k))
    refuse_plan_of(COPIES * size + besides, memory_for(bind(table).frame))
