"""The two measures of the code: borders that a call crosses, and lines per folder."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from benchmarks import borders, size

DOOR = """
from shop.till import add, pay

def enter():
    return look() + sum(map(add, [1, 2, 3])) + pay(look)

def look():
    return 1
"""
TILL = """
def add(price):
    return tax(price)

def tax(price):
    return price

def pay(ask):
    return ask()
"""


@pytest.fixture
def shop(monkeypatch):
    modules = {name: ModuleType(f"shop.{name}") for name in ("till", "door")}
    monkeypatch.setitem(sys.modules, "shop", ModuleType("shop"))
    for name, source in (("till", TILL), ("door", DOOR)):
        monkeypatch.setitem(sys.modules, f"shop.{name}", modules[name])
        exec(source, vars(modules[name]))  # noqa: S102 (our own text)
    return modules["door"]


def test_a_call_across_a_border_is_counted(shop):
    found = borders.trace(shop.enter, "shop")
    assert found.modules == {"shop.door", "shop.till"}
    assert found.crossings == {
        ("shop.door", "shop.till", "add"): 3,  # through map, which is nobody's module
        ("shop.door", "shop.till", "pay"): 1,
        ("shop.till", "shop.door", "look"): 1,
    }


def test_a_call_inside_one_module_crosses_nothing(shop):
    assert borders.trace(shop.look, "shop").modules == {"shop.door"}
    assert not borders.trace(shop.look, "shop").crossings


def test_nothing_is_watched_after_a_call_that_fails():
    left = [1, 2]
    with pytest.raises(IndexError):
        borders.trace(left.pop)  # the third time, the one that is watched
    assert sys.getprofile() is None


@pytest.mark.filterwarnings("ignore:k_anonymize. dropped")
def test_every_call_is_of_the_package(capsys, monkeypatch):
    calls = borders.calls()
    assert {"generalize", "hide", "k_anonymize", "compare"} <= set(calls)
    monkeypatch.setattr(borders, "calls", lambda: {"describe": calls["describe"]})
    borders.main(["describe"])
    head, line, *crossings = capsys.readouterr().out.splitlines()
    name, modules, crossed = line.split()
    assert head.split() == ["call", "modules", "borders"]
    assert name == "describe"
    assert int(modules) > 1
    assert int(crossed) == sum(int(one.split()[0]) for one in crossings) > 0


@pytest.mark.filterwarnings("ignore::pdseqpriv.PrivacyWarning")
def test_a_call_crosses_few_borders():
    # At most half of what these calls crossed when the code was cut by layers, seen by the same tracer.
    most = {"generalize": 91, "hide": 72, "k_anonymize": 45, "compare": 35, "compare_patterns": 87}
    calls = borders.calls()
    found = {name: borders.trace(calls[name]).crossings for name in most}
    # How often a bar is moved depends on how busy the machine is, so that is left out.
    crossed = {
        name: sum(times for (_, _, called), times in one.items() if not called.endswith("Bar.update"))
        for name, one in found.items()
    }
    assert {name: number for name, number in crossed.items() if not 10 < number <= most[name]} == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", 0),
        ('"""A module."""\n\n# why\nx = 1  # one\n', 1),
        ("x = (1 +\n\n     # why\n     1)\n", 2),
        ('def f():\n    """Return 1.\n\n    And more.\n    """\n    return 1\n', 2),
        ('class A:\n    """A."""\n\n    text = """two\n    lines"""\n', 3),
        ('x = 1\n"""not a docstring"""\n', 2),
    ],
)
def test_lines_without_docstrings_comments_and_blanks(source, lines):
    assert size.lines_of_code(source) == lines


def test_sizes_are_told_by_folder(tmp_path, capsys):
    (tmp_path / "inner" / "kernels").mkdir(parents=True)
    for name in ("a.py", "inner/b.py", "inner/kernels/c.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "inner" / "note.txt").write_text("not code\n")
    assert size.sizes(tmp_path) == {"(top)": 1, "inner": 2}
    size.main([str(tmp_path)])
    assert [line.split() for line in capsys.readouterr().out.splitlines()][-1] == ["all", "3"]
