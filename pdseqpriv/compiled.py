"""The one decorator for compiled loops.

Importing numba takes a third of a second, so it waits for the first call. Compiled code is kept on disk
beside the source (or where ``NUMBA_CACHE_DIR`` says) and, where no folder is writable, in memory only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, overload

from numpy.typing import NDArray

from pdseqpriv.options import options

Function = TypeVar("Function", bound=Callable[..., Any])

# What compiled functions take and give; numba checks the item types, the callers name them.
Array: TypeAlias = NDArray[Any]

# Stands for numba.prange until numba is loaded.
prange = range


class LazyKernel:
    """A function that is compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], *, parallel: bool) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._parallel = parallel
        self._dispatcher: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 (any arrays)
        """Compile if need be, and run."""
        dispatcher = self.dispatcher()
        if self._parallel:
            _limit_threads()
        return dispatcher(*arguments)

    def dispatcher(self) -> Callable[..., Any]:
        """Give numba's own function object, made on demand."""
        if self._dispatcher is None:
            self._dispatcher = _compile(self._function, parallel=self._parallel)
            self._show_dispatchers_to_the_body()
        return self._dispatcher

    def _show_dispatchers_to_the_body(self) -> None:
        """Replace what the body refers to by what numba understands."""
        import numba

        scope = self._function.__globals__
        for name in self._function.__code__.co_names:
            value = scope.get(name)
            if isinstance(value, LazyKernel):
                scope[name] = value.dispatcher()
            elif name == "prange" and value is range:
                scope[name] = numba.prange


def _compile(function: Callable[..., Any], *, parallel: bool) -> Callable[..., Any]:
    import numba

    # nogil: kernels touch no Python object, so threads can run them side by side.
    try:
        compiled_function = numba.njit(cache=True, nogil=True, parallel=parallel)(function)
    except RuntimeError:  # numba found no writable folder for its cache
        compiled_function = numba.njit(nogil=True, parallel=parallel)(function)
    return compiled_function  # type: ignore[no-any-return]


def _limit_threads() -> None:
    import numba

    most = numba.config.NUMBA_NUM_THREADS
    numba.set_num_threads(most if options.threads is None else min(options.threads, most))


@overload
def compiled(function: Function) -> Function: ...


@overload
def compiled(*, parallel: bool) -> Callable[[Function], Function]: ...


def compiled(function: Any = None, *, parallel: bool = False) -> Any:
    """Compile a function on arrays at its first call.

    Examples
    --------
    >>> import numpy as np
    >>> @compiled
    ... def total(values):
    ...     result = 0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> total(np.arange(4))
    6
    """
    if function is None:
        return functools.partial(LazyKernel, parallel=parallel)
    return LazyKernel(function, parallel=parallel)
