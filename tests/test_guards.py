"""Every guard can fail: in a copy of the package, each rule is broken once, and the rule says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import house, surface
from tests.house import RULES, House, complaints

PACKAGE = Path(__file__).parents[1] / "pdseqpriv"

# By rule: what is added to the end of which file, which is made if there is none, and what is said of it.
PLANTED = {
    "imports_are_written_in_full": [
        ("hiding/plan.py", "from . import summary", "hiding/plan.py imports .summary"),
        (
            "hiding/kernels/deep/low.py",
            "from ..fitting import x",
            "hiding/kernels/deep/low.py imports ..fitting.x",
        ),
    ],
    "lower_never_imports_higher": [
        ("errors.py", "import pdseqpriv.parameters", "errors.py imports pdseqpriv.parameters"),
        (
            "sequences/deep/new.py",
            "from pdseqpriv.engines.local import Local",
            "sequences/deep/new.py imports",
        ),
        ("patterns/text.py", "def f():\n    from pdseqpriv.audit import risk", "patterns/text.py imports"),
        ("audit/risk.py", "from pdseqpriv import hide", "audit/risk.py imports pdseqpriv.hide"),
        ("audit/risk.py", "import pdseqpriv", "audit/risk.py imports pdseqpriv"),
        ("noise/add_noise.py", "", "noise/add_noise.py has no place in the layers"),
        ("helpers.py", "", "helpers.py has no place in the layers"),
    ],
    "packages_stay_in_their_files": [
        ("engines/local.py", "import dask.dataframe", "engines/local.py imports dask.dataframe"),
        ("hiding/plan.py", "import numba", "hiding/plan.py imports numba"),
        ("files/csv.py", "def f():\n    from tqdm.auto import tqdm", "files/csv.py imports tqdm.auto.tqdm"),
        ("hiding/verify.py", "from importlib import import_module", "hiding/verify.py imports importlib"),
        ("hiding/verify.py", '__import__("pdseqpriv.hiding.plan")', "hiding/verify.py imports __import__"),
    ],
    "guarantees_do_not_import_each_other": [
        (
            "hiding/plan.py",
            "from pdseqpriv.mining.mine import mine",
            "hiding/plan.py imports pdseqpriv.mining",
        ),
        (
            "hiding/plan.py",
            "from pdseqpriv import sanitization",
            "hiding/plan.py imports pdseqpriv.sanitization",
        ),
        ("mining/kernels/deep/a.py", "import pdseqpriv.hiding.hide", "mining/kernels/deep/a.py imports"),
        ("mining/mine.py", "from pdseqpriv.pattern_release.plan import x", "mining/mine.py imports"),
    ],
    "every_guarantee_is_a_folder": [
        ("mining/verify.py", "", "mining: a check without a door"),
    ],
    "checks_share_nothing_with_their_operations": [
        *(
            (
                f"{room}/verify.py",
                f"from pdseqpriv.{room}.{door} import {door}",
                f"both need {room}/{door}.py",
            )
            for room, door in house.DOORS.items()
        ),
        ("hiding/verify.py", "def f():\n    import pdseqpriv.hiding.plan", "both need hiding/plan.py"),
        ("hiding/verify_positions.py", "import pdseqpriv.hiding.apply", "both need hiding/apply.py"),
        ("sequences/rules.py", "import pdseqpriv.mining.search", "both need mining/search.py"),
        (
            "hiding/verify.py",
            "import pdseqpriv.hiding.kernels.fitting",
            "both need hiding/kernels/fitting.py",
        ),
        (
            "pattern_release/verify.py",
            "import pdseqpriv.patterns.kernels.pattern_tree",
            "both need patterns/kernels/pattern_tree.py",
        ),
    ],
    "measures_share_nothing_with_their_operations": [
        *(
            (
                f"{room}/measures.py",
                f"from pdseqpriv.{room}.{door} import {door}",
                f"{room}: the measures and the operation both need {room}/{door}.py",
            )
            for room, door in house.DOORS.items()
        ),
        ("hiding/measures.py", "def f():\n    import pdseqpriv.hiding.plan", "both need hiding/plan.py"),
        (
            "hiding/measures.py",
            "import pdseqpriv.hiding.kernels.fitting",
            "both need hiding/kernels/fitting.py",
        ),
        ("sequences/rules.py", "import pdseqpriv.mining.search", "both need mining/search.py"),
    ],
    "every_module_of_a_guarantee_is_needed": [
        ("hiding/forgotten.py", "", "nobody needs hiding/forgotten.py"),
        ("mining/kernels/deep/plain.py", "x = 1", "nobody needs mining/kernels/deep/plain.py"),
        ("mining/one.py", "import pdseqpriv.mining.one", "nobody needs mining/one.py"),
    ],
    "folders_open_with_a_docstring_only": [
        (
            "hiding/__init__.py",
            "from pdseqpriv.hiding.hide import hide",
            "hiding/__init__.py holds more than",
        ),
        ("hiding/kernels/deep/__init__.py", "", "hiding/kernels/deep/__init__.py holds more than"),
    ],
    "kernels_know_only_arrays": [
        ("hiding/kernels/fitting.py", "import pandas as pd", "hiding/kernels/fitting.py imports pandas"),
        (
            "mining/grouping/kernels/deep/far/a.py",
            "import pandas",
            "mining/grouping/kernels/deep/far/a.py imports",
        ),
        ("mining/kernels/plain.py", "from pdseqpriv.errors import x", "mining/kernels/plain.py imports"),
        ("mining/kernels/plain.py", "import pdseqpriv", "mining/kernels/plain.py imports pdseqpriv"),
        (
            "mining/kernels/plain.py",
            "from pdseqpriv.compiled_cache import x",
            "mining/kernels/plain.py imports",
        ),
    ],
    "kernels_do_not_call_themselves": [
        ("mining/kernels/plain.py", "def again(n):\n    return again(n - 1)", "plain.py: again calls itself"),
        (
            "mining/kernels/deep/far.py",
            "def to(n):\n    return fro(n)\ndef fro(n):\n    return to(n)",
            "mining/kernels/deep/far.py: to calls itself",
        ),
        ("mining/kernels/deep/empty.py", "x = 1", "mining/kernels/deep/empty.py has no function"),
    ],
    "compiled_functions_live_in_kernels": [
        (
            "hiding/plan.py",
            "@compiled\ndef fast(n):\n    return n",
            "hiding/plan.py: fast is compiled outside",
        ),
        (
            "hiding/plan.py",
            "from pdseqpriv.compiled import compiled\nfast = compiled(max)",
            "hiding/plan.py compiles functions outside",
        ),
    ],
    "no_function_is_told_who_called_it": [
        ("parameters.py", "def read(value, function: str):\n    pass", "parameters.py: read takes the name"),
        (
            "hiding/deep/a.py",
            "class A:\n    def read(self, *, function: 'str | None' = None):\n        pass",
            "hiding/deep/a.py: read takes the name",
        ),
    ],
    "one_name_means_one_thing": [
        (
            "hiding/plan.py",
            "def whole_number(parameter, value):\n    return value",
            "whole_number is defined in hiding/plan.py and parameters.py",
        ),
        ("hiding/deep/a.py", "class Verdict: pass", "Verdict is defined in hiding/deep/a.py and verdict.py"),
        (
            "command_line/values.py",
            "def share(): pass",
            "share is defined in command_line/values.py and parameters.py",
        ),
    ],
    "every_function_is_used": [
        ("hiding/plan.py", "def forgotten(): pass", "hiding/plan.py: nobody uses forgotten"),
        ("hiding/kernels/deep/a.py", "class Forgotten: pass", "deep/a.py: nobody uses Forgotten"),
    ],
    "modules_stay_short": [
        ("hiding/deep/long.py", "x = 1\n" * 301, "hiding/deep/long.py has 301 lines"),
        ("hiding/kernels/deep/long.py", "x = 1\n" * 301, "hiding/kernels/deep/long.py has 301 lines"),
    ],
    "bodies_stay_short": [
        ("hiding/deep/a.py", "def f():\n    '''F.'''\n" + "    x = 1\n" * 36, "a.py: f has 36 lines"),
        ("hiding/deep/a.py", "class A:\n  async def f():\n" + "    x = 1\n" * 36, "a.py: f has 36 lines"),
    ],
}
# Rules that are broken by what is missing.
REMOVED = {
    "files_named_for_a_package_import_it": ("progress.py", "progress.py does not import tqdm"),
    "every_guarantee_is_a_folder": ("hiding", "there is no hiding"),
    "checks_share_nothing_with_their_operations": ("hiding/verify.py", "there is no hiding/verify.py"),
    "measures_share_nothing_with_their_operations": (
        "hiding/measures.py",
        "there is no hiding/measures.py",
    ),
    "every_module_of_a_guarantee_is_needed": (
        "hiding/verify.py",
        "nobody needs hiding/verify_positions.py",
    ),
}
# Rules that look for files they know by name.
NAMES_WHAT_IS_MISSING = {
    "files_named_for_a_package_import_it",
    "every_guarantee_is_a_folder",
    "checks_share_nothing_with_their_operations",
    "measures_share_nothing_with_their_operations",
}
CASES = [(rule, *planted) for rule, cases in PLANTED.items() for planted in cases]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house") / "pdseqpriv"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "pdseqpriv"))


def plant(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_rule_is_broken_below_and_holds_without_that(whole, rule):
    assert rule.__name__ in PLANTED | REMOVED
    assert complaints(rule, House(whole)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_that_looks_at_nothing_fails(tmp_path, rule):
    said = complaints(rule, House(tmp_path))
    assert said
    assert said == [f"{rule.__name__} looked at nothing"] or rule.__name__ in NAMES_WHAT_IS_MISSING


@pytest.mark.parametrize(
    ("rule", "name", "text", "said"), CASES, ids=[f"{i}-{rule}" for i, (rule, *_) in enumerate(CASES)]
)
def test_a_planted_violation_is_found(copy, rule, name, text, said):
    plant(copy, name, text)
    found = complaints(getattr(house, rule), House(copy))
    assert [line for line in found if said in line], found


@pytest.mark.parametrize(("rule", "name", "said"), [(rule, *case) for rule, case in REMOVED.items()])
def test_what_is_missing_is_found(copy, rule, name, said):
    shutil.rmtree(copy / name) if (copy / name).is_dir() else (copy / name).unlink()
    assert said in complaints(getattr(house, rule), House(copy))


@pytest.mark.parametrize(("heavy", "loads"), [("numba", ["numba", "numpy"]), ("dask", ["dask"])])
def test_a_heavy_import_is_found(copy, heavy, loads):
    if heavy == "dask":
        (copy.parent / "dask.py").write_text("")  # whether it is installed or not
    plant(copy, "errors.py", f"\nimport {heavy}\n")
    assert complaints(house.importing_is_light, copy.parent) == [
        f"import pdseqpriv loads {one}" for one in loads
    ]


@pytest.mark.parametrize(
    "line",
    ["import pdseqpriv", "from pdseqpriv.hiding.plan import LIMIT", "from tests.hiding import test_hide"],
)
def test_a_twin_that_borrows_is_found(tmp_path, line):
    plant(
        tmp_path,
        "hiding/deep/naive_marks.py",
        f"import re\n{line}\nfrom tests.sequences.naive import contains\n",
    )
    (found,) = complaints(house.twins_know_nothing_of_the_package, House(tmp_path))
    assert found.startswith("hiding/deep/naive_marks.py imports ")
    assert complaints(house.twins_know_nothing_of_the_package, House(tmp_path / "nowhere"))


def good(table, patterns, *, k=1, seed=0, seq_id=None, event=None, time=None, ties=None, person=None):
    """Hide.

    Parameters
    ----------
    k, seed : int
        Two numbers.
    seq_id, event, time, ties, person : optional
        What the columns are called.

    Returns
    -------
    None

    **Guarantee**: none. **Not protected**: all.

    >>> good(1, 2)
    """


def hasty(table, patterns, k, seed=1, *, unit=1):
    """Hide, with any unit.

    Parameters
    ----------
    seed : int
    """


@pytest.mark.parametrize("rule", surface.RULES, ids=lambda rule: rule.__name__)
def test_a_hasty_function_is_found(rule):
    assert complaints(rule, {"good": good}) == []
    assert (
        complaints(rule, {"good": good, "hasty": hasty})
        == {
            "docstrings_promise_and_show": [f"hasty: no {needed}" for needed in surface.NEEDED],
            "docstrings_name_every_option": ["hasty: unit is not described"],
            "only_tables_and_one_parameter_are_positional": ["hasty: ['k', 'seed']"],
            "an_option_has_one_default": ["hasty: seed=1, but elsewhere 0"],
            "columns_can_be_named": ["hasty: its columns cannot be named"],
        }[rule.__name__]
    )
    assert complaints(rule, {}) == [f"{rule.__name__} looked at nothing"]


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"good": good}, [[], []]),
        ({}, [["good: a method, or not on a table"], ["methods_are_the_functions looked at nothing"]]),
        ({"good": hasty}, [[], ["good is another function as a method"]]),
        (
            {"good": good, "describe": good},
            [["describe: a method, or not on a table"], ["describe is another function as a method"]],
        ),
    ],
)
def test_a_method_that_is_no_function_on_a_table_is_found(methods, said):
    assert [complaints(rule, {"good": good}, methods) for rule in surface.RULES_OF_METHODS] == said
