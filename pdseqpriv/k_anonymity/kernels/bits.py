"""The place of a bit in a word."""

from __future__ import annotations

import numpy as np

from pdseqpriv.compiled import compiled

# Any six neighbouring bits of this number are different, so that they tell by how much it was shifted.
NEIGHBOURS = 0x03F79D71B4CB0A89
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(NEIGHBOURS << _place & 0xFFFFFFFFFFFFFFFF) >> 58] = _place


@compiled
def place_of_bit(bit: np.uint64) -> int:
    """Return the place of the only bit that is set."""
    return int(_PLACES[(bit * np.uint64(NEIGHBOURS)) >> np.uint64(58)])
