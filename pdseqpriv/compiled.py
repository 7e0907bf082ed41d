"""The one decorator for compiled loops.

Code that came with the wheel runs as it is. The rest is compiled by numba at its first call; importing numba
takes a third of a second. What is compiled of the package's own kernels is kept on disk, in the first of
these places that only the user can write to: the folder named by ``NUMBA_CACHE_DIR``, the package's
``__pycache__``, the user's cache folder. Otherwise it stays in memory.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import functools
import hashlib
import pickle
import threading
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import RLock
from types import FrameType, FunctionType
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pdseqpriv import compiled_ahead, compiled_cache
from pdseqpriv.progress import say_once

Function = TypeVar("Function", bound=Callable[..., Any])

# What compiled functions take and return; numba checks the item types, the callers name them.
Array: TypeAlias = NDArray[Any]

# Only one thread at a time builds numba's functions; the others wait until everything they refer to is there.
_making = RLock()
# What fits into numba's integers.
_WHOLE = range(-(2**63), 2**63)

# Those whose handlers are known to raise: Ctrl-C, the end of a container, and limits of time.
# There are fewer on Windows. Python's own module for signals is 20 times slower.
_SIGNALS = [getattr(_signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(_signal, name)]
_MAIN = threading.main_thread()


class LazyKernel:
    """A function that is compiled when it is first called."""

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._made: dict[bool, Any] = {}  # numba's functions, for calls from kernels or not
        self._ready: set[bool] = set()
        self._ahead: dict[str | None, Callable[..., Any] | None] = {}  # for kinds of arguments

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 (any arrays)
        """Compile if necessary, then run."""
        return undisturbed(self._found(arguments), arguments)

    def _found(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Return what was compiled for such arguments, ahead or when it was first needed."""
        if not compiled_ahead.is_there():
            return self.dispatcher()
        kind = kind_for_numba(arguments)
        if kind not in self._ahead:
            self._ahead[kind] = compiled_ahead.find_compiled(self.function, kind)
        return self._ahead[kind] or self.dispatcher()

    def __reduce__(self) -> str:
        # Pickled as its name, like any function of a module.
        return self.function.__qualname__

    def dispatcher(self, *, inner: bool = False) -> Callable[..., Any]:
        """Return numba's own function, built on demand; an inner one is for calls from kernels only."""
        if inner not in self._ready:
            with _making:
                if inner not in self._made:
                    self._make_dispatcher(inner)
        return cast("Callable[..., Any]", self._made[inner])

    def _make_dispatcher(self, inner: bool) -> None:  # noqa: FBT001 (which of two)
        scope = dict(self.function.__globals__)
        self._made[inner] = _dispatcher_of(self.function, scope, inner=inner)
        try:
            _show_dispatchers(scope, self.function.__code__.co_names)
            self._ready.add(inner)
        finally:
            if inner not in self._ready:  # interrupted: the next call starts again
                del self._made[inner]


def _dispatcher_of(function: FunctionType, scope: dict[str, Any], *, inner: bool) -> Any:  # noqa: ANN401 (numba's)
    """Give numba a copy of the function with its own names, so that ours stay as they are."""
    import numba

    code = function.__code__
    twin = FunctionType(code, scope, code.co_name, function.__defaults__, function.__closure__)
    # nogil: kernels touch no Python object, so threads can run them side by side.
    if inner:  # becomes part of its caller: what Python and C would need to call it is a quarter of the work
        return numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(twin)
    dispatcher = numba.njit(nogil=True)(twin)
    folder = _cache_folder() if compiled_cache.is_unchanged_source(code.co_filename) else None
    if folder is not None:
        dispatcher._cache = KernelCache(twin, folder)  # noqa: SLF001 (numba offers no other way)
    return dispatcher


def _show_dispatchers(scope: dict[str, Any], names: Iterable[str]) -> None:
    """Replace what the body refers to by what numba understands."""
    for name in names:
        if isinstance(scope.get(name), LazyKernel):
            scope[name] = scope[name].dispatcher(inner=True)


def kind_for_numba(argument: object) -> str | None:  # noqa: PLR0911 (one return per kind reads best)
    """Return what numba would tell apart: the same text for the same types. None for what is not foreseen.

    Examples
    --------
    >>> kind_for_numba((np.zeros(2), 3, True))
    '(<f81C,i,b)'
    >>> kind_for_numba("text") is None
    True
    """
    if type(argument) is np.ndarray:
        return _kind_of_array(argument)
    if isinstance(argument, bool | np.bool_):
        return "b"
    if isinstance(argument, np.generic):
        return "i" if isinstance(argument, np.int64) else argument.dtype.str
    if isinstance(argument, int):
        return "i" if argument in _WHOLE else None
    if isinstance(argument, float):
        return "<f8"
    if isinstance(argument, tuple):
        kinds = [kind_for_numba(field) for field in argument]
        return None if None in kinds else f"{_name_of(type(argument))}({','.join(map(str, kinds))})"
    return None


@functools.cache
def _name_of(kind: type) -> str:
    """Return the name of a class of named tuples and of its fields; nothing for plain tuples."""
    fields = ",".join(getattr(kind, "_fields", ()))
    return "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}[{fields}]"


def _kind_of_array(array: np.ndarray[Any, Any]) -> str | None:
    if not array.dtype.isnative or not array.flags.aligned or array.dtype.hasobject:
        return None
    layout = "C" if array.flags.c_contiguous else "F" if array.flags.f_contiguous else "A"
    return f"{array.dtype.str}{array.ndim}{layout}{'' if array.flags.writeable else 'r'}"


