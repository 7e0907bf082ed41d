"""Functions that are imported when they are first looked up, so that importing the library stays quick."""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import Any


class LazyMethod:
    """Stands in a class for a function of another module, and gives way to it on first use.

    From then on the class holds the function itself: one signature, one docstring.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:  # noqa: ANN401 (a function or a method)
        function = getattr(import_module(self._module), self._name)
        setattr(owner, self._name, function)
        return function if instance is None else MethodType(function, instance)
