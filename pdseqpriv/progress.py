"""Progress bars that stay out of the way."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from time import monotonic
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pdseqpriv.options import options

# Shared by compiled work and the thread that waits for it: how much is done, and whether to stop.
DONE, STOP = range(2)
Pulse: TypeAlias = NDArray[np.int64]
PATIENCE = 0.05  # seconds between two looks
_DELAY = 1.0  # seconds before there is anything to see

# Whether this is work on a part of a table: its progress shows in the bar of the whole, and other cores have
# parts of their own.
ON_A_PART: ContextVar[bool] = ContextVar("whether this is work on a part", default=False)
# By which whoever waits for the parts tells those that are at work that nobody does any more.
_GIVEN_UP: ContextVar[Event | None] = ContextVar("whether this part is still wanted", default=None)


_said: set[str] = set()


@contextmanager
def on_a_part(given_up: Event | None = None) -> Iterator[None]:
    """Show no bars and use one core: whoever divided the work into parts sees to both, and may give it up."""
    tokens = ON_A_PART.set(True), _GIVEN_UP.set(given_up)
    try:
        yield
    finally:
        ON_A_PART.reset(tokens[0])
        _GIVEN_UP.reset(tokens[1])


def stop_if_given_up() -> None:
    """Stop work on a part that nobody waits for any more, as after Ctrl-C: only the main thread hears it."""
    given_up = _GIVEN_UP.get()
    if given_up is not None and given_up.is_set():
        raise KeyboardInterrupt


class Bar(Protocol):
    """What a long loop reports its progress to."""

    def update(self, n: float | None = 1) -> bool | None:
        """Report that ``n`` more units are done."""


class _LateBar:
    """Counts silently at first: most work is done before a bar is worth loading."""

    def __init__(self, total: int | None, doing: str) -> None:
        self._total, self._doing = total, doing
        self._begun = monotonic()
        self._done: float = 0
        self._bar: Any = None

    def update(self, n: float | None = 1) -> bool | None:
        stop_if_given_up()
        self._done += n or 0
        if self._bar is not None:
            self._bar.update(n)
        elif monotonic() - self._begun >= _DELAY and options.progress and not ON_A_PART.get():
            self._bar = self._shown()
            self._bar.update(self._done)
        return None

    def _shown(self) -> Any:  # noqa: ANN401 (tqdm's)
        with warnings.catch_warnings():  # in a notebook without widgets, a bar of text does as well
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

        # None: tqdm stays silent where the output is not a terminal.
        disable = False if _is_notebook() else None
        bar = tqdm(total=self._total, desc=self._doing, leave=False, disable=disable)
        if not bar.disable:
            # Otherwise it would show the speed of the first second, and the first update would not show.
            bar.start_t = bar.last_print_t = bar.start_t - (monotonic() - self._begun)
        return bar

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(total: int | None, doing: str) -> Iterator[Bar]:
    """Show a bar after one second, only in a terminal or notebook, and only if the options allow it.

    If the total is not known, the bar counts what is done.

    Examples
    --------
    >>> with progress(3, "counting") as bar:
    ...     for _ in range(3):
    ...         _ = bar.update(1)
    """
    bar = _LateBar(total, doing)
    try:
        yield bar
    finally:
        bar.close()


def say_once(text: str) -> None:
    """Say something where a bar would show, the first time in this process that there is reason to."""
    is_seen = _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    if is_seen and options.progress and not ON_A_PART.get() and text not in _said:
        _said.add(text)
        sys.stderr.write(f"pdseqpriv: {text}\n")


def _is_notebook() -> bool:
    """Return whether this is a notebook: it is no terminal, but shows text."""
    return "ipykernel" in sys.modules


def watched(work: Callable[[Pulse], Any], doing: str) -> Any:  # noqa: ANN401 (what the work gives)
    """Wait for compiled work that checks its pulse: a bar shows its progress, and Ctrl-C stops it.

    Examples
    --------
    >>> watched(lambda pulse: int(pulse.sum()), "adding")
    0
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    pulse = np.zeros(2, np.int64)
    shown = 0
    with progress(None, doing) as bar, ThreadPoolExecutor(1) as thread:
        answer = thread.submit(work, pulse)
        try:
            waiting = True
            while waiting:
                waiting = bool(wait([answer], timeout=PATIENCE).not_done)
                done = int(pulse[DONE])
                bar.update(done - shown)  # which stops if nobody waits for this part any more
                shown = done
        finally:
            pulse[STOP] = 1
    return answer.result()
