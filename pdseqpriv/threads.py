"""Independent pieces of compiled work, on as many cores as the options allow."""

from __future__ import annotations

import itertools
import os
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Event
from typing import TypeVar

import numpy as np

from pdseqpriv.options import options
from pdseqpriv.progress import DONE, ON_A_PART, PATIENCE, STOP, Bar, Pulse, on_a_part

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
    """Return the number of threads that compiled loops may use: on one of several parts, only one."""
    return 1 if ON_A_PART.get() else options.threads or os.cpu_count() or 1


def one_by_one(work: Callable[[Piece], Answer], pieces: Iterable[Piece], bar: Bar) -> Iterator[Answer]:
    """Process parts of a table on all cores and yield the results in their order.

    Only as many are begun as there are cores, and one more, so that results do not pile up. After Ctrl-C and
    errors no further ones begin, and those that are begun stop where they report progress.

    Examples
    --------
    >>> from pdseqpriv.progress import progress
    >>> with progress(3, "adding") as bar:
    ...     list(one_by_one(sum, [[1, 2], [3], [4, 5]], bar))
    [3, 3, 9]
    """
    threads, left, begun = number_of_threads(), iter(pieces), deque[Future[Answer]]()
    given_up = Event()
    # Threads that silence warnings for a moment, as pandas does, may silence them for good: it ends here.
    with warnings.catch_warnings(), ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                for piece in itertools.islice(left, threads + 1 - len(begun)):
                    begun.append(pool.submit(copy_context().run, _as_a_part, work, piece, given_up))
                if not begun:
                    return
                while not wait([begun[0]], timeout=PATIENCE).done:
                    pass  # a wait without end would not notice Ctrl-C
                yield begun.popleft().result()
                bar.update(1)
        finally:
            given_up.set()
            pool.shutdown(cancel_futures=True)


def _as_a_part(work: Callable[[Piece], Answer], piece: Piece, given_up: Event) -> Answer:
    with on_a_part(given_up):
        return work(piece)


def on_all_cores(work: Callable[[Piece, Pulse], Answer], pieces: Sequence[Piece], bar: Bar) -> list[Answer]:
    """Process every piece and return the results in the order of the pieces.

    Kernels release Python's lock, so threads run in parallel. Each piece gets a pulse: it adds up what is
    done there, and checks it for a request to stop if it may take longer than a second. Ctrl-C and errors
    stop all pieces. A piece is taken when it is its turn, so that only those at work need to be there.

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
            working = [pool.submit(_taken, work, pieces, place, pulses) for place in range(len(pieces))]
            waiting, shown = set(working), 0
            while waiting:
                done = wait(waiting, timeout=PATIENCE, return_when=FIRST_EXCEPTION)
                waiting = set() if any(one.exception() for one in done.done) else done.not_done
                so_far = int(pulses[:, DONE].sum())
                bar.update(so_far - shown)  # which stops if nobody waits for this part any more
                shown = so_far
        finally:
            pulses[:, STOP] = 1
            pool.shutdown(cancel_futures=True)
    return [one.result() for one in working]


def _taken(
    work: Callable[[Piece, Pulse], Answer], pieces: Sequence[Piece], place: int, pulses: Pulse
) -> Answer:
    return work(pieces[place], pulses[place])
