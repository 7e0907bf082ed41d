"""Compile everything before it is needed.

Every operation and check is done on tiny tables, and the calls of kernels tell what has to be compiled.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple, TypeVar
from unittest import mock

from pdseqpriv import all_operations, compiled_ahead
from pdseqpriv.compiled import LazyKernel, kind_for_numba
from pdseqpriv.progress import on_a_part, progress

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def warm_up() -> None:
    """Compile what is not compiled yet, on all cores, so that no later call has to wait for it."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    calls = [call for call in find_calls().values() if not _is_ahead(call)]
    in_processes(compile_kernel, calls, "compiling, once")


def find_calls() -> dict[str, Call]:
    """Return the different calls of kernels, by the names of what would be compiled ahead for them."""
    found: dict[str, Call] = {}
    for calls in in_processes(
        _calls_of, range(len(all_operations.WORK)), "looking for what is to be compiled"
    ):
        found |= calls
    return found


class Call(NamedTuple):
    """A kernel, the types of arguments it is called with in numba's terms, and their kind in ours."""

    kernel: LazyKernel
    types: tuple[Any, ...]
    kind: str


def _calls_of(number: int) -> dict[str, Call]:
    """Do a piece of work in plain Python, which is quick enough on tiny tables; note the calls of kernels."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # before numba is loaded
    from numba import typeof

    calls: dict[str, Call] = {}
    run = LazyKernel.__call__

    def noting(kernel: LazyKernel, *arguments: object) -> object:
        kind = kind_for_numba(arguments)
        if kind is not None:
            symbol = compiled_ahead.symbol_of(kernel.function, kind)
            calls[symbol] = Call(kernel, tuple(map(typeof, arguments)), kind)
        return run(kernel, *arguments)

    with mock.patch.object(LazyKernel, "__call__", noting):
        all_operations.do(number)
    return calls


def _is_ahead(call: Call) -> bool:
    return compiled_ahead.find_compiled(call.kernel.function, call.kind) is not None


def compile_kernel(call: Call) -> None:
    """Compile a kernel, or see that it was; the bar of all of them says that this is done once."""
    with on_a_part():
        call.kernel.dispatcher().compile(call.types)  # type: ignore[attr-defined]


def in_processes(work: Callable[[Task], Answer], tasks: Sequence[Task], doing: str) -> list[Answer]:
    """Do a piece of work for each task, side by side in fresh processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count() or 1, context) as pool, progress(len(tasks), doing) as bar:
        running = [pool.submit(work, task) for task in tasks]
        for _ in as_completed(running):
            bar.update(1)
        return [done.result() for done in running]


if __name__ == "__main__":
    warm_up()
