"""The house stays in order: layers, lazy imports, one docstring per function."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pdseqpriv"

GUARANTEES = {"k_anonymity", "hiding", "generalization", "sanitization", "mining", "pattern_release"}
# Lower never imports higher; a folder may import its own.
LAYERS = [
    {"errors", "options", "version"},
    {"compiled", "compiled_cache", "exact", "parameters", "progress", "threads", "verdict"},
    {"sequences"},
    {"patterns", "taxonomy", "schemas", "schema_files"},
    {"engines"},
    GUARANTEES | {"audit", "files", "datasets"},
    {"accessor", "methods"},
]
# Packages that are loaded late or may be missing: each is known to one file.
ONLY_IN = {
    "pandera": {"schemas.py", "schema_files.py"},
    "numba": {"compiled.py"},
    "tqdm": {"progress.py"},
}
MODULES = {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*.py"))}
KERNELS = {
    name: path for name, path in MODULES.items() if "kernels" in path.parts and path.stem != "__init__"
}


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are written out in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def level_of(room):
    return next(level for level, rooms in enumerate(LAYERS) if room in rooms)


def test_the_guards_see_the_whole_tree():
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "pdseqpriv/*.py"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert set(MODULES) == {name.removeprefix("pdseqpriv/") for name in listed if (ROOT / name).exists()}
    assert len(KERNELS) > 40


@pytest.mark.parametrize("name", MODULES)
def test_lower_never_imports_higher(name):
    room = Path(name).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    for imported in imports_of(MODULES[name]):
        parts = imported.split(".")
        if parts[0] == "pdseqpriv" and parts[1] != room:
            assert level_of(parts[1]) <= level_of(room), f"{name} imports {imported}"
        if parts[0] in ONLY_IN:
            assert name in ONLY_IN[parts[0]], f"{name} imports {imported}"


def test_packages_are_known_to_the_file_that_is_named_for_them():
    for package, names in ONLY_IN.items():
        for name in names:
            assert package in {imported.split(".")[0] for imported in imports_of(MODULES[name])}, name


def test_guarantees_do_not_import_each_other():
    seen = set()
    for name, path in MODULES.items():
        room = Path(name).parts[0]
        others = GUARANTEES - {room, *(["mining"] if room == "pattern_release" else [])}
        if room in GUARANTEES:
            seen.add(room)
            foreign = [
                one for one in imports_of(path) if one.startswith(tuple(f"pdseqpriv.{o}." for o in others))
            ]
            assert not foreign, f"{name} imports {foreign}"
    assert seen == GUARANTEES


def module_of(imported):
    """Return the file that an imported name is in, or None if it is not ours."""
    parts = imported.split(".")
    for length in range(len(parts), 1, -1):
        path = "/".join(parts[1:length])
        if parts[0] == "pdseqpriv" and (
            found := next((n for n in (f"{path}.py", f"{path}/__init__.py") if n in MODULES), None)
        ):
            return found
    return None


def reach_of(name):
    """Return every file of ours that a file needs, itself included."""
    reached, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += [found for found in map(module_of, imports_of(MODULES[one])) if found]
    return reached


# The door of each guarantee that has a check.
DOORS = {
    "k_anonymity": "k_anonymize",
    "hiding": "hide",
    "generalization": "generalize",
    "sanitization": "sanitize",
    "pattern_release": "release_patterns",
}


def in_guarantees(names):
    return {name for name in names if Path(name).parts[0] in GUARANTEES and Path(name).stem != "__init__"}


@pytest.mark.parametrize("room", DOORS)
def test_a_check_shares_nothing_with_its_operation(room):
    operation, check = reach_of(f"{room}/{DOORS[room]}.py"), reach_of(f"{room}/verify.py")
    assert len(operation) > 20
    assert len(check) > 10
    assert not in_guarantees(operation & check)
    measures = reach_of(f"{room}/measures.py")
    assert f"{room}/measures.py" in in_guarantees(measures)
    assert not in_guarantees(operation & measures)


def test_every_module_of_a_guarantee_is_needed():
    doors = (pdseqpriv._METHODS | pdseqpriv._OTHERS).values()
    roots = [name.replace(".", "/") for name in doors]
    roots += [f"{room}/{part}" for room in DOORS for part in ("verify", "measures")]
    reached = set().union(*(reach_of(f"{root}.py") for root in roots))
    assert in_guarantees(MODULES) - reached == set()
    assert len(in_guarantees(MODULES)) > 80


def is_kernel(imported):
    parts = imported.split(".")
    return parts[0] == "pdseqpriv" and "kernels" in parts


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_know_only_arrays(name):
    allowed = {"__future__", "collections", "functools", "typing", "numpy"}
    for imported in imports_of(KERNELS[name]):
        fits = imported.split(".")[0] in allowed or imported.startswith("pdseqpriv.compiled.")
        assert fits or is_kernel(imported), f"{name} imports {imported}"


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_do_not_call_themselves(name):
    # Compiled code that recurses crashes when it is loaded again.
    functions = [
        node for node in ast.walk(ast.parse(KERNELS[name].read_text())) if isinstance(node, ast.FunctionDef)
    ]
    assert functions
    for function in functions:
        called = {n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and hasattr(n.func, "id")}
        assert function.name not in called, f"{name}: {function.name}"


def test_import_is_light():
    code = (
        "import sys, pandas; before = set(sys.modules); import pdseqpriv; print(*(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    packages = {name.split(".")[0] for name in loaded.split()}
    assert not packages & {"numba", "pandera", "matplotlib", "dask", "tqdm", "typer", "jinja2"}


def import_times():
    """Return what pandas and pdseqpriv add to an interpreter, in milliseconds."""
    command = [sys.executable, "-X", "importtime", "-c", "import pandas; import pdseqpriv"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    costs = {line.split("|")[2].strip(): line.split("|")[1] for line in lines if line.count("|") == 2}
    return int(costs["pandas"]) / 1000, int(costs["pdseqpriv"]) / 1000


def test_import_takes_at_most_50_ms_above_pandas():
    runs = [import_times() for _ in range(5)]
    # On a machine that is busy just now, pandas' own import (some 400 ms) tells how busy.
    assert any(ours < max(50, pandas / 8) for pandas, ours in runs), runs


METHODS = [
    name
    for name in vars(pdseqpriv.SeqprivAccessor)
    if not name.startswith("_") and callable(getattr(pdseqpriv.SeqprivAccessor, name))
]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_the_functions(name):
    function = getattr(pdseqpriv, name)
    assert getattr(pdseqpriv.SeqprivAccessor, name) is function
    assert vars(pdseqpriv.SeqprivAccessor)[name] is function
    assert next(iter(inspect.signature(function).parameters)) == "table"


PUBLIC = [
    (name, value)
    for name, value in [
        *((name, getattr(pdseqpriv, name)) for name in pdseqpriv.__all__),
        *((f"verify.{name}", value) for name, value in vars(pdseqpriv.verify).items()),
    ]
    if inspect.isfunction(value)
]


@pytest.mark.parametrize(("name", "function"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_docstrings_promise_show_and_name_every_parameter(name, function):
    text = inspect.getdoc(function)
    assert "**Guarantee**" in text
    assert "**Not protected**" in text
    assert ">>> " in text
    described = text.split("Returns\n")[0]
    optional = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for parameter in optional:
        assert parameter in described, f"{name}: {parameter} is not described"


@pytest.mark.parametrize(("name", "function"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_only_tables_and_the_main_parameter_are_positional(name, function):
    kinds = inspect.signature(function).parameters.values()
    positional = [p.name for p in kinds if p.kind is p.POSITIONAL_OR_KEYWORD]
    others = set(positional) - {"table", "original", "released", "path", "patterns"}
    assert len(others) <= 1, name


def test_modules_stay_short():
    long = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    assert not {name: lines for name, lines in long.items() if lines > 300}


def test_every_function_on_a_table_is_a_method():
    on_tables = {
        name for name, function in PUBLIC if next(iter(inspect.signature(function).parameters)) == "table"
    }
    assert on_tables - {"write_parquet", "write_csv", "write_spmf"} == set(METHODS)


def test_public_names_are_there_and_others_are_not():
    assert set(dir(pdseqpriv)) == set(pdseqpriv.__all__)
    for name in pdseqpriv.__all__:
        assert getattr(pdseqpriv, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'hyde'"):
        _ = pdseqpriv.hyde


def test_accessor_is_cheap_and_tells_no_value():
    frame = pd.DataFrame({"user": ["top-secret"]})
    assert isinstance(frame.seqpriv, BoundTable)
    assert "seqpriv" in dir(frame)
    assert "top-secret" not in repr(frame.seqpriv)
