"""Warming up calls every kernel as users' calls do, so that nothing is left to be compiled later."""

from __future__ import annotations

import ast
from collections import defaultdict
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv import all_operations, compiled, compiled_cache
from pdseqpriv.compiled import kind_for_numba
from tests.engines.every_function import CALLS, told

# What can be told apart by types: more would make the wheel large.
MOST_KINDS = 8


class Notes:
    """Which kernels were called, and with which kinds of arguments."""

    def __init__(self):
        self.kinds = defaultdict(set)
        self.run = compiled.LazyKernel.__call__

    def __enter__(self):
        notes = self

        def call(kernel, *arguments):
            notes.kinds[f"{kernel.__module__}.{kernel.__qualname__}"].add(kind_for_numba(arguments))
            return notes.run(kernel, *arguments)

        compiled.LazyKernel.__call__ = call
        return self

    def __exit__(self, *_):
        compiled.LazyKernel.__call__ = self.run


def warm_up():
    with Notes() as notes, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdseqpriv.options, "progress", False)
        for number in range(len(all_operations.WORK)):
            all_operations.do(number)
    return notes.kinds


def usual_tables():
    random = np.random.default_rng(5)
    rows = {"seq_id": random.integers(0, 60, 500), "event": random.choice(list("abcd"), 500)}
    table = pd.DataFrame(rows).assign(time=random.integers(0, 90, 500), note="x")
    yield table
    yield table.sort_values(["seq_id", "time"]).astype({"event": "category"})
    yield table.assign(
        time=pd.Timestamp("2026-03-01", tz="Europe/Rome") + pd.to_timedelta(table["time"], "h")
    )
    yield table.assign(event=table["event"].map(ord).astype("int16"), time=np.arange(500) / 8)
    yield table.convert_dtypes(dtype_backend="pyarrow")


def kinds_in_usual_calls():
    with Notes() as notes:
        for table in usual_tables():
            person = table.assign(person=table["seq_id"] // 2)
            for call in CALLS.values():
                told(call, table.copy)
                told(call, lambda person=person: pdseqpriv.using(person, person="person"))
    return notes.kinds


def kernels_called_from_python():
    """Return the names of the kernels that files outside ``kernels/`` import, or reach through a module."""
    for path in compiled_cache.PACKAGE.rglob("*.py"):
        if "kernels" not in path.parts:
            yield from called_in(ast.parse(path.read_text(encoding="utf-8")))


def called_in(tree):
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and ".kernels" in (node.module or ""):
            module = import_module(node.module)
            for one in node.names:
                is_here = hasattr(module, one.name)
                found = getattr(module, one.name) if is_here else import_module(f"{node.module}.{one.name}")
                modules[one.asname or one.name] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            modules[node.attr] = getattr(modules.get(node.value.id), node.attr, None)
    for found in modules.values():
        if isinstance(found, compiled.LazyKernel):
            yield f"{found.__module__}.{found.__qualname__}"


# One test, because warming up takes a while and workers do not share what comes of it.
def test_nothing_is_left_to_be_compiled_later():
    warmed, usual = warm_up(), kinds_in_usual_calls()
    assert {name: kinds - warmed[name] for name, kinds in usual.items() if kinds - warmed[name]} == {}
    assert len(usual) > 70
    asked = set(kernels_called_from_python())
    assert len(asked) > 90
    assert asked - set(warmed) == set()
    assert max(len(kinds) for kinds in warmed.values()) <= MOST_KINDS
    assert not any(None in kinds for kinds in warmed.values())
