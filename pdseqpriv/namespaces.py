"""``df.seqpriv`` for pandas, Polars and Dask, registered without loading any: a command should start at once.

What is registered makes the accessor when somebody asks for it. Whichever of the packages is not loaded yet
gets it as soon as somebody loads it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import MethodType, ModuleType
from typing import Any

NAME = "seqpriv"
# The functions that are methods, and their modules; the package fills it in before anybody asks.
_methods: dict[str, str] = {}


def offer(methods: Mapping[str, str]) -> None:
    """Register the accessor with these methods, given their names and the modules they are in."""
    _methods.update(methods)
    for package, register in _REGISTER.items():
        if package in sys.modules:
            register(sys.modules[package])
        else:
            sys.meta_path.insert(0, _Watcher(package, register))


def add_methods(accessor: type) -> None:
    """Add the functions to the accessor, each loaded when it is first used."""
    for name, module in _methods.items():
        setattr(accessor, name, _LazyMethod(name, f"pdseqpriv.{module}"))


class DeferredAccessor:
    """Stands for the accessor's class, which is loaded when a table or anybody else asks for it."""

    def __call__(self, frame: object) -> object:
        """Make the accessor of a table."""
        return import_module("pdseqpriv.accessor").SeqprivAccessor(frame)

    def __getattr__(self, name: str) -> object:
        return getattr(import_module("pdseqpriv.accessor").SeqprivAccessor, name)


def _register_with_pandas(pandas: ModuleType) -> None:
    if not hasattr(pandas.DataFrame, NAME):
        pandas.api.extensions.register_dataframe_accessor(NAME)(DeferredAccessor())


def _register_with_polars(polars: ModuleType) -> None:
    if not hasattr(polars.DataFrame, NAME):
        polars.api.register_dataframe_namespace(NAME)(DeferredAccessor())


def _register_with_dask(dataframe: ModuleType) -> None:
    if not hasattr(dataframe.DataFrame, NAME):
        dataframe.extensions.register_dataframe_accessor(NAME)(DeferredAccessor())


_REGISTER: dict[str, Callable[[ModuleType], None]] = {
    "pandas": _register_with_pandas,
    "polars": _register_with_polars,
    "dask.dataframe": _register_with_dask,
}


class _LazyMethod:
    """A placeholder for a function of another module, replaced by the function itself on first use.

    From then on the class holds the function: one signature, one docstring.
    """

    def __init__(self, name: str, module: str) -> None:
        self._name = name
        self._module = module

    def __get__(self, instance: object, owner: type) -> Any:  # noqa: ANN401 (a function or a method)
        function = getattr(import_module(self._module), self._name)
        setattr(owner, self._name, function)
        return function if instance is None else MethodType(function, instance)


class _Watcher:
    """Notices the first import of a package, which takes too long to be ours, and steps back for good."""

    def __init__(self, package: str, register: Callable[[ModuleType], None]) -> None:
        self._package, self._register = package, register

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Find the package as without us, and let the accessor be registered once it is loaded."""
        if fullname != self._package:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                self._register(module)

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec
