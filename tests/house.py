"""The rules of the house, each a function of a folder, so that a test can see each of them fail.

A rule gives one line for each thing that it looks at: what is wrong with it, or "" where nothing is.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

GUARANTEES = {"k_anonymity", "hiding", "generalization", "sanitization", "mining", "pattern_release"}
# What several guarantees share; a check shares none of it with its operation.
OF_GUARANTEES = {"kept_columns"}
# Lower never imports higher; a folder may import its own.
# They call public functions, as users do.
BY_THE_FRONT_DOOR = {"all_operations", "warm_up", "build_ahead"}
LAYERS = [
    {"errors", "namespaces", "notebook_html", "options", "version"},
    {
        "compiled",
        "compiled_ahead",
        "compiled_cache",
        "exact",
        "parameters",
        "paths",
        "progress",
        "short_names",
        "threads",
        "verdict",
    },
    {"sequences"},
    {"patterns", "taxonomy", "table_model", "result_models", "schemas"},
    {"engines"},
    OF_GUARANTEES,
    GUARANTEES | {"audit", "files", "datasets"},
    {"plotting", "reporting"},
    {"accessor", "methods"},
    {"recipes"},
    {"pipeline"},
    {"command_line", "schema_files", "__main__"},
    {"__init__"},
    BY_THE_FRONT_DOOR,
]
# Packages that every file may use; a kernel may use less.
ANYWHERE = {"numpy", "pandas", "pyarrow", "pdseqpriv"} | (set(sys.stdlib_module_names) - {"importlib"})
IN_KERNELS = {"__future__", "collections", "functools", "typing", "numpy"}
# All others are loaded late or may be missing: each is known to the files named here.
ONLY_IN = {
    "pandera": {"table_model.py", "schema_files.py"},
    "numba": {"compiled.py", "warm_up.py", "build_ahead.py"},
    "tqdm": {"progress.py"},
    "matplotlib": {"plotting/axes.py"},
    "jinja2": {"reporting/page.py"},
    "dask": {"engines/dask_frames.py"},
    "pyspark": {"engines/spark_frames.py"},
    "pydantic": {"recipes/model.py"},
    "yaml": {"recipes/text.py", "recipes/writing.py"},
    "typer": {"command_line/app.py", "command_line/arguments.py"},
    "importlib": {
        "__init__.py",
        "namespaces.py",
        "audit/sweep.py",
        "compiled_cache.py",
        "command_line/manifest.py",
        "command_line/trying.py",
        "compiled_ahead.py",
        "build_ahead.py",
    },
}
# The door of each guarantee that has a check.
DOORS = {
    "k_anonymity": "k_anonymize",
    "hiding": "hide",
    "generalization": "generalize",
    "sanitization": "sanitize",
    "pattern_release": "release_patterns",
}
# The one loop that an operation and its check may both run: it sorts the rows of a table.
COMMON_KERNEL = "sequences/kernels/ordering.py"
# What each guarantee, or each engine, has one of; a recipe's columns are called so in its schema.
SAME_IDEA = {
    "summarise",
    "merge",
    "make_plan",
    "apply",
    "finish",
    "make_key",
    "in_torn_cells",
    "Piece",
    "Plan",
    "Request",
    "Tally",
    "refuse_odd_columns",
    "Columns",
}
# Commands and plots are called like the functions that they run or show.
COMMANDS_AND_PLOTS = {
    "command_line/auditing.py",
    "command_line/releases.py",
    "plotting/curves.py",
    "plotting/pattern_bars.py",
}
# Its functions are public: pdseqpriv.datasets.make_clickstream.
FOR_USERS = {"datasets.py"}
LATE = {
    "pandas",
    "pyarrow",
    "numpy",
    "numba",
    "pandera",
    "matplotlib",
    "dask",
    "pyspark",
    "tqdm",
    "typer",
    "jinja2",
    "polars",
    "duckdb",
}


def complaints(rule, *looked_at):
    """Return what a rule finds wrong; a rule that looks at nothing is wrong itself."""
    lines = list(rule(*looked_at))
    return [line for line in lines if line] if lines else [f"{rule.__name__} looked at nothing"]


# Nearly all files of two copies of the package are the same.
parse = cache(ast.parse)


class House:
    """The modules below a folder, by their paths, and what each imports."""

    def __init__(self, folder):
        paths = sorted(folder.rglob("*.py"))
        self.sources = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
        self.trees = {name: parse(source) for name, source in self.sources.items()}
        self.kernels = [name for name in self.trees if is_kernel(name)]

    def imports_of(self, name):
        return imports_in(self.sources[name])

    def functions_of(self, name):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [node for node in ast.walk(self.trees[name]) if isinstance(node, functions)]

    def file_of(self, imported):
        """Return the file that an imported name is in, or None if it is not ours."""
        parts = imported.split(".")
        for length in range(len(parts), 1, -1):
            path = "/".join(parts[1:length])
            for name in (f"{path}.py", f"{path}/__init__.py"):
                if parts[0] == "pdseqpriv" and name in self.trees:
                    return name
        return None

    def reach_of(self, *names):
        """Return every file of ours that these need, themselves included, wherever the imports stand."""
        reached, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += [found for found in map(self.file_of, self.imports_of(name)) if found]
        return reached


@cache
def imports_in(source):
    found = []
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (f"{node.module}." if node.module else "")
            found += [start + alias.name for alias in node.names]
        elif isinstance(node, ast.Name) and node.id == "__import__":
            found.append(node.id)
    return found


def is_kernel(name):
    return "kernels" in Path(name).parts and Path(name).name != "__init__.py"


def room_of(name):
    return Path(name).parts[0].removesuffix(".py")


def level_of(room):
    return next((level for level, rooms in enumerate(LAYERS) if room in rooms), None)


def imports_are_written_in_full(house):
    for name in house.trees:
        for imported in house.imports_of(name):
            yield f"{name} imports {imported}" if imported.startswith(".") else ""


def lower_never_imports_higher(house):
    for name in house.trees:
        own = level_of(room_of(name))
        yield f"{name} has no place in the layers" if own is None else ""
        for imported in house.imports_of(name):
            parts = [*imported.split("."), ""]
            if parts[0] == "pdseqpriv" and parts[1] != room_of(name):
                level = level_of(parts[1])
                if level is None:  # the package itself, or a public name through its front door
                    yield "" if room_of(name) in BY_THE_FRONT_DOOR else f"{name} imports {imported}"
                else:
                    yield f"{name} imports {imported}" if level > (own or 0) else ""


def packages_stay_in_their_files(house):
    for name in house.trees:
        for imported in house.imports_of(name):
            package = imported.split(".")[0]
            fits = package in ANYWHERE or name in ONLY_IN.get(package, ())
            yield "" if fits else f"{name} imports {imported}"


def files_named_for_a_package_import_it(house):
    for package, names in ONLY_IN.items():
        for name in names:
            known = {one.split(".")[0] for one in (house.imports_of(name) if name in house.trees else [])}
            yield "" if package in known else f"{name} does not import {package}"


def guarantees_do_not_import_each_other(house):
    for name in house.trees:
        room = room_of(name)
        others = GUARANTEES - {room, *(["mining"] if room == "pattern_release" else [])}
        for imported in house.imports_of(name) if room in GUARANTEES else []:
            parts = [*imported.split("."), ""]
            is_foreign = parts[0] == "pdseqpriv" and parts[1] in others
            yield f"{name} imports {imported}" if is_foreign else ""


def every_guarantee_is_a_folder(house):
    for room in sorted(GUARANTEES):
        yield "" if any(room_of(name) == room for name in house.trees) else f"there is no {room}"
        has_check = f"{room}/verify.py" in house.trees
        yield "" if has_check == (room in DOORS) else f"{room}: a check without a door, or a door without one"


def checks_share_nothing_with_their_operations(house):
    for room, door in DOORS.items():
        both = f"{room}/{door}.py", f"{room}/verify.py"
        if missing := set(both) - set(house.trees):
            yield f"there is no {' and no '.join(sorted(missing))}"
            continue
        operation, check = map(house.reach_of, both)
        if not any(is_kernel(name) for name in operation if room_of(name) == room):
            yield f"{room}/{door}.py reaches no kernel of its own: the walk has gone wrong"
        for name in sorted(check):
            is_made_of = room_of(name) in {*GUARANTEES, *OF_GUARANTEES} or is_kernel(name)
            is_shared = name in operation and is_made_of and name != COMMON_KERNEL
            yield f"{room}: the check and the operation both need {name}" if is_shared else ""


def measures_share_nothing_with_their_operations(house):
    for room, door in DOORS.items():
        both = f"{room}/{door}.py", f"{room}/measures.py"
        if missing := set(both) - set(house.trees):
            yield f"there is no {' and no '.join(sorted(missing))}"
            continue
        operation, measures = map(house.reach_of, both)
        for name in sorted(filter(is_of_a_guarantee, measures)):
            yield f"{room}: the measures and the operation both need {name}" if name in operation else ""


def every_module_of_a_guarantee_is_needed(house):
    paths = [f"{name.replace('.', '/')}.py" for name in texts_in(house.trees.get("__init__.py"))]
    paths += [f"{room}/{part}.py" for room in DOORS for part in ("verify", "measures")]
    reached = house.reach_of(*(set(paths) & set(house.trees)))
    for name in filter(is_of_a_guarantee, house.trees):
        yield "" if name in reached else f"nobody needs {name}"


def texts_in(tree):
    """Return all texts in a module; those of the front door name the modules that users call."""
    nodes = ast.walk(tree) if tree else []
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def is_of_a_guarantee(name):
    return room_of(name) in {*GUARANTEES, *OF_GUARANTEES} and Path(name).name != "__init__.py"


def folders_open_with_a_docstring_only(house):
    # Else whatever loads the check would load what stands here, too.
    for name, tree in house.trees.items():
        if name.endswith("/__init__.py"):
            yield (
                "" if not tree.body[1:] and ast.get_docstring(tree) else f"{name} holds more than a docstring"
            )


def kernels_know_only_arrays(house):
    for name in house.kernels:
        for imported in house.imports_of(name):
            parts = [*imported.split("."), ""]
            is_ours = parts[0] == "pdseqpriv" and ("kernels" in parts or parts[1] == "compiled")
            yield "" if parts[0] in IN_KERNELS or is_ours else f"{name} imports {imported}"


def kernels_do_not_call_themselves(house):
    # Compiled code that recurses crashes when it is loaded again.
    for name in house.kernels:
        called = {function.name: names_called_in(function) for function in house.functions_of(name)}
        yield "" if called else f"{name} has no function"
        for function, called_first in called.items():
            reached, waiting = set(), list(called_first)
            while waiting:
                one = waiting.pop()
                if one in called and one not in reached:
                    reached.add(one)
                    waiting += called[one]
            yield f"{name}: {function} calls itself" if function in reached else ""


def names_called_in(function):
    return [n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and hasattr(n.func, "id")]


def compiled_functions_live_in_kernels(house):
    for name in house.trees:
        is_outside = "pdseqpriv.compiled.compiled" in house.imports_of(name) and not is_kernel(name)
        yield f"{name} compiles functions outside of a kernels folder" if is_outside else ""
        for function in house.functions_of(name):
            if "compiled" in {getattr(one, "id", None) for one in function.decorator_list}:
                yield (
                    ""
                    if is_kernel(name)
                    else f"{name}: {function.name} is compiled outside of a kernels folder"
                )


def no_function_is_told_who_called_it(house):
    # The decorator @public knows the name that errors begin with.
    for name in house.trees:
        for function in house.functions_of(name):
            taken = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
            told = [one for one in taken if one.arg == "function" and is_text(one.annotation)]
            yield f"{name}: {function.name} takes the name of a function" if told else ""


def is_text(annotation):
    return annotation is not None and "str" in ast.unparse(annotation)


def one_name_means_one_thing(house):
    homes = defaultdict(set)
    for name, node in definitions_in(house):
        if name not in COMMANDS_AND_PLOTS and not node.name.startswith("_"):
            homes[node.name].add(name)
    for defined, names in homes.items():
        is_double = len(names) > 1 and defined not in SAME_IDEA
        yield f"{defined} is defined in {' and '.join(sorted(names))}" if is_double else ""


def every_function_is_used(house):
    used = {used for tree in house.trees.values() for used in names_used_in(tree)}
    for name, node in definitions_in(house):
        is_for_others = node.name.startswith("__") or name in FOR_USERS  # Python and users
        yield "" if node.name in used or is_for_others else f"{name}: nobody uses {node.name}"


def definitions_in(house):
    """Return the functions and classes of all modules, not those inside others."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        (name, node) for name, tree in house.trees.items() for node in tree.body if isinstance(node, kinds)
    ]


