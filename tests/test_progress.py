"""Bars: late, silent where nobody looks, and without complaints of other libraries."""

from __future__ import annotations

import importlib
import os
import sys
import types
import warnings

import pytest

from pdseqpriv import progress as bars
from pdseqpriv.options import options


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(bars, "_DELAY", 0.0)
    monkeypatch.setattr(options, "progress", True)


@pytest.fixture
def notebook(monkeypatch):
    """Let tqdm believe that it is in a notebook without widgets."""
    for name in ("ipykernel", "ipykernel.zmqshell", "IPython"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    kernel = types.SimpleNamespace(config={"IPKernelApp": {}})
    sys.modules["IPython"].get_ipython = lambda: kernel
    for name in [name for name in sys.modules if name.startswith(("tqdm.auto", "tqdm.notebook"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    for name in [name for name in os.environ if name == "QT_API" or name.startswith("SPYDER")]:
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("at_once", "notebook")
def test_a_notebook_without_widgets_shows_a_bar_of_text_and_no_warning(monkeypatch, capsys):
    with pytest.warns(match="IProgress not found"):  # what is kept from the user
        importlib.import_module("tqdm.auto")
    for name in ("tqdm.auto", "tqdm.autonotebook"):
        monkeypatch.delitem(sys.modules, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with bars.progress(3, "counting") as bar:
            bar.update(2)
    assert "counting" in capsys.readouterr().err


@pytest.mark.usefixtures("at_once", "notebook")
def test_bars_of_one_call_do_not_pile_up(capsys):
    for _ in range(3):
        with bars.progress(3, "checking") as bar:
            bar.update(2)
    said = capsys.readouterr().err
    assert said.count("checking") >= 3
    assert "\n" not in said  # each is in the place of the one before
    assert said.rpartition("\r")[0].rpartition("\r")[2].strip() == ""  # and the last one is wiped out


@pytest.mark.usefixtures("at_once")
def test_where_nobody_looks_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with bars.progress(3, "counting") as bar:
        bar.update(2)
    assert capsys.readouterr().err == ""
