"""The report of lines that no test ran, on a package small enough to know it by heart."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import lines_run

SHOP = '''"""A shop."""
from __future__ import annotations
from typing import TYPE_CHECKING, overload
if TYPE_CHECKING:
    import nowhere

class Till:
    """A till."""

    closed = False

    @property
    def money(self):
        """Count."""
        return (
            1
        )

    def close(self):
        self.closed = True

@overload
def pay(price: int) -> int: ...
def pay(price):
    try:
        match price:
            case 0:
                return "free"
            case _:
                left = 10 / (price - 1)
    except ZeroDivisionError:
        return "one"
    else:
        for _ in range(2):
            if left < 0:
                break
        else:
            return "paid"
    finally:
        done = True
    while done:
        return "never"
    return None

if __name__ == "__main__":
    pay(1)
'''
LATER = """
def late():
    x = 1

    # why
    return x

async def never():
    with open(0) as f:
        del f
"""
TESTS = """
from pdseqpriv.shop import Till, pay
from pdseqpriv.kernels.loop import kernel

def test_money():
    assert Till().money == kernel()

def test_one():
    assert pay(1) == "one"

def test_paid():
    assert pay(2) == "paid"
"""


def run_with_marks(source, name):
    scope = {lines_run.MARKS: [0] * 60, "__name__": name}
    exec(compile(lines_run.with_marks(source), name, "exec"), scope)  # noqa: S102 (our own text)
    return scope


def lines_in(scope):
    return {i for i, mark in enumerate(scope[lines_run.MARKS]) if mark}


def test_statements_are_marked_where_they_stand():
    scope = run_with_marks(SHOP, "shop")
    assert lines_in(scope) == {3, 7, 10, 13, 19, 24}  # a function at its def, not at what decorates it
    assert scope["Till"].__doc__ == "A till."
    assert scope["Till"].money.__doc__ == "Count."


def test_an_error_names_the_line_of_the_file():
    scope = run_with_marks("x = 1\n\n\ndef f():\n    z = 1\n    1 / 0\n", "f")
    with pytest.raises(ZeroDivisionError) as caught:
        scope["f"]()
    assert caught.traceback[-1].lineno + 1 == 6
    assert lines_in(scope) == {1, 4, 5, 6}


@pytest.mark.parametrize(
    ("missing", "said"), [(set(), ""), ({4}, "4"), ({2, 4, 9}, "2-4, 9"), ({1, 4, 7, 9}, "1, 4-9")]
)
def test_ranges_end_where_a_line_ran(missing, said):
    assert lines_run.ranges({1, 2, 4, 7, 9}, missing) == said


def test_a_folder_without_code_is_no_success(tmp_path):
    with pytest.raises(AssertionError, match="no statement"):
        list(lines_run.report(tmp_path, {}))


@pytest.fixture
def project(tmp_path):
    files = {
        "pdseqpriv/__init__.py": "",
        "pdseqpriv/shop.py": SHOP,
        "pdseqpriv/later.py": LATER,
        "pdseqpriv/kernels/loop.py": "def kernel():\n    return 1\n",
        "tests/__init__.py": "",
        "tests/lines_run.py": Path(lines_run.__file__).read_text(encoding="utf-8"),
        "tests/test_shop.py": TESTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run_tests(project, *options):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        "none.ini",
        "-p",
        "tests.lines_run",
        *options,
        "tests",
    ]
    (project / "none.ini").write_text("[pytest]\n")
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options", [["-p", "no:xdist"], ["-n", "2"]], ids=["alone", "workers"])
def test_the_report_ends_the_run(project, options):
    done = run_tests(project, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.partition("lines that no test ran")[2].splitlines()[1:4] == [
        "pdseqpriv/later.py: 2-10",
        "pdseqpriv/shop.py: 20, 28, 36, 41-43",
        "15 of 27 statements ran (55.6%), kernels not counted",
    ]


def test_a_test_that_fails_still_fails(project):
    (project / "tests" / "test_shop.py").write_text(TESTS.replace('"paid"', '"free"'), encoding="utf-8")
    assert run_tests(project, "-n", "1").returncode == 1


def test_a_package_that_was_loaded_too_early_is_no_report(project):
    (project / "tests" / "conftest.py").write_text("import pdseqpriv\n")
    done = run_tests(project)
    assert done.returncode not in {0, 1}
    assert "the package was loaded before it could be marked" in done.stderr
