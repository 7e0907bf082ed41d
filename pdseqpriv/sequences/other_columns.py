"""What becomes of columns beside id, event and time: all operations tell it in the same words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from pdseqpriv.errors import warn


def warn_of_dropped_columns(names: Sequence[Hashable]) -> None:
    """Say which columns are not released."""
    if names:
        warn(f"dropped {_listed(names)}: other columns can identify people.")


def warn_of_released_columns(names: Sequence[Hashable]) -> None:
    """Say which columns are released as they are, beside ids and times."""
    if names:
        are = "is" if len(names) == 1 else "are"
        warn(
            f"{_listed(names)} {are} released as before, like ids and times: other columns can identify "
            "people. Drop what is not needed."
        )


def _listed(names: Sequence[Hashable]) -> str:
    return ", ".join(repr(name) for name in names)
