"""Compile all kernels into extension modules, which a wheel ships.

Numba's own tool makes the modules. It is needed here only: they work with every version of numba, and without
it.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any
from unittest import mock

from pdseqpriv import compiled_ahead, compiled_cache, warm_up

# What the wheels of numpy ask for, too; the code is hardly slower than for the processor at hand.
CPU = {"x86_64": "x86-64-v2", "AMD64": "x86-64-v2"}.get(platform.machine(), "generic")


def build(folder: Path = compiled_cache.PACKAGE) -> None:
    """Write a module for each folder of kernels, and a note of what they were made of and what is where."""
    shares: dict[str, dict[str, warm_up.Call]] = {}
    for symbol, call in warm_up.find_calls().items():
        shares.setdefault(call.kernel.function.__module__.split(".")[1], {})[symbol] = call
    make = partial(make_module, folder=folder)
    made = warm_up.in_processes(make, list(shares.items()), "compiling for the wheel")
    functions = {symbol: path.name for path, symbols in made for symbol in symbols}
    note = {
        "made_of": compiled_cache.stamp_of_sources(),
        "files": {path.name: compiled_ahead.digest_of(path) for path, _ in made},
        "functions": functions,
    }
    (folder / compiled_ahead.NOTE.name).write_text(json.dumps(note, indent=1), encoding="utf-8")


def make_module(share: tuple[str, dict[str, warm_up.Call]], folder: Path) -> tuple[Path, list[str]]:
    """Compile the kernels of a folder; return the file and the names of its functions."""
    os.environ["NUMBA_CPU_NAME"] = CPU
    warnings.simplefilter("ignore")  # numba says that its tool may change: modules are not affected
    from numba.pycc import CC, compiler

    room, calls = share
    module = CC(f"{compiled_ahead.MODULE}_{room}")
    module.output_dir, module.target_cpu = str(folder), CPU
    module.output_file = name = f"{module.name}{EXTENSION_SUFFIXES[0]}"
    for symbol, call in sorted(calls.items()):
        module.export(symbol, call.types)(call.kernel.dispatcher().py_func)  # type: ignore[attr-defined]
    with mock.patch.object(compiler, "Flags", _without_lock(compiler.Flags)):
        module.compile()
    return folder / name, sorted(calls)


def _without_lock(usual: Callable[[], Any]) -> Callable[[], Any]:
    """Have functions release Python's lock, which numba's tool has no option for."""

    def flags() -> Any:  # noqa: ANN401 (numba's)
        made = usual()
        made.release_gil = True
        return made

    return flags


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else compiled_cache.PACKAGE)
