"""Independent pieces of compiled work, on as many cores as the options allow."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from pdseqpriv.options import options
from pdseqpriv.progress import DONE, PATIENCE, STOP, Bar, Pulse

Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


class PulseBar:
    """A bar for a piece that is itself a loop: it tells its pulse what is done, and stops if asked to."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse

    def update(self, n: float | None = 1) -> None:
        """Report that ``n`` more units are done."""
        self._pulse[DONE] += int(n or 0)
        if self._pulse[STOP]:
            raise KeyboardInterrupt


def number_of_threads() -> int:
    """Return the number of threads that compiled loops may use."""
    return options.threads or os.cpu_count() or 1


def on_all_cores(work: Callable[[Piece, Pulse], Answer], pieces: Sequence[Piece], bar: Bar) -> list[Answer]:
    """Process every piece and return the results in the order of the pieces.

    Kernels release Python's lock, so threads run in parallel. Each piece gets a pulse: it adds up what is
    done there, and checks it for a request to stop if it may take longer than a second. Ctrl-C and errors
    stop all pieces.

    Examples
    --------
    >>> from pdseqpriv.progress import DONE, progress
    >>> def add(numbers, pulse):
    ...     pulse[DONE] += len(numbers)
    ...     return sum(numbers)
    >>> with progress(3, "adding") as bar:
    ...     on_all_cores(add, [[1, 2], [3]], bar)
    [3, 3]
    """
    pulses = np.zeros((len(pieces), 2), np.int64)
    with ThreadPoolExecutor(max(1, min(number_of_threads(), len(pieces)))) as pool:
        try:
            working = [pool.submit(work, piece, pulse) for piece, pulse in zip(pieces, pulses, strict=True)]
            waiting, shown = True, 0
            while waiting:
                done = wait(working, timeout=PATIENCE, return_when=FIRST_EXCEPTION)
                waiting = bool(done.not_done) and not any(one.exception() for one in done.done)
                so_far = int(pulses[:, DONE].sum())
                bar.update(so_far - shown)
                shown = so_far
        finally:
            pulses[:, STOP] = 1
            pool.shutdown(cancel_futures=True)
    return [one.result() for one in working]
