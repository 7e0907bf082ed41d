"""Kernels that were compiled when the wheel was built: a call needs neither a compiler nor numba.

They are functions of extension modules, each for one kernel and certain types of arguments, under a name
that says which. A note beside the modules says where to find them. They are used only if they were made of
the kernels as they are here. Whatever does not fit is compiled when it is called, as ever.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pdseqpriv import compiled_cache

MODULE = "compiled_kernels"
# What the modules were made of, what their files must be, and which of them has a function.
NOTE = compiled_cache.PACKAGE / f"{MODULE}.json"
# Whoever sets one of these wants numba to do something else.
_OTHER_WISHES = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")


def find_compiled(function: FunctionType, kind: str | None) -> Callable[..., Any] | None:
    """Return the compiled twin of a function for arguments of some kind, if there is one."""
    note = _note()
    if kind is None or note is None or not compiled_cache.is_unchanged_source(function.__code__.co_filename):
        return None
    symbol = symbol_of(function, kind)
    module = _module(note["functions"].get(symbol, ""))
    return getattr(module, symbol, None)


def symbol_of(function: FunctionType, kind: str) -> str:
    """Return the name of a kernel for arguments of some kind in the module."""
    asked = f"{function.__module__}.{function.__qualname__}{kind}"
    return f"{function.__name__}_{hashlib.sha256(asked.encode()).hexdigest()[:16]}"


def digest_of(path: Path) -> str:
    """Return what tells a whole file from a damaged one: broken machine code can crash Python."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@functools.cache
def is_there() -> bool:
    """Return whether there is compiled code that fits."""
    return _note() is not None


@functools.cache
def _note() -> dict[str, dict[str, str]] | None:
    """Read the note, if it is about the kernels as they are here."""
    if any(os.environ.get(wish, "0") != "0" for wish in _OTHER_WISHES):
        return None
    try:
        note = json.loads(NOTE.read_text(encoding="utf-8"))
        fits = note["made_of"] == compiled_cache.stamp_of_sources()
        return {name: dict(note[name]) for name in ("files", "functions")} if fits else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # whatever is wrong, compiling helps


@functools.cache
def _module(name: str) -> ModuleType | None:
    """Load a module, unless it is damaged."""
    digest = (_note() or {"files": {}})["files"].get(name)
    try:
        if digest is None or digest_of(NOTE.with_name(name)) != digest:
            return None
        return importlib.import_module(f"pdseqpriv.{name.partition('.')[0]}")
    except (OSError, ImportError):
        return None
