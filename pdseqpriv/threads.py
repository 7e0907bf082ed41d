"""Independent pieces of compiled work, on as many cores as the options allow."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

from pdseqpriv.options import options
from pdseqpriv.progress import Bar

Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


def number_of_threads() -> int:
    """Return the number of threads that compiled loops may use."""
    return options.threads or os.cpu_count() or 1


def on_all_cores(
    work: Callable[[Piece], Answer], pieces: Sequence[Piece], bar: Bar, sizes: Sequence[int]
) -> list[Answer]:
    """Process every piece and return the results in the order of the pieces.

    Kernels release Python's lock, so threads run in parallel. Ctrl-C and errors stop the pieces that have
    not started yet, so each piece should take well under a second.

    Examples
    --------
    >>> from pdseqpriv.progress import progress
    >>> with progress(6, "adding") as bar:
    ...     on_all_cores(sum, [[1, 2], [3]], bar, [2, 1])
    [3, 3]
    """
    threads = min(number_of_threads(), len(pieces))
    if threads <= 1:
        return [_and_tell(work, piece, bar, size) for piece, size in zip(pieces, sizes, strict=True)]
    with ThreadPoolExecutor(threads) as pool:
        places = {pool.submit(work, piece): place for place, piece in enumerate(pieces)}
        try:
            waiting = set(places)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    bar.update(sizes[places[future]])
        finally:
            pool.shutdown(cancel_futures=True)
    return [future.result() for future in places]


def _and_tell(work: Callable[[Piece], Answer], piece: Piece, bar: Bar, size: int) -> Answer:
    answer = work(piece)
    bar.update(size)
    return answer
