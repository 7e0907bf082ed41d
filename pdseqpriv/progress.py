"""Progress bars that stay out of the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from pdseqpriv.options import options


class Bar(Protocol):
    """What a long loop tells."""

    def update(self, n: float | None = 1) -> bool | None:
        """Say that ``n`` more units are done."""


@contextmanager
def progress(total: int, doing: str) -> Iterator[Bar]:
    """Show a bar after one second, in a terminal or notebook only, and only if options allow it.

    Examples
    --------
    >>> with progress(3, "counting") as bar:
    ...     for _ in range(3):
    ...         _ = bar.update(1)
    """
    from tqdm.auto import tqdm

    # disable=None: tqdm stays silent where the output is not a terminal.
    bar = tqdm(total=total, desc=doing, delay=1, leave=False, disable=None if options.progress else True)
    try:
        yield bar
    finally:
        bar.close()
