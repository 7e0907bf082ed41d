"""The record in what pandas notes in Arrow tables and files that it makes itself: the attrs of a frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pdseqpriv.sequences.record import ATTRIBUTE


def record_noted_by_pandas(metadata: Mapping[bytes, bytes] | None) -> Any:  # noqa: ANN401 (whatever is there)
    """Return the record of a release that was written without us; None if there is none.

    It is bound to its rows by the secret of the process that made them, so elsewhere it is found not to fit.
    """
    try:
        told = json.loads((metadata or {}).get(b"pandas", b"null"))
    except (ValueError, RecursionError):
        return None
    attributes = told.get("attributes") if isinstance(told, dict) else None
    return attributes.get(ATTRIBUTE) if isinstance(attributes, dict) else None