class KernelCache:
    """The interface that numba expects of a cache, for one kernel: one file per processor and argument types.

    Numba's own cache numbers its files and writes the index first. After a full disk, or when two processes
    save at once, a number may point to the wrong code. Here the file name itself says what the file is for.
    """

    def __init__(self, function: FunctionType, folder: Path) -> None:
        self.function = function
        self.cache_path = folder

    def load_overload(self, signature: Any, context: Any) -> Any:  # noqa: ANN401 (numba's types)
        """Return what was compiled for these types, or None: then numba compiles, which is said once."""
        context.refresh()
        payload = compiled_cache.read_compiled(self._path(signature, context.codegen()))
        found = None if payload is None else _rebuilt(payload, signature, context)
        if found is None:
            say_once("compiling, once. The command 'pdseqpriv warmup' compiles everything beforehand.")
        return found

    def save_overload(self, signature: Any, result: Any) -> None:  # noqa: ANN401 (numba's types)
        """Keep what was compiled for these types."""
        from numba.core.serialize import dumps

        if result.library.has_dynamic_globals:
            name = self.function.__qualname__
            warnings.warn(f"{name} is compiled in every process: it uses a large global array", stacklevel=2)
        else:
            payload = dumps((signature, result._reduce()))  # noqa: SLF001 (its twin is _rebuild)
            if not compiled_cache.write(self._path(signature, result.codegen), payload):
                _warn_of_code_that_is_lost("cannot write to the folder where it keeps what it compiles")

    def _path(self, signature: Any, codegen: Any) -> Path:  # noqa: ANN401 (numba's types)
        import numba

        module, name = self.function.__module__, self.function.__qualname__
        types = signature, _fields(getattr(signature, "args", signature))
        asked = repr((module, name, types, codegen.magic_tuple(), numba.config.BOUNDSCHECK))
        digest = hashlib.sha256(asked.encode()).hexdigest()[:16]
        return self.cache_path / f"{module.rpartition('.')[2]}.{name}-{digest}.nbc"


def _rebuilt(payload: bytes, signature: Any, context: Any) -> Any:  # noqa: ANN401 (numba's types)
    from numba.core.compiler import CompileResult

    try:
        kept_for, code = pickle.loads(payload)  # noqa: S301 (as trusted as the .pyc files beside it)
        return CompileResult._rebuild(context, *code) if kept_for == signature else None  # noqa: SLF001
    except Exception:  # noqa: BLE001 (whatever is wrong with it, compiling helps)
        return None


def _fields(types: Iterable[Any]) -> list[Any]:
    """Return the fields of named tuples in order: numba names only the class, which any file may define."""
    return [(getattr(kind, "fields", ()), _fields(getattr(kind, "types", ()))) for kind in types]


@functools.cache
def _cache_folder() -> Path | None:
    import numba
    from numba.misc.appdirs import AppDirs

    user = Path(AppDirs("pdseqpriv", appauthor=False).user_cache_dir)
    places = [compiled_cache.PACKAGE / "__pycache__"]
    if numba.config.CACHE_DIR:
        places.insert(0, Path(numba.config.CACHE_DIR, "pdseqpriv").absolute())
    if user.is_absolute():  # not where the home folder is unknown
        places.append(user)
    folder = compiled_cache.folder_for(numba.__version__, places)
    if folder is None:
        _warn_of_code_that_is_lost("finds no folder that you and nobody else can write to")
    return folder


@functools.cache  # once per process is enough
def _warn_of_code_that_is_lost(why: str) -> None:
    warnings.warn(
        f"pdseqpriv {why}, so what it compiles is not kept and every new process compiles again. "
        "Set NUMBA_CACHE_DIR to a folder with free space that only you can write to.",
        stacklevel=2,
    )


def compiled(function: Function) -> Function:
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
    return cast("Function", LazyKernel(cast("FunctionType", function)))


def undisturbed(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:  # noqa: ANN401 (what the work gives)
    """Call compiled code; what handlers of signals do waits until it is back.

    Compiled code calls Python to hand over arrays and tuples. If a signal came while it was at work, Python
    hears of it in that call, and numba does not expect what a handler raises there, such as
    KeyboardInterrupt: it says that there are both an answer and an error, or crashes. Only the main thread
    hears of signals. While numba still compiles, nothing waits.

    Examples
    --------
    >>> undisturbed(max, (2, 3))
    3
    """
    if threading.current_thread() is not _MAIN:
        return work(*arguments)
    handlers: dict[int, Any] = {one: _signal.getsignal(one) for one in _SIGNALS}
    heard: list[int] = []
    is_back = False

    def wait(number: int, frame: FrameType | None) -> None:
        if is_back or _is_compiling(frame):
            handlers[number](number, frame)
        else:
            heard.append(number)

    waiting = [one for one, handler in handlers.items() if callable(handler)]
    try:
        for one in waiting:
            _signal.signal(one, wait)
        return work(*arguments)
    finally:
        is_back = True  # a second signal may end this before all handlers are back; none is to wait forever
        for one in waiting:
            _signal.signal(one, handlers[one])
        if heard:
            handlers[heard[0]](heard[0], None)


def _is_compiling(frame: FrameType | None) -> bool:
    """Return whether numba is at work, and not what it compiled; that calls other parts of numba as well."""
    while frame is not None and frame.f_code is not undisturbed.__code__:
        if frame.f_globals.get("__name__") == "numba.core.dispatcher":
            return True
        frame = frame.f_back
    return False
