"""Tell which lines of the package no test ran: ``pytest -p tests.lines_run``, as ``make test`` does.

Each statement of the package sets a mark of its own when it runs, which costs next to nothing on any Python;
to watch lines from outside takes more than half as much again before Python 3.12. Compiled code
(``kernels/``) runs no line of Python and is left out: its twins in the tests look after it. So is what runs
in a process of its own.
"""

from __future__ import annotations

import ast
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from itertools import chain, groupby
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pdseqpriv"
MARKS = "__lines_run__"
# By file, a 1 at the number of each line that ran. A list, because nothing is faster to write to.
marks_of: dict[str, list[int]] = {}


def is_for_readers_only(node):
    """Tell docstrings, ``...`` and what only type checkers or other processes run from the rest."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "__name__ == '__main__'"}
    return any(ast.unparse(one) == "overload" for one in getattr(node, "decorator_list", ()))


def blocks_of(node):
    """Return the lists of statements that a statement holds."""
    clauses = [node, *getattr(node, "handlers", []), *getattr(node, "cases", [])]
    blocks = [getattr(one, name, []) for one in clauses for name in ("body", "orelse", "finalbody")]
    return [block for block in blocks if block]


def statements_in(block):
    """Return the statements that can run, each followed by those inside it."""
    for node in block:
        if not is_for_readers_only(node):
            yield node
            yield from statements_in(chain.from_iterable(blocks_of(node)))


def with_marks(source):
    """Return the tree of a module in which every statement first sets its mark."""
    tree = ast.parse(source)
    for node in [tree, *statements_in(tree.body)]:
        for block in blocks_of(node):
            block[:] = chain.from_iterable(
                [one] if is_for_readers_only(one) else marked(one) for one in block
            )
    return tree


def marked(node):
    """Return the mark of a statement, and the statement: ``__lines_run__[its line] = 1``."""
    # Tracebacks name the lines of the file.
    place = {"lineno": node.lineno, "end_lineno": node.lineno}
    place |= {"col_offset": node.col_offset, "end_col_offset": node.col_offset}
    marks, line, one = (
        ast.Name(MARKS, ast.Load(), **place),
        ast.Constant(node.lineno, **place),
        ast.Constant(1, **place),
    )
    return ast.Assign([ast.Subscript(marks, line, ast.Store(), **place)], one, **place), node


class MarkingLoader(SourceFileLoader):
    """Loads a module with marks, from its source: what is kept in ``__pycache__`` has none."""

    def get_code(self, fullname):  # noqa: ARG002 (what Python calls it with)
        return compile(with_marks(self.get_data(self.path)), self.path, "exec", dont_inherit=True)

    def exec_module(self, module):
        lines = self.get_data(self.path).count(b"\n") + 2
        setattr(module, MARKS, marks_of.setdefault(self.path, [0] * lines))
        super().exec_module(module)


class MarkingFinder:
    """Finds the modules of the package, but no kernels: numba would compile the marks."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname.split(".")[0] != PACKAGE.name or ".kernels." in fullname:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader) and PACKAGE in Path(spec.origin).parents:
            spec.loader = MarkingLoader(fullname, spec.origin)
        return spec


def lines_that_ran():
    return {path: [i for i, mark in enumerate(marks) if mark] for path, marks in marks_of.items()}


def pytest_configure():
    assert PACKAGE.name not in sys.modules, "the package was loaded before it could be marked"
    sys.meta_path.insert(0, MarkingFinder)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[MARKS] = lines_that_ran()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    for path, lines in getattr(node, "workeroutput", {}).get(MARKS, {}).items():
        marks = marks_of.setdefault(path, [0] * (max(lines, default=0) + 1))
        marks += [0] * (max(lines, default=0) + 1 - len(marks))
        for line in lines:
            marks[line] = 1


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section("lines that no test ran")
    for line in report(PACKAGE, {path: set(lines) for path, lines in lines_that_ran().items()}):
        terminalreporter.write_line(line)


def report(package, ran):
    """Return a line for each file with statements that did not run, and one that sums up."""
    total = missed = 0
    for path in sorted(package.rglob("*.py")):
        if "kernels" in path.relative_to(package).parts:
            continue
        lines = {node.lineno for node in statements_in(ast.parse(path.read_bytes()).body)}
        missing = lines - ran.get(str(path), set())
        total, missed = total + len(lines), missed + len(missing)
        if missing:
            yield f"{path.relative_to(package.parent).as_posix()}: {ranges(lines, missing)}"
    assert total, f"no statement in {package}"
    yield f"{total - missed:,} of {total:,} statements ran ({1 - missed / total:.1%}), kernels not counted"


def ranges(lines, missing):
    """Say "3, 7-9" for lines of which none in between ran."""
    runs = [list(run) for is_missing, run in groupby(sorted(lines), missing.__contains__) if is_missing]
    return ", ".join(f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
