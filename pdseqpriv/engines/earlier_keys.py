"""The keys of earlier releases, which may be of any kind that tables are."""

from __future__ import annotations

from typing import Any

from pdseqpriv.engines.arrow import from_arrow, speaks_arrow
from pdseqpriv.sequences.columns import USUAL


def as_frames(keys: object) -> Any:  # noqa: ANN401 (whoever asks for frames checks them)
    """Return the keys in a list as frames of pandas; what speaks no Arrow, or is no list, stays as it is."""
    if not isinstance(keys, list | tuple):
        return keys
    return [from_arrow(key, USUAL)[0] if speaks_arrow(key) else key for key in keys]
