"""The house stays in order: layers, lazy imports, one docstring per function.

The rules are in ``tests/house.py`` and ``tests/surface.py``; ``tests/test_guards.py`` sees each of them fail.
"""

from __future__ import annotations

import inspect
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import pdseqpriv
from pdseqpriv.engines.engine import BoundTable
from tests import house, surface
from tests.house import House, complaints

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def package():
    return House(ROOT / "pdseqpriv")


def test_the_guards_see_the_whole_tree(package):
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "pdseqpriv/*.py"]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert set(package.trees) == {
        name.removeprefix("pdseqpriv/") for name in listed if (ROOT / name).exists()
    }
    assert len(package.kernels) > 40


@pytest.mark.parametrize("rule", house.RULES, ids=lambda rule: rule.__name__)
def test_the_house_is_in_order(package, rule):
    assert not complaints(rule, package)


def test_twins_know_nothing_of_the_package():
    assert not complaints(house.twins_know_nothing_of_the_package, House(ROOT / "tests"))


def test_importing_is_light():
    assert not complaints(house.importing_is_light, ROOT)


def public_functions():
    """Return the public functions by name, and those that are methods of the accessor."""
    public = {name: getattr(pdseqpriv, name) for name in pdseqpriv.__all__}
    public |= {f"verify.{name}": value for name, value in vars(pdseqpriv.verify).items()}
    # Asked for by name, a method that loads late makes way for its function. Pipe calls functions of others.
    names = [name for name in vars(pdseqpriv.SeqprivAccessor) if not name.startswith("_") and name != "pipe"]
    methods = {name: getattr(pdseqpriv.SeqprivAccessor, name) for name in names}
    assert methods == {name: vars(pdseqpriv.SeqprivAccessor)[name] for name in names}
    return tuple(
        {name: one for name, one in found.items() if inspect.isfunction(one)} for found in (public, methods)
    )


@pytest.mark.parametrize("rule", surface.RULES, ids=lambda rule: rule.__name__)
def test_public_functions_are_alike(rule):
    functions, _ = public_functions()
    assert len(functions) > 15
    assert not complaints(rule, functions)


@pytest.mark.parametrize("rule", surface.RULES_OF_METHODS, ids=lambda rule: rule.__name__)
def test_methods_are_public_functions(rule):
    functions, methods = public_functions()
    assert "hide" in methods
    assert not complaints(rule, functions, methods)


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