def names_used_in(tree):
    """Return all names that a module uses; public ones are written as text, as they are loaded late."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name.split(".")[-1]
    yield from texts_in(tree)


def modules_stay_short(house):
    for name, source in house.sources.items():
        lines = len(source.splitlines())
        yield f"{name} has {lines} lines" if lines > 300 else ""


def bodies_stay_short(house):
    for name in house.trees:
        for function in house.functions_of(name) if not is_kernel(name) else []:
            body = function.body[1:] if ast.get_docstring(function) is not None else function.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            yield f"{name}: {function.name} has {lines} lines" if lines > 35 else ""


RULES = [
    imports_are_written_in_full,
    lower_never_imports_higher,
    packages_stay_in_their_files,
    files_named_for_a_package_import_it,
    guarantees_do_not_import_each_other,
    every_guarantee_is_a_folder,
    checks_share_nothing_with_their_operations,
    measures_share_nothing_with_their_operations,
    every_module_of_a_guarantee_is_needed,
    folders_open_with_a_docstring_only,
    kernels_know_only_arrays,
    kernels_do_not_call_themselves,
    compiled_functions_live_in_kernels,
    no_function_is_told_who_called_it,
    one_name_means_one_thing,
    every_function_is_used,
    modules_stay_short,
    bodies_stay_short,
]


def twins_know_nothing_of_the_package(tests):
    """Brute force that borrows from the implementation, or from its tests, proves nothing."""
    for name in tests.trees:
        for imported in tests.imports_of(name) if Path(name).name.startswith("naive") else []:
            is_twin = imported.startswith("tests.") and ".naive" in imported
            fits = is_twin or imported.split(".")[0] in sys.stdlib_module_names
            yield "" if fits else f"{name} imports {imported}"


def importing_is_light(root):
    """Look at what ``import pdseqpriv`` loads, from the folder that the package is in."""
    code = "import sys; before = set(sys.modules); import pdseqpriv; print(*set(sys.modules) - before)"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split()
    yield "" if "pdseqpriv" in loaded else "pdseqpriv was not loaded"
    yield from (f"import pdseqpriv loads {name}" for name in sorted(LATE & set(loaded)))
